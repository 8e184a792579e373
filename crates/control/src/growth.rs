//! The growth of a window: slow start and congestion avoidance, shared by Reno's family.
//!
//! | phase | condition | each ACK of new data adds |
//! |---|---|---|
//! | slow start | cwnd < ssthresh | 1 segment |
//! | congestion avoidance | cwnd >= ssthresh | 1/cwnd segments |
//!
//! Sources: RFC 5681, section 3.1; RFC 3465 for `abc`.
//!
//! Readings
//! * At cwnd = ssthresh, where RFC 5681 leaves the choice open, the window is in congestion
//!   avoidance (as in ns-2).
//! * `abc` after a timeout: "until all data outstanding at the timeout is acknowledged" is
//!   counted in acknowledged segments, since a controller sees no sequence numbers.
//! * An ACK that arrives while the application, not the window, limits the sender adds nothing:
//!   a window that was not used has not been tested (RFC 7661, section 1).
//!
//! ```
//! use dumbbell_control::event::{Ack, Path};
//! use dumbbell_control::growth::{Counting, Cuts, Growth, Rules};
//! use dumbbell_control::units::{Bytes, Instant, Ratio, Segments};
//!
//! let path = Path::new(Bytes(1000)).with_ssthresh(Segments::whole(12));
//! let mut rules = Rules::default();
//! rules.counting = Counting::Abc;
//! let mut growth = Growth::new(&rules, &Cuts::default(), &path);
//!
//! // Slow start: what the ACK covers.
//! let ack = Ack::new(Instant::ZERO, Segments::whole(2), Segments::whole(8));
//! growth.grow(&ack);
//! assert_eq!(growth.cwnd(), Segments::whole(12));
//! // Congestion avoidance: a segment once the window is acknowledged.
//! for _ in 0..6 {
//!     growth.grow(&ack);
//! }
//! assert_eq!(growth.cwnd(), Segments::whole(13));
//! // A loss.
//! let window = growth.at_loss(Segments::whole(13));
//! growth.cut(window.scaled(Ratio::HALF));
//! assert_eq!(growth.cwnd().as_f64(), 6.5);
//! ```

use crate::controller::{Value, Window};
use crate::event::{Ack, MssChange, Path, Timeout};
use crate::hint::cold_path;
use crate::parameter::{Kind, choice, parameters};
use crate::rule::{self, Rule};
use crate::units::Segments;
use crate::wide::reciprocal;

