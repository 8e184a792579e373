//! Westwood+'s estimate: bandwidth from one sample per round.

use super::Estimator;
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::bandwidth;
use crate::estimate::per_round::{Config, PerRound};
use crate::event::{MssChange, Path, Sample};
use crate::units::Rate;

/// Bandwidth from one sample per round, as in Westwood+.
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

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            bandwidth: PerRound::new(config),
            mss: path.mss.segment_size(),
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

    fn on_mss(&mut self, change: &MssChange) {
        self.mss = change.after.segment_size();
    }

    fn rate(&self) -> Option<Rate> {
        self.bandwidth.rate()
    }
}
