//! LDED and the Vegas predictor: had congestion begun, and was it not over yet? The two differ only when
//! the backlog equals a threshold.

use super::{Classifier, Verdict};
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::incipient::{Incipient, Thresholds};
use crate::estimate::rtt::Rtt;
use crate::event::{Loss, Path, Sample};
use crate::units::Segments;

/// What both share: RTTmin is never forgotten, and the RTT is the latest sample.
#[derive(Clone, Debug)]
struct Predictor {
    congestion: Incipient,
    rtt: Rtt,
    rtt_min: BaseRtt,
    thresholds: Thresholds,
}

impl Predictor {
    fn new(thresholds: &Thresholds) -> Self {
        Self {
            congestion: Incipient::default(),
            rtt: Rtt::default(),
            rtt_min: BaseRtt::default(),
            thresholds: *thresholds,
        }
    }

    #[inline]
    fn observe(&mut self, sample: &Sample) {
        if let Some(rtt) = sample.rtt_of_new_data() {
            self.rtt_min.observe(rtt);
            self.rtt.replace(rtt);
        }
    }

    fn verdict(&self) -> Verdict {
        Verdict::of(self.congestion.is_on())
    }
}

/// Congestion begins at N >= beta and is over at N <= alpha (Anh and Hong 2005, sections 2 and 3.2).
#[derive(Clone, Debug)]
pub struct Lded(Predictor);

impl Entry for Lded {
    const NAME: &'static str = "lded";
    const SUMMARY: &'static str =
        "congestion from a backlog of beta until it is alpha (Anh and Hong 2005, section 2)";
    const NEEDS: Signals = Signals::RTT;
    type Config = Thresholds;

    fn create(config: &Thresholds, _: &Path) -> Self {
        Self(Predictor::new(config))
    }
}

impl Classifier for Lded {
    #[inline]
    fn on_sample(&mut self, sample: &Sample, cwnd: Segments) {
        self.0.observe(sample);
        let Predictor {
            congestion,
            rtt,
            rtt_min,
            thresholds,
        } = &mut self.0;
        congestion.observe(thresholds, cwnd, rtt, rtt_min);
    }

    fn classify(&self, _: &Loss, _: Segments) -> Verdict {
        self.0.verdict()
    }
}

/// Congestion begins at N > beta and is over at N < alpha (Biaz and Vaidya 1998). The defaults of alpha
/// and beta, 1 and 3, are those of Anh and Hong 2005, section 2; Biaz and Vaidya use 1 and 1.
#[derive(Clone, Debug)]
pub struct Vegas(Predictor);

impl Entry for Vegas {
    const NAME: &'static str = "vegas";
    const SUMMARY: &'static str =
        "congestion from a backlog above beta until it is below alpha (Biaz and Vaidya 1998)";
    const NEEDS: Signals = Signals::RTT;
    type Config = Thresholds;

    fn create(config: &Thresholds, _: &Path) -> Self {
        Self(Predictor::new(config))
    }
}

impl Classifier for Vegas {
    #[inline]
    fn on_sample(&mut self, sample: &Sample, cwnd: Segments) {
        self.0.observe(sample);
        let Predictor {
            congestion,
            rtt,
            rtt_min,
            thresholds,
        } = &mut self.0;
        congestion.observe_strictly(thresholds, cwnd, rtt, rtt_min);
    }

    fn classify(&self, _: &Loss, _: Segments) -> Verdict {
        self.0.verdict()
    }
}
