//! Bursts of packets at a fixed rate, with idle times between them: the exponential and the Pareto
//! on/off sources of ns-2.
//!
//! The packets of a burst are 8L/rate apart, and the burst ends 8L/rate after its last packet; then the
//! source is idle. It begins with an idle time, as in ns-2, so that sources that start at the same time
//! do not burst at the same time.

use super::{Emission, Span, spacing};
use crate::random::Random;
use crate::time::Time;

/// The parameters of an on/off source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// Size of a packet on the wire, in bytes.
    pub bytes: u16,
    /// Rate within a burst, in bits per second. A rate of zero emits nothing.
    pub rate: u64,
    /// Mean length of a burst.
    pub on: Time,
    /// Mean idle time.
    pub off: Time,
}

impl OnOff {
    /// Returns the mean idle time with which a source loads the network with `load` bits per second: `on
    /// * (rate / load - 1)`; zero if `load` is not below `rate`.
    pub fn off_for_load(on: Time, rate: u64, load: u64) -> Time {
        Time::from_secs_f64(on.as_secs_f64() * (rate as f64 / load as f64 - 1.0))
    }

    /// Returns the mean number of packets in a burst before rounding: `on * rate / 8L`.
    pub fn mean_burst(&self) -> f64 {
        self.on.as_secs_f64() * self.rate as f64 / (8.0 * f64::from(self.bytes))
    }
}

/// The distribution of the lengths of bursts and idle times.
pub trait OnOffLaw {
    /// Returns the number of packets in the next burst, at least 1.
    fn burst(&self, source: &OnOff, random: &mut Random) -> u64;

    /// Returns the length of the next idle time.
    fn idle(&self, source: &OnOff, random: &mut Random) -> Time;

    /// Returns the emissions of such a source, with random numbers from `random`.
    fn emissions(self, source: OnOff, span: Span, random: Random) -> Emissions<Self>
    where
        Self: Sized,
    {
        Emissions {
            law: self,
            source,
            stop: span.stop,
            random,
            burst_start: span.start,
            burst: 0,
            emitted: 0,
        }
    }
}

/// Exponentially distributed bursts and idle times: `max(1, round(Exp(mean burst)))` packets,
/// then `Exp(off)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exponential;

impl OnOffLaw for Exponential {
    fn burst(&self, source: &OnOff, random: &mut Random) -> u64 {
        let packets = random.exponential(source.mean_burst());
        (libm::floor(packets + 0.5) as u64).max(1)
    }

    fn idle(&self, source: &OnOff, random: &mut Random) -> Time {
        Time::from_secs_f64(random.exponential(source.off.as_secs_f64()))
    }
}

/// Pareto-distributed bursts and idle times: `max(1, floor(x_m u^(-1/a) + 0.5))` packets with
/// `x_m = mean burst (a-1)/a`, then `off (a-1)/a u^(-1/a)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    /// The shape a, above 1 (else there is no mean); 1.5 in ns-2.
    pub shape: f64,
}

impl Default for Pareto {
    fn default() -> Self {
        Self { shape: 1.5 }
    }
}

impl Pareto {
    /// Returns a Pareto variable with this mean, computed from a number 0 < u <= 1.
    fn variable(&self, mean: f64, u: f64) -> f64 {
        self.least(mean) * libm::pow(u, -1.0 / self.shape)
    }

    /// Returns the least value of a Pareto variable with this mean.
    fn least(&self, mean: f64) -> f64 {
        mean * (self.shape - 1.0) / self.shape
    }

    fn packets(&self, source: &OnOff, u: f64) -> u64 {
        let packets = self.variable(source.mean_burst(), u);
        (libm::floor(packets + 0.5) as u64).max(1)
    }
}

impl OnOffLaw for Pareto {
    fn burst(&self, source: &OnOff, random: &mut Random) -> u64 {
        self.packets(source, random.positive_uniform())
    }

    fn idle(&self, source: &OnOff, random: &mut Random) -> Time {
        Time::from_secs_f64(self.variable(source.off.as_secs_f64(), random.positive_uniform()))
    }
}

/// The emissions of an on/off source, made by [`OnOffLaw::emissions`].
#[derive(Clone, Debug)]
pub struct Emissions<L> {
    law: L,
    source: OnOff,
    stop: Time,
    random: Random,
    burst_start: Time,
    /// Number of packets in the current burst.
    burst: u64,
    /// Packets of the current burst already emitted.
    emitted: u64,
}

impl<L: OnOffLaw> Iterator for Emissions<L> {
    type Item = Emission;

