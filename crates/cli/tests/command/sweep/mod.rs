//! `dumbbell sweep`, and `--set`.

mod set;
#[cfg(unix)]
mod survival;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{dumbbell, file, folder, names, output, success};

const SWEEP: &str = r#"duration = "2 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "1 ms" }
bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 } }
[[flow]]
name = "main"
control = "veno"
[sweep]
grid = { "bottleneck.loss.bernoulli" = [0.001, 0.05], "flow.main.control" = ["reno", "veno", "cubic"] }
repeat = 4
"#;

/// The command, in a folder.
fn sweep(folder: &Path) -> Command {
    let mut command = dumbbell();
    command.arg("sweep").arg("my.toml").current_dir(folder);
    command
}

#[test]
fn a_sweep_is_one_file_and_one_command() {
    let folder = folder("sweep");
    file(&folder, SWEEP);
    let shown = success(&mut sweep(&folder));
    assert!(
        shown.starts_with("my: 6 points, 4 runs each, 24 in all\n"),
        "{shown}"
    );
    for row in ["reno", "veno", "cubic", "0.05", "±"] {
        assert!(shown.contains(row), "{shown}");
    }
    assert!(shown.contains("24 computed, 0 from the store"), "{shown}");
    assert!(shown.lines().count() <= 40, "{shown}");
    assert!(
        shown.lines().all(|line| line.chars().count() <= 100),
        "{shown}"
    );
    // The store is named after the file, and nothing is run twice.
    assert!(folder.join("my.sqlite").is_file());
    let again = success(sweep(&folder).args(["--csv", "a.csv", "--page", "a.html"]));
    assert!(again.contains("0 computed, 24 from the store"), "{again}");
    let table = fs::read_to_string(folder.join("a.csv")).expect("it is written");
    assert_eq!(table.lines().count(), 25);
    let head =
        "bottleneck.loss.bernoulli,flow.main.control,seed,group,flows,control,recovery,goodput";
    assert!(table.starts_with(head), "{table}");
    assert!(
        table
            .lines()
            .nth(1)
            .is_some_and(|row| row.starts_with("0.001,reno,1,main,1,reno,"))
    );
    let page = fs::read_to_string(folder.join("a.html")).expect("it is written");
    assert!(page.contains("<script"), "a page with figures");
    for part in [
        "<code>bottleneck.loss.bernoulli</code>",
        "<code>flow.main.control</code>",
        "\"main\"",
    ] {
        assert!(page.contains(part), "no {part} in the page");
    }
    // The page may go to standard output, and nothing else does then.
    let printed = success(sweep(&folder).args(["--page", "-"]));
    assert!(
        printed == page,
        "not the page: {}",
        printed.lines().next().unwrap_or_default()
    );
    assert!(!folder.join("-").exists());
    for (other, both) in [("--csv", &["--csv", "-"][..]), ("--json", &["--json"])] {
        let (code, out, err) = output(sweep(&folder).args(["--page", "-"]).args(both));
        assert_eq!((code, out.as_str()), (2, ""), "{other}: {err}");
        assert!(
            err.contains("both print to standard output") && err.contains(other),
            "{err}"
        );
    }
}

#[test]
fn a_longer_axis_and_more_runs_take_only_what_is_missing() {
    let folder = folder("sweep-longer");
    file(&folder, SWEEP);
    success(&mut sweep(&folder));
    let more = ["--set", "sweep.repeat=5", "--set", "name=other"];
    let shown = success(sweep(&folder).args(more));
    assert!(
        shown.starts_with("other: 6 points") && shown.contains("6 computed, 24 from"),
        "{shown}"
    );
    file(
        &folder,
        &SWEEP.replace("[0.001, 0.05]", "[0.05, 0.02, 0.001]"),
    );
    let shown = success(&mut sweep(&folder));
    assert!(shown.contains("12 computed, 24 from the store"), "{shown}");
    let apart = success(sweep(&folder).args(["--no-store", "--json", "--runs"]));
    assert_eq!(apart.lines().count(), 36);
}

