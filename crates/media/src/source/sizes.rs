//! How the sizes of frames vary around the mean that the target rate gives.

use std::sync::Arc;

/// A source of random numbers, by which the caller decides how they are made.
pub trait Uniform {
    /// Returns a number u, uniform over 0 < u <= 1.
    fn positive_uniform(&mut self) -> f64;
}

/// How the sizes of frames vary.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All have the mean.
    Constant,
    /// Laplace-distributed around the mean, with this scale as a fraction of it (RFC 8593, section 5.3): the standard
    /// deviation is sqrt(2) times that. At least a tenth of the mean.
    Laplace(f64),
    /// Lognormally distributed, with this standard deviation of the natural logarithm.
    Lognormal(f64),
    /// As recorded, one after the other and from the beginning again, scaled to the mean. The record also says which
    /// frames are key frames.
    Recorded(Recorded),
}

/// Frames that were recorded. Clones share them.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    frames: Arc<[RecordedFrame]>,
    mean: f64,
}

/// A recorded frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedFrame {
    /// Its size in bytes, at least 1.
    pub bytes: u32,
    /// Whether it is a key frame.
    pub key: bool,
}

impl Recorded {
    /// Makes a record; `None` without frames, or if one has no bytes.
    pub fn new(frames: Vec<RecordedFrame>) -> Option<Self> {
        let valid = !frames.is_empty() && frames.iter().all(|frame| frame.bytes > 0);
        let sum: f64 = frames.iter().map(|frame| f64::from(frame.bytes)).sum();
        let mean = sum / frames.len() as f64;
        valid.then(|| Self {
            frames: frames.into(),
            mean,
        })
    }

    /// Returns the frames.
    pub fn frames(&self) -> &[RecordedFrame] {
        &self.frames
    }

    /// Returns frame `number`'s size as a multiple of the mean, and whether it is a key frame.
    pub(super) fn frame(&self, number: u32) -> (f64, bool) {
        let frame = self.frames[number as usize % self.frames.len()];
        (f64::from(frame.bytes) / self.mean, frame.key)
    }
}

/// The smallest frame of a law, as a fraction of the mean.
const LEAST: f64 = 0.1;

impl Sizes {
    /// Draws the size of a frame as a multiple of the mean; 1 for a record, whose sizes are not drawn.
    pub(super) fn draw(&self, random: &mut impl Uniform) -> f64 {
        match self {
            Self::Constant | Self::Recorded(_) => 1.0,
            Self::Laplace(scale) => {
                // The inverse of the distribution function, on either side of the median.
                let u = random.positive_uniform() - 0.5;
                let size = -libm::log((1.0 - 2.0 * u.abs()).max(f64::MIN_POSITIVE));
                (1.0 + scale * size.copysign(u)).max(LEAST)
            }
            Self::Lognormal(sigma) => {
                // Box and Muller (1958). The mean of exp(m + s N) is exp(m + s^2 / 2).
                let radius = libm::sqrt(-2.0 * libm::log(random.positive_uniform()));
                let angle = core::f64::consts::TAU * random.positive_uniform();
                libm::exp(sigma * radius * libm::cos(angle) - sigma * sigma / 2.0)
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A linear congruential generator: enough for moments.
    pub(in crate::source) struct Draws(pub(in crate::source) u64);

    impl Uniform for Draws {
        fn positive_uniform(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 11) + 1) as f64 / (1_u64 << 53) as f64
        }
    }

    fn moments(sizes: &Sizes) -> (f64, f64) {
        let mut random = Draws(7);
        let draws: Vec<f64> = (0..200_000).map(|_| sizes.draw(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / 2e5;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 2e5;
        (mean, variance.sqrt())
    }

    /// A Laplace law of scale b has the deviation sqrt(2) b; a lognormal one of mean 1 and sigma 0.25 has
    /// sqrt(exp(0.0625) - 1) = 0.2540. The tolerances are five standard errors.
    #[test]
    fn laws_have_the_mean_1_and_the_stated_deviation() {
        for (sizes, deviation) in [
            (Sizes::Constant, 0.0),
            (Sizes::Laplace(0.1), 0.141_42),
            (Sizes::Lognormal(0.25), 0.254),
        ] {
            let (mean, found) = moments(&sizes);
            assert!((mean - 1.0).abs() < 0.003, "{sizes:?}: {mean}");
            assert!((found - deviation).abs() < 0.004, "{sizes:?}: {found}");
        }
    }

    #[test]
    fn no_drawn_frame_is_smaller_than_a_tenth() {
        let mut random = Draws(1);
        let wide = Sizes::Laplace(1.0);
        let least = (0..10_000)
            .map(|_| wide.draw(&mut random))
            .fold(9.0, f64::min);
        assert_eq!(least, 0.1);
    }
}
