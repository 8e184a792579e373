//! The round-trip time of a sender, its square root, and the timeout in the equation (RFC 5348, sections
//! 4.3 and 4.5).

use super::config::TimeoutRule;

/// The shortest round-trip time, in seconds: clocks have no finer resolution.
pub(crate) const SHORTEST: f64 = 1e-6;
/// The longest round-trip time, in seconds.
const LONGEST: f64 = 1e6;

/// The means of round-trip samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rtt {
    weight: f64,
    rule: TimeoutRule,
    /// R, and the mean of the square roots of the samples, in seconds.
    means: Option<(f64, f64)>,
    sample: f64,
    ticks: Ticks,
}

impl Rtt {
    pub(crate) fn new(weight: f64, rule: TimeoutRule) -> Self {
        Self {
            weight: if weight.is_nan() {
                0.9
            } else {
                weight.clamp(0.0, 1.0)
            },
            rule,
            means: None,
            sample: 0.0,
            ticks: Ticks::default(),
        }
    }

    /// Handles a sample in seconds.
    pub(crate) fn on_sample(&mut self, sample: f64) {
        let sample = sample.clamp(SHORTEST, LONGEST);
        let root = sample.sqrt();
        self.sample = sample;
        self.means = Some(match self.means {
            None => (sample, root),
            Some((mean, mean_root)) => {
                let (old, new) = (self.weight, 1.0 - self.weight);
                (old * mean + new * sample, old * mean_root + new * root)
            }
        });
        self.ticks.on_sample(sample);
    }

    /// Returns R in seconds.
    pub(crate) fn mean(&self) -> Option<f64> {
        self.means.map(|(mean, _)| mean)
    }

    /// Returns the last sample in seconds.
    pub(crate) fn sample(&self) -> Option<f64> {
        self.means.map(|_| self.sample)
    }

    /// Returns the factor for the rate: below 1 while the round-trip time is above its mean.
    pub(crate) fn damping(&self) -> f64 {
        self.means
            .map_or(1.0, |(_, mean_root)| mean_root / self.sample.sqrt())
    }

    /// Returns the timeout in the equation, in seconds.
    pub(crate) fn timeout(&self) -> Option<f64> {
        let rtt = self.mean()?;
        Some(match self.rule {
            TimeoutRule::FourRtt => 4.0 * rtt,
            TimeoutRule::FourRttOrSecond => (4.0 * rtt).max(1.0),
            TimeoutRule::Ticks => self.ticks.timeout(),
        })
    }
}

/// The retransmission timer of a TCP that counts in ticks: srtt + 4 var in integers, with srtt in
/// eighths and var in quarters of a tick.
#[derive(Clone, Copy, Debug, Default)]
struct Ticks {
    srtt: i64,
    var: i64,
}

/// The length of a tick, in seconds.
const TICK: f64 = 0.1;

impl Ticks {
    fn on_sample(&mut self, sample: f64) {
        let ticks = ((sample / TICK + 0.5) as i64).max(1);
        if self.srtt == 0 {
            self.srtt = 8 * ticks;
            self.var = 2 * ticks;
            return;
        }
        let error = ticks - self.srtt / 8;
        self.srtt = (self.srtt + error).max(1);
        self.var = (self.var + error.abs() - self.var / 4).max(1);
    }

    fn timeout(&self) -> f64 {
        ((8 * self.var + self.srtt) / 8) as f64 * TICK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-6, "{value}");
    }

    #[test]
    fn means_of_samples_and_of_their_roots() {
        let mut rtt = Rtt::new(0.9, TimeoutRule::FourRtt);
        assert_eq!((rtt.mean(), rtt.damping()), (None, 1.0));
        rtt.on_sample(0.1);
        assert_eq!(rtt.damping(), 1.0);
        rtt.on_sample(0.12);
        assert_close(rtt.mean().unwrap(), 0.102);
        assert_close(rtt.means.unwrap().1, 0.319_246_0);
        assert_close(1e5 * rtt.damping(), 92_158.4);
        rtt.on_sample(0.08);
        assert_close(rtt.mean().unwrap(), 0.0998);
        assert_close(rtt.means.unwrap().1, 0.315_605_7);
        assert_close(1e5 * rtt.damping(), 111_583.5);
        assert_close(rtt.timeout().unwrap(), 0.3992);
    }

    #[test]
    fn a_coarse_timer_converges_to_half_a_second() {
        // 0.17 s are two ticks: srtt is 2, var falls from 1 to .75 ticks, so the timeout is 2 + 3 = 5 ticks.
        let mut rtt = Rtt::new(0.95, TimeoutRule::Ticks);
        rtt.on_sample(0.17);
        assert_close(rtt.timeout().unwrap(), 0.6);
        for _ in 0..20 {
            rtt.on_sample(0.17);
        }
        assert_close(rtt.timeout().unwrap(), 0.5);
    }

    #[test]
    fn the_timeout_is_at_least_a_second_if_so_configured() {
        let mut rtt = Rtt::new(0.9, TimeoutRule::FourRttOrSecond);
        rtt.on_sample(0.1);
        assert_eq!(rtt.timeout(), Some(1.0));
        rtt.on_sample(10.0);
        assert!(rtt.timeout().unwrap() > 4.0);
    }

    #[test]
    fn extreme_samples_leave_valid_means() {
        let mut rtt = Rtt::new(f64::NAN, TimeoutRule::Ticks);
        for sample in [0.0, -1.0, f64::INFINITY, 1e300, f64::MIN_POSITIVE] {
            rtt.on_sample(sample);
            assert!(rtt.mean().unwrap().is_finite() && rtt.damping() > 0.0);
            assert!(rtt.timeout().unwrap().is_finite());
        }
    }
}
