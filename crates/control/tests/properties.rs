//! Properties of every control of the registry, under any events in any order with any numbers, and
//! with any parameters within their ranges.

use dumbbell_control::controller::{Controller, Facts, Value, Window};
use dumbbell_control::event::{
    Ack, Delivery, DeliveryRate, Loss, LossSignal, LostSegment, Marks, MssChange, Path, Queueing,
    Repair, Sample, Sent, Stamps, Timeout,
};
use dumbbell_control::parameter::{Kind, Setting};
use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_control::units::{Bytes, Duration, Instant, Rate, Ratio, Segments};
use proptest::prelude::*;

#[path = "twin/extremes.rs"]
mod extremes;
use extremes::{half, word};

#[derive(Clone, Debug)]
enum Event {
    Sent(Sent),
    Mss(MssChange),
    Sample(Sample),
    Ack(Ack),
    Loss(Loss),
    Timeout(Timeout),
    Restrict(Segments),
    Delivery(Delivery),
    Lost(LostSegment),
}

fn instant() -> impl Strategy<Value = Instant> {
    word().prop_map(Instant::from_nanos)
}

fn segments() -> impl Strategy<Value = Segments> {
    prop_oneof![3 => Just(Segments::ONE), 2 => word().prop_map(Segments::from_raw)]
}

fn stamps() -> impl Strategy<Value = Stamps> {
    (instant(), instant()).prop_map(|(sent_at, received_at)| Stamps {
        sent_at,
        received_at,
    })
}

fn queueing() -> impl Strategy<Value = Queueing> {
    (word(), word()).prop_map(|(forward, backward)| Queueing {
        forward: Duration::from_nanos(forward),
        backward: Duration::from_nanos(backward),
    })
}

fn marks() -> impl Strategy<Value = Marks> {
    prop_oneof![
        Just(Marks::None),
        Just(Marks::Echoed),
        segments().prop_map(Marks::Counted)
    ]
}

/// An arbitrary sample, or one of an ordinary path.
fn sample() -> impl Strategy<Value = Sample> {
    let wild = (
        instant(),
        prop::option::of(word().prop_map(Duration::from_nanos)),
        segments(),
        any::<bool>(),
        prop::option::of(stamps()),
        prop::option::of(queueing()),
        (segments(), marks()),
    )
        .prop_map(|(now, rtt, credited, duplicate, stamps, queueing, news)| {
            Sample::new(now, credited)
                .with_rtt(rtt)
                .with_lost(news.0)
                .with_marks(news.1)
                .with_duplicate(duplicate)
                .with_stamps(stamps)
                .with_queueing(queueing)
        });
    let tame = (0..2_000u64, 60..90u64, 0..3u64, any::<bool>()).prop_map(|(at, rtt, one, dup)| {
        let [now, rtt] = [10_000 + at, rtt].map(Duration::from_millis);
        let now = Instant::ZERO + now;
        let sent_at = now - rtt;
        let received_at = sent_at + Duration::from_millis(30 + one);
        let stamps = Some(Stamps {
            sent_at,
            received_at,
        });
        Sample::new(now, Segments::ONE)
            .with_rtt(rtt)
            .with_duplicate(dup)
            .with_stamps(stamps)
            .with_queueing((at % 3 > 0).then_some(Queueing {
                forward: Duration::from_millis(one),
                backward: Duration::from_millis(at % 7),
            }))
    });
    prop_oneof![1 => wild, 3 => tame]
}

/// A rate of delivery, with any numbers or those of an ordinary path.
fn delivery_rate() -> impl Strategy<Value = DeliveryRate> {
    let wild = (word(), word(), word(), word(), word(), any::<bool>());
    let tame = (
        1..40u64,
        60_000_000..90_000_000u64,
        0..9_000u64,
        1..50u64,
        0..3u64,
        any::<bool>(),
    );
    prop_oneof![1 => wild, 3 => tame].prop_map(
        |(delivered, interval, prior_delivered, tx_in_flight, lost, app_limited)| DeliveryRate {
            delivered,
            interval: Duration::from_nanos(interval),
            prior_delivered,
            tx_in_flight,
            lost,
            app_limited,
        },
    )
}

