//! The parameters of a connection, apart from those of its congestion control.

use core::num::NonZeroU32;
use std::sync::Arc;

use dumbbell_control::units::{Bytes, Duration, Segments};

use crate::ack_control::AckControl;

/// The initial congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// This many segments, at least 1.
    Segments(u32),
    /// `min(4 SMSS, max(2 SMSS, 4380 B))` (RFC 3390).
    Rfc3390,
}

impl InitialWindow {
    /// The window for segments of `mss` bytes.
    pub fn segments(self, mss: Bytes) -> Segments {
        match self {
            Self::Segments(n) => Segments::whole(n.max(1)),
            Self::Rfc3390 => match mss.0 {
                0..=1095 => Segments::whole(4),
                1096..=2190 => Segments::whole(3.min(4380 / mss.0.max(1)) as u32),
                _ => Segments::whole(2),
            },
        }
    }
}

/// The stamps that segments carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamping {
    /// Exact stamps that take no bytes.
    Exact,
    /// The 12 bytes of RFC 7323's option, with a clock of this granularity.
    Option {
        /// The clock's tick, at least 1 ns. Stamps have 32 bits and become ambiguous after a silence of
        /// 2^31 ticks (RFC 7323, section 5.5), so a fine clock fails after a long timeout.
        granularity: Duration,
    },
}

impl Stamping {
    /// Bytes that the stamps add to every segment: the option and two NOPs.
    pub fn wire_bytes(self) -> u64 {
        match self {
            Self::Exact => 0,
            Self::Option { .. } => 12,
        }
    }
}

/// The tick of an operating system's timers, in whole microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick(NonZeroU32);

impl Tick {
    /// A tick of this length, from 1 us to 71 minutes.
    pub fn new(length: Duration) -> Self {
        let micros = u32::try_from(length.as_nanos() / 1_000).unwrap_or(u32::MAX);
        Self(NonZeroU32::new(micros).unwrap_or(NonZeroU32::MIN))
    }

    /// Its length.
    pub fn length(self) -> Duration {
        Duration::from_micros(self.0.get().into())
    }
}

/// The retransmission timer's parameters (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerConfig {
    /// Lower bound of the timeout: 1 s in RFC 6298; 0.2 s, the default, in Linux and in ns-2 since 2004.
    pub min: Duration,
    /// The timeout before the first sample.
    pub initial: Duration,
    /// Upper bound of the timeout, backoff included.
    pub max: Duration,
    /// ns-2's clock tick; `None` for a timer in nanoseconds.
    pub tick: Option<Duration>,
    /// Whether `min` is the least of 4 RTTVAR instead of the timeout, as in Linux: the timeout is then
    /// `SRTT + max(4 RTTVAR, min)`. Only without ticks.
    pub min_variance: bool,
    /// Whether every ACK gives a sample, as in Linux: that of the earliest segment that it newly reports, also in
    /// a SACK block, or else, with [`Stamping::Option`], that of the stamp that it echoes. RTTVAR is then the largest
    /// deviation of a round. [`Rack`](crate::recovery::Rack) starts the timer anew when it sends the oldest segment
    /// again, and as long as SACKs report segments that were sent before that. Only without ticks.
    pub each_ack: bool,
    /// The tick of the operating system's timers, at which all timers of the sender but that of pacing fire;
    /// `None` for exact timers. A loss probe and the reordering window then wait 2 ms longer, as in Linux.
    pub firing: Option<Tick>,
}

impl Default for TimerConfig {
    fn default() -> Self {
        Self {
            min: Duration::from_millis(200),
            initial: Duration::from_secs(1),
            max: Duration::from_secs(60),
            tick: None,
            min_variance: false,
            each_ack: false,
            firing: None,
        }
    }
}

/// How explicit congestion notification is used. Both ends of a connection have the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// Not at all: routers drop.
    #[default]
    Off,
    /// RFC 3168: a mark is echoed until the sender has reduced its window.
    Classic,
    /// The receiver of DCTCP (RFC 8257, section 3.2): an ACK has ECE if what it covers was marked.
    Dctcp,
    /// Accurate feedback: each ACK has the number of marked segments that have arrived so far. Retransmissions may
    /// be marked as well.
    Accurate,
    /// Likewise, and routers see that the segments are L4S: ECT(1) (RFC 9331, section 4.1).
    L4s,
}

impl EcnMode {
    /// Whether routers may mark segments.
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Whether ACKs have the number of marked segments.
    pub const fn counts(self) -> bool {
        matches!(self, Self::Accurate | Self::L4s)
    }

