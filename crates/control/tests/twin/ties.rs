//! Exact ties, where rounding could decide: worked out by hand, and the same in both languages.

use dumbbell_control::algorithm::{
    dctcp::Dctcp, rovegas::RoVegas, sarbe::Sarbe, vegas::Vegas, veno::Veno, venodb::VenoDb,
    westwood::Westwood, westwood_plus::WestwoodPlus,
};
use dumbbell_control::controller::Algorithm;
use dumbbell_control::event::Marks;
use dumbbell_control::parameter::Setting;
use dumbbell_control::snapshot::Snapshot;
use dumbbell_control::units::{Duration, Ratio, Segments};

use crate::streams::agrees;
use crate::walk::{After, Arrival, Event, Sent, Start, Trip, Walk};

const MS: u64 = 1_000_000;

/// A connection in congestion avoidance with segments of 1000 bytes.
fn walk<C: Algorithm + Snapshot>(settings: &[(&str, Setting)], cwnd: u64) -> Walk<C> {
    let start = Start {
        mss: 1000,
        initial_window: cwnd << 32,
        ..Start::default()
    };
    Walk::with(settings, &start)
}

/// Checks that both twins have the same state after these events, and returns one of its numbers.
#[track_caller]
fn after<C: Algorithm + Snapshot>(
    begin: impl Fn() -> Walk<C>,
    events: &[Event],
    wanted: &str,
) -> u64 {
    agrees(begin(), events).expect("equal");
    let mut walk = begin();
    for event in events {
        walk.happen(event);
    }
    let state = walk.state();
    let found = state.iter().find(|(name, _)| *name == wanted);
    found.expect("it has this number").1
}

/// A sample `after` nanoseconds later, with its RTT and the one-way delay of its data in nanoseconds.
fn sample(after: u64, rtt: u64, one_way: u64) -> Event {
    Event::Step {
        after: After::Nanos(after),
        trip: Trip::Nanos(rtt),
        alone: false,
        credited: 1 << 32,
        duplicate: false,
        arrival: Arrival::OneWay(one_way),
        queueing: None,
        marks: Marks::None,
    }
}

const ACK: Event = Event::Ack {
    acked: 1 << 32,
    in_flight: 1 << 40,
    app_limited: false,
};

/// An ACK that ends a round but does not grow the window.
const IDLE: Event = Event::Ack {
    acked: 1 << 32,
    in_flight: 0,
    app_limited: true,
};

const LOSS: Event = Event::Loss {
    in_flight: 0,
    sent: Sent::Before(0),
    transmissions: 1,
    is_mark: false,
};

/// At cwnd 12 and BaseRTT 60 ms, N is 3 at 80 ms.
#[test]
fn a_loss_of_veno_at_beta_is_congestion() {
    let begin = || walk::<Veno>(&[("rtt_mode", Setting::Choice("last"))], 12);
    for (rtt, cwnd) in [(80 * MS, 6 << 32), (80 * MS - 1, 41_231_686_041)] {
        let events = [sample(MS, 60 * MS, 0), sample(MS, rtt, 0), LOSS];
        assert_eq!(after(begin, &events, "cwnd"), cwnd);
    }
}

/// At cwnd 12, diff is 3 with 60 and 80 ms, and 1 with 55 and 60 ms. Rule 5 shrinks the window, 6 grows
/// it, 7 holds it.
#[test]
fn vegas_holds_at_alpha_and_at_beta() {
    let begin = || walk::<Vegas>(&[], 12);
    for (base, rtt, rule) in [
        (60 * MS, 80 * MS, 7),
        (60 * MS, 80 * MS + 1, 5),
        (55 * MS, 60 * MS, 7),
        (55 * MS, 60 * MS - 1, 6),
    ] {
        let events = [sample(0, base, 0), IDLE, sample(rtt, rtt, 0), IDLE];
        assert_eq!(after(begin, &events, "rule"), rule, "{base} {rtt}");
    }
}

/// Rounded to the nearest integer, diff is 4 from 3.5 = 12 * (1 - 17 / 24) on, and 0 below
/// 0.5 = 12 * (1 - 23 / 24).
#[test]
fn vegas_rounds_halves_up() {
    let begin = || walk::<Vegas>(&[("int_diff", Setting::Flag(true))], 12);
    for (base, rtt, rule) in [
        (51 * MS, 72 * MS, 5),
        (51 * MS, 72 * MS - 1, 7),
        (69 * MS, 72 * MS, 7),
        (69 * MS, 72 * MS - 1, 6),
    ] {
        let events = [sample(0, base, 0), IDLE, sample(rtt, rtt, 0), IDLE];
        assert_eq!(after(begin, &events, "rule"), rule, "{base} {rtt}");
    }
}