#[test]
fn a_dry_run_says_how_much_there_is_to_do() {
    let folder = folder("sweep-dry");
    file(&folder, SWEEP);
    let shown = success(sweep(&folder).arg("--dry-run"));
    for words in [
        "24 in all",
        "0 of them are stored in my.sqlite",
        "24 runs to run: about",
    ] {
        assert!(shown.contains(words), "{shown}");
    }
    // It writes nothing.
    assert_eq!(names(&folder), ["my.toml"]);
    success(sweep(&folder).args(["--set", "sweep.repeat=3"]));
    let before = fs::read(folder.join("my.sqlite")).expect("a store");
    let shown = success(sweep(&folder).args(["--dry-run", "--json"]));
    let found: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(
        (found["runs"].as_u64(), found["stored"].as_u64()),
        (Some(24), Some(18))
    );
    let after = fs::read(folder.join("my.sqlite")).expect("a store");
    assert!(before == after, "a dry run changed the store");
    success(&mut sweep(&folder));
    let shown = success(sweep(&folder).arg("--dry-run"));
    assert!(shown.contains("nothing is left to run"), "{shown}");
}

#[test]
fn a_sweep_until_an_interval_is_narrow_says_so() {
    let folder = folder("sweep-until");
    let until = "until = { measure = \"goodput\", interval = \"5 %\", at_least = 3, at_most = 30 }";
    file(&folder, &SWEEP.replace("repeat = 4", until));
    let shown = success(&mut sweep(&folder));
    success(sweep(&folder).args(["--csv", "a.csv"]));
    let table = fs::read_to_string(folder.join("a.csv")).expect("it is written");
    let (narrow, rest) = narrow_points(&table);
    assert!(
        narrow > 0 && rest > 0,
        "the test needs both: {narrow} and {rest}"
    );
    let words = format!("goodput is known to ± 5 % in {narrow} of 6 points, after ");
    assert!(shown.contains(&words), "{shown}");
    assert_eq!(shown.matches("  not with ").count(), rest, "{shown}");
    assert!(
        shown.starts_with("my: 6 points, 3 to 30 runs each\n"),
        "{shown}"
    );
    let again = success(&mut sweep(&folder));
    assert!(again.contains(" 0 computed"), "{again}");
    // The percentage is shown as it is written.
    let seven =
        "sweep.until={ measure = \"goodput\", interval = \"7 %\", at_least = 3, at_most = 30 }";
    let shown = success(sweep(&folder).args(["--set", seven]));
    assert!(shown.contains("goodput is known to ± 7 % in "), "{shown}");
}

/// How many points of the table have a mean goodput that is known to ± 5 %, and how many do not although
/// they have 30 runs, computed from the table alone.
fn narrow_points(table: &str) -> (usize, usize) {
    let mut points: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut lines = table.lines();
    let head = lines.next().expect("a head");
    let goodput = head.split(',').position(|name| name == "goodput");
    for line in lines {
        let cut = line.match_indices(',').nth(1).expect("two swept values").0;
        let value = line.split(',').nth(goodput.expect("a column"));
        let value = value.and_then(|it| it.parse().ok()).expect("a number");
        points.entry(&line[..cut]).or_default().push(value);
    }
    let is_narrow = |values: &Vec<f64>| {
        let runs = values.len() as f64;
        let mean = values.iter().sum::<f64>() / runs;
        let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
        // Student's factor for 30 runs; fewer runs were enough by themselves.
        let half = 2.045 * (squares / (runs - 1.0) / runs).sqrt();
        values.len() < 30 || half <= 0.05 * mean
    };
    let narrow = points.values().filter(|values| is_narrow(values)).count();
    (narrow, points.len() - narrow)
}

