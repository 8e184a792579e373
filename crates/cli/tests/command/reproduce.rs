//! `dumbbell reproduce`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;

use crate::{dumbbell, folder, names, output, success};

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A folder with the quick reproduction of a figure and its runs, and its output for machines.
static QUICK: LazyLock<(PathBuf, String)> = LazyLock::new(|| {
    let folder = folder("quick");
    let mut command = dumbbell();
    command.args(["reproduce", "venodb-fig2", "--quick", "--json", "--out"]);
    let said = success(command.arg(&folder));
    (folder, said)
});

/// A new folder with the runs of the quick reproduction.
fn with_quick_runs(name: &str) -> PathBuf {
    let folder = folder(name);
    let file = "runs.sqlite";
    fs::copy(QUICK.0.join(file), folder.join(file)).expect("the stored runs");
    folder
}

/// The quick reproduction with another seed, by one job.
static POINTS: LazyLock<PathBuf> = LazyLock::new(|| points("points", "1"));

fn points(name: &str, jobs: &str) -> PathBuf {
    let folder = folder(name);
    let mut command = dumbbell();
    command.args(["reproduce", "venodb-fig2", "--quick", "--seed", "3"]);
    let _ = output(command.args(["--jobs", jobs, "--out"]).arg(&folder));
    folder
}

#[test]
fn a_figure_and_its_claims_are_written() {
    // The whole experiment includes the points of the quick one.
    let folder = with_quick_runs("figure");
    let out = success(
        dumbbell()
            .args(["reproduce", "venodb-fig2", "--out"])
            .arg(&folder),
    );
    for part in [
        "figure 2",
        "exceeds Veno's by 35.7 %",
        "exceeds WestwoodNR's by 38.6 %",
        "exceeds NewReno's by 76.8 %",
        "holds ",
        "partly ",
        "fails ",
        "280 simulated, 160 known already, 0 shared",
        "report.html",
    ] {
        assert!(out.contains(part), "no {part:?} in\n{out}");
    }
    let expected = [
        "report.html",
        "runs.sqlite",
        "scenarios",
        "venodb-fig2.csv",
        "venodb-fig2.runs.csv",
        "venodb-fig2.svg",
        "venodb.NOTES.md",
        "venodb.verdicts.toml",
    ];
    assert_eq!(names(&folder), expected);
    let csv = read(&folder.join("venodb-fig2.csv"));
    // Eleven loss rates for each of four curves, below a header line.
    assert_eq!(csv.lines().count(), 45);
    assert_eq!(
        read(&folder.join("venodb-fig2.runs.csv")).lines().count(),
        441
    );
    let svg = read(&folder.join("venodb-fig2.svg"));
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    // The picture in the README. A change that affects it is recorded in CHANGELOG.md, "Figures
    // that moved".
    let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    let golden = read(&shown.join("venodb-fig2.csv"));
    assert_eq!(
        csv, golden,
        "docs/pictures/venodb-fig2.csv is another figure"
    );
    assert!(
        svg == read(&shown.join("venodb-fig2.svg")),
        "docs/pictures/venodb-fig2.svg is another picture"
    );
    let page = read(&folder.join("report.html"));
    assert!(page.contains("figure 2: average throughput"));
}

/// Returns the runs of the figure from the table of runs: curve, x, seed and throughput in kb/s.
fn runs(folder: &Path) -> Vec<(String, String, u64, f64)> {
    let csv = read(&folder.join("venodb-fig2.runs.csv"));
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let [series, x, seed, value, ..] = fields[..] else {
            panic!("{line}")
        };
        let value = value.parse().expect("a number");
        (
            series.to_lowercase(),
            x.to_owned(),
            seed.parse().expect("a seed"),
            value,
        )
    };
    csv.lines().skip(1).map(line).collect()
}

