//! Veno: Reno that cuts the window less at a loss if no queue had built up.
//!
//! Paper: Fu and Liew, "TCP Veno: TCP Enhancement for Transmission Over Wireless Access
//! Networks", IEEE JSAC 21(2), 2003, section II; Zhang, Fu et al. on Veno's dynamics, section II.
//!
//! N = cwnd / RTT * (RTT - BaseRTT): the segments that wait in queues.
//!
//! | event | N < beta | N >= beta |
//! |---|---|---|
//! | ACK, cwnd < ssthresh | cwnd += 1 | cwnd += 1 |
//! | ACK, cwnd >= ssthresh | cwnd += 1/cwnd | cwnd += 1/cwnd every other ACK |
//! | loss (3 duplicate ACKs) | ssthresh = cwnd = max(cwnd * 4/5, 2) | ssthresh = cwnd = max(cwnd / 2, 2) |
//! | timeout | ssthresh = max(cwnd / 2, 2), cwnd = 1 | the same |
//!
//! BaseRTT is forgotten at a loss or a timeout, after the decision.
//!
//! Initial values: RTT and BaseRTT unknown, N = 0; the first ACK with N >= beta grows the window.
//! Defaults: beta 3, factors 4/5 and 1/2 (Fu and Liew 2003), floor 2 (RFC 5681, eq. 4).
//!
//! Readings
//! * N = beta counts as congestion.
//! * RTT in N is RFC 6298's smoothed RTT (`rtt_mode`); "the RTT of a tagged packet" is `last`.
//! * "Every other ACK" is literal: a flag toggles with each ACK while N >= beta, and is set
//!   whenever N < beta. Under `abc` the ACKs between add no credit. `busy_growth` = half adds
//!   1/(2 cwnd) with each ACK instead, which is the same on average.
//! * `base_reset` = on_loss: BaseRTT then starts again with the first RTT of new data, which
//!   may contain queueing, so the next loss tends to be called random.
//! * A timeout is congestion: it uses the factor of a congestion loss.
//!
//! Deviations: Zhang et al., section II, prints no floor of 2 segments (`min_ssthresh`). From Linux, which
//! rounds N to halves, requires three RTT samples before N counts, never resets BaseRTT and takes the
//! minimum RTT since the last decision.
//! Signals: RTT. Hosts: all; the twin in C is `bpf/veno.h`.

pub(super) mod rules;

use crate::controller::{Algorithm, Controller, Signals, Value, Window};
use crate::estimate::backlog;
use crate::estimate::base_rtt::{BaseReset, BaseRtt};
use crate::estimate::rtt::{RoundStatistic, Rtt, RttMode};
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules};
use crate::parameter::{Kind, choice, parameters};
use crate::rule::Rule;
use crate::snapshot::Snapshot;
use crate::units::{Ratio, Segments};

choice! {
    /// How the window grows at N >= beta: by half a segment per RTT, in one of two ways.
    pub enum BusyGrowth {
        /// 1/cwnd with every other ACK (Fu and Liew 2003).
        Alternate = "alternate",
        /// 1/(2 cwnd) with each ACK.
        Half = "half",
    }
}

