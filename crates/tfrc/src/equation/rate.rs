//! The rate of a rate-controlled sender, in bytes per second.

use super::{Flow, OutOfReach, inverse};

/// The throughput equation of TFRC (RFC 5348, section 3.1) and, with another cut, of TFRC Veno (equation
/// 22, corrected). It has no window limit.
///
/// ```
/// use dumbbell_tfrc::equation::RateEquation;
///
/// // 1000 bytes per packet, a round-trip time of 100 ms, one loss event in a hundred packets.
/// let tfrc = RateEquation::tfrc(1000.0, 0.1);
/// assert!((tfrc.rate(0.01) - 112_332.2).abs() < 0.1);
/// assert!((tfrc.loss_for(112_332.2)? - 0.01).abs() < 1e-6);
/// # Ok::<(), dumbbell_tfrc::equation::OutOfReach>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateEquation {
    /// s: the packet size in bytes.
    pub segment: f64,
    /// R: the round-trip time in seconds.
    pub rtt: f64,
    /// t_RTO: the retransmission timeout of a TCP in seconds; RFC 5348 recommends 4 R.
    pub t_rto: f64,
    /// b: the number of packets acknowledged by one ACK; RFC 5348 recommends 1.
    pub packets_per_ack: f64,
    /// g: 1/2 for TFRC, [`Cut::mean`](super::Cut::mean) for TFRC Veno.
    pub cut: f64,
    /// Whether the share of losses that lead to a timeout is limited to 1, `min(1, 3 sqrt(...))`, as in
    /// Padhye et al. and ns-2 but not in RFC 5348. It has an effect above p = 8/(27 b) with g = 1/2.
    pub min1: bool,
}

impl RateEquation {
    /// Makes the equation of TFRC as RFC 5348 recommends it: `t_RTO = 4 R`, `b = 1`.
    pub fn tfrc(segment: f64, rtt: f64) -> Self {
        Self::tfrc_veno(segment, rtt, 0.5)
    }

    /// Makes the equation of TFRC Veno with this mean cut; `t_RTO = 4 R`, `b = 1`.
    pub fn tfrc_veno(segment: f64, rtt: f64, cut: f64) -> Self {
        Self {
            segment,
            rtt,
            t_rto: 4.0 * rtt,
            packets_per_ack: 1.0,
            cut,
            min1: false,
        }
    }

    /// Returns X_calc, the allowed rate at the loss event rate `p` in [0, 1], in bytes per second;
    /// infinite for `p = 0`.
    pub fn rate(&self, p: f64) -> f64 {
        let flow = Flow {
            rtt: self.rtt,
            rto: self.t_rto,
            packets_per_ack: self.packets_per_ack,
            cut: self.cut,
            max_window: f64::INFINITY,
        };
        let rounds = self.rtt * flow.rounds_per_packet(p);
        self.segment / (rounds + self.t_rto * flow.timeouts_per_packet(p, self.min1))
    }

    /// Returns the loss event rate at which the equation allows `rate` bytes per second (RFC 5348,
    /// section 6.3.1).
    ///
    /// # Errors
    /// [`OutOfReach`], with the nearest loss rate, if no loss rate gives this rate.
    pub fn loss_for(&self, rate: f64) -> Result<f64, OutOfReach> {
        inverse(rate, |p| self.rate(p))
    }
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

    const TFRC: RateEquation = RateEquation {
        segment: 1000.0,
        rtt: 0.1,
        t_rto: 0.4,
        packets_per_ack: 1.0,
        cut: 0.5,
        min1: false,
    };
    const VENO: RateEquation = RateEquation { cut: 0.95, ..TFRC };

