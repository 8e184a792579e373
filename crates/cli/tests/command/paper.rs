//! Figures of one's own: `dumbbell new --kind paper`, `dumbbell reproduce FOLDER`, `--record`.

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

#[test]
fn every_mistake_has_its_place_and_nothing_runs() {
    let folder = mine("paper-mistakes");
    let original = folder.join("mine");
    // The file, what is replaced in it, the place, and what would be right.
    for (file, from, to, place, advice) in [
        (
            "paper.toml",
            "title ",
            "titel ",
            "paper.toml:6:1",
            "did you mean `title`?",
        ),
        (
            "paper.toml",
            "fig1 =",
            "fig2 =",
            "paper.toml:12:1",
            "did you mean `fig1`?",
        ),
        (
            "paper.toml",
            "= \"loss\"",
            "= \"los\"",
            "paper.toml:12:8",
            "did you mean `loss`?",
        ),
        (
            "paper.toml",
            "\"mine\"",
            "\"My Paper\"",
            "paper.toml:4:12",
            "the letters a to z",
        ),
        (
            "paper.toml",
            "[figure]",
            "[figures]",
            "paper.toml:11:2",
            "did you mean `figure`?",
        ),
        (
            "paper.toml",
            "= \"veno\"",
            "= \"vneo\"",
            "fig1.toml:8:22",
            "did you mean `veno`?",
        ),
        (
            "paper.toml",
            "title    = \"",
            "title    = ",
            "paper.toml:6:",
            "not valid TOML",
        ),
        (
            "fig1.toml",
            "[[panel]]",
            "[[pannel]]",
            "fig1.toml:27:3",
            "did you mean `panel`?",
        ),
        (
            "fig1.toml",
            "loss.bernoulli",
            "loss.bernouli",
            "fig1.toml:15:10",
            "did you mean `bernoulli`?",
        ),
        (
            "fig1.toml",
            "3e-2]            #",
            "3]  #",
            "fig1.toml:35:",
            "0.001, 0.003, 0.01, 3",
        ),
        (
            "fig1.toml",
            "[1e-3, 3e-3",
            "[-1e-3, 3e-3",
            "fig1.toml:10:",
            "0.003",
        ),
        (
            "fig1.toml",
            "{ highest",
            "{ higest",
            "fig1.toml:35:12",
            "did you mean `highest`?",
        ),
        (
            "fig1.toml",
            "\"mine-fig1\"",
            "\"mine\"",
            "fig1.toml:3:10",
            "\"mine-fig1\"",
        ),
        (
            "fig1.toml",
            "null   = ",
            "again = \"none\"\nnull   = ",
            "fig1.toml:42:",
            "FIGURE.ID",
        ),
        (
            "fig1.toml",
            "null   = ",
            "again = \"fig7.a\"\nnull   = ",
            "fig1.toml:42:",
            "FIGURE.ID",
        ),
        (
            "loss.scenario.toml",
            "duration",
            "duraton",
            "loss.scenario.toml:2:1",
            "did you mean `duration`?",
        ),
        (
            "loss.scenario.toml",
            "\"60 s\"",
            "60 s",
            "loss.scenario.toml:2:12",
            "a quantity is a string",
        ),
        (
            "explored.toml",
            "\"mine-fig1\"",
            "\"mine-fig\"",
            "explored.toml:17:",
            "did you mean `mine-fig1`?",
        ),
        (
            "explored.toml",
            "[[reading]]",
            "[[readings]]",
            "explored.toml:13:3",
            "did you mean `reading`?",
        ),
    ] {
        let copy = folder.join("copy");
        let _ = fs::remove_dir_all(&copy);
        fs::create_dir(&copy).expect("ours");
        for name in names(&original) {
            fs::copy(original.join(&name), copy.join(&name)).expect("ours");
        }
        change(&copy.join(file), from, to);
        let (code, out, err) = output(&mut within(&folder, &["reproduce", "./copy"]));
        assert_eq!((code, out.as_str()), (2, ""), "{to}: {err}");
        let place = format!("./copy/{place}");
        assert!(
            err.contains(&place) && err.contains(advice),
            "{to}: {place}: {err}"
        );
    }
    assert!(!folder.join("out").exists(), "something ran");
}

