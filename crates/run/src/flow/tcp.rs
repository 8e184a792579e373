//! A TCP connection on the simulator: its sender with its counters, and below the receiver.

mod receiver;

use std::sync::{Arc, Mutex};

use dumbbell_control::controller::Controller;
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Segments};
use dumbbell_scenario::{Size, Tcp};
use dumbbell_sim::{Arrived, Cause, Ecn, EndpointId, Label, Port, Time, fetch};
use dumbbell_tcp::config::Stamping;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::segment::{AckSegment, Output, Segment};
use dumbbell_tcp::sender::Sender;

use super::control::Control;
use super::round_trips::RoundTrips;
use super::watched::{Company, Judge, lock};
use super::wire::{self, ACK, Boards, DATA, Payload, Stamp};
use crate::time::{instant, moment};

pub(crate) use receiver::{Expected, TcpReceiver};

/// Sizes on the wire, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// A full data segment.
    pub data: u16,
    /// An ACK, and the segments that open a connection.
    pub ack: u16,
    /// The number and the size of the last segment of a transfer, if it is not full; the number is
    /// `u64::MAX` if all segments are full.
    pub last: u64,
    pub last_data: u16,
}

/// What segments look like on the wire; the same for many senders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub sizes: Sizes,
    pub stamping: Stamping,
}

/// Bytes that an AQT option adds to a packet.
const AQT_BYTES: u16 = Aqt::WIRE_BYTES as u16;

/// The sending end of a flow. Fields that every ACK touches come first.
#[repr(C)]
pub(crate) struct TcpSender {
    pub(crate) seen: Seen,
    look: Arc<Look>,
    sender: Sender<Control>,
    /// What runs beside the control; `None` if nothing does.
    beside: Option<Box<Beside>>,
    pub(crate) rtts: RoundTrips,
    pub(crate) start: Time,
    /// When everything was sent and acknowledged, or [`Time::MAX`].
    finish: Time,
    started: bool,
}

// A run has many flows.
const _: () = assert!(size_of::<TcpSender>() <= 392);

/// What runs beside the control of a flow.
pub(crate) struct Beside {
    /// Judges the classifiers.
    pub(crate) judge: Option<Box<Judge>>,
    /// Estimators, and the ledger that throughput equations need.
    pub(crate) company: Option<Arc<Mutex<Company>>>,
}

/// What is measured at a sender as ACKs arrive.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    cwnd_area: f64,
    since: Time,
    rtt_sum: u64,
    rtt_max: Duration,
}

impl TcpSender {
    pub(crate) fn new(
        sender: Sender<Control>,
        judge: Option<Box<Judge>>,
        company: Option<Arc<Mutex<Company>>>,
        look: Arc<Look>,
        start: Time,
    ) -> Self {
        let any = judge.is_some() || company.is_some();
        Self {
            seen: Seen::default(),
            look,
            sender,
            beside: any.then(|| Box::new(Beside { judge, company })),
            rtts: RoundTrips::default(),
            start,
            finish: Time::MAX,
            started: false,
        }
    }

    /// Judges the classifiers that run beside the control.
    pub(crate) fn judge(&self) -> Option<&Judge> {
        self.beside.as_ref()?.judge.as_deref()
    }

    /// Estimators that run beside the control, and the ledger that throughput equations need.
    pub(crate) fn company(&self) -> Option<&Mutex<Company>> {
        self.beside.as_ref()?.company.as_deref()
    }

    /// When everything was sent and acknowledged; `None` if that has not happened.
    pub(crate) fn finish(&self) -> Option<Time> {
        (self.finish != Time::MAX).then_some(self.finish)
    }

    /// Notes that everything has been sent and acknowledged, if it has.
    #[inline]
    fn note_finish(&mut self, now: Time) {
        if self.sender.finished() && self.finish == Time::MAX {
            self.finish = now;
        }
    }

    pub(crate) fn tcp(&self) -> &Sender<Control> {
        &self.sender
    }

