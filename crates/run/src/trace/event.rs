//! The events of a trace.

use std::io;

use dumbbell_control::units::{Duration, Segments};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::segment::SackBlock;

/// An event at a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event<'a> {
    /// The segment that opens a connection is sent.
    Syn(Opening),
    /// The reply to it arrives.
    SynAck(Opening),
    /// A data segment is sent.
    Sent(Sent),
    /// An ACK arrives.
    Heard(Heard<'a>),
    /// The retransmission timer fires.
    Timeout,
    /// The window is cut because of a mark.
    Cut,
    /// A loss episode begins without the retransmission timer.
    Recovery,
    /// The episode, or the recovery from a timeout, is over.
    Recovered,
    /// A datagram is sent.
    Datagram { packet: u64, bytes: u16 },
    /// A transmission has not arrived, but a later one of the flow has. `seq` is its segment, if it
    /// is a segment.
    Lost { packet: u64, seq: Option<u64> },
    /// An ACK has not arrived, but a later one has.
    AckLost { ack: u64 },
}

/// A segment of the handshake that opens a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Its size on the wire.
    pub bytes: u16,
    /// Its timestamps, if the option is in use.
    pub stamps: Option<Stamps>,
}

/// The timestamps option (RFC 7323).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    /// TSval.
    pub value: u32,
    /// TSecr.
    pub echo: u32,
}

/// A data segment that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The number of the transmission within the flow, from 0.
    pub packet: u64,
    /// The number of the segment.
    pub seq: u64,
    /// Its size on the wire.
    pub bytes: u16,
    /// Whether the segment has been sent before.
    pub retransmission: bool,
    /// Its timestamps, if the option is in use.
    pub stamps: Option<Stamps>,
    /// Whether it carries an AQT option.
    pub probe: bool,
    /// Whether routers may mark it (ECT).
    pub ect: bool,
    /// Whether it is L4S: ECT(1).
    pub l4s: bool,
    /// Whether it reports that the window was reduced (CWR).
    pub cwr: bool,
}

/// An ACK that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard<'a> {
    /// The next segment that the receiver expects.
    pub ack: u64,
    /// Its SACK blocks, the newest first.
    pub blocks: &'a [SackBlock],
    /// Its size on the wire, without the SACK blocks.
    pub bytes: u16,
    /// Its timestamps, if the option is in use.
    pub stamps: Option<Stamps>,
    /// Whether it reports a marked segment (ECE).
    pub ece: bool,
    /// The number of marked segments so far, if it has that.
    pub marks: Option<u64>,
    /// Whether a router has marked it (CE).
    pub marked: bool,
    /// Its AQT option, if it has one.
    pub aqt: Option<Aqt>,
    /// What it means to the sender.
    pub news: News,
    /// The round-trip time that was measured with it.
    pub rtt: Option<Duration>,
}

/// What an ACK means to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// It acknowledges new data.
    Advance,
    /// It repeats the last one while data is outstanding.
    Duplicate,
    /// It is ignored: it is older than a previous ACK, or nothing is outstanding.
    Nothing,
}

/// The state of a sender after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Congestion window, without inflation.
    pub cwnd: Segments,
    /// Segments by which the recovery inflates it.
    pub inflation: i64,
    /// Slow-start threshold; `None` before the first loss, unless the scenario sets one.
    pub ssthresh: Option<Segments>,
    /// Segments in flight, as estimated by the recovery.
    pub in_flight: u64,
    /// The phase of the recovery.
    pub phase: Phase,
    /// The smoothed round-trip time of the retransmission timer.
    pub srtt: Option<Duration>,
    /// The retransmission timeout in force.
    pub rto: Duration,
}

/// Writes the events that it receives.
pub(super) trait Recorder {
    /// Records an event at `time`, in nanoseconds, of the flow at this position among all flows.
    /// Times never decrease. `state` is present if the flow is a TCP sender.
    fn record(
        &mut self,
        time: u64,
        flow: usize,
        event: &Event<'_>,
        state: Option<&State>,
    ) -> io::Result<()>;

    /// Called when the run is over.
    fn finish(&mut self) -> io::Result<()>;
}
