//! The translation of a stack's calls into the events of a control, for one path of one connection.

use std::mem;

use dumbbell_control::controller::{Controller, Signals};
use dumbbell_control::event::{
    Ack, Loss, LossSignal, Marks, MssChange, Path, Repair, Sample, Sent, Stamps, Timeout,
};
use dumbbell_control::registry::Any;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

use crate::choice::Choice;
use crate::pacer::{Pacer, Speed};
use crate::packets::Packets;

/// Why a stack asks for a smaller window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
    /// Packets are declared lost (RFC 9002, section 6.1).
    Loss,
    /// Packets arrived with a mark (RFC 9002, section 7.1).
    Mark,
    /// All packets of a long span are lost (RFC 9002, section 7.6).
    Persistent,
}

/// A control on one path: it takes the calls that QUIC stacks make, and answers with a window in bytes.
///
/// Times are those of any clock that does not go back; zero means "never", so let it start at 1 ns or later.
///
/// ```
/// use dumbbell_quic::control::controller::Signals;
/// use dumbbell_quic::control::units::{Duration, Instant};
/// use dumbbell_quic::{Choice, Congestion, Translator};
///
/// let veno = Choice::named("veno", Signals::RTT)?;
/// let mut path = Translator::new(&veno, 1200);
/// assert_eq!(path.window(), 12_000);
///
/// // Two packets leave. Their ACK arrives after 60 ms: slow start adds what it covers.
/// let at = |ms| Instant::ZERO + Duration::from_millis(ms);
/// path.on_sent(at(1), 2400);
/// path.on_packet_acked(at(1), 1200);
/// path.on_packet_acked(at(1), 1200);
/// path.on_end_acks(at(61), 0, false);
/// assert_eq!(path.window(), 14_400);
///
/// // A loss without a queue is random: four fifths remain.
/// path.on_sent(at(62), 1200);
/// path.on_congestion(at(122), at(62), Congestion::Loss, 1200);
/// assert_eq!(path.window(), 11_519);
/// # Ok::<(), dumbbell_quic::Unusable>(())
/// ```
#[derive(Clone, Debug)]
pub struct Translator {
    control: Any,
    mtu: Bytes,
    in_flight: Segments,
    ack: AckSoFar,
    /// Whether the sender has had data for a whole window: before that, ACKs measure the handshake and the application.
    begun: bool,
    srtt: Option<Duration>,
    /// Packets that were marked, of which the control has not been told.
    marked: Segments,
    /// When the window was reduced last; zero, which is before the first packet, if it never was.
    reduced: Instant,
    /// Whether a mark did it. A control that is told how many marks come hears of a loss after it, too.
    by_mark: bool,
    counts_marks: bool,
    /// How losses are repaired since then.
    repair: Repair,
    /// When an ACK last let the control grow, and the control before that.
    ungrown: Option<(Instant, Any)>,
    /// The control before the last loss, with the samples since; and when it was reduced before that.
    uncut: Option<(Any, Instant)>,
    /// For controls that measure deliveries.
    packets: Option<Box<Packets>>,
    pacer: Pacer,
}

/// What an ACK has said so far.
#[derive(Clone, Copy, Debug, Default)]
struct AckSoFar {
    acked: Segments,
    /// Whether one of these packets has at least half the size of a full one.
    large: bool,
    /// Of these, sent after the last reduction.
    fresh: Segments,
    /// Declared lost since the last ACK.
    lost: Segments,
    /// When the newest packet of all that were ever acknowledged was sent, and whether this ACK acknowledges it.
    newest: Instant,
    timed: bool,
    stamps: Option<Stamps>,
}

impl Translator {
    /// The control of a new path, whose packets have at most `mtu` bytes. The initial window is that of RFC 9002,
    /// section 7.2.
    pub fn new(choice: &Choice, mtu: u16) -> Self {
        let bytes = u64::from(mtu.max(1));
        let initial = Bytes(14_720.clamp(2 * bytes, 10 * bytes));
        let mtu = Bytes(bytes);
        let path = Path::new(mtu).with_initial_window(Segments::from_bytes(initial, mtu));
        let measures = choice.config().needs().delivery;
        Self {
            control: choice.config().build(&path),
            mtu,
            in_flight: Segments::ZERO,
            ack: AckSoFar::default(),
            begun: false,
            srtt: None,
            marked: Segments::ZERO,
            reduced: Instant::ZERO,
            by_mark: false,
            counts_marks: choice.signals().marks,
            repair: Repair::None,
            ungrown: None,
            uncut: None,
            packets: measures.then(Box::default),
            pacer: Pacer::default(),
        }
    }

    /// The control, whose [`explain`](Controller::explain) tells why its window is what it is.
    pub fn control(&self) -> &Any {
        &self.control
    }

    /// The signals that a translator needs packet numbers for ([`on_packet_sent`](Self::on_packet_sent)).
    pub const BY_PACKET: Signals = Signals::NONE.with_delivery();

    fn segments(&self, bytes: u64) -> Segments {
        Segments::from_bytes(Bytes(bytes), self.mtu)
    }

