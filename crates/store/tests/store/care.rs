//! Stores are listed, merged, pruned, checked and repaired.

use std::path::Path;

use dumbbell_store::{Contents, Fingerprint, Merged, Store, Trouble, Unwanted};
use dumbbell_store::{check, merge, prune_file};
use rusqlite::Connection;

use crate::jobs::{Folder, kept, run, scenario, seeds, sound};

fn open(file: &Path, build: &str) -> Store {
    Store::open_for(file, Fingerprint::of(build.as_bytes())).unwrap()
}

/// Stores this many seeds of a scenario by a build.
fn fill(file: &Path, build: &str, seconds: u32, count: u64) {
    let scenario = scenario(seconds);
    let (_, summary) = run(Some(&open(file, build)), &seeds(&scenario, count));
    assert_eq!(summary.trouble, None);
}

/// The number of runs of each build and of each scenario.
fn counts(file: &Path) -> (Vec<u64>, Vec<u64>) {
    let contents = Contents::of(file).unwrap();
    let mut builds: Vec<u64> = contents.builds.iter().map(|build| build.runs).collect();
    builds.sort_unstable();
    (
        builds,
        contents.scenarios.iter().map(|it| it.runs).collect(),
    )
}

#[test]
fn merged_stores_have_the_runs_of_both_once() {
    let (into, from) = (Folder::new(), Folder::new());
    fill(&into.file(), "a", 1, 4);
    fill(&from.file(), "a", 1, 6);
    fill(&from.file(), "b", 1, 3);
    fill(&from.file(), "b", 2, 5);
    let merged = merge(&into.file(), &from.file()).unwrap();
    assert_eq!(
        merged,
        Merged {
            added: 10,
            shared: 4
        }
    );
    assert_eq!(counts(&into.file()), (vec![6, 8], vec![9, 5]));
    assert_eq!(counts(&from.file()), (vec![6, 8], vec![9, 5]));
    sound(&into);
    let again = merge(&into.file(), &from.file()).unwrap();
    assert_eq!(
        again,
        Merged {
            added: 0,
            shared: 14
        }
    );
    // The runs are used as if this file had always had them.
    let scenario = scenario(2);
    let jobs = seeds(&scenario, 5);
    let (_, summary) = run(Some(&open(&into.file(), "b")), &jobs);
    assert_eq!(summary.computed, 0);
    let (other, own) = (open(&from.file(), "b"), open(&into.file(), "b"));
    assert_eq!(kept(&own, &jobs[4]), kept(&other, &jobs[4]));
    assert!(check(&into.file(), false).unwrap().damaged.is_empty());
}

#[test]
fn a_merge_that_fails_on_the_way_changes_nothing() {
    let (into, from) = (Folder::new(), Folder::new());
    fill(&into.file(), "a", 1, 4);
    fill(&from.file(), "b", 2, 9);
    let database = Connection::open(into.file()).unwrap();
    let stop = "CREATE TRIGGER stop BEFORE INSERT ON run WHEN new.seed = 7
                BEGIN SELECT RAISE(FAIL, 'stopped'); END";
    database.execute_batch(stop).unwrap();
    let error = merge(&into.file(), &from.file()).unwrap_err();
    assert!(error.reason.contains("stopped"), "{error}");
    assert_eq!(counts(&into.file()), (vec![4], vec![4]));
    sound(&into);
    database.execute_batch("DROP TRIGGER stop").unwrap();
    assert_eq!(merge(&into.file(), &from.file()).unwrap().added, 9);
}

