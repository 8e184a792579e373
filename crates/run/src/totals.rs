//! What has been counted at a flow up to a moment, so that results can begin after a warm-up.

use crate::outcome::Scores;

/// The counters of a flow since its start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    /// Payload delivered in order, in bytes.
    pub(crate) delivered: u64,
    /// Payload that arrived, in bytes.
    pub(crate) arrived: u64,
    pub(crate) sent: u64,
    pub(crate) retransmits: u64,
    pub(crate) timeouts: u64,
    pub(crate) recoveries: u64,
    pub(crate) ecn_cuts: u64,
    pub(crate) marks: u64,
    pub(crate) rtt_samples: u64,
    /// The sum of the round-trip times, in nanoseconds.
    pub(crate) rtt_sum: u64,
    /// The integral of the window over time, in its raw unit times nanoseconds.
    pub(crate) cwnd_area: f64,
    pub(crate) classified: Vec<Scores>,
}

impl Totals {
    /// What was counted after `earlier`.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        for (scores, before) in self.classified.iter_mut().zip(&earlier.classified) {
            scores.subtract(before);
        }
        Self {
            delivered: self.delivered - earlier.delivered,
            arrived: self.arrived - earlier.arrived,
            sent: self.sent - earlier.sent,
            retransmits: self.retransmits - earlier.retransmits,
            timeouts: self.timeouts - earlier.timeouts,
            recoveries: self.recoveries - earlier.recoveries,
            ecn_cuts: self.ecn_cuts - earlier.ecn_cuts,
            marks: self.marks - earlier.marks,
            rtt_samples: self.rtt_samples - earlier.rtt_samples,
            rtt_sum: self.rtt_sum - earlier.rtt_sum,
            cwnd_area: self.cwnd_area - earlier.cwnd_area,
            classified: self.classified,
        }
    }
}