parameters! {
    /// Veno's parameters.
    pub struct Config {
        use growth: Rules;
        use cuts: Cuts;
        /// Backlog from which a loss is congestion, in segments (Fu and Liew 2003: 3).
        beta: Segments = Segments::whole(3), Kind::Segments(Segments::ZERO, Segments::CAP);
        /// Fraction of the window that remains after a random loss, N < beta (Fu and Liew 2003: 4/5).
        factor_random: Ratio = Ratio::from_millionths(800_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Fraction of the window that remains after a congestion loss, N >= beta, or a timeout (Fu and Liew 2003: 1/2).
        factor_congestion: Ratio = Ratio::from_millionths(500_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// The RTT in N: `srtt` smoothed (Fu and Liew 2003), `last` sample, `round_mean`, `round_min`.
        rtt_mode: RttMode = RttMode::Srtt, Kind::Choice(RttMode::WORDS);
        /// When BaseRTT is forgotten: `on_loss`, at every loss and timeout (Fu and Liew 2003), or `never` (Linux).
        base_reset: BaseReset = BaseReset::OnLoss, Kind::Choice(BaseReset::WORDS);
        /// Growth at N >= beta: `alternate`, 1/cwnd every other ACK (Fu and Liew 2003), or `half`, 1/(2 cwnd) each ACK.
        busy_growth: BusyGrowth = BusyGrowth::Alternate, Kind::Choice(BusyGrowth::WORDS);
    }
}

/// The branch that was taken last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// No event has occurred yet.
    None,
    /// Slow start.
    SlowStart,
    /// N < beta: growth with each ACK.
    Free,
    /// N >= beta: growth with this ACK.
    BusyGrow,
    /// N >= beta: no growth with this ACK.
    BusyHold,
    /// N >= beta: half the growth with each ACK.
    BusyHalf,
    /// N < beta: random loss.
    Random,
    /// N >= beta: congestion loss.
    Congestion,
    /// Timeout.
    Timeout,
}

/// Veno. 96 bytes, parameters included.
#[derive(Clone, Debug)]
pub struct Veno {
    growth: Growth,
    rtt: Rtt,
    base: BaseRtt,
    beta: Segments,
    statistic: RoundStatistic,
    factor_random: Ratio,
    factor_congestion: Ratio,
    rtt_mode: RttMode,
    base_reset: BaseReset,
    busy_growth: BusyGrowth,
    grow_next: bool,
    branch: Branch,
}

const _: () = assert!(size_of::<Veno>() <= 96);

impl Veno {
    #[inline]
    pub(super) fn is_congested(&self) -> bool {
        backlog::reaches(self.beta, self.growth.cwnd(), &self.rtt, &self.base)
    }

    pub(super) fn is_slow_start(&self) -> bool {
        self.growth.is_slow_start()
    }

    /// The RTT in N.
    pub(super) fn rtt(&self) -> &Rtt {
        &self.rtt
    }

    /// The branch that was taken last.
    pub fn branch(&self) -> Branch {
        self.branch
    }

    pub(super) fn growth(&self) -> &Growth {
        &self.growth
    }

    pub(super) fn rule(&self) -> &'static Rule {
        self.branch.rule(&self.growth)
    }

    /// Congestion avoidance as if N < beta.
    #[inline]
    pub(super) fn grow_freely(&mut self, acked: Segments) {
        self.growth.avoid(acked);
        self.grow_next = true;
        self.branch = Branch::Free;
    }

    /// Handles a loss that is due to congestion or random.
    pub(super) fn lose(&mut self, loss: &Loss, congested: bool) {
        let (factor, branch) = if congested {
            (self.factor_congestion, Branch::Congestion)
        } else {
            (self.factor_random, Branch::Random)
        };
        self.growth
            .cut(self.growth.at_loss(loss.in_flight).scaled(factor));
        self.branch = branch;
        self.base.lose(self.base_reset);
    }

    /// Reports what [`Controller::explain`] reports, except the rule.
    pub(super) fn explain_but_rule(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.growth.explain(out);
        if let Some(n) = backlog::estimate(self.growth.cwnd(), &self.rtt, &self.base) {
            out("backlog", Value::Segments(n));
        }
        if let Some(base) = self.base.duration() {
            out("base_rtt", Value::Seconds(base.as_secs_f64()));
        }
        if let Some(rtt) = self.rtt.duration() {
            out("rtt", Value::Seconds(rtt.as_secs_f64()));
        }
    }
}

impl Snapshot for Veno {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        self.growth.snapshot(out);
        self.rtt.snapshot(out);
        self.base.snapshot(out);
        self.statistic.snapshot(out);
        out("grow_next", self.grow_next.into());
        out("rule", self.branch as u64);
    }
}

