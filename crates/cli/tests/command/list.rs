//! `dumbbell list`, and the help.

use dumbbell_control::controller::Origin;
use dumbbell_control::registry;
use serde_json::Value;

use crate::{SAMPLE, dumbbell, file, folder, output, success};

const RECOVERIES: [&str; 5] = ["tahoe", "reno", "newreno", "sack", "vegas"];

/// The names of the controls that are not what was published under their names.
fn reconstructed() -> Vec<&'static str> {
    let made_up = registry::all().filter(|control| control.origin() == Origin::Reconstruction);
    made_up.map(|control| control.name()).collect()
}

#[test]
fn every_name_is_listed() {
    let out = success(dumbbell().arg("list"));
    let first: Vec<_> = out
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .collect();
    for name in registry::NAMES.iter().chain(&RECOVERIES) {
        assert!(first.contains(name), "no {name} in\n{out}");
    }
    for name in [
        "droptail",
        "red",
        "codel",
        "fq =",
        "fq_codel",
        "pie",
        "dualpi2",
        "ack_filter",
        "bernoulli",
        "two_state",
        "gilbert_elliott",
        "cbr",
        "pareto",
    ] {
        assert!(out.contains(name), "no {name} in\n{out}");
    }
    assert!(
        out.lines()
            .all(|line| line.trim_end() == line && !line.ends_with(',')),
        "{out}"
    );
}

#[test]
fn parameters_are_listed_on_request() {
    let (short, long) = (
        success(dumbbell().arg("list")),
        success(dumbbell().args(["list", "--parameters"])),
    );
    assert!(
        !short.contains("beta = 3") && long.contains("beta = 3"),
        "{long}"
    );
}

#[test]
fn reconstructions_are_labelled() {
    let out = success(dumbbell().arg("list"));
    let marked = out
        .lines()
        .filter(|line| line.ends_with(" (reconstructed)"));
    let names: Vec<_> = marked
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names, reconstructed());
    let text = success(dumbbell().args(["list", "--json"]));
    let sections: Value = serde_json::from_str(&text).expect("JSON");
    for entry in sections[0]["entries"].as_array().expect("entries") {
        let name = entry["name"].as_str().expect("a name");
        let origin = match reconstructed().contains(&name) {
            true => "reconstruction",
            false => "published",
        };
        assert_eq!(entry["origin"], origin, "{name}");
    }
    assert_eq!(sections[2]["entries"][0].get("origin"), None);
}

/// Checks tables, explanations and the schema.
#[test]
fn a_reconstruction_is_labelled_wherever_it_is_named() {
    let folder = folder("reconstructions");
    let flows = "control = \"veno+\"\n[[flow]]\ncontrol = \"vegas-a\"\n";
    let path = file(
        &folder,
        &SAMPLE.replace("control  = \"venodb\"\nrecovery = \"newreno\"\n", flows),
    );
    let caveat = "veno+ (reconstructed): made up after what others say of it";
    let table = success(dumbbell().arg("run").arg(&path));
    assert!(table.contains(caveat), "{table}");
    let json = success(dumbbell().args(["run", "--json"]).arg(&path));
    let run: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(run["flows"][0]["reconstructed"], true);
    assert_eq!(run["flows"][1].get("reconstructed"), None);
    let why = success(dumbbell().arg("explain").arg(&path));
    assert!(why.starts_with(caveat), "{why}");
    let why = success(dumbbell().args(["explain", "--flow", "2"]).arg(&path));
    assert!(!why.contains("reconstruct"), "{why}");
    let schema = success(dumbbell().arg("schema"));
    assert!(schema.contains("after VenoDB, section 2.2 (reconstructed)"));
}

#[test]
fn the_json_list_has_the_same_controls() {
    let text = success(dumbbell().args(["list", "--json"]));
    let sections: Value = serde_json::from_str(&text).expect("JSON");
    let names: Vec<_> = sections[0]["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    assert_eq!(names, registry::NAMES);
}

#[test]
fn the_json_list_says_what_a_control_requires_and_what_its_parameters_may_be() {
    let text = success(dumbbell().args(["list", "--json"]));
    let sections: Value = serde_json::from_str(&text).expect("JSON");
    let entries = sections[0]["entries"].as_array().expect("entries");
    let named = |name| entries.iter().find(|entry| entry["name"] == name);
    let (reno, sarbe) = (
        named("reno").expect("there"),
        named("sarbe").expect("there"),
    );
    assert_eq!(reno.get("needs"), None);
    let needs = ["round-trip times", "the receiver's arrival timestamps"];
    assert_eq!(sarbe["needs"], serde_json::json!(needs));
    let parameters = sarbe["parameters"].as_array().expect("parameters");
    let mut settings = parameters.iter().map(|p| (&p["name"], &p["range"]));
    let beta = settings.find(|(name, _)| *name == "beta").expect("there");
    assert_eq!(beta.1, "a number of segments from 0 to 1048576");
}

#[test]
fn every_help_has_examples() {
    for command in [
        "new",
        "run",
        "explain",
        "reproduce",
        "list",
        "schema",
        "kernel",
    ] {
        let help = success(dumbbell().args([command, "--help"]));
        assert!(
            help.contains(&format!("Examples:\n  dumbbell {command}")),
            "{help}"
        );
    }
    let help = success(dumbbell().arg("--help"));
    assert!(help.contains("Examples:\n  dumbbell "), "{help}");
    assert!(help.contains(
        "Exit codes: 0 success, 1 a verdict differs from the record or a stored run is damaged"
    ));
    let version = success(dumbbell().arg("--version"));
    assert_eq!(
        version.trim_end(),
        concat!("dumbbell ", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn without_a_command_the_help_is_shown() {
    let (code, out, err) = output(&mut dumbbell());
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("Usage:") && err.contains("Examples:"), "{err}");
}

#[test]
fn help_is_a_command_with_its_own_help() {
    for (asked, same) in [
        (&["help"][..], &["--help"][..]),
        (&["help", "run"], &["run", "--help"]),
        (&["help", "kernel", "load"], &["kernel", "load", "--help"]),
        (&["kernel", "help", "load"], &["kernel", "load", "--help"]),
        (&["kernel", "help"], &["kernel", "--help"]),
    ] {
        let [asked, same] = [asked, same].map(|words| success(dumbbell().args(words)));
        assert_eq!(asked, same);
    }
    for words in [
        &["help", "--help"][..],
        &["help", "-h"],
        &["kernel", "help", "--help"],
    ] {
        let help = success(dumbbell().args(words));
        assert!(help.contains("dumbbell help reproduce"), "{help}");
    }
    let (code, _, err) = output(dumbbell().args(["help", "explian"]));
    assert!(code == 2 && err.contains("'explain'"), "{code} {err}");
}
