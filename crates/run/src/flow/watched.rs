//! A control with company: classifiers of losses and estimators of bandwidth that see what it sees
//! and change nothing; and how often each classifier is right.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dumbbell_control::classifier::{self, Classifier, Verdict};
use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::estimator::{self, Estimator};
use dumbbell_control::event::{Ack, Loss, LossSignal, Path, Sample, Timeout};
use dumbbell_control::units::{Duration, Rate, Segments};
use dumbbell_sim::Cause;

use super::control::Control;
use crate::outcome::Scores;

/// A control, and who watches it. The watchers are shared with the host: a control that holds another
/// one by value would keep all controls from being inlined.
struct Watched {
    inner: Control,
    company: Arc<Mutex<Company>>,
}

/// Who watches a control.
pub(crate) struct Company {
    classifiers: Vec<classifier::Any>,
    estimators: Vec<(&'static str, estimator::Any)>,
    /// Loss episodes so far, and what the classifiers said of the last one.
    episodes: u64,
    verdicts: Vec<Verdict>,
    ledger: Option<Ledger>,
    /// What the timer was set to that fired last.
    timeout: Duration,
}

/// What throughput equations ask of a flow and only its control knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ledger {
    /// The largest window since it was read last.
    pub peak: Segments,
    /// BaseRTT at each loss episode, of controls that explain one: how many, and their sum in seconds.
    pub bases: u64,
    pub base_sum: f64,
    /// Timeouts that were a segment's first, and how long the timer had run at them, in nanoseconds.
    pub first_timeouts: u64,
    pub first_timeouts_time: u64,
}

impl Company {
    /// The control with these beside it, and they; the control alone, if there are none.
    pub(crate) fn around(
        inner: Control,
        classifiers: &[classifier::AnyConfig],
        estimators: &[estimator::AnyConfig],
        has_ledger: bool,
        path: &Path,
    ) -> (Control, Option<Arc<Mutex<Self>>>) {
        if classifiers.is_empty() && estimators.is_empty() && !has_ledger {
            return (inner, None);
        }
        let company = Arc::new(Mutex::new(Self {
            classifiers: classifiers.iter().map(|c| c.build(path)).collect(),
            estimators: estimators
                .iter()
                .map(|config| (config.name(), config.build(path)))
                .collect(),
            episodes: 0,
            verdicts: Vec::new(),
            ledger: has_ledger.then(Ledger::default),
            timeout: Duration::ZERO,
        }));
        let watched = Watched {
            inner,
            company: Arc::clone(&company),
        };
        (Control::Custom(Box::new(watched)), Some(company))
    }

    /// What each estimator says now, by name; of one that says nothing yet, nothing.
    pub(crate) fn estimates(&self) -> impl Iterator<Item = (&'static str, Rate)> {
        self.estimators
            .iter()
            .filter_map(|(name, estimator)| Some((*name, estimator.rate()?)))
    }

    /// The retransmission timer fires; it was set to this.
    pub(crate) fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// The ledger, if there is one; its peak begins anew.
    pub(crate) fn read_ledger(&mut self) -> Option<Ledger> {
        let ledger = self.ledger.as_mut()?;
        let read = *ledger;
        ledger.peak = Segments::ZERO;
        Some(read)
    }
}

impl Controller for Watched {
    fn on_sample(&mut self, sample: &Sample) {
        let cwnd = self.inner.window().cwnd;
        let mut company = lock(&self.company);
        for classifier in &mut company.classifiers {
            classifier.on_sample(sample, cwnd);
        }
        for (_, estimator) in &mut company.estimators {
            estimator.on_sample(sample);
        }
        if let Some(ledger) = &mut company.ledger {
            ledger.peak = ledger.peak.max(cwnd);
        }
        drop(company);
        self.inner.on_sample(sample);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.inner.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        // A mark says itself what it is.
        if loss.by != LossSignal::Ecn {
            let cwnd = self.inner.window().cwnd;
            let mut company = lock(&self.company);
            let company = &mut *company;
            company.episodes += 1;
            company.verdicts.clear();
            let classifiers = company.classifiers.iter_mut();
            company
                .verdicts
                .extend(classifiers.map(|c| c.on_loss(loss, cwnd)));
            if let Some(ledger) = &mut company.ledger {
                ledger.enter(&self.inner);
            }
        }
        self.inner.on_loss(loss);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let mut company = lock(&self.company);
        for classifier in &mut company.classifiers {
            classifier.on_timeout(timeout);
        }
        for (_, estimator) in &mut company.estimators {
            estimator.on_timeout(timeout);
        }
        let time = company.timeout.as_nanos();
        if let (Some(ledger), 1) = (&mut company.ledger, timeout.consecutive) {
            ledger.first_timeouts += 1;
            ledger.first_timeouts_time += time;
        }
        drop(company);
        self.inner.on_timeout(timeout);
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.inner.restrict(cwnd);
    }

