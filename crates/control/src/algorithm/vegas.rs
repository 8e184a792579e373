//! Vegas: keeps a few segments, and no more, waiting in the queues of the path.
//!
//! Papers: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
//! Internet", IEEE JSAC 13(8), 1995, section 3; "Design and performance evaluation of an
//! improved TCP congestion avoidance scheme" (RoVegas), equation 1.
//!
//! diff = cwnd * (1 - BaseRTT / rtt), where rtt is the mean of the round's samples.
//!
//! | event | condition | rule |
//! |---|---|---|
//! | end of a round in slow start | every second round | no growth in the coming round |
//! | | the other rounds | diff > gamma: ssthresh = 2, cwnd = max(2, cwnd * 7/8); else + 1 per ACK |
//! | end of a round in avoidance | diff > beta | cwnd = max(2, cwnd - 1) |
//! | | diff < alpha | + 1 over the coming round, by 1/cwnd per ACK |
//! | | else | no growth in the coming round |
//! | ACK | cwnd - in flight <= 2 | cwnd += the round's growth |
//! | loss | sent after the last cut | cwnd = max(2, cwnd * 3/4), or * 1/2 for a retransmission |
//! | timeout | | ssthresh = max(2, cwnd / 2), cwnd = 2 |
//!
//! Initial values: BaseRTT unknown; the first round may grow. Defaults: alpha 1, beta 3, gamma 1
//! (ns-2, RoVegas; Linux: 2, 4, 1); 3/4, 1/2 and 7/8 (Brakmo and Peterson; ns-2).
//!
//! Readings
//! * If diff equals alpha or beta, the window stays. `int_diff` rounds diff first, as in ns-2.
//! * A round that ends with a duplicate ACK or during a recovery is judged at the next ACK of new data
//!   outside a recovery.
//! * The papers leave ssthresh at a loss open: after a cut it is at most cwnd, so congestion
//!   avoidance follows.
//! * A slow-start increment stops once cwnd >= ssthresh.
//!
//! Deviations: equation 1 has no floor of 2 segments (`min_cwnd`: ns-2). From ns-2, which rounds diff
//! (`int_diff`), uses the segments of the round in place of cwnd in both rates, and replaces BaseRTT
//! when at most one segment was in transit.
//! Signals: RTT. Hosts: all; the recovery `vegas` reports every retransmission. The twin in C is
//! `bpf/vegas.h`.

pub(super) mod rules;

use core::num::NonZeroU64;

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::round::Round;
use crate::estimate::rtt::bounded;
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules, Step};
use crate::parameter::{Kind, parameters};
use crate::rule::Rule;
use crate::snapshot::Snapshot;
use crate::units::{Duration, Instant, Ratio, Segments};
use crate::wide::{product_above, product_at_least, reciprocal};
use rules::{Book, LossRule};

