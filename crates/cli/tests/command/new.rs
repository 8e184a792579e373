//! `dumbbell new`.

use std::fs;

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use serde_json::Value;

use crate::{dumbbell, file, folder, names, output, success};

const KINDS: [&str; 18] = [
    "lossy",
    "wireless",
    "cellular",
    "dsl",
    "lte",
    "5g",
    "wifi",
    "leo",
    "geo",
    "plc",
    "datacenter",
    "two-way",
    "fairness",
    "short-transfers",
    "cross-traffic",
    "media",
    "parking-lot",
    "network",
];

fn text(kind: &str) -> String {
    success(dumbbell().args(["new", "--kind", kind]))
}

fn parse(text: &str) -> Scenario {
    Scenario::parse("new.toml", text, &Controls::builtin())
        .unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[test]
fn every_kind_is_a_scenario_that_can_be_written_in_full() {
    for kind in KINDS {
        let scenario = parse(&text(kind));
        assert_eq!(parse(&scenario.canonical()), scenario, "{kind}");
    }
    assert_eq!(success(dumbbell().arg("new")), text("lossy"));
    // Earlier names.
    assert_eq!(text("satellite"), text("geo"));
    assert_eq!(text("power-line"), text("plc"));
}

#[test]
fn every_kind_is_listed_with_its_description() {
    let help = success(dumbbell().args(["new", "--help"]));
    assert!(help.contains("Examples:\n  dumbbell new my.toml"), "{help}");
    let listed: Vec<&str> = help
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- ")?.split_once(": "))
        .map(|(kind, meaning)| {
            assert!(meaning.trim().len() > 20, "{kind} is hardly explained");
            kind
        })
        .collect();
    assert_eq!(listed, [&KINDS[..], &["paper", "control"]].concat());
}

#[test]
fn every_line_is_commented() {
    for kind in KINDS {
        let mut before = "";
        for line in text(kind).lines() {
            let said = line.contains("# ") || before.starts_with("# ");
            assert!(said || !line.contains('='), "{kind}: {line}");
            assert!(line.chars().count() <= 100, "{kind}: {line}");
            before = line;
        }
        // Short enough to read.
        assert!(text(kind).lines().count() <= 55, "{kind}");
    }
}

#[test]
fn every_kind_runs_and_every_flow_has_goodput() {
    for kind in KINDS {
        let folder = folder(&format!("new-{kind}"));
        let path = file(&folder, &text(kind));
        let json = success(
            dumbbell()
                .arg("run")
                .arg(path)
                .args(["--json", "--seed", "3"]),
        );
        let run: Value = serde_json::from_str(&json).expect("JSON");
        let flows = run["flows"].as_array().expect("flows");
        for flow in flows {
            // 10 kb/s is far below the intended goodput of any of these flows.
            let goodput = flow["goodput_bps"].as_f64().expect("a number");
            assert!(goodput > 10e3, "{kind}: {flow}");
        }
        // In a useful scenario, links are neither idle nor overloaded beyond use.
        let links = run["links"].as_array().expect("links");
        let busiest = links.iter().filter_map(|link| link["utilisation"].as_f64());
        let busiest = busiest.fold(0.0, f64::max);
        assert!((0.05..=1.0).contains(&busiest), "{kind}: {busiest}");
    }
}

#[test]
fn a_file_is_written_and_the_next_command_is_shown() {
    let folder = folder("new-file");
    let path = folder.join("my.toml");
    let out = success(
        dumbbell()
            .arg("new")
            .arg(&path)
            .args(["--kind", "fairness"]),
    );
    assert_eq!(
        fs::read_to_string(&path).expect("written"),
        text("fairness")
    );
    assert_eq!(names(&folder), ["my.toml"]);
    let told = out
        .lines()
        .find_map(|line| line.strip_prefix("try: "))
        .expect("told");
    assert_eq!(told.trim(), format!("dumbbell run {}", path.display()));
    // The name is quoted for the shell.
    let spaced = folder.join("my own.toml");
    let out = success(dumbbell().arg("new").arg(&spaced));
    assert!(
        out.ends_with(&format!("dumbbell run '{}'\n", spaced.display())),
        "{out}"
    );
}

#[test]
fn a_file_is_replaced_only_with_force() {
    let folder = folder("new-force");
    let path = file(&folder, "mine");
    let (code, out, err) = output(dumbbell().arg("new").arg(&path));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.contains("already exists") && err.contains("--force"),
        "{err}"
    );
    assert_eq!(fs::read_to_string(&path).expect("there"), "mine");
    let _ = success(dumbbell().arg("new").arg(&path).arg("--force"));
    assert_eq!(fs::read_to_string(&path).expect("there"), text("lossy"));
    assert_eq!(names(&folder), ["my.toml"]);
}

