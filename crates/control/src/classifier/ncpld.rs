//! NCPLD, reconstructed: is the delay beyond the knee of the throughput-load curve?

use super::{Classifier, Verdict};
use crate::catalogue::Entry;
use crate::controller::{Origin, Signals};
use crate::estimate::rtt::{RoundStatistic, Rtt, RttMode, bounded};
use crate::event::{Loss, Path, Sample};
use crate::parameter::{Kind, parameters};
use crate::units::Segments;

parameters! {
    /// NCPLD's parameters.
    pub struct Config {
        /// Rounds after which the knee is forgotten and the search begins again (reconstruction: 100).
        knee_rounds: u32 = 100, Kind::Count(1, 1_000_000);
    }
}

/// A round's window, and its mean RTT in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Point {
    cwnd: Segments,
    rtt: u64,
}

impl Point {
    /// Whether this point has the greater power, that is throughput over delay, cwnd / RTT^2. Compared
    /// without a division: the 52 bits of a window and twice the 37 of an RTT fit in 128.
    fn is_stronger_than(&self, other: &Self) -> bool {
        let load = |cwnd: Segments, rtt: u64| {
            u128::from(cwnd.min(Segments::CAP).raw()) * u128::from(rtt) * u128::from(rtt)
        };
        load(self.cwnd, other.rtt) > load(other.cwnd, self.rtt)
    }
}

/// Congestion if the RTT is above that of the knee, the round with the greatest power, cwnd / RTT^2.
///
/// The source is Samaraweera, "Non-congestion packet loss detection for TCP error recovery using
/// wireless links", IEE Proceedings Communications 146(4), 1999. Only the description in SARBE,
/// section 2, was available: it detects "the knee point of the throughput-load bend". The rest is made
/// up: the knee is where the power is greatest, a round counts with its mean RTT and the window at its
/// end, the first of equal rounds is kept, and the knee is forgotten after `knee_rounds` rounds.
#[derive(Clone, Debug)]
pub struct Ncpld {
    knee: Option<Point>,
    mean: Rtt,
    statistic: RoundStatistic,
    /// The latest RTT, in nanoseconds; 0 before the first.
    last: u64,
    /// Rounds since the search for the knee last began.
    rounds: u32,
    config: Config,
}

impl Entry for Ncpld {
    const NAME: &'static str = "ncpld";
    const SUMMARY: &'static str =
        "congestion at an RTT above that of the greatest power (after Samaraweera 1999)";
    const ORIGIN: Origin = Origin::Reconstruction;
    const NEEDS: Signals = Signals::RTT;
    type Config = Config;

    fn create(config: &Config, _: &Path) -> Self {
        Self {
            knee: None,
            mean: Rtt::default(),
            statistic: RoundStatistic::default(),
            last: 0,
            rounds: 0,
            config: *config,
        }
    }
}

impl Classifier for Ncpld {
    #[inline]
    fn on_sample(&mut self, sample: &Sample, cwnd: Segments) {
        let Some(rtt) = sample.rtt_of_new_data() else {
            return;
        };
        self.last = bounded(rtt).get();
        self.mean
            .observe(RttMode::RoundMean, &mut self.statistic, sample.now, rtt);
        // Only a round that has just begun has no samples.
        let (.., samples) = self.statistic.parts();
        let Some(mean) = self.mean.eighths().filter(|_| samples == 0) else {
            return;
        };
        let point = Point {
            cwnd,
            rtt: (mean.get() >> 3).max(1),
        };
        if self.rounds == self.config.knee_rounds {
            (self.knee, self.rounds) = (None, 0);
        }
        if self.knee.is_none_or(|knee| point.is_stronger_than(&knee)) {
            self.knee = Some(point);
        }
        self.rounds += 1;
    }

    fn classify(&self, _: &Loss, _: Segments) -> Verdict {
        Verdict::of(self.knee.is_some_and(|knee| self.last > knee.rtt))
    }
}
