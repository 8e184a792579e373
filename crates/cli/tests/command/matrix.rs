//! `dumbbell reproduce matrix`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use dumbbell_control::registry::AnyConfig;
use serde_json::Value;

use crate::{dumbbell, folder, names, success};

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
        assert!(control == "newreno" || list.contains(&format!("\"{control}\"")));
    }
    for known in ["newreno", "reno", "vegas", "venodb", "cubic"] {
        assert!(controls.contains(known), "{known}");
    }
    assert!(paths.contains("overall") && paths.contains("loss-2"));
    assert_eq!(cells.len(), 4 * paths.len() * controls.len());
    for cell in &cells {
        // A control has no cells on paths without routers that report what it needs.
        if cell["mean"].is_null() {
            let control = cell["control"].as_str().and_then(AnyConfig::named);
            assert!(control.is_some_and(|c| c.needs().queueing), "{cell}");
            continue;
        }
        let [mean, low, high] =
            ["mean", "low", "high"].map(|key| cell[key].as_f64().expect("a number"));
        assert!(low <= mean && mean <= high, "{cell}");
        if cell["measure"] == "goodput" && cell["path"] != "overall" {
            assert!(0.0 < mean && mean <= 100.0, "{cell}");
            let kbps = cell["kbps"].as_f64().expect("a number");
            assert!(kbps <= 4807.7, "{cell}");
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
