//! What a host tells a controller: the events of a connection, as plain structs.

use crate::units::{Bytes, Duration, Instant, Segments};

/// What is known of a connection before its first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Payload of a full segment (SMSS).
    pub mss: Bytes,
    /// Initial congestion window.
    pub initial_window: Segments,
    /// Initial slow-start threshold; [`Segments::MAX`] where there is no limit.
    pub ssthresh: Segments,
    /// Resolution of the host's stamps; zero where they are exact.
    pub stamp_granularity: Duration,
}

/// When the packet that triggered an ACK was sent, by the sender's clock, and when it
/// arrived, by the receiver's. The two clocks need not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    /// Sent, by the sender's clock.
    pub sent_at: Instant,
    /// Arrived, by the receiver's clock.
    pub received_at: Instant,
}

/// How long packets waited in the queues of routers that report it, by RoVegas' AQT option: each such
/// router adds the time from the arrival of a probing packet to the start of its transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queueing {
    /// The wait of the data packet on its way to the receiver: AQT-echo.
    pub forward: Duration,
    /// The wait of its ACK on the way back: AQT.
    pub backward: Duration,
}

/// Told on every ACK, duplicates and ACKs in recovery included: this feeds the estimators.
/// At most one of [`Ack`], [`Loss`] and [`Timeout`] follows for the same ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Arrival of the ACK at the sender.
    pub now: Instant,
    /// Round-trip time of the segment that the host times with this ACK: the one that triggered it, or
    /// the newest that it covers. `None` by Karn's rule, on duplicates, or where the host took no
    /// sample. A round of a controller that began at `t` ends with the first sample whose `now - rtt`
    /// is not before `t`.
    pub rtt: Option<Duration>,
    /// Segments that left the network with this ACK. The host counts them once: a duplicate
    /// is worth one, and a later cumulative ACK is worth what the duplicates left.
    pub credited: Segments,
    /// No new data is acknowledged.
    pub duplicate: bool,
    /// Stamps of the packet that triggered the ACK. `None` if that packet was retransmitted
    /// or reordered, or the host has no receiver time.
    pub stamps: Option<Stamps>,
    /// What routers reported of the packet that triggered the ACK and of the ACK itself. `None` if that
    /// packet did not ask them, or the host cannot.
    pub queueing: Option<Queueing>,
}

impl Sample {
    /// The round-trip time, if the ACK acknowledges new data: duplicates do not feed the
    /// estimators of RTT and BaseRTT (RFC 7323, section 4.1).
    #[inline]
    pub fn rtt_of_new_data(&self) -> Option<Duration> {
        if self.duplicate { None } else { self.rtt }
    }

    /// The stamps of a sender that knows no receiver's time: the arrival of the ACK stands for that
    /// of the data, so that what the ACK met on its way counts as well. `None` if neither stamps
    /// nor an RTT tell when the data was sent.
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

/// New data was acknowledged outside recovery: the only event that lets a window grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Arrival of the ACK.
    pub now: Instant,
    /// Segments newly acknowledged.
    pub acked: Segments,
    /// Segments outstanding after this ACK.
    pub in_flight: Segments,
    /// The sender had less to send than its window allowed.
    pub app_limited: bool,
}

/// How a loss came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSignal {
    /// Three duplicate ACKs, or their equivalent in a SACK scoreboard.
    DupAcks,
    /// Vegas' fine-grained timer, checked on a duplicate or partial ACK.
    FineTimer,
    /// An explicit congestion mark.
    Ecn,
}

/// A loss episode begins. Told once an episode, not once a packet; only Vegas' recovery,
/// which has no episodes, tells of every retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When the loss was detected.
    pub now: Instant,
    /// Segments outstanding.
    pub in_flight: Segments,
    /// When the lost segment was last sent.
    pub lost_sent_at: Instant,
    /// How often the lost segment has been sent so far, at least 1.
    pub transmissions: u32,
    /// What told of the loss.
    pub by: LossSignal,
}

/// The retransmission timer fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout {
    /// When it fired.
    pub now: Instant,
    /// Segments outstanding.
    pub in_flight: Segments,
    /// 1 for the first timeout of a segment, 2 for the next of the same segment, and so on.
    pub consecutive: u32,
}
