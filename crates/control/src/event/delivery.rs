//! What was delivered and what was lost, as controls need it that model the path (BBR).

use super::Repair;
use crate::units::{Duration, Instant};

/// What the host knows of the delivery of data after an ACK, for controls that send at the rate at which the
/// path delivers (BBR). A host reports it after the ACK's losses have been found and before it sends anything
/// on the ACK. Counts are of whole segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// When the ACK arrived.
    pub now: Instant,
    /// Segments delivered since the connection began (`C.delivered` of the BBR draft).
    pub delivered: u64,
    /// Segments declared lost since the connection began (`C.lost`).
    pub lost: u64,
    /// Segments that this ACK reports as delivered.
    pub newly_delivered: u64,
    /// Segments that were declared lost on this ACK.
    pub newly_lost: u64,
    /// Segments in the network before this ACK.
    pub prior_in_flight: u64,
    /// Segments in the network after this ACK (`C.inflight`).
    pub in_flight: u64,
    /// Round-trip time of the newest segment that this ACK reports as delivered; `None` if it was sent
    /// more than once, or if there is none.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time; `None` before the first.
    pub srtt: Option<Duration>,
    /// When pacing lets the next segment leave; not before `now`.
    pub next_send: Instant,
    /// How losses are repaired at the moment.
    pub repair: Repair,
    /// Whether as much was in the network as the window allows, at some time since the newest segment that an
    /// ACK has reported was sent: in the last round trip (`C.is_cwnd_limited`).
    pub cwnd_limited: bool,
    /// The rate of delivery; `None` if the ACK gives none.
    pub rate: Option<DeliveryRate>,
}

impl Delivery {
    /// An ACK that arrived at `now`, after which `delivered` segments have been delivered since the
    /// connection began, and `in_flight` are in the network.
    #[inline]
    pub const fn new(now: Instant, delivered: u64, in_flight: u64) -> Self {
        Self {
            now,
            delivered,
            lost: 0,
            newly_delivered: 0,
            newly_lost: 0,
            prior_in_flight: in_flight,
            in_flight,
            rtt: None,
            srtt: None,
            next_send: now,
            repair: Repair::None,
            cwnd_limited: false,
            rate: None,
        }
    }
}

/// A sample of the rate at which the path delivers (the section "Delivery Rate Samples" of
/// draft-ietf-ccwg-bbr): over one round trip, the lower of the rates at which segments were sent and
/// acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryRate {
    /// Segments delivered during the interval (`RS.delivered`).
    pub delivered: u64,
    /// The length of the interval, not zero (`RS.interval`).
    pub interval: Duration,
    /// Segments that had been delivered when the newest delivered one was sent (`RS.prior_delivered`).
    pub prior_delivered: u64,
    /// Segments in the network after the newest delivered one had been sent (`RS.tx_in_flight`).
    pub tx_in_flight: u64,
    /// Segments declared lost since then (`RS.lost`).
    pub lost: u64,
    /// Whether the sender had nothing to send then, so that the rate may be less than the path's.
    pub app_limited: bool,
}

/// A segment is declared lost. Reported for each, before the [`Delivery`] of the ACK that shows it, and only to
/// controls that need deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostSegment {
    /// When it is declared lost.
    pub now: Instant,
    /// Segments delivered since the connection began (`C.delivered`).
    pub delivered: u64,
    /// Segments in the network after it had been sent (`P.tx_in_flight`).
    pub tx_in_flight: u64,
    /// Segments declared lost since it was sent, itself included (`C.lost - P.lost`).
    pub lost: u64,
    /// Whether the sender had nothing to send then.
    pub app_limited: bool,
    /// Its place in the order of all segments, by which a control can tell how many gaps there are; 0 unless
    /// set.
    pub seq: u64,
}

impl LostSegment {
    /// A segment that is declared lost at `now`. When it had been sent, `tx_in_flight` segments were in the
    /// network, and since then `lost` were declared lost, itself included.
    #[inline]
    pub const fn new(now: Instant, tx_in_flight: u64, lost: u64) -> Self {
        Self {
            now,
            delivered: 0,
            tx_in_flight,
            lost,
            app_limited: false,
            seq: 0,
        }
    }
}
