//! The QUIC sender and receiver of the simulator, whose peer says anything: acknowledgements of what was never sent, of
//! any ranges, in any order and at any time; packets with any number and data. Nothing panics, and
//!
//! * a window has not grown by more than the packets that were sent and acknowledged;
//! * what leaves fits the window, but for the probes of a timeout;
//! * no two packets have the same number, and what is in flight is what left and is not reported or lost;
//! * a receiver acknowledges packets that came, and no others, in at most 32 ranges, the newest first.
//!
//! The input is a control, flags, and a list of what happens.
#![no_main]

use std::collections::BTreeSet;

use dumbbell_control::controller::Signals;
use dumbbell_control::event::Path;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
use dumbbell_quic::Choice;
use dumbbell_quic::connection::{
    AckFrame, MOST_AHEAD, MOST_RANGES, Output, Packet, Range, Receiver, ReceiverConfig, Sender,
    SenderConfig,
};
use libfuzzer_sys::fuzz_target;

/// Controls whose windows grow by at most one segment for each that is acknowledged.
const BY_ACKS: [&str; 6] = ["reno", "veno", "venodb", "vegas", "westwood+", "cubic"];
/// Others, which set their windows by rates of delivery.
const BY_RATES: [&str; 2] = ["bbr", "bbr1"];
/// Packets in flight above a window: the probes of a timeout, and what rounding leaves.
const PROBES: u64 = 3;

#[derive(Default)]
struct Out {
    next: u64,
    left: u64,
}

impl Output for Out {
    fn transmit(&mut self, packet: Packet) {
        assert_eq!(packet.number, self.next, "a number twice, or left out");
        self.next += 1;
        self.left += 1;
    }

    fn open(&mut self) {}
}

/// The input, from its first byte on.
struct Input<'i>(&'i [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    /// A number: near another one, or any.
    fn number(&mut self, near: u64) -> Option<u64> {
        Some(match self.byte()? {
            255 => {
                let mut bytes = [0; 8];
                for byte in &mut bytes {
                    *byte = self.byte()?;
                }
                u64::from_le_bytes(bytes)
            }
            back => (near + 8).saturating_sub(back.into()),
        })
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let (Some(control), Some(flags)) = (input.byte(), input.byte()) else {
        return;
    };
    if flags & 128 == 0 {
        sends(control, flags, &mut input);
    } else {
        receives(flags, &mut input);
    }
});

fn sends(control: u8, flags: u8, input: &mut Input<'_>) {
    let names = [&BY_ACKS[..], &BY_RATES[..]].concat();
    let place = usize::from(control) % names.len();
    let name = names[place];
    let signals = Signals::RTT.with_pacing().with_delivery();
    let choice = Choice::named(name, signals).expect("it needs no more");
    let config = SenderConfig {
        pacing: flags & 1 != 0,
        below_window: flags & 2 != 0,
        losses_last: flags & 8 != 0,
        deliveries: place >= BY_ACKS.len(),
        packets: (flags & 4 != 0).then_some(1000),
        ..SenderConfig::default()
    };
    let path = Path::new(Bytes(1200)).with_initial_window(Segments::whole(10));
    let mut sender = Sender::new(config, choice.config().build(&path));
    let (mut out, mut now) = (Out::default(), Instant::from_nanos(1));
    // The packets that were sent and acknowledged.
    let mut acked = BTreeSet::new();
    sender.start(now, &mut out);
    while let Some(what) = input.byte() {
        out.left = 0;
        match what & 7 {
            0 => now = now + Duration::from_nanos(1 << (what >> 3)),
            1 => {
                if let Some(deadline) = sender.deadline() {
                    now = now.max(deadline);
                }
                sender.on_timer(now, &mut out);
            }
            _ => {
                let Some(frame) = frame(what, out.next, input) else {
                    break;
                };
                for range in frame.ranges() {
                    acked.extend(range.start..range.end.min(out.next).max(range.start));
                }
                sender.on_ack(now, &frame, &mut out);
            }
        }
        let counters = sender.counters();
        assert_eq!(counters.sent, out.next);
        let known = acked.len() as u64;
        assert!(counters.lost <= out.next && counters.spurious <= counters.lost);
        assert!(sender.in_flight() <= out.next - known.min(out.next));
        let cwnd = sender.window().cwnd.floor();
        if out.left > PROBES {
            assert!(sender.in_flight() <= cwnd.max(2) + PROBES, "{name}: {cwnd}");
        }
        if place < BY_ACKS.len() {
            assert!(cwnd <= 10 + known, "{name}: {cwnd} after {known}");
        }
    }
}

/// An acknowledgement with any ranges.
fn frame(what: u8, next: u64, input: &mut Input<'_>) -> Option<AckFrame> {
    let mut ranges = [Range::default(); MOST_RANGES];
    let count = usize::from(what >> 3).min(MOST_RANGES - 1) + 1;
    for range in &mut ranges[..count] {
        *range = Range {
            start: input.number(next)?,
            end: input.number(next)?,
        };
    }
    let mut frame = AckFrame::new(&ranges[..count]);
    frame.delay = Duration::from_nanos(1 << (input.byte()? & 63));
    frame.received_at = Instant::from_nanos(input.number(1000)?);
    frame.marked = input.number(next)?;
    Some(frame)
}

fn receives(flags: u8, input: &mut Input<'_>) {
    let mut receiver = Receiver::new(ReceiverConfig {
        max_ack_delay: (flags & 1 != 0).then_some(Duration::from_millis(25)),
    });
    let (mut came, mut pieces) = (BTreeSet::new(), BTreeSet::new());
    let mut now = Instant::from_nanos(1);
    while let Some(what) = input.byte() {
        now = now + Duration::from_nanos(1 << (what >> 3));
        if what & 7 == 0 {
            receiver.on_deadline(now);
        }
        let expected = receiver.expected();
        let first = receiver.delivered();
        let (Some(number), Some(piece)) = (input.number(expected), input.number(first)) else {
            break;
        };
        // The list of what came above a hole has a byte for each: not many of them are tried far away.
        let piece = if piece > first + (1 << 16) && flags & 2 != 0 {
            piece | 1 << 63
        } else {
            piece
        };
        receiver.on_packet(now, number, piece, what & 1 != 0);
        if number < 1 << 62 && piece.saturating_sub(first) < MOST_AHEAD {
            came.insert(number);
            pieces.insert(piece);
        }
        let frame = receiver.ack(now);
        let mut before = u64::MAX;
        assert!(frame.ranges().len() <= MOST_RANGES);
        for range in frame.ranges() {
            assert!(range.start < range.end && range.end < before);
            before = range.start;
            // Ranges can be long only where packets came.
            assert_eq!(
                came.range(range.start..range.end).count() as u64,
                range.end - range.start
            );
        }
        assert!(receiver.pieces() <= pieces.len() as u64);
        assert!(receiver.delivered() <= receiver.pieces());
    }
}
