//! What a loss leaves of TCP Veno's window, on average.

/// How Veno cuts: by `random` if its backlog is below `beta`, else by `congestion`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Theta 1: what a loss leaves of the window with a backlog below `beta`; in (0, 1).
    pub random: f64,
    /// Theta 2: what any other loss leaves of it; in (0, 1), at most `random`.
    pub congestion: f64,
    /// The backlog from which on a loss counts as congestion, in packets.
    pub beta: f64,
}

impl Cut {
    /// TCP Veno's (TFRC Veno, section III-A).
    pub const TCP_VENO: Self = Self {
        random: 0.8,
        congestion: 0.5,
        beta: 3.0,
    };

    /// TFRC Veno's (section III-B).
    pub const TFRC_VENO: Self = Self {
        random: 0.95,
        ..Self::TCP_VENO
    };

    /// The mean cut, gamma (TFRC Veno, equation 20), if the window at a loss is uniform between
    /// 0 and `max_window` packets.
    ///
    /// Round-trip times in seconds. `random` if the path holds no queue (`rtt <= base_rtt`) or
    /// no window.
    pub fn mean(&self, rtt: f64, base_rtt: f64, max_window: f64) -> f64 {
        if rtt <= base_rtt || max_window <= 0.0 {
            return self.random;
        }
        // The window at which the backlog W (R - BaseRTT) / R is beta.
        let threshold = self.beta * rtt / (rtt - base_rtt);
        let below = (threshold / max_window).min(1.0);
        self.congestion + (self.random - self.congestion) * below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v15_7() {
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