impl Algorithm for Veno {
    const NAME: &'static str = "veno";
    const SUMMARY: &'static str =
        "Reno that tells random losses from congestion by the backlog (Fu and Liew 2003)";
    const NEEDS: Signals = Signals::RTT;
    const ASKS_WHEN_SENT: bool = false;
    const RECOVERIES: &'static [&'static str] = &["reno", "newreno", "sack"];
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &config.cuts, path),
            rtt: Rtt::default(),
            base: BaseRtt::default(),
            beta: config.beta,
            statistic: RoundStatistic::default(),
            factor_random: config.factor_random,
            factor_congestion: config.factor_congestion,
            rtt_mode: config.rtt_mode,
            base_reset: config.base_reset,
            busy_growth: config.busy_growth,
            grow_next: true,
            branch: Branch::None,
        }
    }
}

impl Controller for Veno {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        let Some(rtt) = sample.rtt_of_new_data() else {
            return;
        };
        self.base.observe(rtt);
        self.rtt
            .observe(self.rtt_mode, &mut self.statistic, sample.now, rtt);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited {
            return;
        }
        if self.growth.is_slow_start() {
            self.growth.accelerate(ack.acked);
            self.branch = Branch::SlowStart;
        } else if !self.is_congested() {
            self.grow_freely(ack.acked);
        } else if self.busy_growth == BusyGrowth::Half {
            self.growth.avoid_by(ack.acked, 2);
            self.branch = Branch::BusyHalf;
        } else if self.grow_next {
            self.growth.avoid(ack.acked);
            self.grow_next = false;
            self.branch = Branch::BusyGrow;
        } else {
            self.grow_next = true;
            self.branch = Branch::BusyHold;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.lose(loss, self.is_congested());
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let target = self
            .growth
            .at_loss(timeout.in_flight)
            .scaled(self.factor_congestion);
        self.growth.time_out(timeout, target);
        self.branch = Branch::Timeout;
        self.base.lose(self.base_reset);
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
        self.explain_but_rule(out);
        out("rule", Value::Rule(self.rule()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{
        ack, assert_near, assert_segments, loss, number, path, sample, timeout,
    };
    use crate::growth::Counting;

    /// Veno in congestion avoidance with the RTT of the last sample, after samples of `base` and then
    /// `rtt`, in milliseconds.
    fn veno(cwnd: f64, base: f64, rtt: f64) -> Veno {
        let config = Config {
            rtt_mode: RttMode::Last,
            ..Config::default()
        };
        let mut control = Veno::new(&config, &path(cwnd, 2.0));
        control.on_sample(&sample(1000.0, base));
        control.on_sample(&sample(1001.0, rtt));
        control
    }

    #[track_caller]
    fn decides(mut control: Veno, backlog: f64, ssthresh: f64) {
        assert_near(number(&control, "backlog"), backlog);
        control.on_loss(&loss(1002.0));
        assert_segments(control.window().ssthresh, ssthresh);
        assert_segments(control.window().cwnd, ssthresh);
    }

    #[test]
    fn a_backlog_above_beta_halves_the_window() {
        decides(veno(20.0, 100.0, 120.0), 3.333333, 10.0);
    }

    #[test]
    fn a_backlog_below_beta_keeps_four_fifths() {
        decides(veno(20.0, 100.0, 115.0), 2.608696, 16.0);
    }

    #[test]
    fn a_large_window_with_little_queueing_loses_at_random() {
        decides(veno(40.0, 60.0, 64.0), 2.5, 32.0);
    }

    #[test]
    fn a_small_window_with_much_queueing_loses_to_congestion() {
        decides(veno(10.0, 60.0, 100.0), 4.0, 5.0);
    }

    #[test]
    fn above_beta_every_other_ack_grows_the_window() {
        let mut control = veno(20.0, 100.0, 120.0);
        for expected in [20.05, 20.05, 20.0998753, 20.0998753] {
            control.on_ack(&ack(1.0));
            assert_segments(control.window().cwnd, expected);
        }
    }

    #[test]
    fn without_queueing_a_loss_is_random() {
        decides(veno(20.0, 100.0, 100.0), 0.0, 16.0);
    }

    /// Twenty segments are acknowledged in ten ACKs, before the window is 21: the texts say what happened.
    #[test]
    fn growth_by_what_acks_cover_is_explained_as_such() {
        let grown = |counting, rtt, busy_growth, acks: u32| {
            let mut config = Config {
                rtt_mode: RttMode::Last,
                busy_growth,
                ..Config::default()
            };
            config.growth.counting = counting;
            let mut control = Veno::new(&config, &path(20.0, 2.0));
            control.on_sample(&sample(1000.0, 100.0));
            control.on_sample(&sample(1001.0, rtt));
            for _ in 0..acks {
                control.on_ack(&ack(2.0));
            }
            (control.window().cwnd.as_f64(), control.rule().action)
        };
        use BusyGrowth::{Alternate, Half};
        let (ack, abc) = (Counting::Ack, Counting::Abc);
        let (window, action) = grown(ack, 100.0, Alternate, 10);
        assert_eq!(action, "cwnd + 1/cwnd per ACK");
        assert!((20.48..20.50).contains(&window), "{window}");
        let action = "cwnd + 1 once cwnd is acknowledged";
        assert_eq!(grown(abc, 100.0, Alternate, 9), (20.0, action));
        assert_eq!(grown(abc, 100.0, Alternate, 10), (21.0, action));
        // Ten of nineteen ACKs count.
        let action = "cwnd + 1 once every other ACK has acknowledged cwnd";
        assert_eq!(grown(abc, 120.0, Alternate, 18), (20.0, action));
        assert_eq!(grown(abc, 120.0, Alternate, 19), (21.0, action));
        let action = "cwnd + 1 once 2 cwnd are acknowledged";
        assert_eq!(grown(abc, 120.0, Half, 19), (20.0, action));
        assert_eq!(grown(abc, 120.0, Half, 20), (21.0, action));
    }

    #[test]
    fn a_backlog_below_beta_sets_the_flag_again() {
        let mut control = veno(20.0, 100.0, 120.0);
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, 20.05);
        control.on_sample(&sample(1003.0, 100.0));
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, 20.0998753);
        control.on_sample(&sample(1004.0, 120.0));
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, 20.1496268);
    }

