//! What goes into a store comes out of it, to the bit.

use dumbbell_run::Done;
use dumbbell_run::outcome::{FlowOutcome, LinkOutcome, Outcome};
use dumbbell_store::{Key, Store};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::jobs::{Folder, kept, run, scenario, seeds, sound};

/// Any number that is one, the smallest and the largest, and -0.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => any::<u64>().prop_map(f64::from_bits).prop_filter("a number", |n| n.is_finite()),
        1 => select(vec![-0.0, 0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.1, 1e15 / 3.0]),
    ]
}

fn flow() -> impl Strategy<Value = FlowOutcome> {
    let recovery = option::of(select(vec!["tahoe", "reno", "newreno", "sack", "vegas"]));
    (
        (any::<String>(), any::<String>(), any::<bool>(), recovery),
        (number(), number(), number()),
        any::<[u64; 4]>(),
        (
            option::of(number()),
            option::of(number()),
            option::of(number()),
            option::of(number()),
        ),
    )
        .prop_map(
            |(
                (name, control, reconstructed, recovery),
                (goodput_bps, throughput_bps, start_s),
                counts,
                rest,
            )| {
                let [sent, retransmits, timeouts, fast_recoveries] = counts;
                let (finish_s, rtt_mean_s, rtt_p95_s, cwnd_mean) = rest;
                FlowOutcome {
                    name,
                    control,
                    reconstructed,
                    recovery,
                    goodput_bps,
                    throughput_bps,
                    sent,
                    retransmits,
                    timeouts,
                    fast_recoveries,
                    ecn_cuts: retransmits / 2,
                    marks: timeouts,
                    classified: Vec::new(),
                    start_s,
                    finish_s,
                    rtt_mean_s,
                    rtt_p95_s,
                    cwnd_mean,
                    sending_variation: cwnd_mean.map(f64::abs),
                }
            },
        )
}

fn link() -> impl Strategy<Value = LinkOutcome> {
    (
        any::<String>(),
        any::<[u64; 7]>(),
        number(),
        number(),
        option::of(number()),
    )
        .prop_map(
            |(
                name,
                [sent, delivered, dropped, lost, early, marked, filtered],
                utilisation,
                queue_mean,
                wait_mean_s,
            )| {
                LinkOutcome {
                    name,
                    sent,
                    delivered,
                    dropped,
                    lost,
                    early,
                    marked,
                    filtered,
                    utilisation,
                    queue_mean,
                    wait_mean_s,
                }
            },
        )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    (
        (vec(flow(), 0..4), vec(link(), 0..4)),
        any::<[u64; 3]>(),
        any::<String>(),
    )
        .prop_map(
            |((flows, links), [packets, events, seed], version)| Outcome {
                flows,
                links,
                packets,
                events,
                seed,
                version: version.into(),
            },
        )
}

proptest! {
    #[test]
    fn every_outcome_comes_back(outcome in outcome(), seed: u64) {
        let store = Store::in_memory().unwrap();
        let key = Key::of(&scenario(1), seed, None).unwrap();
        let run = Done { outcome, series: Vec::new() };
        store.put(&key, &run).unwrap();
        let found = store.get(&key).unwrap().unwrap();
        // The text of a float names its bits.
        prop_assert_eq!(format!("{found:?}"), format!("{run:?}"));
        prop_assert_eq!(store.get(&key.with_seed(seed ^ 1)).unwrap(), None);
    }
}

#[test]
fn what_is_no_number_is_not_kept() {
    let store = Store::in_memory().unwrap();
    let scenario = scenario(1);
    let jobs = seeds(&scenario, 1);
    let (runs, _) = run(None, &jobs);
    let key = Key::of(&scenario, 1, None).unwrap();
    for broken in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        // In a place that must have a number, and in one that may be empty.
        let mut run = runs[0].clone();
        run.outcome.links[0].utilisation = broken;
        store.put(&key, &run).unwrap();
        let mut run = runs[0].clone();
        run.outcome.flows[0].cwnd_mean = Some(broken);
        store.put(&key, &run).unwrap();
        assert_eq!(store.get(&key).unwrap(), None);
    }
    store.put(&key, &runs[0]).unwrap();
    assert_eq!(kept(&store, &jobs[0]).as_ref(), Some(&runs[0]));
}

#[test]
fn the_newest_of_a_key_is_kept() {
    let store = Store::in_memory().unwrap();
    let scenario = scenario(1);
    let (runs, _) = run(None, &seeds(&scenario, 2));
    let key = Key::of(&scenario, 1, None).unwrap();
    for run in &runs {
        store.put(&key, run).unwrap();
        assert_eq!(store.get(&key).unwrap().as_ref(), Some(run));
    }
    assert_eq!(store.runs().unwrap(), 1);
}

#[test]
fn the_file_can_be_asked_in_sql() {
    let folder = Folder::new();
    let scenario = scenario(2);
    let store = Store::open(&folder.file()).unwrap();
    let (runs, _) = run(Some(&store), &seeds(&scenario, 2));
    let database = sound(&folder);
    let (goodput, name, text): (f64, String, String) = database
        .query_row(
            "SELECT outcome ->> '$.flows[1].goodput_bps', outcome ->> '$.flows[1].name', text
             FROM run JOIN scenario ON scenario.id = run.scenario WHERE seed = 2",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .unwrap();
    assert_eq!(goodput, runs[1].outcome.flows[1].goodput_bps);
    assert_eq!(name, "reno");
    assert_eq!(text, Key::of(&scenario, 1, None).unwrap().scenario());
}
