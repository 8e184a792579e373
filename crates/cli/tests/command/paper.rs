//! Figures of one's own: `dumbbell new --kind paper`, `dumbbell reproduce FOLDER`, `--record`.

mod mistakes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{dumbbell, folder, names, output, success};

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The command in a folder.
fn within(folder: &Path, args: &[&str]) -> Command {
    let mut command = dumbbell();
    command.current_dir(folder).args(args);
    command
}

/// A folder with the folder of a paper in it, `mine`.
fn mine(name: &str) -> PathBuf {
    let folder = folder(name);
    success(&mut within(&folder, &["new", "mine", "--kind", "paper"]));
    folder
}

/// Replaces a text that occurs in a file.
fn change(file: &Path, from: &str, to: &str) {
    let text = read(file);
    assert!(text.contains(from), "{}: {from}", file.display());
    fs::write(file, text.replacen(from, to, 1)).expect("the folder is ours");
}

#[test]
fn a_new_folder_runs_at_once_and_all_its_claims_are_judged() {
    let folder = mine("paper-new");
    let run = ["reproduce", "./mine", "--out", "results"];
    let out = success(&mut within(&folder, &run));
    for part in [
        "Veno has a higher throughput",
        "40 runs",
        "no verdicts are on record: `dumbbell reproduce ./mine --record` records them",
    ] {
        assert!(out.contains(part), "no {part:?} in\n{out}");
    }
    let json = success(&mut within(&folder, &[&run[..], &["--json"]].concat()));
    let claims: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    assert_eq!(claims.len(), 2);
    for claim in &claims {
        assert_eq!(claim["paper"], "mine");
        assert_ne!(claim["verdict"], "untestable", "{claim}");
    }
    let expected = [
        "mine-fig1.csv",
        "mine-fig1.runs.csv",
        "mine-fig1.svg",
        "mine.NOTES.md",
        "mine.verdicts.toml",
        "report.html",
        "runs.sqlite",
        "scenarios",
    ];
    assert_eq!(names(&folder.join("results")), expected);
    let page = read(&folder.join("results/report.html"));
    assert!(page.contains("dumbbell reproduce ./mine"), "the command");
}

/// The commands of docs/reproduce.md that need no paper, one after the other in one folder.
#[test]
fn every_command_about_figures_of_your_own_in_the_docs_runs() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduce.md");
    let docs = read(&docs);
    let mut commands = Vec::new();
    let mut is_shell = false;
    for line in docs.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
        } else if let (true, Some(line)) = (is_shell, line.strip_prefix("dumbbell ")) {
            commands.push(line.split('#').next().unwrap_or_default());
        }
    }
    assert!(commands.len() >= 12, "{commands:?}");
    let folder = folder("paper-docs");
    for line in commands {
        let args: Vec<&str> = line.split_whitespace().collect();
        let (code, out, err) = output(&mut within(&folder, &args));
        assert_eq!((code, err.as_str()), (0, ""), "dumbbell {line}\n{out}");
    }
    let record = [
        "NOTES.md",
        "explored.toml",
        "explored.verdicts.quick.toml",
        "fig1.toml",
        "loss.scenario.toml",
        "null.toml",
        "paper.toml",
        "verdicts.toml",
    ];
    assert_eq!(names(&folder.join("myfolder")), record);
}

#[test]
fn a_verdict_that_changes_is_reported_and_exits_with_1() {
    let folder = mine("paper-record");
    let quick = ["reproduce", "mine", "--quick"];
    let record = [&quick[..], &["--record"]].concat();
    let out = success(&mut within(&folder, &record));
    assert!(out.contains("recorded: mine/verdicts.quick.toml"), "{out}");
    success(&mut within(&folder, &quick));
    // A paper that claims the opposite.
    let figure = folder.join("mine/fig1.toml");
    change(&figure, "way = \"falls\"", "way = \"rises\"");
    let (code, _, err) = output(&mut within(&folder, &quick));
    assert_eq!(code, 1);
    assert!(err.contains("mine-fig1 falls: holds, now fails"), "{err}");
    // Put on record, it is what is expected.
    let (code, _, err) = output(&mut within(&folder, &record));
    assert_eq!(code, 0);
    assert!(err.contains("mine-fig1 falls: holds, now fails"), "{err}");
    success(&mut within(&folder, &quick));
    assert!(read(&folder.join("mine/verdicts.quick.toml")).contains("falls = \"fails\""));
}

