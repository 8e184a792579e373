//! BBR version 3 beside a second implementation, which was written from the pseudo-code of draft-ietf-ccwg-bbr alone
//! and works slowly and literally, so that an error in one of the two shows as a difference.
//!
//! Arithmetic: volumes are whole segments, times nanoseconds, rates bytes per second with 16 fraction bits. Products
//! are exact in 128 bits and rounded once. Floating point only shows values to people and compares them.
//!
//! | value | rounded |
//! |---|---|
//! | rates, gains times rates, `Beta`, `Headroom`, the slope of `inflight_longterm`, the send quantum | down |
//! | what a bandwidth delivers in an interval of `UpdateACKAggregation`, so `extra` up | down |
//! | `gain * bdp`, `bdp` | up |
//! | `InflightAtLoss` | down; `lost_prefix` may be negative, the result not |
//!
//! Readings, where the draft is silent or contradicts itself:
//! * `Now()` of `OnInit` is the time of the first segment. What `OnInit` does not set is 0, or Infinity for
//!   `probe_rtt_min_delay`; `probe_rtt_min_stamp` is `Now()`.
//! * The first rate is set again with the first `C.srtt`, as the text says and the pseudo-code does not.
//! * The states of ProbeBW set the gains of the summary's table. `Drain` is bounded as in the pseudo-code: by
//!   `inflight_shortterm` alone.
//! * An ACK without a rate sample begins no round and no loss round; all other steps are taken, with `RS.` at zero.
//! * `CheckStartupHighLoss`: at the end of a loss round in a loss episode, in Startup, if at least six ACKs of the
//!   round showed losses (events do not tell ranges) and the loss rate of the ACK's sample is too high.
//! * Windowed maxima are exact; a sample counts while `now - time < window_length`.
//! * `C.is_cwnd_limited` and `C.app_limited` are what events tell; the host of these tests counts them for itself.
//! * An episode or the repair after a timeout ends, with `RestoreCwnd`, before the other steps of an ACK.
//! * `C.cwnd = C.inflight + 1` of `OnEnterRTO` means one segment: all that was in flight is lost then.
//! * State is saved when the pseudo-code says so, thus by a second loss after a change of state again.
//! * `Inflight` and `BDPMultiple` take a bandwidth; `BBR.bdp` is that of `BBR.bw`. `TargetInflight` counts segments.

mod arithmetic;
mod compare;
mod host;
mod model;
mod outputs;
mod path;
mod probe_bw;
mod reference;
mod sampler;
mod scenarios;
mod states;
mod twin;

use std::collections::BTreeSet;

use dumbbell_control::event::{Delivery, DeliveryRate, LostSegment, Path as Connection};
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

use crate::arithmetic::{Gain, WindowedMaxFilter, rate, volume};
use crate::host::{Event, Host};
use crate::path::{App, SECOND, Scenario};
use crate::reference::{Reference, State};
use crate::twin::Twin;

const STATES: [&str; 7] = [
    "Startup",
    "Drain",
    "ProbeBW_DOWN",
    "ProbeBW_CRUISE",
    "ProbeBW_REFILL",
    "ProbeBW_UP",
    "ProbeRTT",
];

/// What a run has shown.
#[derive(Default)]
struct Seen {
    /// The states, with the time of the event at which each began.
    states: Vec<(u64, &'static str)>,
    events: BTreeSet<&'static str>,
    idle_restarts: u64,
    least_longterm: Option<u64>,
    delivered: u64,
    last: Option<Reference>,
}

impl Seen {
    fn names(&self) -> BTreeSet<&'static str> {
        self.states.iter().map(|(_, state)| *state).collect()
    }
}

fn run(scenario: &Scenario) -> Seen {
    let mut seen = Seen::default();
    let mut watch = |event: &Event, bbr: &Reference| {
        if seen
            .states
            .last()
            .is_none_or(|(_, state)| *state != bbr.state())
        {
            seen.states.push((bbr.now, bbr.state()));
        }
        seen.events.insert(match event {
            Event::Sent(sent) if sent.retransmission => "retransmission",
            Event::Sent(_) => "sent",
            Event::Lost(_) => "lost",
            Event::Sample(_) => "sample",
            Event::Ack(_) => "ack",
            Event::Loss(_) => "loss",
            Event::Timeout(_) => "timeout",
            Event::Restore(_) => "restore",
            Event::Delivery(delivery) if delivery.rate.is_none() => "delivery without rate",
            Event::Delivery(delivery) if delivery.rate.is_some_and(|rate| rate.app_limited) => {
                "delivery, limited by the application"
            }
            Event::Delivery(_) => "delivery",
        });
        seen.idle_restarts += u64::from(bbr.idle_restart);
        seen.least_longterm = seen.least_longterm.or(bbr.inflight_longterm());
        true
    };
    let mut host = Host::new(scenario, Reference::new(scenario.mss, 10), &mut watch);
    host.run();
    let (delivered, last) = (host.sampler.delivered, host.bbr.clone());
    Seen {
        delivered,
        last: Some(last),
        ..seen
    }
}

