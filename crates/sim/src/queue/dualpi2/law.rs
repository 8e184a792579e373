//! What DualPI2 marks by: the PI controller that couples both queues, and the ramp of L (RFC 9332, appendix A).

use super::DualPi2;

/// The PI controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Law {
    /// The probability p'.
    pub base: f64,
    /// The delay at the last update, in seconds.
    pub delay_before: f64,
}

impl Law {
    /// Updates the probability, given the delay in seconds (`dualpi2_update`).
    pub fn update(&mut self, dualpi2: &DualPi2, delay: f64) {
        let target = dualpi2.target.as_nanos() as f64 / 1e9;
        let change = dualpi2.alpha * (delay - target) + dualpi2.beta * (delay - self.delay_before);
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.delay_before = delay;
    }

    /// The probability p_C.
    pub fn classic(&self) -> f64 {
        self.base * self.base
    }

    /// The probability p_CL.
    pub fn coupled(&self, dualpi2: &DualPi2) -> f64 {
        dualpi2.coupling * self.base
    }
}

impl DualPi2 {
    /// Returns the probability of a mark in L because of its own delay, in nanoseconds (`laqm`).
    pub(super) fn native(&self, delay: u64) -> f64 {
        let (step, ramp) = (self.step.as_nanos(), self.ramp.as_nanos());
        if delay >= step.saturating_add(ramp) {
            1.0
        } else if delay > step {
            (delay - step) as f64 / ramp as f64
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::dualpi2::tests::DUALPI2;
    use crate::time::Time;

    /// RFC 9332, figures 6 and 8: with a delay of 35 ms that was 25 ms, p' grows by 0.15 x 0.02 + 3 x 0.01 =
    /// 0.033; p_C = 0.133^2 = 0.017689, and p_CL = 2 x 0.133.
    #[test]
    fn the_base_probability_is_squared_for_one_queue_and_coupled_to_the_other() {
        let mut law = Law {
            base: 0.1,
            delay_before: 0.025,
        };
        law.update(&DUALPI2, 0.035);
        assert!((law.base - 0.133).abs() < 1e-12);
        assert_eq!(law.delay_before, 0.035);
        assert!((law.classic() - 0.017_689).abs() < 1e-12);
        assert!((law.coupled(&DUALPI2) - 0.266).abs() < 1e-12);
        law.update(&DUALPI2, 9.0);
        assert_eq!(law.base, 1.0);
        law.update(&DUALPI2, 0.0);
        assert_eq!(law.base, 0.0);
    }

    /// The ramp begins above 800 us and ends at 1200 us; a step has no such end (figure 5, and note c).
    #[test]
    fn the_ramp_rises_from_the_step_on() {
        for (us, probability) in [(800, 0.0), (900, 0.25), (1_100, 0.75), (1_200, 1.0)] {
            assert_eq!(DUALPI2.native(us * 1_000), probability, "{us}");
        }
        let step = DualPi2 {
            ramp: Time::ZERO,
            ..DUALPI2
        };
        assert_eq!([799_999, 800_000].map(|ns| step.native(ns)), [0.0, 1.0]);
    }
}
