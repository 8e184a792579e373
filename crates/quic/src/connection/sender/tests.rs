//! Stories worked out by hand from RFC 9002, and sessions with any losses.

use dumbbell_control::algorithm::bbr::{self, Bbr};
use dumbbell_control::algorithm::reno::{self, Reno};
use dumbbell_control::controller::Algorithm;
use dumbbell_control::event::{Delivery, Loss, LostSegment, Path, Timeout};
use dumbbell_control::units::Bytes;
use proptest::prelude::*;

use super::super::config::ReceiverConfig;
use super::super::frame::{Packet, Range};
use super::super::receiver::{Receiver, Response};
use super::*;

fn ms(n: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(n)
}

#[derive(Default)]
struct Out {
    packets: Vec<Packet>,
    opened: u32,
}

impl Output for Out {
    fn transmit(&mut self, packet: Packet) {
        self.packets.push(packet);
    }
    fn open(&mut self) {
        self.opened += 1;
    }
}

impl Out {
    /// The numbers of the packets that have left since the last call.
    fn numbers(&mut self) -> Vec<u64> {
        self.packets.drain(..).map(|packet| packet.number).collect()
    }

    /// Their data.
    fn pieces(&mut self) -> Vec<u64> {
        self.packets.drain(..).map(|packet| packet.piece).collect()
    }
}

fn reno(config: SenderConfig) -> Sender<Reno> {
    let path = Path::new(config.payload);
    let control = Reno::new(&reno::Config::default(), &path);
    Sender::new(config, control)
}

fn unpaced() -> SenderConfig {
    SenderConfig {
        pacing: false,
        ..SenderConfig::default()
    }
}

/// An ACK of the packets from `start` up to `end`.
fn ack(ranges: &[(u64, u64)]) -> AckFrame {
    let ranges: Vec<Range> = ranges
        .iter()
        .map(|&(start, end)| Range { start, end })
        .collect();
    AckFrame::new(&ranges)
}

#[test]
fn a_window_leaves_and_an_ack_lets_it_grow() {
    let (mut sender, mut out) = (reno(unpaced()), Out::default());
    sender.start(ms(0), &mut out);
    assert_eq!(out.numbers(), (0..10).collect::<Vec<_>>());
    // One ACK of two packets: slow start adds one segment an ACK (`counting = "ack"`), and two have left.
    sender.on_ack(ms(60), &ack(&[(0, 2)]), &mut out);
    assert_eq!(out.numbers(), [10, 11, 12]);
    assert_eq!(sender.srtt(), Some(Duration::from_millis(60)));
    assert_eq!((sender.in_flight(), sender.rtt_samples()), (11, 1));
    // The same ACK says nothing.
    sender.on_ack(ms(61), &ack(&[(0, 2)]), &mut out);
    assert_eq!((out.numbers().len(), sender.rtt_samples()), (0, 1));
}

#[test]
fn a_packet_three_behind_is_lost_and_its_data_leaves_in_another() {
    let (mut sender, mut out) = (reno(unpaced()), Out::default());
    sender.start(ms(0), &mut out);
    out.packets.clear();
    sender.on_ack(ms(60), &ack(&[(1, 3)]), &mut out);
    assert_eq!(sender.counters().lost, 0);
    // 3 is reported: 0 is three behind. The window was 11 in between; half of the 10 in flight then.
    assert_eq!(out.pieces(), [10, 11, 12]);
    sender.on_ack(ms(61), &ack(&[(1, 4)]), &mut out);
    assert_eq!((sender.counters().lost, sender.counters().episodes), (1, 1));
    assert_eq!(sender.window().cwnd.as_f64(), 5.5);
    assert_eq!(out.pieces(), []);
    assert_eq!(sender.in_flight(), 9);
    // What left before the reduction neither grows the window nor reduces it again.
    sender.on_ack(ms(62), &ack(&[(1, 4), (5, 9)]), &mut out);
    assert_eq!((sender.counters().lost, sender.counters().episodes), (2, 1));
    assert_eq!(sender.window().cwnd.as_f64(), 5.5);
    // The data of 0 and of 4 leaves again, with new numbers.
    let (numbers, pieces): (Vec<u64>, Vec<u64>) = out
        .packets
        .drain(..)
        .map(|packet| (packet.number, packet.piece))
        .unzip();
    assert_eq!((numbers, pieces), (vec![13], vec![0]));
    // The lost packet comes after all: nothing is undone (RFC 9002 has no undo).
    sender.on_ack(ms(63), &ack(&[(0, 1)]), &mut out);
    assert_eq!(sender.counters().spurious, 0, "it is settled");
    assert_eq!(sender.window().cwnd.as_f64(), 5.5);
}

