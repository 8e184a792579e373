//! DCTCP: a mark cuts the window by as much as many segments are marked.
//!
//! Source: RFC 8257.
//!
//! | event | rule | section |
//! |---|---|---|
//! | ACK | credited += delivered, marked += marked ones | 3.3, steps 2 and 3 |
//! | the first ACK of a segment sent in the observation window | alpha = alpha (1 - g) + g marked / credited; a new window | 3.3, steps 5 to 8 |
//! | ACK, cwnd < ssthresh | cwnd += 1 | 3.4 |
//! | ACK, cwnd >= ssthresh | cwnd += 1/cwnd | 3.4 |
//! | mark of a segment sent after the last cut by a mark | ssthresh = cwnd = max(cwnd (1 - alpha / 2), 2) | 3.3, step 9 |
//! | loss | ssthresh = cwnd = max(cwnd / 2, 2) | 3.5 |
//! | loss of a segment sent before the last cut by a mark | cwnd = half of the window before that cut, at most cwnd | 3.5 |
//! | timeout | ssthresh = max(cwnd / 2, 2), cwnd = 1 | 3.5 |
//!
//! Initial values: alpha 1 (3.3). Defaults: g 1/16 (4.2).
//!
//! Readings
//! * The first mark of a window of data cuts, as RFC 3168 has it, with alpha from the observation windows that are
//!   over. Step 9 read literally would cut at the end of each observation window.
//! * 3.3 counts bytes by the cumulative ACK; here each segment counts when it is reported as delivered.
//! * 3.5: one reduction in a window "across all loss signals", and a loss changes cwnd "in the same way" as in
//!   a conventional TCP. So a loss and a mark in one window together halve it.
//! * A mark never raises the window: at cwnd = 1, it stays.
//! * ACKs without a count of marks (an echo) count as marked as a whole, as from DCTCP's receiver (3.2).
//!
//! Deviations: alpha has 30 fraction bits. From Linux: it cuts to whole segments, its alpha has 10 bits, and its
//! loss halves once more after a mark in the same window.
//! Signals: RTT, counts of marks. Hosts: those that count marks.

use crate::controller::{Algorithm, Controller, Signals, Value, Window};
use crate::estimate::marked::Marked;
use crate::event::{Ack, Loss, LossSignal, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules, Step};
use crate::parameter::{Kind, parameters};
use crate::rule::{self, Rule};
use crate::snapshot::Snapshot;
use crate::units::{Duration, Instant, Ratio, Segments};

parameters! {
    /// DCTCP's parameters.
    pub struct Config {
        use growth: Rules;
        use cuts: Cuts;
        /// g, the weight of the last observation window in alpha (RFC 8257, 4.2: 1/16).
        gain: Ratio = Ratio::from_millionths(62_500), Kind::Ratio(Ratio::from_millionths(1_000), Ratio::ONE);
        /// alpha at the start (RFC 8257, 3.3: 1).
        initial_alpha: Ratio = Ratio::ONE, Kind::Ratio(Ratio::ZERO, Ratio::ONE);
    }
}

static MARK: Rule = Rule {
    branch: "mark",
    condition: "alpha = {after.alpha}",
    action: "{loss_window} x {after.kept}",
    source: "RFC 8257, section 3.3",
};

static EARLY: Rule = Rule {
    branch: "mark of the same window",
    condition: "a mark has cut the window since the marked segment was sent",
    action: "cwnd stays",
    source: "RFC 8257, section 3.3",
};

static LOSS: Rule = Rule {
    branch: "loss",
    condition: "a lost segment counts as in a conventional TCP",
    action: "{loss_window} x 0.5",
    source: "RFC 8257, section 3.5",
};

static LOSS_AFTER_MARK: Rule = Rule {
    branch: "loss after a mark",
    condition: "a mark has cut this window before",
    action: "half of the window before both",
    source: "RFC 8257, section 3.5",
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {loss_window} x 0.5, cwnd = 1",
    source: "RFC 8257, section 3.5",
};

/// What cut the window last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    None,
    Mark,
    /// Nothing: a mark that came too early.
    Early,
    Loss,
    LossAfterMark,
}

/// The last cut by a mark, for losses in the window that it cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MarkCut {
    at: Instant,
    /// The window before it; zero if there was no such cut since the last loss.
    before: Segments,
}

impl MarkCut {
    pub(super) const NONE: Self = Self {
        at: Instant::ZERO,
        before: Segments::ZERO,
    };

    pub(super) fn new(at: Instant, before: Segments) -> Self {
        Self { at, before }
    }

    /// Whether a mark is of a segment that was sent before this cut.
    pub(super) fn covers(&self, mark: &Loss) -> bool {
        self.before > Segments::ZERO && mark.lost_sent_at <= self.at
    }

    /// Whether less than `span` has passed since this cut.
    pub(super) fn is_within(&self, span: Duration, now: Instant) -> bool {
        self.before > Segments::ZERO && now.since(self.at) < span
    }

