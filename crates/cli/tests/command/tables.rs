//! `dumbbell run`: tidy tables, the schema of its results, and what fits a terminal.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{SAMPLE, dumbbell, file, folder, names, output, success};

/// Two groups: three Reno flows with a finite transfer, and the flow of the sample.
const GROUPS: &str = r#"name = "two groups"
duration = "30 s"
warmup = "5 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "10 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 20 }, loss = { bernoulli = 0.01 } }
[[flow]]
name = "short"
control = "reno"
count = 3
size = "100 kB"
[[flow]]
control = "veno"
[[flow]]
source = { cbr = "100 kb/s" }
"#;

/// The output of `dumbbell run` of a file with these options.
fn run(path: &Path, options: &[&str]) -> String {
    success(dumbbell().arg("run").arg(path).args(options))
}

/// The cells of a table as CSV whose names need no quotes.
fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

fn column(table: &[Vec<&str>], name: &str) -> usize {
    let place = table[0].iter().position(|it| *it == name);
    place.unwrap_or_else(|| panic!("no {name} in {:?}", table[0]))
}

#[test]
fn a_row_is_a_run_and_a_group_a_flow_or_a_link() {
    let folder = folder("tables-csv");
    let path = file(&folder, GROUPS);
    let text = run(&path, &["--repeat", "2", "--csv", "-"]);
    let groups = cells(&text);
    let keys: Vec<&[&str]> = groups[1..].iter().map(|row| &row[..4]).collect();
    assert_eq!(
        keys,
        [
            ["1", "short", "3", "reno"],
            ["1", "veno", "1", "veno"],
            ["1", "cbr", "1", "udp"],
            ["2", "short", "3", "reno"],
            ["2", "veno", "1", "veno"],
            ["2", "cbr", "1", "udp"],
        ]
    );
    let (completed, window) = (column(&groups, "completed"), column(&groups, "window"));
    assert_eq!((groups[1][completed], groups[2][completed]), ("3", "0"));
    // A source without a control has no window: the field is empty.
    assert_eq!(groups[3][window], "");
    // What the groups have is the sum of what the flows have.
    let text = run(&path, &["--repeat", "2", "--flows", "--csv", "-"]);
    let flows = cells(&text);
    assert_eq!(flows.len(), 1 + 2 * 5);
    let (group, sent) = (column(&flows, "group"), column(&flows, "sent"));
    let number = |text: &str| text.parse::<u64>().expect("a whole number");
    let of_short = flows[1..6].iter().filter(|row| row[group] == "short");
    let sum: u64 = of_short.map(|row| number(row[sent])).sum();
    assert_eq!(number(groups[1][column(&groups, "sent")]), sum);
    let text = run(&path, &["--links", "--csv", "-"]);
    let links = cells(&text);
    assert_eq!(links[1][..2], ["1", "bottleneck"]);
    assert_eq!(links[0].len(), 26);
}

#[test]
fn the_table_is_the_same_whatever_the_jobs() {
    let folder = folder("tables-jobs");
    let path = file(&folder, GROUPS);
    let one = run(&path, &["--repeat", "6", "--jobs", "1", "--csv", "-"]);
    let four = run(&path, &["--repeat", "6", "--jobs", "4", "--csv", "-"]);
    assert_eq!(one, four);
}

#[test]
fn tables_go_to_files_beside_the_terminal() {
    let folder = folder("tables-files");
    let path = file(&folder, GROUPS);
    let (csv, arrow) = (folder.join("a.csv"), folder.join("a.arrow"));
    let out = success(
        dumbbell()
            .arg("run")
            .arg(&path)
            .arg("--csv")
            .arg(&csv)
            .arg("--arrow")
            .arg(&arrow),
    );
    assert!(
        out.contains("two groups: 30 s simulated, measured from 5 s to 30 s, seed 1"),
        "{out}"
    );
    assert_eq!(names(&folder), ["a.arrow", "a.csv", "my.toml"]);
    let stream = fs::read(&arrow).expect("written");
    // It begins with a message, and ends with the mark of the end.
    assert_eq!(stream[..4], [0xff; 4]);
    assert_eq!(
        stream[stream.len() - 8..],
        [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]
    );
    assert_eq!(
        fs::read_to_string(&csv).expect("written"),
        run(&path, &["--csv", "-"])
    );
}

