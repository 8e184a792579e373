//! The lateness of packets: the error of an emulator.

use std::time::Duration;

use dumbbell_run::histogram::Histogram;
use serde::Serialize;

/// Counts how late packets leave the emulator, compared with the network's time.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    histogram: Histogram,
    packets: u64,
    sum: Duration,
    most: Duration,
}

/// Statistics of the lateness of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The number of packets.
    pub packets: u64,
    /// Their mean lateness, in seconds.
    pub mean_s: f64,
    /// The median, in seconds, within 1.6 %.
    pub median_s: f64,
    /// The 99th percentile, in seconds, within 1.6 %.
    pub p99_s: f64,
    /// The maximum, in seconds.
    pub most_s: f64,
}

impl Lateness {
    /// Records that a packet was late by this much.
    pub fn add(&mut self, late: Duration) {
        let nanos = u64::try_from(late.as_nanos()).unwrap_or(u64::MAX);
        self.histogram
            .add(dumbbell_control::units::Duration::from_nanos(nanos));
        self.packets += 1;
        self.sum += late;
        self.most = self.most.max(late);
    }

    /// Returns the lateness, in seconds and within 1.6 %, that this part of all packets does not exceed.
    pub(crate) fn quantile_s(&self, part: f64) -> f64 {
        let time = self.histogram.quantile(part);
        time.map_or(0.0, |time| time.as_secs_f64())
    }

    /// Returns the statistics of all recorded packets.
    pub fn summary(&self) -> Summary {
        Summary {
            packets: self.packets,
            mean_s: self.sum.as_secs_f64() / self.packets.max(1) as f64,
            median_s: self.quantile_s(0.5),
            p99_s: self.quantile_s(0.99).min(self.most.as_secs_f64()),
            most_s: self.most.as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_of_a_hundred_packets() {
        let mut lateness = Lateness::default();
        for micros in 1..=100 {
            lateness.add(Duration::from_micros(micros));
        }
        let summary = lateness.summary();
        assert_eq!(summary.packets, 100);
        assert!((summary.mean_s - 50.5e-6).abs() < 1e-9);
        assert!((summary.median_s - 50e-6).abs() < 1e-6);
        assert!((summary.p99_s - 99e-6).abs() < 2e-6);
        assert!((summary.most_s - 100e-6).abs() < 1e-12);
        assert_eq!(Lateness::default().summary(), Summary::default());
    }
}
