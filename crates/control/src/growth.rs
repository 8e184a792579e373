//! How a window grows: slow start and congestion avoidance, shared by Reno's family.
//!
//! | phase | condition | each ACK of new data adds |
//! |---|---|---|
//! | slow start | cwnd < ssthresh | 1 segment |
//! | congestion avoidance | cwnd >= ssthresh | 1/cwnd segments |
//!
//! Sources: RFC 5681, section 3.1; RFC 3465 for `abc`.
//!
//! Readings
//! * At cwnd = ssthresh, where RFC 5681 leaves the choice, the window is in congestion
//!   avoidance (as in ns-2).
//! * `abc` after a timeout: "until all data outstanding at the timeout is acknowledged" is
//!   counted in acknowledged segments, since a controller sees no sequence numbers.
//! * An ACK that finds the application, not the window, limiting the sender adds nothing:
//!   a window that was not used has not been tested (RFC 7661, section 1).

use crate::controller::{Value, Window};
use crate::event::{Ack, Path, Timeout};
use crate::parameter::{Kind, choice, parameters};
use crate::rule::{self, Rule};
use crate::units::Segments;
use crate::wide::reciprocal;

choice! {
    /// What an ACK is worth.
    pub enum Counting {
        /// One segment, whatever it covers (ns-2).
        Ack = "ack",
        /// What it covers, at most one segment (RFC 5681).
        Segment = "segment",
        /// What it covers (RFC 3465).
        Abc = "abc",
    }
}

choice! {
    /// The window that a loss cuts.
    pub enum LossWindow {
        /// The congestion window, without inflation.
        Cwnd = "cwnd",
        /// The segments outstanding, at most the congestion window.
        Flight = "flight",
    }
}

parameters! {
    /// How the window grows; shared by every control.
    pub struct Rules {
        /// What an ACK is worth in growth: `ack` one segment (ns-2), `segment` what it covers,
        /// at most one (RFC 5681, 3.1), `abc` what it covers (RFC 3465).
        counting: Counting = Counting::Ack, Kind::Choice(Counting::WORDS);
        /// Segments that one ACK may add in slow start under `abc` (RFC 3465, 2.2: L = 2);
        /// 1 after a timeout.
        abc_limit: u8 = 2, Kind::Count(1, 255);
        /// Least slow-start threshold after a cut, in segments (RFC 5681, eq. 4: 2).
        min_ssthresh: u8 = 2, Kind::Count(1, 255);
    }
}

parameters! {
    /// What a loss cuts; shared by the controls that cut the window by a factor.
    pub struct Cuts {
        /// The window that a loss cuts: `cwnd` without inflation, or `flight`, the segments
        /// outstanding (RFC 5681, eq. 4).
        loss_window: LossWindow = LossWindow::Cwnd, Kind::Choice(LossWindow::WORDS);
        /// Whether the second and later timeouts of the same segment cut ssthresh again
        /// (RFC 5681, eq. 4: no; ns-2: yes).
        rto_repeat_halve: bool = false, Kind::Flag;
    }
}

/// How a window was cut last: with the algorithm, it names the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// Not yet.
    #[default]
    None,
    /// [`Growth::cut`] or [`Growth::limit`].
    Cut,
    /// [`Growth::restart`].
    Restart,
    /// [`Growth::time_out`], and the threshold was set.
    Timeout,
    /// [`Growth::time_out`], and the threshold stayed.
    RepeatedTimeout,
}

/// A congestion window and its threshold.
///
/// The window stays within 1 segment and [`Segments::CAP`] whatever happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    cwnd: Segments,
    ssthresh: Segments,
    /// Under `abc`: segments acknowledged and not yet turned into growth; while `repairing`,
    /// segments outstanding at the timeout and not yet acknowledged.
    credit: Segments,
    rules: Rules,
    cuts: Cuts,
    repairing: bool,
    step: Step,
}

const _: () = assert!(size_of::<Growth>() <= 32);

impl Growth {
    /// The window of a new connection.
    pub fn new(rules: &Rules, cuts: &Cuts, path: &Path) -> Self {
        Self {
            cwnd: path.initial_window.clamp(Segments::ONE, Segments::CAP),
            ssthresh: path.ssthresh,
            credit: Segments::ZERO,
            rules: *rules,
            cuts: *cuts,
            repairing: false,
            step: Step::None,
        }
    }