/// The loss of a segment that was sent at the moment of the last cut is an old one, 3. If the segment
/// was sent a nanosecond later, it is a first one, 1.
#[test]
fn a_segment_sent_at_the_moment_of_the_cut_does_not_cut_again() {
    let begin = || walk::<Vegas>(&[], 12);
    for (off, loss) in [(0, 3), (1, 1)] {
        let again = Event::Loss {
            in_flight: 0,
            sent: Sent::Cut(off),
            transmissions: 1,
            is_mark: false,
        };
        let events = [sample(MS, 60 * MS, 0), LOSS, again];
        assert_eq!(after(begin, &events, "loss"), loss);
    }
}

/// A mark or a loss of a segment that was sent when a mark cut the window belongs to that cut: of 20 segments, an alpha
/// of almost 1 leaves 10, and so does a loss in the same window. One sent a nanosecond later cuts again.
#[test]
fn what_was_sent_at_the_cut_by_a_mark_belongs_to_it() {
    let signal = |sent, is_mark| Event::Loss {
        in_flight: 1 << 40,
        sent,
        transmissions: 1,
        is_mark,
    };
    let slow = [("gain", Setting::Ratio(Ratio::from_millionths(1_000)))];
    for (off, again, wanted) in [(0, true, 10), (1, true, 5), (0, false, 10), (1, false, 5)] {
        let events = [
            sample(100 * MS, 60 * MS, 0),
            signal(Sent::Before(0), true),
            sample(50 * MS, 60 * MS, 0),
            signal(Sent::Cut(off), again),
        ];
        let cwnd = after(|| walk::<Dctcp>(&slow, 20), &events, "cwnd");
        assert_eq!(cwnd >> 32, wanted, "{off} {again}");
    }
}

/// The ACK waited for 20 of 100 ms. A report of the whole RTT is ignored.
#[test]
fn rovegas_leaves_out_the_queueing_time_of_acks() {
    let begin = || walk::<RoVegas>(&[], 12);
    let reported = |rtt, queueing| Event::Step {
        after: After::Nanos(rtt),
        trip: Trip::Nanos(rtt),
        alone: false,
        credited: 1 << 32,
        duplicate: false,
        arrival: Arrival::Unknown,
        queueing: Some(queueing),
        marks: Marks::None,
    };
    for (rtt, rule) in [(100 * MS, 7), (100 * MS + 1, 5)] {
        let report = reported(rtt, [0, 20 * MS]);
        let events = [sample(0, 60 * MS, 0), IDLE, report, IDLE];
        assert_eq!(after(begin, &events, "rule"), rule, "{rtt}");
    }
    for (backward, base) in [(20 * MS, 60 * MS), (20 * MS - 1, 1)] {
        let report = reported(80 * MS, [60 * MS, backward]);
        let events = [sample(0, 60 * MS, 0), report];
        assert_eq!(after(begin, &events, "base"), base);
    }
}

/// 1000 bytes after a silence of 260 ms, which is 250 ms and the merged rest of 10 ms, give one sample
/// of zero and one of 100,000 bytes/s over 10 ms, 1/101 of which is 990.099. One nanosecond less, and
/// they give one sample of 3846.154 bytes/s over 260 ms, 26/126 of which is 793.651.
#[test]
fn westwood_feeds_a_silence_from_its_threshold_on() {
    let begin = || walk::<Westwood>(&[], 12);
    for (gap, expected) in [(260 * MS, 990.099), (260 * MS - 1, 793.651)] {
        let events = [sample(0, 60 * MS, 0), sample(gap, 60 * MS, 0)];
        let bwe = after(begin, &events, "bwe") as f64 / 65_536.0;
        assert!((bwe - expected).abs() < 0.001, "{bwe}");
    }
}

/// 1000 bytes in 10 ms are 100,000 bytes/s, so a millisecond of RTTmin is a tenth of a segment of the
/// threshold.
#[test]
fn westwood_counts_whole_ticks_and_whole_segments() {
    let tick = |ms| ("tick", Setting::Duration(Duration::from_millis(ms)));
    let whole = ("whole_ssthresh", Setting::Flag(true));
    for (rtt, option, expected) in [
        (70 * MS, tick(10), 7 << 32),
        (70 * MS - 1, tick(10), 6 << 32),
        (69 * MS, tick(23), 29_635_274_342), // 6.9
        (70 * MS, tick(100), 10 << 32),
        (70 * MS, tick(0), 7 << 32),
        (65 * MS, tick(0), 13 << 31),
        (70 * MS, whole, 7 << 32),
        (70 * MS - 1, whole, 6 << 32),
    ] {
        let sampled = [
            ("filter", Setting::Choice("ewma")),
            ("gain", Setting::Ratio(Ratio::ONE)),
            option,
        ];
        let begin = || walk::<Westwood>(&sampled, 12);
        let events = [sample(0, rtt, 0), sample(10 * MS, rtt, 0), LOSS];
        assert_eq!(after(begin, &events, "ssthresh"), expected, "{rtt}");
        assert_eq!(after(begin, &events, "cwnd"), expected, "{rtt}");
    }
}

