//! The page of a sweep in a browser.
//!
//! Like the tests of the report they run if a Chromium is installed.

mod drawing;
mod shapes;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dumbbell_lab::sweep::{self, Sweep, page};
use dumbbell_lab::table::{Builder, Cell, Head, Table, Type};
use dumbbell_lab::tidy::means;
use serde_json::json;

use super::read;
use crate::report::browser::{self, Browser, Page};
use crate::report::{DESKTOP, assert_no_errors};

/// The name of a group that would break out of a script, an attribute or a text.
const HOSTILE: &str = "</script><img src=x onerror=\"throw 'in'\">, 'b'";
const GROUPS: [&str; 2] = ["main", HOSTILE];

/// Loss x control x delay, three runs each.
const GRID: &str = r#"[sweep]
repeat = 3
grid = { "bottleneck.loss.bernoulli" = [0.001, 0.01, 0.1], "flow.main.control" = ["veno", "reno"], "bottleneck.delay" = ["5 ms", "50 ms"] }
"#;

/// An invented table of groups. The goodputs of a point are its mean and `seed` kb/s around it.
fn groups(sweep: &Sweep) -> Table {
    let heads = sweep.paths.iter().map(sweep::Path::head).chain([
        Head::new("seed", Type::Whole, "the seed"),
        Head::new("group", Type::Text, "the group"),
        Head::new("goodput", Type::Number, "payload delivered in order").unit("bit/s"),
        Head::new("timeouts", Type::Whole, "expiries of the timer").unit("timeouts"),
    ]);
    let mut builder = Builder::new("groups", heads);
    for (at, point) in sweep.points.iter().enumerate() {
        for seed in 1..=3_u64 {
            for (which, group) in GROUPS.iter().enumerate() {
                let goodput = 100e3 * (at + 1) as f64 + 7e3 * which as f64;
                let goodput = goodput + 1e3 * (seed as f64 - 2.0) * (which + 1) as f64;
                // The first run has none.
                let timeouts = (seed > 1).then_some(Cell::Whole(300 * seed));
                let own = [Cell::Whole(seed), Cell::Text(group), Cell::Number(goodput)];
                let own = own.into_iter().map(Some).chain([timeouts]);
                builder.row(sweep.cells(point).into_iter().chain(own));
            }
        }
    }
    builder.table()
}

/// An invented table of runs, with a named measure if there is one.
fn runs(sweep: &Sweep) -> Table {
    let heads = sweep.paths.iter().map(sweep::Path::head).chain([
        Head::new("seed", Type::Whole, "the seed"),
        Head::new("jain_all", Type::Number, "Jain's index").unit("index"),
    ]);
    let mut builder = Builder::new("runs", heads);
    for point in &sweep.points {
        for seed in 1..=3 {
            let own = [Cell::Whole(seed), Cell::Number(0.5 + 0.1 * seed as f64)];
            builder.row(sweep.cells(point).into_iter().chain(own.map(Some)));
        }
    }
    builder.table()
}

/// Writes a page into the browser's folder.
fn written(browser: &Browser, page: &str) -> PathBuf {
    let file = browser.folder().join("sweep.html");
    fs::write(&file, page).expect("it is written");
    file
}

fn example(browser: &Browser) -> (PathBuf, Table, Table) {
    let sweep = read(GRID).expect("it is right");
    let (groups, runs) = (groups(&sweep), runs(&sweep));
    let file = written(browser, &page::of(&sweep, &groups, &runs));
    (file, groups, runs)
}

/// Chooses a value of a list, as its reader would.
fn choose(page: &mut Page<'_>, id: &str, value: &str) {
    let (id, value) = (json!(format!("choose-{id}")), json!(value));
    page.value(&format!(
        "(() => {{ const list = document.getElementById({id}); list.value = {value};
           if (list.selectedIndex < 0) throw new Error('no such choice');
           list.dispatchEvent(new Event('change')); }})()"
    ));
}

fn count(page: &mut Page<'_>, what: &str) -> u64 {
    let found = page.value(&format!(
        "document.querySelectorAll('#figure {what}').length"
    ));
    found.as_u64().expect("a number")
}

