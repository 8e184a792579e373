//! Prints the events of a sender over a path that loses one segment:
//! `cargo run -p dumbbell-tcp --example story`

use std::collections::VecDeque;

use dumbbell_control::algorithm::veno::{self, Veno};
use dumbbell_control::controller::Algorithm;
use dumbbell_control::event::Path;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
use dumbbell_tcp::config::{ReceiverConfig, SenderConfig};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::receiver::{Receiver, Response};
use dumbbell_tcp::recovery::NewReno;
use dumbbell_tcp::segment::{AckSegment, Arrival, MAX_SACK_BLOCKS, Output, SackBlock, Segment};
use dumbbell_tcp::sender::Sender;

/// The one-way delay of every packet.
const DELAY: Duration = Duration::from_millis(50);
/// The segment whose first transmission is lost.
const LOST: u64 = 6;
/// The segments to send.
const SIZE: u64 = 20;

/// A packet in flight. ACKs have no SACK blocks here.
enum Packet {
    Open,
    Opened,
    Data(Segment),
    Ack(AckSegment<'static>),
}

/// The path in virtual time. Packets arrive in the order in which they were sent, since all delays are equal.
struct Wire {
    now: Instant,
    packets: VecDeque<(Instant, Packet)>,
    lines: Vec<String>,
}

impl Wire {
    fn put(&mut self, packet: Packet) {
        self.packets.push_back((self.now + DELAY, packet));
    }

    fn tell(&mut self, line: String) {
        let seconds = self.now.as_secs_f64();
        self.lines.push(format!("{seconds:.3}  {line}"));
    }
}

/// The sender passes its segments to the path.
impl Output for Wire {
    fn transmit(&mut self, segment: Segment) {
        let again = if segment.retransmission { " again" } else { "" };
        let lost = segment.seq == LOST && !segment.retransmission;
        let fate = if lost { ", which is lost" } else { "" };
        self.tell(format!("> data {}{again}{fate}", segment.seq));
        if !lost {
            self.put(Packet::Data(segment));
        }
    }

    fn open(&mut self) {
        self.tell("> open".into());
        self.put(Packet::Open);
    }
}

/// Runs the connection, and returns a line for each packet that the sender sends or receives and for each cut.
pub(crate) fn story() -> Vec<String> {
    let config = SenderConfig {
        size: Some(SIZE),
        ..SenderConfig::default()
    };
    let path = Path::new(Bytes(1000)).with_initial_window(Segments::whole(4));
    let control = Veno::new(&veno::Config::default(), &path);
    let mut sender = Sender::new(config, control, NewReno::default());
    let mut receiver = Receiver::new(ReceiverConfig::default());
    let mut wire = Wire {
        now: Instant::ZERO,
        packets: VecDeque::new(),
        lines: Vec::new(),
    };

    sender.start(wire.now, &mut wire);
    while !sender.finished() {
        // The next event: an arrival, or the sender's timer. This receiver needs no timer, because it
        // acknowledges every segment at once.
        let arrival = wire.packets.front().map(|(at, _)| *at);
        let Some(now) = arrival.into_iter().chain(sender.deadline()).min() else {
            break;
        };
        wire.now = now;
        if arrival != Some(now) {
            wire.tell("- timer".into());
            sender.on_timer(now, &mut wire);
            continue;
        }
        match wire.packets.pop_front() {
            Some((_, Packet::Open)) => wire.put(Packet::Opened),
            Some((_, Packet::Opened)) => {
                wire.tell("< opened".into());
                sender.on_open(now, &mut wire);
            }
            Some((_, Packet::Data(segment))) => {
                let arrival = Arrival::plain(segment.seq, 0);
                if receiver.on_segment(now, &arrival) == Response::Ack {
                    let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
                    let ack = receiver.ack(now, &mut blocks);
                    wire.put(Packet::Ack(AckSegment { blocks: &[], ..ack }));
                }
            }
            Some((_, Packet::Ack(ack))) => {
                wire.tell(format!("< ack {}", ack.ack));
                let before = sender.window().0.cwnd;
                sender.on_ack(now, &ack, &mut wire);
                let after = sender.window().0.cwnd;
                if after < before {
                    let [before, after] = [before, after].map(Segments::as_f64);
                    let phase = match sender.phase() {
                        Phase::Open => "open",
                        Phase::Recovery => "recovery",
                        Phase::Loss => "loss",
                    };
                    wire.tell(format!("- cwnd {before:.2} -> {after:.2}, {phase}"));
                }
            }
            None => {}
        }
    }
    wire.lines
}

fn main() {
    for line in story() {
        println!("{line}");
    }
}
