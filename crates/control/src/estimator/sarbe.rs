//! SARBE's estimate.

use super::Estimator;
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::{bandwidth, sarbe};
use crate::event::{Path, Sample};
use crate::units::Rate;

/// As in SARBE.
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

    fn new(config: &sarbe::Config, path: &Path) -> Self {
        Self {
            bandwidth: sarbe::Sarbe::default(),
            config: *config,
            mss: bandwidth::segment_size(path.mss),
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

    fn rate(&self) -> Option<Rate> {
        self.bandwidth.rate()
    }
}
