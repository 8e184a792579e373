//! Prague: DCTCP for the Internet. A mark cuts the window by as much as many segments are marked, a loss halves
//! it, segments are paced, and flows with short round trips are no faster than one with 25 ms.
//!
//! Sources: RFC 9331, section 4 (the Prague requirements); draft-briscoe-iccrg-prague-congestion-control-04 and
//! Linux' `tcp_prague.c`, version 0.6, for what the requirements leave open. (s = min(SRTT / R_virt, 1))
//!
//! | event | rule | RFC 9331 |
//! |---|---|---|
//! | ACK | credited += delivered, marked += marked ones | 4.2 |
//! | the first ACK of a segment sent in the observation window, R_virt after its begin | alpha = alpha (1 - g) + g marked / credited, once a mark has come; a new window | 4.4 |
//! | ACK of unmarked segments, cwnd < ssthresh | cwnd += 1 | |
//! | ACK of unmarked segments, cwnd >= ssthresh | cwnd += s^2 / cwnd | 4.3, item 4 |
//! | mark of a segment sent after the last cut by a mark, R_virt after that cut | ssthresh = cwnd = max(cwnd (1 - alpha / 2), 2) | 4.3 |
//! | loss | ssthresh = cwnd = max(cwnd / 2, 2) | 4.3, item 2 |
//! | loss of a segment sent before the last cut by a mark | cwnd = half of the window before that cut, at most cwnd | 4.3, item 2 |
//! | timeout | ssthresh = max(cwnd / 2, 2), cwnd = 1 | 4.3, item 2 |
//! | always | rate = cwnd / SRTT, twice that in slow start; at once at most what it sends in 250 us | 4.3, item 7 |
//!
//! Initial values: alpha 1 until the first mark, so that it halves a window that overshoots. Defaults: g 1/16,
//! R_virt 25 ms, bursts of 250 us (all three: tcp_prague.c).
//!
//! Readings
//! * Independence of the RTT, as in tcp_prague.c: s^2 segments are gained in a round, s in R_virt, in which marks cut
//!   once. So the window is 2 s / p at a marked fraction p, and the rate that of a flow with R_virt. tcp_prague.c
//!   looks for a mark once in a round, and begins with all this 500 rounds after slow start; here each mark counts from
//!   R_virt after the last cut on, and it holds from the start. (Taking alpha s / 2 in each round instead is no
//!   substitute: a round of a short path often has no mark.)
//! * RFC 9331, 4.3, item 3, monitoring for queues that mark ECT(1) but are not for L4S: not built, as it is off in
//!   tcp_prague.c. In such a queue Prague takes more than its share; another control is to be used there (item 1).
//! * Item 5: the least window is two segments, one after a timeout.
//!
//! Deviations: alpha has 30 fraction bits; the window has fractions also where tcp_prague.c sends whole segments.
//! Signals: RTT, pacing, counts of marks, L4S. Hosts: those that have all of them.

use super::dctcp::{Cause, MarkCut, explain_marked};
use crate::controller::{Algorithm, Controller, Signals, Value, Window};
use crate::estimate::marked::{Fraction, Marked};
use crate::estimate::path;
use crate::estimate::rtt::Rtt;
use crate::event::{Ack, Loss, LossSignal, MssChange, Path, Sample, Timeout};
use crate::growth::{Counting, Cuts, Growth, Rules, Step};
use crate::parameter::{Kind, parameters};
use crate::rule::{self, Rule};
use crate::units::{Duration, Rate, Ratio, Segments};

parameters! {
    /// Prague's parameters.
    pub struct Config {
        use growth: Rules;
        use cuts: Cuts;
        /// g, the weight of the last observation window in alpha (tcp_prague.c: 1/16).
        gain: Ratio = Ratio::from_millionths(62_500), Kind::Ratio(Ratio::from_millionths(1_000), Ratio::ONE);
        /// alpha until the first mark (tcp_prague.c: 1).
        initial_alpha: Ratio = Ratio::ONE, Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// R_virt: flows with shorter round trips have the rate of one with this (tcp_prague.c: 25 ms). Zero for
        /// none.
        virtual_rtt: Duration = Duration::from_millis(25), Kind::Duration(Duration::ZERO, Duration::from_secs(1));
        /// What may leave at once, in time at the rate (RFC 9331, 4.3: 250 us). At least one segment.
        burst: Duration = Duration::from_micros(250), Kind::Duration(Duration::ZERO, Duration::from_millis(10));
    }
}

