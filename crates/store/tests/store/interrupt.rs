//! Ctrl-C: finished runs are stored, and afterwards only the rest is computed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use dumbbell_store::{Advance, Job, Runner, Store};

use crate::jobs::{Folder, kept, run, scenario, seeds, sound};

#[test]
fn an_interrupt_loses_no_finished_run() {
    let folder = Folder::new();
    let scenario = scenario(5);
    let jobs = seeds(&scenario, 60);
    let store = Store::open(&folder.file()).unwrap();
    let interrupted = AtomicBool::new(false);
    let runner = Runner {
        store: Some(&store),
        threads: 2,
        interrupted: &interrupted,
    };
    let mut results = Vec::new();
    let first = runner.run(
        &jobs,
        |_| {},
        |_, run| {
            results.push(run);
            interrupted.store(results.len() >= 20, Ordering::Relaxed);
        },
    );
    assert_eq!(first.done, results.len());
    assert!((20..60).contains(&first.done), "{first:?}");
    assert!(first.computed >= first.done);
    assert_eq!((first.kept, &first.trouble), (first.computed, &None));
    drop(store);
    sound(&folder);

    let store = Store::open(&folder.file()).unwrap();
    assert_eq!(store.runs().unwrap(), first.kept as u64);
    let (all, second) = run(Some(&store), &jobs);
    assert_eq!((second.done, second.computed), (60, 60 - first.computed));
    assert_eq!(all[..results.len()], results);
    assert_eq!(all, run(None, &jobs).0);
}

#[test]
fn a_run_after_an_unfinished_one_is_stored() {
    let (endless, short) = (scenario(2_000_000), scenario(2));
    let store = Store::in_memory().unwrap();
    let first = Job {
        scenario: &endless,
        seed: 1,
        probe: None,
    };
    let jobs: Vec<Job<'_>> = std::iter::once(first).chain(seeds(&short, 10)).collect();
    let (interrupted, hundredths) = (AtomicBool::new(false), AtomicU64::new(0));
    let runner = Runner {
        store: Some(&store),
        threads: 2,
        interrupted: &interrupted,
    };
    let progress = |advance: Advance| {
        let more = advance.steps;
        if hundredths.fetch_add(more, Ordering::Relaxed) + more >= 500 {
            interrupted.store(true, Ordering::Relaxed);
        }
    };
    let summary = runner.run(&jobs, progress, |_, _| panic!("there is no first result"));
    assert_eq!(summary.done, 0);
    assert!(summary.computed >= 4, "{summary:?}");
    assert_eq!(summary.kept, summary.computed);
    let found = jobs[1..]
        .iter()
        .filter(|job| kept(&store, job).is_some())
        .count();
    assert_eq!(found, summary.kept);
}

#[test]
fn a_finished_run_is_stored_while_others_are_in_progress() {
    let folder = Folder::new();
    let (short, endless) = (scenario(1), scenario(2_000_000));
    let jobs = [seeds(&short, 3), seeds(&endless, 1)].concat();
    let store = Store::open(&folder.file()).unwrap();
    let other = Store::open(&folder.file()).unwrap();
    let interrupted = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let runner = Runner {
                store: Some(&store),
                threads: 1,
                interrupted: &interrupted,
            };
            runner.run(&jobs, |_| {}, |_, _| {})
        });
        while other.runs().unwrap() < 3 && !running.is_finished() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!running.is_finished());
        interrupted.store(true, Ordering::Relaxed);
        let summary = running.join().unwrap();
        assert_eq!((summary.done, summary.computed, summary.kept), (3, 3, 3));
    });
}

#[test]
fn an_interrupt_before_the_start_computes_nothing() {
    let scenario = scenario(2);
    let store = Store::in_memory().unwrap();
    run(Some(&store), &seeds(&scenario, 2));
    let runner = Runner {
        store: Some(&store),
        threads: 2,
        interrupted: &AtomicBool::new(true),
    };
    let summary = runner.run(
        &seeds(&scenario, 5),
        |_| {},
        |_, _| panic!("it was interrupted"),
    );
    assert_eq!((summary.done, summary.computed), (0, 0));
}