#[test]
fn outputs_that_cannot_be_are_refused_before_the_run() {
    let folder = folder("tables-refused");
    let path = file(&folder, crate::ENDLESS);
    let taken = folder.join("a.csv");
    let taken = taken.to_str().expect("UTF-8");
    let nowhere = folder.join("nowhere/a.csv");
    let nowhere = nowhere.to_str().expect("UTF-8");
    let cases: [(&[&str], &str); 6] = [
        (
            &["--json", "--csv", "-"],
            "--json and --csv - both print to standard output",
        ),
        (
            &["--csv", taken, "--arrow", taken],
            "two outputs have the same path",
        ),
        (
            &["--csv", taken, "--samples", taken],
            "two outputs have the same path",
        ),
        (
            &["--csv", "-", "--arrow", "-"],
            "two outputs have the same path -",
        ),
        (&["--csv", nowhere], "there is no folder"),
        (&["--flows", "--links"], "cannot be used with"),
    ];
    for (options, words) in cases {
        let (code, _, err) = output(dumbbell().arg("run").arg(&path).args(options));
        assert_eq!(code, 2, "{options:?}: {err}");
        assert!(err.contains(words), "{options:?}: {err}");
    }
    assert_eq!(names(&folder), ["my.toml"]);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_says_how_to_build_it() {
    let folder = folder("tables-parquet");
    let path = file(&folder, SAMPLE);
    for option in ["--parquet", "--samples"] {
        let to = folder.join("a.parquet");
        let (code, _, err) = output(dumbbell().arg("run").arg(&path).arg(option).arg(to));
        assert_eq!(code, 2, "{err}");
        assert!(
            err.contains("cargo build --release --features parquet"),
            "{err}"
        );
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_written() {
    let folder = folder("tables-parquet");
    let path = file(&folder, SAMPLE);
    let to = folder.join("a.parquet");
    let _ = success(dumbbell().arg("run").arg(&path).arg("--parquet").arg(&to));
    let bytes = fs::read(&to).expect("written");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn samples_are_a_table_too() {
    let folder = folder("tables-samples");
    let text = format!("{SAMPLE}[probe]\ninterval = \"1 s\"\nvalues = [\"cwnd\", \"queue\"]\n");
    let path = file(&folder, &text);
    let to = folder.join("windows.arrow");
    let _ = success(
        dumbbell()
            .arg("run")
            .arg(&path)
            .args(["--seed", "7", "--samples"])
            .arg(&to),
    );
    let stream = fs::read(&to).expect("written");
    assert_eq!(stream[..4], [0xff; 4]);
    for word in ["time_s", "subject", "quantity", "cwnd", "bottleneck"] {
        let found = stream.windows(word.len()).any(|it| it == word.as_bytes());
        assert!(found, "no {word}");
    }
}

/// The keys of an object, of its first group, flow and link.
fn all_keys(run: &Value) -> Vec<BTreeSet<String>> {
    let keys = |value: &Value| {
        value
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect()
    };
    vec![
        keys(run),
        keys(&run["groups"][0]),
        keys(&run["flows"][0]),
        keys(&run["links"][0]),
    ]
}

#[test]
fn json_is_what_the_schema_says() {
    let folder = folder("tables-schema");
    let printed = success(dumbbell().args(["schema", "--of", "results"]));
    let schema: Value = serde_json::from_str(&printed).expect("JSON");
    let documented = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results.schema.json");
    assert_eq!(fs::read_to_string(documented).expect("there"), printed);
    assert!(jsonschema::draft7::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let extras = "[tcp]\nclassify = [\"veno\"]\n[variation]\nbin = \"1 s\"\n";
    for text in [SAMPLE, GROUPS, &format!("{SAMPLE}\n{extras}")] {
        let line = run(&file(&folder, text), &["--json"]);
        let found: Value = serde_json::from_str(&line).expect("JSON");
        let wrong: Vec<String> = validator
            .iter_errors(&found)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        // Nothing is printed that the schema does not name.
        let item = |key: &str| schema["properties"][key]["items"].clone();
        let parts = [schema.clone(), item("groups"), item("flows"), item("links")];
        for (keys, part) in all_keys(&found).into_iter().zip(parts) {
            let known = part["properties"].as_object().expect("properties");
            let unknown: Vec<_> = keys
                .iter()
                .filter(|key| !known.contains_key(*key))
                .collect();
            assert!(unknown.is_empty(), "{unknown:?}");
        }
        let mut less = found.clone();
        less["groups"][0]
            .as_object_mut()
            .expect("a group")
            .remove("goodput");
        assert!(!validator.is_valid(&less), "a group needs a goodput");
    }
}

#[test]
fn json_names_the_scenario_and_what_is_measured() {
    let folder = folder("tables-json");
    let path = file(&folder, GROUPS);
    let found: Value = serde_json::from_str(&run(&path, &["--json"])).expect("JSON");
    assert_eq!(found["scenario"], "two groups");
    assert_eq!(found["file"], path.display().to_string());
    assert_eq!(
        found["measured"],
        serde_json::json!({ "from": 5.0, "to": 30.0 })
    );
    let groups = found["groups"].as_array().expect("groups");
    let names: Vec<&Value> = groups.iter().map(|it| &it["group"]).collect();
    assert_eq!(names, ["short", "veno", "cbr"]);
    assert_eq!(groups[0]["flows"], 3);
    assert_eq!(groups[2]["window"], Value::Null);
    assert_eq!(found["jain_all"], groups[0]["jain_all"]);
}

/// Many entries with long names.
fn many() -> String {
    let head = GROUPS.split("[[flow]]").next().expect("a head");
    let flow = |i: usize| {
        format!(
            "[[flow]]\nname = \"a flow with a rather long name, number {i}\"\ncontrol = \"reno\"\n"
        )
    };
    let flows: String = (0..60).map(flow).collect();
    format!("{head}{flows}")
}

#[test]
fn what_is_shown_fits_a_terminal() {
    let folder = folder("tables-terminal");
    let two = SAMPLE.replace("count    = 1", "count    = 2");
    for text in [SAMPLE, GROUPS, &two, &many()] {
        let path = file(&folder, text);
        for options in [&[][..], &["--repeat", "3"]] {
            let out = run(&path, options);
            let widest = out.lines().map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|it| it <= 100), "{out}");
            assert!(
                out.lines().count() <= 40,
                "{} lines:\n{out}",
                out.lines().count()
            );
        }
    }
    let path = file(&folder, &many());
    let short = run(&path, &[]);
    assert!(
        short.contains(" more rows") && short.contains(": --all has all"),
        "{short}"
    );
    let all = run(&path, &["--all"]);
    assert!(
        all.contains("a flow with a rather long name, number 59"),
        "{all}"
    );
}

#[test]
fn the_tables_of_flows_and_of_links_are_shown_alone() {
    let folder = folder("tables-alone");
    let path = file(&folder, GROUPS);
    let groups = run(&path, &[]);
    assert!(
        groups.contains("│ group ") && groups.contains("│ short "),
        "{groups}"
    );
    let flows = run(&path, &["--flows"]);
    assert!(
        flows.contains("short.2") && !flows.contains("bottleneck"),
        "{flows}"
    );
    let links = run(&path, &["--links"]);
    assert!(
        links.contains("bottleneck") && !links.contains("short"),
        "{links}"
    );
}
