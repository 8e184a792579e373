//! Vegas-A+, reconstructed: Vegas-A that also uses the relative delay. Not the published scheme.
//!
//! Source: only VenoDB, section 2.2: "Based on the two improvements above, TCP Vegas-A+ proposed a new
//! differentiation condition, the relative delay", which is "the difference of ACK packet arrival
//! interval and packet transmission interval". The rest is made up here.
//!
//! The table is Vegas-A's, with these conditions:
//!
//! | condition in Vegas-A | condition here |
//! |---|---|
//! | Th > Th' | Th > Th' and D <= 0 |
//! | Th < Th' | Th < Th' and D > 0 |
//! | Th = Th' | neither: cwnd, alpha and beta stay |
//!
//! D = (time between the arrivals of two ACKs) - (time between the sendings of their packets).
//!
//! Initial values: Vegas-A's. Defaults: Vegas-A's; eps_d 1 us, as in VenoDB here.
//!
//! Readings
//! * D is that of the last two packets whose ACKs arrived when the round ends.
//! * Where Vegas-A does not compare Th (alpha has its first value, diff > beta), D does not count
//!   either.
//!
//! Deviations: unknown. Signals: RTT; sending times. Hosts: all; the recovery is Vegas-A's.

use core::cmp::Ordering;

use crate::algorithm::vegas;
use crate::algorithm::vegas_a::{VegasA, rules};
use crate::controller::{Algorithm, Controller, Facts, Origin, Signals, Value, Window};
use crate::estimate::relative_delay::RelativeDelay;
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::parameter::{Kind, parameters};
use crate::units::{Duration, Segments};

parameters! {
    /// Vegas-A+'s parameters: Vegas-A's and one more.
    pub struct Config {
        use vegas: vegas::Config;
        /// D up to this counts as zero; at least the resolution of the stamps (ours: 1 us).
        eps_d: Duration = Duration::from_micros(1), Kind::Duration(Duration::ZERO, Duration::from_secs(1));
    }
}

/// Vegas-A+, reconstructed. 256 bytes, parameters included.
#[derive(Clone, Debug)]
pub struct VegasAPlus {
    vegas_a: VegasA,
    delay: RelativeDelay,
    /// `delay` when the last round ended.
    judged: RelativeDelay,
    tolerance: Duration,
}

const _: () = assert!(size_of::<VegasAPlus>() <= 256);

impl Algorithm for VegasAPlus {
    const NAME: &'static str = "vegas-a+";
    const ALIASES: &'static [&'static str] = &["vegas_a+", "vegas_a_plus"];
    const SUMMARY: &'static str =
        "Vegas-A that also uses the relative delay, after VenoDB, section 2.2";
    const ORIGIN: Origin = Origin::Reconstruction;
    const NEEDS: Signals = VegasA::NEEDS;
    const RECOVERIES: &'static [&'static str] = VegasA::RECOVERIES;
    const FACTS: Facts = VegasA::FACTS;
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            vegas_a: VegasA::new(&config.vegas, path),
            delay: RelativeDelay::default(),
            judged: RelativeDelay::default(),
            tolerance: config.eps_d.max(path.stamp_granularity),
        }
    }
}

impl Controller for VegasAPlus {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        self.vegas_a.on_sample(sample);
        if let Some(stamps) = sample.ack_stamps() {
            self.delay.observe(&stamps, self.tolerance);
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if self.vegas_a.is_round_over() {
            self.judged = self.delay;
        }
        let delay = self.judged.sign(self.tolerance);
        let agree = |throughput| match (throughput, delay) {
            (Ordering::Greater, Ordering::Less | Ordering::Equal) => Ordering::Greater,
            (Ordering::Less, Ordering::Greater) => Ordering::Less,
            _ => Ordering::Equal,
        };
        self.vegas_a.take(ack, &rules::VEGAS_A_PLUS, agree);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.vegas_a.on_loss(loss);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.vegas_a.on_timeout(timeout);
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.vegas_a.on_mss(change);
    }

    #[inline]
    fn window(&self) -> Window {
        self.vegas_a.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.vegas_a.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.vegas_a.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.vegas_a.end_slow_start();
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        if let Some(ns) = self.judged.delay_ns() {
            out("relative_delay", Value::Seconds(ns as f64 / 1e9));
        }
        out(
            "delay_trend",
            Value::trend(self.judged.sign(self.tolerance)),
        );
        self.vegas_a.explain(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{assert_near, number};
    use crate::algorithm::vegas_a::tests::{Rounds, Thresholds};

    impl Thresholds for VegasAPlus {
        fn thresholds(&self) -> [f64; 2] {
            self.vegas_a.thresholds()
        }
    }

    /// A connection whose alpha and beta are 2 and 4: after a round with diff 2, the throughput rose in
    /// a round whose last ACKs were as far apart as their packets.
    fn raised() -> Rounds<VegasAPlus> {
        let mut rounds = Rounds::new(10.0);
        rounds.of(125.0).are(10.0, 1.0, 3.0, "enough waits");
        rounds.of(124.0).are(10.0, 2.0, 4.0, "enough, rising");
        rounds
    }

    #[test]
    fn rising_throughput_with_rising_delay_holds_the_window() {
        let mut rounds = Rounds::<VegasAPlus>::new(10.0);
        rounds.of(125.0);
        // A mean of 123.5 ms, and the last packet took 1 ms longer than the one before.
        rounds.samples(&[123.0, 124.0]);
        assert_near(number(&rounds.control, "relative_delay"), 0.001);
        rounds.are(10.0, 1.0, 3.0, "enough waits");
        // Vegas-A grows here.
        let mut without = Rounds::<VegasA>::new(10.0);
        without.of(125.0).samples(&[123.0, 124.0]);
        without.are(10.0, 2.0, 4.0, "enough, rising");
    }

    #[test]
    fn below_alpha_the_window_grows_if_throughput_rises_and_delay_does_not() {
        raised().of(110.0).are(10.0, 2.0, 4.0, "too little, rising");
        raised()
            .samples(&[109.0, 110.0])
            .are(10.0, 2.0, 4.0, "too little, steady");
    }

    #[test]
    fn below_alpha_the_window_shrinks_if_throughput_falls_and_delay_rises() {
        // cwnd 8: 8 / 110 ms is less than 10 / 124 ms.
        let smaller = |rtts: &[f64]| {
            let mut rounds = raised();
            rounds.control.restrict(Segments::whole(8));
            rounds.samples(rtts);
            rounds
        };
        smaller(&[109.0, 110.0]).are(7.0, 1.0, 3.0, "too little, falling");
        smaller(&[110.0, 110.0]).are(8.0, 2.0, 4.0, "too little, steady");
    }

    #[test]
    fn delay_does_not_count_where_vegas_a_does_not_compare_throughput() {
        let mut rounds = Rounds::<VegasAPlus>::new(10.0);
        // diff 0.5, the delay rising, Th falling.
        rounds.samples(&[104.0, 106.0]);
        rounds.are(10.0, 1.0, 3.0, "too little waits");
        // diff 5, the delay falling.
        rounds.samples(&[201.0, 200.0]);
        rounds.are(9.0, 1.0, 3.0, "too much waits");
    }
}
