//! Events of every kind, with any numbers or those of an ordinary path, and how a control is told of them.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::{
    Ack, Delivery, DeliveryRate, Loss, LossSignal, LostSegment, Marks, MssChange, Queueing, Repair,
    Sample, Sent, Stamps, Timeout,
};
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
use proptest::prelude::*;

use crate::extremes::{half, word};

#[derive(Clone, Debug)]
pub enum Event {
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

pub fn apply(control: &mut impl Controller, event: &Event) {
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

pub fn event() -> impl Strategy<Value = Event> {
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

/// A report of marks on an ordinary path: an ACK, or a mark that may cut, with the time at which its segment was sent.
pub fn mark() -> impl Strategy<Value = Event> {
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

fn instant() -> impl Strategy<Value = Instant> {
    word().prop_map(Instant::from_nanos)
}

pub fn segments() -> impl Strategy<Value = Segments> {
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
pub fn sample() -> impl Strategy<Value = Sample> {
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