#[test]
fn a_file_is_not_merged_with_itself_or_with_what_is_damaged() {
    let (into, from) = (Folder::new(), Folder::new());
    fill(&into.file(), "a", 1, 2);
    fill(&from.file(), "b", 1, 2);
    let error = merge(&into.file(), &into.file()).unwrap_err();
    assert!(error.reason.contains("same file"), "{error}");
    let database = Connection::open(from.file()).unwrap();
    let wrong = "UPDATE run SET checksum = checksum + 1 WHERE seed = 2";
    database.execute_batch(wrong).unwrap();
    let error = merge(&into.file(), &from.file()).unwrap_err();
    assert_eq!(error.trouble, Trouble::Damaged, "{error}");
    assert!(error.reason.starts_with("1 of its 2 rows"), "{error}");
    assert_eq!(counts(&into.file()), (vec![2], vec![2]));
}

#[test]
fn damaged_rows_are_found_and_removed_so_that_they_are_computed_again() {
    let folder = Folder::new();
    fill(&folder.file(), "a", 1, 5);
    fill(&folder.file(), "a", 2, 3);
    let database = Connection::open(folder.file()).unwrap();
    let free = "PRAGMA foreign_keys = OFF;
                UPDATE run SET outcome = zeroblob(length(outcome)) WHERE scenario = 1 AND seed = 4;
                UPDATE run SET words = 999 WHERE scenario = 1 AND seed = 5;
                UPDATE scenario SET text = text || ' ' WHERE id = 2";
    database.execute_batch(free).unwrap();
    let checked = check(&folder.file(), false).unwrap();
    assert_eq!((checked.rows, checked.repaired), (8, false));
    let found = checked.damaged.iter();
    let found: Vec<(i64, u64, &str)> = found.map(|it| (it.scenario, it.seed, it.why)).collect();
    let text = "the text of its scenario is not what was written";
    assert_eq!(
        found,
        [
            (1, 4, "it is not what was written"),
            (1, 5, "its build, scenario or names are missing"),
            (2, 1, text),
            (2, 2, text),
            (2, 3, text),
        ]
    );
    assert!(
        checked
            .damaged
            .iter()
            .all(|it| it.build == Some(Fingerprint::of(b"a")))
    );
    assert!(check(&folder.file(), true).unwrap().repaired);
    assert_eq!(check(&folder.file(), true).unwrap().damaged, []);
    assert_eq!(counts(&folder.file()), (vec![3], vec![3]));
    sound(&folder);
    let (short, long) = (scenario(1), scenario(2));
    let jobs = [seeds(&short, 5), seeds(&long, 3)].concat();
    let (_, summary) = run(Some(&open(&folder.file(), "a")), &jobs);
    assert_eq!(
        (summary.computed, summary.kept, summary.trouble),
        (5, 5, None)
    );
}

#[test]
fn a_dry_run_removes_nothing_and_says_what_would_be_removed() {
    let folder = Folder::new();
    fill(&folder.file(), "a", 1, 200);
    fill(&folder.file(), "b", 2, 300);
    let store = Store::open(&folder.file()).unwrap();
    let (short, file) = (scenario(1), folder.file());
    run(Some(&store), &seeds(&short, 10));
    let database = Connection::open(&file).unwrap();
    let used = "UPDATE build SET used = id WHERE id < 3";
    database.execute_batch(used).unwrap();
    let size = || std::fs::metadata(&file).unwrap().len();
    let before = size();
    // One page less than now: the oldest build goes.
    for (unwanted, runs, builds, left) in [
        (Unwanted::Beyond(before), 0, 0, 510),
        (Unwanted::Beyond(before - 1), 200, 1, 310),
        (Unwanted::OfScenario(1), 10, 0, 300),
        (Unwanted::OtherBuilds, 300, 1, 0),
    ] {
        let now = size();
        let dry = prune_file(&file, unwanted, true).unwrap();
        assert_eq!(
            (dry.runs, dry.builds >= builds),
            (runs, true),
            "{unwanted:?}"
        );
        assert_eq!(size(), now, "{unwanted:?}");
        assert_eq!(prune_file(&file, unwanted, false).unwrap(), dry);
        assert_eq!(now - size(), dry.bytes, "{unwanted:?}");
        assert_eq!(counts(&file).0.iter().sum::<u64>(), left, "{unwanted:?}");
    }
    sound(&folder);
}
