//! Incipient congestion: the backlog with two thresholds. Between them the previous verdict stays
//! (Biaz and Vaidya, "Distinguishing Congestion Losses from Wireless Transmission Losses", 1998; LDED
//! in SARBE, section 2, equation 1).

use crate::estimate::backlog;
use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::rtt::Rtt;
use crate::parameter::{Kind, parameters};
use crate::units::Segments;

parameters! {
    /// The two thresholds of the backlog.
    pub struct Thresholds {
        /// Backlog at which congestion is over, in segments (SARBE, section 2: 1).
        alpha: Segments = Segments::whole(1), Kind::Segments(Segments::ZERO, Segments::CAP);
        /// Backlog at which congestion begins, in segments (SARBE, section 2: 3).
        beta: Segments = Segments::whole(3), Kind::Segments(Segments::ZERO, Segments::CAP);
    }
}

/// Whether congestion has begun; `false` at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Incipient(bool);

impl Incipient {
    /// Updates by LDED's rule: congestion begins at N >= beta and is over at N <= alpha.
    #[inline]
    pub fn observe(&mut self, thresholds: &Thresholds, cwnd: Segments, rtt: &Rtt, base: &BaseRtt) {
        if backlog::reaches(thresholds.beta, cwnd, rtt, base) {
            self.0 = true;
        } else if !backlog::exceeds(thresholds.alpha, cwnd, rtt, base) {
            self.0 = false;
        }
    }

    /// Updates by the rule of Biaz and Vaidya's predictor: congestion begins at N > beta and is over at
    /// N < alpha.
    #[inline]
    pub fn observe_strictly(
        &mut self,
        thresholds: &Thresholds,
        cwnd: Segments,
        rtt: &Rtt,
        base: &BaseRtt,
    ) {
        if backlog::exceeds(thresholds.beta, cwnd, rtt, base) {
            self.0 = true;
        } else if !backlog::reaches(thresholds.alpha, cwnd, rtt, base) {
            self.0 = false;
        }
    }

    /// Whether congestion has begun.
    #[inline]
    pub fn is_on(self) -> bool {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::span;

    /// The verdicts after each of these RTTs, in ms, at a constant window and an RTTmin of 100 ms.
    fn verdicts<const N: usize>(strict: bool, cwnd: u32, rtts: [f64; N]) -> [bool; N] {
        let (mut incipient, thresholds) = (Incipient::default(), Thresholds::default());
        let (mut rtt, mut base) = (Rtt::default(), BaseRtt::default());
        base.observe(span(100.0));
        let cwnd = Segments::whole(cwnd);
        let verdict = |ms: f64| {
            rtt.replace(span(ms));
            if strict {
                incipient.observe_strictly(&thresholds, cwnd, &rtt, &base);
            } else {
                incipient.observe(&thresholds, cwnd, &rtt, &base);
            }
            incipient.is_on()
        };
        rtts.map(verdict)
    }

    #[test]
    fn congestion_begins_at_beta_and_is_over_at_alpha() {
        // N = 3.333, 2.609, 0.769.
        assert_eq!(
            verdicts(false, 20, [120.0, 115.0, 104.0]),
            [true, true, false]
        );
        assert_eq!(verdicts(false, 20, [115.0]), [false]);
    }

    #[test]
    fn a_backlog_equal_to_a_threshold_counts_for_lded_only() {
        // 4 * (1 - 100 / 400) = 3; 6 * (1 - 100 / 300) = 4 and 6 * (1 - 100 / 120) = 1.
        assert_eq!(verdicts(false, 4, [400.0]), [true]);
        assert_eq!(verdicts(true, 4, [400.0]), [false]);
        assert_eq!(verdicts(false, 6, [300.0, 120.0]), [true, false]);
        assert_eq!(verdicts(true, 6, [300.0, 120.0]), [true, true]);
    }
}
