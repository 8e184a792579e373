//! The average loss interval (RFC 5348, sections 5.4 and 5.5).
//!
//! | quantity | rule |
//! |---|---|
//! | weights | 1, 1, 1, 1, .8, .6, .4, .2, starting with the newest interval |
//! | mean with the open interval | I_0 to I_(m-1) of m closed intervals, at most 8 |
//! | mean without it | I_1 to I_m |
//! | p | 1 over the larger of the two means |
//! | discount | if I_0 > 2 mean: older intervals are weighted by 2 mean/I_0, at least the threshold; the factor is kept at each loss event |

use super::config::{DiscountMean, Discounting};

/// The number of closed intervals that count.
pub const INTERVALS: usize = 8;

const WEIGHTS: [f64; INTERVALS] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// The closed loss intervals, in packets, each with its discount factor.
#[derive(Clone, Copy, Debug)]
pub struct Intervals {
    /// The closed intervals, the newest first.
    closed: [Interval; INTERVALS],
    count: usize,
    discounting: Option<Discounting>,
}

#[derive(Clone, Copy, Debug)]
struct Interval {
    length: f64,
    discount: f64,
}

/// A weighted sum of lengths, and the sum of the weights.
#[derive(Clone, Copy, Default)]
struct Total {
    packets: f64,
    weight: f64,
}

impl Total {
    fn add(&mut self, length: f64, weight: f64) {
        self.packets += length * weight;
        self.weight += weight;
    }

    fn mean(self) -> f64 {
        self.packets / self.weight
    }
}

impl Intervals {
    /// Makes an empty history.
    pub const fn new(discounting: Option<Discounting>) -> Self {
        let none = Interval {
            length: 0.0,
            discount: 1.0,
        };
        Self {
            closed: [none; INTERVALS],
            count: 0,
            discounting,
        }
    }

    /// Returns the number of closed intervals, at most [`INTERVALS`].
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the length of a closed interval; index 0 is the newest.
    pub fn length(&self, index: usize) -> Option<f64> {
        self.closed[..self.count].get(index).map(|one| one.length)
    }

    /// Closes the open interval at this length (at least one packet), when a loss event begins. The
    /// oldest interval is forgotten.
    pub fn close(&mut self, length: f64) {
        let discount = self.discount(length);
        for one in &mut self.closed {
            one.discount *= discount;
        }
        self.closed.rotate_right(1);
        self.closed[0] = Interval {
            length: length.max(1.0),
            discount: 1.0,
        };
        self.count = (self.count + 1).min(INTERVALS);
    }

    /// Merges an interval with the next older one, when the loss event between them is revoked. Index 0
    /// is the open interval, whose length is stored elsewhere.
    pub fn merge(&mut self, index: usize) {
        if index >= self.count {
            return;
        }
        if index > 0 {
            self.closed[index - 1].length += self.closed[index].length;
        }
        self.closed[index..].rotate_left(1);
        self.count -= 1;
    }

    /// Moves the start of the loss event between an interval and the next older one by `packets` packets
    /// to later.
    pub fn delay(&mut self, index: usize, packets: f64) {
        if index > 0 && index <= self.count {
            let newer = &mut self.closed[index - 1].length;
            *newer = (*newer - packets).max(1.0);
        }
        if index < self.count {
            self.closed[index].length += packets;
        }
    }