    /// Whether the sender learns how many segments were marked.
    pub const fn tells_extent(self) -> bool {
        self.counts() || matches!(self, Self::Dctcp)
    }

    /// Whether segments are L4S.
    pub const fn is_l4s(self) -> bool {
        matches!(self, Self::L4s)
    }
}

/// A sender's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderConfig {
    /// The retransmission timer.
    pub timer: TimerConfig,
    /// Whether the control's round-trip times are Linux' where segments were sent again, too (`tcp_ack_update_rtt`): an ACK
    /// that covers one gives that of the newest segment that it reports in a SACK block, or else, with
    /// [`Stamping::Option`], that of the stamp that it echoes, in whole ticks. Only with [`each_ack`](TimerConfig::each_ack).
    pub repair_samples: bool,
    /// The stamps that segments carry.
    pub stamping: Stamping,
    /// Whether the connection may forget when it sent a segment, because its control does not ask and the receiver
    /// echoes it ([`ReceiverConfig::echoes_sending`]). A connection does so only where nothing else needs the times
    /// ([`Sender::reads_sending`](crate::sender::Sender::reads_sending)): with many connections, they are most of
    /// what each takes.
    pub forgets: bool,
    /// Whether to send a new segment on each of the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// Payload of a full segment. Only [`pacing`](crate::pacing) at a rate depends on it: everything else
    /// counts segments.
    pub mss: Bytes,
    /// The receiver's window; [`Segments::MAX`], no limit, by default.
    pub receiver_window: Segments,
    /// Segments to send; `None` for a source that never ends.
    pub size: Option<u64>,
    /// Whether more to send may come: `size` is what there is at the beginning,
    /// [`Sender::offer`](crate::sender::Sender::offer) adds to it, and the connection never finishes.
    pub relays: bool,
    /// Whether to open the connection with an exchange of empty segments, which gives the timer its
    /// first sample.
    pub handshake: bool,
    /// Whether the handshake's round-trip time is one of the path, as in Linux (`tcp_min_rtt`): for the least one of
    /// [`Rack`](crate::recovery::Rack), of rates of delivery and of pieces ([`tso`](Self::tso)), and for a controller
    /// that asks ([`on_handshake`](dumbbell_control::controller::Controller::on_handshake)).
    pub handshake_rtt: bool,
    /// One in this many data segments carries an AQT option, starting with the first; retransmissions
    /// count. 0 for none.
    pub probe_every: u32,
    /// How to use explicit congestion notification.
    pub ecn: EcnMode,
    /// Whether the control cuts by the extent of marking, less than for a loss
    /// ([`Signals::marks`](dumbbell_control::controller::Signals::marks)): a loss is reported to it even if a mark
    /// has cut the window, and it decides for itself how small that may be.
    pub scalable: bool,
    /// Whether to send the feedback that the receiver's ACK congestion control needs.
    pub ack_control: bool,
    /// Whether to count every segment that an ACK covers as one ACK, and to pace what exceeds a burst
    /// (see [`pacing`](crate::pacing)).
    pub adaptation: bool,
    /// Whether a window that is not used does not grow, and shrinks (RFC 2861, as in Linux).
    pub window_validation: bool,
    /// Whether slow start ends when a queue builds up (HyStart, as in Linux).
    pub hystart: bool,
    /// Whether new segments leave in bursts, as with the segmentation offload of Linux (`bursts.rs`);
    /// only [`Rack`](crate::recovery::Rack) does so.
    pub tso: bool,
    /// Whether the window is spread over a round trip if the controller has no rate, as in Linux: at
    /// `2 cwnd / SRTT` below half of the threshold, and at `1.2 cwnd / SRTT` above.
    pub pacing: bool,
    /// Whether a paced segment that leaves late shortens the wait of the next by up to a half, the first ten
    /// segments do not wait, and retransmissions wait as well, each piece for itself, as in Linux; only
    /// [`Rack`](crate::recovery::Rack) has the last.
    pub pacing_credit: bool,
    /// Whether the last segment that there is to send asks for an ACK without delay
    /// ([`Segment::push`](crate::segment::Segment::push)), as at the end of a write in Linux.
    pub push: bool,
    /// Whether the last segment of each piece of two or more does so, too, as in Linux (`__tcp_transmit_skb`); only with
    /// [`tso`](Self::tso).
    pub push_pieces: bool,
    /// Whether deliveries are measured and told to the controller
    /// ([`on_delivery`](dumbbell_control::controller::Controller::on_delivery)); only
    /// [`Rack`](crate::recovery::Rack) does.
    pub deliveries: bool,
    /// Whether the control may set a rate or hears of departures
    /// ([`pacing`](dumbbell_control::controller::Controller::pacing),
    /// [`on_sent`](dumbbell_control::controller::Controller::on_sent)), so that it is asked at every segment. `false`
    /// saves that, if nothing else needs it, and is wrong for a control that has either.
    pub departures: bool,
}

