//! SARBE's estimate: bandwidth from the spacing of data at the receiver.

use super::Estimator;
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::{bandwidth, sarbe};
use crate::event::{MssChange, Path, Sample};
use crate::units::Rate;

/// Bandwidth from the spacing of data at the receiver through a stability filter, as in SARBE.
#[derive(Clone, Debug)]
pub struct Sarbe {
    bandwidth: sarbe::Sarbe,
    config: sarbe::Config,
    mss: u32,
}

impl Entry for Sarbe {
    const NAME: &'static str = "sarbe";
    const SUMMARY: &'static str =
        "spacing of data at the receiver, a stability filter (Anh and Hong 2005, section 3.1)";
    const NEEDS: Signals = Signals {
        receiver_time: true,
        ..Signals::NONE
    };
    type Config = sarbe::Config;

    fn create(config: &sarbe::Config, path: &Path) -> Self {
        Self {
            bandwidth: sarbe::Sarbe::default(),
            config: *config,
            mss: path.mss.segment_size(),
        }
    }
}

impl Estimator for Sarbe {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        let bytes = bandwidth::bytes(sample.credited, self.mss);
        let arrival = sample.stamps.map(|stamps| stamps.received_at);
        self.bandwidth.observe(&self.config, arrival, bytes);
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.mss = change.after.segment_size();
    }

    fn rate(&self) -> Option<Rate> {
        self.bandwidth.rate()
    }
}
