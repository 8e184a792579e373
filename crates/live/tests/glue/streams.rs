//! Random event sequences of a connection: after each callback, snd_cwnd, snd_ssthresh and the
//! whole state of the control are equal to those in Rust.

use std::collections::HashSet;

use dumbbell_control::algorithm::{
    dctcp::Dctcp, rovegas::RoVegas, sarbe::Sarbe, vegas::Vegas, veno::Veno, venodb::VenoDb,
    westwood::Westwood, westwood_plus::WestwoodPlus,
};
use dumbbell_control::controller::Algorithm;
use dumbbell_control::parameter::{Config as _, Kind, Setting};
use dumbbell_control::snapshot::Snapshot;
use proptest::prelude::*;

use crate::mirror::{Arrival, Event, Mirror, Start, State, Taken};
use crate::program::{configuration, configure, glue};

fn start() -> impl Strategy<Value = Start> {
    let window = prop_oneof![3 => Just(10u32), 1 => 1..64u32];
    let threshold = prop_oneof![2 => Just(0x7fff_ffffu32), 2 => 2..40u32];
    let clamp = prop_oneof![3 => Just(u32::MAX), 1 => 1..80u32];
    // Includes values near the wrap of 32 bits.
    let clock = || prop_oneof![any::<u32>(), (u32::MAX - 50)..=u32::MAX];
    (
        500..1500u32,
        window,
        threshold,
        clamp,
        0..3u8,
        [clock(), clock()],
        prop::option::weighted(0.3, taken()),
    )
        .prop_map(
            |(mss, snd_cwnd, snd_ssthresh, clamp, stamps, clocks, taken)| Start {
                mss,
                snd_cwnd,
                snd_ssthresh,
                clamp,
                stamps,
                clocks,
                taken,
            },
        )
}

fn taken() -> impl Strategy<Value = Taken> {
    use State::{Cwr, Disorder, Loss, Open, Recovery};
    let state = prop::sample::select(vec![Open, Disorder, Cwr, Recovery, Loss]);
    (state, 0..80u16, 0..60u32).prop_map(|(state, outstanding, delivered)| Taken {
        state,
        outstanding,
        delivered,
    })
}

fn arrival() -> impl Strategy<Value = Arrival> {
    let tick = || prop_oneof![4 => 0..20i32, 1 => -3..3i32];
    (
        (
            prop_oneof![4 => 0..5_000u64, 1 => 0..400_000u64],
            0..4u32,
            0..4u32,
        ),
        prop::option::weighted(0.9, 20_000..90_000u32),
        [tick(), tick()],
        (1..80u16, 0..80u16, 0..80u16, 0..80u16),
        prop::bool::weighted(0.8),
        1..60u32,
        prop_oneof![3 => Just(0u16), 1 => 1..5u16],
    )
        .prop_map(
            |((after, covered, more), rtt_us, ticks, counts, limited, window, marked)| {
                let (outstanding, sacked, lost, retransmitted) = counts;
                // Usually no segment is missing.
                let sacked = (sacked % (outstanding + 1)).saturating_sub(outstanding / 2);
                let lost = lost % (outstanding - sacked + 1);
                Arrival {
                    after,
                    covered,
                    delivered: covered.max(more),
                    rtt_us,
                    ticks,
                    outstanding,
                    sacked,
                    lost,
                    retransmitted: retransmitted % (lost + 1),
                    limited,
                    window,
                    marked,
                }
            },
        )
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        60 => arrival().prop_map(Event::Ack),
        2 => any::<bool>().prop_map(|ecn| Event::Recover { ecn }),
        3 => any::<bool>().prop_map(|to_threshold| Event::Leave { to_threshold }),
        1 => (0..3_000_000u64, any::<bool>())
            .prop_map(|(after, asked)| Event::Timeout { after, asked }),
        1 => (1..30u32).prop_map(Event::Lower),
        1 => (2..60u32).prop_map(|prior| Event::Undo { prior }),
        6 => (0..40_000u32, 0..40_000u32).prop_map(|(aqt, echo)| Event::Report { aqt, echo }),
        1 => Just(Event::TooLarge),
        1 => prop_oneof![Just(u32::MAX), 1..80u32].prop_map(Event::Clamp),
        1 => Just(Event::Disorder),
    ]
}

