//! What a trace is told.

use std::io;

use dumbbell_control::units::{Duration, Segments};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::segment::SackBlock;

/// Something that happened at a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event<'a> {
    /// The segment that opens a connection leaves.
    Syn(Opening),
    /// Its answer arrives.
    SynAck(Opening),
    /// A data segment leaves.
    Sent(Sent),
    /// An ACK arrives.
    Heard(Heard<'a>),
    /// The retransmission timer fires.
    Timeout,
    /// The window is cut for a mark.
    Cut,
    /// A loss episode begins without the retransmission timer.
    Recovery,
    /// The episode, or the time after a timeout, is over.
    Recovered,
    /// A datagram leaves.
    Datagram { packet: u64, bytes: u16 },
    /// A transmission has not arrived, but a later one of the flow has. `seq` is the segment, where it is
    /// one.
    Lost { packet: u64, seq: Option<u64> },
    /// An ACK has not arrived, but a later one has.
    AckLost { ack: u64 },
}

/// A segment of the exchange that opens a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Its size on the wire.
    pub bytes: u16,
    /// Its stamps, where the option is in use.
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

/// A data segment on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Which of the flow's transmissions it is, from 0.
    pub packet: u64,
    /// The number of the segment.
    pub seq: u64,
    /// Its size on the wire.
    pub bytes: u16,
    /// It has been sent before.
    pub retransmission: bool,
    /// Its stamps, where the option is in use.
    pub stamps: Option<Stamps>,
    /// It carries an AQT option.
    pub probe: bool,
    /// Routers may mark it (ECT).
    pub ect: bool,
    /// It says that the window was reduced (CWR).
    pub cwr: bool,
}

/// An ACK on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard<'a> {
    /// The next segment that the receiver expects.
    pub ack: u64,
    /// Its SACK blocks, the newest first.
    pub blocks: &'a [SackBlock],
    /// Its size on the wire, SACK blocks not counted.
    pub bytes: u16,
    /// Its stamps, where the option is in use.
    pub stamps: Option<Stamps>,
    /// It tells of a marked segment (ECE).
    pub ece: bool,
    /// A router has marked it (CE).
    pub marked: bool,
    /// Its AQT option, if it has one.
    pub aqt: Option<Aqt>,
    /// What it means to the sender.
    pub news: News,
    /// The round-trip time that was taken from it.
    pub rtt: Option<Duration>,
}

/// What an ACK means to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// It covers new data.
    Advance,
    /// It repeats the last one while data is outstanding.
    Duplicate,
    /// It is passed over: it is older than what is known, or nothing is outstanding.
    Nothing,
}

/// A sender when it has dealt with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Congestion window, without inflation.
    pub cwnd: Segments,
    /// Segments that recovery adds to it.
    pub inflation: i64,
    /// Slow-start threshold; none before the first loss, unless the scenario sets one.
    pub ssthresh: Option<Segments>,
    /// Segments in the network, as well as the recovery knows.
    pub in_flight: u64,
    /// Where the recovery stands.
    pub phase: Phase,
    /// The timer's smoothed round-trip time.
    pub srtt: Option<Duration>,
    /// The retransmission timeout in force.
    pub rto: Duration,
}

/// Writes what it is told.
pub(super) trait Recorder {
    /// Something happened at `time`, in nanoseconds, at a flow by its place among all flows. Times never
    /// go back. `state` is that of a TCP sender.
    fn record(
        &mut self,
        time: u64,
        flow: usize,
        event: &Event<'_>,
        state: Option<&State>,
    ) -> io::Result<()>;

    /// The run is over.
    fn finish(&mut self) -> io::Result<()>;
}
