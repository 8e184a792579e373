//! The bounds of the rate and of the number of loss events.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::packet::{Arrival, Data};
use dumbbell_tfrc::receiver::{
    DiscountMean, Discounting, Intervals, LossClock, Receiver, ReceiverConfig,
};
use dumbbell_tfrc::sender::{Law, Sender, SenderConfig, VenoConfig};
use proptest::prelude::*;

use crate::pipe::{BYTES, Fate, Path, Session, random};

const S: f64 = BYTES as f64;

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

prop_compose! {
    fn paths()(
        delay in 1u64..300,
        packets in 5.0f64..2_000.0,
        buffer in 1usize..100,
        feedback_loss in prop_oneof![Just(0u64), 2u64..20],
    ) -> Path {
        Path {
            rate: packets * S,
            buffer,
            feedback_loss,
            ..Path::plain(Duration::from_millis(delay))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// RFC 5348, section 4.3: X is at most twice the largest receive rate of two round-trip times,
    /// except for the initial window in slow start and the smallest rate; and it is never below a packet
    /// in 64 s.
    #[test]
    fn the_rate_is_bounded_by_the_receive_rate(
        path in paths(),
        loss in prop_oneof![Just(0.0), 1e-4..0.5f64],
        seed: u64,
        veno: bool,
    ) {
        let law = if veno { Law::Veno(VenoConfig::default()) } else { Law::Reno };
        let config = SenderConfig { law, ..SenderConfig::rfc5348(BYTES) };
        let receiver = Receiver::new(0, ReceiverConfig::rfc5348(BYTES));
        let mut session = Session::new(Sender::backlogged(config), receiver, path);
        let mut lost = random(loss, seed);
        let mut heard: Vec<(Instant, f64)> = Vec::new();
        let mut failure = None;
        session.run(
            ms(20_000),
            |_| if lost() { Fate::Lost } else { Fate::Arrives },
            |now, sender, feedback| {
                let state = sender.state();
                if let Some(feedback) = feedback {
                    heard.push((now, feedback.x_recv));
                }
                let Some(rtt) = state.rtt else { return };
                let (first, _) = heard[0];
                let span = Duration::from_nanos((2.0 * rtt * 1e9) as u64 + 1_000_000);
                let early = now.since(first) <= span;
                let recent = heard
                    .iter()
                    .rev()
                    .enumerate()
                    .take_while(|(index, (at, _))| *index == 0 || now.since(*at) <= span)
                    .map(|(_, (_, x_recv))| *x_recv)
                    .fold(0.0, f64::max);
                // In slow start the rate changes only once per round-trip time, and is constant in between.
                let slow_start = state.p <= 0.0;
                let least = S / 64.0;
                let bound = (2.0 * recent).max(least) * (1.0 + 1e-9);
                if state.x < least || state.x_inst < least {
                    failure = Some(format!("{now:?}: below the least rate: {state:?}"));
                }
                let checked = feedback.is_some() && !early && !slow_start;
                if checked && state.x > bound {
                    failure = Some(format!("{now:?}: above {bound}: {state:?}"));
                }
            },
        );
        prop_assert!(failure.is_none(), "{}", failure.unwrap());
    }

    #[test]
    fn slow_start_never_more_than_doubles(path in paths(), seed: u64) {
        let sender = Sender::backlogged(SenderConfig::rfc5348(BYTES));
        let receiver = Receiver::new(0, ReceiverConfig::rfc5348(BYTES));
        let mut session = Session::new(sender, receiver, path);
        let mut lost = random(0.01, seed);
        let mut before: Option<f64> = None;
        let mut failure = None;
        session.run(
            ms(5_000),
            |_| if lost() { Fate::Lost } else { Fate::Arrives },
            |now, sender, _| {
                let state = sender.state();
                if state.rtt.is_none() || state.p > 0.0 {
                    return;
                }
                let initial = 4.0 * S / state.rtt.unwrap();
                if before.is_some_and(|before| state.x > (2.0 * before).max(initial) * 1.000_001) {
                    failure = Some(format!("{now:?}: {before:?} to {state:?}"));
                }
                before = Some(state.x);
            },
        );
        prop_assert!(failure.is_none(), "{}", failure.unwrap());
    }

    /// Sections 5.4 and 5.5: the more packets arrive without a loss, the lower the loss event rate.
    #[test]
    fn a_growing_interval_lowers_the_loss_event_rate(
        lengths in proptest::collection::vec(1.0..1e6f64, 1..20),
        open in 0.0..1e6f64,
        more in 0.0..1e6f64,
        threshold in 0.05..1.0f64,
        discounts: bool,
        with_open: bool,
    ) {
        let mean = if with_open { DiscountMean::WithOpen } else { DiscountMean::Closed };
        let mut intervals = Intervals::new(discounts.then_some(Discounting { threshold, mean }));
        for length in lengths {
            intervals.close(length);
        }
        let (before, after) = (intervals.loss_event_rate(open), intervals.loss_event_rate(open + more));
        prop_assert!(before > 0.0 && before <= 1.0);
        prop_assert!(after <= before * (1.0 + 1e-12), "{before} {after}");
    }

    /// Section 5.2: there are never two loss events in one round-trip time.
    #[test]
    fn loss_events_are_a_round_trip_apart(
        steps in proptest::collection::vec((1u64..200, 0u64..50_000), 2..300),
        rtt in 1u64..1_000,
        tolerance in 1u32..5,
        sending: bool,
    ) {
        let mut receiver = Receiver::new(0, ReceiverConfig {
            reordering_tolerance: tolerance,
            loss_clock: if sending { LossClock::Sending } else { LossClock::Arrival },
            ..ReceiverConfig::rfc5348(BYTES)
        });
        let (mut seq, mut now) = (0, 0);
        for (ahead, micros) in steps {
            seq += ahead;
            now += micros;
            let at = Instant::from_nanos(now * 1_000);
            let data = Data {
                seq,
                sent_at: at,
                rtt: Some(Duration::from_millis(rtt)),
                ..Data::default()
            };
            receiver.on_data(at, &Arrival { data, bytes: BYTES, marked: false });
        }
        let round_trips = now / (1_000 * rtt);
        prop_assert!(receiver.counters().loss_events <= 1 + round_trips);
    }
}