/// Returns a configuration with random words and flags, and the papers' numbers.
fn config<C: Algorithm>(choices: &[u8]) -> C::Config {
    let mut config = C::Config::default();
    for (parameter, choice) in C::Config::PARAMETERS.iter().zip(choices) {
        let value = match parameter.kind {
            Kind::Choice(words) => Setting::Choice(words[usize::from(*choice) % words.len()]),
            Kind::Flag => Setting::Flag(choice % 2 == 0),
            _ => continue,
        };
        config.set(parameter.name, value).expect(parameter.name);
    }
    config
}

fn agrees<C: Algorithm + Snapshot + Clone>(
    choices: &[u8],
    start: &Start,
    events: &[Event],
) -> Result<(), TestCaseError> {
    let config = config::<C>(choices);
    let value = |name: &str| config.get(name).expect("listed");
    let Some(words) = configuration(C::NAME, C::Config::PARAMETERS, value) else {
        return Ok(());
    };
    let mut records = configure(&words);
    let before = records.len();
    let (mut mirror, begin) = Mirror::<C>::new(&config, start);
    records.push(begin);
    let mut wanted = vec![mirror.answer()];
    for event in events {
        records.push(mirror.happen(event));
        wanted.push(mirror.answer());
    }
    let answers = glue(C::NAME, &records).expect("there is a compiler");
    for (i, (wanted, answer)) in wanted.iter().zip(&answers[before..]).enumerate() {
        let (known, rest) = answer.split_at(wanted.len());
        let found: Vec<_> = wanted
            .iter()
            .zip(known)
            .map(|((name, _), n)| (*name, *n))
            .collect();
        let record = &records[before + i];
        prop_assert_eq!(wanted, &found, "event {} after {:?}", i, record);
        prop_assert!(rest.iter().all(|&word| word == 0), "C knows more than Rust");
    }
    Ok(())
}

macro_rules! controls {
    ($( $name:ident: $control:ty; )*) => { $(
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(96))]

            #[test]
            fn $name(
                choices in prop::collection::vec(any::<u8>(), 48),
                published in any::<bool>(),
                start in start(),
                events in prop::collection::vec(event(), 1..400),
            ) {
                let choices = if published { &[][..] } else { &choices[..] };
                agrees::<$control>(choices, &start, &events)?;
            }
        }
    )* };
}

controls! {
    dctcp_is_the_same: Dctcp;
    veno_is_the_same: Veno;
    vegas_is_the_same: Vegas;
    rovegas_is_the_same: RoVegas;
    westwood_is_the_same: Westwood;
    westwood_plus_is_the_same: WestwoodPlus;
    sarbe_is_the_same: Sarbe;
    venodb_is_the_same: VenoDb;
}

/// The random sequences are varied: every kind of record occurs in them, in many states.
#[test]
fn the_sequences_contain_every_operation() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let stories = (start(), prop::collection::vec(event(), 400));
    let (mut operations, mut undone) = (HashSet::new(), 0);
    for _ in 0..40 {
        let (start, events) = stories.new_tree(&mut runner).expect("a story").current();
        let (mut mirror, _) = Mirror::<Veno>::new(&Default::default(), &start);
        for event in &events {
            let before = mirror.answer();
            let record = mirror.happen(event);
            operations.insert(record[0]);
            undone += u32::from(record[0] == 7 && mirror.answer() != before);
        }
    }
    assert_eq!(operations.len(), 10, "{operations:?}");
    assert!(undone > 20, "{undone}");
}
