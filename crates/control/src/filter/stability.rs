//! The stability filter: a moving average whose gain follows how much its samples vary.
//!
//! Kim and Noble, "SANE: stable agile network estimation", 2001, as given in SARBE ("Enhanced TCP with
//! End-to-End Bandwidth and Loss Differentiation Estimate", section 3.1, equations 3 and 4):
//! `U = g U + (1 - g) |B - B_prev|`, `a = U / max(U)`, `e = a e + (1 - a) B`. The maximum is taken over
//! a window of the last U, the present one included. While U is that maximum, the estimate does not
//! move.

use crate::snapshot::Snapshot;
use crate::units::{Rate, Ratio};
use crate::wide::{muladd_div, muldiv};

/// A filter after its first sample. 160 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stability {
    estimate: Rate,
    /// The sample before.
    previous: Rate,
    /// The last instabilities, in a ring. Those not known yet are zero, which means no instability.
    past: [u64; MOST as usize],
    next: u8,
}

/// The most instabilities that are compared.
pub const MOST: u8 = 16;

const _: () = assert!(size_of::<Stability>() <= 160);

impl Stability {
    /// A filter that starts with a sample and without instability.
    pub fn beginning(sample: Rate) -> Self {
        Self {
            estimate: sample,
            previous: sample,
            past: [0; MOST as usize],
            next: 1,
        }
    }

    /// One step. `gain` is the weight of the past instability, and `window`, 1 to [`MOST`], is the
    /// number of instabilities that are compared. Every operation is an exact floor:
    /// `U = floor(gain U + (1 - gain) |B - B_prev|)`; U and the greatest U are shifted right until the
    /// greatest fits in 32 bits; then `e` moves towards B by `floor(|B - e| (Umax - U) / Umax)`.
    #[inline]
    pub fn step(&mut self, sample: Rate, gain: Ratio, window: u8) {
        let one = Ratio::ONE.millionths();
        let gain = gain.millionths().min(one);
        let change = sample.raw().abs_diff(self.previous.raw());
        let now = muladd_div(self.instability(window), gain, change, one - gain, one);
        let place = self.next % window.clamp(1, MOST);
        self.past[usize::from(place)] = now;
        self.next = place + 1;
        self.previous = sample;
        let greatest = self.greatest(window);
        if greatest == 0 {
            self.estimate = sample;
            return;
        }
        let shift = 32u32.saturating_sub(greatest.leading_zeros());
        let [now, greatest] = [now, greatest].map(|u| (u >> shift) as u32);
        let distance = sample.raw().abs_diff(self.estimate.raw());
        let way = muldiv(distance, greatest - now, greatest);
        self.estimate = Rate::from_raw(if sample > self.estimate {
            self.estimate.raw() + way
        } else {
            self.estimate.raw() - way
        });
    }

    /// The estimate.
    #[inline]
    pub fn output(&self) -> Rate {
        self.estimate
    }

    /// The latest instability, U.
    fn instability(&self, window: u8) -> u64 {
        let last = self.next.clamp(1, window.clamp(1, MOST)) - 1;
        self.past[usize::from(last)]
    }

    fn greatest(&self, window: u8) -> u64 {
        let known = &self.past[..usize::from(window.clamp(1, MOST))];
        known.iter().fold(0, |most, u| most.max(*u))
    }
}

impl Snapshot for Stability {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        out("estimate", self.estimate.raw());
        out("previous", self.previous.raw());
        out("next", self.next.into());
        for instability in self.past {
            out("instability", instability);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{assert_near, bit_rate};

    const GAIN: Ratio = Ratio::from_millionths(800_000);

    /// U and the estimate, in Mbit/s, after each sample.
    fn follow<const N: usize>(samples: [f64; N]) -> [[f64; 2]; N] {
        let mut filter = Stability::beginning(bit_rate(samples[0] * 1e6));
        let mut first = true;
        samples.map(|sample| {
            if !first {
                filter.step(bit_rate(sample * 1e6), GAIN, 9);
            }
            first = false;
            let instability = Rate::from_raw(filter.instability(9));
            [instability, filter.output()].map(|rate| rate.as_bits_per_second() / 1e6)
        })
    }

    #[test]
    fn the_estimate_moves_only_while_the_instability_is_below_its_maximum() {
        let trace = follow([1.0, 1.0, 1.5, 1.5, 1.5, 1.0]);
        let expected = [
            [0.0, 1.0],
            [0.0, 1.0],
            [0.1, 1.0],
            [0.08, 1.1],
            [0.064, 1.244],
            [0.1512, 1.244],
        ];
        for (step, expected) in trace.into_iter().zip(expected) {
            assert_near(step[0], expected[0]);
            assert_near(step[1], expected[1]);
        }
    }

    #[test]
    fn the_estimate_converges_after_a_step_of_the_bandwidth() {
        let trace = follow([1.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
        let expected = [1.5, 1.5, 1.3, 1.012, 0.762144, 0.607374, 0.535184, 0.509223];
        for (step, expected) in trace.into_iter().zip(expected) {
            assert_near(step[1], expected);
        }
    }

    #[test]
    fn the_greatest_is_forgotten_after_the_window() {
        let mut filter = Stability::beginning(bit_rate(1e6));
        filter.step(bit_rate(1.5e6), GAIN, 3);
        // Of 0.08, 0.064, 0.0512: the greatest of the last three is 0.08.
        for _ in 0..3 {
            filter.step(bit_rate(1.5e6), GAIN, 3);
        }
        assert_near(
            Rate::from_raw(filter.greatest(3)).as_bits_per_second(),
            80_000.0,
        );
        // With a window of one, U is always the maximum: the estimate stays while U is not zero.
        let mut filter = Stability::beginning(bit_rate(1e6));
        for _ in 0..9 {
            filter.step(bit_rate(1.5e6), GAIN, 1);
        }
        assert_eq!(filter.output(), bit_rate(1e6));
    }

    #[test]
    fn the_extremes_fit() {
        let mut filter = Stability::beginning(Rate::ZERO);
        for _ in 0..40 {
            for sample in [Rate::CAP, Rate::ZERO] {
                filter.step(sample, Ratio::ZERO, MOST);
                assert!(filter.output() <= Rate::CAP);
            }
        }
        filter.step(Rate::CAP, Ratio::from_millionths(u32::MAX), 255);
        assert!(filter.output() <= Rate::CAP);
    }
}
