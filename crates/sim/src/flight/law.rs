//! Distributions of random delays.

use super::correlated::share_below;
use crate::time::Time;

/// The distribution of a random delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Every delay between two bounds is equally likely.
    Uniform {
        /// The shortest delay.
        from: Time,
        /// The longest delay.
        to: Time,
    },
    /// The normal distribution. Delays that would be negative are zero.
    Normal {
        /// The mean, before negative delays are set to zero.
        mean: Time,
        /// The standard deviation.
        deviation: Time,
    },
    /// The exponential distribution.
    Exponential {
        /// The mean.
        mean: Time,
    },
}

impl Law {
    /// Returns the delay in nanoseconds that belongs to a standard normal number: both have the same share
    /// of their distributions below them.
    pub(super) fn nanos(self, z: f64) -> u64 {
        let ns = |time: Time| time.as_nanos() as f64;
        let delay = match self {
            Self::Uniform { from, to } => ns(from) + (ns(to) - ns(from)) * share_below(z),
            Self::Normal { mean, deviation } => ns(mean) + ns(deviation) * z,
            // The share above z is that below -z, which is above zero for all z that are drawn.
            Self::Exponential { mean } => -ns(mean) * libm::log(share_below(-z)),
        };
        // The cast saturates, and makes negative delays zero.
        libm::round(delay) as u64
    }

    pub(super) fn fault(self) -> Option<&'static str> {
        match self {
            Self::Uniform { from, to } if from > to => {
                Some("the shortest delay of a jitter must not be above the longest one")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Time = Time::from_millis(1);

    /// 69.146 % of the numbers are below 0.5; -ln(1 - 0.691462) = 1.175912.
    #[test]
    fn delays_by_their_share() {
        let uniform = Law::Uniform {
            from: MS,
            to: Time::from_millis(3),
        };
        assert_eq!(uniform.nanos(0.0), 2_000_000);
        assert_eq!(uniform.nanos(0.5) / 1_000, 2_382);
        assert_eq!(
            (uniform.nanos(-9.0), uniform.nanos(9.0)),
            (1_000_000, 3_000_000)
        );
        let normal = Law::Normal {
            mean: MS,
            deviation: MS,
        };
        assert_eq!(
            [-2.0, -0.5, 2.0].map(|z| normal.nanos(z)),
            [0, 500_000, 3_000_000]
        );
        let exponential = Law::Exponential { mean: MS };
        assert_eq!(exponential.nanos(0.5) / 1_000, 1_175);
        assert_eq!(exponential.nanos(-9.0), 0);
    }

    #[test]
    fn bounds_are_in_order() {
        let law = |from, to| Law::Uniform { from, to };
        assert!(law(MS, MS).fault().is_none());
        assert!(law(MS, Time::ZERO).fault().is_some());
    }
}