    /// The congestion window.
    #[inline]
    pub fn cwnd(&self) -> Segments {
        self.cwnd
    }

    /// Window and threshold.
    #[inline]
    pub fn window(&self) -> Window {
        Window {
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
        }
    }

    /// Segments acknowledged and not yet turned into growth or, while a timeout is repaired,
    /// outstanding at it and not yet acknowledged; zero but under `abc`.
    pub fn credit(&self) -> Segments {
        self.credit
    }

    /// Whether growth counts what ACKs cover, under `abc`.
    pub fn counts_bytes(&self) -> bool {
        self.rules.counting == Counting::Abc
    }

    /// Whether a timeout is being repaired; never but under `abc`.
    pub fn is_repairing(&self) -> bool {
        self.repairing
    }

    /// Whether the window is below its threshold.
    #[inline]
    pub fn is_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Reno's growth by one ACK.
    #[inline]
    pub fn grow(&mut self, ack: &Ack) {
        if ack.app_limited {
            return;
        }
        if self.is_slow_start() {
            self.accelerate(ack.acked);
        } else {
            self.avoid(ack.acked);
        }
    }

    /// Slow start: one segment for each segment that left.
    #[inline]
    pub fn accelerate(&mut self, acked: Segments) {
        let step = match self.rules.counting {
            Counting::Ack => Segments::ONE,
            Counting::Segment => acked.min(Segments::ONE),
            Counting::Abc => acked.min(self.abc_limit(acked)),
        };
        self.set_cwnd(self.cwnd + step);
    }

    /// Slow start by twice what [`Growth::accelerate`] adds.
    #[inline]
    pub fn accelerate_twice(&mut self, acked: Segments) {
        let before = self.cwnd;
        self.accelerate(acked);
        self.set_cwnd(self.cwnd + self.cwnd.saturating_sub(before));
    }

    /// Congestion avoidance: one segment for each window.
    #[inline]
    pub fn avoid(&mut self, acked: Segments) {
        if self.rules.counting == Counting::Abc {
            self.avoid_by_credit(acked);
        } else {
            let step = reciprocal(self.cwnd.raw());
            self.set_cwnd(self.cwnd + Segments::from_raw(step));
        }
    }

    /// Congestion avoidance by `flows` segments for each window:
    /// `cwnd += flows * floor(2^64 / cwnd)`, or `flows` once a window has been acknowledged.
    #[inline]
    pub fn avoid_as(&mut self, acked: Segments, flows: u32) {
        if self.rules.counting == Counting::Abc {
            let before = self.cwnd;
            self.avoid_by_credit(acked);
            if self.cwnd > before {
                self.set_cwnd(before + Segments::whole(flows));
            }
        } else {
            let step = reciprocal(self.cwnd.raw()).saturating_mul(flows.into());
            self.set_cwnd(self.cwnd + Segments::from_raw(step));
        }
    }

    /// Congestion avoidance by `quarters` quarters of a segment for each window:
    /// `cwnd += floor(floor(2^64 / cwnd) * quarters / 4)`, so that four are [`Growth::avoid`]'s.
    #[inline]
    pub fn avoid_by(&mut self, acked: Segments, quarters: u32) {
        if self.rules.counting == Counting::Abc {
            let part = acked
                .min(Segments::CAP)
                .raw()
                .saturating_mul(quarters.into())
                >> 2;
            self.avoid_by_credit(Segments::from_raw(part));
        } else {
            let step = reciprocal(self.cwnd.raw()).saturating_mul(quarters.into()) >> 2;
            self.set_cwnd(self.cwnd + Segments::from_raw(step));
        }
    }

    /// The window that a loss cuts.
    pub fn at_loss(&self, in_flight: Segments) -> Segments {
        match self.cuts.loss_window {
            LossWindow::Cwnd => self.cwnd,
            LossWindow::Flight => self.cwnd.min(in_flight),
        }
    }

    /// A cut: the threshold becomes `ssthresh`, and the window the threshold.
    pub fn cut(&mut self, ssthresh: Segments) {
        self.set_ssthresh(ssthresh);
        self.cwnd = self.ssthresh;
        self.forget_credit();
        self.step = Step::Cut;
    }

