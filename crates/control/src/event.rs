//! The events of a connection, as plain structs: what a host passes to a controller.
//!
//! Later versions may add fields, so each struct is built by a constructor that takes what every host
//! knows, and by `with_` methods for the rest.
//!
//! ```
//! use dumbbell_control::event::Sample;
//! use dumbbell_control::units::{Duration, Instant, Segments};
//!
//! let now = Instant::from_nanos(1_000_000_000);
//! let sample = Sample::new(now, Segments::ONE).with_rtt(Duration::from_millis(60));
//! assert_eq!(sample.rtt, Some(Duration::from_millis(60)));
//! assert!(!sample.duplicate);
//! ```

mod delivery;
mod loss;

use crate::units::{Bytes, Duration, Instant, Segments, muldiv};

pub use self::delivery::{Delivery, DeliveryRate, LostSegment};
pub use self::loss::{Loss, LossSignal, Timeout};

/// What is known of a connection before its first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Path {
    /// Payload of a full segment (SMSS).
    pub mss: Bytes,
    /// Initial congestion window; 10 segments unless set (RFC 6928).
    pub initial_window: Segments,
    /// Initial slow-start threshold; [`Segments::MAX`], no limit, unless set.
    pub ssthresh: Segments,
    /// Resolution of the host's timestamps; zero, which means exact, unless set.
    pub stamp_granularity: Duration,
}

impl Path {
    /// A path whose full segments carry `mss` bytes of payload.
    pub const fn new(mss: Bytes) -> Self {
        Self {
            mss,
            initial_window: Segments::whole(10),
            ssthresh: Segments::MAX,
            stamp_granularity: Duration::ZERO,
        }
    }

    /// Sets the initial window.
    pub const fn with_initial_window(mut self, initial_window: Segments) -> Self {
        self.initial_window = initial_window;
        self
    }

    /// Sets the initial slow-start threshold.
    pub const fn with_ssthresh(mut self, ssthresh: Segments) -> Self {
        self.ssthresh = ssthresh;
        self
    }

    /// Sets the resolution of the host's timestamps.
    pub const fn with_stamp_granularity(mut self, granularity: Duration) -> Self {
        self.stamp_granularity = granularity;
        self
    }
}

/// The connection is open: the round-trip time of the exchange of empty segments before the data. They are shorter than
/// full segments, so on a slow path it is less than any round-trip time of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handshake {
    /// When the reply arrived.
    pub now: Instant,
    /// Its round-trip time.
    pub rtt: Duration,
}

impl Handshake {
    /// A reply that arrived at `now`, `rtt` after what it replies to was sent.
    #[inline]
    pub const fn new(now: Instant, rtt: Duration) -> Self {
        Self { now, rtt }
    }
}

/// Segments were sent. The host reports every transmission, including retransmissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sent {
    /// When they were sent.
    pub now: Instant,
    /// Segments sent.
    pub segments: Segments,
    /// Segments outstanding before these were sent. Zero when a connection starts, or starts again
    /// after it was idle.
    pub in_flight: Segments,
    /// Whether the segments were sent before.
    pub retransmission: bool,
    /// Whether the sender has nothing more to send, although its window may allow more.
    pub app_limited: bool,
    /// Whether the sender had nothing to send before, so that what is in the network says nothing about the
    /// path (`C.app_limited` of the BBR draft). Known to hosts that measure deliveries.
    pub was_app_limited: bool,
}

impl Sent {
    /// New segments that were sent at `now` while `in_flight` others were outstanding.
    #[inline]
    pub const fn new(now: Instant, segments: Segments, in_flight: Segments) -> Self {
        Self {
            now,
            segments,
            in_flight,
            retransmission: false,
            app_limited: false,
            was_app_limited: false,
        }
    }

    /// Sets whether the segments were sent before.
    #[inline]
    pub const fn with_retransmission(mut self, retransmission: bool) -> Self {
        self.retransmission = retransmission;
        self
    }

    /// Sets whether the sender has nothing more to send.
    #[inline]
    pub const fn with_app_limited(mut self, app_limited: bool) -> Self {
        self.app_limited = app_limited;
        self
    }
}

/// When the packet that triggered an ACK was sent, by the sender's clock, and when it
/// arrived, by the receiver's clock. The two clocks need not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    /// When the packet was sent, by the sender's clock.
    pub sent_at: Instant,
    /// When the packet arrived, by the receiver's clock.
    pub received_at: Instant,
}

/// How long packets waited in the queues of routers that support RoVegas' AQT (accumulated queueing
/// time) option: each such router adds the time from the arrival of a probing packet to the start of
/// its transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queueing {
    /// The wait of the data packet on its way to the receiver (the paper's AQT-echo).
    pub forward: Duration,
    /// The wait of its ACK on the way back (the paper's AQT).
    pub backward: Duration,
}

/// What an ACK reports about ECN marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Marks {
    /// No mark, or ECN is not in use.
    #[default]
    None,
    /// At least one segment was marked since the sender last signalled that it had reduced its window:
    /// the ECN-Echo flag of RFC 3168, which carries no count.
    Echoed,
    /// This many of the segments that the ACK credits were marked: from a receiver that counts marks
    /// (QUIC, RFC 9000, section 13.4; accurate ECN in TCP).
    Counted(Segments),
}