/// What an ACK says of deliveries, with any numbers or those of an ordinary path.
fn delivery() -> impl Strategy<Value = Delivery> {
    let wild = (
        instant(),
        [word(), word(), word(), word(), word(), word()],
        word(),
        instant(),
    );
    let tame = (
        0..60_000u64,
        [0..9_000u64, 0..300, 0..4, 0..2, 0..50, 0..50],
        60..90u64,
    )
        .prop_map(|(at, counts, rtt)| {
            let now = Instant::ZERO + Duration::from_millis(at);
            (
                now,
                counts,
                rtt * 1_000_000,
                now + Duration::from_micros(at % 3_000),
            )
        });
    let repair = prop_oneof![
        4 => Just(Repair::None),
        2 => Just(Repair::Episode),
        1 => Just(Repair::Timeout)
    ];
    let numbers = prop_oneof![1 => wild, 3 => tame];
    (
        numbers,
        prop::option::weighted(0.9, delivery_rate()),
        repair,
        any::<bool>(),
    )
        .prop_map(|((now, counts, rtt, next_send), rate, repair, times)| {
            let [
                delivered,
                lost,
                newly_delivered,
                newly_lost,
                prior,
                in_flight,
            ] = counts;
            let mut delivery = Delivery::new(now, delivered, in_flight);
            delivery.lost = lost;
            delivery.newly_delivered = newly_delivered;
            delivery.newly_lost = newly_lost;
            delivery.prior_in_flight = prior;
            delivery.rtt = times.then_some(Duration::from_nanos(rtt));
            delivery.srtt = delivery.rtt;
            delivery.next_send = next_send;
            delivery.repair = repair;
            delivery.cwnd_limited = times;
            delivery.rate = rate;
            delivery
        })
}

fn lost_segment() -> impl Strategy<Value = LostSegment> {
    let wild = (instant(), word(), word());
    let tame = (instant(), 1..50u64, 0..5u64);
    prop_oneof![1 => wild, 3 => tame]
        .prop_map(|(now, in_flight, lost)| LostSegment::new(now, in_flight, lost))
}

fn event() -> impl Strategy<Value = Event> {
    let signal = prop_oneof![
        Just(LossSignal::DupAcks),
        Just(LossSignal::FineTimer),
        Just(LossSignal::Ecn)
    ];
    let ack = (instant(), segments(), segments(), prop::bool::weighted(0.1)).prop_map(
        |(now, acked, in_flight, app_limited)| {
            Ack::new(now, acked, in_flight).with_app_limited(app_limited)
        },
    );
    let loss = (instant(), segments(), instant(), half(), signal).prop_map(
        |(now, in_flight, lost_sent_at, transmissions, by)| {
            Loss::new(now, in_flight)
                .with_lost_sent_at(lost_sent_at)
                .with_transmissions(transmissions)
                .with_signal(by)
        },
    );
    let timeout = (instant(), segments(), half()).prop_map(|(now, in_flight, consecutive)| {
        Timeout::new(now, in_flight).with_consecutive(consecutive % 4)
    });
    let sent = (instant(), segments(), segments(), any::<bool>()).prop_map(
        |(now, sent, in_flight, again)| Sent::new(now, sent, in_flight).with_retransmission(again),
    );
    let size = || prop_oneof![1 => word(), 4 => 500..1500u64].prop_map(Bytes);
    let mss = (size(), size()).prop_map(|(before, after)| MssChange::new(before, after));
    prop_oneof![
        8 => sample().prop_map(Event::Sample),
        8 => ack.prop_map(Event::Ack),
        2 => loss.prop_map(Event::Loss),
        1 => timeout.prop_map(Event::Timeout),
        1 => segments().prop_map(Event::Restrict),
        2 => sent.prop_map(Event::Sent),
        1 => mss.prop_map(Event::Mss),
        12 => delivery().prop_map(Event::Delivery),
        2 => lost_segment().prop_map(Event::Lost),
    ]
}

fn path() -> impl Strategy<Value = Path> {
    (word(), segments(), segments(), word()).prop_map(|(mss, initial_window, ssthresh, ns)| {
        Path::new(Bytes(mss))
            .with_initial_window(initial_window)
            .with_ssthresh(ssthresh)
            .with_stamp_granularity(Duration::from_nanos(ns))
    })
}

