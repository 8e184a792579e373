//! Values that are stored are restored to the bit.

use dumbbell_run::Done;
use dumbbell_run::outcome::{
    FlowOutcome, GroupOutcome, LinkOutcome, MediaOutcome, Outcome, Scores, Sojourn,
    TransferOutcome, TransfersOutcome, VideoOutcome, WorkloadOutcome,
};
use dumbbell_store::{Key, Store};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::jobs::{run, scenario, seeds};

/// Any number that is not NaN or infinite, including the smallest, the largest and -0.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => any::<u64>().prop_map(f64::from_bits).prop_filter("a number", |n| n.is_finite()),
        1 => select(vec![-0.0, 0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.1, 1e15 / 3.0]),
    ]
}

/// Verdicts of classifiers on a flow, if there are any.
fn classified() -> impl Strategy<Value = Vec<Scores>> {
    let scores = (any::<String>(), any::<[u64; 5]>()).prop_map(|(classifier, counts)| {
        let [
            dropped_as_congestion,
            dropped_as_random,
            lost_as_congestion,
            lost_as_random,
            spurious,
        ] = counts;
        Scores {
            classifier,
            dropped_as_congestion,
            dropped_as_random,
            lost_as_congestion,
            lost_as_random,
            spurious,
        }
    });
    prop_oneof![Just(Vec::new()), vec(scores, 0..4)]
}

/// The frames of a flow.
fn media() -> impl Strategy<Value = Box<MediaOutcome>> {
    let numbers = [number(), number(), number(), number(), number()];
    let rest = prop::array::uniform8(option::of(number()));
    (any::<[u64; 9]>(), numbers, rest).prop_map(|(counts, numbers, rest)| {
        let [
            made,
            shown,
            shown_late,
            late,
            undecodable,
            lost,
            discarded,
            requests,
            freezes,
        ] = counts;
        let [encoded_bps, shown_bps, played_s, frozen_s, waiting_max_s] = numbers;
        let [
            shown_variation,
            startup_s,
            delay_mean_s,
            delay_p50_s,
            delay_p95_s,
            delay_p99_s,
            delay_max_s,
            waiting_mean_s,
        ] = rest;
        Box::new(MediaOutcome {
            made,
            shown,
            shown_late,
            late,
            undecodable,
            lost,
            discarded,
            requests,
            encoded_bps,
            shown_bps,
            shown_variation,
            startup_s,
            played_s,
            frozen_s,
            freezes,
            delay_mean_s,
            delay_p50_s,
            delay_p95_s,
            delay_p99_s,
            delay_max_s,
            waiting_mean_s,
            waiting_max_s,
        })
    })
}

fn flow() -> impl Strategy<Value = FlowOutcome> {
    let recovery = option::of(select(vec!["tahoe", "reno", "newreno", "sack", "vegas"]));
    (
        (any::<[String; 3]>(), any::<bool>(), recovery),
        (number(), number(), number()),
        (any::<[u64; 8]>(), classified(), option::of(media())),
        prop::array::uniform14(option::of(number())),
    )
        .prop_map(
            |(
                ([name, group, control], reconstructed, recovery),
                (goodput_bps, throughput_bps, start_s),
                (counts, classified, media),
                rest,
            )| {
                let [
                    sent,
                    dropped,
                    lost,
                    retransmits,
                    timeouts,
                    fast_recoveries,
                    ecn_cuts,
                    marks,
                ] = counts;
                let [
                    finish_s,
                    rtt_mean_s,
                    rtt_p50_s,
                    rtt_p95_s,
                    rtt_p99_s,
                    rtt_max_s,
                    queueing_mean_s,
                    queueing_p50_s,
                    queueing_p95_s,
                    queueing_p99_s,
                    queueing_max_s,
                    cwnd_mean,
                    sending_variation,
                    share,
                ] = rest;
                FlowOutcome {
                    name,
                    group,
                    control,
                    reconstructed,
                    recovery,
                    goodput_bps,
                    throughput_bps,
                    share,
                    sent,
                    dropped,
                    lost,
                    retransmits,
                    timeouts,
                    fast_recoveries,
                    ecn_cuts,
                    marks,
                    classified,
                    start_s,
                    finish_s,
                    rtt_mean_s,
                    rtt_p50_s,
                    rtt_p95_s,
                    rtt_p99_s,
                    rtt_max_s,
                    queueing_mean_s,
                    queueing_p50_s,
                    queueing_p95_s,
                    queueing_p99_s,
                    queueing_max_s,
                    cwnd_mean,
                    sending_variation,
                    media,
                }
            },
        )
}

fn sojourn() -> impl Strategy<Value = Box<Sojourn>> {
    [number(), number(), number(), number(), number()].prop_map(
        |[mean_s, p50_s, p95_s, p99_s, max_s]| {
            Box::new(Sojourn {
                mean_s,
                p50_s,
                p95_s,
                p99_s,
                max_s,
            })
        },
    )
}

fn link() -> impl Strategy<Value = LinkOutcome> {
    (
        any::<String>(),
        any::<[u64; 11]>(),
        number(),
        number(),
        option::of(number()),
        option::of(sojourn()),
        option::of(sojourn()),
    )
        .prop_map(
            |(
                name,
                [
                    sent,
                    delivered,
                    dropped,
                    lost,
                    early,
                    policed,
                    marked,
                    filtered,
                    retransmitted,
                    duplicated,
                    corrupted,
                ],
                utilisation,
                queue_mean,
                wait_mean_s,
                sojourn,
                l4s_sojourn,
            )| {
                LinkOutcome {
                    name,
                    sent,
                    delivered,
                    dropped,
                    lost,
                    early,
                    policed,
                    marked,
                    filtered,
                    retransmitted,
                    duplicated,
                    corrupted,
                    utilisation,
                    queue_mean,
                    wait_mean_s,
                    sojourn,
                    l4s_sojourn,
                }
            },
        )
}