    /// Packets left.
    pub fn on_sent(&mut self, now: Instant, bytes: u64) {
        let sent = self.segments(bytes);
        let mut event = Sent::new(now, sent, self.in_flight);
        event.was_app_limited = self.packets.as_ref().is_some_and(|all| all.is_limited());
        self.control.on_sent(&event);
        self.in_flight = self.in_flight.saturating_add(sent);
        let speed = self.speed();
        self.pacer.on_sent(now, bytes, &speed);
    }

    /// A packet that asks for an ACK left. Only stacks that provide [`BY_PACKET`](Self::BY_PACKET) tell it.
    pub fn on_packet_sent(&mut self, now: Instant, number: u64) {
        if let Some(packets) = &mut self.packets {
            packets.on_sent(number, now);
        }
    }

    /// A packet of `bytes`, which left at `sent`, is acknowledged. After all packets of an ACK,
    /// [`on_end_acks`](Self::on_end_acks) follows.
    pub fn on_packet_acked(&mut self, sent: Instant, bytes: u64) {
        let segments = self.segments(bytes);
        let ack = &mut self.ack;
        ack.acked = ack.acked.saturating_add(segments);
        ack.large |= bytes >= self.mtu.0.div_ceil(2);
        if sent > self.reduced {
            ack.fresh = ack.fresh.saturating_add(segments);
        }
        ack.timed |= sent >= ack.newest;
        ack.newest = ack.newest.max(sent);
    }

    /// The number of the packet that [`on_packet_acked`](Self::on_packet_acked) was called for. Only stacks that provide
    /// [`BY_PACKET`](Self::BY_PACKET) tell it.
    pub fn on_number_acked(&mut self, now: Instant, number: u64, sent: Instant) {
        if let Some(packets) = &mut self.packets {
            packets.on_acked(number, sent, now);
        }
    }

    /// When the newest acknowledged packet arrived, by the receiver's clock, if the receiver tells.
    pub fn on_stamps(&mut self, stamps: Stamps) {
        self.ack.stamps = Some(stamps);
    }

    /// So many packets more were marked. Only stacks that count marks tell it, before
    /// [`on_end_acks`](Self::on_end_acks); those that do not call [`on_congestion`](Self::on_congestion) alone.
    pub fn on_marks(&mut self, packets: u64) {
        self.marked = self
            .marked
            .saturating_add(Segments::saturating_whole(packets));
    }

    /// What the control is told of marks with an ACK: not more than the ACK acknowledges.
    fn marks(&mut self, acked: Segments) -> Marks {
        let marked = self.marked.min(acked);
        self.marked = self.marked.saturating_sub(marked);
        if marked == Segments::ZERO {
            return Marks::None;
        }
        Marks::Counted(marked)
    }

