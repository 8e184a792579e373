//! Two tiny papers, a matrix of one path, and a folder that is removed when the test ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use dumbbell_lab::claim::{Settings, Verdict, Verdicts};
use dumbbell_lab::experiment::Experiment;
use dumbbell_lab::exploration::Exploration;
use dumbbell_lab::matrix::Matrix;
use dumbbell_lab::reproduction::{About, Library, Paper, Plan, Reproduction};
use dumbbell_lab::scenario::controls::Controls;
use dumbbell_store::{Runner, Store};

const SCENARIO: &str = r#"
    duration = "2 s"
    [dumbbell]
    access = { rate = "10 Mb/s", delay = "1 ms" }
    bottleneck = { rate = "2 Mb/s", delay = "9 ms", queue = { droptail = 9 }, loss = { bernoulli = 0.1 } }
    [tcp]
    payload = "1000 B"
    [[flow]]
    name = "A"
    [[flow]]
    name = "B"
"#;

/// Two curves, two x values, three seeds: twelve runs. The first claim always holds, the second
/// never.
const DESCRIPTION: &str = r#"
    name = "NAME"
    title = "The figure"
    source = "figure 1"
    repeat = 3
    quick = { repeat = 2, values = [0.1] }
    x = { label = "loss", key = "dumbbell.bottleneck.loss.bernoulli", values = [0.1, 0.2] }
    series = [
        { name = "Veno", set = { "flow.0.control" = "veno", "flow.1.control" = "veno" } },
        { name = "Reno", set = { "flow.0.control" = "reno", "flow.1.control" = "reno" } },
    ]
    measure = [{ name = "t", label = "throughput", quantity = "throughput" }]
    panel = [{ measure = "t" }, { name = "all", table = ["t"] }]
    [[claim]]
    id = "some"
    text = "Something arrives."
    source = "s"
    test = { bound = { least = 1 } }
    [[claim]]
    id = "much"
    text = "A terabit a second arrives."
    source = "s"
    test = { bound = { least = 1e12, series = ["Veno"], at = [0.1] } }
"#;

/// A reading under which every packet is lost.
const EXPLORED: &str = r#"
    title = "Other readings"
    repeat = 2
    quick = 1
    [[reading]]
    name = "lost"
    title = "Everything is lost"
    about = "The text does not say otherwise."
    figures = ["NAME"]
    set = { "dumbbell.bottleneck.loss.bernoulli" = 1.0 }
"#;

const PATH: &str = r#"
    repeat = 2
    quick = 1
    [[path]]
    name = "pair"
    label = "a pair"
    about = "It."
    figure = "one-fig1"
    flows = "pair"
"#;

pub const FULL: Settings = Settings {
    seed: 1,
    quick: false,
};
pub const QUICK: Settings = Settings {
    seed: 1,
    quick: true,
};

pub fn library() -> Library {
    let scenario = |name: &str| (name == "pair").then_some(SCENARIO);
    let matrix = Matrix::parse("paths.toml", PATH, scenario, &Controls::builtin());
    Library {
        papers: vec![
            paper("one", &["one-fig1", "one-fig2"]),
            paper("two", &["two-fig1"]),
        ],
        matrix: matrix.expect("it is right"),
    }
}

fn paper(name: &str, figures: &[&str]) -> Paper {
    let record = |settings| {
        let mut verdicts = Verdicts::new(settings);
        for figure in figures {
            verdicts.insert(figure, "some", Verdict::Holds);
            verdicts.insert(figure, "much", Verdict::Fails);
        }
        verdicts
    };
    let experiment = |figure: &&str| {
        let description = DESCRIPTION.replacen("NAME", figure, 1);
        let read = Experiment::parse("tiny.toml", &description, SCENARIO, &toml::Table::new());
        read.expect("it is right")
    };
    let experiments: Vec<Experiment> = figures.iter().map(experiment).collect();
    Paper {
        about: About {
            name: name.to_owned(),
            title: format!("Paper {name}"),
            citation: "A. Author, A Journal, 2003".to_owned(),
            study: false,
            notes: "# Notes\n".to_owned(),
            folder: None,
        },
        exploration: exploration(name, &experiments),
        experiments,
        full: record(FULL),
        quick: record(QUICK),
        explored_full: Verdicts::new(FULL),
        explored_quick: Verdicts::new(QUICK),
        null: Some(Verdicts::new(QUICK)),
    }
}

/// The plan for these names.
pub fn plan(names: &[&str], settings: Settings) -> Plan {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let chosen = library().choose(&names, settings).expect("they are known");
    Plan::new(chosen).expect("every point is a scenario")
}

/// Runs a plan to its end on two threads.
pub fn run(plan: Plan, store: Option<&Store>) -> Reproduction {
    let runner = Runner {
        store,
        threads: 2,
        interrupted: &AtomicBool::new(false),
    };
    plan.run(&runner, |_| {}, |_| {})
        .expect("nothing interrupts it")
}

/// A separate folder for a test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let name = format!("dumbbell-reproduction-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("it can be made");
        Self(path)
    }

    pub fn read(&self, file: &str) -> String {
        let path = self.0.join(file);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// All files below the folder, in order.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        below(&self.0, "", &mut found);
        found.sort();
        found
    }
}

fn below(folder: &Path, before: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("it is ours") {
        let path = entry.expect("it is readable").path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = format!("{before}{}", name.expect("plain names"));
        if path.is_dir() {
            below(&path, &format!("{name}/"), found);
        } else {
            found.push(name);
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A reading that doubles the rate of the first figure.
fn exploration(paper: &str, figures: &[Experiment]) -> Exploration {
    let text = EXPLORED.replace("NAME", &figures[0].name);
    Exploration::parse(&format!("{paper}/explored.toml"), &text, figures).expect("it is right")
}
