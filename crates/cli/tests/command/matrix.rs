//! `dumbbell reproduce matrix`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;

use dumbbell_control::registry::AnyConfig;
use serde_json::Value;

use crate::{dumbbell, folder, names, output, success};

fn reproduce(folder: &Path, arguments: &[&str]) -> String {
    success(
        dumbbell()
            .args(["reproduce", "matrix", "--quick"])
            .args(arguments)
            .arg("--out")
            .arg(folder),
    )
}

/// A folder with all runs, and the output of the command for machines.
static MATRIX: LazyLock<(PathBuf, String)> = LazyLock::new(|| {
    let folder = folder("matrix");
    let text = reproduce(&folder, &["--json"]);
    (folder, text)
});

#[test]
fn every_control_has_cells() {
    let (_, text) = &*MATRIX;
    let cells: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    let all = |key: &str| -> BTreeSet<String> {
        let text = |cell: &Value| cell[key].as_str().expect("a text").to_owned();
        cells.iter().map(text).collect()
    };
    let (paths, controls) = (all("path"), all("control"));
    let list = success(dumbbell().args(["list", "--json"]));
    for control in &controls {
        let name = control.strip_suffix("-stack-linux").unwrap_or(control);
        assert!(name == "newreno" || list.contains(&format!("\"{name}\"")));
    }
    for known in [
        "newreno",
        "reno",
        "vegas",
        "venodb",
        "cubic",
        "bbr-stack-linux",
        "dctcp-stack-linux",
        "prague-stack-linux",
    ] {
        assert!(controls.contains(known), "{known}");
    }
    assert!(paths.contains("overall") && paths.contains("loss-2"));
    assert_eq!(cells.len(), 4 * paths.len() * controls.len());
    for cell in &cells {
        // A control has no cells on paths without routers that report what it needs, or without queues that mark.
        if cell["mean"].is_null() {
            let name = cell["control"].as_str().expect("a text");
            let control = AnyConfig::named(name.strip_suffix("-stack-linux").unwrap_or(name));
            let needs = control.expect("it is built in").needs();
            assert!(needs.queueing || needs.marks, "{cell}");
            continue;
        }
        let [mean, low, high] =
            ["mean", "low", "high"].map(|key| cell[key].as_f64().expect("a number"));
        assert!(low <= mean && mean <= high, "{cell}");
        if cell["measure"] == "goodput" && cell["path"] != "overall" {
            assert!(0.0 < mean && mean <= 100.0, "{cell}");
            let kbps = cell["kbps"].as_f64().expect("a number");
            // 1448 of 1500 bytes, at 20 Mb/s.
            assert!(kbps <= 19_306.7, "{cell}");
        }
        if cell["measure"] == "fairness" && cell["path"] != "overall" {
            assert!(0.0 < mean && mean <= 1.0, "{cell}");
        }
        if cell["control"] == "newreno" && cell["measure"] == "friendliness" {
            assert_eq!((mean, &cell["mark"]), (1.0, &Value::Null), "{cell}");
        }
    }
    // A path with a worst also has a best, and the best has the better mean.
    for measure in ["goodput", "fairness", "friendliness", "delay"] {
        for path in &paths {
            let marked = |mark: &str| -> Vec<f64> {
                let these = cells.iter().filter(|cell| {
                    cell["measure"] == measure && cell["path"] == **path && cell["mark"] == mark
                });
                these.filter_map(|cell| cell["mean"].as_f64()).collect()
            };
            let (best, worst) = (marked("best"), marked("worst"));
            assert_eq!(best.is_empty(), worst.is_empty(), "{measure} {path}");
            for (b, w) in best.iter().flat_map(|b| worst.iter().map(move |w| (b, w))) {
                assert!(if measure == "delay" { b < w } else { b > w });
            }
        }
    }
    assert!(cells.iter().any(|cell| cell["mark"] == "best"));
}

#[test]
fn tables_fit_a_window_files_are_complete_and_no_run_is_simulated_twice() {
    let (folder, _) = &*MATRIX;
    let text = reproduce(folder, &[]);
    for part in ["2 % loss", "late start", "overall", "venodb", "▲", "▼"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let widest = text.lines().filter(|line| !line.contains("report:"));
    let widest = widest.map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|widest| widest <= 100), "{widest:?}");
    let files = names(folder);
    for file in [
        "matrix.csv",
        "matrix.runs.csv",
        "matrix-overall.csv",
        "matrix-overall.svg",
        "matrix-two-rtts.svg",
        "report.html",
        "scenarios",
    ] {
        assert!(files.iter().any(|known| known == file), "{file}: {files:?}");
    }
    let runs = fs::read_to_string(folder.join("matrix.runs.csv")).expect("it was written");
    let line = runs
        .lines()
        .find(|line| line.starts_with("loss-2,venodb,newreno,1,"))
        .expect("VenoDB's first run");
    let kbps: f64 = line
        .split(',')
        .nth(4)
        .and_then(|field| field.parse().ok())
        .expect("its goodput");
    // The run of a cell can be repeated alone.
    let file = folder.join("scenarios/matrix/loss-2-venodb-flows.toml");
    let alone = success(dumbbell().arg("run").arg(&file).arg("--json"));
    let alone: Value = serde_json::from_str(&alone).expect("JSON");
    let bps = alone["flows"][0]["goodput_bps"].as_f64().expect("a number");
    assert!((bps / 1e3 - kbps).abs() < 1e-6, "{bps} {kbps}");
    // No run is simulated twice, and the number of jobs does not affect the results.
    let again = reproduce(folder, &["--jobs", "1"]);
    assert!(again.contains(": 0 simulated,"), "{again}");
    let (tables, _) = text.split_once(" runs in ").expect("a summary");
    // The number of runs is the last word of the output.
    assert!(again.starts_with(tables), "{again}");
}

