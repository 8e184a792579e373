//! LDED: had congestion begun, and was not over?

use super::{Classifier, Verdict};
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::incipient::{Incipient, Thresholds};
use crate::estimate::rtt::Rtt;
use crate::event::{Loss, Path, Sample};
use crate::units::Segments;

/// Congestion begins at N >= beta and is over at N <= alpha; RTTmin is never forgotten, and the RTT
/// is the latest (Anh and Hong 2005, sections 2 and 3.2).
#[derive(Clone, Debug)]
pub struct Lded {
    congestion: Incipient,
    rtt: Rtt,
    rtt_min: BaseRtt,
    thresholds: Thresholds,
}

impl Entry for Lded {
    const NAME: &'static str = "lded";
    const SUMMARY: &'static str =
        "congestion from a backlog of beta until it is alpha (Anh and Hong 2005, section 2)";
    const NEEDS: Signals = Signals::RTT;
    type Config = Thresholds;

    fn new(config: &Thresholds, _: &Path) -> Self {
        Self {
            congestion: Incipient::default(),
            rtt: Rtt::default(),
            rtt_min: BaseRtt::default(),
            thresholds: *config,
        }
    }
}

impl Classifier for Lded {
    #[inline]
    fn on_sample(&mut self, sample: &Sample, cwnd: Segments) {
        if let Some(rtt) = sample.rtt_of_new_data() {
            self.rtt_min.observe(rtt);
            self.rtt.replace(rtt);
        }
        self.congestion
            .observe(&self.thresholds, cwnd, &self.rtt, &self.rtt_min);
    }

    fn classify(&self, _: &Loss, _: Segments) -> Verdict {
        Verdict::of(self.congestion.is_on())
    }
}
