//! Inspecting a store: with SQL to list its runs, as JSON for their results.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::process::Command;

use dumbbell_run::outcome::Outcome;
use dumbbell_run::{Reading, Subject};
use dumbbell_store::{Fingerprint, Job, Key, Store, each, export};
use rusqlite::Connection;
use serde_json::Value;

use crate::jobs::{Folder, run, scenario, seeds, sound};

fn lines(folder: &Folder) -> (Vec<Value>, u64) {
    let mut out = Vec::new();
    let unreadable = export(&folder.file(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (lines.collect(), unreadable)
}

#[test]
fn every_run_is_a_line_of_json() {
    let folder = Folder::new();
    let scenario = scenario(2);
    let probed = Job {
        scenario: &scenario,
        seed: 9,
        probe: Some(&scenario.probe),
    };
    let jobs = [seeds(&scenario, 2), vec![probed]].concat();
    let store = Store::open(&folder.file()).unwrap();
    let (runs, _) = run(Some(&store), &jobs);
    // One more run, of another build.
    let other = Fingerprint::of(b"another");
    run(
        Some(&Store::open_for(&folder.file(), other).unwrap()),
        &jobs[..1],
    );
    let (lines, unreadable) = lines(&folder);
    assert_eq!((lines.len(), unreadable), (4, 0));
    for (line, done) in lines.iter().zip(&runs) {
        assert_eq!(line["build"], Fingerprint::of_this_build().to_string());
        assert_eq!(line["seed"], done.outcome.seed);
        let outcome: Outcome = serde_json::from_value(line["outcome"].clone()).unwrap();
        assert_eq!(outcome, done.outcome);
        assert_eq!(line["series"].as_array().unwrap().len(), done.series.len());
    }
    assert_eq!(lines[3]["build"], other.to_string());
    let (series, told) = (&runs[2].series, &lines[2]["series"]);
    assert_eq!(
        (series[0].subject, told[0]["flow"].as_u64()),
        (Subject::Flow(0), Some(0))
    );
    assert_eq!(told[0]["quantity"], series[0].quantity);
    let (time, Reading::Number(number)) = series[0].points[3] else {
        panic!("a number")
    };
    assert_eq!(told[0]["points"][3], serde_json::json!([time, number]));
    // The number of its scenario refers to the scenario's text.
    let text: String = sound(&folder)
        .query_row(
            "SELECT text FROM scenario WHERE id = ?1",
            [lines[0]["scenario"].as_i64()],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(text, Key::of(&scenario, 1, None).unwrap().scenario());
}

#[test]
fn the_query_in_the_documentation_works() {
    let folder = Folder::new();
    let (short, long) = (scenario(1), scenario(2));
    let store = Store::open(&folder.file()).unwrap();
    run(Some(&store), &[seeds(&short, 2), seeds(&long, 3)].concat());
    let source = include_str!("../../src/lib.rs").replace("\n//! ", "\n");
    let from = source.find("SELECT text").unwrap();
    let question = &source[from..from + source[from..].find('"').unwrap()];
    let rows = |database: &Connection| -> rusqlite::Result<BTreeMap<String, i64>> {
        let mut statement = database.prepare(question)?;
        statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    };
    let counts: BTreeMap<String, i64> = [(&short, 2), (&long, 3)]
        .map(|(scenario, count)| {
            (
                Key::of(scenario, 1, None).unwrap().scenario().to_owned(),
                count,
            )
        })
        .into();
    assert_eq!(rows(&sound(&folder)).unwrap(), counts);
    // The `sqlite3` command, if installed, gives the same result.
    let command = Command::new("sqlite3")
        .arg(folder.file())
        .arg(question)
        .output();
    match command {
        Ok(output) => {
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(
                output.status.success()
                    && text.contains("duration = \"2 s\"")
                    && text.contains("|3\n"),
                "{text}"
            );
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound),
    }
}

#[test]
fn reading_changes_nothing() {
    let folder = Folder::new();
    let look = || each(&folder.file(), |_| Ok(()));
    // No file is created or upgraded.
    assert!(look().is_err());
    assert!(!folder.file().exists());
    let database = Connection::open(folder.file()).unwrap();
    database
        .execute_batch(include_str!("version-1.sql"))
        .unwrap();
    drop(database);
    let before = std::fs::read(folder.file()).unwrap();
    let error = look().unwrap_err().to_string();
    assert!(error.contains("earlier version"), "{error}");
    assert_eq!(std::fs::read(folder.file()).unwrap(), before);
}

#[test]
fn the_callback_may_stop_reading_and_damaged_rows_are_counted() {
    let folder = Folder::new();
    let scenario = scenario(1);
    let store = Store::open(&folder.file()).unwrap();
    run(Some(&store), &seeds(&scenario, 3));
    let mut told = 0;
    let error = each(&folder.file(), |_| {
        told += 1;
        Err(io::Error::other("enough"))
    });
    assert_eq!(
        (told, error.unwrap_err().to_string().as_str()),
        (1, "enough")
    );
    let database = Connection::open(folder.file()).unwrap();
    database
        .execute_batch("UPDATE run SET checksum = checksum + 1 WHERE seed = 2")
        .unwrap();
    assert_eq!(lines(&folder).1, 1);
}
