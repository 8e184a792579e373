//! BaseRTT: the least round-trip time since the connection began or since a reset.

use core::num::NonZeroU64;

use crate::estimate::rtt::bounded;
use crate::parameter::choice;
use crate::units::Duration;

choice! {
    /// When BaseRTT is forgotten.
    pub enum BaseReset {
        /// At every detected loss, after the decision that uses it.
        OnLoss = "on_loss",
        /// Never (as in Linux).
        Never = "never",
    }
}

/// The minimum of the samples, in nanoseconds, at most 2^37.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaseRtt(Option<NonZeroU64>);

impl BaseRtt {
    /// Takes a sample.
    #[inline]
    pub fn observe(&mut self, sample: Duration) {
        let r = bounded(sample);
        self.0 = Some(match self.0 {
            Some(base) if base <= r => base,
            _ => r,
        });
    }

    /// Forgets the minimum at a loss, if `mode` is [`BaseReset::OnLoss`].
    #[inline]
    pub fn lose(&mut self, mode: BaseReset) {
        if mode == BaseReset::OnLoss {
            self.0 = None;
        }
    }

    /// The minimum in nanoseconds; `None` before the first sample since a reset.
    #[inline]
    pub fn nanos(&self) -> Option<NonZeroU64> {
        self.0
    }

    /// The minimum as a span; `None` before the first sample since a reset.
    pub fn duration(&self) -> Option<Duration> {
        self.0.map(|ns| Duration::from_nanos(ns.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_minimum_since_the_last_reset() {
        let ms = Duration::from_millis;
        let mut base = BaseRtt::default();
        assert_eq!(base.duration(), None);
        for (sample, expected) in [(80, 80), (60, 60), (70, 60)] {
            base.observe(ms(sample));
            assert_eq!(base.duration(), Some(ms(expected)));
        }
        base.lose(BaseReset::Never);
        assert_eq!(base.duration(), Some(ms(60)));
        base.lose(BaseReset::OnLoss);
        assert_eq!(base.duration(), None);
        base.observe(ms(75));
        assert_eq!(base.duration(), Some(ms(75)));
    }
}
