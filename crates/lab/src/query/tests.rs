//! Questions about a small store.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Probe, Scenario};
use dumbbell_store::{Fingerprint, Job, Runner, Store};

use super::*;
use crate::table::Values;

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A scenario with this rate, and with other keys after it.
fn scenario(rate: u32, more: &str) -> Scenario {
    let text = format!(
        "duration = \"5 s\"\n\
         [dumbbell]\n\
         access = {{ rate = \"10 Mb/s\", delay = \"1 ms\" }}\n\
         bottleneck = {{ rate = \"{rate} Mb/s\", delay = \"20 ms\", queue = {{ droptail = 9 }} }}\n\
         [[flow]]\n\
         name = \"a\"\n\
         control = \"veno\"\n\
         [[flow]]\n\
         name = \"b\"\n\
         control = \"reno\"\n\
         count = 2\n\
         {more}"
    );
    Scenario::parse("s.toml", &text, &Controls::builtin()).expect("it is one")
}

/// Runs a scenario into a store.
fn fill(store: &Store, scenario: &Scenario, seeds: &[u64], probe: Option<&Probe>) {
    let job = |seed: &u64| Job {
        scenario,
        seed: *seed,
        probe,
    };
    let runner = Runner {
        store: Some(store),
        threads: 1,
        interrupted: &AtomicBool::new(false),
    };
    let jobs: Vec<Job<'_>> = seeds.iter().map(job).collect();
    let kept = runner.run(&jobs, |_| {}, |_, _| {}).kept;
    assert_eq!(kept, seeds.len());
}

/// A store with three seeds of two rates.
fn store(name: &str) -> (Folder, PathBuf) {
    let folder = std::env::temp_dir().join(format!("dumbbell-query-{name}-{}", std::process::id()));
    let file = folder.join("runs.sqlite");
    let store = Store::open(&file).expect("a new store");
    for rate in [1, 2] {
        fill(&store, &scenario(rate, ""), &[1, 2, 3], None);
    }
    (Folder(folder), file)
}

