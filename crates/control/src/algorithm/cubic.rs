//! CUBIC: after a loss, the window follows a cubic function of time, back to its old size and then
//! beyond.
//!
//! Source: RFC 9438, section 4. (t: time in congestion avoidance, RTT: smoothed, beta: 0.7)
//!
//! | event | rule | section |
//! |---|---|---|
//! | ACK, cwnd < ssthresh | cwnd += 1 | 4.10 |
//! | first ACK, cwnd >= ssthresh | t = 0, K = cbrt((W_max - cwnd) / C), W_est = cwnd | 4.2 |
//! | ACK, cwnd >= ssthresh | W_cubic(t) = C (t - K)^3 + W_max | 4.2 |
//! | | W_est += alpha * acked / cwnd; alpha = 3 (1 - beta) / (1 + beta), or 1 if W_est >= cwnd_prior | 4.3 |
//! | ... W_cubic(t) < W_est | cwnd = W_est | 4.3 |
//! | ... otherwise | cwnd += (W_cubic(t + RTT) within [cwnd, 1.5 cwnd] - cwnd) / cwnd | 4.4, 4.5 |
//! | loss | W_max = cwnd * (1 + beta) / 2 if cwnd < W_max, or else cwnd | 4.7 |
//! | | cwnd_prior = cwnd, ssthresh = cwnd = max(beta * cwnd, 2); after a mark cwnd may be 1 | 4.6 |
//! | timeout | cwnd_prior and ssthresh as after a loss, cwnd = 1; then K = 0, W_max = cwnd | 4.8 |
//!
//! Initial values: W_max and cwnd_prior unknown; then K = 0, W_max is cwnd when congestion avoidance
//! begins, and alpha is 1 (4.10). Defaults: C 0.4 (5.1), beta 0.7 (4.6).
//!
//! Readings
//! * A loss cuts cwnd, which 4.6 allows if cwnd does not grow while it is unused, as here. 4.6's
//!   flight_size is `loss_window` = flight. W_max and cwnd_prior are cwnd in both cases.
//! * cwnd = ssthresh is congestion avoidance: read literally, 4.10 would begin with an ACK of slow
//!   start after every cut.
//! * t = 0 at the first ACK of new data in congestion avoidance: after the recovery, not in it.
//! * If cwnd >= W_max then (after a cut to the floor), K = 0 and W_max = cwnd, as after a timeout.
//! * If W_est <= cwnd, cwnd stays, while 4.3 would lower it. An ACK adds at most alpha to W_est.
//! * 4.4's step is made once for each ACK, whatever it covers, unless `counting` says otherwise;
//!   `acked` in W_est is what the ACK covers.
//! * The time between two updates of cwnd does not count in t if an ACK between them was
//!   application-limited or the host restricted cwnd (4.2, 5.8).
//! * A timeout forgets W_max; the second timeout of a segment does not change cwnd_prior.
//!
//! Deviations: slow start is Reno's, not HyStart++ (4.10); no undo of spurious losses (4.9, MAY).
//! From Linux, which keeps alpha (`raise_alpha` = false), counts in whole segments, updates the curve at most every 31 ms and looks ahead by the least RTT
//! (all three with `whole_segments`), and counts in milliseconds.
//! Signals: RTT. Hosts: all.

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::estimate::rtt::Rtt;
use crate::event::{Ack, Loss, LossSignal, MssChange, Path, Sample, Timeout};
use crate::growth::{Counting, Cuts, Growth, Rules, Step};
use crate::parameter::{Kind, parameters};
use crate::units::{Duration, Instant, Ratio, Segments, muldiv};

mod curve;
mod rules;

use rules::Branch;