impl SenderConfig {
    /// Whether a connection is plain: nothing paces or measures its segments, marks do not come back, and its timer is
    /// that of RFC 6298. Then a segment and an ACK skip what none of that needs.
    pub(crate) fn is_plain(&self) -> bool {
        let segments = self.departures || self.deliveries || self.tso || self.pacing;
        let bits = self.ecn.is_on() || self.ack_control || self.adaptation;
        let timer = self.timer.each_ack || self.timer.firing.is_some();
        let window = self.window_validation || self.hystart;
        !(segments || bits || timer || window)
    }
}

impl From<&SenderConfig> for Arc<SenderConfig> {
    fn from(config: &SenderConfig) -> Self {
        Self::new(*config)
    }
}

impl Default for SenderConfig {
    fn default() -> Self {
        Self {
            timer: TimerConfig::default(),
            repair_samples: false,
            stamping: Stamping::Exact,
            forgets: false,
            limited_transmit: true,
            mss: Bytes(1000),
            receiver_window: Segments::MAX,
            size: None,
            relays: false,
            handshake: true,
            handshake_rtt: false,
            probe_every: 0,
            ecn: EcnMode::Off,
            scalable: false,
            ack_control: false,
            adaptation: false,
            window_validation: false,
            hystart: false,
            tso: false,
            pacing: false,
            pacing_credit: false,
            push: false,
            push_pieces: false,
            deliveries: false,
            departures: true,
        }
    }
}

/// A receiver's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverConfig {
    /// How long an ACK waits for a second segment (RFC 5681, section 4.2); `None` to send an ACK for
    /// every segment.
    pub delayed_ack: Option<Duration>,
    /// Whether that is the least, and the wait follows the time between segments (Linux); the host has to say when segments
    /// were sent ([`Arrival::sent_at`](crate::segment::Arrival::sent_at)). Without `delayed_ack` it changes nothing.
    pub adaptive_delay: bool,
    /// How many ACKs are not delayed at first, and again after a segment that had already arrived; 0 for
    /// none. Linux has 16. Without `delayed_ack` it changes nothing.
    pub quick_acks: u32,
    /// The tick of the operating system's timers, at which delayed ACKs are sent; `None` for exact timers.
    pub firing: Option<Tick>,
    /// Whether to report SACK blocks.
    pub sack: bool,
    /// Whether to report a segment that had already arrived in the first block (DSACK, RFC 2883); only with
    /// `sack`.
    pub dsack: bool,
    /// Whether SACKs of segments above a hole are gathered for up to 1 ms, after the first three (Linux); the host
    /// has to say when segments were sent ([`Arrival::sent_at`](crate::segment::Arrival::sent_at)).
    pub sack_compression: bool,
    /// Whether the window grows with what arrives, and ACKs are not delayed meanwhile (Linux); the host has to say when
    /// segments were sent, too.
    pub autotuning: bool,
    /// Whether the segment that opens the connection tells the round-trip time, as in Linux, if it is under way for less
    /// time than data ([`Receiver::on_open`](crate::receiver::Receiver::on_open)).
    pub handshake_rtt: bool,
    /// The stamps that ACKs carry.
    pub stamping: Stamping,
    /// Whether exact stamps say when the segment that triggered the ACK was sent instead of when it arrived; the host
    /// has to know it ([`Arrival::sent_at`](crate::segment::Arrival::sent_at)).
    pub echoes_sending: bool,
    /// How marks of routers are reported.
    pub ecn: EcnMode,
    /// ACK congestion control, which sends fewer ACKs if routers mark them. It replaces `delayed_ack`.
    pub ack_control: Option<AckControl>,
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        Self {
            delayed_ack: None,
            adaptive_delay: false,
            quick_acks: 0,
            firing: None,
            sack: false,
            dsack: false,
            sack_compression: false,
            autotuning: false,
            handshake_rtt: false,
            stamping: Stamping::Exact,
            echoes_sending: false,
            ecn: EcnMode::Off,
            ack_control: None,
        }
    }
}
