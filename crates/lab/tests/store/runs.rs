//! Runs are computed once.

use dumbbell_lab::store::{Job, Store};

use crate::jobs::{Folder, run, scenario, seeds, timeless};

#[test]
fn a_finished_run_is_not_repeated() {
    let folder = Folder::new();
    let scenario = scenario(5);
    let jobs = seeds(&scenario, 12);
    let (plain, summary) = run(None, &jobs);
    assert_eq!((summary.done, summary.computed, summary.kept), (12, 12, 0));
    let store = Store::open(&folder.file()).unwrap();
    let (part, summary) = run(Some(&store), &jobs[3..6]);
    assert_eq!((summary.done, summary.computed, summary.kept), (3, 3, 3));
    let (first, summary) = run(Some(&store), &jobs);
    assert_eq!((summary.done, summary.computed, summary.kept), (12, 9, 9));
    assert_eq!(first[3..6], part);
    drop(store);
    let store = Store::open(&folder.file()).unwrap();
    let (again, summary) = run(Some(&store), &jobs);
    assert_eq!((summary.done, summary.computed, summary.kept), (12, 0, 0));
    assert_eq!(summary.trouble, None);
    // Taken from the store they are what was computed, the times that it took included.
    assert_eq!(again, first);
    assert_eq!(timeless(again), timeless(plain));
}

#[test]
fn equal_jobs_are_computed_once() {
    let (short, long) = (scenario(2), scenario(3));
    let jobs: Vec<Job<'_>> = [&short, &long, &short, &short, &long]
        .into_iter()
        .zip([1, 1, 1, 2, 1])
        .map(|(scenario, seed)| Job {
            scenario,
            seed,
            probe: None,
        })
        .collect();
    for store in [None, Some(Store::in_memory().unwrap())] {
        let (runs, summary) = run(store.as_ref(), &jobs);
        assert_eq!((summary.done, summary.computed), (5, 3));
        assert_eq!((&runs[0], &runs[1]), (&runs[2], &runs[4]));
        assert_ne!(runs[0], runs[3]);
    }
}
