//! The period between two losses that are detected by duplicate ACKs: the core of the model.

/// The means of a period, which begins with a window reduction and ends with the round after a loss.
///
/// The window starts at g W, grows by one packet in b rounds to W, and then the flow loses a packet and
/// sends the rest of the window. If X, W and the cut are independent of each other, `(1-p)/p + W/2 = (b
/// (1-g) W / 2) ((1+g) W - 1)`, which is a quadratic equation for W.
///
/// TFRC Veno prints these equations with errors: see [`printed`](super::printed).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// E\[W\]: the window at the end of the period, in packets (equation 11, corrected).
    pub window: f64,
    /// E\[X\]: the rounds until the loss (equation 12, corrected). The period has one more round.
    pub rounds: f64,
    /// E\[Y\]: the packets sent in the period (equation 5).
    pub packets: f64,
}

impl Period {
    /// Computes the period at the loss rate `p` in (0, 1], with `packets_per_ack` of at least 1 and
    /// `cut` in [0, 1).
    pub fn new(p: f64, packets_per_ack: f64, cut: f64) -> Self {
        let (b, g) = (packets_per_ack, cut);
        // The solution of b (1-g^2) W^2 / 2 - (b (1-g) + 1) W / 2 - (1-p)/p = 0, divided by b (1-g^2) / 2.
        let square = b * (1.0 - g * g);
        let half = (b * (1.0 - g) + 1.0) / (2.0 * square);
        let survivors = (1.0 - p) / p;
        let window = half + libm::sqrt(2.0 * survivors / square + half * half);
        Self {
            window,
            rounds: b * (1.0 - g) * window,
            packets: survivors + window,
        }
    }

    /// Returns E\[A\]: the duration in round-trip times (equation 13, corrected).
    pub fn duration(&self) -> f64 {
        self.rounds + 1.0
    }

    /// Returns the rate in packets per round-trip time (equation 14, corrected).
    pub fn rate(&self) -> f64 {
        self.packets / self.duration()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng, SeedableRng};

    fn assert_close(value: f64, expected: f64, relative: f64) {
        assert!(
            (value / expected - 1.0).abs() < relative,
            "{value} is not {expected}"
        );
    }

    /// TFRC Veno, equations 11, 12 and 14, corrected.
    #[test]
    fn window_rounds_and_rate_of_a_period() {
        let period = Period::new(0.1, 1.0, 0.5);
        assert_close(period.window, 6.0, 1e-12);
        assert_close(period.rounds, 3.0, 1e-12);
        assert_close(period.rate(), 3.75, 1e-12);

        let period = Period::new(0.01, 2.0, 0.5);
        assert_close(period.window, 12.1751, 1e-5);
        assert_close(period.rounds, 12.1751, 1e-5);
        assert_close(period.rate(), 8.43826, 1e-6);

        let period = Period::new(0.01, 1.0, 0.8);
        assert_close(period.window, 25.178, 1e-5);
        assert_close(period.rounds, 5.036, 1e-4);
        assert_close(period.rate(), 20.574, 1e-4);

        let period = Period::new(0.1, 1.0, 0.95);
        assert_close(period.window, 20.0, 1e-12);
        assert_close(period.rounds, 1.0, 1e-12);
        assert_close(period.rate(), 14.5, 1e-12);
    }

    /// Padhye et al., equation 13: E[W] with b = 2 and p = 1/9, by hand:
    /// (2+b)/(3b) = 2/3; 8 (8/9) / (6/9) = 32/3; sqrt(32/3 + 4/9) = 10/3.
    #[test]
    fn a_cut_of_one_half_is_padhyes_model() {
        assert_close(Period::new(1.0 / 9.0, 2.0, 0.5).window, 4.0, 1e-12);
    }

    /// Returns a random number in [0, 1).
    fn uniform(random: &mut ChaCha8Rng) -> f64 {
        (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns the number of the first lost packet, counted from 1: geometrically distributed.
    fn first_lost(random: &mut ChaCha8Rng, p: f64) -> f64 {
        1.0 + libm::floor(libm::log(1.0 - uniform(random)) / libm::log1p(-p))
    }

    /// Returns one of two cuts whose mean is `g`, independent of all earlier ones.
    fn cut(random: &mut ChaCha8Rng, g: f64) -> f64 {
        let most = if g > 0.8 { 0.95 } else { 0.8 };
        if uniform(random) < (g - 0.5) / (most - 0.5) {
            most
        } else {
            0.5
        }
    }

    /// Simulates equations 5 to 8 with real-valued rounds; returns packets per round.
    ///
    /// A period begins with the window `a`. Its X rounds end with W = a + X/b. In a last round the part
    /// u of the window is sent: alpha + W - 1 = (X/2)(a + W - 1) + u W. That is X^2 / (2b) + X (a - 1/2
    /// - (1-u)/b) - (alpha - 1 + (1-u) a) = 0.
    fn play(p: f64, b: f64, g: f64) -> f64 {
        const PERIODS: u32 = 60_000;
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (mut window, mut packets, mut rounds) = (10.0, 0.0, 0.0);
        for _ in 0..PERIODS {
            let start = cut(&mut random, g) * window;
            let lost = first_lost(&mut random, p);
            let rest = 1.0 - uniform(&mut random);
            let (square, linear) = (0.5 / b, start - 0.5 - rest / b);
            let constant = lost - 1.0 + rest * start;
            let root = libm::sqrt(linear * linear + 4.0 * square * constant);
            let growing = (root - linear) / (2.0 * square);
            window = start + growing / b;
            packets += lost + window - 1.0;
            rounds += growing + 1.0;
        }
        packets / rounds
    }

    const PLAYED: [f64; 5] = [0.001, 0.003, 0.01, 0.03, 0.1];

    #[test]
    fn a_simulation_of_the_model_has_the_same_rate() {
        for g in [0.5, 0.65, 0.8, 0.905, 0.95] {
            for b in [1.0, 2.0] {
                for p in PLAYED {
                    let error = Period::new(p, b, g).rate() / play(p, b, g) - 1.0;
                    let bound = if g < 0.8 { 0.064 } else { 0.026 };
                    assert!(error.abs() <= bound, "g {g}, b {b}, p {p}: {error}");
                }
            }
        }
    }

    /// The same simulation in whole rounds: windows are sent until one contains the lost packet.
    fn play_rounds(p: f64, g: f64) -> f64 {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let (mut window, mut packets, mut rounds) = (10.0, 0.0, 0.0);
        for _ in 0..60_000 {
            window *= cut(&mut random, g);
            let lost = first_lost(&mut random, p);
            let mut sent = 0.0;
            loop {
                window = f64::max(window, 1.0);
                sent += window;
                rounds += 1.0;
                if sent >= lost {
                    break;
                }
                window += 1.0;
            }
            packets += lost + window - 1.0;
            rounds += 1.0;
        }
        packets / rounds
    }

    /// A limit of the model: if a period has few rounds, rounding up to whole rounds makes it longer.
    #[test]
    fn with_whole_rounds_the_model_holds_only_for_few_losses() {
        for (g, p, least, most) in [
            (0.5, 0.001, -0.07, 0.07),
            (0.8, 0.001, -0.07, 0.07),
            (0.95, 0.001, -0.07, 0.07),
            (0.5, 0.1, 0.15, 0.20),
            (0.8, 0.1, 0.33, 0.40),
            (0.95, 0.1, 0.80, 0.90),
        ] {
            let error = Period::new(p, 1.0, g).rate() / play_rounds(p, g) - 1.0;
            assert!((least..most).contains(&error), "g {g}, p {p}: {error}");
        }
    }
}