/// Presses a button that saves a file, and returns the file.
fn saved(page: &mut Page<'_>, folder: &Path, button: &str, name: &str) -> String {
    let file = folder.join(name);
    let _ = fs::remove_file(&file);
    page.click(&format!("document.getElementById('{button}')"), 1);
    page.until(&format!(
        "document.getElementById('saved').textContent === 'Saved as {name}.'"
    ));
    for _ in 0..500 {
        match fs::read_to_string(&file) {
            Ok(text) if !text.is_empty() => return text,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    panic!("{name} was not saved");
}

#[test]
fn the_figure_has_the_means_and_intervals_of_the_tables() {
    let Some(mut browser) = browser::start("sweep-means") else {
        return;
    };
    let (file, groups, _) = example(&browser);
    let folder = browser.folder().to_owned();
    let mut page = browser.open(&file, DESKTOP);
    page.save_to(&folder);
    // x is the longest path of numbers, curves are the controls, panels the groups and delays.
    let chosen = page.value(
        "['y', 'x', 'curves', 'columns', 'rows'].map((id) => document.getElementById(`choose-${id}`).value)",
    );
    let expected = [
        "groups.goodput",
        "bottleneck.loss.bernoulli",
        "flow.main.control",
        "group",
        "bottleneck.delay",
    ];
    assert_eq!(chosen, json!(expected));
    let marks = [".panel", ".curve", ".line", ".point", ".interval"];
    assert_eq!(marks.map(|what| count(&mut page, what)), [4, 8, 8, 24, 8]);
    // Names are text.
    let titles = page.value(
        "[...document.querySelectorAll('#figure .title')].map((it) => it.textContent).join('|')",
    );
    let titles = titles.as_str().expect("text");
    // There is no room for the paths before the hostile name.
    assert!(
        titles.starts_with("delay = 5 ms · group = main|delay = 5 ms · group = </script><img src"),
        "{titles}"
    );

    // The numbers are those of the tables, to the last digit.
    let text = saved(&mut page, &folder, "save-shown", "my-goodput.csv");
    let mut lines = text.lines();
    let head = "bottleneck.delay,group,flow.main.control,bottleneck.loss.bernoulli,goodput,half_width,runs";
    assert_eq!(lines.next(), Some(head));
    let keys = [
        "bottleneck.delay",
        "group",
        "flow.main.control",
        "bottleneck.loss.bernoulli",
    ];
    let found = means::of(&groups, &keys, &["goodput"]);
    assert_eq!((found.len(), lines.clone().count()), (24, 24));
    let mut expected: Vec<String> = Vec::new();
    for it in &found {
        let estimate = it.estimates[0].expect("a mean");
        let Some(Cell::Number(delay)) = it.keys[0] else {
            panic!("{it:?}");
        };
        let Some(Cell::Text(group)) = it.keys[1] else {
            panic!("{it:?}");
        };
        let [Some(Cell::Text(control)), Some(Cell::Number(loss))] = it.keys[2..] else {
            panic!("{it:?}");
        };
        let group = if group == HOSTILE {
            format!("\"{}\"", group.replace('"', "\"\""))
        } else {
            group.to_owned()
        };
        let half = estimate.half_width.expect("three runs");
        expected.push(format!(
            "{delay},{group},{control},{loss},{},{half},3",
            estimate.mean
        ));
    }
    expected.sort();
    let mut lines: Vec<&str> = lines.collect();
    lines.sort_unstable();
    for (line, expected) in lines.iter().zip(&expected) {
        let (line, expected) = (numbers(line), numbers(expected));
        assert_eq!(line.0, expected.0);
        for (a, b) in line.1.iter().zip(&expected.1) {
            assert!((a - b).abs() <= 1e-12 * b.abs(), "{line:?} {expected:?}");
        }
    }

    // Values 99, 100 and 101 kb/s: t(2) = 4.303, so 100 +- 4.303 / sqrt(3).
    let cell = "document.querySelector('#numbers tbody td').textContent";
    assert_eq!(page.value(cell), "0.1000 ± 0.0025");
    page.value("document.querySelector('#figure').scrollIntoView({ block: 'center', behavior: 'instant' })");
    page.point_at("document.querySelector('#figure .point')");
    page.until("!document.getElementById('tip').hidden");
    let tip =
        page.value("[...document.getElementById('tip').children].map((it) => it.textContent)");
    let expected = json!([
        "0.1000 ± 0.0025 Mb/s",
        "flow.main.control = veno",
        "group = main",
        "bottleneck.delay = 5 ms",
        "bottleneck.loss.bernoulli = 0.001",
        "95 %: 0.0975159 to 0.102484",
        "3 runs"
    ]);
    assert_eq!(tip, expected);
    assert!(
        page.requests()
            .iter()
            .all(|it| it.starts_with("file:") || it.starts_with("blob:"))
    );
    assert_no_errors(&mut page);
}

/// The words of a line of CSV before its last three numbers, and these numbers.
fn numbers(line: &str) -> (String, Vec<f64>) {
    let mut fields: Vec<&str> = line.rsplitn(4, ',').collect();
    let words = fields.pop().expect("words").to_owned();
    let number = |text: &&str| text.parse().unwrap_or_else(|_| panic!("{line}"));
    (words, fields.iter().map(number).collect())
}

#[test]
fn choosers_change_the_figure_and_a_link_shows_it_again() {
    let Some(mut browser) = browser::start("sweep-choose") else {
        return;
    };
    let (file, ..) = example(&browser);
    let mut page = browser.open(&file, DESKTOP);
    // What is not shown is one value, or the mean over all.
    choose(&mut page, "columns", "none");
    assert_eq!(count(&mut page, ".panel"), 2);
    let sentence = "document.getElementById('sentences').textContent";
    let only =
        "3 runs for each point: their mean and its 95 % interval (Student’s t). Only group = main.";
    assert_eq!(page.value(sentence), only);
    choose(&mut page, "only-group", "all");
    let all = "6 runs for each point: their mean and its 95 % interval (Student’s t). Means over all values of group, \
               whose differences widen the intervals.";
    assert_eq!(page.value(sentence), all);
    choose(&mut page, "only-group", HOSTILE);
    let cell = "document.querySelector('#numbers tbody td').textContent";
    assert_eq!(page.value(cell), "0.1070 ± 0.0050");

    // Two parts of the figure exchange what they show.
    choose(&mut page, "x", "flow.main.control");
    let curves = "document.getElementById('choose-curves').value";
    assert_eq!(page.value(curves), "bottleneck.loss.bernoulli");
    assert_eq!(
        [".line", ".point"].map(|what| count(&mut page, what)),
        [0, 12]
    );
    choose(&mut page, "form", "bars");
    assert_eq!(
        [".bar", ".point"].map(|what| count(&mut page, what)),
        [12, 0]
    );
    // A bar shows its numbers anywhere within it.
    page.value("document.querySelector('#figure').scrollIntoView({ block: 'center', behavior: 'instant' })");
    page.point_at("document.querySelectorAll('#figure .bar')[3]");
    page.until("document.getElementById('tip').textContent.includes('control = reno')");

    // A curve is hidden, and shown alone, by the legend.
    let key = |i: u32| format!("document.querySelectorAll('#legend button')[{i}]");
    page.click(&key(1), 1);
    assert_eq!(count(&mut page, ".bar"), 8);
    assert_eq!(page.value(&format!("{}.ariaPressed", key(1))), "false");
    page.click(&key(0), 2);
    assert_eq!(count(&mut page, ".bar"), 4);
    page.value(&format!("{}.focus()", key(2)));
    page.key(" ", 32);
    page.until("document.querySelectorAll('#figure .bar').length === 8");
    assert_eq!(page.value("document.activeElement.dataset.curve"), "0.1");

    // The address has all of it.
    let state = "[location.hash, document.querySelector('#figure').innerHTML, document.getElementById('numbers').innerText]";
    let before = page.value(state);
    let hash = before[0].as_str().expect("text").to_owned();
    page.value("void (location.hash = '#y=groups.timeouts')");
    page.until("document.getElementById('title').textContent.startsWith('timeouts')");
    // A run without the measure does not count: 600 and 900, and t(1) is 12.706.
    assert_eq!(
        page.value(sentence).as_str().map(|it| &it[..6]),
        Some("2 runs")
    );
    assert_eq!(page.value(cell), "750 ± 1906");
    page.value(&format!("void (location.hash = {})", json!(hash)));
    page.until("document.querySelectorAll('#figure .bar').length === 8");
    assert_eq!(page.value(state), before);

    // Measures of whole runs have no groups.
    choose(&mut page, "y", "runs.jain_all");
    let offered = "[...document.getElementById('choose-curves').options].map((it) => it.value)";
    let axes = [
        "none",
        "bottleneck.loss.bernoulli",
        "flow.main.control",
        "bottleneck.delay",
    ];
    assert_eq!(page.value(offered), json!(axes));
    assert_eq!(page.value(cell), "0.70 ± 0.25");
    // Nonsense in an address is left out.
    page.value("void (location.hash = '#y=groups.nothing&x=%3Cb%3E&yscale=9&only.group=no')");
    page.until("document.getElementById('choose-y').value === 'groups.goodput'");
    assert_no_errors(&mut page);
}
