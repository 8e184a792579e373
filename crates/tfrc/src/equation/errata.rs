//! The results of TFRC Veno's equations as printed, next to the correct results.

use super::{Flow, RateEquation, printed};

/// The result of an equation as printed, and the correct result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erratum {
    /// The number of the equation in the paper.
    pub equation: u8,
    /// The quantity that it gives, with its unit.
    pub quantity: &'static str,
    /// The result of the printed equation.
    pub printed: f64,
    /// The result of the corrected equation.
    pub corrected: f64,
    /// The mistake in the printed equation.
    pub mistake: &'static str,
}

const SQUARE: &str = "(b(1-g)+1)^2 under the root should be ((b(1-g)+1)/2)^2";
const ONE: &str = "the root should not cover the final + 1";
const RATE: &str = "the root should not cover p(1+32p^2)";

impl Flow {
    /// Returns the errata of equations 11 to 14 at a loss rate.
    pub fn errata(&self, p: f64) -> [Erratum; 4] {
        let (b, g) = (self.packets_per_ack, self.cut);
        let period = self.period(p);
        let erratum = |equation, quantity, printed, corrected, mistake| Erratum {
            equation,
            quantity,
            printed,
            corrected,
            mistake,
        };
        [
            erratum(
                11,
                "E[W], packets",
                printed::window(p, b, g),
                period.window,
                SQUARE,
            ),
            erratum(
                12,
                "E[X], rounds",
                printed::rounds(p, b, g),
                period.rounds,
                SQUARE,
            ),
            erratum(
                13,
                "E[A], s",
                printed::duration(p, b, g) * self.rtt,
                period.duration() * self.rtt,
                ONE,
            ),
            erratum(
                14,
                "B(p), packets/s",
                printed::rate(p, b, g) / self.rtt,
                self.without_timeouts(p),
                ONE,
            ),
        ]
    }
}

impl RateEquation {
    /// Returns the erratum of equation 21 (TFRC), or 22 (TFRC Veno), at a loss event rate.
    pub fn erratum(&self, p: f64, veno: bool) -> Erratum {
        Erratum {
            equation: if veno { 22 } else { 21 },
            quantity: "rate, B/s",
            printed: printed::sending_rate(self, p),
            corrected: self.rate(p),
            mistake: RATE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The printed B(p) at p = 0.01, b = 2, g = 1/2 is 9.099 packets per round, or 90.99 per second at
    /// 100 ms.
    #[test]
    fn printed_beside_corrected() {
        let flow = Flow {
            rtt: 0.1,
            rto: 0.4,
            packets_per_ack: 2.0,
            cut: 0.5,
            max_window: f64::INFINITY,
        };
        let errata = flow.errata(0.01);
        assert_eq!(errata.map(|it| it.equation), [11, 12, 13, 14]);
        let rate = errata[3];
        assert!((rate.printed - 90.99).abs() < 0.01, "{}", rate.printed);
        assert!(rate.corrected < rate.printed);
        let tfrc = RateEquation::tfrc(1000.0, 0.1);
        let numbers = [false, true].map(|veno| tfrc.erratum(0.01, veno).equation);
        assert_eq!(numbers, [21, 22]);
        assert!((tfrc.erratum(0.01, false).printed / 64_411.5 - 1.0).abs() < 1e-5);
    }
}
