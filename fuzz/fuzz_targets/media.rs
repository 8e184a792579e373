//! Reports on media packets as bytes, and NADA, SCReAM and GCC that receive them. For any bytes, nothing panics; what decodes
//! encodes to the same bytes; rates stay within their bounds, and no more bytes are in flight than were sent.
//!
//! The input is a list of records: a length, that many bytes of a report, and a waiting time. A length of 255 stands for an
//! honest report on a packet that arrives.
#![no_main]

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::control::Ecn;
use dumbbell_media::feedback::{Feedback, Interval, Receiver};
use dumbbell_media::gcc::{self, Gcc};
use dumbbell_media::nada::{self, Nada};
use dumbbell_media::scream::{self, Scream};
use dumbbell_media::sender::{Backlog, Sender};
use libfuzzer_sys::fuzz_target;

const STREAM: u32 = 7;
const HONEST: u8 = 255;

fuzz_target!(|bytes: &[u8]| {
    let nada = Nada::new(nada::Config::default());
    let scream = Scream::new(scream::Config::default());
    let gcc = Gcc::new(gcc::Config::default());
    drive(Sender::new(Box::new(nada)), false, bytes);
    drive(Sender::new(Box::new(scream)), false, bytes);
    drive(Sender::new(Box::new(gcc)), true, bytes);
});

/// `pads` says whether the control probes with padding, which is shorter than a packet.
fn drive(mut sender: Sender, pads: bool, mut rest: &[u8]) {
    let mut supply = Backlog::new(1000);
    let mut receiver = Receiver::new(Interval::ByRate);
    let mut report = Feedback::with_room();
    let (mut now, mut sent, mut packets) = (Instant::from_nanos(1), 0_u64, 0_u64);
    sender.on_timer(now, &mut supply, |packet| {
        packets += 1;
        sent += u64::from(packet.bytes);
    });
    while let [length, wait, tail @ ..] = rest {
        now = now + Duration::from_nanos(1 << (wait % 36));
        let known = if *length == HONEST {
            rest = tail;
            receiver.on_packet(
                now,
                (sender.sent().max(1) - 1) as u16,
                1000,
                Ecn::from_bits(*wait),
            );
            receiver.report(now, &mut report)
        } else {
            let (packet, tail) = tail.split_at(usize::from(*length).min(tail.len()));
            rest = tail;
            decoded(packet, &mut report)
        };
        let count = |packet: dumbbell_media::sender::Numbered<()>| {
            packets += 1;
            sent += u64::from(packet.bytes);
        };
        if known {
            sender.on_feedback(now, &report, &mut supply, count);
        } else {
            sender.on_timer(now, &mut supply, count);
        }
        assert!((150e3..=1.5e6).contains(&sender.target_rate()));
        assert!(sender.control().pacing_rate() >= 50e3);
        assert!(sender.in_flight() <= sent);
        assert!(sender.deadline(&supply).is_some());
    }
    assert_eq!(sender.sent(), packets);
    assert!(sent == packets * 1000 || pads && sent < packets * 1000);
}

/// Whether the bytes are a report; it is then in `report`.
fn decoded(bytes: &[u8], report: &mut Feedback) -> bool {
    let Ok(by) = report.decode(STREAM, bytes) else {
        return false;
    };
    let mut again = Vec::new();
    report
        .encode(by, STREAM, &mut again)
        .expect("it was decoded");
    assert_eq!(again, bytes);
    true
}
