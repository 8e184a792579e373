//! What the loop counts.

use std::time::Duration;

use super::lateness::Lateness;
use super::stalls::Stalls;

/// Counters of the loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    /// Packets that came in, at the sender and at the receiver.
    pub(super) entered: [u64; 2],
    /// Their bytes.
    pub(super) entered_bytes: [u64; 2],
    /// The bytes that the sender and the receiver got.
    pub(super) left_bytes: [u64; 2],
    /// The smallest time that a packet took through the network, to the sender and to the receiver.
    pub(super) least_transit: [Option<Duration>; 2],
    /// Packets that a port did not accept.
    pub(super) refused: u64,
    /// The largest possible lateness of packets that were read.
    pub(super) entering: Lateness,
    /// The lateness of packets that were sent.
    pub(super) leaving: Lateness,
    /// The times in which the loop did nothing although it was to be awake.
    pub(super) stalls: Stalls,
    pub(super) elapsed: Duration,
    /// Processor time of the loop.
    pub(super) busy: Duration,
    /// Whether the loop had the real-time policy to its end.
    pub(super) realtime: bool,
}
