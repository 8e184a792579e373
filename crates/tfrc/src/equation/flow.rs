//! The throughput of a window-controlled flow, in packets per second.

use super::{OutOfReach, Period, inverse};

/// The parameters of a flow in the equations, except its loss rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// R: the mean round-trip time in seconds; above 0.
    pub rtt: f64,
    /// T0: the first timeout of a series in seconds; at least 0.
    pub rto: f64,
    /// b: the number of packets acknowledged by one ACK; at least 1.
    pub packets_per_ack: f64,
    /// g: the mean share of the window that remains after a loss; in [0, 1). It is 1/2 for Reno and
    /// [`Cut::mean`](super::Cut::mean) for Veno.
    pub cut: f64,
    /// Wm: the largest window in packets; infinite if the window is unlimited.
    pub max_window: f64,
}

impl Flow {
    /// Makes a TCP Reno flow with an ACK for every packet and an unlimited window.
    pub const fn reno(rtt: f64, rto: f64) -> Self {
        Self {
            rtt,
            rto,
            packets_per_ack: 1.0,
            cut: 0.5,
            max_window: f64::INFINITY,
        }
    }

    /// Returns the period between two losses, without timeouts and without a limit on the window.
    pub fn period(&self, p: f64) -> Period {
        Period::new(p, self.packets_per_ack, self.cut)
    }

    /// Returns the throughput without timeouts and window limit (TFRC Veno, equation 14, corrected).
    pub fn without_timeouts(&self, p: f64) -> f64 {
        self.period(p).rate() / self.rtt
    }

    /// Returns the throughput for small p, proportional to one over the square root of p (equation 15).
    pub fn small_loss(&self, p: f64) -> f64 {
        1.0 / (self.rtt * self.rounds_per_packet(p))
    }

    /// Returns the throughput with timeouts and window limit, derived as in Padhye et al., sections 2.2
    /// and 2.3, for any cut.
    ///
    /// `p` is in [0, 1]; `p = 0` gives the throughput at the window limit. Where the mean window reaches
    /// the limit, the result has a jump of less than `1 / (2 E[X])` of its value.
    pub fn complete(&self, p: f64) -> f64 {
        if p <= 0.0 {
            return self.max_window / self.rtt;
        }
        let (b, g, most) = (self.packets_per_ack, self.cut, self.max_window);
        let period = self.period(p);
        let (window, duration) = if period.window < most {
            (period.window, period.duration())
        } else {
            // Rounds of growth up to the limit, rounds at the limit, and the last round.
            let growth = b * (1.0 - g) * (1.0 - g) * most / 2.0;
            (most, growth + (1.0 - p) / (p * most) + 2.0)
        };
        // All terms are multiplied by 1 - p, so that p = 1 does not lead to a division by zero.
        let timeouts = timeout_share(window, p);
        let packets = (1.0 - p) * ((1.0 - p) / p + window) + timeouts;
        let seconds = (1.0 - p) * self.rtt * duration + timeouts * self.rto * backoff(p);
        packets / seconds
    }

    /// Returns an approximation of the complete form (TFRC Veno, equation 16; for `cut = 1/2`, Padhye et
    /// al., equation 32). `p = 0` gives the throughput at the window limit.
    pub fn approximate(&self, p: f64) -> f64 {
        let seconds =
            self.rtt * self.rounds_per_packet(p) + self.rto * self.timeouts_per_packet(p, true);
        (1.0 / seconds).min(self.max_window / self.rtt)
    }

    /// Returns the loss rate at which the complete form gives this throughput in packets per second. If
    /// the throughput lies within a jump, it returns the loss rate at which the jump occurs.
    ///
    /// # Errors
    /// [`OutOfReach`] if no loss rate gives this throughput.
    pub fn loss_by_complete(&self, rate: f64) -> Result<f64, OutOfReach> {
        inverse(rate, |p| self.complete(p))
    }

    /// Returns the loss rate at which the approximation gives this throughput in packets per second. If
    /// the window limit makes several loss rates possible, it returns the largest.
    ///
    /// # Errors
    /// [`OutOfReach`] if no loss rate gives this throughput.
    pub fn loss_by_approximation(&self, rate: f64) -> Result<f64, OutOfReach> {
        inverse(rate, |p| self.approximate(p))
    }

    /// Returns `sqrt(2 b (1-g) p / (1+g))`: the round-trip times per packet without timeouts.
    pub(super) fn rounds_per_packet(&self, p: f64) -> f64 {
        let (b, g) = (self.packets_per_ack, self.cut);
        libm::sqrt(2.0 * b * (1.0 - g) * p / (1.0 + g))
    }

    /// Returns `3 sqrt(b (1-g^2) p / 2) p (1 + 32 p^2)`: the first timeouts per packet. With `limited`,
    /// the factor `3 sqrt(...)` is limited to 1, so that at most every loss leads to a timeout.
    pub(super) fn timeouts_per_packet(&self, p: f64, limited: bool) -> f64 {
        let (b, g) = (self.packets_per_ack, self.cut);
        let share = 3.0 * libm::sqrt(b * (1.0 - g * g) * p / 2.0);
        let share = if limited { share.min(1.0) } else { share };
        share * p * (1.0 + 32.0 * p * p)
    }
}

