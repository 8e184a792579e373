//! Watches a control: loss classifiers and bandwidth estimators that receive the same events and
//! change nothing. Also measures how often each classifier is right.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dumbbell_control::classifier::{self, Classifier, Verdict};
use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::estimator::{self, Estimator};
use dumbbell_control::event::{
    Ack, Delivery, Handshake, Loss, LossSignal, LostSegment, MssChange, Path, Sample, Sent, Timeout,
};
use dumbbell_control::units::{Duration, Rate, Segments};
use dumbbell_sim::Cause;

use super::control::Control;
use crate::outcome::Scores;

/// A control and its watchers. The watchers are shared with the host: if this control held another
/// one by value, no control would be inlined.
struct Watched {
    inner: Control,
    company: Arc<Mutex<Company>>,
}

/// The watchers of a control.
pub(crate) struct Company {
    classifiers: Vec<classifier::Any>,
    estimators: Vec<(&'static str, estimator::Any)>,
    /// Loss episodes so far, and the verdicts of the classifiers on the last one.
    episodes: u64,
    verdicts: Vec<Verdict>,
    /// How often a verdict on the last episode changed since.
    revisions: u64,
    ledger: Option<Ledger>,
    /// The timeout that had been set when the timer fired last.
    timeout: Duration,
}

/// The quantities that throughput equations need of a flow and that only its control knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ledger {
    /// The largest window since the ledger was last read.
    pub peak: Segments,
    /// BaseRTT at each loss episode, if the control reports one: the number of values, and their
    /// sum in seconds.
    pub bases: u64,
    pub base_sum: f64,
    /// Timeouts that were the first of a segment, and the sum of the timeouts in force, in
    /// nanoseconds.
    pub first_timeouts: u64,
    pub first_timeouts_time: u64,
}

impl Company {
    /// Returns the control with these watchers around it, and the watchers; only the control if
    /// there are no watchers.
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
            revisions: 0,
            ledger: has_ledger.then(Ledger::default),
            timeout: Duration::ZERO,
        }));
        let watched = Watched {
            inner,
            company: Arc::clone(&company),
        };
        (Control::custom(Box::new(watched)), Some(company))
    }

    /// The current estimate of each estimator that has one, by name.
    pub(crate) fn estimates(&self) -> impl Iterator<Item = (&'static str, Rate)> {
        self.estimators
            .iter()
            .filter_map(|(name, estimator)| Some((*name, estimator.rate()?)))
    }

    /// Takes the verdicts on the last episode that have changed.
    fn revise(&mut self) {
        // Before the first episode there is nothing to revise.
        for (classifier, verdict) in self.classifiers.iter().zip(&mut self.verdicts) {
            if let Some(revised) = classifier.revised()
                && *verdict != revised
            {
                *verdict = revised;
                self.revisions += 1;
            }
        }
    }

    /// Called when the retransmission timer fires; `timeout` is the value that had been set.
    pub(crate) fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Returns the ledger, if there is one, and resets its peak.
    pub(crate) fn read_ledger(&mut self) -> Option<Ledger> {
        let ledger = self.ledger.as_mut()?;
        let read = *ledger;
        ledger.peak = Segments::ZERO;
        Some(read)
    }
}

impl Controller for Watched {
    fn on_sent(&mut self, sent: &Sent) {
        self.inner.on_sent(sent);
    }

    fn on_sample(&mut self, sample: &Sample) {
        let cwnd = self.inner.window().cwnd;
        let mut company = lock(&self.company);
        for classifier in &mut company.classifiers {
            classifier.on_sample(sample, cwnd);
        }
        company.revise();
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
        // The cause of an ECN mark is known.
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

    fn on_delivery(&mut self, delivery: &Delivery) {
        self.inner.on_delivery(delivery);
    }

    fn on_handshake(&mut self, handshake: &Handshake) {
        self.inner.on_handshake(handshake);
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.inner.on_lost_segment(lost);
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.inner.on_mss(change);
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.inner.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.inner.restore(before);
    }

    fn on_unused(&mut self, window: &Window) {
        self.inner.on_unused(window);
    }

    fn end_slow_start(&mut self) {
        self.inner.end_slow_start();
    }

    fn pacing(&self) -> Option<Rate> {
        self.inner.pacing()
    }

    fn send_quantum(&self) -> u32 {
        self.inner.send_quantum()
    }

    fn holds_back(&self) -> bool {
        self.inner.holds_back()
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.inner.explain(out);
    }
}

impl Ledger {
    /// Called when the control is about to react to a loss episode.
    fn enter(&mut self, control: &Control) {
        control.explain(&mut |name, value| {
            if let ("base_rtt", Value::Seconds(base)) = (name, value) {
                self.bases += 1;
                self.base_sum += base;
            }
        });
    }
}

/// Locks the company even after a panic: a watcher that panicked has left no harmful partial
/// result.
pub(crate) fn lock(company: &Mutex<Company>) -> MutexGuard<'_, Company> {
    company.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares the losses of a flow, as the simulator knows them, with the verdicts of classifiers.
pub(crate) struct Judge {
    company: Arc<Mutex<Company>>,
    scores: Vec<Scores>,
    /// Transmissions that will never arrive and that no episode has covered yet, by segment.
    lost: BTreeMap<u64, Cause>,
    episodes: u64,
    /// The cause of the last episode, and the verdicts on it that were counted.
    cause: Option<Cause>,
    counted: Vec<Verdict>,
    revisions: u64,
}

impl Judge {
    /// Creates a judge of these classifiers in a company; `None` if there are none.
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
                cause: None,
                counted: Vec::new(),
                revisions: 0,
            })
        })
    }

    /// Called when a transmission of segment `seq` will not arrive.
    pub(crate) fn on_discard(&mut self, seq: u64, cause: Cause) {
        self.lost.insert(seq, cause);
    }

    /// Called when an ACK has been processed. `una` is then the oldest unacknowledged segment: if
    /// the ACK revealed a loss, this is the lost segment.
    pub(crate) fn on_ack(&mut self, una: u64) {
        let watched = lock(&self.company);
        let is_new = watched.episodes != self.episodes;
        if !is_new && watched.revisions == self.revisions {
            return;
        }
        if is_new {
            self.episodes = watched.episodes;
            self.lost = self.lost.split_off(&una);
            self.cause = self.lost.remove(&una);
        } else {
            for (scores, verdict) in self.scores.iter_mut().zip(&self.counted) {
                *scores.place(self.cause, *verdict) -= 1;
            }
        }
        self.revisions = watched.revisions;
        self.counted.clone_from(&watched.verdicts);
        for (scores, verdict) in self.scores.iter_mut().zip(&self.counted) {
            *scores.place(self.cause, *verdict) += 1;
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

    /// The count of episodes of this cause with this verdict.
    fn place(&mut self, cause: Option<Cause>, verdict: Verdict) -> &mut u64 {
        match (cause, verdict) {
            (Some(Cause::Dropped), Verdict::Congestion) => &mut self.dropped_as_congestion,
            (Some(Cause::Dropped), Verdict::Random) => &mut self.dropped_as_random,
            (Some(Cause::Lost), Verdict::Congestion) => &mut self.lost_as_congestion,
            (Some(Cause::Lost), Verdict::Random) => &mut self.lost_as_random,
            (Some(Cause::Filtered) | None, _) => &mut self.spurious,
        }
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
            (0..times).for_each(|_| *scores.place(cause, verdict) += 1);
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
