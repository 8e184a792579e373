//! The mean share of TCP Veno's window that remains after a loss.

/// Veno's window reduction: by `random` if its backlog is below `beta`, else by `congestion`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Theta 1: the share of the window that remains after a loss with a backlog below `beta`; in (0,
    /// 1).
    pub random: f64,
    /// Theta 2: the share of the window that remains after any other loss; in (0, 1), at most `random`.
    pub congestion: f64,
    /// The backlog, in packets, from which a loss counts as congestion.
    pub beta: f64,
}

impl Cut {
    /// The values of TCP Veno (TFRC Veno, section III-A).
    pub const TCP_VENO: Self = Self {
        random: 0.8,
        congestion: 0.5,
        beta: 3.0,
    };

    /// The values of TFRC Veno (section III-B).
    pub const TFRC_VENO: Self = Self {
        random: 0.95,
        ..Self::TCP_VENO
    };

    /// Returns the mean cut, gamma (TFRC Veno, equation 20), if the window at a loss is uniformly
    /// distributed between 0 and `max_window` packets.
    ///
    /// Round-trip times are in seconds. Returns `random` if there is no queue on the path (`rtt <=
    /// base_rtt`) or `max_window` is not positive.
    pub fn mean(&self, rtt: f64, base_rtt: f64, max_window: f64) -> f64 {
        if rtt <= base_rtt || max_window <= 0.0 {
            return self.random;
        }
        // The window at which the backlog W (R - BaseRTT) / R equals beta.
        let threshold = self.beta * rtt / (rtt - base_rtt);
        let below = (threshold / max_window).min(1.0);
        self.congestion + (self.random - self.congestion) * below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TFRC Veno, equation 20.
    #[test]
    fn the_mean_cut_depends_on_queue_and_window() {
        let cases = [
            ((0.1, 0.08, 20.0), 0.8375, 0.725),
            ((0.1, 0.05, 20.0), 0.635, 0.59),
            ((0.2, 0.1, 60.0), 0.545, 0.53),
            ((0.176, 0.163, 30.0), 0.95, 0.8),
            ((0.1, 0.1, 10.0), 0.95, 0.8),
        ];
        for ((rtt, base, window), tfrc, tcp) in cases {
            assert!((Cut::TFRC_VENO.mean(rtt, base, window) - tfrc).abs() < 1e-12);
            assert!((Cut::TCP_VENO.mean(rtt, base, window) - tcp).abs() < 1e-12);
        }
    }

    #[test]
    fn without_a_window_nothing_is_congestion() {
        assert_eq!(Cut::TCP_VENO.mean(0.2, 0.1, 0.0), 0.8);
        assert_eq!(Cut::TCP_VENO.mean(0.2, 0.3, 50.0), 0.8);
    }
}
