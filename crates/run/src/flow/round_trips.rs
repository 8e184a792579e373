//! The round-trip times of a flow, for their percentiles.

use dumbbell_control::units::Duration;

use crate::histogram::Histogram;

/// The first so many round-trip times all count for the percentiles; of later ones, one in eight.
const FIRST: u64 = 256;
const ONE_OF: u64 = 8;

/// The round-trip times that count.
#[derive(Debug)]
pub(crate) struct RoundTrips {
    histogram: Histogram,
    /// All samples up to this number count.
    all_until: u64,
}

impl Default for RoundTrips {
    fn default() -> Self {
        Self {
            histogram: Histogram::default(),
            all_until: FIRST,
        }
    }
}

impl RoundTrips {
    /// Adds a sample, before which there were `samples`.
    #[inline]
    pub(super) fn add(&mut self, rtt: Duration, samples: u64) {
        if samples < self.all_until || samples.is_multiple_of(ONE_OF) {
            self.histogram.add(rtt);
            if samples == self.all_until.next_multiple_of(ONE_OF) {
                self.histogram.settle();
            }
        }
    }

    /// Forgets all samples so far, of which there are `samples`.
    pub(super) fn restart(&mut self, samples: u64) {
        self.histogram = Histogram::default();
        self.all_until = samples + FIRST;
    }

    /// Fetches the place of a sample like this one.
    #[inline]
    pub(super) fn foresee(&self, rtt: Duration) {
        self.histogram.foresee(rtt);
    }

    pub(crate) fn histogram(&self) -> &Histogram {
        &self.histogram
    }
}