    /// Returns the loss event rate if the open interval has this length; 0 if no interval is closed.
    pub fn loss_event_rate(&self, open: f64) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let with = self.with_open(open, self.discount(open)).mean();
        (1.0 / with.max(self.closed_only().mean())).min(1.0)
    }

    /// Returns the factor by which an open interval of this length discounts the closed ones; 1 means no
    /// discount.
    fn discount(&self, open: f64) -> f64 {
        let Some(discounting) = self.discounting.filter(|_| self.count == INTERVALS) else {
            return 1.0;
        };
        let closed = self.closed_only().mean();
        let mean = match discounting.mean {
            DiscountMean::Closed => closed,
            DiscountMean::WithOpen => closed.max(self.with_open(open, 1.0).mean()),
        };
        if open > 2.0 * mean {
            (2.0 * mean / open).max(discounting.threshold)
        } else {
            1.0
        }
    }

    fn with_open(&self, open: f64, discount: f64) -> Total {
        let mut total = Total::default();
        total.add(open, WEIGHTS[0]);
        for (one, weight) in self.closed[..self.count - 1].iter().zip(&WEIGHTS[1..]) {
            total.add(one.length, weight * one.discount * discount);
        }
        total
    }

    fn closed_only(&self) -> Total {
        let mut total = Total::default();
        for (one, weight) in self.closed[..self.count].iter().zip(WEIGHTS) {
            total.add(one.length, weight * one.discount);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a history of intervals I_1 to I_m, the newest first.
    fn intervals(discounting: Option<Discounting>, lengths: &[f64]) -> Intervals {
        let mut intervals = Intervals::new(None);
        for &length in lengths.iter().rev() {
            intervals.close(length);
        }
        intervals.discounting = discounting;
        intervals
    }

    fn discounting(threshold: f64, mean: DiscountMean) -> Option<Discounting> {
        Some(Discounting { threshold, mean })
    }

    #[track_caller]
    fn assert_close(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-6, "{value}");
    }

    #[test]
    fn a_short_open_interval_does_not_count() {
        let equal = intervals(None, &[100.0; 8]);
        assert_close(equal.loss_event_rate(10.0), 0.01);
        assert_close(equal.loss_event_rate(300.0), 0.0075);
    }

    #[test]
    fn older_intervals_weigh_less() {
        let growing = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0];
        assert_close(intervals(None, &growing).loss_event_rate(50.0), 3.0 / 110.0);
    }

    #[test]
    fn one_closed_interval_is_the_mean() {
        assert_close(intervals(None, &[40.0]).loss_event_rate(5.0), 0.025);
    }

    #[test]
    fn a_long_open_interval_discounts_older_ones() {
        let of = |mean| intervals(discounting(0.25, mean), &[100.0; 8]).loss_event_rate(300.0);
        assert_close(of(DiscountMean::Closed), 0.006_842_11);
        assert_close(of(DiscountMean::WithOpen), 0.007_313_43);
    }

    #[test]
    fn the_discount_has_a_lower_limit() {
        let of = |threshold| {
            let discounting = discounting(threshold, DiscountMean::Closed);
            intervals(discounting, &[100.0; 8]).loss_event_rate(1000.0)
        };
        assert_close(of(0.25), 0.002);
        assert_close(of(0.5), 0.002_8);
    }

    #[test]
    fn a_discount_is_kept_by_the_intervals_to_which_it_was_applied() {
        let mut intervals = intervals(discounting(0.25, DiscountMean::Closed), &[100.0; 8]);
        intervals.close(400.0);
        // DF = 2 * 100/400 = .5: (400 + .5 * 100 * (1+1+1+.8+.6+.4+.2))/(1 + .5 * 5).
        assert_close(intervals.loss_event_rate(1.0), 3.5 / 650.0);
    }

    #[test]
    fn a_revoked_loss_event_merges_two_intervals() {
        let mut intervals = intervals(None, &[10.0, 20.0, 30.0]);
        intervals.merge(1);
        assert_eq!(intervals.length(0), Some(30.0));
        assert_eq!(intervals.length(1), Some(30.0));
        assert_eq!(intervals.count(), 2);
        intervals.merge(0);
        assert_eq!((intervals.length(0), intervals.count()), (Some(30.0), 1));
        intervals.merge(0);
        assert_eq!(intervals.loss_event_rate(99.0), 0.0);
        intervals.merge(0);
        assert_eq!(intervals.count(), 0);
    }

    #[test]
    fn a_later_start_moves_packets_to_the_older_interval() {
        let mut intervals = intervals(None, &[10.0, 20.0]);
        intervals.delay(1, 4.0);
        assert_eq!(intervals.length(0), Some(6.0));
        assert_eq!(intervals.length(1), Some(24.0));
        intervals.delay(0, 2.0);
        assert_eq!(intervals.length(0), Some(8.0));
    }
}
