//! The fraction of segments that are marked, smoothed: DCTCP.Alpha.
//!
//! RFC 8257, section 3.3: over an observation window of about a round trip, M is the marked share of what was
//! delivered, and then `alpha = alpha (1 - g) + g M`. Fractions have 30 fraction bits.
//!
//! ```
//! use dumbbell_control::estimate::marked::Marked;
//! use dumbbell_control::event::{Marks, Sample};
//! use dumbbell_control::units::{Duration, Instant, Ratio, Segments};
//!
//! let mut marked = Marked::new(Ratio::ZERO);
//! let now = Instant::ZERO + Duration::from_millis(60);
//! let sample = Sample::new(now, Segments::whole(4))
//!     .with_rtt(Duration::from_millis(60))
//!     .with_marks(Marks::Counted(Segments::ONE));
//! // The window ends: alpha is a sixteenth of a quarter.
//! marked.count(&sample);
//! let gain = Ratio::from_millionths(62_500);
//! assert!(marked.is_over(&sample, Duration::ZERO));
//! marked.update(gain, now);
//! assert_eq!(marked.alpha().as_f64(), 1.0 / 64.0);
//! ```

use crate::estimate::round::Round;
use crate::event::{Marks, Sample};
use crate::units::{Duration, Instant, Ratio, Segments, muldiv};
use crate::wide::muladd_div;

/// A number between 0 and 1 with 30 fraction bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fraction(u32);

impl Fraction {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(1 << 30);

    /// `floor(2^30 * ratio)`, at most one.
    pub fn of(ratio: Ratio) -> Self {
        let raw = muldiv(1 << 30, ratio.millionths(), Ratio::ONE.millionths());
        Self(raw.min(1 << 30) as u32)
    }

    /// `floor(2^30 * a / b)`, at most one; one for `b = 0`. `a` is at most 2^34.
    pub fn quotient(a: u64, b: u64) -> Self {
        if a >= b {
            return Self::ONE;
        }
        Self(((a << 30) / b) as u32)
    }

    /// `floor(self * other)`.
    pub fn times(self, other: Self) -> Self {
        Self(((u64::from(self.0) * u64::from(other.0)) >> 30) as u32)
    }

    /// The fraction times 2^30.
    pub fn raw(self) -> u32 {
        self.0
    }

    /// The window without half of this fraction: `floor(window * (1 - self / 2))`.
    pub fn half_taken_from(self, window: Segments) -> Segments {
        Segments::from_raw(muldiv(window.raw(), (1 << 31) - self.0, 1 << 31))
    }

    /// The number itself, for people.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(1 << 30)
    }
}

/// The smoothed fraction of marked segments, and the observation window so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    credited: Segments,
    marked: Segments,
    window: Round,
    alpha: Fraction,
}

/// Bits of a window that do not count: 12 fraction bits of a segment remain, and the quotient of two windows fits
/// into 64 bits.
const DROPPED: u32 = 20;

impl Marked {
    /// An estimate that begins at `alpha`.
    pub fn new(alpha: Ratio) -> Self {
        Self {
            credited: Segments::ZERO,
            marked: Segments::ZERO,
            window: Round::default(),
            alpha: Fraction::of(alpha),
        }
    }

    /// Counts what an ACK reports. An echo without a count means that all of it was marked (RFC 8257,
    /// section 3.3, step 3). Returns whether anything was marked.
    #[inline]
    pub fn count(&mut self, sample: &Sample) -> bool {
        let marked = match sample.marks {
            Marks::None => Segments::ZERO,
            Marks::Echoed => sample.credited,
            Marks::Counted(marked) => marked.min(sample.credited),
        };
        self.credited = (self.credited + sample.credited).min(Segments::CAP);
        self.marked = (self.marked + marked).min(Segments::CAP);
        marked > Segments::ZERO
    }

    /// Whether the observation window is over: a segment sent since it began was acknowledged, and `least` has
    /// passed.
    #[inline]
    pub fn is_over(&self, sample: &Sample, least: Duration) -> bool {
        let ended = |rtt| self.window.is_ended_by(sample.now, rtt);
        sample.rtt_of_new_data().is_some_and(ended)
            && sample.now.since(self.window.began()) >= least
    }

    /// Ends the observation window at `now`: `alpha = floor(alpha (1 - gain) + M gain)`, with
    /// `M = floor(2^30 * marked / credited)`. Nothing delivered leaves alpha.
    pub fn update(&mut self, gain: Ratio, now: Instant) {
        let [marked, credited] = [self.marked, self.credited].map(|sum| sum.raw() >> DROPPED);
        if credited > 0 {
            let level = Fraction::quotient(marked, credited);
            let one = Ratio::ONE.millionths();
            let [alpha, level] = [self.alpha, level].map(|fraction| u64::from(fraction.raw()));
            let g = gain.millionths().min(one);
            self.alpha = Fraction(muladd_div(alpha, one - g, level, g, one) as u32);
        }
        self.forget(now);
    }