    /// The window was lowered to `cwnd` for another reason: what a loss halves is not more than that.
    pub(super) fn restrict(&mut self, cwnd: Segments) {
        self.before = self.before.min(cwnd);
    }

    pub(super) fn rescale(&mut self, change: &MssChange) {
        self.before = change.rescale(self.before);
    }

    /// The window after a loss that halves `window`, or half of the window before the cut if the segment was
    /// sent before that; at most `cwnd`. The cut is forgotten.
    pub(super) fn halve(
        &mut self,
        loss: &Loss,
        window: Segments,
        cwnd: Segments,
    ) -> (Segments, Cause) {
        let cut = core::mem::replace(self, Self::NONE);
        let half = window.scaled(Ratio::HALF);
        if cut.before == Segments::ZERO || loss.lost_sent_at > cut.at {
            return (half, Cause::Loss);
        }
        let shared = cut.before.scaled(Ratio::HALF).min(cwnd);
        (half.max(shared), Cause::LossAfterMark)
    }
}

/// DCTCP. 96 bytes.
#[derive(Clone, Debug)]
pub struct Dctcp {
    growth: Growth,
    marked: Marked,
    cut: MarkCut,
    gain: Ratio,
    cause: Cause,
}

const _: () = assert!(size_of::<Dctcp>() <= 96);

impl Dctcp {
    /// The rule of the last cut.
    fn rule(&self) -> &'static Rule {
        match (self.growth.step(), self.cause) {
            (Step::Timeout, _) => &TIMEOUT,
            (Step::RepeatedTimeout, _) => &rule::REPEATED_TIMEOUT,
            (_, Cause::Mark) => &MARK,
            (_, Cause::Early) => &EARLY,
            (_, Cause::Loss) => &LOSS,
            (_, Cause::LossAfterMark) => &LOSS_AFTER_MARK,
            (_, Cause::None) => &rule::NONE,
        }
    }

    /// The smoothed fraction of marked segments, with its observation window.
    pub fn marked(&self) -> &Marked {
        &self.marked
    }
}

impl Snapshot for Dctcp {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        self.growth.snapshot(out);
        let (credited, marked) = self.marked.sums();
        out("credited", credited.raw());
        out("marked", marked.raw());
        out("window_began", self.marked.began().as_nanos());
        out("alpha", self.marked.alpha().raw().into());
        out("mark_cut", self.cut.at.as_nanos());
        out("before_mark", self.cut.before.raw());
        out("cause", self.cause as u64);
    }
}

impl Algorithm for Dctcp {
    const NAME: &'static str = "dctcp";
    const SUMMARY: &'static str = "cuts by the fraction of marked segments (DCTCP, RFC 8257)";
    const NEEDS: Signals = Signals::RTT.with_marks();
    const RECOVERIES: &'static [&'static str] = &["sack", "newreno", "reno"];
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &config.cuts, path),
            marked: Marked::new(config.initial_alpha),
            cut: MarkCut::NONE,
            gain: config.gain,
            cause: Cause::None,
        }
    }
}

