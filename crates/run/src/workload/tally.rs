//! Counts and times of the transfers of a workload, by classes of size.

use dumbbell_control::units::Duration;
use dumbbell_scenario::SizeClasses;
use dumbbell_sim::Time;

use crate::delays::{Sample, Summary};
use crate::histogram::Histogram;
use crate::outcome::{TransferOutcome, TransfersOutcome};
use crate::time::since_start;

/// The transfers of one pair of hosts, or of several.
#[derive(Debug)]
pub(super) struct Tally {
    classes: SizeClasses,
    of: Vec<Class>,
    listed: bool,
    list: Vec<Listed>,
    pub(super) refused: u64,
}

/// A transfer of the list.
#[derive(Clone, Copy, Debug)]
struct Listed {
    start: Time,
    bytes: u64,
    completion: Option<Duration>,
}

/// The transfers of one class.
#[derive(Debug, Default)]
struct Class {
    started: u64,
    finished: u64,
    bytes: u64,
    completions: Spread,
    slowdowns: Spread,
}

/// Times of which a histogram is kept.
#[derive(Debug, Default)]
struct Spread {
    sum: u64,
    /// `None` without a time.
    min: Option<Duration>,
    max: Duration,
    histogram: Histogram,
}

/// A slowdown is counted as a time, in which 1 is this many nanoseconds: the buckets of histograms are
/// narrowest there for numbers of this size.
const ONE: f64 = 1e6;

impl Tally {
    pub(super) fn new(classes: &SizeClasses, listed: bool) -> Self {
        let count = classes.bounds().len() + 1;
        Self {
            classes: classes.clone(),
            of: (0..count).map(|_| Class::default()).collect(),
            listed,
            list: Vec::new(),
            refused: 0,
        }
    }

    /// Forgets everything: the measurements begin.
    pub(super) fn restart(&mut self) {
        *self = Self::new(&self.classes, self.listed);
    }

    /// Counts a transfer that begins; returns its place in the list.
    pub(super) fn start(&mut self, bytes: u64, start: Time) -> u32 {
        let class = &mut self.of[self.classes.of(bytes)];
        class.started += 1;
        class.bytes += bytes;
        if self.listed {
            self.list.push(Listed {
                start,
                bytes,
                completion: None,
            });
        }
        self.list.len().saturating_sub(1) as u32
    }

    /// Counts a transfer that is complete.
    pub(super) fn finish(&mut self, bytes: u64, place: u32, completion: Duration, ideal: Duration) {
        let class = &mut self.of[self.classes.of(bytes)];
        class.finished += 1;
        class.completions.add(completion);
        let slowdown = completion.as_nanos() as f64 / ideal.as_nanos().max(1) as f64;
        class
            .slowdowns
            .add(Duration::from_nanos((slowdown * ONE) as u64));
        if self.listed
            && let Some(listed) = self.list.get_mut(place as usize)
        {
            listed.completion = Some(completion);
        }
    }

    /// Adds the transfers of another pair.
    pub(super) fn add(&mut self, other: &Self) {
        for (class, more) in self.of.iter_mut().zip(&other.of) {
            class.add(more);
        }
        self.list.extend_from_slice(&other.list);
        self.refused += other.refused;
    }

    /// The payload of all transfers that began, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.of.iter().map(|class| class.bytes).sum()
    }

    /// All transfers, and those of each class.
    pub(super) fn outcomes(&self) -> (TransfersOutcome, Vec<TransfersOutcome>) {
        let mut all = Class::default();
        self.of.iter().for_each(|class| all.add(class));
        let bounds = self.classes.bounds();
        let classes = self.of.iter().enumerate().map(|(place, class)| {
            let from = place.checked_sub(1).map_or(0, |before| bounds[before].0);
            class.outcome(from, bounds.get(place).map(|bound| bound.0))
        });
        (all.outcome(0, None), classes.collect())
    }

    pub(super) fn list(&self) -> Vec<TransferOutcome> {
        let outcome = |listed: &Listed| TransferOutcome {
            start_s: since_start(listed.start).as_secs_f64(),
            bytes: listed.bytes,
            completion_s: listed.completion.map(|time| time.as_secs_f64()),
        };
        self.list.iter().map(outcome).collect()
    }
}

impl Class {
    fn add(&mut self, other: &Self) {
        self.started += other.started;
        self.finished += other.finished;
        self.bytes += other.bytes;
        self.completions.merge(&other.completions);
        self.slowdowns.merge(&other.slowdowns);
    }

    fn outcome(&self, from: u64, below: Option<u64>) -> TransfersOutcome {
        let completion = self.completions.summary(self.finished);
        let slowdown = self.slowdowns.summary(self.finished);
        let ratio = |time: Option<f64>| time.map(|time| time * 1e9 / ONE);
        TransfersOutcome {
            from_bytes: from,
            below_bytes: below,
            started: self.started,
            finished: self.finished,
            alive: self.started - self.finished,
            bytes: self.bytes,
            completion_mean_s: completion.mean,
            completion_p50_s: completion.p50,
            completion_p95_s: completion.p95,
            completion_p99_s: completion.p99,
            completion_max_s: completion.max,
            slowdown_mean: ratio(slowdown.mean),
            slowdown_p50: ratio(slowdown.p50),
            slowdown_p95: ratio(slowdown.p95),
            slowdown_p99: ratio(slowdown.p99),
            slowdown_max: ratio(slowdown.max),
        }
    }
}

impl Spread {
    fn add(&mut self, time: Duration) {
        self.sum = self.sum.saturating_add(time.as_nanos());
        self.min = Some(self.min.map_or(time, |min| min.min(time)));
        self.max = self.max.max(time);
        self.histogram.add(time);
    }

    fn merge(&mut self, other: &Self) {
        self.sum = self.sum.saturating_add(other.sum);
        self.min = self.min.into_iter().chain(other.min).min();
        self.max = self.max.max(other.max);
        self.histogram.merge(&other.histogram);
    }

    /// What results say of so many times. A bucket's middle may lie below the shortest time: with times that are all the
    /// same, the percentiles would be below the mean.
    fn summary(&self, count: u64) -> Summary {
        let summary = Sample::of(count, self.sum, self.max, Some(&self.histogram)).summary();
        let least = self.min.map_or(0.0, Duration::as_secs_f64);
        let at_least = |percentile: Option<f64>| percentile.map(|time| time.max(least));
        Summary {
            p50: at_least(summary.p50),
            p95: at_least(summary.p95),
            p99: at_least(summary.p99),
            ..summary
        }
    }
}