/// f(p): the length of a series of timeouts divided by the first timeout, times 1 - p. Each timeout is
/// twice as long as the one before, up to 64 times the first.
fn backoff(p: f64) -> f64 {
    1.0 + p * (1.0 + p * (2.0 + p * (4.0 + p * (8.0 + p * (16.0 + p * 32.0)))))
}

/// Q(w): the probability that a loss in a window of `w` packets leads to a timeout because fewer than
/// three duplicate ACKs return.
fn timeout_share(window: f64, p: f64) -> f64 {
    if window <= 3.0 {
        return 1.0;
    }
    // The probability that at least one of n consecutive packets is lost, exact for small p.
    let any_lost = |n: f64| -libm::expm1(n * libm::log1p(-p));
    let three = any_lost(3.0);
    let share = three * (1.0 + (1.0 - three) * any_lost(window - 3.0)) / any_lost(window);
    share.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(value: f64, expected: f64, relative: f64) {
        assert!(
            (value / expected - 1.0).abs() < relative,
            "{value} is not {expected}"
        );
    }

    fn limited(cut: f64) -> Flow {
        Flow {
            cut,
            max_window: 64.0,
            ..Flow::reno(0.2, 0.4)
        }
    }

    /// TFRC Veno, equation 15 against equation 14 (corrected) at p = 0.01, g = 0.8.
    #[test]
    fn at_small_loss_the_square_root_form_is_close() {
        let flow = Flow {
            cut: 0.8,
            ..Flow::reno(1.0, 0.0)
        };
        assert_close(flow.small_loss(0.01), 21.213, 1e-4);
        assert_close(flow.without_timeouts(0.01), 20.574, 1e-4);
    }

    /// The complete form (Padhye et al.) and the approximation (TFRC Veno, equation 16) with g = 1/2.
    #[test]
    fn renos_throughput_with_timeouts_and_a_limited_window() {
        let flow = limited(0.5);
        for (p, complete, approximate) in [
            (0.001, 191.671, 192.782),
            (0.01, 57.847, 58.592),
            (0.1, 13.757, 12.149),
        ] {
            assert_close(flow.complete(p), complete, 1e-4);
            assert_close(flow.approximate(p), approximate, 1e-4);
        }
    }

    /// The complete form (Padhye et al.) and the approximation (TFRC Veno, equation 16) with g = 0.8.
    #[test]
    fn venos_throughput_with_timeouts_and_a_limited_window() {
        let flow = limited(0.8);
        for (p, complete, approximate) in [
            (0.001, 279.869, 320.0),
            (0.01, 97.761, 100.615),
            (0.1, 21.752, 19.583),
        ] {
            assert_close(flow.complete(p), complete, 1e-4);
            assert_close(flow.approximate(p), approximate, 1e-4);
        }
    }

    #[test]
    fn without_losses_the_throughput_is_at_the_window_limit() {
        let flow = limited(0.5);
        assert_eq!(flow.complete(0.0), 320.0);
        assert_eq!(flow.approximate(0.0), 320.0);
        assert_close(flow.complete(1e-9), 320.0, 1e-4);
        assert_eq!(Flow::reno(0.1, 0.4).complete(0.0), f64::INFINITY);
    }

    /// Every packet is lost: one is sent per timeout, and all timeouts are 64 times the first one.
    #[test]
    fn if_all_packets_are_lost_one_is_sent_per_longest_timeout() {
        assert_close(limited(0.5).complete(1.0), 1.0 / (64.0 * 0.4), 1e-12);
    }

    /// By hand for w = 4, p = 1/2: three = 7/8, one = 1/2, four = 15/16, so (7/8) (1 + (1/8) (1/2)) /
    /// (15/16) = 119/120.
    #[test]
    fn timeouts_follow_from_small_windows_or_many_losses() {
        assert_close(timeout_share(4.0, 0.5), 119.0 / 120.0, 1e-12);
        assert_eq!(timeout_share(3.0, 0.01), 1.0);
        // Padhye et al., equation 28: about 3/w.
        assert_close(timeout_share(60.0, 1e-6), 0.05, 1e-3);
    }

    #[test]
    fn the_complete_form_falls_with_losses_except_for_a_small_jump() {
        for cut in [0.5, 0.8, 0.95] {
            let flow = limited(cut);
            let mut before = flow.complete(0.0);
            let mut p = 1e-7;
            while p < 1.0 {
                let rate = flow.complete(p);
                let window = flow.period(p).window;
                let jump = if (window / 64.0 - 1.0).abs() < 0.02 {
                    1.0 + 0.5 / flow.period(p).rounds
                } else {
                    1.0
                };
                assert!(rate <= before * jump * (1.0 + 1e-12), "{cut} {p}");
                before = rate;
                p *= 1.01;
            }
        }
    }

    #[test]
    fn inverses_return_the_original_value() {
        for flow in [limited(0.5), limited(0.8), Flow::reno(0.1, 0.4)] {
            for p in [1e-4, 1e-3, 0.02, 0.3, 0.9] {
                let rate = flow.approximate(p);
                if rate < flow.max_window / flow.rtt {
                    let back = flow.loss_by_approximation(rate).expect("in reach");
                    assert_close(back, p, 1e-9);
                }
                let rate = flow.complete(p);
                let back = flow.loss_by_complete(rate).expect("in reach");
                assert_close(flow.complete(back), rate, 1e-9);
            }
        }
        let beyond = limited(0.5).loss_by_complete(321.0);
        assert_eq!(beyond.expect_err("above the limit").nearest, 1e-9);
    }
}
