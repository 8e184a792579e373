//! Reno: adds one segment per round and halves the window after a loss.
//!
//! Source: RFC 5681, section 3.
//!
//! | event | rule |
//! |---|---|
//! | ACK, cwnd < ssthresh | cwnd += 1 |
//! | ACK, cwnd >= ssthresh | cwnd += 1/cwnd |
//! | loss (3 duplicate ACKs) | ssthresh = cwnd = max(cwnd / 2, 2); the recovery inflates by 3 |
//! | timeout | ssthresh = max(cwnd / 2, 2), cwnd = 1 |
//!
//! Initial values: the host's. Defaults: factor 1/2 and floor 2 (RFC 5681, eq. 4).
//!
//! Readings: a timeout during a recovery cuts the window that the recovery would have left. At
//! cwnd = ssthresh, congestion avoidance applies.
//! Deviations: a loss cuts cwnd without inflation, not the segments outstanding (eq. 4: `loss_window` =
//! flight); the two are equal for a sender that always has data. An ACK in slow start adds a segment
//! even if it covers less (eq. 2: `counting` = segment). From Linux, whose windows are whole (`whole_segments`).
//! Signals: none. Hosts: all.

use crate::controller::{Algorithm, Controller, Signals, Value, Window};
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules, Step};
use crate::parameter::{Kind, parameters};
use crate::rule::{self, Rule};
use crate::units::{Ratio, Segments};

parameters! {
    /// Reno's parameters.
    pub struct Config {
        use growth: Rules;
        use cuts: Cuts;
        /// Fraction of the window that remains after a loss (RFC 5681, eq. 4: 1/2).
        factor: Ratio = Ratio::from_millionths(500_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Whether a cut leaves whole segments: the rest is lost (RFC 5681: no; Linux: yes).
        whole_segments: bool = false, Kind::Flag;
    }
}

static LOSS: Rule = Rule {
    branch: "loss",
    condition: "any loss counts as congestion",
    action: "{loss_window} x {factor}",
    source: "RFC 5681, section 3.2, step 2",
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {loss_window} x {factor}, cwnd = 1",
    source: "RFC 5681, section 3.1, eq. 4",
};

/// Reno. 40 bytes.
#[derive(Clone, Debug)]
pub struct Reno {
    growth: Growth,
    factor: Ratio,
    whole_segments: bool,
}

const _: () = assert!(size_of::<Reno>() <= 40);

impl Reno {
    fn target(&self, in_flight: Segments) -> Segments {
        let target = self.growth.at_loss(in_flight).scaled(self.factor);
        match self.whole_segments {
            true => Segments::saturating_whole(target.floor()),
            false => target,
        }
    }

    /// The rule of the last cut.
    fn rule(&self) -> &'static Rule {
        match self.growth.step() {
            Step::Cut => &LOSS,
            Step::Timeout => &TIMEOUT,
            Step::RepeatedTimeout => &rule::REPEATED_TIMEOUT,
            _ => &rule::NONE,
        }
    }
}

impl Algorithm for Reno {
    const NAME: &'static str = "reno";
    const SUMMARY: &'static str = "additive increase, half the window after a loss (RFC 5681)";
    const NEEDS: Signals = Signals::NONE;
    const ASKS_WHEN_SENT: bool = false;
    const RECOVERIES: &'static [&'static str] = &["reno", "newreno", "sack"];
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &config.cuts, path),
            factor: config.factor,
            whole_segments: config.whole_segments,
        }
    }
}

impl Controller for Reno {
    #[inline]
    fn on_sample(&mut self, _: &Sample) {}

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.growth.grow(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.growth.cut(self.target(loss.in_flight));
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.growth
            .time_out(timeout, self.target(timeout.in_flight));
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
        out("growth", Value::Rule(self.growth.rule()));
        out("rule", Value::Rule(self.rule()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{ack, assert_segments, loss, path, timeout};

    fn reno(cwnd: f64, ssthresh: f64) -> Reno {
        Reno::new(&Config::default(), &path(cwnd, ssthresh))
    }

    /// RFC 5681, section 3.2, steps 2 and 3: the recovery inflates the window by another 3 segments.
    #[test]
    fn a_loss_halves_the_window_and_the_threshold() {
        let mut control = reno(16.0, 2.0);
        control.on_loss(&loss(0.0));
        assert_segments(control.window().ssthresh, 8.0);
        assert_segments(control.window().cwnd, 8.0);
    }

    #[test]
    fn after_a_loss_the_window_grows_by_congestion_avoidance() {
        let mut control = reno(16.0, 2.0);
        control.on_loss(&loss(0.0));
        assert_segments(control.window().cwnd, 8.0);
        // Congestion avoidance: 8 + 1/8.
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, 8.125);
    }

    #[test]
    fn a_timeout_halves_the_threshold_and_restarts_at_one_segment() {
        let mut control = reno(7.0, 2.0);
        control.on_timeout(&timeout(0.0, 1));
        assert_segments(control.window().ssthresh, 3.5);
        assert_segments(control.window().cwnd, 1.0);
    }

    #[test]
    fn a_timeout_in_recovery_halves_the_deflated_window() {
        let mut control = reno(16.0, 2.0);
        control.on_loss(&loss(0.0));
        control.on_timeout(&timeout(500.0, 1));
        assert_segments(control.window().ssthresh, 4.0);
    }

    #[test]
    fn a_second_timeout_of_a_segment_leaves_the_threshold() {
        let mut control = reno(20.0, 2.0);
        control.on_timeout(&timeout(0.0, 1));
        control.on_timeout(&timeout(600.0, 2));
        assert_segments(control.window().ssthresh, 10.0);

        let mut config = Config::default();
        config.cuts.rto_repeat_halve = true;
        let mut control = Reno::new(&config, &path(20.0, 2.0));
        control.on_timeout(&timeout(0.0, 1));
        control.on_timeout(&timeout(600.0, 2));
        // Half of one segment, raised to the floor.
        assert_segments(control.window().ssthresh, 2.0);
    }

    #[test]
    fn restrict_lowers_the_window_and_leaves_the_threshold() {
        let mut control = reno(16.0, 9.0);
        control.restrict(Segments::whole(20));
        assert_segments(control.window().cwnd, 16.0);
        control.restrict(Segments::whole(4));
        assert_segments(control.window().cwnd, 4.0);
        control.restrict(Segments::ZERO);
        assert_segments(control.window().cwnd, 1.0);
        assert_segments(control.window().ssthresh, 9.0);
    }
}