fn whole(table: &Table, column: &str) -> Vec<Option<u64>> {
    match &table.column(column).expect("a column").values {
        Values::Whole(all) => all.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn rows_are_those_of_the_tidy_tables() {
    let (_folder, file) = store("rows");
    let query = Query::open(&file, false).expect("a store");
    // Only the rate differs, which the way back has, too.
    let varied = &query.shapes()[0].heads[2..2 + query.varied];
    let varied: Vec<&str> = varied.iter().map(|head| head.name.as_str()).collect();
    assert_eq!(varied, ["bottleneck.rate", "bottleneck.reverse.rate"]);
    let count = |sql: &str| {
        let answer = query.answer(sql).expect("it is right");
        assert_eq!(answer.unreadable, 0);
        whole(&answer.table, "n")[0]
    };
    // Two scenarios, three seeds; two groups, three flows.
    assert_eq!(count("SELECT count(*) AS n FROM groups"), Some(12));
    assert_eq!(count("SELECT count(*) AS n FROM flows"), Some(18));
    assert_eq!(
        count("SELECT count(DISTINCT scenario) AS n FROM links"),
        Some(2)
    );
    let sql = "SELECT \"bottleneck.rate\", sum(goodput) AS sum, count(*) AS n FROM groups GROUP BY 1 ORDER BY 1";
    let answer = query.answer(sql).expect("it is right").table;
    let rate = answer.column("bottleneck.rate").expect("a column");
    assert_eq!(rate.unit.as_deref(), Some("bit/s"));
    assert_eq!(rate.values, Values::Number(vec![Some(1e6), Some(2e6)]));
    assert_eq!(whole(&answer, "n"), [Some(6), Some(6)]);
    let Values::Number(sums) = &answer.column("sum").expect("a column").values else {
        panic!("numbers")
    };
    // Three runs of each.
    for (sum, most) in sums.iter().zip([3e6, 6e6]) {
        let sum = sum.expect("a sum");
        assert!(sum > 0.5 * most && sum < most, "{sum}");
    }
}

#[test]
fn every_value_of_a_scenario_is_in_the_table_of_settings() {
    let (_folder, file) = store("settings");
    let query = Query::open(&file, false).expect("a store");
    let sql = "SELECT value, unit FROM settings WHERE path = 'bottleneck.delay'";
    let answer = query.answer(sql).expect("it is right").table;
    let value = &answer.column("value").expect("a column").values;
    assert_eq!(*value, Values::Number(vec![Some(0.02), Some(0.02)]));
    let unit = &answer.column("unit").expect("a column").values;
    assert_eq!(
        *unit,
        Values::Text(vec![Some("s".to_owned()), Some("s".to_owned())])
    );
}

#[test]
fn runs_of_other_builds_are_left_out_unless_asked_for() {
    let (_folder, file) = store("builds");
    let other = Store::open_for(&file, Fingerprint::of(b"another build")).expect("the store");
    // A seed that this build has, and one that it does not have.
    fill(&other, &scenario(1, ""), &[3, 4], None);
    drop(other);
    let rows = |all_builds, sql: &str| {
        let query = Query::open(&file, all_builds).expect("a store");
        let answer = query.answer(sql).expect("it is right");
        assert_eq!(answer.unreadable, 0);
        whole(&answer.table, "n")
    };
    let count = "SELECT count(*) AS n FROM groups";
    assert_eq!(rows(false, count), [Some(12)]);
    assert_eq!(rows(true, count), [Some(16)]);
    let builds = "SELECT count(*) AS n FROM groups GROUP BY build ORDER BY n";
    assert_eq!(rows(true, builds), [Some(4), Some(12)]);
    let seeds = "SELECT DISTINCT seed AS n FROM groups ORDER BY n";
    assert_eq!(rows(false, seeds), [1, 2, 3].map(Some));
    assert_eq!(rows(true, seeds), [1, 2, 3, 4].map(Some));
}

#[test]
fn a_run_that_is_stored_with_samples_and_without_counts_once() {
    let (_folder, file) = store("sampled");
    let store = Store::open(&file).expect("the store");
    for interval in ["100 ms", "200 ms"] {
        let sampled = scenario(1, &format!("[probe]\ninterval = \"{interval}\"\n"));
        fill(&store, &sampled, &[1, 7], Some(&sampled.probe));
    }
    drop(store);
    let query = Query::open(&file, false).expect("a store");
    let ask = |sql: &str| whole(&query.answer(sql).expect("it is right").table, "n");
    // Four seeds of one rate, and three of the other.
    let seeds = "SELECT seed AS n FROM groups WHERE \"group\" = 'a' ORDER BY scenario, seed";
    assert_eq!(ask(seeds), [1, 2, 3, 7, 1, 2, 3].map(Some));
    for table in ["groups", "settings"] {
        let scenarios = format!("SELECT count(DISTINCT scenario) AS n FROM {table}");
        assert_eq!(ask(&scenarios), [Some(2)], "{table}");
    }
    // What is sampled is no value in which the scenarios differ.
    assert_eq!(query.varied, 2);
}

#[test]
fn large_whole_numbers_are_numbers() {
    let (_folder, file) = store("large");
    let store = Store::open(&file).expect("the store");
    let seeds = [
        (1 << 53) + 1,
        i64::MAX as u64,
        i64::MAX as u64 + 1,
        u64::MAX,
    ];
    fill(&store, &scenario(3, ""), &seeds, None);
    drop(store);
    let query = Query::open(&file, false).expect("a store");
    let sql = "SELECT seed FROM groups WHERE \"group\" = 'a' AND \"bottleneck.rate\" = 3e6";
    let mut answer = query.answer(sql).expect("it is right").table;
    let mut found = whole(&answer, "seed");
    found.sort();
    assert_eq!(found, seeds.map(Some));
    let mut json = Vec::new();
    crate::table::Format::Json
        .write(&answer, &mut json)
        .expect("memory");
    let json = String::from_utf8(json).expect("text");
    assert!(json.contains("{\"seed\":18446744073709551615}\n"), "{json}");
    assert!(json.contains("{\"seed\":9007199254740993}\n"), "{json}");
    // Other texts of digits stay texts.
    let texts = "SELECT '12' AS a, '018446744073709551615' AS b, '99999999999999999999' AS c";
    answer = query.answer(texts).expect("it is right").table;
    for column in &answer.columns {
        assert!(matches!(column.values, Values::Text(_)), "{column:?}");
    }
}

#[test]
fn no_question_changes_or_writes_a_file() {
    let (folder, file) = store("read-only");
    let before = std::fs::read(&file).expect("a file");
    let query = Query::open(&file, true).expect("a store");
    let new = folder.0.join("new");
    let new = new.display();
    for sql in [
        "DELETE FROM groups".to_owned(),
        "DROP TABLE flows".to_owned(),
        format!("ATTACH DATABASE '{}' AS s", file.display()),
        format!("ATTACH DATABASE '{new}' AS s"),
        format!("VACUUM INTO '{new}'"),
        "PRAGMA query_only = OFF".to_owned(),
        "SELECT 1; DELETE FROM groups".to_owned(),
        "INSERT INTO groups (seed) VALUES (1) RETURNING seed".to_owned(),
        String::new(),
    ] {
        match query.answer(&sql) {
            Err(NoAnswer::Question(_)) => {}
            other => panic!("{sql}: {other:?}"),
        }
    }
    assert_eq!(std::fs::read(&file).expect("a file"), before);
    let entries = std::fs::read_dir(&folder.0).expect("a folder");
    let names = entries.map(|it| it.expect("readable").file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["runs.sqlite"]);
}

#[test]
fn mistakes_name_what_would_be_right() {
    let (_folder, file) = store("mistakes");
    let query = Query::open(&file, false).expect("a store");
    for (sql, right) in [
        ("SELECT goodptu FROM groups", "did you mean `goodput`?"),
        (
            "SELECT g.goodptu FROM groups AS g",
            "did you mean `goodput`?",
        ),
        (
            "SELECT groups.goodptu FROM groups",
            "did you mean `goodput`?",
        ),
        ("SELECT seed FROM grups", "did you mean `groups`?"),
        (
            "SELECT seed FROM xyz",
            "the tables are: `groups`, `flows`, `links` and `settings`",
        ),
        (
            "SELECT \"bottelneck.rate\" FROM groups",
            "did you mean `\"bottleneck.rate\"`?",
        ),
        (
            "SELECT bottleneck.rate FROM groups",
            "in quotes: `\"bottleneck.rate\"`",
        ),
        (
            "SELECT utilisation FROM groups",
            "a column of another table",
        ),
        (
            "SELEKT seed FROM groups",
            "syntax error, at `SELEKT seed FROM groups`",
        ),
        ("SELECT 1; SELECT 2", "one statement"),
        ("DELETE FROM groups", "cannot change anything"),
    ] {
        match query.answer(sql) {
            Err(NoAnswer::Question(what)) => assert!(what.contains(right), "{sql}: {what}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn what_is_no_store_is_refused() {
    let folder =
        Folder(std::env::temp_dir().join(format!("dumbbell-query-no-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let file = folder.0.join("text");
    std::fs::write(&file, "not a store, but a text of some length").expect("a file");
    match Query::open(&file, false) {
        Err(NoAnswer::Store(_)) => {}
        other => panic!("{other:?}"),
    }
}