    /// Ends the observation window at `now`, and leaves alpha.
    pub fn forget(&mut self, now: Instant) {
        self.credited = Segments::ZERO;
        self.marked = Segments::ZERO;
        self.window = Round::beginning(now);
    }

    /// The smoothed fraction.
    #[inline]
    pub fn alpha(&self) -> Fraction {
        self.alpha
    }

    /// Segments delivered and marked in the observation window so far.
    pub fn sums(&self) -> (Segments, Segments) {
        (self.credited, self.marked)
    }

    /// When the observation window began.
    pub fn began(&self) -> Instant {
        self.window.began()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{assert_near, sample, segments};

    const G: Ratio = Ratio::from_millionths(62_500);

    fn counted(now: f64, credited: f64, marked: f64) -> Sample {
        let mut sample = sample(now, 60.0).with_marks(Marks::Counted(segments(marked)));
        sample.credited = segments(credited);
        sample
    }

    /// From 1: a window without marks leaves 15/16; one with 5 of 20 gives 15/16 * 15/16 + 1/64 = 0.89453125.
    #[test]
    fn alpha_follows_the_marked_share() {
        let mut marked = Marked::new(Ratio::ONE);
        marked.count(&sample(100.0, 60.0));
        marked.update(G, sample(100.0, 60.0).now);
        assert_eq!(marked.alpha().as_f64(), 0.9375);
        for (credited, of) in [(12.0, 5.0), (8.0, 0.0)] {
            marked.count(&counted(150.0, credited, of));
        }
        assert_eq!(marked.sums(), (segments(20.0), segments(5.0)));
        marked.update(G, sample(160.0, 60.0).now);
        assert_eq!(marked.alpha().as_f64(), 0.894_531_25);
    }

    /// RFC 8257, section 4.2: alpha reaches 0, and never exceeds 1.
    #[test]
    fn alpha_reaches_both_ends() {
        let mut marked = Marked::new(Ratio::ONE);
        for _ in 0..500 {
            marked.count(&sample(0.0, 60.0));
            marked.update(G, Instant::ZERO);
        }
        assert_eq!(marked.alpha(), Fraction::ZERO);
        for _ in 0..500 {
            // More marks than segments count as all segments.
            marked.count(&counted(0.0, 1.0, 9.0));
            marked.update(G, Instant::ZERO);
        }
        assert_near(marked.alpha().as_f64(), 1.0);
        assert!(marked.alpha() <= Fraction::ONE);
    }

    #[test]
    fn a_window_ends_with_a_segment_sent_since_it_began_and_not_too_early() {
        let mut marked = Marked::new(Ratio::ONE);
        marked.forget(sample(100.0, 0.0).now);
        let over =
            |now, rtt, least| marked.is_over(&sample(now, rtt), Duration::from_millis(least));
        assert!(!over(150.0, 60.0, 0));
        assert!(over(160.0, 60.0, 0));
        assert!(!over(160.0, 60.0, 61));
        assert!(over(161.0, 60.0, 61));
        let without = sample(160.0, 60.0).with_rtt(None);
        assert!(!marked.is_over(&without, Duration::ZERO));
    }

    #[test]
    fn an_echo_without_a_count_means_all() {
        let mut marked = Marked::new(Ratio::ZERO);
        let mut echoed = sample(100.0, 60.0).with_marks(Marks::Echoed);
        echoed.credited = segments(2.0);
        assert!(marked.count(&echoed));
        assert!(!marked.count(&sample(100.0, 60.0)));
        assert_eq!(marked.sums(), (segments(3.0), segments(2.0)));
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let mut marked = Marked::new(Ratio::from_millionths(u32::MAX));
        assert_eq!(marked.alpha(), Fraction::ONE);
        for _ in 0..3 {
            let mut sample = sample(0.0, 0.0).with_marks(Marks::Counted(Segments::MAX));
            sample.credited = Segments::MAX;
            marked.count(&sample);
        }
        marked.update(Ratio::ONE, Instant::ZERO);
        assert_eq!(marked.alpha(), Fraction::ONE);
        assert_eq!(
            Fraction::ONE.half_taken_from(Segments::CAP).raw(),
            Segments::CAP.raw() / 2
        );
        assert_eq!(
            Fraction::ONE.times(Fraction::of(Ratio::HALF)),
            Fraction::of(Ratio::HALF)
        );
    }
}
