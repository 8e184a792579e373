//! Veno's test: had a queue built up?

use super::{Classifier, Verdict};
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::backlog;
use crate::estimate::base_rtt::{BaseReset, BaseRtt};
use crate::estimate::rtt::{RoundStatistic, Rtt, RttMode};
use crate::event::{Loss, Path, Sample, Timeout};
use crate::parameter::{Kind, parameters};
use crate::units::Segments;

parameters! {
    /// The parameters of Veno's test.
    pub struct Config {
        /// Backlog from which a loss is congestive, in segments (Fu and Liew 2003: 3).
        beta: Segments = Segments::whole(3), Kind::Segments(Segments::ZERO, Segments::CAP);
        /// The RTT in N: `srtt` smoothed (Fu and Liew 2003), `last` sample, `round_mean`, `round_min`.
        rtt_mode: RttMode = RttMode::Srtt, Kind::Choice(RttMode::WORDS);
        /// When BaseRTT is forgotten: `on_loss`, at every loss and timeout (Fu and Liew 2003), or `never` (Linux).
        base_reset: BaseReset = BaseReset::OnLoss, Kind::Choice(BaseReset::WORDS);
    }
}

/// Congestion if N >= beta, equality included (Fu and Liew 2003, section II). BaseRTT is forgotten
/// after the verdict, as in Veno.
#[derive(Clone, Debug)]
pub struct Veno {
    rtt: Rtt,
    base: BaseRtt,
    statistic: RoundStatistic,
    config: Config,
}

impl Entry for Veno {
    const NAME: &'static str = "veno";
    const SUMMARY: &'static str = "congestion at a backlog of beta or more (Fu and Liew 2003)";
    const NEEDS: Signals = Signals::RTT;
    type Config = Config;

    fn create(config: &Config, _: &Path) -> Self {
        Self {
            rtt: Rtt::default(),
            base: BaseRtt::default(),
            statistic: RoundStatistic::default(),
            config: *config,
        }
    }
}

impl Classifier for Veno {
    #[inline]
    fn on_sample(&mut self, sample: &Sample, _: Segments) {
        if let Some(rtt) = sample.rtt_of_new_data() {
            self.base.observe(rtt);
            let mode = self.config.rtt_mode;
            self.rtt.observe(mode, &mut self.statistic, sample.now, rtt);
        }
    }

    fn classify(&self, _: &Loss, cwnd: Segments) -> Verdict {
        let Config { beta, .. } = self.config;
        Verdict::of(backlog::reaches(beta, cwnd, &self.rtt, &self.base))
    }

    fn on_loss(&mut self, loss: &Loss, cwnd: Segments) -> Verdict {
        let verdict = self.classify(loss, cwnd);
        self.base.lose(self.config.base_reset);
        verdict
    }

    fn on_timeout(&mut self, _: &Timeout) {
        self.base.lose(self.config.base_reset);
    }
}