fn goodput(scenario: &Scenario, seen: &Seen) -> f64 {
    (seen.delivered * scenario.mss) as f64 / scenario.seconds as f64
}

/// The draft's example test "Exiting STARTUP on Bandwidth Plateau" asks for 2 %.
#[test]
fn the_reference_finds_the_rate_of_a_link_and_passes_through_all_states() {
    let scenario = Scenario::PLAIN;
    let seen = run(&scenario);
    let last = seen.last.as_ref().expect("events");
    let max_bw = last.max_bw() as f64 / 65_536.0;
    assert!((max_bw / 1_250_000.0 - 1.0).abs() < 0.02, "{max_bw}");
    assert_eq!(seen.names(), BTreeSet::from(STATES));
    let order: Vec<_> = seen
        .states
        .iter()
        .take(6)
        .map(|(_, state)| *state)
        .collect();
    // ProbeBW_DOWN ends with the ACK that begins it, since Drain has left little in flight.
    let expected = [
        "Startup",
        "Drain",
        "ProbeBW_CRUISE",
        "ProbeBW_REFILL",
        "ProbeBW_UP",
        "ProbeBW_DOWN",
    ];
    assert_eq!(order, expected);
    // 40 ms, and 0.8 ms for a segment of 1000 bytes.
    assert_eq!(last.min_rtt(), Some(40_800_000));
    assert_eq!(last.inflight_longterm(), None);
    assert!(goodput(&scenario, &seen) > 0.93 * 1_250_000.0);
}

/// Section "ProbeRTT Overview": up to once every 5 s.
#[test]
fn the_reference_visits_probe_rtt_after_its_interval() {
    let seen = run(&Scenario::PLAIN);
    let times: Vec<u64> = seen
        .states
        .iter()
        .filter(|(_, state)| *state == "ProbeRTT")
        .map(|(at, _)| *at)
        .collect();
    assert!((4..=6).contains(&times.len()), "{times:?}");
    for pair in times.windows(2) {
        let between = pair[1] - pair[0];
        assert!((5 * SECOND..6 * SECOND).contains(&between), "{times:?}");
    }
}

/// Section "Design Considerations for Choosing Constant Parameters": each round of cruising with 1 % of losses slows
/// the flow by 1 %, for at most 63 rounds; on average of those rounds, (1 - 0.99^63) / 0.63 = 0.745 of the rate are
/// left. Reno would have sqrt(1.5 / 0.01) = 12 segments of 51 in flight.
#[test]
fn the_reference_keeps_most_of_the_rate_in_spite_of_random_losses() {
    let shares = [1, 2, 3].map(|seed| {
        let scenario = Scenario {
            loss: 10_000,
            seconds: 60,
            seed,
            ..Scenario::PLAIN
        };
        let seen = run(&scenario);
        assert!(seen.events.contains("lost"));
        goodput(&scenario, &seen) / 1_250_000.0
    });
    let mean = shares.iter().sum::<f64>() / 3.0;
    assert!(mean > 0.745, "{shares:?}");
    assert!(shares.iter().all(|share| *share > 0.6), "{shares:?}");
}

/// A bandwidth-delay product of 51 segments and a queue of 10.
#[test]
fn the_reference_remembers_how_much_overflows_a_shallow_queue() {
    let scenario = Scenario {
        name: "shallow",
        queue: 10,
        ..Scenario::PLAIN
    };
    let seen = run(&scenario);
    let longterm = seen.least_longterm.expect("a limit");
    assert!((35..=110).contains(&longterm), "{longterm}");
    let share = goodput(&scenario, &seen) / 1_250_000.0;
    assert!(share > 0.8, "{share}");
}

/// Section "Probing for Bandwidth In ProbeBW", by hand: of 100 segments, the third lost one is more than 2 %, and
/// (0.02 * 99 - 2) / 0.98 = -0.0204, so 98.98 before it. Of 200, the fifth: 199 + (3.98 - 4) / 0.98 = 198.98. Of 1000, the
/// 500th: 999 + (19.98 - 499) / 0.98 = 510.2.
#[test]
fn the_reference_finds_the_prefix_that_is_lost() {
    for (tx_in_flight, lost, expected) in [
        (100, 3, 99),
        (200, 5, 199),
        (149, 3, 148),
        (1_000, 500, 999),
    ] {
        let mut bbr = Reference::new(1000, 10);
        bbr.is_bw_probe_sample = true;
        bbr.on_lost_segment(&LostSegment::new(Instant::ZERO, tx_in_flight, lost - 1));
        let crosses = (lost - 1) * 50 > tx_in_flight;
        assert_eq!(bbr.inflight_longterm().is_some(), crosses);
        let mut bbr = Reference::new(1000, 10);
        bbr.is_bw_probe_sample = true;
        bbr.on_lost_segment(&LostSegment::new(Instant::ZERO, tx_in_flight, lost));
        assert_eq!(bbr.inflight_longterm(), Some(expected));
    }
}