parameters! {
    /// Vegas' parameters.
    pub struct Config {
        use growth: Rules;
        use cuts: Cuts;
        /// The window grows below this diff, in segments (ns-2: 1; Linux: 2; Vegas-A begins with 1).
        alpha: Segments = Segments::whole(1), Kind::Segments(Segments::ZERO, Segments::CAP);
        /// The window shrinks above this diff, in segments (ns-2: 3; Linux: 4; Vegas-A begins with 3).
        beta: Segments = Segments::whole(3), Kind::Segments(Segments::ZERO, Segments::CAP);
        /// Slow start ends above this diff, in segments (ns-2: 1).
        gamma: Segments = Segments::whole(1), Kind::Segments(Segments::ZERO, Segments::CAP);
        /// Whether diff is rounded to whole segments before it is compared (ns-2).
        int_diff: bool = false, Kind::Flag;
        /// Fraction of the window that remains when slow start ends (Brakmo and Peterson 1995: 7/8).
        factor_exit: Ratio = Ratio::from_millionths(875_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Fraction of the window that remains after the first loss of a segment (Brakmo and Peterson 1995: 3/4).
        factor_first: Ratio = Ratio::from_millionths(750_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Fraction of the window that remains after the loss of a retransmission (Brakmo and Peterson 1995: 1/2).
        factor_again: Ratio = Ratio::from_millionths(500_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Fraction of the window that becomes ssthresh at a timeout (ns-2: 1/2).
        factor_timeout: Ratio = Ratio::from_millionths(500_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// The least window that a rule leaves, in segments (ns-2: 2).
        min_cwnd: u8 = 2, Kind::Count(1, 255);
        /// The window after a timeout, in segments (ns-2: 2).
        timeout_cwnd: u8 = 2, Kind::Count(1, 255);
        /// The window grows while at most this many segments of it are unused (ns-2: 2).
        slack: u8 = 2, Kind::Count(0, 255);
    }
}

/// How the window grows in the current round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Hold,
    SlowStart,
    Linear,
}

/// Vegas. 160 bytes, parameters included.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Vegas {
    growth: Growth,
    base: BaseRtt,
    /// Sum of the round's samples, in nanoseconds.
    sum: u64,
    /// What an ACK adds in this round under `Pace::Linear`.
    increment: Segments,
    round: Round,
    samples: u32,
    pace: Pace,
    round_over: bool,
    /// Whether this round of slow start grows; the next one then does not.
    grows: bool,
    /// How a loss since the last round was handled, for people.
    loss: LossRule,
    last_cut: Option<Instant>,
    /// The rule of this round, for people.
    verdict: &'static Rule,
    /// The diff by which the last round was judged, for people.
    diff: Segments,
    config: Config,
}

const _: () = assert!(size_of::<Vegas>() <= 160);

/// diff as a fraction: `window * extra / total`.
#[derive(Clone, Copy)]
pub(super) struct Diff {
    window: Segments,
    /// Sum of the samples above BaseRTT.
    extra: u64,
    /// Sum of the samples.
    total: u64,
    rounded: bool,
}

impl Diff {
    const HALF: Segments = Segments::from_raw(1 << 31);

    /// diff to nine digits, for people. It is rounded to whole segments if `int_diff` is set.
    fn approximate(&self) -> Segments {
        let shift = 32u32.saturating_sub(self.total.leading_zeros());
        let [extra, total] = [self.extra, self.total].map(|sum| sum >> shift);
        let part = (extra << 32).checked_div(total).unwrap_or(0);
        let diff = (u128::from(self.window.raw()) * u128::from(part)) >> 32;
        let diff = Segments::from_raw(diff as u64);
        if self.rounded {
            Segments::saturating_whole((diff + Self::HALF).floor())
        } else {
            diff
        }
    }

    /// Whether diff > `bound`. If diff is rounded to the nearest integer, floor(diff + 1/2) > bound
    /// means diff >= floor(bound) + 1/2.
    pub(super) fn is_above(&self, bound: Segments) -> bool {
        let window = self.window.raw();
        if self.rounded {
            let bound = Segments::saturating_whole(bound.floor()) + Self::HALF;
            product_at_least(window, self.extra, bound.raw(), self.total)
        } else {
            product_above(window, self.extra, bound.raw(), self.total)
        }
    }

    /// Whether diff < `bound`. If diff is rounded to the nearest integer, floor(diff + 1/2) < bound
    /// means diff < ceil(bound) - 1/2.
    pub(super) fn is_below(&self, bound: Segments) -> bool {
        let bound = if self.rounded {
            let ceiling = (bound + Segments::from_raw(u32::MAX.into())).floor();
            Segments::saturating_whole(ceiling).saturating_sub(Self::HALF)
        } else {
            bound
        };
        product_above(bound.raw(), self.total, self.window.raw(), self.extra)
    }
}

impl Vegas {
    /// At most this many samples of a round are used, so that their sum fits.
    const MOST: u32 = 1 << 24;

    fn diff(&self) -> Diff {
        let base = self.base.nanos().map_or(0, |base| base.get());
        Diff {
            window: self.growth.cwnd(),
            extra: self.sum.saturating_sub(base * u64::from(self.samples)),
            total: self.sum,
            rounded: self.config.int_diff,
        }
    }

    /// Handles an ACK of new data. At the end of a round in congestion avoidance it calls `judge`, which
    /// in turn calls one of [`Vegas::raise`], [`Vegas::keep`] and [`Vegas::lower`].
    #[inline]
    pub(super) fn take(&mut self, ack: &Ack, judge: impl FnOnce(&mut Self, &Diff)) {
        if self.round_over {
            self.close_round(ack.now, judge);
        }
        let used = ack.in_flight + ack.acked;
        let unused = self.growth.cwnd().saturating_sub(used);
        if self.pace == Pace::Hold
            || ack.app_limited
            || unused > Segments::whole(self.config.slack.into())
        {
            return;
        }
        match self.pace {
            Pace::SlowStart if self.growth.is_slow_start() => self.growth.accelerate(ack.acked),
            Pace::Linear => self.growth.set_cwnd(self.growth.cwnd() + self.increment),
            _ => (self.pace, self.verdict) = (Pace::Hold, &rules::STOP),
        }
    }

    /// Takes a round-trip time. BaseRTT is the minimum of the `least` values. `compared`, if any, enters
    /// the round's mean, which diff compares with BaseRTT.
    #[inline]
    pub(super) fn observe(
        &mut self,
        now: Instant,
        rtt: Duration,
        least: Duration,
        compared: Option<Duration>,
    ) {
        self.base.observe(least);
        if let Some(compared) = compared
            && self.samples < Self::MOST
        {
            self.sum += bounded(compared).get();
            self.samples += 1;
        }
        self.round_over |= self.round.is_ended_by(now, rtt);
    }

    /// The number of samples in the round so far.
    pub(super) fn samples(&self) -> u32 {
        self.samples
    }

    /// Discards the samples of the round so far.
    pub(super) fn forget_samples(&mut self) {
        self.sum = 0;
        self.samples = 0;
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// The mean RTT of a round that is over but not judged yet, in eighths of a nanosecond; `None` if
    /// there is no such round.
    pub(super) fn mean_of_past_round(&self) -> Option<NonZeroU64> {
        if !self.round_over {
            return None;
        }
        let mean = (u128::from(self.sum) << 3).checked_div(self.samples.into())?;
        NonZeroU64::new(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// Adds one segment over the coming round.
    pub(super) fn raise(&mut self, rule: &'static Rule) {
        self.increment = Segments::from_raw(reciprocal(self.growth.cwnd().raw()));
        (self.pace, self.verdict) = (Pace::Linear, rule);
    }

    /// Holds the window in the coming round.
    pub(super) fn keep(&mut self, rule: &'static Rule) {
        (self.pace, self.verdict) = (Pace::Hold, rule);
    }

    /// Removes one segment at once and holds the window in the coming round.
    pub(super) fn lower(&mut self, rule: &'static Rule) {
        self.set_cwnd(self.growth.cwnd().saturating_sub(Segments::ONE));
        self.keep(rule);
    }

    /// Judges the end of a round in congestion avoidance by fixed thresholds.
    pub(super) fn judge(&mut self, diff: &Diff, book: &'static Book) {
        if diff.is_above(self.config.beta) {
            self.lower(&book.decrease);
        } else if diff.is_below(self.config.alpha) {
            self.raise(&book.increase);
        } else {
            self.keep(&book.hold);
        }
    }

    fn close_round(&mut self, now: Instant, judge: impl FnOnce(&mut Self, &Diff)) {
        let diff = self.diff();
        self.diff = diff.approximate();
        if self.growth.is_slow_start() {
            self.grows = !self.grows;
            if !self.grows {
                self.keep(&rules::PAUSE);
            } else if diff.is_above(self.config.gamma) {
                self.growth.set_ssthresh(Segments::ZERO);
                self.set_cwnd(diff.window.scaled(self.config.factor_exit));
                self.keep(&rules::EXIT);
            } else {
                let rule = self
                    .growth
                    .by_counting(&rules::SLOW_START, &rules::SLOW_START_ABC);
                (self.pace, self.verdict) = (Pace::SlowStart, rule);
            }
        } else {
            judge(self, &diff);
        }
        self.loss = LossRule::None;
        self.begin_round(now);
    }

    fn begin_round(&mut self, now: Instant) {
        self.round = Round::beginning(now);
        self.round_over = false;
        self.forget_samples();
    }

    fn set_cwnd(&mut self, cwnd: Segments) {
        self.growth
            .set_cwnd(cwnd.max(Segments::whole(self.config.min_cwnd.into())));
    }
}

impl Snapshot for Vegas {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        self.growth.snapshot(out);
        self.base.snapshot(out);
        out("sum", self.sum);
        out("samples", self.samples.into());
        out("increment", self.increment.raw());
        out("began", self.round.began().as_nanos());
        out("last_cut", self.last_cut.map_or(0, Instant::as_nanos));
        out("has_cut", self.last_cut.is_some().into());
        out("pace", self.pace as u64);
        out("round_over", self.round_over.into());
        out("grows", self.grows.into());
        out("rule", rules::number(self.verdict));
        out("loss", self.loss as u64);
    }
}

impl Algorithm for Vegas {
    const NAME: &'static str = "vegas";
    const SUMMARY: &'static str =
        "keeps one to three segments waiting in the path (Brakmo and Peterson 1995)";
    const NEEDS: Signals = Signals::RTT;
    const RECOVERIES: &'static [&'static str] = &["vegas", "reno", "newreno", "sack"];
    const FACTS: Facts = Facts::VEGAS;
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        let growth = Growth::new(&config.growth, &config.cuts, path);
        Self {
            growth,
            base: BaseRtt::default(),
            sum: 0,
            increment: Segments::ZERO,
            round: Round::default(),
            samples: 0,
            pace: Pace::SlowStart,
            round_over: false,
            grows: true,
            last_cut: None,
            loss: LossRule::None,
            verdict: growth.by_counting(&rules::START, &rules::START_ABC),
            diff: Segments::ZERO,
            config: *config,
        }
    }
}

impl Controller for Vegas {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        let Some(rtt) = sample.rtt_of_new_data() else {
            return;
        };
        self.observe(sample.now, rtt, rtt, Some(rtt));
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.take(ack, |vegas, diff| vegas.judge(diff, &rules::VEGAS));
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.last_cut.is_some_and(|cut| loss.lost_sent_at <= cut) {
            self.loss = LossRule::Old;
            return;
        }
        let (factor, rule) = if loss.transmissions > 1 {
            (self.config.factor_again, LossRule::Again)
        } else {
            (self.config.factor_first, LossRule::First)
        };
        self.set_cwnd(self.growth.at_loss(loss.in_flight).scaled(factor));
        let Window { cwnd, ssthresh } = self.growth.window();
        self.growth.set_ssthresh(ssthresh.min(cwnd));
        self.last_cut = Some(loss.now);
        self.loss = rule;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let target = self
            .growth
            .at_loss(timeout.in_flight)
            .scaled(self.config.factor_timeout);
        self.growth.time_out(timeout, target);
        self.growth
            .set_cwnd(Segments::whole(self.config.timeout_cwnd.into()));
        self.grows = true;
        self.pace = Pace::SlowStart;
        self.begin_round(timeout.now);
        self.last_cut = Some(timeout.now);
        self.verdict = self.growth.by_counting(&rules::START, &rules::START_ABC);
        self.loss = match self.growth.step() {
            Step::RepeatedTimeout => LossRule::RepeatedTimeout,
            _ => LossRule::Timeout,
        };
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.growth.rescale(change);
    }

    #[inline]
    fn window(&self) -> Window {
        self.growth.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.growth.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.growth.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.growth.end_slow_start();
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.growth.explain(out);
        if self.samples > 0 {
            let Diff {
                window,
                extra,
                total,
                ..
            } = self.diff();
            let (extra, total) = (extra as f64, total as f64);
            out("backlog", Value::Segments(window.as_f64() * extra / total));
            out("rtt", Value::Seconds(total / f64::from(self.samples) / 1e9));
        }
        if let Some(base) = self.base.duration() {
            out("base_rtt", Value::Seconds(Duration::as_secs_f64(base)));
        }
        out("diff", Value::Segments(self.diff.as_f64()));
        out("round", Value::Rule(self.verdict));
        out(
            "rule",
            Value::Rule(self.loss.rule().unwrap_or(self.verdict)),
        );
    }
}

#[cfg(test)]
mod tests;
