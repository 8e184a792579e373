//! Senders and receivers with arbitrary, possibly invalid input.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::equation::Cut;
use dumbbell_tfrc::multfrc::{MultiReceiver, MultiSender};
use dumbbell_tfrc::packet::{Arrival, Cause, Data, Feedback};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::receiver::{
    Causes, DiscountMean, Discounting, FirstTarget, LossClock, Receiver, ReceiverConfig, Timing,
};
use dumbbell_tfrc::sender::{
    BaseMode, Law, Rules, Sender, SenderConfig, State, TimeoutRule, VenoConfig, WindowMode,
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Heard {
    Feedback {
        connection: u32,
        age: u64,
        delay: u64,
        x_recv: f64,
        p: f64,
        p_wireless: Option<f64>,
        loss_events: u32,
    },
    Timer,
    Offer(u64),
    Stop,
}

fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), Just(0.0), 0.0..1e9, Just(f64::INFINITY)]
}

fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), Just(0.0), Just(1.0), 0.0..0.2, 1e-300..1e-9]
}

fn heard() -> impl Strategy<Value = Heard> {
    let feedback = (
        prop_oneof![8 => Just(0u32), 1 => any::<u32>()],
        prop_oneof![8 => 0u64..1_000_000_000, 1 => any::<u64>()],
        prop_oneof![8 => Just(0u64), 1 => any::<u64>()],
        rate(),
        probability(),
        proptest::option::of(probability()),
        any::<u32>(),
    )
        .prop_map(
            |(connection, age, delay, x_recv, p, p_wireless, loss_events)| Heard::Feedback {
                connection,
                age,
                delay,
                x_recv,
                p,
                p_wireless,
                loss_events,
            },
        );
    prop_oneof![
        4 => feedback,
        3 => Just(Heard::Timer),
        1 => prop_oneof![0u64..20, any::<u64>()].prop_map(Heard::Offer),
        1 => Just(Heard::Stop),
    ]
}

prop_compose! {
    fn senders()(
        segment in prop_oneof![Just(0u32), Just(1000), any::<u32>()],
        initial_window in proptest::option::of(any::<f64>()),
        ns2: bool,
        rtt_weight: f64,
        oscillation_prevention: bool,
        t_rto in prop_oneof![
            Just(TimeoutRule::FourRtt), Just(TimeoutRule::FourRttOrSecond), Just(TimeoutRule::Ticks)
        ],
        min1: bool,
        veno in proptest::option::of((any::<f64>(), any::<f64>(), any::<bool>(), prop_oneof![0..3u32, any::<u32>()])),
        all_in_one: bool,
        credit: f64,
    ) -> SenderConfig {
        SenderConfig {
            initial_window,
            rules: if ns2 { Rules::Ns2 } else { Rules::Rfc5348 },
            rtt_weight,
            oscillation_prevention,
            t_rto,
            min1,
            law: veno.map_or(Law::Reno, |(random, beta, on_loss, window)| Law::Veno(VenoConfig {
                cut: Cut { random, beta, ..Cut::TFRC_VENO },
                base: if on_loss { BaseMode::OnLoss } else { BaseMode::Life },
                window: match window {
                    0 => WindowMode::CongestionAvoidance,
                    1 => WindowMode::Decay,
                    packets => WindowMode::Configured(packets),
                },
                fixed: None,
                memory: if on_loss { 0.99 } else { 0.0 },
            })),
            all_in_one: all_in_one.then(ParallelConfig::default),
            credit,
            ..SenderConfig::rfc5348(segment)
        }
    }
}

fn check_state(state: &State, segment: u32) {
    let least = f64::from(segment.max(1)) / 64.0 * 0.999_999;
    for rate in [state.x, state.x_inst] {
        assert!(rate.is_finite() && rate >= least, "{state:?}");
    }
    assert!((0.0..=1.0).contains(&state.p) && (0.0..1.0).contains(&state.g));
    assert!(state.rtt.is_none_or(|rtt| rtt.is_finite() && rtt > 0.0));
}

fn feedback_of(heard: &Heard, now: Instant) -> Option<Feedback> {
    let Heard::Feedback {
        connection,
        age,
        delay,
        x_recv,
        p,
        p_wireless,
        loss_events,
    } = *heard
    else {
        return None;
    };
    Some(Feedback {
        connection,
        t_recvdata: Instant::from_nanos(now.as_nanos().wrapping_sub(age)),
        t_delay: Duration::from_nanos(delay),
        x_recv,
        p,
        p_wireless,
        loss_events,
    })
}

fn at(now: u64) -> Instant {
    Instant::from_nanos(now)
}