choice! {
    /// How many segments an ACK counts for.
    pub enum Counting {
        /// One segment, whatever the ACK covers (ns-2).
        Ack = "ack",
        /// The segments that the ACK covers, at most one (RFC 5681).
        Segment = "segment",
        /// The segments that the ACK covers (RFC 3465).
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
    /// How the window grows. Shared by every control.
    pub struct Rules {
        /// How many segments an ACK counts for: `ack` one (ns-2), `segment` what it covers,
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
    /// What a loss cuts. Shared by the controls that cut the window by a factor.
    pub struct Cuts {
        /// The window that a loss cuts: `cwnd` without inflation, or `flight`, the segments
        /// outstanding (RFC 5681, eq. 4).
        loss_window: LossWindow = LossWindow::Cwnd, Kind::Choice(LossWindow::WORDS);
        /// Whether the second and later timeouts of the same segment cut ssthresh again
        /// (RFC 5681, eq. 4: no; ns-2: yes).
        rto_repeat_halve: bool = false, Kind::Flag;
    }
}

/// How a window was last cut. Together with the algorithm, this identifies the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// It has not been cut yet.
    #[default]
    None,
    /// By [`Growth::cut`] or [`Growth::limit`].
    Cut,
    /// By [`Growth::restart`].
    Restart,
    /// By [`Growth::time_out`], which set the threshold.
    Timeout,
    /// By [`Growth::time_out`], which left the threshold as it was.
    RepeatedTimeout,
}

/// A congestion window and its threshold.
///
/// The window always stays between 1 segment and [`Segments::CAP`].
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

    /// Under `abc`, the segments that are acknowledged but not yet turned into growth or, while a timeout
    /// is being repaired, those that were outstanding at the timeout and are not yet acknowledged.
    /// Otherwise zero.
    pub fn credit(&self) -> Segments {
        self.credit
    }

    /// Whether growth counts what ACKs cover: `counting` is `abc`.
    pub fn counts_bytes(&self) -> bool {
        self.rules.counting == Counting::Abc
    }

    /// Whether a timeout is being repaired; always `false` without `abc`.
    pub fn is_repairing(&self) -> bool {
        self.repairing
    }

    /// Whether the window is below its threshold.
    #[inline]
    pub fn is_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows the window by one ACK, as Reno does.
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

    /// Slow start: one segment for each ACK or segment acknowledged, by `counting`. An ACK that covers several goes no
    /// further than the threshold, except by the first one.
    #[inline]
    pub fn accelerate(&mut self, acked: Segments) {
        let step = match self.rules.counting {
            Counting::Ack => Segments::ONE,
            Counting::Segment => acked.min(Segments::ONE),
            Counting::Abc => self.step_by_bytes(acked),
        };
        self.set_cwnd(self.cwnd + step);
    }

    /// The step of slow start under `abc`. Apart, so that other controls pay nothing for it.
    #[cold]
    #[inline(never)]
    fn step_by_bytes(&mut self, acked: Segments) -> Segments {
        let room = self.ssthresh.saturating_sub(self.cwnd);
        acked
            .min(self.abc_limit(acked))
            .min(room.max(Segments::ONE))
    }

    /// Slow start at twice the rate of [`Growth::accelerate`].
    #[inline]
    pub fn accelerate_twice(&mut self, acked: Segments) {
        let before = self.cwnd;
        self.accelerate(acked);
        self.set_cwnd(self.cwnd + self.cwnd.saturating_sub(before));
    }

    /// Congestion avoidance: one segment for each window acknowledged.
    #[inline]
    pub fn avoid(&mut self, acked: Segments) {
        if self.rules.counting == Counting::Abc {
            cold_path();
            self.avoid_by_credit(acked);
        } else {
            let step = reciprocal(self.cwnd.raw());
            self.set_cwnd(self.cwnd + Segments::from_raw(step));
        }
    }

    /// Congestion avoidance by `flows` segments for each window acknowledged:
    /// `cwnd += flows * floor(2^64 / cwnd)` at each ACK or, under `abc`, `cwnd += flows` once a window
    /// has been acknowledged.
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

    /// Congestion avoidance by `quarters` quarters of a segment for each window acknowledged:
    /// `cwnd += floor(floor(2^64 / cwnd) * quarters / 4)`. Four quarters give the same as
    /// [`Growth::avoid`].
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

    /// The window that a loss cuts, by `loss_window`.
    pub fn at_loss(&self, in_flight: Segments) -> Segments {
        match self.cuts.loss_window {
            LossWindow::Cwnd => self.cwnd,
            LossWindow::Flight => self.cwnd.min(in_flight),
        }
    }

    /// Cuts: the threshold becomes `ssthresh`, and the window becomes the threshold.
    pub fn cut(&mut self, ssthresh: Segments) {
        self.set_ssthresh(ssthresh);
        self.cwnd = self.ssthresh;
        self.forget_credit();
        self.step = Step::Cut;
    }

    /// Cuts without ever raising the window: the threshold becomes `ssthresh`, and the window at most
    /// the threshold.
    pub fn limit(&mut self, ssthresh: Segments) {
        self.set_ssthresh(ssthresh);
        self.cwnd = self.cwnd.min(self.ssthresh);
        self.forget_credit();
        self.step = Step::Cut;
    }

    /// Restarts at a window of one segment, with the threshold `ssthresh`.
    pub fn restart(&mut self, ssthresh: Segments, in_flight: Segments) {
        self.set_ssthresh(ssthresh);
        self.restart_below(in_flight);
        self.step = Step::Restart;
    }

    /// Reacts to a timeout as in RFC 5681: the window restarts at one segment, and the threshold becomes
    /// `ssthresh`. It stays if the same segment has timed out before and `rto_repeat_halve` is off.
    pub fn time_out(&mut self, timeout: &Timeout, ssthresh: Segments) {
        self.step = Step::RepeatedTimeout;
        if timeout.consecutive < 2 || self.cuts.rto_repeat_halve {
            self.set_ssthresh(ssthresh);
            self.step = Step::Timeout;
        }
        self.restart_below(timeout.in_flight);
    }

    /// Converts window, threshold and credit to segments of another size, keeping their bytes.
    pub fn rescale(&mut self, change: &MssChange) {
        self.set_cwnd(change.rescale(self.cwnd));
        if self.ssthresh < Segments::MAX {
            self.set_ssthresh(change.rescale(self.ssthresh));
        }
        self.credit = change.rescale(self.credit);
    }

    /// Lowers the window to at most `cwnd`, never below one segment.
    pub fn restrict(&mut self, cwnd: Segments) {
        self.set_cwnd(self.cwnd.min(cwnd));
    }

    /// Lowers the threshold to the window.
    pub fn end_slow_start(&mut self) {
        self.set_ssthresh(self.ssthresh.min(self.cwnd));
    }

    /// Raises window and threshold to at least those `before` a cut that was for nothing.
    pub fn restore(&mut self, before: &Window) {
        self.set_cwnd(self.cwnd.max(before.cwnd));
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    /// Sets the window, limited to between 1 segment and [`Segments::CAP`].
    #[inline]
    pub fn set_cwnd(&mut self, cwnd: Segments) {
        self.cwnd = cwnd.clamp(Segments::ONE, Segments::CAP);
    }

    /// Sets the threshold, limited as by [`Growth::permitted`].
    pub fn set_ssthresh(&mut self, ssthresh: Segments) {
        self.ssthresh = self.permitted(ssthresh);
    }

    /// A threshold limited to between `min_ssthresh` and [`Segments::CAP`].
    pub fn permitted(&self, ssthresh: Segments) -> Segments {
        let floor = Segments::whole(self.rules.min_ssthresh.into());
        ssthresh.clamp(floor, Segments::CAP)
    }

    /// How the window was last cut.
    pub fn step(&self) -> Step {
        self.step
    }

    /// Which of two rules is meant: growth per ACK, or by what ACKs cover (`abc`).
    pub fn by_counting(&self, per_ack: &'static Rule, abc: &'static Rule) -> &'static Rule {
        if self.counts_bytes() { abc } else { per_ack }
    }

    /// The rule that [`Growth::grow`] follows now.
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

    /// RFC 3465, section 2.3: at most one segment per ACK while a timeout is being repaired.
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
mod tests;