#[test]
fn a_measure_without_values_is_not_known() {
    let folder = folder("sweep-without");
    let until =
        "until = { measure = \"completion\", interval = \"5 %\", at_least = 3, at_most = 30 }";
    file(&folder, &SWEEP.replace("repeat = 4", until));
    let shown = success(&mut sweep(&folder));
    let sentence =
        "no value of completion in any of 6 points, after 3 runs each (at_least): the interval";
    assert!(shown.contains(sentence), "{shown}");
    assert!(!shown.contains("is known to"), "{shown}");
    let (code, out, err) = output(sweep(&folder).args(["--csv", "-"]));
    assert_eq!((code, out.lines().count()), (0, 19));
    assert!(err.contains(sentence), "{err}");
    // The flow has the group in one of the points.
    let group = [
        "--set",
        "flow.main.size=2 kB",
        "--set",
        "sweep.until.group=a",
    ];
    let grid = "grid = { \"flow.main.group\" = [\"a\", \"b\"] }";
    let lines = SWEEP.replace("repeat = 4", until);
    let lines = lines.lines().map(|line| match line.starts_with("grid") {
        true => grid,
        false => line,
    });
    file(&folder, &lines.collect::<Vec<_>>().join("\n"));
    let shown = success(sweep(&folder).args(group));
    for words in [
        "completion of a is known to ± 5 % in 1 of 2 points, after 3 runs each\n",
        "no value of completion of a in 1 point, after 3 runs each",
        "\n  with flow.main.group = b\n",
    ] {
        assert!(shown.contains(words), "no {words} in\n{shown}");
    }
}

#[test]
fn a_mean_says_of_how_many_runs_it_is() {
    let folder = folder("sweep-counts");
    file(&folder, SWEEP);
    // All means are of four runs.
    let shown = success(&mut sweep(&folder));
    assert!(!shown.contains(" runs  "), "{shown}");
    // Some of these transfers do not end in time.
    let lossy = ["--set", "flow.main.size=40 kB", "--set", "sweep.repeat=12"];
    let losses = "sweep.grid.\"bottleneck.loss.bernoulli\"=[0, 0.15]";
    let shown = success(sweep(&folder).args(lossy).args(["--set", losses]));
    let head = shown.lines().find(|line| line.contains("goodput"));
    assert!(head.is_some_and(|head| head.contains(" runs ")), "{shown}");
    assert!(
        shown.contains("\nmeans of fewer runs (") && shown.contains(" of 12): completion\n"),
        "{shown}"
    );
}

#[test]
fn an_interval_that_stays_wide_without_axes_has_a_sentence() {
    let folder = folder("sweep-wide");
    let until = "until = { measure = \"goodput\", interval = \"0.01 %\", at_most = 6 }";
    let lines = SWEEP.replace("repeat = 4", until);
    let lines = lines.lines().filter(|line| !line.starts_with("grid"));
    file(&folder, &lines.collect::<Vec<_>>().join("\n"));
    let lossy = ["--set", "bottleneck.loss.bernoulli=0.05"];
    let shown = success(sweep(&folder).args(lossy));
    assert!(
        shown.contains("\n  not: 6 runs were not enough (at_most)\n"),
        "{shown}"
    );
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = folder("sweep-threads");
    file(&folder, SWEEP);
    let table = |jobs| success(sweep(&folder).args(["--no-store", "--csv", "-", "--jobs", jobs]));
    assert_eq!(table("1"), table("7"));
}

#[test]
fn a_mistake_has_its_place_and_exit_code_2_before_anything_runs() {
    let folder = folder("sweep-mistake");
    file(&folder, &SWEEP.replace("bottleneck.loss", "bottleneck.los"));
    let (code, out, err) = output(&mut sweep(&folder));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.contains("my.toml:9:22") && err.contains("did you mean `loss`?"),
        "{err}"
    );
    assert!(!folder.join("my.sqlite").exists());
    let wrong = ["--page", "x.html", "other.toml"];
    let (code, _, err) = output(sweep(&folder).args(wrong));
    assert_eq!(code, 2);
    assert!(err.contains("one sweep at a time"), "{err}");
}
