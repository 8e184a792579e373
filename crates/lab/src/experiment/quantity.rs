//! The quantities of a flow: numbers of its whole run, and quantities that a probe samples.

use dumbbell_run::outcome::FlowOutcome;

use super::curve::Reads;

/// A quantity of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A number of the whole run.
    Total(Total),
    /// A quantity that a probe samples over time.
    Sampled(Sampled),
}

/// A number of a flow's whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// Throughput, in bit/s.
    Throughput,
    /// Goodput, in bit/s.
    Goodput,
    /// Data packets sent, retransmissions included.
    Sent,
    /// Retransmissions.
    Retransmits,
    /// Timeouts.
    Timeouts,
    /// Time from the flow's start to its last acknowledgement, in seconds.
    Time,
    /// Mean congestion window, in segments.
    Window,
    /// Mean round-trip time, in seconds.
    Rtt,
    /// How much its sending varies from bin to bin; the scenario's `variation` defines the bins.
    Variation,
}

/// A quantity that a probe samples for a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// The rate at which payload arrives, in bit/s.
    Rate,
    /// The congestion window, in segments.
    Cwnd,
    /// The slow-start threshold, in segments.
    Ssthresh,
    /// The number of the next new segment.
    Sequence,
    /// Loss episodes and timeouts so far.
    Losses,
    /// The series that the curve reads.
    Reading,
}

impl Quantity {
    /// Their names in descriptions.
    pub(super) const WORDS: [(&'static str, Self); 15] = [
        ("throughput", Self::Total(Total::Throughput)),
        ("goodput", Self::Total(Total::Goodput)),
        ("sent", Self::Total(Total::Sent)),
        ("retransmits", Self::Total(Total::Retransmits)),
        ("timeouts", Self::Total(Total::Timeouts)),
        ("time", Self::Total(Total::Time)),
        ("window", Self::Total(Total::Window)),
        ("rtt", Self::Total(Total::Rtt)),
        ("variation", Self::Total(Total::Variation)),
        ("rate", Self::Sampled(Sampled::Rate)),
        ("cwnd", Self::Sampled(Sampled::Cwnd)),
        ("ssthresh", Self::Sampled(Sampled::Ssthresh)),
        ("sequence", Self::Sampled(Sampled::Sequence)),
        ("losses", Self::Sampled(Sampled::Losses)),
        ("reading", Self::Sampled(Sampled::Reading)),
    ];
}

impl Total {
    /// The number of a flow; NaN if the flow has none.
    pub(super) fn of(self, flow: &FlowOutcome) -> f64 {
        match self {
            Self::Throughput => flow.throughput_bps,
            Self::Goodput => flow.goodput_bps,
            Self::Sent => flow.sent as f64,
            Self::Retransmits => flow.retransmits as f64,
            Self::Timeouts => flow.timeouts as f64,
            Self::Time => flow
                .finish_s
                .map_or(f64::NAN, |finish| finish - flow.start_s),
            Self::Window => flow.cwnd_mean.unwrap_or(f64::NAN),
            Self::Rtt => flow.rtt_mean_s.unwrap_or(f64::NAN),
            Self::Variation => flow.sending_variation.unwrap_or(f64::NAN),
        }
    }
}

impl Sampled {
    /// The name under which a probe samples the quantity, for a curve that reads `reads`; `None`
    /// for a reading if the curve reads nothing.
    pub(super) fn probe(self, reads: Option<&Reads>) -> Option<&str> {
        match self {
            Self::Rate => Some("rate"),
            Self::Cwnd => Some("cwnd"),
            Self::Ssthresh => Some("ssthresh"),
            Self::Sequence => Some("sequence"),
            Self::Losses => Some("losses"),
            Self::Reading => reads.and_then(Reads::series),
        }
    }
}
