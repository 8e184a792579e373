//! `dumbbell explain`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use serde_json::Value;

use crate::{SAMPLE, dumbbell, file, folder, output, success};

const DOCUMENT: &str = include_str!("../../../../docs/explain.md");

/// Returns the code blocks of a language in a document.
fn blocks<'d>(document: &'d str, kind: &str) -> Vec<&'d str> {
    let start = format!("```{kind}\n");
    document
        .split(&start)
        .skip(1)
        .map(|rest| rest.split("```").next().expect("it ends"))
        .collect()
}

/// Splits a command line into words; quotes keep a word together.
fn words(line: &str) -> Vec<String> {
    let parts: Vec<&str> = line.split('"').collect();
    let mut words = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        if i % 2 == 1 {
            words.push((*part).to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("one object a line"))
        .collect()
}

/// QUIC has no duplicate ACKs: its losses are declared by the numbers and times of packets.
#[test]
fn losses_over_quic_are_not_those_of_duplicate_acks() {
    let text = SAMPLE.replace("venodb", "veno");
    let over_quic = text.replace("recovery = \"newreno\"", "stack = \"quic\"");
    let folder = folder("explain-quic");
    for (text, has, lacks) in [
        (over_quic, "  loss, ACKs  ", "dup ACKs"),
        (text, "  loss, dup ACKs  ", "loss, ACKs"),
    ] {
        let path = file(&folder, &text);
        let told = success(dumbbell().arg("explain").arg(&path));
        assert!(told.contains(has) && !told.contains(lacks), "{told}");
    }
}

/// The examples in the document are exactly the output of the command.
#[test]
fn the_document_shows_what_the_command_writes() {
    let folder = folder("explain-document");
    let scenarios = blocks(DOCUMENT, "toml");
    let files = DOCUMENT.split("<!-- file: ").skip(1);
    let names: Vec<&str> = files
        .map(|rest| rest.split(" -->").next().expect("it ends"))
        .collect();
    assert_eq!((names.len(), scenarios.len()), (2, 2));
    for (name, scenario) in names.into_iter().zip(scenarios) {
        fs::write(folder.join(name), scenario).expect("ours");
    }
    let examples = blocks(DOCUMENT, "text");
    assert_eq!(examples.len(), 3);
    for example in examples {
        let (line, expected) = example.split_once('\n').expect("a command and its output");
        let command = line.strip_prefix("$ dumbbell ").expect("a command");
        let out = success(dumbbell().current_dir(&folder).args(words(command)));
        assert_eq!(out, expected, "{line}");
    }
}

#[test]
fn the_last_line_agrees_with_the_table_of_run() {
    let folder = folder("explain-sum");
    let path = file(&folder, SAMPLE);
    let run = success(
        dumbbell()
            .arg("run")
            .arg(&path)
            .args(["--json", "--seed", "3"]),
    );
    let flow = &lines(&run)[0]["flows"][0];
    let (timeouts, recoveries) = (&flow["timeouts"], &flow["fast_recoveries"]);
    let out = success(dumbbell().arg("explain").arg(&path).args(["--seed", "3"]));
    let told: Vec<&str> = out.lines().collect();
    let [head, events @ .., sum] = &told[..] else {
        panic!("{out}")
    };
    assert!(head.contains("cwnd") && head.ends_with("why"), "{head}");
    let count = |word: &str| events.iter().filter(|line| line.contains(word)).count() as u64;
    assert_eq!(Some(count("  timeout  ")), timeouts.as_u64());
    assert_eq!(Some(count("  loss, dup ACKs  ")), recoveries.as_u64());
    // Each of them reduced the window or its threshold.
    let total = events.len();
    assert!(sum.starts_with(&format!("{total} reductions: ")), "{sum}");
    let branches = sum.split([':', ';', ',']).skip(1);
    let counts = branches.map(|part| part.split_whitespace().next().expect("a count"));
    let counted: usize = counts
        .map(|count| count.parse::<usize>().expect("whole"))
        .sum();
    assert_eq!(counted, total, "{sum}");
    assert!(!out.contains('\u{1b}'), "colours without a terminal");
}

#[test]
fn json_has_its_keys_and_the_same_lines() {
    let folder = folder("explain-json");
    let path = file(&folder, SAMPLE);
    let explain =
        |arguments: &[&str]| success(dumbbell().arg("explain").arg(&path).args(arguments));
    let text = explain(&["--to", "10 s"]);
    let objects = lines(&explain(&["--to", "10 s", "--json"]));
    assert_eq!(objects.len(), text.lines().count() - 2);
    let keys: BTreeSet<&str> = objects[0]
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    let expected = [
        "time_s",
        "until_s",
        "flow",
        "name",
        "control",
        "event",
        "count",
        "kind",
        "in_flight",
        "branch",
        "condition",
        "action",
        "source",
        "cwnd_before",
        "cwnd_after",
        "ssthresh_before",
        "ssthresh_after",
        "rate_before_bps",
        "rate_after_bps",
        "values",
        "values_after",
    ];
    assert_eq!(keys, expected.into());
    for (object, line) in objects.iter().zip(text.lines().skip(1)) {
        let word = |key: &str| object[key].as_str().expect("a word").to_owned();
        let reason = format!(
            "{}: {}, {}; {}",
            word("condition"),
            word("branch"),
            word("action"),
            word("source")
        );
        assert!(line.ends_with(&reason), "{line}");
        assert_eq!(
            (&object["flow"], &object["name"]),
            (&1.into(), &"venodb".into())
        );
        let time = object["time_s"].as_f64().expect("a number");
        assert!(
            line.trim_start().starts_with(&format!("{time:.6} ")),
            "{line}"
        );
    }
    // Growth is included on request.
    let all = lines(&explain(&["--to", "10 s", "--json", "--all"]));
    let kinds: BTreeSet<&str> = all
        .iter()
        .map(|line| line["kind"].as_str().expect("a word"))
        .collect();
    assert_eq!(kinds, ["reduction", "growth", "transition"].into());
    assert!(all.iter().any(|line| line["count"].as_u64() > Some(5)));
}

#[test]
fn help_has_examples_and_explains_how_growth_is_shown() {
    let help = success(dumbbell().args(["explain", "--help"]));
    assert!(help.contains("Examples:\n  dumbbell explain"), "{help}");
    let words: Vec<&str> = help.split_whitespace().collect();
    let help = words.join(" ");
    assert!(help.contains("Consecutive ACKs that a flow handled by the same rule are one line"));
    assert!(help.contains("such as \"12.5 s\""), "{help}");
}

#[test]
fn bad_input_is_explained() {
    let folder = folder("explain-mistakes");
    let text = format!("{SAMPLE}[[flow]]\nsource = {{ cbr = \"100 kb/s\" }}\n");
    let path = file(&folder, &text);
    let cases: [(&[&str], &str); 8] = [
        (
            &["--flow", "3"],
            "there is no flow `3`; the flows are 1 venodb, 2 cbr",
        ),
        (
            &["--flow", "1", "--flow", "vegas"],
            "there is no flow `vegas`",
        ),
        (
            &["--flow", "2"],
            "the flow `cbr` is UDP: it has no congestion window",
        ),
        (
            &["--from", "7 s", "--to", "6.5 s"],
            "--from 7 s is later than --to 6500 ms",
        ),
        (
            &["--to", "2 min"],
            "--to 120 s is after the end of the run, which lasts 100 s",
        ),
        (
            &["--from", "101 s"],
            "--from 101 s is after the end of the run",
        ),
        (
            &["--from", "5"],
            "`5` has no unit (write a number and a unit",
        ),
        (&["--to", "5 Mb"], "an amount of data, not a time"),
    ];
    for (arguments, message) in cases {
        let (code, out, err) = output(dumbbell().arg("explain").arg(&path).args(arguments));
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?} {err}");
        assert!(err.starts_with("error: ") && err.contains(message), "{err}");
    }
    let udp = SAMPLE
        .split("[[flow]]")
        .next()
        .expect("a network")
        .to_owned()
        + "[[flow]]\nsource = { cbr = \"100 kb/s\" }\n";
    let (code, _, err) = output(dumbbell().arg("explain").arg(file(&folder, &udp)));
    assert!(code == 2 && err.contains("no TCP flow"), "{code} {err}");
    let (code, _, err) = output(dumbbell().arg("explain").arg(folder.join("missing.toml")));
    assert!(code == 2 && err.contains("missing.toml"), "{code} {err}");
}

/// `dumbbell explain ... | head -1`, for a run that would take minutes.
#[cfg(unix)]
#[test]
fn a_reader_that_closes_the_pipe_ends_the_run() {
    let folder = folder("explain-head");
    let path = file(&folder, &SAMPLE.replace("100 s", "720 h"));
    let mut child = dumbbell()
        .arg("explain")
        .arg(path)
        .args(["--all", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut first = [0; 100];
    let mut pipe = child.stdout.take().expect("a pipe");
    pipe.read_exact(&mut first).expect("it tells while it runs");
    drop(pipe);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
