//! The rule of quicly: was the RTT that of a full queue, or was it the second loss within a round trip?

use super::{Classifier, Verdict};
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::round::Round;
use crate::estimate::rtt::{Rtt, bounded};
use crate::event::{Loss, Path, Sample, Timeout};
use crate::parameter::{Kind, parameters};
use crate::units::{Duration, Instant, Segments};

parameters! {
    /// The parameters of quicly's rule.
    pub struct Config {
        /// The queueing delay from which a loss is congestion, whatever a full queue had (h2o/quicly 687: 5 ms).
        guard: Duration = Duration::from_millis(5), Kind::Duration(Duration::ZERO, Duration::from_secs(10));
    }
}

/// A report of a lost segment.
#[derive(Clone, Copy, Debug)]
struct Report {
    at: Instant,
    /// The latest RTT then, in nanoseconds.
    rtt: u64,
}

/// A recovery of quicly: from a loss that counts as congestion until a segment sent since then is acknowledged.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    round: Round,
    /// The least of the latest RTTs at its losses, in nanoseconds.
    least: u64,
    /// Whether more than one segment was lost.
    several: bool,
}

/// Congestion if no RTT of a full queue is known, if a segment was reported lost within a round trip before, or if the
/// latest RTT is at least `min(sfqRTT - fqRTTvar, minRTT + guard)`; else random. sfqRTT and fqRTTvar are the mean and the
/// variation of the RTTs with a full queue: at the end of a recovery with several losses (or any, if there was none
/// before), the least of the latest RTTs at its losses, that of the loss before included if it made them several.
///
/// Source: the design note of h2o/quicly, pull request 687, "Adding random-loss resilience to loss-based congestion
/// controllers" (August 2026). Readings: mean and variation are smoothed as in RFC 9002, section 5.3; within a round trip
/// is within the latest RTT; a recovery ends as in RFC 9002, section 7.3.2. Losses after the first of
/// an episode count when they are sent again, and may then turn the verdict on the episode into congestion. A timeout, of which the note says
/// nothing, ends a recovery without a sample, and what is resent until a segment sent since then is acknowledged is not
/// judged.
#[derive(Clone, Debug)]
pub struct Quicly {
    least: BaseRtt,
    /// The latest RTT in nanoseconds; 0 before the first.
    latest: u64,
    /// sfqRTT, and fqRTTvar in quarters of a nanosecond.
    full: Rtt,
    variation: u64,
    last: Option<Report>,
    recovery: Option<Recovery>,
    /// The round after a timeout.
    repair: Option<Round>,
    /// The first loss of an episode was judged, and is still to be counted by a sample.
    is_counted: bool,
    /// The verdict on the last episode so far.
    verdict: Verdict,
    guard: u64,
}

impl Quicly {
    /// A further segment is reported lost.
    fn report(&mut self, now: Instant) -> Verdict {
        let report = Report {
            at: now,
            rtt: self.latest,
        };
        let before = self.last.replace(report);
        let before = before.filter(|before| now.since(before.at).as_nanos() <= self.latest);
        if let Some(recovery) = &mut self.recovery {
            recovery.least = recovery.least.min(self.latest);
            recovery.several = true;
            return Verdict::Congestion;
        }
        let verdict = Verdict::of(before.is_some() || self.is_full());
        if verdict == Verdict::Congestion {
            self.recovery = Some(Recovery {
                round: Round::beginning(now),
                least: before.map_or(self.latest, |before| before.rtt.min(self.latest)),
                several: before.is_some(),
            });
        }
        verdict
    }

    /// Whether the latest RTT is that of a full queue, or none is known.
    fn is_full(&self) -> bool {
        let (Some(full), Some(least)) = (self.full.eighths(), self.least.nanos()) else {
            return true;
        };
        let full = (full.get() >> 3).saturating_sub(self.variation >> 2);
        self.latest >= full.min(least.get().saturating_add(self.guard))
    }

    /// Takes an RTT with a full queue.
    fn learn(&mut self, rtt: u64) {
        self.variation = match self.full.eighths() {
            // A half, in quarters.
            None => rtt << 1,
            Some(full) => self.variation - (self.variation >> 2) + (full.get() >> 3).abs_diff(rtt),
        };
        self.full.smooth(Duration::from_nanos(rtt));
    }
}

impl Entry for Quicly {
    const NAME: &'static str = "quicly";
    const SUMMARY: &'static str = "congestion at an RTT near that of a full queue, or at a second loss in a round trip (h2o/quicly 687)";
    const NEEDS: Signals = Signals::RTT;
    type Config = Config;

    fn create(config: &Config, _: &Path) -> Self {
        Self {
            least: BaseRtt::default(),
            latest: 0,
            full: Rtt::default(),
            variation: 0,
            last: None,
            recovery: None,
            repair: None,
            is_counted: false,
            verdict: Verdict::Random,
            guard: config.guard.as_nanos(),
        }
    }
}

impl Classifier for Quicly {
    fn on_sample(&mut self, sample: &Sample, _: Segments) {
        if let Some(rtt) = sample.rtt_of_new_data() {
            self.least.observe(rtt);
            self.latest = bounded(rtt).get();
            let over = |round: &Round| round.is_ended_by(sample.now, rtt);
            if let Some(recovery) = self.recovery.take_if(|recovery| over(&recovery.round))
                && (recovery.several || self.full.eighths().is_none())
            {
                self.learn(recovery.least);
            }
            self.repair.take_if(|round| over(round));
        }
        let first = core::mem::take(&mut self.is_counted) && sample.lost > Segments::ZERO;
        let more = sample.lost.floor().saturating_sub(u64::from(first));
        // From the second on, they are within a round trip.
        for _ in 0..more.min(2) {
            if self.repair.is_none() && self.report(sample.now) == Verdict::Congestion {
                self.verdict = Verdict::Congestion;
            }
        }
    }

    fn classify(&self, loss: &Loss, _: Segments) -> Verdict {
        self.clone().report(loss.now)
    }

    fn on_loss(&mut self, loss: &Loss, _: Segments) -> Verdict {
        self.is_counted = true;
        self.verdict = self.report(loss.now);
        self.verdict
    }

    fn revised(&self) -> Option<Verdict> {
        Some(self.verdict)
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.recovery = None;
        self.last = None;
        self.is_counted = false;
        self.repair = Some(Round::beginning(timeout.now));
    }
}