#[test]
fn a_part_of_a_paper_is_recorded_beside_the_rest() {
    let folder = mine("paper-part");
    let paper = folder.join("mine");
    let second = read(&paper.join("fig1.toml")).replace("mine-fig1", "mine-fig2");
    fs::write(paper.join("fig2.toml"), second).expect("ours");
    let figures = "fig1 = \"loss\"";
    let both = format!("{figures}\nfig2 = \"loss\"");
    change(&paper.join("paper.toml"), figures, &both);
    let record = ["reproduce", "./mine", "mine-fig2", "--record"];
    success(&mut within(&folder, &record));
    let one = read(&paper.join("verdicts.toml"));
    assert!(
        one.contains("[mine-fig2]") && !one.contains("fig1"),
        "{one}"
    );
    let (code, _, err) = output(&mut within(
        &folder,
        &[&record[..], &["--seed", "9"]].concat(),
    ));
    assert_eq!(code, 2);
    assert!(
        err.contains("other settings") && err.contains("--seed 1"),
        "{err}"
    );
    let first = ["reproduce", "./mine", "mine-fig1", "--record"];
    success(&mut within(&folder, &first));
    let two = read(&paper.join("verdicts.toml"));
    assert!(
        two.contains("[mine-fig1]") && two.contains("[mine-fig2]"),
        "{two}"
    );
    // A record of the whole leaves out what is gone.
    change(&paper.join("paper.toml"), &both, figures);
    fs::remove_file(paper.join("fig2.toml")).expect("ours");
    success(&mut within(&folder, &["reproduce", "./mine", "--record"]));
    assert!(!read(&paper.join("verdicts.toml")).contains("fig2"));
}

/// The folder of a paper that is compiled in, read at run time.
#[test]
fn a_folder_and_the_same_paper_compiled_in_give_the_same() {
    let folder = folder("paper-same");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../papers/src/rovegas");
    let copy = folder.join("rovegas");
    fs::create_dir(&copy).expect("ours");
    for name in names(&source) {
        fs::copy(source.join(&name), copy.join(&name)).expect("ours");
    }
    let of = |arguments: &[&str], out: &str| {
        let all = [
            &["reproduce"],
            arguments,
            &["--quick", "--json", "--out", out],
        ]
        .concat();
        success(within(&folder, &all).args(["--store", "runs.sqlite"]))
    };
    // A name with the file of a paper is a folder, even if a paper is called so.
    let own = of(&["rovegas", "rovegas-fig8"], "own");
    fs::rename(&copy, folder.join("moved")).expect("ours");
    assert_eq!(of(&["rovegas-fig8"], "builtin"), own);
    for file in names(&folder.join("own")) {
        if file.starts_with("rovegas-fig8") && file != "rovegas-fig8" {
            let [a, b] = ["own", "builtin"].map(|it| read(&folder.join(it).join(&file)));
            assert!(a == b, "{file}");
        }
    }
    // In a folder of another name it is another paper, whose figures have the same names.
    let both = ["reproduce", "./moved", "rovegas", "--quick"];
    let (code, _, err) = output(&mut within(&folder, &both));
    assert_eq!(code, 2);
    let said = "`rovegas-fig4` is in ./moved and in the paper rovegas, which is compiled in";
    assert!(err.contains(said), "{err}");
    // The figures of the folder come first.
    let (code, out, _) = output(&mut within(
        &folder,
        &[
            "reproduce",
            "./moved",
            "rovegas-fig8",
            "--quick",
            "--json",
            "--store",
            "runs.sqlite",
        ],
    ));
    assert_eq!(code, 0);
    assert!(out.contains("\"paper\":\"moved\"") && !out.contains("\"paper\":\"rovegas\""));
}

/// A trace stands beside the scenario that names it.
#[test]
fn a_scenario_may_name_traces_in_the_folder() {
    let folder = mine("paper-trace");
    let trace: String = (1..=200).map(|ms| format!("{}\n", ms * 5)).collect();
    fs::write(folder.join("mine/link.up"), trace).expect("ours");
    let scenario = folder.join("mine/loss.scenario.toml");
    change(
        &scenario,
        "{ rate = \"2 Mb/s\", delay",
        "{ rate = { trace = \"link.up\" }, delay",
    );
    let out = success(&mut within(&folder, &["reproduce", "./mine", "--quick"]));
    assert!(out.contains("8 runs"), "{out}");
}
