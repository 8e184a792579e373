//! The flip-flop filter, reconstructed: is the delay outside its control limits?

use super::{Classifier, Verdict};
use crate::catalogue::Entry;
use crate::controller::{Origin, Signals};
use crate::estimate::rtt::bounded;
use crate::event::{Loss, Path, Sample};
use crate::parameter::{Kind, parameters};
use crate::units::{Ratio, Segments};
use crate::wide::{muladd_div, muldiv};

parameters! {
    /// The flip-flop filter's parameters.
    pub struct Config {
        /// Weight of the past in the agile average of the RTT (reconstruction: 0.1).
        agile: Ratio = Ratio::from_millionths(100_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Weight of the past in the stable average of the RTT and in that of the moving range (reconstruction: 0.9).
        stable: Ratio = Ratio::from_millionths(900_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Distance of the control limits from the average, in standard deviations (three-sigma rule: 3).
        sigmas: Ratio = Ratio::from_millionths(3_000_000), Kind::Ratio(Ratio::ZERO, Ratio::from_millionths(100_000_000));
    }
}

/// The averages of the RTT, in nanoseconds << 8. An RTT counts as at most 2^37 ns.
#[derive(Clone, Copy, Debug)]
struct Averages {
    agile: u64,
    stable: u64,
    /// The average at the centre of the limits: `agile` or `stable`.
    centre: u64,
    last: u64,
    /// The mean difference of consecutive samples; `None` before the second sample.
    range: Option<u64>,
    /// Whether the last sample was above the upper limit.
    above: bool,
}

/// Congestion if the latest RTT was above the upper control limit: the average plus `sigmas` standard
/// deviations (3 by default), where a standard deviation is the mean moving range / 1.128.
///
/// The source is Barman and Matta, "Effectiveness of Loss Labeling in Improving TCP Performance in
/// Wired/Wireless Networks", 2002, with the filter of Kim and Noble 2001; only descriptions by others
/// were available. The average is the agile one after a sample within the limits, and the stable one
/// after a sample outside. A sample is compared with the limits as they were before it. Two points are
/// made up here: the limits begin with the second difference, and every average takes every sample.
#[derive(Clone, Debug)]
pub struct FlipFlop {
    averages: Option<Averages>,
    config: Config,
}

/// The mean moving range of two samples of a normal distribution, in thousandths of its standard
/// deviation.
const D2: u32 = 1_128;

impl FlipFlop {
    /// The weighted average `floor(past * weight + sample * (1 - weight))`.
    fn average(past: u64, sample: u64, weight: Ratio) -> u64 {
        let one = Ratio::ONE.millionths();
        let weight = weight.millionths().min(one);
        muladd_div(past, weight, sample, one - weight, one)
    }
}

impl Averages {
    fn beginning(sample: u64) -> Self {
        Self {
            agile: sample,
            stable: sample,
            centre: sample,
            last: sample,
            range: None,
            above: false,
        }
    }

    /// The distance of the limits from the centre: `floor(floor(range * sigmas) / 1.128)`.
    fn width(range: u64, sigmas: Ratio) -> u64 {
        let wide = muldiv(range, sigmas.millionths(), Ratio::ONE.millionths());
        muldiv(wide, 1_000, D2)
    }

    fn take(&mut self, sample: u64, config: &Config) {
        let change = sample.abs_diff(self.last);
        let outside = match self.range {
            Some(range) => {
                let width = Self::width(range, config.sigmas);
                self.above = sample > self.centre.saturating_add(width);
                self.range = Some(FlipFlop::average(range, change, config.stable));
                self.above || sample < self.centre.saturating_sub(width)
            }
            None => {
                self.range = Some(change);
                false
            }
        };
        self.agile = FlipFlop::average(self.agile, sample, config.agile);
        self.stable = FlipFlop::average(self.stable, sample, config.stable);
        self.centre = if outside { self.stable } else { self.agile };
        self.last = sample;
    }
}

impl Entry for FlipFlop {
    const NAME: &'static str = "flip_flop";
    const ALIASES: &'static [&'static str] = &["flip-flop", "flipflop"];
    const SUMMARY: &'static str = "congestion at an RTT above the control limit of a flip-flop filter (after Barman and Matta 2002)";
    const ORIGIN: Origin = Origin::Reconstruction;
    const NEEDS: Signals = Signals::RTT;
    type Config = Config;

    fn create(config: &Config, _: &Path) -> Self {
        Self {
            averages: None,
            config: *config,
        }
    }
}

impl Classifier for FlipFlop {
    #[inline]
    fn on_sample(&mut self, sample: &Sample, _: Segments) {
        let Some(rtt) = sample.rtt_of_new_data() else {
            return;
        };
        let rtt = bounded(rtt).get() << 8;
        match &mut self.averages {
            Some(averages) => averages.take(rtt, &self.config),
            None => self.averages = Some(Averages::beginning(rtt)),
        }
    }

    fn classify(&self, _: &Loss, _: Segments) -> Verdict {
        Verdict::of(self.averages.is_some_and(|averages| averages.above))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{loss, path, sample};

    fn ms(n: f64) -> u64 {
        (n * 1e6) as u64 * 256
    }

    /// A classifier with averages of 100 ms and a mean moving range of 4 ms.
    fn at_100_ms() -> FlipFlop {
        let mut classifier = FlipFlop::new(&Config::default(), &path(20.0, 2.0));
        classifier.averages = Some(Averages {
            range: Some(ms(4.0)),
            ..Averages::beginning(ms(100.0))
        });
        classifier
    }

    #[test]
    fn only_an_rtt_above_the_upper_limit_is_congestion() {
        // The upper limit is 110.638 ms.
        for (rtt, verdict) in [
            (120.0, Verdict::Congestion),
            (110.639, Verdict::Congestion),
            (110.638, Verdict::Random),
            (108.0, Verdict::Random),
            // Below the lower limit.
            (80.0, Verdict::Random),
        ] {
            let mut classifier = at_100_ms();
            classifier.on_sample(&sample(1000.0, rtt), Segments::ONE);
            let found = classifier.classify(&loss(1000.0), Segments::ONE);
            assert_eq!(found, verdict, "{rtt} ms");
        }
    }

    #[test]
    fn the_agile_average_follows_within_the_limits_and_the_stable_one_outside() {
        for (rtt, centre) in [(108.0, 107.2), (120.0, 102.0), (80.0, 98.0)] {
            let mut classifier = at_100_ms();
            classifier.on_sample(&sample(1000.0, rtt), Segments::ONE);
            let averages = classifier.averages.expect("it has begun");
            assert_eq!(averages.centre, ms(centre), "{rtt} ms");
        }
    }

    #[test]
    fn the_limits_begin_with_the_third_sample() {
        let mut classifier = FlipFlop::new(&Config::default(), &path(20.0, 2.0));
        for (rtt, verdict) in [
            (100.0, Verdict::Random),
            // The agile average is 101.8 ms, the moving range 2 ms: the limit is 107.119 ms.
            (102.0, Verdict::Random),
            (107.2, Verdict::Congestion),
        ] {
            classifier.on_sample(&sample(1000.0, rtt), Segments::ONE);
            let found = classifier.classify(&loss(1000.0), Segments::ONE);
            assert_eq!(found, verdict, "{rtt} ms");
        }
    }
}
