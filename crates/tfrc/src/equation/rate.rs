//! The rate of a rate-controlled sender, in bytes a second.

use super::{Flow, OutOfReach, inverse};

/// The throughput equation of TFRC (RFC 5348, section 3.1) and, with another cut, of TFRC Veno
/// (equation 22, corrected). No window limits it.
///
/// ```
/// use dumbbell_tfrc::equation::RateEquation;
///
/// // 1000 bytes a packet, a round-trip time of 100 ms, one loss event in a hundred packets.
/// let tfrc = RateEquation::tfrc(1000.0, 0.1);
/// assert!((tfrc.rate(0.01) - 112_332.2).abs() < 0.1);
/// assert!((tfrc.loss_for(112_332.2)? - 0.01).abs() < 1e-6);
/// # Ok::<(), dumbbell_tfrc::equation::OutOfReach>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateEquation {
    /// s: the packet size, bytes.
    pub segment: f64,
    /// R: the round-trip time, seconds.
    pub rtt: f64,
    /// t_RTO: the retransmission timeout of a TCP, seconds; RFC 5348 recommends 4 R.
    pub t_rto: f64,
    /// b: packets acknowledged by one ACK; RFC 5348 recommends 1.
    pub packets_per_ack: f64,
    /// g: 1/2 for TFRC, [`Cut::mean`](super::Cut::mean) for TFRC Veno.
    pub cut: f64,
    /// Whether at most every loss counts as a timeout, `min(1, 3 sqrt(...))`, as Padhye et al.
    /// and ns-2 have it and RFC 5348 does not. It matters above p = 8/(27 b) with g = 1/2.
    pub min1: bool,
}

impl RateEquation {
    /// TFRC as RFC 5348 recommends it: `t_RTO = 4 R`, `b = 1`.
    pub fn tfrc(segment: f64, rtt: f64) -> Self {
        Self::tfrc_veno(segment, rtt, 0.5)
    }

    /// TFRC Veno with this mean cut; `t_RTO = 4 R`, `b = 1`.
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

    /// X_calc: the allowed rate at the loss event rate `p` in [0, 1], bytes a second; infinite
    /// for `p = 0`.
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

    /// The loss event rate at which the equation allows `rate` bytes a second (RFC 5348,
    /// section 6.3.1).
    ///
    /// # Errors
    /// [`OutOfReach`], with the nearest loss rate, if none does.
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

    #[test]
    fn v16_1() {
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

    #[test]
    fn v16_2() {
        let delayed = RateEquation {
            packets_per_ack: 2.0,
            ..TFRC
        };
        assert_close(delayed.rate(0.01), 79_430.9, 1e-6);
        assert_close(delayed.rate(0.1), 12_516.5, 1e-5);
    }

    #[test]
    fn v16_9() {
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

    #[test]
    fn v17_1_and_v17_2() {
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
    fn v17_4() {
        assert_eq!(RateEquation::tfrc_veno(1000.0, 0.1, 0.5), TFRC);
        assert_eq!(RateEquation::tfrc(1000.0, 0.1), TFRC);
    }

    /// The window at which a sender whose packets are lost with probability q, all losses of a
    /// round one event, gets the rate that it has.
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

    #[test]
    fn v17_5() {
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
