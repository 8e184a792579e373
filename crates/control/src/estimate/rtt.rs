//! Round-trip time, by one of four statistics.

use core::num::NonZeroU64;

use crate::estimate::round::Round;
use crate::parameter::choice;
use crate::units::{Duration, Instant};

/// The longest RTT that an estimator takes, 2^37 ns or 137 s; a longer sample counts as this.
pub const LONGEST: Duration = Duration::from_nanos(1 << 37);

choice! {
    /// Which RTT a rule compares with BaseRTT.
    pub enum RttMode {
        /// The smoothed RTT of RFC 6298.
        Srtt = "srtt",
        /// The last sample.
        Last = "last",
        /// The mean of the last whole round.
        RoundMean = "round_mean",
        /// The minimum of the last whole round.
        RoundMin = "round_min",
    }
}

/// A sample in nanoseconds, limited to the range from 1 ns to [`LONGEST`].
#[inline]
pub fn bounded(rtt: Duration) -> NonZeroU64 {
    NonZeroU64::new(rtt.min(LONGEST).as_nanos()).unwrap_or(NonZeroU64::MIN)
}

/// A round-trip time in eighths of a nanosecond, so that RFC 6298's gain of 1/8 is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rtt(Option<NonZeroU64>);

impl Rtt {
    /// Smooths by RFC 6298, section 2: `s = 8 r` first, then `s += r - floor(s / 8)`.
    #[inline]
    pub fn smooth(&mut self, sample: Duration) {
        let r = bounded(sample).get();
        let s = match self.0 {
            None => r << 3,
            Some(s) => s.get() - (s.get() >> 3) + r,
        };
        self.0 = NonZeroU64::new(s);
    }

    /// Replaces the RTT with the last sample.
    #[inline]
    pub fn replace(&mut self, sample: Duration) {
        self.0 = NonZeroU64::new(bounded(sample).get() << 3);
    }

    /// Takes a sample by `mode`. `statistic` holds the state of the modes that work by rounds.
    #[inline]
    pub fn observe(
        &mut self,
        mode: RttMode,
        statistic: &mut RoundStatistic,
        now: Instant,
        sample: Duration,
    ) {
        match mode {
            RttMode::Srtt => self.smooth(sample),
            RttMode::Last => self.replace(sample),
            RttMode::RoundMean | RttMode::RoundMin => {
                let least = mode == RttMode::RoundMin;
                if let Some(eighths) = statistic.observe(now, sample, least) {
                    self.0 = Some(eighths);
                }
            }
        }
    }

    /// The round-trip time in eighths of a nanosecond, at most 2^40; `None` before the first.
    #[inline]
    pub fn eighths(&self) -> Option<NonZeroU64> {
        self.0
    }

    /// The round-trip time, rounded down to a nanosecond; `None` before the first.
    pub fn duration(&self) -> Option<Duration> {
        self.0.map(|s| Duration::from_nanos(s.get() >> 3))
    }
}

/// The samples of the round that is not over yet: their sum, or their minimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundStatistic {
    round: Round,
    gathered: u64,
    count: u32,
}

impl RoundStatistic {
    /// Samples of a round beyond this many are left out, so that a sum fits.
    const MOST: u32 = 1 << 23;

    /// Takes a sample. If it ends the round, returns the mean or the minimum of the round, in eighths
    /// of a nanosecond, rounded down.
    #[inline]
    fn observe(&mut self, now: Instant, sample: Duration, least: bool) -> Option<NonZeroU64> {
        let r = bounded(sample).get();
        if self.count == 0 {
            self.gathered = r;
            self.count = 1;
        } else if least {
            self.gathered = self.gathered.min(r);
        } else if self.count < Self::MOST {
            self.gathered += r;
            self.count += 1;
        }
        if !self.round.is_ended_by(now, sample) {
            return None;
        }
        let eighths = (self.gathered << 3) / u64::from(self.count);
        *self = Self {
            round: Round::beginning(now),
            gathered: 0,
            count: 0,
        };
        NonZeroU64::new(eighths)
    }

    /// When the round began, the sum or minimum so far, and the number of samples.
    pub fn parts(&self) -> (Instant, u64, u32) {
        (self.round.began(), self.gathered, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at(n: u64) -> Instant {
        Instant::ZERO + ms(n)
    }

    #[test]
    fn srtt_follows_rfc_6298() {
        // 0.1; 7/8 * 0.1 + 1/8 * 0.2 = 0.1125; 7/8 * 0.1125 + 1/8 * 0.1 = 0.1109375
        let mut rtt = Rtt::default();
        assert_eq!(rtt.duration(), None);
        for (sample, expected) in [(100, 100_000_000), (200, 112_500_000), (100, 110_937_500)] {
            rtt.smooth(ms(sample));
            assert_eq!(rtt.duration(), Some(Duration::from_nanos(expected)));
        }
    }

    #[test]
    fn a_round_gives_its_mean_or_its_minimum_when_it_ends() {
        for (mode, expected) in [(RttMode::RoundMean, 130), (RttMode::RoundMin, 110)] {
            let mut rtt = Rtt::default();
            let mut statistic = RoundStatistic::default();
            // The first sample ends the round that began at the origin of time.
            rtt.observe(mode, &mut statistic, at(1_000), ms(100));
            assert_eq!(rtt.duration(), Some(ms(100)));
            rtt.observe(mode, &mut statistic, at(1_050), ms(110));
            rtt.observe(mode, &mut statistic, at(1_100), ms(150));
            assert_eq!(rtt.duration(), Some(ms(100)), "sent before the round began");
            rtt.observe(mode, &mut statistic, at(1_130), ms(130));
            assert_eq!(rtt.duration(), Some(ms(expected)));
        }
    }

    #[test]
    fn samples_are_bounded() {
        let mut rtt = Rtt::default();
        rtt.replace(Duration::ZERO);
        assert_eq!(rtt.duration(), Some(Duration::from_nanos(1)));
        rtt.smooth(Duration::MAX);
        rtt.replace(Duration::MAX);
        assert_eq!(rtt.duration(), Some(LONGEST));
    }
}