#[test]
fn any_point_rerun_alone_gives_the_same() {
    let folder = &*POINTS;
    let runs = runs(folder);
    assert_eq!(runs.len(), 4 * 8 * 5);
    for x in ["0.0001", "0.02", "0.05"] {
        for series in ["venodb", "veno", "westwoodnr", "newreno"] {
            let file = folder.join(format!("scenarios/venodb-fig2/{series}-{x}.toml"));
            let lines = success(
                dumbbell()
                    .arg("run")
                    .arg(&file)
                    .args(["--repeat", "5", "--json"]),
            );
            let point = runs.iter().filter(|run| run.0 == series && run.1 == x);
            let mut compared = 0;
            for (line, (_, _, seed, kbps)) in lines.lines().zip(point) {
                let outcome: Value = serde_json::from_str(line).expect("JSON");
                let bps = outcome["flows"][0]["throughput_bps"]
                    .as_f64()
                    .expect("a number");
                assert_eq!(outcome["seed"], *seed);
                assert_eq!(bps * 1e-3, *kbps, "{series} at {x}, seed {seed}");
                compared += 1;
            }
            assert_eq!(compared, 5);
        }
    }
}

#[test]
fn the_number_of_jobs_does_not_affect_a_figure() {
    let [one, eight] = [&*POINTS, &points("eight-jobs", "8")].map(|folder| {
        ["csv", "runs.csv", "svg"].map(|kind| read(&folder.join(format!("venodb-fig2.{kind}"))))
    });
    assert!(one == eight);
}

#[test]
fn stored_runs_are_not_repeated_and_give_the_same_results() {
    let folder = with_quick_runs("kept");
    let reproduce = |args: &[&str]| {
        let mut command = dumbbell();
        command.args(["reproduce", "venodb-fig2", "--quick"]);
        success(command.args(args).arg("--out").arg(&folder))
    };
    let (first, said) = &*QUICK;
    assert_eq!(&reproduce(&["--json"]), said);
    let figure = |folder: &Path| read(&folder.join("venodb-fig2.csv"));
    assert_eq!(figure(&folder), figure(first));
    assert!(reproduce(&[]).contains("0 simulated, 160 known already, 0 shared"));
}

#[test]
fn verdicts_are_also_printed_as_json() {
    let (_, text) = &*QUICK;
    let claims: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    assert_eq!(claims.len(), 8);
    for claim in &claims {
        assert_eq!(claim["figure"], "venodb-fig2");
        assert_eq!(claim["verdict"], claim["recorded"], "{claim}");
    }
}

#[test]
fn the_null_lists_the_claims_that_hold_for_the_baseline() {
    let folder = folder("null");
    let args = ["reproduce", "venodb-fig2", "--null", "--quick", "--out"];
    let said = success(dumbbell().args(args).arg(&folder));
    assert!(
        said.contains("every curve is the baseline: 2 of "),
        "{said}"
    );
    let holds = "venodb-fig2 a (says that curves are alike): Below 0.1 % loss";
    assert!(said.contains(holds), "{said}");
    assert!(!said.contains("c-veno"), "{said}");
    let record = read(&folder.join("venodb.null.toml"));
    assert!(
        record.contains("[venodb-fig2]\na = \"holds\"\n"),
        "{record}"
    );
    assert!(!folder.join("report.html").exists());
    let json = success(dumbbell().args(args).arg(&folder).arg("--json"));
    let lines: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["claim"], &lines[0]["null"]),
        (&"a".into(), &"alike".into())
    );
}

