//! `compare --together` and `compare --beside`.

use std::fs;

use serde_json::Value;

use super::super::folder;
use super::{is_allowed, run, text};

#[test]
fn connections_beside_each_other_have_tables_json_and_a_page() {
    if !is_allowed() {
        return;
    }
    let out = folder("together-out");
    let mixture = "reno*2,cubic,udp:100kb/s";
    let args = [
        "compare",
        "--together",
        mixture,
        "--for",
        "1s",
        "--repeat",
        "2",
        "--out",
        out.to_str().unwrap(),
    ];
    let done = run("together", &args);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    for part in [
        "2 runs of 1 s of each mixture",
        "udp 100 kb/s",
        "Jain",
        // Headings have two lines.
        "% each",
        "lost %",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let page = fs::read_to_string(out.join("compare.html")).unwrap();
    assert!(page.contains("reno x2, cubic, udp 100 kb/s") && page.contains("Jain"));
    let all = fs::read_to_string(out.join("windows-1-1.csv")).unwrap();
    for curve in ["reno (1)", "reno (2)", "cubic (3)"] {
        assert!(all.contains(curve), "{curve}: {all}");
    }
    let found: Value =
        serde_json::from_str(&fs::read_to_string(out.join("compare.json")).unwrap()).unwrap();
    let runs = found["mixtures"][0]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    let kinds = runs[1]["flows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flow| flow["kind"].as_str().unwrap());
    assert_eq!(kinds.collect::<Vec<_>>(), ["tcp", "tcp", "tcp", "udp"]);
    let csv = fs::read_to_string(out.join("runs.csv")).unwrap();
    let fields = csv.lines().next().unwrap().split(',').count();
    // The commas of a mixture's name are quoted.
    let line = csv
        .lines()
        .nth(1)
        .unwrap()
        .replace("\"reno x2, cubic, udp 100 kb/s\"", "mixture");
    assert_eq!(line.split(',').count(), fields, "{line}");
    // Kernel and simulator, 2 runs of 4 flows.
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 4);
}

#[test]
fn what_is_left_to_others_is_told_beside_them() {
    if !is_allowed() {
        return;
    }
    let args = [
        "compare",
        "--controls",
        "cubic,reno",
        "--beside",
        "reno*2",
        "--for",
        "1s",
        "--repeat",
        "1",
        "--json",
    ];
    let done = run("beside", &args);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let found: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(found["reference"], true);
    let labels = found["mixtures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["label"].as_str().unwrap());
    assert_eq!(
        labels.collect::<Vec<_>>(),
        ["reno beside reno x2", "cubic beside reno x2"]
    );
    assert_eq!(found["mixtures"][1]["members"][0], "cubic");
}

#[test]
fn mixtures_that_make_no_sense_are_refused() {
    if !is_allowed() {
        return;
    }
    for (args, part) in [
        (&["--together", "udp:1Mb/s"][..], "add a control"),
        (&["--together", "reno*99"], "1 to 64"),
        (&["--together", "file", "--flow", "1"], "stands alone"),
        (&["--together", "file,reno"], "stands alone"),
        (&["--beside", "udp:1Mb/s"], "give a control"),
        (
            &["--together", "reno", "--controls", "cubic"],
            "cannot be used with",
        ),
        (
            &["--together", "nowhere,reno"],
            "no congestion control `nowhere`",
        ),
    ] {
        let mut all = vec!["compare"];
        all.extend(args);
        let done = run("together-refused", &all);
        assert_eq!(done.status.code(), Some(2), "{args:?}");
        assert!(
            text(&done.stderr).contains(part),
            "{args:?}: {}",
            text(&done.stderr)
        );
    }
}
