//! Tahoe: restarts from one segment after every loss.
//!
//! Paper: Jacobson, "Congestion Avoidance and Control", 1988, sections 1 and 3, appendix B.
//!
//! | event | rule |
//! |---|---|
//! | ACK, cwnd < ssthresh | cwnd += 1 |
//! | ACK, cwnd >= ssthresh | cwnd += 1/cwnd |
//! | loss (3 duplicate ACKs) | ssthresh = max(cwnd / 2, 2), cwnd = 1 |
//! | timeout | as for a loss |
//!
//! Initial values: the host's. Defaults: factor 1/2 and floor 2 (Jacobson; RFC 5681, eq. 4).
//!
//! Readings: ssthresh is not truncated to whole segments, unlike in ns-2.
//! Deviations: the second and later timeouts of the same segment do not change ssthresh
//! (`rto_repeat_halve` = yes restores ns-2's rule).
//! Signals: none. Hosts: those that resend everything after a loss.

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules, Step};
use crate::parameter::{Kind, parameters};
use crate::rule::{self, Rule};
use crate::units::{Ratio, Segments};

parameters! {
    /// Tahoe's parameters.
    pub struct Config {
        use growth: Rules;
        use cuts: Cuts;
        /// Fraction of the window that becomes ssthresh at a loss (Jacobson 1988: 1/2).
        factor: Ratio = Ratio::from_millionths(500_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
    }
}

static LOSS: Rule = Rule {
    branch: "loss",
    condition: "any loss restarts the window",
    action: "ssthresh = {loss_window} x {factor}, cwnd = 1",
    source: "Jacobson 1988, appendix B",
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    ..LOSS
};

/// Tahoe. 40 bytes.
#[derive(Clone, Debug)]
pub struct Tahoe {
    growth: Growth,
    factor: Ratio,
}

const _: () = assert!(size_of::<Tahoe>() <= 40);

impl Tahoe {
    fn target(&self, in_flight: Segments) -> Segments {
        self.growth.at_loss(in_flight).scaled(self.factor)
    }

    /// The rule of the last cut.
    fn rule(&self) -> &'static Rule {
        match self.growth.step() {
            Step::Restart => &LOSS,
            Step::Timeout => &TIMEOUT,
            Step::RepeatedTimeout => &rule::REPEATED_TIMEOUT,
            _ => &rule::NONE,
        }
    }
}

impl Algorithm for Tahoe {
    const NAME: &'static str = "tahoe";
    const SUMMARY: &'static str = "restarts from one segment after every loss (Jacobson 1988)";
    const NEEDS: Signals = Signals::NONE;
    const ASKS_WHEN_SENT: bool = false;
    const RECOVERIES: &'static [&'static str] = &["tahoe"];
    const FACTS: Facts = Facts {
        loss_restarts: true,
        ..Facts::RENO
    };
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &config.cuts, path),
            factor: config.factor,
        }
    }
}

impl Controller for Tahoe {
    #[inline]
    fn on_sample(&mut self, _: &Sample) {}

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.growth.grow(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.growth
            .restart(self.target(loss.in_flight), loss.in_flight);
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

    fn tahoe(cwnd: f64, ssthresh: f64) -> Tahoe {
        Tahoe::new(&Config::default(), &path(cwnd, ssthresh))
    }

    #[test]
    fn a_loss_halves_the_threshold_and_restarts_at_one_segment() {
        let mut control = tahoe(10.0, 2.0);
        control.on_loss(&loss(0.0));
        assert_segments(control.window().ssthresh, 5.0);
        assert_segments(control.window().cwnd, 1.0);
    }

    #[test]
    fn the_threshold_is_at_least_two_segments() {
        let mut control = tahoe(3.0, 2.0);
        control.on_loss(&loss(0.0));
        assert_segments(control.window().ssthresh, 2.0);
        assert_segments(control.window().cwnd, 1.0);
    }

    #[test]
    fn slow_start_ends_at_the_threshold() {
        let mut control = tahoe(1.0, 5.0);
        let expected = [
            2.0, 3.0, 4.0, 5.0, 5.2, 5.392308, 5.577757, 5.757041, 5.930741,
        ];
        for cwnd in expected {
            control.on_ack(&ack(1.0));
            assert_segments(control.window().cwnd, cwnd);
        }
    }

    #[test]
    fn a_timeout_acts_like_a_loss() {
        let mut control = tahoe(10.0, 2.0);
        control.on_timeout(&timeout(0.0, 1));
        assert_segments(control.window().ssthresh, 5.0);
        assert_segments(control.window().cwnd, 1.0);
    }
}
