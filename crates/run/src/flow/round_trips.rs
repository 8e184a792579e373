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

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise, a long run would make room for them one by one.
    #[test]
    fn after_the_first_samples_there_is_room_for_those_near_them() {
        let mut rtts = RoundTrips::default();
        let ms = |number| Duration::from_millis(40 + number % 20);
        for number in 0..=FIRST {
            rtts.add(ms(number), number);
        }
        let room = rtts.histogram.room();
        for number in 1..1000 {
            let samples = FIRST + number * ONE_OF;
            rtts.add(ms(number) + ms(number), samples);
            rtts.add(Duration::from_millis(20 + number % 12), samples);
        }
        assert_eq!(rtts.histogram.room(), room);
        rtts.add(Duration::from_secs(9), FIRST + ONE_OF);
        assert!(rtts.histogram.room() > room);
    }
}