#[test]
fn an_exploration_tells_each_verdict_under_each_reading() {
    let folder = folder("explored");
    let args = [
        "reproduce",
        "rovegas-explored",
        "--quick",
        "--json",
        "--out",
    ];
    let said = success(dumbbell().args(args).arg(&folder));
    let lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    let of = |reading: Value| lines.iter().filter(move |line| line["reading"] == reading);
    assert!(of(Value::Null).all(|line| line["verdict"] == line["as_taken"]));
    assert_eq!(of("vbr-210".into()).count(), of(Value::Null).count());
    let flipped = |line: &&Value| line["verdict"] != "holds" && line["as_taken"] == "holds";
    assert!(of("vbr-210".into()).any(|line| flipped(&line)));
    let csv = read(&folder.join("rovegas-explored.csv"));
    assert_eq!(csv.lines().count(), lines.len() + 1);
    assert!(folder.join("rovegas-explored.verdicts.toml").exists());
    assert!(read(&folder.join("report.html")).contains("VBR packets of 210 B"));
    // The table in the terminal has a heading for every number.
    let args = ["reproduce", "rovegas-explored", "--quick", "--out"];
    let said = success(dumbbell().args(args).arg(&folder));
    let line = |part: &str| said.lines().find(|line| line.contains(part)).expect(part);
    let columns = [
        "claims",
        "hold as taken",
        "hold ",
        "undecided",
        "gained",
        "lost",
    ];
    let heading = line("hold as taken");
    assert!(
        columns.iter().all(|column| heading.contains(column)),
        "{heading}"
    );
    let row = line("VBR packets of 210 B")
        .split("210 B")
        .nth(1)
        .expect("numbers");
    let numbers = row
        .split_whitespace()
        .filter(|word| word.parse::<u32>().is_ok());
    assert_eq!(numbers.count(), columns.len(), "{row}");
}

#[test]
fn a_changed_verdict_is_reported_and_fails_only_for_the_same_settings() {
    let [earlier, later] = ["earlier", "later"].map(with_quick_runs);
    let first = |out: &Path| {
        success(
            dumbbell()
                .args(["reproduce", "venodb-fig2", "--quick", "--out"])
                .arg(out),
        )
    };
    let _ = first(&earlier);
    let again = |args: &[&str]| {
        output(
            dumbbell()
                .args(["reproduce", "venodb-fig2", "--quick", "--against"])
                .arg(&earlier)
                .args(args)
                .arg("--out")
                .arg(&later),
        )
    };
    assert_eq!(again(&[]).0, 0);
    let record = earlier.join("venodb.verdicts.toml");
    let changed = read(&record).replace("c-veno = \"holds\"", "c-veno = \"fails\"");
    fs::write(&record, &changed).expect("the folder is ours");
    let (code, _, err) = again(&[]);
    assert_eq!(code, 1);
    assert!(
        err.contains("venodb-fig2 c-veno: fails, now holds"),
        "{err}"
    );
    let (code, _, err) = again(&["--seed", "2"]);
    assert_eq!(code, 0, "another seed may differ");
    assert!(err.contains("another seed"), "{err}");
    // A claim without a verdict on record is also reported, but does not count as a change.
    fs::write(&record, changed.replace("c-veno = \"fails\"\n", "")).expect("the folder is ours");
    let (code, _, err) = again(&[]);
    assert_eq!(code, 0);
    assert!(
        err.contains("venodb-fig2 c-veno: not on record, now holds"),
        "{err}"
    );
    fs::write(&record, "[settings]\nseed = 1\n").expect("the folder is ours");
    let (code, _, err) = again(&[]);
    assert_eq!(code, 2);
    assert!(
        err.contains("venodb.verdicts.toml") && err.contains("quick"),
        "{err}"
    );
}

/// Returns the links of a page to files beside it.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    for (place, _) in page.match_indices("href=\"./") {
        let rest = &page[place + "href=\"".len()..];
        let (link, _) = rest.split_once('"').expect("it ends");
        assert!(!link.contains('%'), "nothing in these names is encoded");
        links.push(link.to_owned());
    }
    links.sort();
    links.dedup();
    links
}