/// An ACK, which feeds the estimators. The host reports every ACK, including duplicates and those in
/// recovery. At most one of [`Ack`], [`Loss`] and [`Timeout`] follows for the same ACK: an ACK that
/// reveals a loss does not grow the window (RFC 9002, appendix A.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// When the ACK arrived at the sender.
    pub now: Instant,
    /// Round-trip time of the segment that the host times with this ACK: either the one that triggered
    /// the ACK, or the newest that it covers. `None` by Karn's rule, on duplicates, or if the host took
    /// no sample. A controller's round that began at `t` ends with the first sample whose `now - rtt`
    /// is not before `t`.
    pub rtt: Option<Duration>,
    /// Segments that this ACK reports as delivered. The host counts each segment once: a duplicate
    /// counts for one, and a later cumulative ACK for what the duplicates have not counted.
    pub credited: Segments,
    /// Segments that the host has declared lost since the previous sample. A host that keeps no list
    /// of lost segments counts those that it retransmitted.
    pub lost: Segments,
    /// Whether the ACK acknowledges no new data.
    pub duplicate: bool,
    /// What the ACK reports about ECN marks.
    pub marks: Marks,
    /// Timestamps of the packet that triggered the ACK. `None` if that packet was retransmitted
    /// or reordered, or if the host has no receiver time.
    pub stamps: Option<Stamps>,
    /// What routers reported about the packet that triggered the ACK and about the ACK itself. `None` if
    /// that packet did not request reports, or the host does not support them.
    pub queueing: Option<Queueing>,
}

impl Sample {
    /// An ACK that arrived at `now` and reports `credited` segments as delivered, without a
    /// round-trip time.
    #[inline]
    pub const fn new(now: Instant, credited: Segments) -> Self {
        Self {
            now,
            rtt: None,
            credited,
            lost: Segments::ZERO,
            duplicate: false,
            marks: Marks::None,
            stamps: None,
            queueing: None,
        }
    }

    /// Sets the round-trip time, or removes it.
    #[inline]
    pub fn with_rtt(mut self, rtt: impl Into<Option<Duration>>) -> Self {
        self.rtt = rtt.into();
        self
    }

    /// Sets the segments that were declared lost since the previous ACK.
    #[inline]
    pub const fn with_lost(mut self, lost: Segments) -> Self {
        self.lost = lost;
        self
    }

    /// Sets whether the ACK is a duplicate.
    #[inline]
    pub const fn with_duplicate(mut self, duplicate: bool) -> Self {
        self.duplicate = duplicate;
        self
    }

    /// Sets what the ACK reports about ECN marks.
    #[inline]
    pub const fn with_marks(mut self, marks: Marks) -> Self {
        self.marks = marks;
        self
    }

    /// Sets the timestamps, or removes them.
    #[inline]
    pub fn with_stamps(mut self, stamps: impl Into<Option<Stamps>>) -> Self {
        self.stamps = stamps.into();
        self
    }

    /// Sets the reports of routers, or removes them.
    #[inline]
    pub fn with_queueing(mut self, queueing: impl Into<Option<Queueing>>) -> Self {
        self.queueing = queueing.into();
        self
    }

    /// The round-trip time if the ACK acknowledges new data. Duplicates do not feed the
    /// estimators of RTT and BaseRTT (RFC 7323, section 4.1).
    #[inline]
    pub fn rtt_of_new_data(&self) -> Option<Duration> {
        if self.duplicate { None } else { self.rtt }
    }

    /// Timestamps for a sender that does not know the receiver's time: the arrival of the ACK replaces
    /// the arrival of the data, so delays of the ACK count as well. `None` if the
    /// sample has neither stamps nor an RTT, so the sending time is unknown.
    #[inline]
    pub fn ack_stamps(&self) -> Option<Stamps> {
        let by_rtt = self.rtt_of_new_data().map(|rtt| self.now - rtt);
        let sent_at = self.stamps.map(|stamps| stamps.sent_at).or(by_rtt)?;
        Some(Stamps {
            sent_at,
            received_at: self.now,
        })
    }
}

/// How the host repairs losses at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// Nothing is known to be lost.
    #[default]
    None,
    /// A loss episode.
    Episode,
    /// After a timeout.
    Timeout,
}

/// New data was acknowledged outside recovery: the only event after which a window may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ack {
    /// When the ACK arrived.
    pub now: Instant,
    /// Segments newly acknowledged.
    pub acked: Segments,
    /// Segments outstanding after this ACK.
    pub in_flight: Segments,
    /// Whether the sender had less to send than its window allowed.
    pub app_limited: bool,
}

impl Ack {
    /// An ACK that arrived at `now`, acknowledged `acked` segments and left `in_flight` outstanding.
    #[inline]
    pub const fn new(now: Instant, acked: Segments, in_flight: Segments) -> Self {
        Self {
            now,
            acked,
            in_flight,
            app_limited: false,
        }
    }

    /// Sets whether the sender had less to send than its window allowed.
    #[inline]
    pub const fn with_app_limited(mut self, app_limited: bool) -> Self {
        self.app_limited = app_limited;
        self
    }
}

/// The payload of a full segment changed, as after path MTU discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MssChange {
    /// Payload of a full segment until now.
    pub before: Bytes,
    /// Payload of a full segment from now on.
    pub after: Bytes,
}

impl MssChange {
    /// A change from `before` to `after`. A size outside 1 to 2^32 - 1 bytes counts as the nearest
    /// size within.
    pub const fn new(before: Bytes, after: Bytes) -> Self {
        Self { before, after }
    }

    /// Converts a window to the new segment size, keeping its number of bytes:
    /// `floor(window * before / after)`, at most [`Segments::CAP`]. [`Segments::MAX`], no limit, is
    /// returned unchanged.
    pub fn rescale(&self, window: Segments) -> Segments {
        if window == Segments::MAX {
            return window;
        }
        let [before, after] = [self.before, self.after].map(Bytes::segment_size);
        let raw = muldiv(window.min(Segments::CAP).raw(), before, after);
        Segments::from_raw(raw).min(Segments::CAP)
    }
}
