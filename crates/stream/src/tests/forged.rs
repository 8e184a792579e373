//! Forged feedback to the four of the TFRC family: p = 0 and absurd rates with true times, and copies.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::packet::Feedback;
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::sender::{Law, SenderConfig, VenoConfig};

use super::{Constant, SESSION, config, tfrc};
use crate::packet::Packet;
use crate::sending::{RateControl, Sending};

const RTT: u64 = 50;

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// Each of the family, with the largest factor of its rate in a round-trip time: RFC 5348, section 4.3, doubles it; a further
/// connection of MULTFRC or AIO-TFRC doubles what there is of one.
fn family() -> Vec<(RateControl, f64)> {
    let veno = SenderConfig {
        law: Law::Veno(VenoConfig::default()),
        ..SenderConfig::rfc5348(1000)
    };
    let aio = SenderConfig {
        all_in_one: Some(ParallelConfig::default()),
        ..SenderConfig::rfc5348(1000)
    };
    let several = RateControl::Several(SenderConfig::rfc5348(1000), ParallelConfig::default());
    vec![
        (tfrc(), 2.0),
        (RateControl::One(veno), 2.0),
        (RateControl::One(aio), 4.0),
        (several, 4.0),
    ]
}

/// A receiver that says every 10 ms that nothing is lost and that a terabyte a second arrives: the rate at most doubles in a
/// round-trip time, what is sent stays below the encoder's ceiling, and a copy of any of it changes nothing.
#[test]
fn a_receiver_that_lies_about_rates_gains_what_the_rule_allows() {
    for (control, factor) in family() {
        let mut sending = Sending::new(config(Duration::from_secs(9)), control, Constant, ms(0));
        let mut bytes = Vec::new();
        Packet::Welcome.encode(SESSION, &mut bytes);
        let (mut sent, mut allowed, mut copies) = (Vec::new(), Vec::new(), 0);
        let mut out = |packet: &[u8]| {
            if let Some((_, Packet::Frame(data, fragment))) = Packet::decode(packet) {
                sent.push((data, u64::from(fragment.bytes)));
            }
        };
        sending.on_packet(ms(RTT), &bytes, &mut out);
        for at in RTT..4000 {
            sending.on_timer(ms(at), &mut out);
            if at % 10 == 0 && at >= 2 * RTT {
                let lie = Packet::Feedback(Feedback {
                    connection: 0,
                    t_recvdata: ms(at - RTT),
                    t_delay: Duration::ZERO,
                    x_recv: 1e12,
                    p: 0.0,
                    p_wireless: None,
                    loss_events: 0,
                });
                lie.encode(SESSION, &mut bytes);
                sending.on_packet(ms(at), &bytes, &mut out);
                let (rate, ignored) = (
                    sending.report(ms(at)).allowed,
                    sending.report(ms(at)).ignored,
                );
                // A copy of what has just arrived.
                sending.on_packet(ms(at), &bytes, &mut out);
                let after = sending.report(ms(at));
                assert_eq!(after.allowed, rate, "a copy at {at} ms");
                copies += after.ignored - ignored;
            }
            allowed.push(sending.report(ms(at)).allowed);
        }
        assert!(copies > 300, "{copies} copies were noticed");
        for (at, pair) in allowed.windows(RTT as usize + 1).enumerate() {
            let (before, now) = (pair[0], pair[RTT as usize]);
            // The initial rate is that of up to four packets in a round-trip time, once there is one.
            let most = (factor * before).max(4.0 * 8000.0 / 0.05);
            assert!(now <= most * 1.001, "{at} ms: {before} to {now}");
        }
        let bytes: u64 = sent.iter().map(|(_, bytes)| bytes).sum();
        assert!(bytes as f64 * 8.0 / 3.95 <= 400e3 * 1.02, "{bytes} B");
    }
}

/// Each of the family hears of packets that it never sent, of the future, of another session and connection, of a wait
/// longer than its time, and rates on the wire that are no numbers or out of range: nothing changes but a count.
#[test]
fn impossible_feedback_changes_nothing_but_a_count() {
    let (x_recv, p) = (1e12_f64, 0.25_f64);
    let honest = Feedback {
        connection: 0,
        t_recvdata: ms(50),
        t_delay: Duration::ZERO,
        x_recv,
        p,
        p_wireless: None,
        loss_events: 4,
    };
    let with = |session: u64, change: &dyn Fn(&mut Feedback)| {
        let (mut feedback, mut bytes) = (honest, Vec::new());
        change(&mut feedback);
        Packet::Feedback(feedback).encode(session, &mut bytes);
        bytes
    };
    let on_the_wire = |old: f64, new: f64| {
        let (mut bytes, old) = (with(SESSION, &|_| {}), old.to_be_bytes());
        let at = bytes.windows(8).position(|eight| eight == old);
        let at = at.expect("the number is there");
        bytes[at..at + 8].copy_from_slice(&new.to_be_bytes());
        bytes
    };
    let mut forged = vec![
        with(SESSION + 1, &|_| {}),
        with(SESSION, &|it| it.t_recvdata = ms(5000)),
        with(SESSION, &|it| it.t_delay = Duration::from_secs(9)),
        with(SESSION, &|it| it.connection = 3),
    ];
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
        forged.extend([on_the_wire(x_recv, number), on_the_wire(p, number)]);
    }
    forged.push(on_the_wire(p, 1.5));
    for (control, _) in family() {
        let mut sending = Sending::new(config(Duration::from_secs(9)), control, Constant, ms(0));
        let (mut bytes, mut sent) = (Vec::new(), 0);
        let mut out = |_: &[u8]| sent += 1;
        Packet::Welcome.encode(SESSION, &mut bytes);
        sending.on_packet(ms(RTT), &bytes, &mut out);
        sending.on_timer(ms(RTT), &mut out);
        let before = sending.report(ms(100));
        for (number, packet) in forged.iter().enumerate() {
            sending.on_packet(ms(100), packet, &mut out);
            let after = sending.report(ms(100));
            assert_eq!(after.allowed, before.allowed, "forgery {number}");
            assert_eq!(
                (after.ignored, after.packets),
                (number as u64 + 1, before.packets),
                "forgery {number}"
            );
        }
    }
}
