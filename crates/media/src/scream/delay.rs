//! What SCReAM makes of the queueing delay: its trend, and a target that rises when other flows compete (RFC 8298,
//! sections 4.1.2 and 4.1.2.3).

use super::Config;

/// The number of fractions whose autocorrelation is the trend.
const TREND: usize = 20;
/// The numbers of normalized delays of which the variance and the mean count.
const VARIANCE: usize = 200;
const MEAN: usize = 50;
/// How much of the remembered trend stays at each sample.
const MEMORY: f64 = 0.99;
/// The loss event rate from which other flows are assumed.
const COMPETING: f64 = 0.002;
/// The variance below which the delay is steady.
const STEADY: f64 = 0.2;

/// The queueing delay's history.
#[derive(Clone, Debug)]
pub(super) struct Delay {
    fractions: [f64; TREND],
    average: f64,
    /// qdelay_trend and qdelay_trend_mem, 0 to 1.
    pub(super) trend: f64,
    pub(super) remembered: f64,
    normalized: Box<[f64; VARIANCE]>,
    next: usize,
    /// qdelay_target in seconds.
    pub(super) target: f64,
    /// qdelay in seconds.
    pub(super) now: f64,
}

impl Delay {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            fractions: [0.0; TREND],
            average: 0.0,
            trend: 0.0,
            remembered: 0.0,
            normalized: Box::new([0.0; VARIANCE]),
            next: 0,
            target: config.qdelay_target_lo,
            now: 0.0,
        }
    }

    /// update_variables(qdelay), every 50 ms.
    pub(super) fn sample(&mut self, config: &Config) {
        let fraction = self.now / self.target;
        self.average += config.qdelay_weight * (fraction - self.average);
        self.fractions.rotate_left(1);
        self.fractions[TREND - 1] = fraction;
        self.trend = (correlation(&self.fractions) * self.average).clamp(0.0, 1.0);
        self.remembered = (MEMORY * self.remembered).max(self.trend);
    }

    /// adjust_qdelay_target(qdelay), at each acknowledgement.
    pub(super) fn adjust(&mut self, loss_event_rate: f64, config: &Config) {
        let least = config.qdelay_target_lo;
        self.normalized[self.next] = self.now / least;
        self.next = (self.next + 1) % VARIANCE;
        if !config.compensation {
            return;
        }
        let (_, variance) = moments(self.normalized.iter().copied(), VARIANCE);
        let newest =
            (1..=MEAN).map(|back| self.normalized[(self.next + VARIANCE - back) % VARIANCE]);
        let (mean, _) = moments(newest, MEAN);
        let target = (mean + variance.sqrt()) * least;
        self.target = if loss_event_rate > COMPETING {
            1.5 * target
        } else if variance < STEADY {
            target
        } else if target < least {
            (self.target * 0.5).max(target)
        } else {
            self.target * 0.9
        };
        self.target = self.target.min(config.qdelay_target_hi).max(least);
    }
}

/// R(x, 1)/R(x, 0) of the values less their mean; 0 if they are all the same.
fn correlation(values: &[f64; TREND]) -> f64 {
    let mean = values.iter().sum::<f64>() / TREND as f64;
    let product = |lag: usize| -> f64 {
        let pairs = values.iter().zip(&values[lag..]);
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let square = product(0);
    // Rounding alone must not look like a trend.
    if square > 1e-12 {
        product(1) / square
    } else {
        0.0
    }
}

/// Returns the mean and the variance of `n` values.
fn moments(values: impl Iterator<Item = f64>, n: usize) -> (f64, f64) {
    let (sum, squares) = values.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    let mean = sum / n as f64;
    (mean, (squares / n as f64 - mean * mean).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config::default()
    }

    /// By hand: of 19 zeros and then a one, the mean is 0.05; R(0) = 19 0.0025 + 0.9025 = 0.95, and
    /// R(1) = 18 0.0025 - 0.05 0.95 = -0.0025.
    #[test]
    fn the_correlation_of_a_step() {
        let mut values = [0.0; TREND];
        values[TREND - 1] = 1.0;
        assert!((correlation(&values) - -0.0025 / 0.95).abs() < 1e-12);
        assert_eq!(correlation(&[0.3; TREND]), 0.0);
    }

    /// By hand, with the mean 9.5 of 0 to 19: R(0) = 20 (20^2 - 1)/12 = 665; R(1) is the sum of (k - 0.5)(k + 0.5) over k
    /// from -9 to 9, that is 2 285 - 19/4 = 565.25, so their ratio is 0.85.
    #[test]
    fn a_rising_delay_has_a_trend() {
        let mut values = [0.0; TREND];
        for (at, value) in values.iter_mut().enumerate() {
            *value = at as f64;
        }
        assert!((correlation(&values) - 0.85).abs() < 1e-9);
        let mut delay = Delay::new(&config());
        for step in 0..40 {
            delay.now = 0.01 * f64::from(step);
            delay.sample(&config());
        }
        // The average of the fractions, 10 % a step, lags by 9 steps: 3.0.
        assert!((delay.average - 3.0).abs() < 0.02, "{}", delay.average);
        assert_eq!((delay.trend, delay.remembered), (1.0, 1.0));
    }

    /// By hand: 200 samples of 180 ms are normalized to 1.8 without variance, so the target is 180 ms; with losses 1.5
    /// times that, and never more than 400 ms.
    #[test]
    fn a_steady_long_delay_raises_the_target() {
        let mut delay = Delay::new(&config());
        delay.now = 0.18;
        for _ in 0..VARIANCE {
            delay.adjust(0.0, &config());
        }
        assert!((delay.target - 0.18).abs() < 1e-9, "{}", delay.target);
        delay.adjust(0.003, &config());
        assert!((delay.target - 0.27).abs() < 1e-9);
        delay.now = 3.0;
        for _ in 0..VARIANCE {
            delay.adjust(0.003, &config());
        }
        assert_eq!(delay.target, 0.4);
        delay.now = 0.0;
        for _ in 0..VARIANCE {
            delay.adjust(0.0, &config());
        }
        assert_eq!(delay.target, 0.1);
    }

    #[test]
    fn without_compensation_the_target_stays() {
        let config = Config {
            compensation: false,
            ..config()
        };
        let mut delay = Delay::new(&config);
        delay.now = 0.3;
        for _ in 0..VARIANCE {
            delay.adjust(0.1, &config);
        }
        assert_eq!(delay.target, 0.1);
    }
}
