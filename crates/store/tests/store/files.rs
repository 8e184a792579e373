//! Files that are not stores, or stores that cannot be used: opening them is an error, and does not
//! change the file.

use std::fs;

use dumbbell_store::{Store, StoreError, Trouble};
use rusqlite::Connection;

use crate::jobs::{Folder, run, scenario, seeds, sound};

/// Returns the error of opening the file as a store. Checks that the file is unchanged and that the
/// error names it.
fn refusal(folder: &Folder) -> StoreError {
    let before = fs::read(folder.file()).unwrap();
    let error = Store::open(&folder.file()).err().expect("it was opened");
    assert_eq!(fs::read(folder.file()).unwrap(), before);
    let text = error.to_string();
    assert!(
        text.contains(&folder.file().display().to_string()),
        "{text}"
    );
    assert!(text.contains("\nhelp: "), "{text}");
    error
}

#[test]
fn a_file_of_another_kind() {
    let folder = Folder::new();
    fs::write(folder.file(), "duration = \"10 s\"\n".repeat(100)).unwrap();
    assert_eq!(refusal(&folder).trouble, Trouble::Foreign);
}

/// Its program was killed between the first byte and the first table.
#[test]
fn a_file_without_tables_has_no_runs_yet() {
    let folder = Folder::new();
    let database = Connection::open(folder.file()).unwrap();
    database
        .execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
        .unwrap();
    drop(database);
    assert!(fs::metadata(folder.file()).unwrap().len() > 0);
    assert!(Store::look(&folder.file()).unwrap().is_none());
    drop(Store::open(&folder.file()).unwrap());
    assert!(Store::look(&folder.file()).unwrap().is_some());
}

#[test]
fn another_programs_database() {
    let folder = Folder::new();
    let database = Connection::open(folder.file()).unwrap();
    database
        .execute_batch("CREATE TABLE bookmark (url TEXT)")
        .unwrap();
    drop(database);
    assert_eq!(refusal(&folder).trouble, Trouble::Foreign);
    let database = Connection::open(folder.file()).unwrap();
    database
        .execute_batch("DROP TABLE bookmark; PRAGMA application_id = 7")
        .unwrap();
    drop(database);
    assert_eq!(refusal(&folder).trouble, Trouble::Foreign);
}

#[test]
fn a_newer_version() {
    let folder = Folder::new();
    drop(Store::open(&folder.file()).unwrap());
    let database = Connection::open(folder.file()).unwrap();
    database
        .execute_batch("PRAGMA user_version = 6; DROP TABLE run")
        .unwrap();
    drop(database);
    let error = refusal(&folder);
    assert_eq!(error.trouble, Trouble::Newer);
    assert!(error.to_string().contains("version 6"), "{error}");
}

#[test]
fn an_earlier_version_is_upgraded() {
    let folder = Folder::new();
    let database = Connection::open(folder.file()).unwrap();
    database
        .execute_batch(include_str!("version-1.sql"))
        .unwrap();
    // As large as a store can be.
    database
        .execute_batch("UPDATE run SET series = zeroblob(10000000)")
        .unwrap();
    drop(database);
    let store = Store::open(&folder.file()).unwrap();
    assert_eq!(store.runs(), Ok(0));
    let rows = "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM build)";
    let rows: i64 = sound(&folder)
        .query_row(rows, [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 0);
    // The space has been returned to the disk.
    assert!(fs::metadata(folder.file()).unwrap().len() < 100_000);
    let scenario = scenario(1);
    let (first, summary) = run(Some(&store), &seeds(&scenario, 5));
    assert_eq!((summary.kept, summary.trouble), (5, None));
    drop(store);
    let store = Store::open(&folder.file()).unwrap();
    let (again, summary) = run(Some(&store), &seeds(&scenario, 5));
    assert_eq!((summary.computed, again), (0, first));
}

#[test]
fn a_folder_and_an_impossible_path() {
    let folder = Folder::new();
    fs::create_dir(folder.file()).unwrap();
    let error = Store::open(&folder.file()).err().unwrap();
    assert_eq!(error.trouble, Trouble::Unopenable);
    let inside = folder.file().with_extension("txt");
    fs::write(&inside, "").unwrap();
    let error = Store::open(&inside.join("runs.sqlite")).err().unwrap();
    assert_eq!(error.trouble, Trouble::Unopenable);
}

#[test]
fn an_empty_file_becomes_a_store_and_a_missing_folder_is_created() {
    let folder = Folder::new();
    fs::write(folder.file(), "").unwrap();
    assert_eq!(Store::open(&folder.file()).unwrap().runs(), Ok(0));
    let deep = folder.file().with_file_name("a").join("b").join("runs");
    assert_eq!(Store::open(&deep).unwrap().runs(), Ok(0));
}

/// A store of fifty runs, and these runs.
fn filled(folder: &Folder) -> Vec<dumbbell_run::Done> {
    let scenario = scenario(1);
    let store = Store::open(&folder.file()).unwrap();
    run(Some(&store), &seeds(&scenario, 50)).0
}

#[test]
fn a_truncated_file() {
    let folder = Folder::new();
    filled(&folder);
    let bytes = fs::read(folder.file()).unwrap();
    for length in [bytes.len() / 2, 4096, 50] {
        fs::write(folder.file(), &bytes[..length]).unwrap();
        assert_eq!(refusal(&folder).trouble, Trouble::Damaged);
    }
}

#[test]
fn damage_that_is_detected_later_does_not_affect_results() {
    let folder = Folder::new();
    let first = filled(&folder);
    let mut bytes = fs::read(folder.file()).unwrap();
    // Everything except the first page, which holds the names of the tables.
    bytes[4096..].fill(0x5a);
    fs::write(folder.file(), &bytes).unwrap();
    let scenario = scenario(1);
    let jobs = seeds(&scenario, 50);
    let store = match Store::open(&folder.file()) {
        Ok(store) => store,
        Err(error) => panic!("{error}"),
    };
    let (again, summary) = run(Some(&store), &jobs);
    assert_eq!((summary.done, summary.computed, summary.kept), (50, 50, 0));
    let trouble = summary.trouble.unwrap();
    assert_eq!(trouble.trouble, Trouble::Damaged);
    assert!(trouble.to_string().contains(".recover"), "{trouble}");
    assert_eq!(again, first);
    assert_eq!(fs::read(folder.file()).unwrap(), bytes);
}