#[test]
fn a_packet_is_lost_by_its_age_when_the_timer_says_so() {
    let (mut sender, mut out) = (reno(unpaced()), Out::default());
    sender.start(ms(0), &mut out);
    // 0 is one behind: lost 9/8 of 80 ms after it left, in 90 ms.
    sender.on_ack(ms(80), &ack(&[(1, 2)]), &mut out);
    assert_eq!(sender.deadline(), Some(ms(90)));
    sender.on_timer(ms(89), &mut out);
    assert_eq!(sender.counters().lost, 0);
    sender.on_timer(ms(90), &mut out);
    assert_eq!((sender.counters().lost, sender.counters().episodes), (1, 1));
}

#[test]
fn without_news_two_probes_leave_whatever_the_window() {
    let (mut sender, mut out) = (
        reno(SenderConfig {
            packets: Some(12),
            ..unpaced()
        }),
        Out::default(),
    );
    sender.start(ms(0), &mut out);
    // No round-trip time yet: 333 + 4 * 166.5 + 25.
    assert_eq!(sender.deadline(), Some(ms(1024)));
    out.packets.clear();
    sender.on_timer(ms(1024), &mut out);
    assert_eq!(out.pieces(), [10, 11]);
    assert_eq!((sender.in_flight(), sender.window().cwnd.floor()), (12, 10));
    // The next comes after twice that span, with data that is in flight.
    assert_eq!(sender.deadline(), Some(ms(1024 + 2 * 1024)));
    sender.on_timer(ms(3072), &mut out);
    assert_eq!(out.pieces(), [0, 0]);
    assert_eq!(sender.counters().probes, 2);
    // An ACK resets the span, and finds the packets before it lost.
    sender.on_ack(ms(3140), &ack(&[(12, 14)]), &mut out);
    assert_eq!(sender.counters().lost, 12);
    assert!(sender.deadline().is_some_and(|at| at < ms(3140 + 400)));
}

/// Packets of more than 3 spans without news are lost, and none between them came.
#[test]
fn persistent_congestion_is_a_timeout() {
    let (mut sender, mut out) = (reno(unpaced()), Out::default());
    sender.start(ms(0), &mut out);
    sender.on_ack(ms(50), &ack(&[(0, 10)]), &mut out);
    // 50 + max(4 * 25, 1) + 25 ms = 175 ms, doubled each time: probes at 225, 400 + 175, ...
    let mut at = ms(50);
    for _ in 0..4 {
        at = sender.deadline().expect("a probe");
        sender.on_timer(at, &mut out);
    }
    assert_eq!(sender.counters().timeouts, 0);
    let last = out.packets.last().map_or(0, |packet| packet.number);
    sender.on_ack(
        at + Duration::from_millis(50),
        &ack(&[(last, last + 1), (0, 10)]),
        &mut out,
    );
    assert_eq!(sender.counters().timeouts, 1);
    assert_eq!(sender.window().cwnd.floor(), 1);
    // Two packets may leave anyway (7.2).
    assert_eq!(sender.in_flight(), 2);
}

/// A loss before the first round-trip time says nothing of how long it lasted.
#[test]
fn congestion_before_the_first_round_trip_is_not_persistent() {
    let (mut sender, mut out) = (reno(unpaced()), Out::default());
    sender.start(ms(0), &mut out);
    let mut at = ms(0);
    for _ in 0..4 {
        at = sender.deadline().expect("a probe");
        sender.on_timer(at, &mut out);
    }
    let last = out.packets.last().map_or(0, |packet| packet.number);
    sender.on_ack(
        at + Duration::from_millis(50),
        &ack(&[(last, last + 1)]),
        &mut out,
    );
    assert_eq!(
        (sender.counters().timeouts, sender.counters().episodes),
        (0, 1)
    );
}

/// A control with a window of 10 that notes what it hears.
#[derive(Default)]
struct Listener(Vec<String>);

impl Controller for Listener {
    fn on_sample(&mut self, sample: &Sample) {
        self.0.push(format!("sample, {} lost", sample.lost.floor()));
    }
    fn on_ack(&mut self, _: &Ack) {
        self.0.push("ack".to_owned());
    }
    fn on_loss(&mut self, _: &Loss) {
        self.0.push("loss".to_owned());
    }
    fn on_timeout(&mut self, _: &Timeout) {}
    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.0.push(format!("{} is lost", lost.seq));
    }
    fn on_delivery(&mut self, delivery: &Delivery) {
        let (before, after) = (delivery.prior_in_flight, delivery.in_flight);
        self.0.push(format!("delivery, {before} to {after}"));
    }
    fn restrict(&mut self, _: Segments) {}
    fn window(&self) -> Window {
        Window {
            cwnd: Segments::whole(10),
            ssthresh: Segments::MAX,
        }
    }
}