/// A round ends once it is `min_round` long.
#[test]
fn westwood_plus_ends_a_round_at_its_least_length() {
    let least = Setting::Duration(Duration::from_millis(50));
    let begin = || walk::<WestwoodPlus>(&[("min_round", least)], 12);
    for (length, sampled) in [(50 * MS, 1), (50 * MS - 1, 0)] {
        let events = [sample(0, 20 * MS, 0), sample(length, 20 * MS, 0)];
        assert_eq!(after(begin, &events, "sampled"), sampled);
    }
}

/// At cwnd 12, N is 3 with 60 and 80 ms, and 1 with 55 and 60 ms.
#[test]
fn congestion_in_sarbe_begins_at_beta_and_is_over_at_alpha() {
    let begin = || walk::<Sarbe>(&[], 12);
    for (rtts, congestion) in [
        ([60 * MS, 80 * MS, 80 * MS], 1),
        ([60 * MS, 80 * MS - 1, 80 * MS - 1], 0),
        ([55 * MS, 80 * MS, 60 * MS], 0),
        ([55 * MS, 80 * MS, 60 * MS + 1], 1),
    ] {
        let events = rtts.map(|rtt| sample(MS, rtt, 0));
        assert_eq!(after(begin, &events, "congestion"), congestion, "{rtts:?}");
    }
}

/// At N >= beta, a loss with D below zero by more than the tolerance of 1 us keeps 4/5 of the window.
#[test]
fn the_delay_in_venodb_is_steady_at_its_tolerance() {
    let begin = || walk::<VenoDb>(&[("rtt_mode", Setting::Choice("last"))], 10);
    for (one_way, cwnd) in [(30 * MS - 1_000, 5 << 32), (30 * MS - 1_001, 8 << 32)] {
        let events = [
            sample(MS, 60 * MS, 30 * MS),
            sample(MS, 90 * MS, one_way),
            LOSS,
        ];
        assert_eq!(after(begin, &events, "cwnd"), cwnd);
    }
}

/// 1000 bytes every 10 ms are 100,000 bytes/s. With an eps_bw of a quarter, 1000 bytes in 8 ms count as
/// equal. D is zero in both cases. Rules 4 and 6 are S1 and S2.
#[test]
fn the_bandwidth_in_venodb_is_equal_at_its_tolerance() {
    let ratio = |millionths| Setting::Ratio(Ratio::from_millionths(millionths));
    let settings = [
        ("filter", Setting::Choice("ewma")),
        ("gain", ratio(1_000_000)),
        ("eps_bw", ratio(250_000)),
        ("rtt_mode", Setting::Choice("last")),
        ("beta", Setting::Segments(Segments::ONE)),
    ];
    let begin = || walk::<VenoDb>(&settings, 10);
    for (spacing, rule) in [(8 * MS, 6), (8 * MS - 1, 4)] {
        let mut events = vec![sample(0, 60 * MS, 30 * MS)];
        events.extend([sample(10 * MS, 90 * MS, 30 * MS); 12]);
        events.extend([sample(spacing, 90 * MS, 30 * MS), ACK]);
        assert_eq!(after(begin, &events, "rule"), rule, "{spacing}");
    }
}

/// Samples of 100,000, 50,000 and, after a second, 1000 bytes/s. The moving average of section 3.1 B
/// starts with the first and knows no silence; Tustin's filter starts from 0: 100,000 * 10 / 1010.
#[test]
fn the_moving_average_in_venodb_weighs_all_samples_alike() {
    let spacings = [0, 10 * MS, 20 * MS, 1_000 * MS];
    for (filter, wanted) in [
        ("ewma", [0.0, 100_000.0, 95_000.0, 85_600.0]),
        ("tustin", [0.0, 990.099, 3892.448, 3464.461]),
    ] {
        let begin = || walk::<VenoDb>(&[("filter", Setting::Choice(filter))], 10);
        for (n, wanted) in wanted.into_iter().enumerate() {
            let events: Vec<_> = spacings[..=n]
                .iter()
                .map(|spacing| sample(*spacing, 60 * MS, 30 * MS))
                .collect();
            let bwe = after(begin, &events, "bwe") as f64 / 65_536.0;
            assert!((bwe - wanted).abs() < 0.001, "{filter}: {bwe}");
        }
    }
}

/// Entries of the ring are at least 1 ms and a sixteenth of the RTT apart: 4 ms for an RTT of 64 ms. An
/// age of 2^61 ns times 128 exceeds 64 bits.
#[test]
fn entries_of_the_ring_of_venodb_are_a_sixteenth_of_the_rtt_apart() {
    let begin = || walk::<VenoDb>(&[("rtt_mode", Setting::Choice("last"))], 10);
    for (rtt, spacing, entries) in [
        (10 * MS, MS, 2),
        (10 * MS, MS - 1, 1),
        (64 * MS, 4 * MS, 2),
        (64 * MS, 4 * MS - 1, 1),
        (64 * MS, 1 << 61, 2),
    ] {
        let events = [0, 5 * MS, spacing].map(|after| sample(after, rtt, 0));
        assert_eq!(
            after(begin, &events, "ring_len"),
            entries,
            "{rtt} {spacing}"
        );
    }
}