/// Sections "When not Probing for Bandwidth" and "Probing for Bandwidth In ProbeBW": 0.7 of what was, or what was
/// delivered in the last round if that is more.
#[test]
fn the_reference_slows_down_by_three_tenths_at_most() {
    for (delivered, expected) in [(40, 70), (90, 90)] {
        let mut bbr = Reference::new(1000, 100);
        bbr.state = State::ProbeBwCruise;
        bbr.max_bw = 1_000_000 << 16;
        bbr.c.cwnd = 100;
        bbr.is_loss_in_round = true;
        let mut told = Delivery::new(Instant::ZERO, 1_000, 50);
        told.rate = Some(DeliveryRate {
            delivered,
            interval: Duration::from_millis(100),
            prior_delivered: 900,
            tx_in_flight: 50,
            lost: 1,
            app_limited: true,
        });
        bbr.on_delivery(&told);
        assert_eq!(bbr.inflight_shortterm, expected);
        // 40 or 90 segments in 100 ms are 400,000 or 900,000 bytes per second.
        assert_eq!(bbr.bw_shortterm, (expected * 10_000) << 16);
    }
    let mut bbr = Reference::new(1000, 200);
    (bbr.is_bw_probe_sample, bbr.bdp) = (true, 100);
    bbr.on_lost_segment(&LostSegment::new(Instant::ZERO, 10, 5));
    assert_eq!(bbr.inflight_longterm(), Some(70));
}

/// The draft's example test "Skipping PROBE_RTT Due to Application-Limited Sending".
#[test]
fn the_reference_needs_no_probe_rtt_after_idle_times() {
    let app = App::Chunks {
        segments: 1_500,
        every: 6_000,
    };
    let seen = run(&Scenario {
        app,
        ..Scenario::PLAIN
    });
    assert!(seen.idle_restarts > 0);
    assert!(!seen.names().contains("ProbeRTT"), "{:?}", seen.states);
}

#[test]
fn the_arithmetic_is_that_of_hand_calculations() {
    // 10 segments of 1000 bytes in 80 ms are 125,000 bytes per second.
    let bandwidth = rate(10, 1000, 80_000_000);
    assert_eq!(bandwidth, 125_000 << 16);
    assert_eq!(volume(bandwidth, 80_000_000, Gain(225, 100), 1000), 23);
    let mut filter = WindowedMaxFilter::default();
    let taken =
        [(5, 0), (3, 1), (1, 2), (2, 2), (1, 4)].map(|(value, time)| filter.update(value, time, 2));
    assert_eq!(taken, [5, 5, 3, 3, 1]);
}

#[test]
fn the_scenarios_show_every_state_and_every_event() {
    let (mut states, mut events, mut idle) = (BTreeSet::new(), BTreeSet::new(), 0);
    for scenario in scenarios::ALL {
        let seen = run(scenario);
        assert!(seen.delivered > 100, "{}", scenario.name);
        states.extend(seen.names());
        events.extend(seen.events);
        idle += seen.idle_restarts;
    }
    assert_eq!(states, BTreeSet::from(STATES));
    assert_eq!(events.len(), 11, "{events:?}");
    assert!(idle > 0);
}

#[test]
fn the_comparison_agrees_with_a_copy_and_finds_a_deviation() {
    for scenario in scenarios::ALL {
        let mut twin = Twin(Reference::new(scenario.mss, 10));
        let count = compare::compare(scenario, &mut twin).expect("the same");
        assert!(count > 500, "{}", scenario.name);
    }
    let shallow = scenarios::ALL[3];
    let mut twin = Twin(Reference::new(shallow.mss, 10));
    twin.0.loss_thresh = Gain(10, 100);
    let report = compare::compare(&shallow, &mut twin).expect_err("another threshold");
    assert!(report.starts_with("shallow queue: event "), "{report}");
    assert_eq!(report.matches("\n    -> ").count(), 20);
}

/// The control of the crate.
#[test]
fn bbr_equals_the_reference_after_every_event() {
    let config = AnyConfig::named("bbr").expect("`bbr` is in the registry");
    let mut differences = Vec::new();
    for scenario in scenarios::ALL {
        let path = Connection::new(Bytes(scenario.mss)).with_initial_window(Segments::whole(10));
        let mut control = config.build(&path);
        differences.extend(compare::compare(scenario, &mut control).err());
    }
    let first = differences.first().map_or("", String::as_str);
    assert!(
        differences.is_empty(),
        "{} scenarios differ; the first:\n{first}",
        differences.len()
    );
}