/// An algorithm, with its default parameters or random ones within their ranges.
fn config(any_parameters: bool) -> impl Strategy<Value = AnyConfig> {
    let all: Vec<AnyConfig> = registry::all().collect();
    let one = prop::sample::select(all);
    (one, prop::collection::vec(word(), 64)).prop_map(move |(mut config, choices)| {
        for (parameter, choice) in config.parameters().iter().zip(choices) {
            if any_parameters && choice % 3 > 0 {
                let value = within(parameter.kind, choice);
                assert_eq!(
                    config.set(parameter.name, value),
                    Ok(()),
                    "{}",
                    parameter.name
                );
                assert_eq!(config.get(parameter.name), Some(value));
            }
        }
        config
    })
}

/// A control that cuts by the extent of marking.
fn marking() -> impl Strategy<Value = AnyConfig> {
    let all = registry::all().filter(|config| config.needs().marks);
    prop::sample::select(all.collect::<Vec<_>>())
}

/// A report of marks on an ordinary path: an ACK, or a mark that may cut, with the time at which its segment was sent.
fn mark() -> impl Strategy<Value = Event> {
    (0..2_000u64, 60..90u64, 1..4u32, 0..4u32, any::<bool>()).prop_map(
        |(at, rtt, credited, marked, cuts)| {
            let now = Instant::ZERO + Duration::from_millis(10_000 + at);
            let rtt = Duration::from_millis(rtt);
            if cuts {
                let loss = Loss::new(now, Segments::CAP).with_signal(LossSignal::Ecn);
                return Event::Loss(loss.with_lost_sent_at(now - rtt));
            }
            let marks = Marks::Counted(Segments::whole(marked));
            let sample = Sample::new(now, Segments::whole(credited)).with_rtt(rtt);
            Event::Sample(sample.with_marks(marks))
        },
    )
}

/// One of the ends of the range, or a value between them.
fn within(kind: Kind, choice: u64) -> Setting {
    let between = |least: u64, most: u64| match choice % 4 {
        0 => least,
        1 => most,
        _ => least + (choice >> 2) % (most - least).max(1),
    };
    let between32 = |least: u32, most: u32| between(least.into(), most.into()) as u32;
    match kind {
        Kind::Segments(least, most) => {
            Setting::Segments(Segments::from_raw(between(least.raw(), most.raw())))
        }
        Kind::Duration(least, most) => Setting::Duration(Duration::from_nanos(between(
            least.as_nanos(),
            most.as_nanos(),
        ))),
        Kind::Count(least, most) | Kind::Rate(least, most) => {
            Setting::Count(between32(least, most))
        }
        Kind::Ratio(least, most) => {
            let parts = between32(least.millionths(), most.millionths());
            Setting::Ratio(Ratio::from_millionths(parts))
        }
        Kind::Flag => Setting::Flag(choice.is_multiple_of(2)),
        Kind::Choice(words) => Setting::Choice(words[(choice % words.len() as u64) as usize]),
    }
}

fn floor_of(config: &AnyConfig, name: &str) -> Segments {
    match config.get(name) {
        Some(Setting::Count(segments)) => Segments::whole(segments),
        _ => Segments::ONE,
    }
}

fn apply(control: &mut impl Controller, event: &Event) {
    match event {
        Event::Sent(sent) => control.on_sent(sent),
        Event::Sample(sample) => control.on_sample(sample),
        Event::Ack(ack) => control.on_ack(ack),
        Event::Loss(loss) => control.on_loss(loss),
        Event::Timeout(timeout) => control.on_timeout(timeout),
        Event::Mss(change) => control.on_mss(change),
        Event::Restrict(cwnd) => control.restrict(*cwnd),
        Event::Delivery(delivery) => control.on_delivery(delivery),
        Event::Lost(lost) => control.on_lost_segment(lost),
    }
}