#[test]
fn every_link_of_the_report_leads_to_a_file() {
    let folder = folder("links");
    let figures = [
        "venodb-fig6",
        "dynamics-fig4a",
        "dynamics-fig6",
        "dynamics-table1",
    ];
    let _ = output(
        dumbbell()
            .arg("reproduce")
            .args(figures)
            .args(["--quick", "--out"])
            .arg(&folder),
    );
    let page = read(&folder.join("report.html"));
    let links = links(&page);
    for wanted in [
        "./venodb.NOTES.md",
        "./dynamics.NOTES.md",
        "./venodb-fig6.runs.csv",
        "./venodb-fig6.svg",
        "./dynamics-fig6-windows.epochs.csv",
        "./dynamics-table1.csv",
        "./scenarios/dynamics-fig4a/",
    ] {
        assert!(links.iter().any(|link| link == wanted), "{wanted}");
    }
    for link in &links {
        assert!(folder.join(link).exists(), "{link}");
    }
    // The links that the page's script creates: a file for each point.
    let mut files = 0;
    for part in page
        .split("<script type=\"application/json\" class=\"points\">")
        .skip(1)
    {
        let (json, _) = part.split_once("</script>").expect("it ends");
        let section: Value = serde_json::from_str(json).expect("JSON");
        let scenarios = folder.join(section["folder"].as_str().expect("a folder"));
        let number = |value: &Value| value.as_u64().expect("a number") as usize;
        let lines = section["texts"]["lines"].as_array().expect("lines");
        for (place, point) in (section["points"].as_array().expect("points").iter()).enumerate() {
            let file = scenarios.join(point["file"].as_str().expect("a name"));
            // The first of each run of consecutive lines, and how many they are.
            let runs = section["texts"]["texts"][place].as_array().expect("runs");
            let text = runs
                .chunks(2)
                .flat_map(|run| &lines[number(&run[0])..][..number(&run[1])])
                .map(|line| line.as_str().expect("a line"));
            assert_eq!(read(&file), text.collect::<Vec<_>>().join("\n"));
            files += 1;
        }
    }
    assert!(files > 10, "{files}");
    // Claims without places concern all places: dynamics-fig4a's concern two curves, and no place
    // "0".
    assert!(page.contains("2 scenario files of its points"));
    assert!(!page.contains("\"places\":[\"0\""));
}

#[test]
fn the_epochs_in_a_drawing_agree_with_the_measured_ones() {
    let folder = folder("epochs");
    let _ = output(
        dumbbell()
            .args(["reproduce", "dynamics-fig4b", "--quick", "--out"])
            .arg(&folder),
    );
    let epochs = read(&folder.join("dynamics-fig4b.epochs.csv"));
    let rows: Vec<Vec<&str>> = epochs
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(rows[0][..4], ["time", "end", "class", "cut"]);
    assert_eq!(rows[0][6..8], ["roles change", "first before"]);
    let rows = &rows[1..];
    let common = rows.iter().filter(|row| row[2] == "in phase").count();
    let changes = rows.iter().filter(|row| row[6] == "yes").count();
    // The same run in the table of runs, found by the curve and the seed of the drawing.
    let runs = read(&folder.join("dynamics-fig4b.runs.csv"));
    let run = runs
        .lines()
        .find_map(|line| line.strip_prefix("Veno and Veno,1,"));
    let numbers: Vec<f64> = run
        .expect("the first seed")
        .split(',')
        .map(|number| number.parse().expect("a number"))
        .collect();
    let all = rows.len() as f64;
    assert!(rows.len() > 50, "{all} epochs in 190 s");
    assert!((numbers[0] - common as f64 / all).abs() < 1e-12);
    assert!((numbers[1] - changes as f64 / all).abs() < 1e-12);
    let page = read(&folder.join("report.html"));
    assert!(page.contains(&format!(
        "In the whole run after 10 s: {all} epochs, {common} in phase"
    )));
    assert!(page.contains("href=\"./dynamics-fig4b.epochs.csv\""));
    let svg = read(&folder.join("dynamics-fig4b.svg"));
    assert!(svg.contains("roles change"));
}