fn group() -> impl Strategy<Value = GroupOutcome> {
    (
        any::<String>(),
        any::<u64>(),
        (number(), number()),
        prop::array::uniform11(option::of(number())),
    )
        .prop_map(|(name, flows, (goodput_bps, throughput_bps), rest)| {
            let [
                share,
                rtt_mean_s,
                rtt_p50_s,
                rtt_p95_s,
                rtt_p99_s,
                rtt_max_s,
                queueing_mean_s,
                queueing_p50_s,
                queueing_p95_s,
                queueing_p99_s,
                queueing_max_s,
            ] = rest;
            GroupOutcome {
                name,
                flows,
                goodput_bps,
                throughput_bps,
                share,
                rtt_mean_s,
                rtt_p50_s,
                rtt_p95_s,
                rtt_p99_s,
                rtt_max_s,
                queueing_mean_s,
                queueing_p50_s,
                queueing_p95_s,
                queueing_p99_s,
                queueing_max_s,
            }
        })
}

fn transfers() -> impl Strategy<Value = TransfersOutcome> {
    (
        any::<[u64; 5]>(),
        any::<Option<u64>>(),
        prop::array::uniform10(option::of(number())),
    )
        .prop_map(|(wholes, below_bytes, times)| {
            let [from_bytes, started, finished, alive, bytes] = wholes;
            let [
                completion_mean_s,
                completion_p50_s,
                completion_p95_s,
                completion_p99_s,
                completion_max_s,
                slowdown_mean,
                slowdown_p50,
                slowdown_p95,
                slowdown_p99,
                slowdown_max,
            ] = times;
            TransfersOutcome {
                from_bytes,
                below_bytes,
                started,
                finished,
                alive,
                bytes,
                completion_mean_s,
                completion_p50_s,
                completion_p95_s,
                completion_p99_s,
                completion_max_s,
                slowdown_mean,
                slowdown_p50,
                slowdown_p95,
                slowdown_p99,
                slowdown_max,
            }
        })
}

fn video() -> impl Strategy<Value = VideoOutcome> {
    (
        any::<[u64; 4]>(),
        [number(), number()],
        prop::array::uniform3(option::of(number())),
    )
        .prop_map(|(wholes, [stalled_s, played_s], options)| {
            let [clients, playing, stalls, switches] = wholes;
            let [startup_mean_s, startup_max_s, rate_mean_bps] = options;
            VideoOutcome {
                clients,
                playing,
                startup_mean_s,
                startup_max_s,
                stalls,
                stalled_s,
                played_s,
                rate_mean_bps,
                switches,
            }
        })
}

fn transfer() -> impl Strategy<Value = TransferOutcome> {
    let all = (number(), any::<u64>(), option::of(number()));
    all.prop_map(|(start_s, bytes, completion_s)| TransferOutcome {
        start_s,
        bytes,
        completion_s,
    })
}

fn workload() -> impl Strategy<Value = WorkloadOutcome> {
    (
        any::<[String; 2]>(),
        any::<[u64; 2]>(),
        option::of(number()),
        (transfers(), vec(transfers(), 0..3)),
        option::of(video()),
        vec(transfer(), 0..4),
    )
        .prop_map(
            |([name, application], [refused, most_alive], offered_load, sizes, video, list)| {
                let (all, classes) = sizes;
                WorkloadOutcome {
                    name,
                    application,
                    offered_load,
                    refused,
                    most_alive,
                    all,
                    classes,
                    video,
                    list,
                }
            },
        )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    (
        (
            (vec(flow(), 0..4), vec(link(), 0..4)),
            (vec(group(), 0..4), vec(workload(), 0..3)),
        ),
        any::<[u64; 3]>(),
        any::<String>(),
    )
        .prop_map(
            |(((flows, links), (groups, workloads)), [packets, events, seed], version)| Outcome {
                flows,
                links,
                groups,
                workloads,
                packets,
                events,
                seed,
                version: version.into(),
            },
        )
}

proptest! {
    #[test]
    fn every_outcome_is_restored(outcome in outcome(), seed: u64) {
        let store = Store::in_memory().unwrap();
        let key = Key::of(&scenario(1), seed, None).unwrap();
        let run = Done { outcome, series: Vec::new() };
        store.put(&key, &run).unwrap();
        let found = store.get(&key).unwrap().unwrap();
        // The text of a float determines its bits.
        prop_assert_eq!(format!("{found:?}"), format!("{run:?}"));
        prop_assert_eq!(store.get(&key.with_seed(seed ^ 1)).unwrap(), None);
    }
}

#[test]
fn nan_and_infinity_are_restored_too() {
    let store = Store::in_memory().unwrap();
    let scenario = scenario(1);
    let (runs, _) = run(None, &seeds(&scenario, 1));
    let key = Key::of(&scenario, 1, None).unwrap();
    for bits in [
        f64::NAN.to_bits(),
        0xfff0_0000_0000_0001,
        f64::INFINITY.to_bits(),
        f64::NEG_INFINITY.to_bits(),
    ] {
        // In a field that must have a number, and in an optional one.
        let mut run = runs[0].clone();
        run.outcome.links[0].utilisation = f64::from_bits(bits);
        run.outcome.flows[0].cwnd_mean = Some(f64::from_bits(bits));
        store.put(&key, &run).unwrap();
        let found = store.get(&key).unwrap().unwrap().outcome;
        assert_eq!(found.links[0].utilisation.to_bits(), bits);
        assert_eq!(found.flows[0].cwnd_mean.map(f64::to_bits), Some(bits));
    }
}

#[test]
fn the_newest_run_of_a_key_is_stored() {
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