const SOURCE: &str = "RFC 9331, section 4.3; tcp_prague.c: prague_enter_cwr";

static AVOIDANCE: Rule = Rule {
    branch: "congestion avoidance",
    condition: "cwnd = {cwnd} >= ssthresh = {ssthresh}",
    action: "cwnd + {increase}/cwnd per ACK of unmarked segments",
    source: "RFC 9331, section 4.3, item 4; tcp_prague.c: prague_rate_scaled_ai_ack_increase",
};

static AVOIDANCE_ABC: Rule = Rule {
    action: "cwnd + {increase}/cwnd per unmarked segment that an ACK covers",
    ..AVOIDANCE
};

static MARK: Rule = Rule {
    branch: "mark",
    condition: "alpha = {after.alpha}",
    action: "{loss_window} x {after.kept}",
    source: SOURCE,
};

static EARLY: Rule = Rule {
    branch: "mark too early",
    condition: "a mark has cut the window since the segment was sent, or within {virtual_rtt}",
    action: "cwnd stays",
    source: SOURCE,
};

static LOSS: Rule = Rule {
    branch: "loss",
    condition: "a lost segment counts as in Reno",
    action: "{loss_window} x 0.5",
    source: "RFC 9331, section 4.3, item 2",
};

static LOSS_AFTER_MARK: Rule = Rule {
    branch: "loss after a mark",
    condition: "a mark has cut this window before",
    action: "half of the window before both",
    source: "RFC 9331, section 4.3, item 2",
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {loss_window} x 0.5, cwnd = 1",
    source: "RFC 9331, section 4.3, item 2",
};

/// Prague. 144 bytes.
#[derive(Clone, Debug)]
pub struct Prague {
    growth: Growth,
    marked: Marked,
    cut: MarkCut,
    rtt: Rtt,
    virtual_rtt: Duration,
    burst: Duration,
    rate: Rate,
    mss: u32,
    gain: Ratio,
    /// s: the round-trip time as a part of the virtual one.
    part: Fraction,
    /// Segments that may leave at once.
    quantum: u32,
    counting: Counting,
    cause: Cause,
    /// Whether a mark has come.
    seen: bool,
}

const _: () = assert!(size_of::<Prague>() <= 152);

impl Prague {
    /// s^2: what congestion avoidance adds in a round.
    fn increase(&self) -> Fraction {
        self.part.times(self.part)
    }

    /// Congestion avoidance: `cwnd += floor(worth * s^2 / cwnd)`.
    fn avoid(&mut self, acked: Segments) {
        let cwnd = self.growth.cwnd();
        let worth = match self.counting {
            Counting::Ack => Segments::ONE,
            Counting::Segment => acked.min(Segments::ONE),
            Counting::Abc => acked.min(cwnd),
        };
        let product = u128::from(worth.raw()) * (u128::from(self.increase().raw()) << 2);
        let step = product / u128::from(cwnd.raw());
        self.growth.set_cwnd(cwnd + Segments::from_raw(step as u64));
    }

    /// Sets the rate to that of a window in a smoothed round trip, and what may leave at once.
    fn pace(&mut self) {
        let Some(eighths) = self.rtt.eighths() else {
            return;
        };
        let window = u128::from(self.growth.cwnd().raw());
        let times = if self.growth.is_slow_start() { 2 } else { 1 };
        // Bytes << 32 in eighths of a nanosecond, as bytes << 16 in a second.
        let bytes = window * u128::from(self.mss) * times;
        let raw = bytes * (8_000_000_000 >> 8) / (u128::from(eighths.get()) << 8);
        self.rate = Rate::from_raw(u64::try_from(raw).unwrap_or(u64::MAX)).min(Rate::CAP);
        let at_once = path::delivered(self.rate, self.burst, path::UNIT, self.mss);
        self.quantum = u32::try_from(at_once).unwrap_or(u32::MAX).max(1);
    }