#[test]
fn a_missing_folder_and_an_unknown_kind_are_refused() {
    let folder = folder("new-nowhere");
    let (code, _, err) = output(dumbbell().arg("new").arg(folder.join("not/my.toml")));
    assert_eq!(code, 2);
    assert!(err.contains("there is no folder"), "{err}");
    let (code, _, err) = output(dumbbell().arg("new").arg("--force").arg(&folder));
    assert_eq!(code, 2);
    assert!(err.contains("it is a folder"), "{err}");
    let (code, _, err) = output(dumbbell().args(["new", "--kind", "celular"]));
    assert_eq!(code, 2);
    assert!(err.contains("cellular"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_dangling_link_is_not_replaced() {
    let folder = folder("new-link");
    let path = folder.join("my.toml");
    std::os::unix::fs::symlink(folder.join("gone.toml"), &path).expect("ours");
    let (code, _, err) = output(dumbbell().arg("new").arg(&path));
    assert_eq!(code, 2);
    assert!(err.contains("already exists"), "{err}");
}

#[test]
fn the_folder_of_a_paper_has_a_comment_on_every_line() {
    let folder = folder("new-paper");
    let path = folder.join("My Paper, 2");
    let out = success(dumbbell().arg("new").arg(&path).args(["--kind", "paper"]));
    assert!(
        out.ends_with(&format!("dumbbell reproduce '{}'\n", path.display())),
        "{out}"
    );
    let files = [
        "NOTES.md",
        "explored.toml",
        "fig1.toml",
        "loss.scenario.toml",
        "paper.toml",
    ];
    assert_eq!(names(&path), files);
    for file in files.iter().filter(|file| file.ends_with(".toml")) {
        let text = fs::read_to_string(path.join(file)).expect("written");
        let mut before = "";
        for line in text.lines() {
            let said = line.contains("# ") || before.starts_with("# ");
            assert!(said || !line.contains('='), "{file}: {line}");
            assert!(line.chars().count() <= 115, "{file}: {line}");
            before = line;
        }
        assert!(!text.contains("{name}"), "{file}");
    }
    let text = fs::read_to_string(path.join("fig1.toml")).expect("written");
    assert!(text.contains("name   = \"my-paper-2-fig1\""), "{text}");
    // A name in this folder is told as a path, because it would be taken for a name.
    let mut command = dumbbell();
    command
        .current_dir(&folder)
        .args(["new", "mine", "--kind", "paper"]);
    assert!(success(&mut command).ends_with("dumbbell reproduce ./mine\n"));
}

#[test]
fn a_folder_is_written_as_a_whole_or_not_at_all() {
    let folder = folder("new-whole");
    let new = |path: &str, more: &[&str]| {
        let mut command = dumbbell();
        command
            .current_dir(&folder)
            .args(["new", path, "--kind", "paper"]);
        output(command.args(more))
    };
    fs::create_dir(folder.join("mine")).expect("ours");
    assert_eq!(new("mine", &[]).0, 0, "an empty folder is used");
    let own = folder.join("mine/fig1.toml");
    fs::write(&own, "mine").expect("ours");
    let (code, _, err) = new("mine", &[]);
    assert_eq!(code, 2);
    assert!(
        err.contains("not empty") && err.contains("--force"),
        "{err}"
    );
    assert_eq!(fs::read_to_string(&own).expect("there"), "mine");
    fs::write(folder.join("mine/other.txt"), "kept").expect("ours");
    assert_eq!(new("mine", &["--force"]).0, 0);
    assert_ne!(fs::read_to_string(&own).expect("there"), "mine");
    assert!(folder.join("mine/other.txt").exists());
    // One of the files cannot be written, so none is.
    fs::write(&own, "mine").expect("ours");
    fs::remove_file(folder.join("mine/NOTES.md")).expect("ours");
    fs::create_dir(folder.join("mine/NOTES.md")).expect("ours");
    let (code, _, err) = new("mine", &["--force"]);
    assert_eq!(code, 2);
    assert!(err.contains("NOTES.md: it is a folder"), "{err}");
    assert_eq!(fs::read_to_string(&own).expect("there"), "mine");
    assert!(
        names(&folder.join("mine"))
            .iter()
            .all(|name| !name.contains("unfinished"))
    );
    fs::write(folder.join("file"), "").expect("ours");
    let (code, _, err) = new("file", &[]);
    assert_eq!(code, 2);
    assert!(err.contains("it is a file"), "{err}");
    let (code, _, err) = new("file/below", &[]);
    assert_eq!(code, 2);
    assert!(err.contains("cannot write"), "{err}");
    let (code, _, err) = output(dumbbell().args(["new", "--kind", "paper"]));
    assert_eq!(code, 2);
    assert!(err.contains("name the folder"), "{err}");
    assert_eq!(names(&folder), ["file", "mine"]);
}

#[test]
fn a_control_is_a_crate_that_is_written_as_a_whole_or_not_at_all() {
    let folder = folder("new-control");
    let new = |path: &str, more: &[&str]| {
        let mut command = dumbbell();
        command
            .current_dir(&folder)
            .args(["new", "--kind", "control", path]);
        output(command.args(more))
    };
    let (code, out, err) = new("my-own", &[]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("cargo run --release -- run my.toml"), "{out}");
    let files = [
        ".gitignore",
        "Cargo.lock",
        "Cargo.toml",
        "README.md",
        "my.toml",
        "src",
        "tests",
    ];
    assert_eq!(names(&folder.join("my-own")), files);
    for (path, more, why) in [
        ("my-own", &[][..], "the folder is not empty"),
        ("veno", &[], "there already is a control with this name"),
        (
            "other",
            &["--source", "/nowhere"],
            "--source /nowhere: it is not the folder",
        ),
    ] {
        let (code, _, err) = new(path, more);
        assert_eq!(code, 2, "{path}: {err}");
        assert!(err.contains(why), "{path}: {err}");
    }
    assert_eq!(names(&folder), ["my-own"]);
    let (code, _, err) = output(dumbbell().args(["new", "--source", "."]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--source is for `--kind control`"), "{err}");
    let (code, _, err) = output(dumbbell().args(["new", "--kind", "control"]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("name the folder"), "{err}");
}
