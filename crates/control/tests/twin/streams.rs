//! Every control that has a twin in C is compared with it event by event, for any parameters and any
//! events. Other tests here check that such streams reach every rule.

use std::collections::HashMap;
use std::ops::Range;

use dumbbell_control::algorithm::{
    dctcp::Dctcp, rovegas::RoVegas, sarbe::Sarbe, vegas::Vegas, veno::Veno, venodb::VenoDb,
    westwood::Westwood, westwood_plus::WestwoodPlus,
};
use dumbbell_control::controller::Algorithm;
use dumbbell_control::event::{Marks, Queueing, Sample, Stamps};
use dumbbell_control::snapshot::Snapshot;
use dumbbell_control::units::{Duration, Instant, Segments};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::extremes::{half, word};
use crate::program::ask;
use crate::walk::{ANSWER, After, Arrival, Event, Sent, Start, Trip, Walk};

fn start() -> impl Strategy<Value = Start> {
    let window = prop_oneof![2 => (1..64u64).prop_map(|w| w << 32), 1 => word()];
    let mss = prop_oneof![2 => Just(1000), 1 => half()];
    let granularity = prop_oneof![2 => Just(0), 1 => 0..5_000_000u64, 1 => word()];
    (
        prop::collection::vec(any::<u64>(), 48),
        // Some streams use the papers' values.
        prop::bool::weighted(0.25),
        mss,
        [window.clone(), window],
        granularity,
    )
        .prop_map(|(choices, published, mss, windows, granularity)| Start {
            choices: if published { Vec::new() } else { choices },
            mss,
            initial_window: windows[0],
            ssthresh: windows[1],
            granularity,
        })
}

fn marks() -> impl Strategy<Value = Marks> {
    let counted = prop_oneof![1 => Just(1u64 << 32), 1 => word()];
    prop_oneof![
        3 => Just(Marks::None),
        1 => Just(Marks::Echoed),
        3 => counted.prop_map(|raw| Marks::Counted(Segments::from_raw(raw))),
    ]
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let instant = || word().prop_map(Instant::from_nanos);
    let span = || word().prop_map(Duration::from_nanos);
    let stamps = (instant(), instant()).prop_map(|(sent_at, received_at)| Stamps {
        sent_at,
        received_at,
    });
    let queueing = (span(), span()).prop_map(|(forward, backward)| Queueing { forward, backward });
    (
        instant(),
        prop::option::of(span()),
        word().prop_map(Segments::from_raw),
        any::<bool>(),
        prop::option::of(stamps),
        prop::option::of(queueing),
        marks(),
    )
        .prop_map(|(now, rtt, credited, duplicate, stamps, queueing, marks)| {
            Sample::new(now, credited)
                .with_rtt(rtt)
                .with_duplicate(duplicate)
                .with_stamps(stamps)
                .with_queueing(queueing)
                .with_marks(marks)
        })
}

fn after() -> impl Strategy<Value = After> {
    prop_oneof![
        12 => (0..20_000_000u64).prop_map(After::Nanos),
        2 => Just(After::Nanos(0)),
        1 => (0..20_000_000_000u64).prop_map(After::Nanos),
        1 => (0..4u8, -2..=2i8).prop_map(|(n, off)| After::Silence(n, off)),
    ]
}

fn step() -> impl Strategy<Value = Event> {
    let trip = prop_oneof![
        (10_000_000..90_000_000u64).prop_map(Trip::Nanos),
        (0..3u8, -1..=1i8, -2..=2i8).prop_map(|(n, halves, off)| Trip::Threshold(n, halves, off)),
        (0..3u8, -2..=2i8).prop_map(|(n, off)| Trip::Threshold(n, 0, off)),
    ];
    let arrival = prop_oneof![
        1 => Just(Arrival::Unknown),
        4 => (-2..=2i8, -1..=1i8).prop_map(|(n, off)| Arrival::Tolerance(n, off)),
        2 => (25_000_000..40_000_000u64).prop_map(Arrival::OneWay),
    ];
    let waits = prop_oneof![(0..10_000_000u64), Just(0), (0..100_000_000u64)];
    (
        after(),
        trip,
        prop::bool::weighted(0.3),
        prop_oneof![4 => Just(1u64 << 32), 1 => word()],
        prop::bool::weighted(0.1),
        arrival,
        prop::option::of([waits.clone(), waits]),
        marks(),
    )
        .prop_map(
            |(after, trip, alone, credited, duplicate, arrival, queueing, marks)| Event::Step {
                after,
                trip,
                alone,
                credited,
                duplicate,
                arrival,
                queueing,
                marks,
            },
        )
}

