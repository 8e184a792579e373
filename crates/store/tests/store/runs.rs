//! Runs are computed only once, and the store returns what the simulator computed.

use dumbbell_scenario::controls::{Control, Controls};
use dumbbell_scenario::{Probe, ProbeValue, Scenario};
use dumbbell_store::{Job, Store};
use proptest::prelude::*;

use crate::jobs::{Folder, kept, run, scenario, seeds};
use crate::small;

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
    assert_eq!(summary.taken, 3);
    assert_eq!(first[3..6], part);
    drop(store);
    let store = Store::open(&folder.file()).unwrap();
    let (again, summary) = run(Some(&store), &jobs);
    assert_eq!((summary.done, summary.computed, summary.kept), (12, 0, 0));
    assert_eq!(summary.taken, 12);
    assert_eq!(summary.trouble, None);
    // The runs from the store equal the computed ones.
    assert_eq!(again, first);
    assert_eq!(again, plain);
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

#[test]
fn samples_are_stored_if_requested() {
    let scenario = scenario(3);
    let store = Store::in_memory().unwrap();
    let windows = Probe {
        values: vec![ProbeValue::Cwnd],
        ..Probe::default()
    };
    let with = |probe| Job {
        scenario: &scenario,
        seed: 1,
        probe,
    };
    let (bare, _) = run(Some(&store), &[with(None)]);
    assert!(bare[0].series.is_empty());
    // A run that was stored without samples, or with others, cannot be used.
    let (all, summary) = run(Some(&store), &[with(Some(&scenario.probe))]);
    assert_eq!((summary.computed, summary.kept), (1, 1));
    let (few, summary) = run(Some(&store), &[with(Some(&windows))]);
    assert_eq!((summary.computed, summary.kept), (1, 1));
    assert!(few[0].series.len() < all[0].series.len());
    let jobs = [
        with(None),
        with(Some(&scenario.probe)),
        with(Some(&windows)),
    ];
    let (again, summary) = run(Some(&store), &jobs);
    assert_eq!(summary.computed, 0);
    assert_eq!(again, [bare, all, few].concat());
}

#[test]
fn runs_with_a_custom_control_of_unknown_code_are_computed_every_time() {
    let custom = with_mine(None);
    let builtin = scenario(2);
    let jobs = [seeds(&custom, 2), seeds(&builtin, 2), seeds(&custom, 1)].concat();
    let store = Store::in_memory().unwrap();
    let (first, summary) = run(Some(&store), &jobs);
    assert_eq!(
        (summary.computed, summary.kept, summary.trouble),
        (5, 2, None)
    );
    let (second, summary) = run(Some(&store), &jobs);
    assert_eq!(
        (summary.computed, summary.kept, summary.trouble),
        (3, 0, None)
    );
    assert_eq!(store.runs().unwrap(), 2);
    assert_eq!(first, second);
}

#[test]
fn runs_with_a_custom_control_are_shared_by_the_same_code_only() {
    let store = Store::in_memory().unwrap();
    let results = |code, computed| {
        let custom = with_mine(Some(code));
        let (results, summary) = run(Some(&store), &seeds(&custom, 3));
        assert_eq!((summary.computed, summary.kept), (computed, computed));
        results
    };
    let first = results([1; 32], 3);
    assert_eq!(results([1; 32], 0), first);
    // The code is the same here in truth, and so are its results, but the store cannot know that.
    assert_eq!(results([2; 32], 3), first);
    assert_eq!(store.runs().unwrap(), 6);
}

/// The scenario with Reno under another name, whose code has this hash.
fn with_mine(code: Option<[u8; 32]>) -> Scenario {
    let mut controls = Controls::builtin();
    let reno = controls.named("reno").unwrap();
    let recoveries = reno.recoveries();
    let Control::Builtin(reno) = reno else {
        panic!("Reno is built in")
    };
    controls
        .register("mine", "", &recoveries, move |path| {
            Box::new(reno.build(path))
        })
        .unwrap();
    controls.identify(move || code);
    let text = scenario(2)
        .canonical()
        .replacen("{ name = \"veno\"", "\"mine\" #", 1);
    assert!(text.contains("mine"));
    Scenario::parse("test", &text, &controls).unwrap()
}

#[test]
fn a_row_that_cannot_be_read_is_computed_and_replaced() {
    let folder = Folder::new();
    let scenario = scenario(2);
    let probed = Job {
        scenario: &scenario,
        seed: 9,
        probe: Some(&scenario.probe),
    };
    let jobs = [seeds(&scenario, 3), vec![probed]].concat();
    let store = Store::open(&folder.file()).unwrap();
    let (first, _) = run(Some(&store), &jobs);
    let database = rusqlite::Connection::open(folder.file()).unwrap();
    database
        .execute_batch(
            "UPDATE run SET outcome = substr(outcome, 9) WHERE seed = 2;
             UPDATE run SET outcome = x'ff' WHERE seed = 3;
             UPDATE run SET series = x'ff' WHERE seed = 9;",
        )
        .unwrap();
    for job in &jobs[1..] {
        assert_eq!(kept(&store, job), None);
    }
    let (second, summary) = run(Some(&store), &jobs);
    assert_eq!((summary.done, summary.computed, summary.kept), (4, 3, 3));
    assert_eq!(first, second.clone());
    let (third, summary) = run(Some(&store), &jobs);
    assert_eq!(summary.computed, 0);
    assert_eq!(third, second);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_store_returns_what_the_simulator_computed(
        text in small::scenario(),
        seed: u64,
        sampled: bool,
    ) {
        let scenario = Scenario::parse("test", &text, &Controls::builtin()).unwrap();
        let job = Job { scenario: &scenario, seed, probe: sampled.then_some(&scenario.probe) };
        let store = Store::in_memory().unwrap();
        let (computed, _) = run(Some(&store), &[job]);
        let (taken, summary) = run(Some(&store), &[job]);
        prop_assert_eq!(summary.computed, 0);
        // The text of a float determines its bits.
        prop_assert_eq!(format!("{computed:?}"), format!("{taken:?}"));
        let (again, _) = run(None, &[job]);
        prop_assert_eq!(taken, again);
    }
}