parameters! {
    /// CUBIC's parameters.
    pub struct Config {
        use growth: Rules;
        use cuts: Cuts;
        /// C, the steepness of the curve, in segments per cubic second (RFC 9438, 5.1: 0.4).
        c: Ratio = Ratio::from_millionths(400_000), Kind::Ratio(Ratio::from_millionths(10_000), Ratio::from_millionths(100_000_000));
        /// Fraction of the window that remains after a loss or a timeout, beta_cubic (RFC 9438, 4.6: 0.7).
        beta: Ratio = Ratio::from_millionths(700_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Whether a loss below the last plateau sets the next plateau below the window, so that other flows
        /// may grow (RFC 9438, 4.7: yes; for a single flow: no).
        fast_convergence: bool = true, Kind::Flag;
        /// Whether the window is at least Reno's, `tcp_friendliness` in Linux (RFC 9438, 4.3: yes).
        reno_friendly: bool = true, Kind::Flag;
        /// Whether alpha becomes 1 once W_est has reached the window of the last loss, and is 1 before the
        /// first (RFC 9438, 4.3: yes; Linux: no).
        raise_alpha: bool = true, Kind::Flag;
        /// Whether the window is a whole number of segments: a cut is rounded down, growth is counted in ACKs for
        /// the next segment, and the curve looks ahead by the least RTT (RFC 9438: no; Linux: yes).
        whole_segments: bool = false, Kind::Flag;
    }
}

/// Linux: without a plateau, so many ACKed segments raise the window by one.
const LINUX_UNBOUNDED: u64 = 20;
/// Linux: while the window stays, the curve is not looked at again for a 32nd of a second.
const LINUX_PERIOD: Duration = Duration::from_nanos(31_250_000);

/// The state of congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The next ACK in congestion avoidance begins an epoch, with t = 0.
    Ahead,
    /// The last ACK updated the window.
    Running,
    /// The application or the host has held the window since its last update.
    Held,
}

/// CUBIC. 128 bytes, parameters included.
#[derive(Clone, Debug)]
pub struct Cubic {
    growth: Growth,
    rtt: Rtt,
    /// The plateau; zero while unknown.
    w_max: Segments,
    /// Zero while unknown; alpha is then 1.
    cwnd_prior: Segments,
    w_est: Segments,
    /// t at the last update of the window.
    elapsed: Duration,
    /// The time of the last update of the window.
    moved_at: Instant,
    /// K, in seconds << 24.
    k: u32,
    c: Ratio,
    beta: Ratio,
    counting: Counting,
    fast_convergence: bool,
    reno_friendly: bool,
    raise_alpha: bool,
    whole_segments: bool,
    /// Whether the epoch began without a plateau.
    unbounded: bool,
    /// Segments that ACKs have covered since the window grew by one, if it is counted in whole segments.
    counted: u32,
    /// Those of them that W_est does not contain.
    unestimated: u32,
    /// How many of them raise it, for which window that was found, and when.
    needed: u32,
    needed_at: u32,
    needed_since: Instant,
    stage: Stage,
    branch: Branch,
}

const _: () = assert!(size_of::<Cubic>() <= 128);

impl Cubic {
    /// RFC 9438, section 4.2: advances t from the last update, or begins an epoch.
    #[inline]
    fn advance(&mut self, now: Instant) {
        match self.stage {
            Stage::Ahead => self.begin(),
            Stage::Running => self.elapsed = self.elapsed + now.since(self.moved_at),
            Stage::Held => {}
        }
        self.stage = Stage::Running;
        self.moved_at = now;
    }

    /// Begins an epoch of congestion avoidance by RFC 9438, section 4.2 or, without a plateau above the
    /// window, by sections 4.8 and 4.10.
    fn begin(&mut self) {
        let cwnd = self.growth.cwnd();
        self.unbounded = self.w_max == Segments::ZERO;
        self.w_max = self.w_max.max(cwnd);
        self.k = curve::k(self.w_max.saturating_sub(cwnd), self.c);
        self.w_est = cwnd;
        self.unestimated = 0;
        self.elapsed = Duration::ZERO;
    }