proptest! {
    #[test]
    fn no_feedback_breaks_a_sender(
        config in senders(),
        offered: bool,
        events in proptest::collection::vec((0u64..3_000_000_000, heard()), 0..60),
    ) {
        let mut sender = if offered { Sender::offered(config) } else { Sender::backlogged(config) };
        let mut out: Vec<Data> = Vec::new();
        let mut now = 1_000_000_000;
        sender.start(at(now), &mut out);
        let mut next = out.len() as u64;
        for (step, event) in events {
            now += step;
            out.clear();
            match &event {
                Heard::Timer => sender.on_timer(at(now), &mut out),
                Heard::Offer(packets) => sender.offer(at(now), *packets, &mut out),
                Heard::Stop => sender.stop(),
                Heard::Feedback { .. } => {
                    let feedback = feedback_of(&event, at(now)).unwrap();
                    sender.on_feedback(at(now), &feedback, &mut out);
                }
            }
            check_state(&sender.state(), config.segment);
            for data in &out {
                prop_assert_eq!(data.seq, next);
                next += 1;
            }
            prop_assert_eq!(sender.counters().sent, next);
            prop_assert!(sender.deadline().is_some());
        }
    }

    #[test]
    fn no_feedback_breaks_a_bundle(
        config in senders(),
        events in proptest::collection::vec((0u64..3_000_000_000, heard()), 0..60),
    ) {
        let mut sender = MultiSender::backlogged(config, ParallelConfig::default());
        let mut out: Vec<Data> = Vec::new();
        let mut now = 1_000_000_000;
        sender.start(at(now), &mut out);
        for (step, event) in events {
            now += step;
            match &event {
                Heard::Timer | Heard::Stop => sender.on_timer(at(now), &mut out),
                Heard::Offer(packets) => sender.offer(at(now), *packets, &mut out),
                Heard::Feedback { .. } => {
                    let feedback = feedback_of(&event, at(now)).unwrap();
                    sender.on_feedback(at(now), &feedback, &mut out);
                }
            }
            for state in sender.states() {
                check_state(&state, config.segment);
            }
            prop_assert!((1.0..=16.0).contains(&sender.parallel().n()));
            prop_assert_eq!(sender.counters().sent, out.len() as u64);
        }
    }

    /// Packets with any order, numbers and times, repeated or missing.
    #[test]
    fn no_packets_break_a_receiver(
        config in receivers(),
        arrivals in proptest::collection::vec(arrivals(), 0..200),
        bundle: bool,
    ) {
        let mut one = Receiver::new(0, config);
        let mut many = MultiReceiver::new(config);
        let mut now = 0;
        for Step { wait, arrival, timer, cause } in arrivals {
            now += wait;
            let mut told = Vec::new();
            if bundle {
                told.extend(many.on_data(at(now), &arrival));
                if timer {
                    told.extend(many.on_deadline(at(now)));
                }
                if let Some((seq, cause)) = cause {
                    told.extend(many.on_cause(at(now), arrival.data.connection, seq, cause));
                }
            } else {
                told.extend(one.on_data(at(now), &arrival));
                if timer {
                    told.extend(one.on_deadline(at(now)));
                }
                if let Some((seq, cause)) = cause {
                    told.extend(one.on_cause(at(now), seq, cause));
                }
            }
            for feedback in told {
                prop_assert!(feedback.encode().is_ok(), "{:?}", feedback);
            }
            let p = one.loss_event_rate();
            prop_assert!((0.0..=1.0).contains(&p));
        }
        let counters = if bundle { many.counters() } else { one.counters() };
        prop_assert!(counters.late <= counters.lost);
    }
}

prop_compose! {
    fn receivers()(
        segment in prop_oneof![Just(0u32), Just(1000), any::<u32>()],
        reordering_tolerance in prop_oneof![0u32..20, any::<u32>()],
        first in proptest::option::of(prop_oneof![Just(0u64), any::<u64>()]),
        discounting in proptest::option::of((any::<f64>(), any::<bool>())),
        ns2: bool,
        sending: bool,
        round_test: bool,
        min1: bool,
        causes in prop_oneof![
            Just(Causes::Ignored), Just(Causes::Ecn), Just(Causes::Agent), Just(Causes::AccessPoint)
        ],
    ) -> ReceiverConfig {
        ReceiverConfig {
            segment,
            reordering_tolerance,
            first,
            discounting: discounting.map(|(threshold, with_open)| Discounting {
                threshold,
                mean: if with_open { DiscountMean::WithOpen } else { DiscountMean::Closed },
            }),
            timing: if ns2 { Timing::Arrivals } else { Timing::Timer },
            loss_clock: if sending { LossClock::Sending } else { LossClock::Arrival },
            round_test,
            first_target: if ns2 { FirstTarget::Current } else { FirstTarget::LargestReported },
            min1,
            causes,
        }
    }
}

#[derive(Clone, Debug)]
struct Step {
    wait: u64,
    arrival: Arrival,
    timer: bool,
    cause: Option<(u64, Cause)>,
}

prop_compose! {
    fn arrivals()(
        wait in prop_oneof![4 => 0u64..100_000_000, 1 => 0u64..100_000_000_000],
        seq in prop_oneof![8 => 0u64..100, 2 => 0u64..100_000, 1 => any::<u64>()],
        connection in prop_oneof![4 => Just(0u32), 4 => 0u32..40, 1 => any::<u32>()],
        sent_at in prop_oneof![0u64..10_000_000_000, any::<u64>()],
        rtt in proptest::option::of(prop_oneof![4 => 0u64..200_000_000, 1 => any::<u64>()]),
        round in prop_oneof![0u32..20, any::<u32>()],
        bytes in prop_oneof![Just(1000u32), any::<u32>()],
        flags in any::<(bool, bool, bool)>(),
        cause in proptest::option::of((prop_oneof![8 => 0u64..100, 1 => any::<u64>()], any::<bool>())),
    ) -> Step {
        let (marked, urgent, timer) = flags;
        let data = Data {
            connection,
            seq,
            sent_at: Instant::from_nanos(sent_at),
            rtt: rtt.map(Duration::from_nanos),
            round,
            urgent,
        };
        Step {
            wait,
            arrival: Arrival { data, bytes, marked },
            timer,
            cause: cause.map(|(seq, link)| (seq, if link { Cause::Link } else { Cause::Queue })),
        }
    }
}
