//! Runs are computed only once, and the store returns what the simulator computed.

use std::sync::atomic::AtomicBool;

use dumbbell_scenario::controls::{Added, Control, Controls};
use dumbbell_scenario::rate_controls::AddedRate;
use dumbbell_scenario::{Instant, Probe, ProbeValue, Scenario};
use dumbbell_store::{Job, Runner, Store};
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

/// The scenario with a control that fails when the connection begins, whose code is known.
fn failing() -> Scenario {
    let mut controls = Controls::builtin();
    let Some(Control::Builtin(reno)) = controls.named("reno") else {
        panic!("Reno is built in")
    };
    let failing = Added::new("failing", move |_, path, alarm| {
        alarm.raise(Instant::from_nanos(7), "it does not work");
        Box::new(reno.build(path))
    });
    let failing = failing.identified(|| Some([3; 32]));
    controls.add(failing).unwrap();
    let text = scenario(2)
        .canonical()
        .replacen("{ name = \"veno\"", "\"failing\" #", 1);
    Scenario::parse("test", &text, &controls).unwrap()
}

#[test]
fn a_control_that_fails_ends_all_runs_and_is_not_stored() {
    let (good, bad) = (scenario(2), failing());
    let store = Store::in_memory().unwrap();
    let mut jobs = seeds(&good, 3);
    let broken = Job {
        scenario: &bad,
        seed: 1,
        probe: None,
    };
    jobs.push(broken);
    jobs.extend(seeds(&good, 500).into_iter().skip(3));
    let flag = AtomicBool::new(false);
    let runner = Runner {
        store: Some(&store),
        threads: 2,
        interrupted: &flag,
    };
    let mut delivered = Vec::new();
    let summary = runner.run(&jobs, |_| {}, |index, _| delivered.push(index));
    let failure = summary.failure.expect("a control fails");
    assert_eq!(failure.error.to_string(), "it does not work");
    assert_eq!(failure.at.as_nanos(), 7);
    assert!(delivered.iter().all(|index| *index < 3), "{delivered:?}");
    assert!(summary.computed < 100, "{}", summary.computed);
    assert_eq!(kept(&store, &broken), None);
    assert_eq!(store.runs().unwrap(), summary.computed as u64);
}

#[test]
fn the_code_of_an_added_rate_control_is_in_the_key() {
    let key = |code: Option<u8>| {
        let mut controls = Controls::builtin();
        let mine = AddedRate::new("mine", |_, _, _| unreachable!("it does not run"));
        let mine = mine.identified(move || code.map(|code| [code; 32]));
        controls.add_rate(mine).unwrap();
        let text = "
            duration = \"1 s\"
            [dumbbell]
            access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
            bottleneck = { rate = \"1 Mb/s\", delay = \"20 ms\", queue = { droptail = 9 } }
            [[flow]]
            rate_control = \"mine\"";
        let scenario = Scenario::parse("test", text, &controls).unwrap();
        let job = Job {
            scenario: &scenario,
            seed: 1,
            probe: None,
        };
        job.key()
    };
    assert_eq!(key(None), None);
    assert_eq!(key(Some(1)), key(Some(1)));
    assert_ne!(key(Some(1)), key(Some(2)));
    let text = key(Some(0)).unwrap().scenario().to_owned();
    let line = format!("# code of rate control mine: {}\n", "00".repeat(32));
    assert!(text.starts_with(&line), "{text}");
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