    /// RFC 9438, section 4.3: adds `floor(share * 3 (1 - beta) / (1 + beta))` to W_est, or `share`
    /// once W_est has reached cwnd_prior unless `raise_alpha` is off, with share = `floor(acked * 2^32 / cwnd)`.
    #[inline]
    fn estimate(&mut self, acked: Segments) {
        let cwnd = self.growth.cwnd();
        let share = product_over(acked.min(cwnd), Segments::ONE, cwnd);
        let step = if self.w_est < self.cwnd_prior || !self.raise_alpha {
            let (one, beta) = (Ratio::ONE.millionths(), self.beta.millionths());
            muldiv(share.raw(), 3 * (one - beta), one + beta)
        } else {
            share.raw()
        };
        self.w_est += Segments::from_raw(step);
    }

    /// W_cubic(t).
    #[inline]
    fn height(&self, t: Duration) -> Segments {
        curve::height(self.w_max, self.k, curve::ticks(t), self.c)
    }

    /// As Linux: the distance from the plateau is rounded down, so that soon after a cut the curve is a segment above the
    /// window.
    fn height_whole(&self, t: Duration) -> u64 {
        let height = self.height(t);
        match height < self.w_max {
            true => height.raw().div_ceil(Segments::ONE.raw()),
            false => height.floor(),
        }
    }

    /// RFC 9438, sections 4.2 to 4.5. Not inlined, so that the registry's match on an ACK stays small
    /// and does not slow down the other controls.
    #[inline(never)]
    fn avoid(&mut self, ack: &Ack) {
        self.advance(ack.now);
        if self.whole_segments {
            return self.count(ack);
        }
        self.estimate(ack.acked);
        let cwnd = self.growth.cwnd();
        if self.reno_friendly && self.height(self.elapsed) < self.w_est {
            self.growth.set_cwnd(cwnd.max(self.w_est));
            self.branch = Branch::RenoFriendly;
            return;
        }
        let rtt = self.rtt.duration().unwrap_or(Duration::ZERO);
        let most = cwnd + Segments::from_raw(cwnd.raw() / 2);
        let target = self.height(self.elapsed + rtt).clamp(cwnd, most);
        let worth = match self.counting {
            Counting::Ack => Segments::ONE,
            Counting::Segment => ack.acked.min(Segments::ONE),
            Counting::Abc => ack.acked.min(cwnd),
        };
        let step = product_over(target.saturating_sub(cwnd), worth, cwnd);
        self.growth.set_cwnd(cwnd + step);
        self.branch = if cwnd < self.w_max {
            Branch::Concave
        } else {
            Branch::Convex
        };
    }

    /// As Linux: the curve and W_est are whole segments, each says how many ACKed segments raise the window by one,
    /// and the fewer count. Without a plateau 20 are enough. While the window stays, that is found anew 32 times
    /// a second.
    fn count(&mut self, ack: &Ack) {
        let cwnd = self.growth.cwnd().floor();
        let acked = u32::try_from(ack.acked.floor()).unwrap_or(u32::MAX);
        self.unestimated = self.unestimated.saturating_add(acked);
        if u64::from(self.needed_at) != cwnd || ack.now.since(self.needed_since) > LINUX_PERIOD {
            self.needed = u32::try_from(self.needed(cwnd)).unwrap_or(u32::MAX);
            self.needed_at = u32::try_from(cwnd).unwrap_or(u32::MAX);
            self.needed_since = ack.now;
        }
        let needed = u64::from(self.needed);
        // What was counted while more was needed gives one segment.
        let (before, more) = match u64::from(self.counted) {
            counted if counted >= needed => (0, 1),
            counted => (counted, 0),
        };
        let counted = before + ack.acked.floor();
        self.counted = u32::try_from(counted % needed).unwrap_or(0);
        // The host may have set a window that is not whole.
        let grown = Segments::saturating_whole(more + counted / needed);
        self.growth.set_cwnd(self.growth.cwnd() + grown);
    }