fn event() -> impl Strategy<Value = Event> {
    let segment = || prop_oneof![3 => Just(1u64 << 32), 1 => word()];
    let sent = prop_oneof![
        (0..400_000_000u64).prop_map(Sent::Before),
        (-1..=1i8).prop_map(Sent::Cut),
    ];
    prop_oneof![
        1 => any_sample().prop_map(Event::Sample),
        24 => step(),
        24 => (segment(), segment(), prop::bool::weighted(0.1)).prop_map(
            |(acked, in_flight, app_limited)| Event::Ack { acked, in_flight, app_limited }
        ),
        3 => (segment(), sent, half(), any::<bool>()).prop_map(|(in_flight, sent, n, is_mark)| Event::Loss {
            in_flight,
            sent,
            transmissions: n % 4,
            is_mark,
        }),
        2 => (after(), segment(), half()).prop_map(|(after, in_flight, n)| Event::Timeout {
            after,
            in_flight,
            consecutive: n % 4,
        }),
        2 => prop_oneof![word(), (1..64u64).prop_map(|w| w << 32)].prop_map(Event::Restrict),
    ]
}

/// Fewer than `most` events. Samples with arbitrary numbers, from which some estimators never recover,
/// occur in half of the streams.
fn events(most: usize) -> impl Strategy<Value = Vec<Event>> {
    (any::<bool>(), prop::collection::vec(event(), 1..most)).prop_map(|(any, mut events)| {
        events.retain(|event| any || !matches!(event, Event::Sample(_)));
        events
    })
}

/// Checks that both twins are in the same state after each event.
pub fn agrees<C: Algorithm + Snapshot>(
    mut walk: Walk<C>,
    events: &[Event],
) -> Result<(), TestCaseError> {
    let (mut records, mut states) = (walk.opening.clone(), vec![walk.state()]);
    for event in events {
        records.push(walk.happen(event));
        states.push(walk.state());
    }
    let Some(answers) = ask::<ANSWER>(C::NAME, &records) else {
        return Ok(());
    };
    let before = walk.opening.len() - 1;
    for (i, (state, answer)) in states.iter().zip(&answers[before..]).enumerate() {
        let (known, rest) = answer.split_at(state.len());
        let found = state.iter().zip(known).map(|(&(name, _), &n)| (name, n));
        let record = &records[before + i];
        prop_assert_eq!(state, &found.collect::<Vec<_>>(), "after {:?}", record);
        prop_assert!(rest.iter().all(|&word| word == 0), "C knows more than Rust");
    }
    Ok(())
}

/// Checks that the streams above reach every value of these numbers of the state more than 20 times.
fn reaches<C: Algorithm + Snapshot>(numbers: &[(&str, Range<u64>)]) {
    let mut runner = TestRunner::deterministic();
    let stream = (start(), events(400));
    let mut seen = HashMap::new();
    for _ in 0..256 {
        let (start, events) = stream.new_tree(&mut runner).expect("a stream").current();
        let mut walk = Walk::<C>::new(&start);
        for event in &events {
            walk.happen(event);
            for (name, value) in walk.state() {
                *seen.entry((name, value)).or_insert(0) += 1;
            }
        }
    }
    for (name, values) in numbers {
        let times = |value| seen.get(&(*name, value)).copied().unwrap_or(0);
        let rare: Vec<_> = values.clone().filter(|value| times(*value) <= 20).collect();
        assert!(rare.is_empty(), "{name}: {rare:?}");
    }
}

macro_rules! twins {
    ($( $module:ident: $control:ty, $numbers:expr; )*) => { $(
        mod $module {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(192))]

                #[test]
                fn every_state_is_equal_after_every_event(start in start(), events in events(600)) {
                    agrees(Walk::<$control>::new(&start), &events)?;
                }
            }

            #[test]
            fn the_streams_reach_every_rule() {
                reaches::<$control>(&$numbers);
            }
        }
    )* };
}

twins! {
    dctcp: Dctcp, [("cause", 0..5), ("step", 1..2), ("step", 3..5), ("alpha", 0..1), ("alpha", (1 << 30)..(1 << 30) + 1)];
    veno: Veno, [("rule", 0..9), ("step", 3..5), ("repairing", 0..2)];
    vegas: Vegas, [("rule", 0..8), ("loss", 0..6), ("pace", 0..3)];
    rovegas: RoVegas, [("rule", 0..8), ("loss", 0..6), ("reported", 0..2)];
    westwood: Westwood, [("step", 0..3), ("sampled", 0..2), ("silent", 0..3), ("silent", 64..65)];
    westwood_plus: WestwoodPlus, [("step", 0..3), ("sampled", 0..2)];
    sarbe: Sarbe, [("rule", 0..8), ("congestion", 0..2), ("sampled", 0..2), ("next", 1..17)];
    venodb: VenoDb, [("rule", 0..14), ("trend", 0..3), ("known", 0..4), ("ring_len", 0..33)];
}