    fn next(&mut self) -> Option<Emission> {
        if self.source.rate == 0 || self.burst_start >= self.stop {
            return None;
        }
        if self.emitted == self.burst {
            self.burst_start = self.after_burst(self.burst);
            self.burst_start += self.law.idle(&self.source, &mut self.random);
            self.burst = self.law.burst(&self.source, &mut self.random);
            self.emitted = 0;
        }
        let at = self.after_burst(self.emitted);
        if at >= self.stop {
            return None;
        }
        self.emitted += 1;
        Some(Emission {
            at,
            bytes: self.source.bytes,
        })
    }
}

impl<L> Emissions<L> {
    /// Returns the moment `packets` packet spacings after the start of the burst.
    fn after_burst(&self, packets: u64) -> Time {
        let span = spacing(self.source.bytes, self.source.rate, packets);
        self.burst_start + Time::from_nanos(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};

    /// Pareto: mean on and off times .1 s, 300 kb/s, 512 bytes, shape 1.5.
    const PARETO: OnOff = OnOff {
        bytes: 512,
        rate: 300_000,
        on: Time::from_millis(100),
        off: Time::from_millis(100),
    };

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 2e-5 * b, "{a} is not {b}");
    }

    #[test]
    fn idle_time_for_a_load() {
        let off = |load| {
            let off = OnOff::off_for_load(Time::from_millis(10), 2_000_000, load);
            off.as_nanos()
        };
        assert_eq!(
            [900_000, 800_000, 1_000_000, 500_000].map(off),
            [12_222_222, 15_000_000, 10_000_000, 30_000_000]
        );
        assert_eq!(off(2_000_000), 0);
        assert_eq!(off(3_000_000), 0);
    }

    #[test]
    fn pareto_parameters() {
        close(PARETO.mean_burst(), 7.324_22);
        let pareto = Pareto::default();
        close(pareto.least(PARETO.mean_burst()), 2.441_41);
        close(pareto.least(PARETO.off.as_secs_f64()), 0.033_333_3);
    }

    #[test]
    fn pareto_bursts_for_given_numbers() {
        let pareto = Pareto::default();
        close(pareto.variable(PARETO.mean_burst(), 0.5), 3.875_5);
        close(pareto.variable(PARETO.mean_burst(), 0.01), 52.598);
        assert_eq!(
            [0.5, 0.01, 1.0].map(|u| pareto.packets(&PARETO, u)),
            [4, 53, 2]
        );
    }

    /// A law with fixed values: bursts of two packets, idle times of 10 ms.
    struct Fixed;

    impl OnOffLaw for Fixed {
        fn burst(&self, _: &OnOff, _: &mut Random) -> u64 {
            2
        }

        fn idle(&self, _: &OnOff, _: &mut Random) -> Time {
            Time::from_millis(10)
        }
    }

    /// 1000 bytes at 1 Mb/s take 8 ms: the source is idle until 110 ms, sends packets at 110 and 118,
    /// ends the burst at 126, is idle until 136 ...
    #[test]
    fn bursts_and_idle_times_alternate() {
        let source = OnOff {
            bytes: 1000,
            rate: 1_000_000,
            ..PARETO
        };
        let span = Span {
            start: Time::from_millis(100),
            stop: Time::from_millis(162),
        };
        let random = stream(1, Component::host(0, 0));
        let mut emissions = Fixed.emissions(source, span, random);
        let times: Vec<u64> = emissions
            .by_ref()
            .map(|emission| emission.at.as_nanos() / 1_000_000)
            .collect();
        assert_eq!(times, [110, 118, 136, 144]);
        assert_eq!(emissions.next(), None);
    }

    /// Bursts of 10 ms at 2 Mb/s with 512 bytes and idle times of 12.2222 ms load a link with about .9
    /// Mb/s. Rounding and the minimum of one packet change a mean burst of 4.883 packets to 4.874 +
    /// 0.097 = 4.972 packets of 2.048 ms each: the source is active for 10.182 of 22.404 ms, hence .9089
    /// Mb/s. Over 1,000 s (44,000 cycles) the load is within 2 %.
    #[test]
    fn exponential_load() {
        let source = OnOff {
            bytes: 512,
            rate: 2_000_000,
            on: Time::from_millis(10),
            off: Time::from_nanos(12_222_222),
        };
        let span = Span {
            start: Time::ZERO,
            stop: Time::from_secs(1_000),
        };
        let random = stream(1, Component::host(0, 0));
        let bytes: u64 = Exponential
            .emissions(source, span, random)
            .map(|emission| u64::from(emission.bytes))
            .sum();
        let load = bytes as f64 * 8.0 / 1e3;
        assert!((load / 908_900.0 - 1.0).abs() < 0.02, "{load}");
    }
}