    /// As Linux: W_est grows by one for `floor(floor(8 (1 + beta) / (3 (1 - beta))) * cwnd / 8)` ACKed segments, 15/8 of
    /// the window, once more than these have been counted.
    fn estimate_whole(&mut self, cwnd: u64) {
        let (one, beta) = (
            u64::from(Ratio::ONE.millionths()),
            u64::from(self.beta.millionths()),
        );
        let eighths = 8 * (one + beta) / (3 * (one - beta)).max(1);
        let each = match self.raise_alpha && self.w_est >= self.cwnd_prior {
            true => cwnd,
            false => cwnd.saturating_mul(eighths) >> 3,
        }
        .max(1);
        let steps = u64::from(self.unestimated).saturating_sub(1) / each;
        self.unestimated -= u32::try_from(steps * each).unwrap_or(self.unestimated);
        self.w_est += Segments::saturating_whole(steps);
    }

    /// The ACKed segments that raise the window by one, at least 2.
    fn needed(&mut self, cwnd: u64) -> u64 {
        self.estimate_whole(cwnd);
        let rtt = self.rtt.duration().unwrap_or(Duration::ZERO);
        let target = self.height_whole(self.elapsed + rtt);
        let mut needed = match target.checked_sub(cwnd) {
            Some(more @ 1..) => cwnd / more,
            _ => 100 * cwnd,
        };
        if self.unbounded {
            needed = needed.min(LINUX_UNBOUNDED);
        }
        self.branch = if cwnd < self.w_max.floor() {
            Branch::Concave
        } else {
            Branch::Convex
        };
        if self.reno_friendly
            && let more @ 1.. = self.w_est.floor().saturating_sub(cwnd)
            && cwnd / more < needed
        {
            needed = cwnd / more;
            self.branch = Branch::RenoFriendly;
        }
        needed.max(2)
    }

    /// RFC 9438, section 4.7: `floor(cwnd * (1 + beta) / 2)`.
    fn converged(&self, cwnd: Segments) -> Segments {
        let (one, beta) = (Ratio::ONE.millionths(), self.beta.millionths());
        Segments::from_raw(muldiv(cwnd.raw(), one + beta, 2 * one))
    }

    /// Stops t until the next update of the window.
    fn hold(&mut self) {
        if self.stage == Stage::Running {
            self.stage = Stage::Held;
        }
    }

    /// The threshold after a loss: `floor(beta * w)`, where w is the window that a loss cuts.
    fn target(&self, in_flight: Segments) -> Segments {
        let target = self.growth.at_loss(in_flight).scaled(self.beta);
        if self.whole_segments {
            Segments::saturating_whole(target.floor())
        } else {
            target
        }
    }
}

/// `floor(a * b / w)`, where `a` and `b` are at most the window `w` or one segment.
#[inline]
fn product_over(a: Segments, b: Segments, w: Segments) -> Segments {
    let product = u128::from(a.raw()) * u128::from(b.raw());
    Segments::from_raw((product / u128::from(w.raw())) as u64)
}

impl Algorithm for Cubic {
    const NAME: &'static str = "cubic";
    const SUMMARY: &'static str = "a cubic function of the time since the last loss (RFC 9438)";
    const NEEDS: Signals = Signals::RTT;
    const ASKS_WHEN_SENT: bool = false;
    const RECOVERIES: &'static [&'static str] = &["sack", "newreno", "reno"];
    const FACTS: Facts = Facts {
        loss_leaves: Some(Ratio::from_millionths(700_000)),
        timeout_leaves: Some(Ratio::from_millionths(700_000)),
        ..Facts::RENO
    };
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &config.cuts, path),
            rtt: Rtt::default(),
            w_max: Segments::ZERO,
            cwnd_prior: Segments::ZERO,
            w_est: Segments::ZERO,
            elapsed: Duration::ZERO,
            moved_at: Instant::ZERO,
            k: 0,
            c: config.c,
            beta: config.beta,
            counting: config.growth.counting,
            fast_convergence: config.fast_convergence,
            reno_friendly: config.reno_friendly,
            raise_alpha: config.raise_alpha,
            whole_segments: config.whole_segments,
            unbounded: true,
            counted: 0,
            unestimated: 0,
            needed: 2,
            needed_at: 0,
            needed_since: Instant::ZERO,
            stage: Stage::Ahead,
            branch: Branch::None,
        }
    }
}

