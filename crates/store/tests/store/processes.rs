//! Several processes with one store, and processes that are killed.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use dumbbell_run::Done;
use dumbbell_store::Store;

use crate::child;
use crate::jobs::{Folder, kept, run, scenario, seeds, sound};

/// Waits until the condition holds, for at most half a minute.
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(30), "never: {what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Ends a process as `kill -9` does.
fn kill(mut process: Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}

/// The number of runs in the file, as any other process reads it.
fn runs(file: &Path) -> u64 {
    Store::open(file).unwrap().runs().unwrap()
}

#[test]
fn stored_runs_survive_kill_9() {
    let folder = Folder::new();
    let file = folder.file();
    let journal = file.with_file_name("runs.sqlite-journal");
    let mut before = 0;
    for round in 0..6 {
        let process = child::process(&[], "endless", &file).spawn().unwrap();
        wait_until("a run is kept", || file.exists() && runs(&file) > before);
        if round % 2 == 0 {
            // As close to the middle of the next commit as possible.
            wait_until("a commit", || journal.exists());
        } else {
            std::thread::sleep(Duration::from_millis(40 * round));
        }
        kill(process);
        let after = runs(&file);
        assert!(after > before);
        before = after;
        sound(&folder);
    }
    // Every row is a complete run, and the runs are equal to those of an undisturbed process.
    let scenario = scenario(20);
    let count = before + 20;
    let jobs = seeds(&scenario, count);
    let store = Store::open(&file).unwrap();
    let found: Vec<Done> = jobs.iter().filter_map(|job| kept(&store, job)).collect();
    assert_eq!(found.len() as u64, before);
    let (all, summary) = run(Some(&store), &jobs);
    assert_eq!(summary.computed as u64, count - before);
    assert_eq!(summary.trouble, None);
    let sample: Vec<usize> = (0..jobs.len()).step_by(jobs.len() / 10).collect();
    for index in sample {
        let (again, _) = run(None, &jobs[index..=index]);
        assert_eq!(vec![all[index].clone()], again);
    }
}

#[test]
fn two_processes_share_a_store() {
    let folder = Folder::new();
    let file = folder.file();
    // At first neither process finds the file.
    let processes: Vec<Child> = (0..2)
        .map(|_| child::process(&[], "share", &file).spawn().unwrap())
        .collect();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}\n{wrong}");
    }
    let rows: i64 = sound(&folder)
        .query_row("SELECT count(*) FROM run", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 400);
    // A third process has nothing to compute.
    let text = child::finish(child::process(&[], "share", &file));
    assert!(text.contains("computed 0\n"), "{text}");
}

#[test]
fn a_reader_does_not_block_a_writer() {
    let folder = Folder::new();
    let scenario = scenario(5);
    let jobs = seeds(&scenario, 300);
    let writer = Store::open(&folder.file()).unwrap();
    let reader = Store::open(&folder.file()).unwrap();
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let mut last = 0;
            while last < 300 {
                let found = reader.runs().unwrap();
                assert!(found >= last);
                last = found;
            }
        });
        let (_, summary) = run(Some(&writer), &jobs);
        assert_eq!((summary.kept, summary.trouble), (300, None));
        reading.join().unwrap();
    });
}

/// The first of four openers creates the tables. The others find the file either empty or complete.
#[test]
fn a_store_can_be_opened_while_it_is_created() {
    for _ in 0..100 {
        let folder = Folder::new();
        let file = folder.file();
        std::thread::scope(|scope| {
            let openers = [(); 4].map(|()| scope.spawn(|| runs(&file)));
            for opener in openers {
                assert_eq!(opener.join().unwrap(), 0);
            }
        });
    }
}
