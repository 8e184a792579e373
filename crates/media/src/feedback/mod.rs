//! Per-packet feedback (RFC 8888): what a report says, the receiver that makes reports, and the sender's memory of
//! packets against which they are checked.

mod history;
mod metric;
mod receiver;

pub use history::{Checks, History};
pub use metric::{ATO_PER_SECOND, Metric};
pub use receiver::{Interval, Receiver};

/// The most packets of a report of ours: 1,048 bytes with its headers, so that it fits into every path's packets.
pub const MOST_METRICS: usize = 512;
/// The most packets of anybody's report (RFC 8888, section 3.1).
pub const MOST_ALLOWED: usize = 16_384;

/// A report on one stream (RFC 8888, section 3.1), with the content that its bytes have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// The time of the report by the receiver's clock, in 1/65536 s, modulo 2^32: the middle bits of an NTP time.
    pub reported_at: u32,
    /// The sequence number of the first packet, modulo 2^16.
    pub begin: u16,
    /// One for each packet from `begin` on.
    pub metrics: Vec<Metric>,
}

impl Feedback {
    /// Makes an empty report with room for as many packets as a receiver reports.
    pub fn with_room() -> Self {
        Self {
            reported_at: 0,
            begin: 0,
            metrics: Vec::with_capacity(MOST_METRICS),
        }
    }

    /// Returns the size of the report's bytes: see [`crate::wire`].
    pub fn bytes(&self) -> usize {
        20 + 2 * self.metrics.len().next_multiple_of(2)
    }
}