impl Controller for Cubic {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        let Some(rtt) = sample.rtt_of_new_data() else {
            return;
        };
        if !self.whole_segments {
            self.rtt.smooth(rtt);
        } else if self.rtt.duration().is_none_or(|least| rtt < least) {
            self.rtt.replace(rtt);
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited {
            self.hold();
            self.branch = Branch::Limited;
        } else if self.growth.is_slow_start() {
            self.growth.accelerate(ack.acked);
            self.stage = Stage::Ahead;
            self.branch = Branch::SlowStart;
        } else {
            self.avoid(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let cwnd = self.growth.cwnd();
        self.branch = if self.w_max == Segments::ZERO {
            Branch::FirstLoss
        } else if cwnd >= self.w_max {
            Branch::Loss
        } else if self.fast_convergence {
            Branch::Converge
        } else {
            Branch::LossBelow
        };
        self.w_max = match self.branch {
            Branch::Converge => self.converged(cwnd),
            _ => cwnd,
        };
        if self.whole_segments {
            self.w_max = Segments::saturating_whole(self.w_max.floor());
        }
        self.cwnd_prior = cwnd;
        self.counted = 0;
        let target = self.target(loss.in_flight);
        self.growth.cut(target);
        if loss.by == LossSignal::Ecn {
            self.growth.restrict(target);
        }
        self.stage = Stage::Ahead;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let cwnd = self.growth.cwnd();
        let target = self.target(timeout.in_flight);
        self.growth.time_out(timeout, target);
        if self.growth.step() == Step::Timeout {
            self.cwnd_prior = cwnd;
        }
        self.w_max = Segments::ZERO;
        self.counted = 0;
        self.stage = Stage::Ahead;
        self.branch = Branch::Timeout;
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.growth.rescale(change);
        for window in [&mut self.w_max, &mut self.cwnd_prior, &mut self.w_est] {
            *window = change.rescale(*window);
        }
        // In segments of another size the curve has another shape, so a new epoch begins.
        self.stage = Stage::Ahead;
    }

    #[inline]
    fn window(&self) -> Window {
        self.growth.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        if cwnd < self.growth.cwnd() {
            self.growth.restrict(cwnd);
            self.w_est = self.w_est.min(self.growth.cwnd());
            self.hold();
        }
    }

    /// As in Linux, the curve begins anew.
    fn restore(&mut self, before: &Window) {
        self.growth.restore(before);
        self.stage = Stage::Ahead;
    }

    fn end_slow_start(&mut self) {
        self.growth.end_slow_start();
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.growth.explain(out);
        if self.w_max > Segments::ZERO {
            out("w_max", Value::Segments(self.w_max.as_f64()));
        }
        if self.stage != Stage::Ahead {
            let k = f64::from(self.k) / f64::from(1 << 24);
            let w_cubic = self.height(self.elapsed);
            out("k", Value::Seconds(k));
            out("elapsed", Value::Seconds(self.elapsed.as_secs_f64()));
            out("w_cubic", Value::Segments(w_cubic.as_f64()));
            out("w_est", Value::Segments(self.w_est.as_f64()));
        }
        if let Some(rtt) = self.rtt.duration() {
            out("rtt", Value::Seconds(rtt.as_secs_f64()));
        }
        out("rule", Value::Rule(self.branch.rule(&self.growth)));
    }
}

#[cfg(test)]
mod tests;