    /// Whether what it does depends on its own packets and timers only. A control that a program added may
    /// share something with others.
    pub(crate) fn is_alone(&self) -> bool {
        !matches!(self.sender.control(), Control::Custom(_))
    }

    /// Fetches what the next ACK will need and the sender points to.
    #[inline]
    pub(crate) fn foresee(&self) {
        let (control, [oldest, next]) = self.sender.next_touched();
        control.foresee();
        fetch(oldest);
        fetch(next);
        self.rtts.foresee(self.sender.last_rtt());
    }

    /// Forgets the longest round-trip time, and those that count for the percentiles.
    pub(crate) fn restart(&mut self) {
        self.seen.forget_longest();
        self.rtts.restart(self.sender.rtt_samples());
    }

    /// Called when a segment of this sender will not arrive; `low` is the low half of its number.
    pub(crate) fn on_discard(&mut self, low: u32, cause: Cause) {
        if let Some(beside) = &mut self.beside
            && let Some(judge) = &mut beside.judge
        {
            judge.on_discard(wire::segment_near(self.sender.una(), low), cause);
        }
    }

    /// Sets the total number of segments that there are to send so far.
    pub(crate) fn offer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        segments: u64,
    ) {
        let now = net.now();
        let mut out = Wire {
            net,
            endpoint,
            look: &self.look,
        };
        self.sender.offer(instant(now), segments, &mut out);
        if self.started {
            net.set_timer(endpoint, self.sender.deadline().map(moment));
        }
    }

    /// The application stops writing.
    pub(crate) fn close(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        self.sender.close();
        self.note_finish(net.now());
        if self.started {
            net.set_timer(endpoint, self.sender.deadline().map(moment));
        }
    }

    #[inline]
    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        boards: &mut Boards,
    ) {
        let now = net.now();
        let payload = &packet.payload;
        let mut out = Wire {
            net,
            endpoint,
            look: &self.look,
        };
        if payload.is_opening() {
            cold_path();
            self.sender.on_open(instant(now), &mut out);
        } else {
            let (ack, echo) = payload.as_ack(self.sender.una(), Stamp::of(&self.sender));
            let cwnd = self.sender.control().window().cwnd;
            let samples = self.sender.rtt_samples();
            let mut segment = AckSegment {
                ack,
                echo,
                blocks: &[],
                ece: payload.ece(),
                marks: None,
                aqt: None,
                marked: packet.marked,
            };
            if let Some(place) = payload.board() {
                cold_path();
                let board = boards.take(place);
                segment.blocks = board.blocks();
                segment.marks = board.marks();
                segment.aqt = board.aqt(packet.queueing);
            }
            self.sender.on_ack(instant(now), &segment, &mut out);
            self.seen.observe_window(cwnd, now);
            if let Some(beside) = &mut self.beside {
                cold_path();
                if let Some(judge) = &mut beside.judge {
                    judge.on_ack(self.sender.una());
                }
            }
            if self.sender.rtt_samples() != samples {
                let rtt = self.sender.last_rtt();
                self.seen.note_rtt(rtt);
                self.rtts.add(rtt, samples);
            }
            self.note_finish(now);
        }
        net.set_timer(endpoint, self.sender.deadline().map(moment));
    }

    pub(crate) fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        let now = net.now();
        let cwnd = self.sender.control().window().cwnd;
        let mut out = Wire {
            net,
            endpoint,
            look: &self.look,
        };
        if self.started {
            if let Some(company) = self.company() {
                lock(company).set_timeout(self.sender.timeout());
            }
            self.sender.on_timer(instant(now), &mut out);
            self.seen.observe_window(cwnd, now);
        } else {
            self.started = true;
            self.seen.since = now;
            self.sender.start(instant(now), &mut out);
        }
        net.set_timer(endpoint, self.sender.deadline().map(moment));
    }
}

impl Seen {
    /// The flow starts.
    pub(super) fn begin(&mut self, now: Time) {
        self.since = now;
    }