    /// RFC 5348, section 3.1, with an ACK for every packet.
    #[test]
    fn the_rate_of_tfrc() {
        for (p, rate) in [
            (0.001, 383_843.6),
            (0.01, 112_332.2),
            (0.05, 36_858.9),
            (0.1, 17_701.0),
            (0.2, 5_365.6),
            (0.5, 417.4),
        ] {
            assert_close(TFRC.rate(p), rate, 2e-4);
        }
        let min1 = RateEquation { min1: true, ..TFRC };
        assert_close(min1.rate(0.5), 538.3, 1e-4);
        assert_close(min1.rate(0.2), 5_365.6, 1e-5);
    }

    /// RFC 5348, section 3.1, with b = 2.
    #[test]
    fn delayed_acks_lower_the_rate() {
        let delayed = RateEquation {
            packets_per_ack: 2.0,
            ..TFRC
        };
        assert_close(delayed.rate(0.01), 79_430.9, 1e-6);
        assert_close(delayed.rate(0.1), 12_516.5, 1e-5);
    }

    /// RFC 5348, section 6.3.1: the loss event rate and the loss interval of a given rate.
    #[test]
    fn the_equation_gives_the_loss_event_rate_of_a_rate() {
        for (rate, p, interval) in [
            (5e4, 0.034_377_8, 29.09),
            (1e5, 0.012_172_7, 82.15),
            (4e5, 0.000_922_130, 1084.4),
        ] {
            let found = RateEquation::tfrc(1000.0, 0.1)
                .loss_for(rate)
                .expect("in reach");
            assert_close(found, p, 1e-5);
            assert_close(1.0 / found, interval, 2e-4);
        }
    }

    /// TFRC Veno, equation 22 (corrected) with g = 0.95, and its ratio to TFRC.
    #[test]
    fn tfrc_veno_without_a_queue_is_about_three_times_as_fast() {
        for (p, rate) in [
            (0.001, 1_380_274.0),
            (0.01, 395_201.5),
            (0.05, 121_022.3),
            (0.1, 54_882.3),
        ] {
            assert_close(VENO.rate(p), rate, 1e-6);
        }
        for (p, ratio) in [
            (0.001, 3.596),
            (0.01, 3.518),
            (0.05, 3.283),
            (0.1, 3.101),
            (0.2, 2.905),
        ] {
            assert_close(VENO.rate(p) / TFRC.rate(p), ratio, 2e-4);
        }
    }

    #[test]
    fn with_a_cut_of_one_half_tfrc_veno_is_tfrc() {
        assert_eq!(RateEquation::tfrc_veno(1000.0, 0.1, 0.5), TFRC);
        assert_eq!(RateEquation::tfrc(1000.0, 0.1), TFRC);
    }

    /// Returns the window (packets per round-trip time) at which a sender gets the rate that it has, if
    /// each packet is lost with probability q and all losses of a round are one event.
    fn fixed_point(cut: f64, q: f64) -> f64 {
        let equation = RateEquation::tfrc_veno(1.0, 1.0, cut);
        let (mut low, mut high) = (1e-3, 1e6);
        for _ in 0..200 {
            let middle = libm::sqrt(low * high);
            let window = f64::max(1.0, middle);
            let p = (1.0 - libm::pow(1.0 - q, window)) / window;
            if equation.rate(p) > middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// With losses that are independent of the rate, TFRC Veno gains more than at equal loss event rates.
    #[test]
    fn windows_at_which_losses_and_equation_agree() {
        for (q, window, ratio) in [
            (0.001, 38.75, 3.69),
            (0.01, 11.58, 3.87),
            (0.03, 5.83, 4.10),
            (0.1, 1.88, 4.65),
        ] {
            let tfrc = fixed_point(0.5, q);
            assert_close(tfrc, window, 3e-3);
            assert_close(fixed_point(0.95, q) / tfrc, ratio, 2e-3);
        }
    }

    #[test]
    fn without_losses_nothing_limits_the_rate() {
        assert_eq!(TFRC.rate(0.0), f64::INFINITY);
        assert_eq!(TFRC.loss_for(1.0).expect_err("too slow").nearest, 1.0);
    }
}
