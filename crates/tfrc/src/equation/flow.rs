//! The throughput of a window-controlled flow, in packets a second.

use super::{OutOfReach, Period, inverse};

/// What the equations need to know of a flow, but for its losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// R: the mean round-trip time, seconds; above 0.
    pub rtt: f64,
    /// T0: the first timeout of a series, seconds; at least 0.
    pub rto: f64,
    /// b: packets acknowledged by one ACK; at least 1.
    pub packets_per_ack: f64,
    /// g: what a loss leaves of the window on average; in [0, 1). 1/2 for Reno,
    /// [`Cut::mean`](super::Cut::mean) for Veno.
    pub cut: f64,
    /// Wm: the largest window, packets; infinite if nothing limits it.
    pub max_window: f64,
}

impl Flow {
    /// TCP Reno with an ACK for every packet and an unlimited window.
    pub const fn reno(rtt: f64, rto: f64) -> Self {
        Self {
            rtt,
            rto,
            packets_per_ack: 1.0,
            cut: 0.5,
            max_window: f64::INFINITY,
        }
    }

    /// The period between two losses, without timeouts and limits.
    pub fn period(&self, p: f64) -> Period {
        Period::new(p, self.packets_per_ack, self.cut)
    }

    /// The throughput without timeouts and limits (TFRC Veno, equation 14, corrected).
    pub fn without_timeouts(&self, p: f64) -> f64 {
        self.period(p).rate() / self.rtt
    }

    /// That for small p: one over a square root (equation 15).
    pub fn small_loss(&self, p: f64) -> f64 {
        1.0 / (self.rtt * self.rounds_per_packet(p))
    }

    /// The throughput with timeouts and the window's limit: the steps of Padhye et al., section
    /// 2.2 and 2.3, with any cut.
    ///
    /// In [0, 1], `p = 0` gives the window's limit. Where the mean window reaches the limit the
    /// form jumps, by less than the part `1 / (2 E[X])` of itself.
    pub fn complete(&self, p: f64) -> f64 {
        if p <= 0.0 {
            return self.max_window / self.rtt;
        }
        let (b, g, most) = (self.packets_per_ack, self.cut, self.max_window);
        let period = self.period(p);
        let (window, duration) = if period.window < most {
            (period.window, period.duration())
        } else {
            // Rounds of growth up to the limit, rounds at the limit, and the last one.
            let growth = b * (1.0 - g) * (1.0 - g) * most / 2.0;
            (most, growth + (1.0 - p) / (p * most) + 2.0)
        };
        // All terms times 1 - p, so that p = 1 is no division by zero.
        let timeouts = timeout_share(window, p);
        let packets = (1.0 - p) * ((1.0 - p) / p + window) + timeouts;
        let seconds = (1.0 - p) * self.rtt * duration + timeouts * self.rto * backoff(p);
        packets / seconds
    }

    /// The approximation of the complete form (TFRC Veno, equation 16; for `cut = 1/2` that of
    /// Padhye et al., equation 32). `p = 0` gives the window's limit.
    pub fn approximate(&self, p: f64) -> f64 {
        let seconds =
            self.rtt * self.rounds_per_packet(p) + self.rto * self.timeouts_per_packet(p, true);
        (1.0 / seconds).min(self.max_window / self.rtt)
    }

    /// The loss rate at which the complete form gives this throughput, packets a second. At a
    /// jump of the form it is the place of the jump.
    ///
    /// # Errors
    /// [`OutOfReach`] if no loss rate does.
    pub fn loss_by_complete(&self, rate: f64) -> Result<f64, OutOfReach> {
        inverse(rate, |p| self.complete(p))
    }

    /// The loss rate at which the approximation gives this throughput, packets a second; the
    /// largest one, if the window's limit makes it many.
    ///
    /// # Errors
    /// [`OutOfReach`] if no loss rate does.
    pub fn loss_by_approximation(&self, rate: f64) -> Result<f64, OutOfReach> {
        inverse(rate, |p| self.approximate(p))
    }

    /// `sqrt(2 b (1-g) p / (1+g))`: round-trip times that a packet takes without timeouts.
    pub(super) fn rounds_per_packet(&self, p: f64) -> f64 {
        let (b, g) = (self.packets_per_ack, self.cut);
        libm::sqrt(2.0 * b * (1.0 - g) * p / (1.0 + g))
    }

    /// `3 sqrt(b (1-g^2) p / 2) p (1 + 32 p^2)`: first timeouts that a packet takes; with
    /// `limited`, no more than one loss in one is a timeout.
    pub(super) fn timeouts_per_packet(&self, p: f64, limited: bool) -> f64 {
        let (b, g) = (self.packets_per_ack, self.cut);
        let share = 3.0 * libm::sqrt(b * (1.0 - g * g) * p / 2.0);
        let share = if limited { share.min(1.0) } else { share };
        share * p * (1.0 + 32.0 * p * p)
    }
}

/// f(p): the length of a series of timeouts, each twice as long as the one before up to 64
/// times the first, over that of the first; times 1 - p.
fn backoff(p: f64) -> f64 {
    1.0 + p * (1.0 + p * (2.0 + p * (4.0 + p * (8.0 + p * (16.0 + p * 32.0)))))
}

/// Q(w): the probability that a loss in a window of `w` packets ends in a timeout, because
/// fewer than three duplicate ACKs come back.
fn timeout_share(window: f64, p: f64) -> f64 {
    if window <= 3.0 {
        return 1.0;
    }
    // The probability that of n packets in a row one is lost, exact for small p.
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

    #[test]
    fn v15_3_small_loss() {
        let flow = Flow {
            cut: 0.8,
            ..Flow::reno(1.0, 0.0)
        };
        assert_close(flow.small_loss(0.01), 21.213, 1e-4);
        assert_close(flow.without_timeouts(0.01), 20.574, 1e-4);
    }

    #[test]
    fn v15_5() {
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

    #[test]
    fn v15_6() {
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
    fn without_losses_the_limit_is_the_throughput() {
        let flow = limited(0.5);
        assert_eq!(flow.complete(0.0), 320.0);
        assert_eq!(flow.approximate(0.0), 320.0);
        assert_close(flow.complete(1e-9), 320.0, 1e-4);
        assert_eq!(Flow::reno(0.1, 0.4).complete(0.0), f64::INFINITY);
    }

    /// Every packet is lost: one is sent in each timeout, and all of these are 64 times the
    /// first one.
    #[test]
    fn if_all_is_lost_a_packet_goes_out_each_longest_timeout() {
        assert_close(limited(0.5).complete(1.0), 1.0 / (64.0 * 0.4), 1e-12);
    }

    /// By hand for w = 4, p = 1/2: three = 7/8, one = 1/2, four = 15/16:
    /// (7/8) (1 + (1/8) (1/2)) / (15/16) = 119/120.
    #[test]
    fn a_timeout_needs_a_small_window_or_many_losses() {
        assert_close(timeout_share(4.0, 0.5), 119.0 / 120.0, 1e-12);
        assert_eq!(timeout_share(3.0, 0.01), 1.0);
        // Padhye et al., equation 28: about 3/w.
        assert_close(timeout_share(60.0, 1e-6), 0.05, 1e-3);
    }

    #[test]
    fn the_complete_form_falls_with_losses_but_for_a_small_jump() {
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
    fn inverses_lead_back() {
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