/// The first ACK reports 1 to 3, and reveals that 0 is lost: of 10 in flight, 6 are left, and 7 without the loss. Four
/// packets leave. The second reports 4.
#[test]
fn a_control_hears_of_losses_before_the_sample_or_after_the_delivery() {
    let heard = |losses_last| {
        let config = SenderConfig {
            losses_last,
            deliveries: true,
            ..unpaced()
        };
        let (mut sender, mut out) = (Sender::new(config, Listener::default()), Out::default());
        sender.start(ms(0), &mut out);
        sender.on_ack(ms(60), &ack(&[(1, 4)]), &mut out);
        let first = std::mem::take(&mut sender.control.0);
        sender.on_ack(ms(61), &ack(&[(1, 5)]), &mut out);
        [first, sender.control.0]
    };
    assert_eq!(
        heard(false),
        [
            vec!["0 is lost", "sample, 1 lost", "loss", "delivery, 10 to 6"],
            vec!["sample, 0 lost", "delivery, 10 to 9"],
        ]
    );
    assert_eq!(
        heard(true),
        [
            vec!["sample, 0 lost", "delivery, 10 to 7", "0 is lost", "loss"],
            vec!["sample, 1 lost", "delivery, 10 to 9"],
        ]
    );
}

#[test]
fn a_count_of_marks_reduces_once_in_a_round() {
    let config = SenderConfig {
        ect: true,
        ..unpaced()
    };
    let (mut sender, mut out) = (reno(config), Out::default());
    sender.start(ms(0), &mut out);
    let mut frame = ack(&[(0, 2)]);
    frame.marked = 1;
    sender.on_ack(ms(60), &frame, &mut out);
    assert_eq!(
        (sender.counters().ecn_cuts, sender.window().cwnd.floor()),
        (1, 5)
    );
    let mut frame = ack(&[(0, 4)]);
    frame.marked = 3;
    sender.on_ack(ms(61), &frame, &mut out);
    assert_eq!(
        (sender.counters().ecn_cuts, sender.window().cwnd.floor()),
        (1, 5)
    );
    // A loss in the same round reduces again: the control may take both together.
    sender.on_ack(ms(62), &ack(&[(0, 4), (5, 9)]), &mut out);
    assert_eq!((sender.counters().episodes, sender.counters().lost), (1, 1));
}

#[test]
fn ten_packets_leave_at_once_and_the_rest_at_five_quarters_of_a_window() {
    let (mut sender, mut out) = (reno(SenderConfig::default()), Out::default());
    sender.start(ms(0), &mut out);
    assert_eq!(out.numbers().len(), 10);
    sender.on_ack(ms(100), &ack(&[(0, 10)]), &mut out);
    // The window is 11, and of the burst of 10 nothing has been used for long.
    assert_eq!(out.numbers().len(), 10);
    // 100 ms / 11 * 4 / 5.
    let due = sender.deadline().expect("the pacer");
    let wait = due.since(ms(100)).as_nanos();
    assert!(wait.abs_diff(100_000_000 * 4 / 55) < 10, "{wait}");
    sender.on_timer(due, &mut out);
    assert_eq!(out.numbers(), [20]);
}

#[test]
fn below_the_window_one_packet_less_is_in_flight() {
    let config = SenderConfig {
        below_window: true,
        ..unpaced()
    };
    let (mut sender, mut out) = (reno(config), Out::default());
    sender.start(ms(0), &mut out);
    assert_eq!(out.numbers().len(), 9);
    sender.on_ack(ms(60), &ack(&[(3, 9)]), &mut out);
    assert_eq!(
        (sender.window().cwnd.as_f64(), sender.in_flight()),
        (5.0, 4)
    );
    // With a window of 2.5, two packets are below it.
    sender.on_ack(ms(120), &ack(&[(9, 13)]), &mut out);
    sender.on_ack(ms(180), &ack(&[(16, 17)]), &mut out);
    assert_eq!(sender.window().cwnd.as_f64(), 2.5);
    sender.on_ack(ms(181), &ack(&[(14, 17)]), &mut out);
    assert_eq!(
        (sender.window().cwnd.as_f64(), sender.in_flight()),
        (2.5, 2)
    );
}