    fn pacing(&self) -> Option<Rate> {
        self.inner.pacing()
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.inner.explain(out);
    }
}

impl Ledger {
    /// A loss episode is about to be decided.
    fn enter(&mut self, control: &Control) {
        control.explain(&mut |name, value| {
            if let ("base_rtt", Value::Seconds(base)) = (name, value) {
                self.bases += 1;
                self.base_sum += base;
            }
        });
    }
}

/// A watcher that panicked has left nothing half done that counts.
pub(crate) fn lock(company: &Mutex<Company>) -> MutexGuard<'_, Company> {
    company.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The losses of a flow as the simulator knows them, against what classifiers say of them.
pub(crate) struct Judge {
    company: Arc<Mutex<Company>>,
    scores: Vec<Scores>,
    /// Transmissions that will never arrive and that no episode has told of, by segment.
    lost: BTreeMap<u64, Cause>,
    episodes: u64,
}

impl Judge {
    /// A judge of these classifiers in a company; none where there are none.
    pub(crate) fn of(
        classifiers: &[classifier::AnyConfig],
        company: Option<&Arc<Mutex<Company>>>,
    ) -> Option<Box<Self>> {
        let company = Arc::clone(company?);
        let scores: Vec<_> = classifiers
            .iter()
            .map(|config| Scores::of(config.name()))
            .collect();
        (!scores.is_empty()).then(|| {
            Box::new(Self {
                company,
                scores,
                lost: BTreeMap::new(),
                episodes: 0,
            })
        })
    }

    /// The simulator tells of a transmission of segment `seq`.
    pub(crate) fn on_discard(&mut self, seq: u64, cause: Cause) {
        self.lost.insert(seq, cause);
    }

    /// An ACK has been dealt with, after which `una` is the oldest segment without one: that is the
    /// lost one, if it told of a loss.
    pub(crate) fn on_ack(&mut self, una: u64) {
        let watched = lock(&self.company);
        if watched.episodes == self.episodes {
            return;
        }
        self.episodes = watched.episodes;
        self.lost = self.lost.split_off(&una);
        let cause = self.lost.remove(&una);
        for (scores, verdict) in self.scores.iter_mut().zip(&watched.verdicts) {
            scores.count(cause, *verdict);
        }
    }

    pub(crate) fn scores(&self) -> Vec<Scores> {
        self.scores.clone()
    }
}

impl Scores {
    fn of(classifier: &str) -> Self {
        Self {
            classifier: classifier.to_owned(),
            dropped_as_congestion: 0,
            dropped_as_random: 0,
            lost_as_congestion: 0,
            lost_as_random: 0,
            spurious: 0,
        }
    }

    fn count(&mut self, cause: Option<Cause>, verdict: Verdict) {
        let count = match (cause, verdict) {
            (Some(Cause::Dropped), Verdict::Congestion) => &mut self.dropped_as_congestion,
            (Some(Cause::Dropped), Verdict::Random) => &mut self.dropped_as_random,
            (Some(Cause::Lost), Verdict::Congestion) => &mut self.lost_as_congestion,
            (Some(Cause::Lost), Verdict::Random) => &mut self.lost_as_random,
            (Some(Cause::Filtered) | None, _) => &mut self.spurious,
        };
        *count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_and_verdict_has_its_own_count() {
        let mut scores = Scores::of("veno");
        let told = [
            (Some(Cause::Dropped), Verdict::Congestion, 4),
            (Some(Cause::Dropped), Verdict::Random, 1),
            (Some(Cause::Lost), Verdict::Congestion, 2),
            (Some(Cause::Lost), Verdict::Random, 3),
            (None, Verdict::Congestion, 5),
        ];
        assert_eq!(scores.accuracy(), None);
        for (cause, verdict, times) in told {
            (0..times).for_each(|_| scores.count(cause, verdict));
        }
        let counts = [
            scores.dropped_as_congestion,
            scores.dropped_as_random,
            scores.lost_as_congestion,
            scores.lost_as_random,
            scores.spurious,
        ];
        assert_eq!(counts, [4, 1, 2, 3, 5]);
        // 4 and 3 of 10.
        assert_eq!(scores.accuracy(), Some(0.7));
    }
}
