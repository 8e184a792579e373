//! Round-trip times, summed up.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Round-trip times, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTrips {
    /// How many.
    pub count: u64,
    /// The least.
    pub min_s: f64,
    /// The mean.
    pub mean_s: f64,
    /// The last.
    pub last_s: f64,
}

impl RoundTrips {
    /// Adds one.
    pub(crate) fn add(&mut self, rtt: Duration) {
        let seconds = rtt.as_secs_f64();
        self.min_s = match self.count {
            0 => seconds,
            _ => self.min_s.min(seconds),
        };
        self.count += 1;
        self.mean_s += (seconds - self.mean_s) / self.count as f64;
        self.last_s = seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_and_the_extremes_of_round_trip_times() {
        let mut all = RoundTrips::default();
        for ms in [40, 20, 60] {
            all.add(Duration::from_millis(ms));
        }
        assert_eq!((all.count, all.min_s, all.last_s), (3, 0.02, 0.06));
        assert!((all.mean_s - 0.04).abs() < 1e-12);
    }
}
