//! The configuration of a sender.

use crate::parallel::ParallelConfig;

use super::veno::VenoConfig;

/// The segment size, the rules and the equation of a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderConfig {
    /// The segment size s in bytes; zero counts as one.
    pub segment: u32,
    /// The largest amount that is sent in the first round-trip time, in segments of this size; `None`
    /// means min(4 s, max(2 s, 4380)) as in the RFC.
    pub initial_window: Option<f64>,
    /// The rules by which feedback sets the rate.
    pub rules: Rules,
    /// The weight of old samples in the mean round-trip time and in the mean of its square root, 0 to 1.
    pub rtt_weight: f64,
    /// Whether the rate is reduced while the round-trip time is above its mean (RFC 5348, section 4.5).
    pub oscillation_prevention: bool,
    /// The retransmission timeout of the equation.
    pub t_rto: TimeoutRule,
    /// Whether the probability of a timeout in the equation is limited to 1.
    pub min1: bool,
    /// The number of packets that one ACK of a TCP acknowledges, in the equation.
    pub packets_per_ack: f64,
    /// The TCP whose throughput the equation gives.
    pub law: Law,
    /// If set, the rate of the equation is multiplied by the number n of MULTFRC's rule (AIO-TFRC).
    pub all_in_one: Option<ParallelConfig>,
    /// The number of round-trip times for which unused send times can be made up for, 0 to 1 (RFC 5348,
    /// section 4.6).
    pub credit: f64,
}

/// The rules by which feedback sets the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// RFC 5348, section 4.
    #[default]
    Rfc5348,
    /// ns-2.35 with its defaults.
    Ns2,
}

/// The timeout in the equation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeoutRule {
    /// Four round-trip times, as RFC 5348 recommends.
    #[default]
    FourRtt,
    /// Four round-trip times, but at least a second, as RFC 5348 allows.
    FourRttOrSecond,
    /// The timer of a TCP in ticks of 0.1 s, without a lower bound (ns-2).
    Ticks,
}

/// The TCP whose throughput the equation gives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Law {
    /// TCP Reno: TFRC.
    #[default]
    Reno,
    /// TCP Veno: TFRC Veno.
    Veno(VenoConfig),
}

impl SenderConfig {
    /// Returns the configuration of RFC 5348, with all its recommendations.
    pub const fn rfc5348(segment: u32) -> Self {
        Self {
            segment,
            initial_window: None,
            rules: Rules::Rfc5348,
            rtt_weight: 0.9,
            oscillation_prevention: true,
            t_rto: TimeoutRule::FourRtt,
            min1: false,
            packets_per_ack: 1.0,
            law: Law::Reno,
            all_in_one: None,
            credit: 0.0,
        }
    }

    /// Returns the default configuration of the sender in ns-2.35.
    pub const fn ns2(segment: u32) -> Self {
        Self {
            rules: Rules::Ns2,
            rtt_weight: 0.95,
            t_rto: TimeoutRule::Ticks,
            min1: true,
            ..Self::rfc5348(segment)
        }
    }

    /// Returns W_init in bytes (RFC 5348, section 4.2).
    pub fn initial_window_bytes(&self) -> f64 {
        let segment = self.segment_bytes();
        match self.initial_window {
            Some(segments) if segments > 0.0 => segments * segment,
            _ => (4.0 * segment).min((2.0 * segment).max(4380.0)),
        }
    }

    /// Returns the segment size in bytes.
    pub(crate) fn segment_bytes(&self) -> f64 {
        f64::from(self.segment.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_window_is_that_of_rfc_3390() {
        for (segment, bytes) in [(1000, 4000.0), (1460, 4380.0), (512, 2048.0)] {
            assert_eq!(SenderConfig::rfc5348(segment).initial_window_bytes(), bytes);
        }
    }
}