/// Checks what must hold for every control after every event.
fn check(
    config: &AnyConfig,
    event: &Event,
    before: Window,
    after: Window,
) -> Result<(), TestCaseError> {
    let facts = config.facts();
    prop_assert!(after.cwnd >= Segments::ONE && after.cwnd <= Segments::CAP);
    let floor = floor_of(config, "min_ssthresh");
    let least = floor.max(floor_of(config, "min_cwnd"));
    if after.ssthresh != before.ssthresh {
        prop_assert!(after.ssthresh >= floor && after.ssthresh <= Segments::CAP);
    }
    // A control that measures deliveries counts whole segments, and may change its window when the sender was
    // idle.
    let by_delivery = config.needs().delivery;
    let counted = |window: Segments| match by_delivery {
        true => Segments::saturating_whole(window.floor()),
        false => window,
    };
    match event {
        Event::Sent(_) | Event::Delivery(_) | Event::Lost(_) if by_delivery => {}
        Event::Sent(_) | Event::Sample(_) | Event::Delivery(_) | Event::Lost(_) => {
            prop_assert_eq!(after, before);
        }
        Event::Ack(_) => {
            prop_assert!(facts.ack_lowers_window || after.cwnd >= before.cwnd);
            let moves = facts.ack_moves_ssthresh && before.cwnd < before.ssthresh;
            prop_assert!(moves || after.ssthresh == before.ssthresh);
        }
        Event::Loss(_) => prop_assert!(after.cwnd <= before.cwnd.max(least)),
        Event::Timeout(_) => {
            let restart = floor_of(config, "timeout_cwnd");
            prop_assert_eq!(after.cwnd, restart);
        }
        Event::Mss(change) => {
            let expected = counted(change.rescale(before.cwnd)).max(Segments::ONE);
            prop_assert_eq!(after.cwnd, expected);
            let limited = before.ssthresh < Segments::MAX;
            prop_assert_eq!(limited, after.ssthresh < Segments::MAX);
        }
        Event::Restrict(cwnd) => {
            prop_assert_eq!(
                after.cwnd,
                counted(before.cwnd.min(*cwnd)).max(Segments::ONE)
            );
            prop_assert_eq!(after.ssthresh, before.ssthresh);
        }
    }
    Ok(())
}

