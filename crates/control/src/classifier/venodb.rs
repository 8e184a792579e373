//! VenoDB's test: had a queue built up, and was it not draining?

use core::cmp::Ordering;

use super::{Classifier, Verdict, veno};
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::relative_delay::RelativeDelay;
use crate::event::{Loss, Path, Sample, Timeout};
use crate::parameter::{Kind, parameters};
use crate::units::{Duration, Segments};

parameters! {
    /// The parameters of VenoDB's test.
    pub struct Config {
        use veno: veno::Config;
        /// D up to this counts as zero; at least the resolution of the stamps.
        eps_d: Duration = Duration::from_micros(1), Kind::Duration(Duration::ZERO, Duration::from_secs(1));
    }
}

/// Congestion if N >= beta and D >= 0, where D compares the last two packets (VenoDB, section 3.1 D).
#[derive(Clone, Debug)]
pub struct VenoDb {
    veno: super::Veno,
    delay: RelativeDelay,
    tolerance: Duration,
}

impl Entry for VenoDb {
    const NAME: &'static str = "venodb";
    const SUMMARY: &'static str = "congestion at a backlog of beta or more, unless the relative delay falls (VenoDB, section 3.1 D)";
    const NEEDS: Signals = Signals::RECEIVER_TIME;
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            veno: super::Veno::new(&config.veno, path),
            delay: RelativeDelay::default(),
            tolerance: config.eps_d.max(path.stamp_granularity),
        }
    }
}

impl Classifier for VenoDb {
    #[inline]
    fn on_sample(&mut self, sample: &Sample, cwnd: Segments) {
        self.veno.on_sample(sample, cwnd);
        if let Some(stamps) = &sample.stamps {
            self.delay.observe(stamps, self.tolerance);
        }
    }

    fn classify(&self, loss: &Loss, cwnd: Segments) -> Verdict {
        if self.delay.sign(self.tolerance) == Ordering::Less {
            Verdict::Random
        } else {
            self.veno.classify(loss, cwnd)
        }
    }

    fn on_loss(&mut self, loss: &Loss, cwnd: Segments) -> Verdict {
        let verdict = self.classify(loss, cwnd);
        self.veno.on_loss(loss, cwnd);
        verdict
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.veno.on_timeout(timeout);
    }
}