/// `dumbbell matrix` in a folder with scenarios to start from.
fn own(folder: &Path, args: &[&str]) -> (i32, String, String) {
    output(dumbbell().current_dir(folder).arg("matrix").args(args))
}

fn with_scenarios(name: &str, kinds: &[&str]) -> PathBuf {
    let folder = folder(name);
    for kind in kinds {
        let file = folder.join(format!("{kind}.toml"));
        success(dumbbell().arg("new").arg(file).args(["--kind", kind]));
    }
    folder
}

#[test]
fn chosen_controls_are_compared_on_paths_of_ones_own() {
    let folder = with_scenarios("matrix-own", &["lossy", "fairness"]);
    let args = [
        "--controls",
        "veno,veno:beta=9,veno:recovery=sack",
        "--paths",
        "lossy.toml,fairness.toml",
        "--repeat",
        "2",
    ];
    let (code, text, err) = own(&folder, &[&args[..], &["--json"]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    let cells: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    let all = |key: &str| -> BTreeSet<&str> {
        let text = cells.iter().filter_map(|cell| cell[key].as_str());
        text.collect()
    };
    let controls = ["newreno", "veno", "veno-beta-9", "veno-recovery-sack"];
    assert_eq!(all("control"), BTreeSet::from(controls));
    assert_eq!(
        all("path"),
        BTreeSet::from(["fairness", "lossy", "overall"])
    );
    assert_eq!(cells.len(), 4 * 3 * 4);
    assert!(
        cells
            .iter()
            .all(|cell| cell["runs"] == 2 && !cell["mean"].is_null())
    );
    let recovery = |control: &str| {
        let cell = cells.iter().find(|cell| cell["control"] == control);
        cell.expect("it is there")["recovery"].clone()
    };
    assert_eq!(recovery("veno-recovery-sack"), "sack");
    // The parameter and the controls are in the scenarios, which give the same alone.
    let out = folder.join("out");
    let file = out.join("scenarios/matrix/lossy-veno-beta-9-flows.toml");
    assert!(
        fs::read_to_string(&file)
            .expect("written")
            .contains("beta = 9")
    );
    let mixed = out.join("scenarios/matrix/fairness-veno-mixed.toml");
    let mixed = fs::read_to_string(mixed).expect("written");
    assert!(
        mixed.contains("veno") && mixed.contains("newreno"),
        "{mixed}"
    );
    assert!(
        !mixed.contains("cubic"),
        "the scenario's own controls are replaced"
    );
    let runs = fs::read_to_string(out.join("matrix.runs.csv")).expect("it was written");
    let line = runs
        .lines()
        .find(|line| line.starts_with("lossy,veno-beta-9,"));
    let kbps: f64 = line
        .and_then(|line| line.split(',').nth(4)?.parse().ok())
        .expect("its goodput");
    let alone = success(dumbbell().arg("run").arg(&file).arg("--json"));
    let alone: Value = serde_json::from_str(&alone).expect("JSON");
    let bps = alone["flows"][0]["goodput_bps"].as_f64().expect("a number");
    assert!((bps / 1e3 - kbps).abs() < 1e-6, "{bps} {kbps}");
    // Nothing is simulated twice, and the page says how to repeat it.
    let (code, text, _) = own(&folder, &args);
    assert_eq!(code, 0);
    assert!(
        text.contains(": 0 simulated,") && text.contains("veno-beta-9"),
        "{text}"
    );
    let page = fs::read_to_string(out.join("report.html")).expect("it was written");
    let command = "dumbbell matrix --controls veno,veno:beta=9,veno:recovery=sack --paths";
    assert!(page.contains(command));
    assert!(!page.contains("paths of the papers"), "they are not");
}

#[test]
fn a_path_that_the_matrix_cannot_use_says_why_and_a_description_names_its_links() {
    let folder = with_scenarios("matrix-links", &["network", "two-way", "media"]);
    let (code, _, err) = own(&folder, &["--paths", "network.toml"]);
    assert_eq!(code, 2);
    for part in [
        "network.toml:7:3",
        "a graph requires `links`",
        "flows = \"network.toml\"",
    ] {
        assert!(err.contains(part), "{err}");
    }
    let (code, _, err) = own(&folder, &["--paths", "two-way.toml"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("two-way.toml:") && err.contains("same direction"),
        "{err}"
    );
    let only = "duration = \"1 s\"\n[dumbbell]\naccess = { rate = \"1 Mb/s\", delay = \"1 ms\" }\n\
                bottleneck = { rate = \"1 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 } }\n\
                [[flow]]\nsource = { cbr = \"1 kb/s\" }\n";
    fs::write(folder.join("udp.toml"), only).expect("ours");
    let (code, _, err) = own(&folder, &["--paths", "udp.toml"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("udp.toml:5:") && err.contains("there is no TCP flow"),
        "{err}"
    );
    let paths = "repeat = 1\nquick = 1\n[[path]]\nname = \"mine\"\nlabel = \"my network\"\n\
                 about = \"It.\"\nflows = \"network.toml\"\nlinks = [\"down\"]\n";
    fs::write(folder.join("paths.toml"), paths).expect("ours");
    let run = [
        "--controls",
        "veno",
        "--paths",
        "paths.toml,media.toml",
        "--json",
    ];
    let (code, text, err) = own(&folder, &run);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        text.contains("\"path\":\"mine\"") && text.contains("\"path\":\"media\""),
        "{text}"
    );
    fs::write(
        folder.join("paths.toml"),
        paths.replace("\"down\"", "\"dwn\""),
    )
    .expect("ours");
    let (code, _, err) = own(&folder, &run);
    assert_eq!(code, 2);
    assert!(
        err.contains("paths.toml:8:9") && err.contains("near-edge"),
        "{err}"
    );
}

#[test]
fn mistakes_in_controls_and_paths_are_found_before_anything_runs() {
    let folder = with_scenarios("matrix-mistakes", &["lossy"]);
    fs::create_dir(folder.join("other")).expect("ours");
    fs::copy(folder.join("lossy.toml"), folder.join("other/lossy.toml")).expect("ours");
    let text = fs::read_to_string(folder.join("lossy.toml")).expect("written");
    fs::write(folder.join("bad.toml"), text.replace("duration", "duraton")).expect("ours");
    for (args, parts) in [
        (
            ["--controls", "vno"],
            ["there is no control `vno`", "did you mean `veno`?"],
        ),
        (
            ["--controls", "veno:bta=4"],
            ["no parameter `bta`", "did you mean `beta`?"],
        ),
        (
            ["--controls", "veno:beta=x"],
            ["`beta` must be a number", "a number"],
        ),
        (
            ["--controls", "veno:recovery=sak"],
            ["no recovery `sak`", "did you mean `sack`?"],
        ),
        (["--controls", "veno:9"], ["`9` in `veno:9`", "veno:beta=4"]),
        (["--controls", "veno,veno"], ["`veno` is there twice", ""]),
        (
            ["--controls", "veno:beta=4,veno:beta=4.0"],
            [
                "`veno:beta=4.0` is there twice",
                "`veno:beta=4` is the same",
            ],
        ),
        (
            ["--controls", "reno:recovery=newreno"],
            ["is there twice", "`newreno` is the same"],
        ),
        (["--controls", ","], ["a name is missing", "veno,cubic"]),
        (
            ["--controls", "veno,,cubic"],
            ["a name is missing", "veno,cubic"],
        ),
        (
            ["--controls", "rovegas"],
            ["runs on none of the paths", "waiting times"],
        ),
        (
            ["--paths", "lossy.toml,other/lossy.toml"],
            ["two paths are called lossy", "rename"],
        ),
        (
            ["--paths", "none.toml"],
            ["error: cannot read none.toml", "No such file"],
        ),
        (
            ["--paths", "bad.toml"],
            ["bad.toml:3:1", "did you mean `duration`?"],
        ),
        (["--repeat", "0"], ["--repeat", "1..="]),
    ] {
        let paths = ["--paths", "lossy.toml"];
        let paths = if args[0] == "--paths" {
            &[][..]
        } else {
            &paths[..]
        };
        let (code, out, err) = own(&folder, &[paths, &args].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(
            parts.iter().all(|part| err.contains(part)),
            "{args:?}: {err}"
        );
        assert_eq!(err.matches("error:").count(), 1, "{args:?}: {err}");
    }
    assert!(!folder.join("out").exists(), "something ran");
}

#[test]
fn a_path_may_come_from_standard_input() {
    let folder = with_scenarios("matrix-input", &["lossy"]);
    let run = |path: &str, input: Stdio| {
        let mut command = dumbbell();
        let command = command.current_dir(&folder).stdin(input).arg("matrix");
        let args = ["--controls", "veno", "--repeat", "1", "--json"];
        success(command.args(args).args(["--paths", path]))
    };
    let by_name = run("lossy.toml", Stdio::null());
    let text = fs::File::open(folder.join("lossy.toml")).expect("written");
    let by_input = run("-", text.into());
    assert!(by_input.contains("\"path\":\"input\""), "{by_input}");
    let renamed = by_input.replace("\"input\"", "\"lossy\"");
    assert_eq!(renamed.replace("(standard input)", "lossy.toml"), by_name);
}