    #[inline]
    pub(super) fn note_rtt(&mut self, rtt: Duration) {
        self.rtt_sum += rtt.as_nanos();
        if rtt > self.rtt_max {
            cold_path();
            self.rtt_max = rtt;
        }
    }

    /// Forgets the longest round-trip time.
    pub(super) fn forget_longest(&mut self) {
        self.rtt_max = Duration::ZERO;
    }

    #[inline]
    pub(super) fn observe_window(&mut self, cwnd: Segments, now: Time) {
        // Both are far below 2^63, and signed integers are converted to floats in one instruction.
        let span = (now - self.since).as_nanos() as i64 as f64;
        self.cwnd_area += cwnd.raw() as i64 as f64 * span;
        self.since = now;
    }

    /// The sum of all round-trip times, in nanoseconds.
    pub(crate) fn rtt_sum(&self) -> u64 {
        self.rtt_sum
    }

    /// The longest round-trip time since the measurements began.
    pub(crate) fn rtt_max(&self) -> Duration {
        self.rtt_max
    }

    /// The integral of the window over the time from `start` to `end`, if it is `cwnd` at the end.
    pub(crate) fn cwnd_area(mut self, cwnd: Segments, start: Time, end: Time) -> f64 {
        self.since = self.since.max(start).min(end);
        self.observe_window(cwnd, end);
        self.cwnd_area
    }
}

/// The sender's interface to the network.
struct Wire<'a, N> {
    net: &'a mut N,
    endpoint: EndpointId,
    look: &'a Look,
}

impl<N: Port<Payload>> Output for Wire<'_, N> {
    #[inline(always)]
    fn transmit(&mut self, segment: Segment) {
        let Look { sizes, stamping } = self.look;
        let bytes = if segment.seq == sizes.last {
            sizes.last_data
        } else {
            sizes.data
        };
        let ts_value = wire::timestamp(*stamping, segment.sent_at.as_nanos());
        let bytes = bytes + if segment.probe { AQT_BYTES } else { 0 };
        let flow = flow_of(self.endpoint);
        let payload = Payload::data(&segment, ts_value, flow);
        let label = Label {
            flow,
            ecn: codepoint_of(&segment),
            probe: segment.probe,
            supersedes: None,
        };
        self.net
            .send_labelled(self.endpoint, bytes, DATA, payload, label);
    }

    fn open(&mut self) {
        self.net.send_labelled(
            self.endpoint,
            self.look.sizes.ack,
            ACK,
            Payload::opening(flow_of(self.endpoint), self.net.now()),
            label_of(self.endpoint),
        );
    }
}

/// The number of the flow to which an endpoint belongs.
#[inline]
pub(super) fn flow_of(endpoint: EndpointId) -> u32 {
    (endpoint.index() / 2) as u32
}

/// The label of a packet that says nothing but to which flow it belongs.
#[inline]
pub(super) fn label_of(endpoint: EndpointId) -> Label {
    Label {
        flow: flow_of(endpoint),
        ..Label::NONE
    }
}

/// The codepoint of a packet whose transport is ECN-capable, or is not.
#[inline]
pub(crate) fn codepoint(capable: bool) -> Ecn {
    match capable {
        true => Ecn::Ect0,
        false => Ecn::NotEct,
    }
}

/// The codepoint of a segment.
#[inline]
pub(crate) fn codepoint_of(segment: &Segment) -> Ecn {
    match (segment.ect, segment.l4s) {
        (true, true) => Ecn::Ect1,
        (capable, _) => codepoint(capable),
    }
}

/// Payload bytes of the first `segments` segments.
pub(crate) fn delivered_bytes(tcp: &Tcp, segments: u64) -> u64 {
    let full = segments * tcp.payload.0;
    match tcp.size {
        Size::Bytes(bytes) => full.min(bytes.0),
        Size::Segments(_) | Size::Unlimited => full,
    }
}
