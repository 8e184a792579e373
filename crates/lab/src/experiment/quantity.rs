//! What can be measured of a flow: numbers of its whole run, and quantities that a probe samples.

use dumbbell_run::outcome::FlowOutcome;

use super::curve::Reads;

/// A number of a flow, or what is sampled of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A number of the whole run.
    Total(Total),
    /// What a probe samples over time.
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
    /// From the flow's start to its last acknowledgement, in seconds.
    Time,
    /// Mean congestion window, in segments.
    Window,
    /// Mean round-trip time, in seconds.
    Rtt,
    /// How much its sending varies from sample to sample: the scenario says since when.
    Variation,
}

/// What a probe samples of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// The rate at which payload arrives, in bit/s.
    Rate,
    /// The congestion window, in segments.
    Cwnd,
    /// The slow-start threshold, in segments.
    Ssthresh,
    /// The next new segment's number.
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
    /// Of a flow; not a number where the flow has none.
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
    /// The name under which a probe samples it, of a curve that reads this; none of a reading of nothing.
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
