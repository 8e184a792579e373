//! Measures how steadily the flows of a run send.

use dumbbell_control::hint::cold_path;
use dumbbell_scenario as scenario;
use dumbbell_sim::Time;

use crate::time::time;

/// Counts what a flow sends in each bin. Nothing looks at the flow when a bin ends: the bin ends at the flow's first event
/// after that, so that its ends may run ahead of the network. A packet that is sent exactly when a bin ends belongs to it.
#[derive(Clone, Copy)]
pub(crate) struct Bins {
    length: Time,
    /// When the current bin ends; before the first bin, when that begins.
    end: Time,
    /// The packets that the flow had sent when the current bin began; `None` before the first bin.
    sent: Option<u64>,
    count: u64,
    sum: u64,
    squares: u64,
}

impl Bins {
    /// Creates the bins of a flow. The first begins at `from`.
    pub(crate) fn new(variation: &scenario::Variation, from: Time) -> Self {
        Self {
            length: time(variation.bin),
            end: from,
            sent: None,
            count: 0,
            sum: 0,
            squares: 0,
        }
    }

    /// Ends the bins that end before `now`. `sent` returns the number of packets that the flow has sent so far.
    #[inline(always)]
    pub(crate) fn pass(&mut self, now: Time, sent: impl FnOnce() -> u64) {
        if self.end < now {
            cold_path();
            self.end_before(now, sent());
        }
    }

    #[inline(never)]
    fn end_before(&mut self, now: Time, sent: u64) {
        while self.end < now {
            if let Some(before) = self.sent.replace(sent) {
                self.add(sent - before);
            }
            self.end += self.length;
        }
    }

    fn add(&mut self, packets: u64) {
        self.count += 1;
        self.sum += packets;
        self.squares += packets * packets;
    }

    /// The coefficient of variation of the packets that the flow sent per bin, if the run ends at `end` and it has sent
    /// this many: population standard deviation divided by the mean; `None` if no packets were sent.
    pub(crate) fn variation(mut self, end: Time, sent: u64) -> Option<f64> {
        self.end_before(end + Time::from_nanos(1), sent);
        let (count, sum) = (self.count as f64, self.sum as f64);
        let variance = (count * self.squares as f64 - sum * sum).max(0.0);
        (self.sum > 0).then(|| variance.sqrt() / sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(from: u64) -> Bins {
        let bin = dumbbell_control::units::Duration::from_secs(1);
        let from_bin = scenario::Variation { bin, from: bin };
        Bins::new(&from_bin, Time::from_secs(from))
    }

    #[test]
    fn the_variation_of_bins_with_8_10_and_12_packets() {
        let mut bins = seconds(0);
        let before = Time::from_millis(999);
        assert_eq!(bins.variation(before, 0), None);
        for (end, sent) in [(1, 0), (2, 8), (3, 18), (4, 30)] {
            bins.pass(Time::from_secs(end), || sent);
        }
        // The variance is 8/3 and the mean is 10.
        let found = bins.variation(Time::from_secs(3), 30);
        assert!(
            found.is_some_and(|found| (found - 0.163_299).abs() < 1e-6),
            "{found:?}"
        );
    }

    /// Bins of a second from 2 s on; a packet at each of these tenths of seconds.
    #[test]
    fn packets_belong_to_the_bin_at_whose_end_they_are_sent() {
        let mut bins = seconds(2);
        for (sent, tenths) in (0..).zip([5, 20, 21, 29, 30, 31, 67]) {
            bins.pass(Time::from_millis(100 * tenths), || sent);
        }
        // 2.1, 2.9 and 3.0 s in the first, 3.1 s in the second, none in two, and 6.7 s in one that has not ended.
        assert_eq!((bins.count, bins.sum, bins.squares), (4, 4, 10));
        assert_eq!((bins.end, bins.sent), (Time::from_secs(7), Some(6)));
        bins.pass(Time::from_secs(7), || 7);
        assert_eq!(bins.count, 4, "the run ends before the bin does");
        bins.pass(Time::from_nanos(7_000_000_001), || 7);
        assert_eq!((bins.count, bins.sum), (5, 5));
    }
}