    #[test]
    fn a_loss_forgets_base_rtt_after_the_decision() {
        let mut control = veno(20.0, 100.0, 120.0);
        control.on_loss(&loss(1002.0));
        assert_segments(control.window().ssthresh, 10.0);
        // Without BaseRTT there is no backlog: random.
        control.on_loss(&loss(1003.0));
        assert_segments(control.window().ssthresh, 8.0);
        // Duplicates do not set it, new data does: 8 * 80 / 200 = 3.2 segments.
        control.on_sample(&Sample {
            duplicate: true,
            ..sample(1004.0, 10.0)
        });
        control.on_sample(&sample(1005.0, 120.0));
        control.on_sample(&sample(1006.0, 200.0));
        control.on_loss(&loss(1007.0));
        assert_segments(control.window().ssthresh, 4.0);
    }

    #[test]
    fn with_base_reset_never_a_loss_keeps_base_rtt() {
        let config = Config {
            rtt_mode: RttMode::Last,
            base_reset: BaseReset::Never,
            ..Config::default()
        };
        let mut control = Veno::new(&config, &path(40.0, 2.0));
        control.on_sample(&sample(1000.0, 100.0));
        control.on_sample(&sample(1001.0, 120.0));
        control.on_loss(&loss(1002.0));
        control.on_loss(&loss(1003.0));
        assert_segments(control.window().ssthresh, 10.0);
    }

    #[test]
    fn the_smoothed_rtt_is_the_default() {
        // SRTT = 100 + (140 - 100) / 8 = 105 ms: N = 20 * 5 / 105 = 0.952381.
        let mut control = Veno::new(&Config::default(), &path(20.0, 2.0));
        control.on_sample(&sample(1000.0, 100.0));
        control.on_sample(&sample(1001.0, 140.0));
        decides(control, 0.952381, 16.0);
    }

    #[test]
    fn slow_start_ignores_the_backlog() {
        let mut control = veno(20.0, 100.0, 120.0);
        control.on_timeout(&timeout(1500.0, 1));
        assert_segments(control.window().ssthresh, 10.0);
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, 2.0);
    }
}
