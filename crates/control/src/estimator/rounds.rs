//! Bandwidth with one sample a round: Westwood+'s estimate.

use super::Estimator;
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::bandwidth;
use crate::estimate::per_round::{Config, PerRound};
use crate::event::{Path, Sample};
use crate::units::Rate;

/// As in Westwood+.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    bandwidth: PerRound,
    mss: u32,
}

impl Entry for WestwoodPlus {
    const NAME: &'static str = "westwood_plus";
    const ALIASES: &'static [&'static str] = &["westwood+", "westwoodplus"];
    const SUMMARY: &'static str = "one sample a round, a moving average (Grieco and Mascolo 2004)";
    const NEEDS: Signals = Signals::RTT;
    type Config = Config;

    fn new(config: &Config, path: &Path) -> Self {
        Self {
            bandwidth: PerRound::new(config),
            mss: bandwidth::segment_size(path.mss),
        }
    }
}

impl Estimator for WestwoodPlus {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        let bytes = bandwidth::bytes(sample.credited, self.mss);
        self.bandwidth
            .observe(sample.now, sample.rtt_of_new_data(), bytes);
    }

    fn rate(&self) -> Option<Rate> {
        self.bandwidth.rate()
    }
}