    /// s: the smoothed round-trip time as a part of the virtual one.
    fn measure(&mut self) {
        if let Some(eighths) = self.rtt.eighths() {
            let whole = self.virtual_rtt.as_nanos() << 3;
            self.part = Fraction::quotient(eighths.get(), whole);
        }
    }

    fn growth_rule(&self) -> &'static Rule {
        if self.growth.is_slow_start() {
            self.growth.rule()
        } else {
            self.growth.by_counting(&AVOIDANCE, &AVOIDANCE_ABC)
        }
    }

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
}

impl Algorithm for Prague {
    const NAME: &'static str = "prague";
    const SUMMARY: &'static str = "DCTCP for the Internet, paced and L4S (RFC 9331, section 4)";
    const NEEDS: Signals = Signals::RTT.with_pacing().with_marks().with_l4s();
    const RECOVERIES: &'static [&'static str] = &["sack", "newreno", "reno"];
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &config.cuts, path),
            marked: Marked::new(config.initial_alpha),
            cut: MarkCut::NONE,
            rtt: Rtt::default(),
            virtual_rtt: config.virtual_rtt,
            burst: config.burst,
            rate: Rate::ZERO,
            mss: path.mss.segment_size(),
            gain: config.gain,
            part: Fraction::ONE,
            quantum: 1,
            counting: config.growth.counting,
            cause: Cause::None,
            seen: false,
        }
    }
}

impl Controller for Prague {
    fn on_sample(&mut self, sample: &Sample) {
        if let Some(rtt) = sample.rtt_of_new_data() {
            let first = self.rtt.eighths().is_none();
            self.rtt.smooth(rtt);
            if first {
                self.measure();
            }
        }
        self.seen |= self.marked.count(sample);
        if self.marked.is_over(sample, self.virtual_rtt) {
            if self.seen {
                self.marked.update(self.gain, sample.now);
            } else {
                self.marked.forget(sample.now);
            }
            self.measure();
        }
        self.pace();
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited {
            return;
        }
        if self.growth.is_slow_start() {
            self.growth.accelerate(ack.acked);
        } else {
            self.avoid(ack.acked);
        }
        self.pace();
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.growth.at_loss(loss.in_flight);
        let cwnd = self.growth.cwnd();
        let mark = loss.by == LossSignal::Ecn;
        if mark && (self.cut.covers(loss) || self.cut.is_within(self.virtual_rtt, loss.now)) {
            self.cause = Cause::Early;
            return;
        }
        if mark {
            self.growth
                .limit(self.marked.alpha().half_taken_from(window));
            self.cut = MarkCut::new(loss.now, cwnd);
            self.cause = Cause::Mark;
        } else {
            let (target, cause) = self.cut.halve(loss, window, cwnd);
            self.growth.cut(target);
            self.cause = cause;
        }
        self.pace();
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let window = self.growth.at_loss(timeout.in_flight);
        self.growth.time_out(timeout, window.scaled(Ratio::HALF));
        self.cut = MarkCut::NONE;
        self.pace();
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.growth.rescale(change);
        self.cut.rescale(change);
        self.mss = change.after.segment_size();
        self.pace();
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
        self.pace();
    }

    fn restore(&mut self, before: &Window) {
        self.growth.restore(before);
        self.pace();
    }

    fn end_slow_start(&mut self) {
        self.growth.end_slow_start();
        self.pace();
    }

    /// `None` until a round-trip time is known.
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        self.rtt.eighths().map(|_| self.rate)
    }

    #[inline]
    fn send_quantum(&self) -> u32 {
        self.quantum
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.growth.explain(out);
        explain_marked(&self.marked, out);
        out(
            "kept",
            Value::Number(1.0 - self.marked.alpha().as_f64() / 2.0),
        );
        out("increase", Value::Segments(self.increase().as_f64()));
        if let Some(rtt) = self.rtt.duration() {
            out("rtt", Value::Seconds(rtt.as_secs_f64()));
            out(
                "pacing_rate",
                Value::BitRate(self.rate.as_bits_per_second()),
            );
        }
        out("quantum", Value::Segments(f64::from(self.quantum)));
        out("growth", Value::Rule(self.growth_rule()));
        out("rule", Value::Rule(self.rule()));
    }
}

#[cfg(test)]
mod tests;