    /// All packets of an ACK have been reported. `in_flight` is what remains, in bytes; `app_limited`, whether the
    /// sender had less to send than its window allowed.
    ///
    /// The control takes no samples until the first ACK of large packets while the window is what limits: the
    /// handshake's packets are few and small, so their round trips are short, and no rate of theirs is the path's. TCP
    /// does not tell its control of the handshake, either.
    pub fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool) {
        self.in_flight = self.segments(in_flight);
        let newest = self.ack.newest;
        let ack = mem::replace(
            &mut self.ack,
            AckSoFar {
                newest,
                ..AckSoFar::default()
            },
        );
        let rtt = ack.timed.then(|| now.since(newest));
        if let Some(rtt) = rtt {
            self.srtt = Some(smoothed(self.srtt, rtt));
        }
        if ack.timed && newest > self.reduced {
            self.repair = Repair::None;
        }
        let marks = self.marks(ack.acked);
        self.begun |= ack.large && !app_limited;
        let sample = Sample::new(now, ack.acked)
            .with_rtt(rtt)
            .with_lost(ack.lost)
            .with_marks(marks)
            .with_stamps(ack.stamps);
        if self.begun {
            self.control.on_sample(&sample);
            if let Some((uncut, _)) = &mut self.uncut {
                uncut.on_sample(&sample);
            }
        }
        if ack.fresh > Segments::ZERO {
            if self.packets.is_none() {
                self.ungrown = Some((now, self.control.checkpoint()));
            }
            let event = Ack::new(now, ack.fresh, self.in_flight);
            self.control.on_ack(&event.with_app_limited(app_limited));
        }
        self.report_delivery(now, in_flight, app_limited);
    }

    fn report_delivery(&mut self, now: Instant, in_flight: u64, app_limited: bool) {
        let Some(packets) = &mut self.packets else {
            return;
        };
        if app_limited {
            packets.limit();
        }
        let left = in_flight.div_ceil(self.mtu.0);
        let delivery = packets.end(now, left, self.repair, self.srtt);
        self.control.on_delivery(&delivery);
        if self.control.holds_back() {
            packets.limit();
        }
    }

    /// As much is in flight at `now` as the window allows.
    pub fn on_window_full(&mut self, now: Instant) {
        if let Some(packets) = &mut self.packets {
            packets.fill(now);
        }
    }

    /// A packet is declared lost. Only stacks that provide [`BY_PACKET`](Self::BY_PACKET) tell it, before
    /// [`on_congestion`](Self::on_congestion).
    pub fn on_packet_lost(&mut self, now: Instant, number: u64) {
        if let Some(lost) = self
            .packets
            .as_mut()
            .and_then(|packets| packets.on_lost(number, now))
        {
            self.control.on_lost_segment(&lost);
        }
    }

    /// The path is congested. The newest packet concerned left at `sent`; `lost` bytes are declared lost. A stack may
    /// call this for every packet: the control hears of a loss once per episode, which lasts until a packet that left
    /// after the reduction is acknowledged.
    pub fn on_congestion(&mut self, now: Instant, sent: Instant, by: Congestion, lost: u64) {
        let in_flight = self.in_flight;
        let lost = self.segments(lost);
        self.in_flight = in_flight.saturating_sub(lost);
        self.ack.lost = self.ack.lost.saturating_add(lost);
        let known = sent <= self.reduced;
        let again = match by {
            Congestion::Persistent => (self.repair, self.reduced) != (Repair::Timeout, now),
            Congestion::Loss => self.counts_marks && self.by_mark,
            Congestion::Mark => false,
        };
        if known && !again {
            return; // The packet belongs to an episode that has been reported.
        }
        // An ACK that reveals a loss must not grow the window (RFC 9002, A.7); stacks report the loss last.
        if let Some((_, control)) = self.ungrown.take().filter(|(at, _)| *at == now) {
            self.control.undo(control);
        }
        // A mark is never spurious.
        self.uncut = (by != Congestion::Mark).then(|| (self.control.checkpoint(), self.reduced));
        (self.reduced, self.by_mark) = (now, by == Congestion::Mark);
        let loss = Loss::new(now, in_flight).with_lost_sent_at(sent);
        match by {
            Congestion::Persistent => {
                self.repair = Repair::Timeout;
                let timeout = Timeout::new(now, in_flight);
                let consecutive = 1 + u32::from(known);
                self.control
                    .on_timeout(&timeout.with_consecutive(consecutive));
            }
            Congestion::Mark => self.control.on_loss(&loss.with_signal(LossSignal::Ecn)),
            Congestion::Loss => {
                self.repair = Repair::Episode;
                self.control.on_loss(&loss);
            }
        }
    }

    /// All packets of the last episode arrived after all: the window returns, and what was measured since is kept.
    pub fn on_spurious(&mut self) {
        if let Some((control, reduced)) = self.uncut.take() {
            self.control.undo(control);
            self.reduced = reduced;
            self.repair = Repair::None;
            self.ungrown = None;
        }
    }

    /// Full packets have another size from now on.
    pub fn on_mtu(&mut self, mtu: u16) {
        let mtu = Bytes(u64::from(mtu.max(1)));
        let change = MssChange::new(self.mtu, mtu);
        self.control.on_mss(&change);
        if let Some((uncut, _)) = &mut self.uncut {
            uncut.on_mss(&change);
        }
        self.in_flight = change.rescale(self.in_flight);
        (self.mtu, self.ungrown) = (mtu, None);
    }

    /// The window in bytes: at least two packets (RFC 9002, section 7.2).
    pub fn window(&self) -> u64 {
        let Bytes(window) = self.control.window().cwnd.to_bytes(self.mtu);
        window.max(2 * self.mtu.0)
    }

    /// The slow-start threshold in bytes; `None` if there is none yet.
    pub fn ssthresh(&self) -> Option<u64> {
        let ssthresh = self.control.window().ssthresh;
        (ssthresh != Segments::MAX).then(|| ssthresh.to_bytes(self.mtu).0)
    }

    /// The rate at which the control wants packets to leave, in bytes per second; `None` if only the window limits it.
    pub fn pacing_rate(&self) -> Option<u64> {
        self.control.pacing().map(|rate| (rate.raw() >> 16).max(1))
    }

    /// The bytes that may leave at once, if the control sets a rate.
    pub fn send_quantum(&self) -> u64 {
        u64::from(self.control.send_quantum()) * self.mtu.0
    }

    /// When the next packet may leave, for stacks that leave pacing to the control.
    pub fn pacer(&self) -> &Pacer {
        &self.pacer
    }

    fn speed(&self) -> Speed {
        let window = self.control.window();
        Speed {
            rate: self.control.pacing(),
            quantum: u64::from(self.control.send_quantum()),
            window: self.window(),
            slow_start: window.cwnd < window.ssthresh,
            srtt: self.srtt,
            mtu: self.mtu.0,
        }
    }
}

/// RFC 9002, section 5.3.
fn smoothed(before: Option<Duration>, rtt: Duration) -> Duration {
    before.map_or(rtt, |before| {
        let sum = u128::from(before.as_nanos()) * 7 + u128::from(rtt.as_nanos());
        Duration::from_nanos((sum / 8) as u64)
    })
}
