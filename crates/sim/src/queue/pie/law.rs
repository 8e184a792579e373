//! The probability of PIE, and how it changes (RFC 8033, section 4.2).

use super::Pie;

/// The probability and what it follows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    pub active: bool,
    pub probability: f64,
    /// The sum of the probabilities since the last drop.
    pub accumulated: f64,
    /// In seconds.
    pub delay: f64,
    /// The delay at the last update.
    pub delay_before: f64,
    /// What is left of the burst allowance, in nanoseconds.
    pub burst: u64,
}

impl Law {
    /// Updates the probability (`calculate_drop_prob`).
    pub fn update(&mut self, pie: &Pie) {
        let target = pie.target.as_nanos() as f64 / 1e9;
        let change =
            pie.alpha * (self.delay - target) + pie.beta * (self.delay - self.delay_before);
        let steps = [
            (0.000_001, 2048.0),
            (0.000_01, 512.0),
            (0.000_1, 128.0),
            (0.001, 32.0),
            (0.01, 8.0),
            (0.1, 2.0),
        ];
        let step = steps.iter().find(|(below, _)| self.probability < *below);
        let change = match step {
            Some((_, divisor)) => change / divisor,
            None => change.min(0.02),
        };
        self.probability += change;
        if self.delay == 0.0 && self.delay_before == 0.0 {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.delay_before = self.delay;
        self.burst = self.burst.saturating_sub(pie.update.as_nanos());
    }

    /// Returns whether there is no congestion, so that the burst allowance begins anew.
    pub fn is_calm(&self, pie: &Pie) -> bool {
        let half = pie.target.as_nanos() as f64 / 2e9;
        self.probability == 0.0 && self.delay < half && self.delay_before < half
    }

    /// Returns whether there is no congestion any longer.
    pub fn is_over(&self) -> bool {
        self.probability == 0.0 && self.delay == 0.0 && self.delay_before == 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::pie::tests::PIE;

    /// RFC 8033, appendix B: with a delay of 35 ms that was 25 ms, p = 0.125 x 0.02 + 1.25 x 0.01 = 0.015,
    /// before it is divided.
    #[test]
    fn the_step_depends_on_the_probability() {
        let after = |probability| {
            let mut law = Law {
                probability,
                delay: 0.035,
                delay_before: 0.025,
                ..Law::default()
            };
            law.update(&PIE);
            assert_eq!(law.delay_before, 0.035);
            law.probability
        };
        for (probability, change) in [
            (0.0, 0.000_007_324_218_75),
            (0.000_005, 0.000_029_296_875),
            (0.000_05, 0.000_117_187_5),
            (0.000_5, 0.000_468_75),
            (0.005, 0.001_875),
            (0.05, 0.007_5),
            (0.5, 0.015),
            (0.999, 0.001),
        ] {
            let found = after(probability);
            assert!(
                (found - probability - change).abs() < 1e-12,
                "{probability} {found}"
            );
        }
    }

    /// A delay of 115 ms that was 15 ms gives 0.0125 + 0.125; at 0.1 and more only 0.02 is added. A delay of
    /// zero takes 0.125 x 0.015 away; then 2 % of the rest.
    #[test]
    fn the_step_is_bounded_and_the_probability_decays() {
        let mut law = Law {
            probability: 0.3,
            delay: 0.115,
            delay_before: 0.015,
            ..Law::default()
        };
        law.update(&PIE);
        assert!((law.probability - 0.32).abs() < 1e-12);
        (law.delay, law.delay_before) = (0.0, 0.0);
        law.update(&PIE);
        assert!((law.probability - (0.32 - 0.001_875) * 0.98).abs() < 1e-12);
    }
}
