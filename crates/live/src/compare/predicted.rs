//! What the simulator predicts of a transfer.

use serde::Serialize;

/// The simulator's prediction of a transfer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predicted {
    /// The seed of its losses.
    pub seed: u64,
    /// Payload delivered in order, in bit/s.
    pub goodput_bps: f64,
    /// Data segments sent, retransmissions included.
    pub segments: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// How often the window was cut for losses: loss episodes, tails that a probe has repaired, and expiries of the
    /// retransmission timer.
    pub cuts: u64,
    /// Mean of the smoothed round-trip times of all samples, which is one over time, as in the kernel, in seconds;
    /// `None` without a sample.
    pub rtt_mean_s: Option<f64>,
    /// How long the flow was active, in seconds.
    pub elapsed_s: f64,
    /// Windows: time in seconds, and window in segments.
    pub windows: Vec<(f64, f64)>,
}