/// Checks the facts that an algorithm states about losses and timeouts, and that the threshold is at
/// least two segments after either.
fn check_cuts(
    facts: &Facts,
    event: &Event,
    before: Window,
    after: Window,
) -> Result<(), TestCaseError> {
    let two = Segments::whole(2);
    let left = |part: Ratio| before.cwnd.scaled(part);
    match (event, facts.loss_leaves, facts.timeout_leaves) {
        (Event::Loss(_), Some(part), _) if facts.loss_restarts => {
            prop_assert_eq!(after.cwnd, Segments::ONE);
            prop_assert!(after.ssthresh >= left(part).max(two));
        }
        (Event::Loss(_), Some(part), _) => {
            prop_assert!(after.cwnd >= left(part).min(before.cwnd));
            prop_assert!(after == before || after.ssthresh >= two);
        }
        (Event::Loss(_), None, _) => prop_assert!(after.ssthresh >= two),
        (Event::Timeout(timeout), _, Some(part)) if timeout.consecutive < 2 => {
            prop_assert_eq!(after.ssthresh, left(part).max(two));
        }
        (Event::Timeout(_), _, Some(_)) => prop_assert_eq!(after.ssthresh, before.ssthresh),
        (Event::Timeout(_), _, None) => prop_assert!(after.ssthresh >= two),
        _ => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn windows_stay_within_their_bounds(
        config in config(true),
        path in path(),
        events in prop::collection::vec(event(), 1..300),
    ) {
        let mut control = config.build(&path);
        for event in &events {
            let before = control.window();
            apply(&mut control, event);
            check(&config, event, before, control.window())?;
            prop_assert!(control.pacing().unwrap_or_default() <= Rate::CAP);
            let mut finite = true;
            control.explain(&mut |_, value| match value {
                Value::State(state) => finite &= !state.is_empty(),
                value => finite &= value.number().is_none_or(f64::is_finite),
            });
            prop_assert!(finite);
        }
    }

    /// With its default parameters, a control cuts as its facts say.
    #[test]
    fn losses_and_timeouts_cut_as_the_facts_say(
        config in config(false),
        path in path(),
        events in prop::collection::vec(event(), 1..300),
    ) {
        let mut control = config.build(&path);
        for event in &events {
            let before = control.window();
            apply(&mut control, event);
            check_cuts(config.facts(), event, before, control.window())?;
        }
    }

    /// After a spurious loss is undone, the control behaves as if the loss had not been reported,
    /// whatever was measured in between.
    #[test]
    fn an_undone_loss_leaves_no_trace(
        config in config(true),
        path in path(),
        events in prop::collection::vec(event(), 1..100),
        during in prop::collection::vec(sample(), 0..20),
    ) {
        let (mut told, mut untold) = (config.build(&path), config.build(&path));
        for event in &events {
            apply(&mut told, event);
            apply(&mut untold, event);
        }
        let mut kept = told.checkpoint();
        told.on_loss(&Loss::new(Instant::ZERO, Segments::whole(3)));
        for sample in &during {
            told.on_sample(sample);
            kept.on_sample(sample);
            untold.on_sample(sample);
        }
        told.undo(kept);
        for event in &events {
            apply(&mut told, event);
            apply(&mut untold, event);
            prop_assert_eq!(told.window(), untold.window());
        }
    }

    /// Whatever a receiver reports of marks, a control is no faster than without any report: it may be above by the
    /// segment that slow start adds below the least threshold. (A mark moves the threshold to the window, as a loss
    /// does. So not if a host then lowers the window alone, or begins with the second timeout of a segment. And in
    /// segments of another size a segment is more.)
    #[test]
    fn reports_of_marks_never_help(
        config in marking(),
        path in path(),
        events in prop::collection::vec(prop_oneof![3 => event(), 1 => mark()], 1..300),
    ) {
        let (mut told, mut untold) = (config.build(&path), config.build(&path));
        for event in &events {
            match event {
                Event::Restrict(_) | Event::Mss(_) => continue,
                Event::Timeout(timeout) if timeout.consecutive >= 2 => continue,
                _ => {}
            }
            apply(&mut told, event);
            match event {
                Event::Sample(sample) => untold.on_sample(&sample.with_marks(Marks::None)),
                Event::Loss(loss) if loss.by == LossSignal::Ecn => {}
                other => apply(&mut untold, other),
            }
            let [told, untold] = [told.window().cwnd, untold.window().cwnd];
            prop_assert!(told <= untold + Segments::ONE, "{:?} {:?}", told, untold);
        }
    }

    /// A host that keeps no copy gives the window and the threshold back, at most what they were or what
    /// they have grown to since.
    #[test]
    fn a_restored_window_is_that_before_the_cut(
        config in config(true),
        path in path(),
        events in prop::collection::vec(event(), 1..100),
        timeout in any::<bool>(),
    ) {
        let mut control = config.build(&path);
        for event in &events {
            apply(&mut control, event);
        }
        let before = control.window();
        if timeout {
            control.on_timeout(&Timeout::new(Instant::ZERO, Segments::whole(3)).with_consecutive(1));
        } else {
            control.on_loss(&Loss::new(Instant::ZERO, Segments::whole(3)));
        }
        let cut = control.window();
        control.restore(&before);
        let after = control.window();
        prop_assert_eq!(after.ssthresh, cut.ssthresh.max(before.ssthresh));
        if config.needs().delivery {
            // BBR has kept a window of its own, perhaps one from before that.
            prop_assert!(after.cwnd >= cut.cwnd.max(before.cwnd));
            return Ok(());
        }
        prop_assert_eq!(after.cwnd, cut.cwnd.max(before.cwnd));
        control.restore(&before);
        prop_assert_eq!(after, control.window());
    }

    /// The same events give the same windows.
    #[test]
    fn a_control_is_a_function_of_its_events(
        config in config(true),
        path in path(),
        events in prop::collection::vec(event(), 1..100),
    ) {
        let (mut one, mut other) = (config.build(&path), config.build(&path));
        for event in &events {
            apply(&mut one, event);
        }
        let mut halfway = None;
        for (i, event) in events.iter().enumerate() {
            if i == events.len() / 2 {
                halfway = Some(other.clone());
            }
            apply(&mut other, event);
        }
        // A copy taken halfway continues as the original did.
        let mut copy = halfway.expect("halfway comes");
        for event in &events[events.len() / 2..] {
            apply(&mut copy, event);
        }
        prop_assert_eq!(one.window(), other.window());
        prop_assert_eq!(one.window(), copy.window());
    }
}