#[test]
fn the_opening_exchange_gives_the_first_round_trip_time_and_is_repeated() {
    let config = SenderConfig {
        handshake: true,
        ..unpaced()
    };
    let (mut sender, mut out) = (reno(config), Out::default());
    sender.start(ms(0), &mut out);
    assert_eq!((out.opened, out.packets.len()), (1, 0));
    assert_eq!(sender.deadline(), Some(ms(999)));
    sender.on_timer(ms(999), &mut out);
    assert_eq!(out.opened, 2);
    sender.on_open(ms(1059), &mut out);
    assert_eq!(out.numbers().len(), 10);
    assert_eq!(sender.rtt_samples(), 1);
}

#[test]
fn what_is_offered_leaves_and_ends() {
    let config = SenderConfig {
        packets: Some(0),
        open: true,
        ..unpaced()
    };
    let (mut sender, mut out) = (reno(config), Out::default());
    sender.start(ms(0), &mut out);
    assert_eq!((out.numbers(), sender.finished()), (vec![], false));
    sender.offer(ms(10), 3, &mut out);
    sender.close();
    sender.offer(ms(10), 3, &mut out);
    assert!(!sender.finished());
    sender.on_ack(ms(70), &ack(&[(0, 3)]), &mut out);
    assert!(sender.finished());
    assert_eq!(sender.deadline(), None);
}

/// A path with a constant delay, on which some packets and ACKs are lost.
fn session<C: Controller>(
    mut sender: Sender<C>,
    packets: u64,
    (percent, seed): (u64, u64),
    hostile: &[(u64, u64, u64)],
) {
    let mut receiver = Receiver::new(ReceiverConfig::default());
    let delay = Duration::from_millis(30);
    let (mut now, mut out) = (ms(1), Out::default());
    let mut forward: VecDeque<(Instant, Packet)> = VecDeque::new();
    let mut back: VecDeque<(Instant, AckFrame)> = VecDeque::new();
    let mut lies = hostile.iter().copied();
    let mut state = seed;
    let mut is_lost = || {
        // Knuth's generator: only the upper bits are random.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % 100 < percent
    };
    sender.start(now, &mut out);
    for _ in 0..20_000 {
        for packet in out.packets.drain(..) {
            assert_eq!(packet.sent_at, now);
            if !is_lost() {
                forward.push_back((now + delay, packet));
            }
        }
        let open = (sender.sent.first()..sender.sent.next())
            .filter(|number| sender.sent.at(*number).fate == Fate::Open)
            .count();
        assert_eq!(sender.in_flight(), open as u64);
        if sender.finished() {
            assert_eq!(receiver.delivered(), packets);
            return;
        }
        let times = [
            forward.front().map(|(at, _)| *at),
            back.front().map(|(at, _)| *at),
            sender.deadline(),
            receiver.deadline(),
        ];
        let next = times.into_iter().flatten().min();
        now = now.max(next.expect("something happens until all has arrived"));
        while forward.front().is_some_and(|(at, _)| *at <= now) {
            let (_, packet) = forward.pop_front().expect("it is there");
            if receiver.on_packet(now, packet.number, packet.piece, false) == Response::Ack {
                let frame = receiver.ack(now);
                if !is_lost() {
                    back.push_back((now + delay, frame));
                }
            }
        }
        if receiver.on_deadline(now) == Response::Ack {
            back.push_back((now + delay, receiver.ack(now)));
        }
        while back.front().is_some_and(|(at, _)| *at <= now) {
            let (_, frame) = back.pop_front().expect("it is there");
            sender.on_ack(now, &frame, &mut out);
        }
        // A peer that reports what was never sent, and counts marks that never were, harms nothing but itself.
        if let Some((start, length, marked)) = lies.next() {
            let before = sender.sent.next();
            let mut lie = ack(&[(before + start, before + start + length)]);
            lie.marked = marked;
            sender.on_ack(now, &lie, &mut out);
        }
        sender.on_timer(now, &mut out);
    }
    panic!("it never ends");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_data_arrives_whatever_is_lost(
        packets in 1u64..400,
        percent in 0u64..40,
        seed: u64,
        hostile in prop::collection::vec((0u64..9, 0u64..9, 0u64..99), 0..20),
        below_window: bool,
        pacing: bool,
        rates: bool,
    ) {
        let config = SenderConfig {
            packets: Some(packets),
            below_window,
            pacing,
            deliveries: rates,
            ..SenderConfig::default()
        };
        if rates {
            let control = Bbr::new(&bbr::Config::default(), &Path::new(Bytes(1200)));
            session(Sender::new(config, control), packets, (percent, seed), &hostile);
        } else {
            session(reno(config), packets, (percent, seed), &hostile);
        }
    }
}