impl Controller for Dctcp {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        self.marked.count(sample);
        if self.marked.is_over(sample, Duration::ZERO) {
            self.marked.update(self.gain, sample.now);
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.growth.grow(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.growth.at_loss(loss.in_flight);
        let cwnd = self.growth.cwnd();
        if loss.by == LossSignal::Ecn && self.cut.covers(loss) {
            self.cause = Cause::Early;
            return;
        }
        if loss.by == LossSignal::Ecn {
            self.growth
                .limit(self.marked.alpha().half_taken_from(window));
            self.cut = MarkCut::new(loss.now, cwnd);
            self.cause = Cause::Mark;
            return;
        }
        let (target, cause) = self.cut.halve(loss, window, cwnd);
        self.growth.cut(target);
        self.cause = cause;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let window = self.growth.at_loss(timeout.in_flight);
        self.growth.time_out(timeout, window.scaled(Ratio::HALF));
        self.cut = MarkCut::NONE;
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.growth.rescale(change);
        self.cut.rescale(change);
    }

    #[inline]
    fn window(&self) -> Window {
        self.growth.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        if cwnd < self.growth.cwnd() {
            self.growth.restrict(cwnd);
            self.cut.restrict(self.growth.cwnd());
        }
    }

    fn restore(&mut self, before: &Window) {
        self.growth.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.growth.end_slow_start();
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.growth.explain(out);
        explain_marked(&self.marked, out);
        out(
            "kept",
            Value::Number(1.0 - self.marked.alpha().as_f64() / 2.0),
        );
        out("growth", Value::Rule(self.growth.rule()));
        out("rule", Value::Rule(self.rule()));
    }
}

/// Reports the estimate and its observation window.
pub(super) fn explain_marked(marked: &Marked, out: &mut dyn FnMut(&'static str, Value)) {
    let (credited, of_them) = marked.sums();
    out("alpha", Value::Number(marked.alpha().as_f64()));
    out("credited", Value::Segments(credited.as_f64()));
    out("marked", Value::Segments(of_them.as_f64()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{
        ack, assert_near, assert_segments, at, branch, loss, number, path, sample, segments,
        timeout,
    };
    use crate::event::Marks;

    fn dctcp(cwnd: f64, ssthresh: f64) -> Dctcp {
        Dctcp::new(&Config::default(), &path(cwnd, ssthresh))
    }

    fn mark(now_ms: f64) -> Loss {
        loss(now_ms).with_signal(LossSignal::Ecn)
    }

    /// An ACK every 10 ms of one segment with an RTT of 60 ms; `marks` says which are marked.
    fn acks(control: &mut Dctcp, from_ms: f64, marks: &[bool]) {
        for (i, &marked) in marks.iter().enumerate() {
            let mut it = sample(from_ms + 10.0 * i as f64, 60.0);
            if marked {
                it = it.with_marks(Marks::Counted(Segments::ONE));
            }
            control.on_sample(&it);
        }
    }

    /// RFC 8257, section 3.3. The first ACK ends the first window: alpha = 15/16. The second window has the
    /// six ACKs up to 160 ms, of which three are marked: 15/16 * 15/16 + 1/16 * 1/2 = 0.91015625. A mark then
    /// leaves 1 - 0.455078125 of 20 segments.
    #[test]
    fn a_mark_cuts_by_half_of_alpha() {
        let mut control = dctcp(20.0, 2.0);
        acks(
            &mut control,
            100.0,
            &[false, true, true, true, false, false, false],
        );
        assert_near(number(&control, "alpha"), 0.910_156_25);
        control.on_loss(&mark(160.0));
        assert_segments(control.window().cwnd, 20.0 * 0.544_921_875);
        assert_segments(control.window().ssthresh, 20.0 * 0.544_921_875);
        assert_eq!(branch(&control), "mark");
    }

    /// Section 3.5: as a conventional TCP.
    #[test]
    fn a_loss_halves_the_window() {
        let mut control = dctcp(20.0, 2.0);
        control.on_loss(&loss(100.0));
        assert_segments(control.window().cwnd, 10.0);
        control.on_loss(&loss(300.0));
        assert_segments(control.window().cwnd, 5.0);
        control.on_timeout(&timeout(900.0, 1));
        assert_segments(control.window().ssthresh, 2.5);
        assert_segments(control.window().cwnd, 1.0);
    }

    /// Section 3.5: one reduction in a window across all signals. alpha = 0.5, so the mark leaves 15 of 20;
    /// the loss of a segment sent before makes it 10. One sent later halves again.
    #[test]
    fn a_mark_and_a_loss_in_one_window_halve_it_once() {
        let config = Config {
            initial_alpha: Ratio::HALF,
            ..Config::default()
        };
        for (sent_at, cwnd, name) in [(100.0, 10.0, "loss after a mark"), (101.0, 7.5, "loss")] {
            let mut control = Dctcp::new(&config, &path(20.0, 2.0));
            control.on_loss(&mark(100.0));
            assert_segments(control.window().cwnd, 15.0);
            control.on_loss(&loss(150.0).with_lost_sent_at(at(sent_at)));
            assert_segments(control.window().cwnd, cwnd);
            assert_eq!(branch(&control), name);
            // The next loss is one of its own.
            control.on_loss(&loss(160.0).with_lost_sent_at(at(90.0)));
            assert_segments(control.window().cwnd, cwnd / 2.0);
        }
    }

    #[test]
    fn a_mark_ends_slow_start_even_if_hardly_anything_is_marked() {
        let config = Config {
            initial_alpha: Ratio::ZERO,
            ..Config::default()
        };
        let mut control = Dctcp::new(&config, &path(20.0, 1000.0));
        control.on_loss(&mark(100.0));
        assert_segments(control.window().cwnd, 20.0);
        // 20 + 1/20.
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, 20.05);
    }

    /// Section 3.3: not more than once for every window of data.
    #[test]
    fn marks_cut_once_in_a_window_of_data() {
        let mut control = dctcp(40.0, 2.0);
        for (now, sent_at, cwnd, name) in [
            (100.0, 40.0, 20.0, "mark"),
            (150.0, 100.0, 20.0, "mark of the same window"),
            (161.0, 101.0, 10.0, "mark"),
        ] {
            control.on_loss(&mark(now).with_lost_sent_at(at(sent_at)));
            assert_segments(control.window().cwnd, cwnd);
            assert_eq!(branch(&control), name);
        }
    }

    #[test]
    fn a_mark_leaves_two_segments_and_never_raises_the_window() {
        let mut control = dctcp(3.0, 2.0);
        control.on_loss(&mark(100.0));
        assert_segments(control.window().cwnd, 2.0);
        control.restrict(Segments::ONE);
        control.on_loss(&mark(200.0));
        assert_segments(control.window().cwnd, 1.0);
        assert_eq!(control.window().ssthresh, segments(2.0));
    }
}