    /// A cut of the threshold that raises no window.
    pub fn limit(&mut self, ssthresh: Segments) {
        self.set_ssthresh(ssthresh);
        self.cwnd = self.cwnd.min(self.ssthresh);
        self.forget_credit();
        self.step = Step::Cut;
    }

    /// A new start at one segment, with the threshold `ssthresh`.
    pub fn restart(&mut self, ssthresh: Segments, in_flight: Segments) {
        self.set_ssthresh(ssthresh);
        self.restart_below(in_flight);
        self.step = Step::Restart;
    }

    /// A timeout by RFC 5681: a new start at one segment. The threshold becomes `ssthresh`,
    /// unless the same segment has timed out before.
    pub fn time_out(&mut self, timeout: &Timeout, ssthresh: Segments) {
        self.step = Step::RepeatedTimeout;
        if timeout.consecutive < 2 || self.cuts.rto_repeat_halve {
            self.set_ssthresh(ssthresh);
            self.step = Step::Timeout;
        }
        self.restart_below(timeout.in_flight);
    }

    /// Lowers the window to at most `cwnd`, never below one segment.
    pub fn restrict(&mut self, cwnd: Segments) {
        self.set_cwnd(self.cwnd.min(cwnd));
    }

    /// Sets the window, within its bounds.
    #[inline]
    pub fn set_cwnd(&mut self, cwnd: Segments) {
        self.cwnd = cwnd.clamp(Segments::ONE, Segments::CAP);
    }

    /// Sets the threshold, not below its floor.
    pub fn set_ssthresh(&mut self, ssthresh: Segments) {
        self.ssthresh = self.permitted(ssthresh);
    }

    /// What [`Growth::set_ssthresh`] makes of a threshold.
    pub fn permitted(&self, ssthresh: Segments) -> Segments {
        let floor = Segments::whole(self.rules.min_ssthresh.into());
        ssthresh.clamp(floor, Segments::CAP)
    }

    /// How the window was cut last.
    pub fn step(&self) -> Step {
        self.step
    }

