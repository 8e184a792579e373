//! Runs of other builds are never used, and are removed on request or when the file is large.

use std::path::Path;

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use dumbbell_store::{Fingerprint, Pruned, ROOM, Store};
use rusqlite::Connection;

use crate::jobs::{Folder, kept, run, scenario, seeds, sound};

fn open(file: &Path, build: &str) -> Store {
    Store::open_for(file, Fingerprint::of(build.as_bytes())).unwrap()
}

/// Sets the time at which a build was last used, in seconds since 1970.
fn used(file: &Path, build: &str, at: i64) {
    let database = Connection::open(file).unwrap();
    let changed = database
        .execute(
            "UPDATE build SET used = ?1 WHERE fingerprint = ?2",
            rusqlite::params![at, Fingerprint::of(build.as_bytes()).as_bytes()],
        )
        .unwrap();
    assert_eq!(changed, 1);
}

/// A file with runs of three builds: `b` was used longest ago, then `c`.
fn three(folder: &Folder) {
    let (short, long) = (scenario(1), scenario(2));
    for (build, jobs) in [
        ("a", seeds(&short, 30)),
        ("b", seeds(&short, 40)),
        ("c", seeds(&long, 50)),
    ] {
        let store = open(&folder.file(), build);
        let (_, summary) = run(Some(&store), &jobs);
        assert_eq!(summary.kept, jobs.len());
    }
    used(&folder.file(), "b", 1_000_000);
    used(&folder.file(), "c", 2_000_000);
}

#[test]
fn runs_of_another_build_are_never_used() {
    let folder = Folder::new();
    let scenario = scenario(2);
    let jobs = seeds(&scenario, 4);
    let (first, _) = run(Some(&open(&folder.file(), "a")), &jobs);
    let other = open(&folder.file(), "b");
    assert_eq!(other.runs().unwrap(), 0);
    assert_eq!(kept(&other, &jobs[0]), None);
    let (second, summary) = run(Some(&other), &jobs[..3]);
    assert_eq!((summary.computed, summary.kept), (3, 3));
    assert_eq!(first[..3], second);
    // As if the program of the other build had computed another result.
    let mut differs = first[3].clone();
    differs.outcome.packets += 1;
    other.put(&jobs[3].key().unwrap(), &differs).unwrap();
    // Both runs are stored now, each under its own build.
    let (again, summary) = run(Some(&open(&folder.file(), "a")), &jobs);
    assert_eq!((summary.computed, &again), (0, &first));
    assert_eq!(kept(&other, &jobs[3]), Some(differs));
    sound(&folder);
}

#[test]
fn pruning_keeps_the_runs_of_this_build() {
    let folder = Folder::new();
    three(&folder);
    let size = || std::fs::metadata(folder.file()).unwrap().len();
    let before = size();
    let store = open(&folder.file(), "a");
    let pruned = store.prune(0).unwrap();
    assert_eq!((pruned.builds, pruned.runs), (2, 90));
    assert_eq!(pruned.bytes, before - size());
    assert!(pruned.bytes > 0);
    assert_eq!(store.runs().unwrap(), 30);
    assert_eq!(store.prune(0).unwrap(), Pruned::default());
    // The scenario of 2 s, which only `c` used, was removed too.
    let scenarios: i64 = sound(&folder)
        .query_row("SELECT count(*) FROM scenario", [], |row| row.get(0))
        .unwrap();
    assert_eq!(scenarios, 1);
}

#[test]
fn names_are_removed_with_the_last_run_that_uses_them() {
    let folder = Folder::new();
    let short = scenario(1);
    let named = short
        .canonical()
        .replacen("name = \"veno\"", "name = \"first\"", 1);
    let other = Scenario::parse("test", &named, &Controls::builtin()).unwrap();
    let words = || -> i64 {
        sound(&folder)
            .query_row("SELECT count(*) FROM words", [], |row| row.get(0))
            .unwrap()
    };
    for (build, scenario, expected) in [("a", &short, 1), ("b", &short, 1), ("b", &other, 2)] {
        run(Some(&open(&folder.file(), build)), &seeds(scenario, 3));
        assert_eq!(words(), expected);
    }
    let store = open(&folder.file(), "a");
    store.prune(0).unwrap();
    assert_eq!(words(), 1);
    assert!(kept(&store, &seeds(&short, 1)[0]).is_some());
}

#[test]
fn the_build_used_longest_ago_is_removed_first() {
    let folder = Folder::new();
    three(&folder);
    let size = std::fs::metadata(folder.file()).unwrap().len();
    let store = open(&folder.file(), "a");
    assert_eq!(store.prune(size).unwrap(), Pruned::default());
    let pruned = store.prune(size - 1).unwrap();
    assert_eq!((pruned.builds, pruned.runs), (1, 40));
    assert_eq!(open(&folder.file(), "b").runs().unwrap(), 0);
    assert_eq!(open(&folder.file(), "c").runs().unwrap(), 50);
}

#[test]
fn a_build_that_only_reads_counts_as_used() {
    let folder = Folder::new();
    three(&folder);
    // `b` has been opened today, so it is now newer than `c`.
    drop(open(&folder.file(), "b"));
    let size = std::fs::metadata(folder.file()).unwrap().len();
    let pruned = open(&folder.file(), "a").prune(size - 1).unwrap();
    assert_eq!((pruned.builds, pruned.runs), (1, 50));
    assert_eq!(open(&folder.file(), "b").runs().unwrap(), 40);
}

#[test]
fn opening_a_large_file_prunes_it() {
    let folder = Folder::new();
    three(&folder);
    let database = Connection::open(folder.file()).unwrap();
    let grow = |build: &str| {
        let bytes = i64::try_from(ROOM).unwrap() + 1;
        database
            .execute_batch(&format!(
                "PRAGMA synchronous = OFF;
                 UPDATE run SET series = zeroblob({bytes}) WHERE id = (
                     SELECT min(run.id) FROM run JOIN build ON build.id = run.build
                     WHERE build.used = {build})"
            ))
            .unwrap();
    };
    grow("1000000");
    let size = || std::fs::metadata(folder.file()).unwrap().len();
    assert!(size() > ROOM);
    let store = open(&folder.file(), "a");
    assert!(size() < 1 << 20);
    assert_eq!(store.runs().unwrap(), 30);
    assert_eq!(open(&folder.file(), "c").runs().unwrap(), 50);
    assert_eq!(open(&folder.file(), "b").runs().unwrap(), 0);
    sound(&folder);
}