#[test]
fn mistakes_of_readings_and_records_have_a_place() {
    let folder = mine("paper-readings");
    let paper = folder.join("mine");
    let explored = paper.join("explored.toml");
    change(&explored, "delayed_ack = true", "delayed_ack = false");
    let run = ["reproduce", "./mine", "mine-explored"];
    let (code, _, err) = output(&mut within(&folder, &run));
    assert_eq!(code, 2);
    for part in [
        "./mine/explored.toml:14:11",
        "the reading `delayed-acks` changes nothing",
    ] {
        assert!(err.contains(part), "{err}");
    }
    change(&explored, "delayed_ack = false", "delayed_akc = true");
    let (code, _, err) = output(&mut within(&folder, &run));
    assert_eq!(code, 2);
    assert!(
        err.contains("./mine/explored.toml:14:11") && err.contains("delayed_akc"),
        "{err}"
    );
    fs::remove_file(&explored).expect("ours");
    let (code, _, err) = output(&mut within(&folder, &run));
    assert_eq!(code, 2);
    assert!(err.contains("has no other readings"), "{err}");
    let (code, _, err) = output(&mut within(&folder, &["reproduce", "./mine", "explored"]));
    assert_eq!(code, 2);
    assert!(
        err.contains("has no other readings") && err.contains("explored.toml"),
        "{err}"
    );
    let (code, _, err) = output(&mut within(&folder, &["reproduce", "./mine", "--null"]));
    assert_eq!(code, 2);
    assert!(err.contains("the baseline of mine is not known"), "{err}");
    for (text, place, advice) in [
        (
            "[settings]\nseed = 1\nquick = true\n",
            "verdicts.toml:3:9",
            "records of their own",
        ),
        (
            "[settings]\nseed = 1\nquick = false\n[f]\na = \"hold\"\n",
            "verdicts.toml:5:5",
            "`holds`",
        ),
    ] {
        fs::write(paper.join("verdicts.toml"), text).expect("ours");
        let (code, _, err) = output(&mut within(&folder, &["reproduce", "./mine"]));
        assert_eq!(code, 2);
        assert!(
            err.contains(&format!("./mine/{place}")) && err.contains(advice),
            "{err}"
        );
    }
}

#[test]
fn what_is_not_the_folder_of_a_paper_is_refused() {
    let folder = mine("paper-none");
    fs::create_dir(folder.join("empty")).expect("ours");
    fs::create_dir(folder.join("other")).expect("ours");
    fs::write(folder.join("other/papr.toml"), "").expect("ours");
    success(&mut within(&folder, &["new", "twin", "--kind", "paper"]));
    change(
        &folder.join("twin/paper.toml"),
        "name     = \"twin\"",
        "name     = \"mine\"",
    );
    let refused = |args: &[&str]| {
        let (code, out, err) = output(&mut within(&folder, &[&["reproduce"], args].concat()));
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        err
    };
    for (args, parts) in [
        (
            &["./empty"][..],
            ["the folder ./empty is empty", "--kind paper"],
        ),
        (&["./other"], ["has no paper.toml", "rename papr.toml"]),
        (
            &["./mien"],
            ["there is no folder ./mien", "did you mean ./mine?"],
        ),
        (&["./mine/fig1.toml"], ["is a file", "such as ./mine"]),
        (
            &["./mine", "./twin"],
            ["`mine` is in ./mine and in ./twin", "change the name"],
        ),
        (
            &["./mine", "mine-fg1"],
            ["`mine-fg1`", "did you mean `mine-fig1`?"],
        ),
        (
            &["./mine", "--out", "mine"],
            ["--out is the folder of a paper", "another folder"],
        ),
        (
            &["venodb", "--record"],
            ["compiled in", "crates/papers/src/venodb --record"],
        ),
        (
            &["./mine", "venodb-fig2", "--record"],
            ["compiled in", "crates/papers/src/venodb"],
        ),
        (
            &["matrix", "--record"],
            ["none is named", "the folder of a paper"],
        ),
    ] {
        let err = refused(args);
        assert!(
            parts.iter().all(|part| err.contains(part)),
            "{args:?}: {err}"
        );
    }
    let stray = folder.join("mine/explord.toml");
    fs::write(&stray, "").expect("ours");
    let err = refused(&["./mine"]);
    assert!(err.contains("explord.toml:1:1"), "{err}");
    fs::remove_file(&stray).expect("ours");
    fs::rename(folder.join("mine/NOTES.md"), folder.join("mine/notes.md")).expect("ours");
    assert!(refused(&["./mine"]).contains("rename it to NOTES.md"));
    fs::write(folder.join("mine/fig1.toml"), b"name = \"a\"\n\xff").expect("ours");
    fs::remove_file(folder.join("mine/notes.md")).expect("ours");
    assert!(refused(&["./mine"]).contains("./mine/fig1.toml:2:1"));
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