    /// The rule by which [`Growth::grow`] goes now.
    pub fn rule(&self) -> &'static Rule {
        if self.is_slow_start() {
            self.slow_start_rule()
        } else {
            self.avoidance_rule()
        }
    }

    /// The rule of congestion avoidance.
    pub fn avoidance_rule(&self) -> &'static Rule {
        match self.rules.counting {
            Counting::Ack | Counting::Segment => &rule::AVOIDANCE,
            Counting::Abc => &rule::AVOIDANCE_ABC,
        }
    }

    /// The rule of slow start.
    pub fn slow_start_rule(&self) -> &'static Rule {
        match self.rules.counting {
            Counting::Ack => &rule::SLOW_START,
            Counting::Segment => &rule::SLOW_START_SEGMENT,
            Counting::Abc => &rule::SLOW_START_ABC,
        }
    }

    /// Reports the phase.
    pub fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let phase = if self.is_slow_start() {
            "slow start"
        } else {
            "congestion avoidance"
        };
        out("phase", Value::State(phase));
    }

    fn restart_below(&mut self, in_flight: Segments) {
        self.cwnd = Segments::ONE;
        self.forget_credit();
        if self.rules.counting == Counting::Abc {
            self.credit = in_flight;
            self.repairing = true;
        }
    }

    /// RFC 3465, section 2.3: not more than one segment an ACK while a timeout is repaired.
    fn abc_limit(&mut self, acked: Segments) -> Segments {
        if !self.repairing {
            return Segments::whole(self.rules.abc_limit.into());
        }
        self.credit = self.credit.saturating_sub(acked);
        self.repairing = self.credit > Segments::ZERO;
        Segments::ONE
    }

    /// RFC 3465, section 2.1: one segment once a whole window has been acknowledged.
    fn avoid_by_credit(&mut self, acked: Segments) {
        if self.repairing {
            self.forget_credit();
        }
        self.credit += acked;
        if self.credit >= self.cwnd {
            self.credit = self.credit.saturating_sub(self.cwnd);
            self.set_cwnd(self.cwnd + Segments::ONE);
        }
    }

    fn forget_credit(&mut self) {
        self.credit = Segments::ZERO;
        self.repairing = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{ack, assert_segments, path};
    use crate::event::Timeout;
    use crate::units::Instant;

    fn growth(rules: &Rules, cwnd: f64, ssthresh: f64) -> Growth {
        Growth::new(rules, &Cuts::default(), &path(cwnd, ssthresh))
    }

    fn abc() -> Rules {
        Rules {
            counting: Counting::Abc,
            ..Rules::default()
        }
    }

    #[test]
    fn v0_1() {
        let mut w = growth(&Rules::default(), 1.0, 4.0);
        for expected in [2.0, 3.0, 4.0, 4.25] {
            w.grow(&ack(1.0));
            assert_segments(w.cwnd(), expected);
        }
    }

    #[test]
    fn v0_2() {
        let mut w = growth(&Rules::default(), 4.0, 4.0);
        for expected in [4.25, 4.485294, 4.708245, 4.920638] {
            w.grow(&ack(1.0));
            assert_segments(w.cwnd(), expected);
        }
    }

    #[test]
    fn v0_3() {
        let mut w = growth(&Rules::default(), 10.0, 2.0);
        for _ in 0..10 {
            w.grow(&ack(1.0));
        }
        assert_segments(w.cwnd(), 10.958648);
    }

    #[test]
    fn v0_4() {
        for acked in [2.0, 5.0] {
            let mut w = growth(&abc(), 10.0, 100.0);
            w.grow(&ack(acked));
            assert_segments(w.cwnd(), 12.0);
        }
    }

    #[test]
    fn v0_5() {
        let mut w = growth(&abc(), 10.0, 2.0);
        w.grow(&ack(9.0));
        assert_segments(w.cwnd(), 10.0);
        w.grow(&ack(2.0));
        assert_segments(w.cwnd(), 11.0);
        assert_segments(w.credit, 1.0);
    }

    #[test]
    fn an_ack_of_half_a_segment_is_worth_half_in_rfc_5681() {
        let rules = Rules {
            counting: Counting::Segment,
            ..Rules::default()
        };
        let mut w = growth(&rules, 2.0, 100.0);
        w.grow(&ack(0.5));
        assert_segments(w.cwnd(), 2.5);
        w.grow(&ack(3.0));
        assert_segments(w.cwnd(), 3.5);
    }

    #[test]
    fn abc_adds_one_segment_an_ack_until_a_timeout_is_repaired() {
        let mut w = growth(&abc(), 10.0, 100.0);
        let timeout = Timeout {
            now: Instant::ZERO,
            in_flight: Segments::whole(4),
            consecutive: 1,
        };
        w.time_out(&timeout, Segments::whole(50));
        for expected in [2.0, 3.0, 5.0] {
            w.grow(&ack(2.0));
            assert_segments(w.cwnd(), expected);
        }
    }

    #[test]
    fn four_quarters_are_a_whole() {
        for counting in [Counting::Ack, Counting::Segment, Counting::Abc] {
            let rules = Rules {
                counting,
                ..Rules::default()
            };
            // 2^64 / (7 * 2^32) is no multiple of 4.
            let (mut whole, mut quarters) = (growth(&rules, 7.0, 2.0), growth(&rules, 7.0, 2.0));
            for _ in 0..50 {
                whole.avoid(Segments::ONE);
                quarters.avoid_by(Segments::ONE, 4);
                assert_eq!(whole, quarters);
            }
        }
    }

    #[test]
    fn an_application_without_data_earns_no_growth() {
        let mut w = growth(&Rules::default(), 10.0, 100.0);
        w.grow(&Ack {
            app_limited: true,
            ..ack(1.0)
        });
        assert_segments(w.cwnd(), 10.0);
    }

    #[test]
    fn flight_is_cut_at_most_from_the_window() {
        let cuts = Cuts {
            loss_window: LossWindow::Flight,
            ..Cuts::default()
        };
        let w = Growth::new(&Rules::default(), &cuts, &path(10.0, 2.0));
        assert_segments(w.at_loss(Segments::whole(7)), 7.0);
        assert_segments(w.at_loss(Segments::whole(12)), 10.0);
    }
}
