//! Rows that are damaged or belong to another run count as not stored.

use dumbbell_store::{Job, Store};
use rusqlite::Connection;

use crate::jobs::{Folder, kept, run, scenario, seeds};

#[test]
fn a_wrong_bit_in_a_row_is_detected() {
    let folder = Folder::new();
    let scenario = scenario(2);
    let job = Job {
        scenario: &scenario,
        seed: 1,
        probe: Some(&scenario.probe),
    };
    let store = Store::open(&folder.file()).unwrap();
    let (runs, _) = run(Some(&store), &[job]);
    let database = Connection::open(folder.file()).unwrap();
    database.execute_batch("PRAGMA synchronous = OFF").unwrap();
    for (table, column) in [("run", "outcome"), ("run", "series"), ("words", "bytes")] {
        let sound: Vec<u8> = database
            .query_row(&format!("SELECT {column} FROM {table}"), [], |row| {
                row.get(0)
            })
            .unwrap();
        let set = |bytes: &[u8]| {
            database
                .execute(&format!("UPDATE {table} SET {column} = ?1"), [bytes])
                .unwrap();
        };
        // Testing every bit of the longest rows would take too long.
        for bit in (0..sound.len() * 8).step_by(1 + sound.len() / 40) {
            let mut wrong = sound.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            set(&wrong);
            assert_eq!(kept(&store, &job), None, "bit {bit} of {column}");
        }
        set(&sound);
        assert_eq!(kept(&store, &job).as_ref(), runs.first());
    }
}

#[test]
fn a_run_under_another_key_is_detected() {
    let folder = Folder::new();
    let (short, long) = (scenario(1), scenario(2));
    let jobs = [seeds(&short, 2), seeds(&long, 2)].concat();
    let store = Store::open(&folder.file()).unwrap();
    let (runs, _) = run(Some(&store), &jobs);
    let database = Connection::open(folder.file()).unwrap();
    let free = "PRAGMA foreign_keys = OFF";
    database.execute_batch(free).unwrap();
    // Each row is now in the place of another: first by its seed, then by its scenario.
    for swap in [
        "seed = -seed; UPDATE run SET seed = 3 + seed",
        "scenario = -scenario; UPDATE run SET scenario = 3 + scenario",
    ] {
        let swap = format!("UPDATE run SET {swap}");
        database.execute_batch(&swap).unwrap();
        assert!(jobs.iter().all(|job| kept(&store, job).is_none()));
        database.execute_batch(&swap).unwrap();
        assert_eq!(kept(&store, &jobs[3]).as_ref(), runs.last());
    }
}

#[test]
fn a_run_without_its_samples_is_detected() {
    let folder = Folder::new();
    let scenario = scenario(1);
    let job = Job {
        scenario: &scenario,
        seed: 1,
        probe: Some(&scenario.probe),
    };
    let store = Store::open(&folder.file()).unwrap();
    run(Some(&store), &[job]);
    let database = Connection::open(folder.file()).unwrap();
    database
        .execute_batch("UPDATE run SET series = NULL")
        .unwrap();
    assert_eq!(kept(&store, &job), None);
}
