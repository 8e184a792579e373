//! Westwood: after a loss, the window is the estimated bandwidth times the least RTT.
//!
//! Paper: Mascolo, Casetti, Gerla, Sanadidi and Wang, "TCP Westwood: Bandwidth Estimation for
//! Enhanced Transport over Wireless Links", MobiCom 2001, sections 2 and 3. With NewReno's
//! recovery this is WestwoodNR, the comparator of VenoDB, section 4.
//!
//! | event | rule |
//! |---|---|
//! | every ACK | b = bytes / D, with the time D since the ACK before; bwe = filter(b) |
//! | ACK, cwnd < ssthresh | cwnd += 1 |
//! | ACK, cwnd >= ssthresh | cwnd += 1/cwnd |
//! | loss (3 duplicate ACKs) | ssthresh = max(bwe * RTTmin / MSS, 2), cwnd = min(cwnd, ssthresh) |
//! | timeout | ssthresh as for a loss, cwnd = 1 |
//!
//! Filters: Tustin, bwe = (bwe * (2 tau - D) + (b + b_prev) * D) / (2 tau + D), with a sample of
//! zero every tau/m of silence; constant, bwe = (19 bwe + b + b_prev) / 21; moving average.
//!
//! Initial values: bwe = 0 for Tustin and constant, the first sample for the moving average;
//! RTTmin unknown. Defaults: tau 500 ms, m 2 (Mascolo et al. 2001; the tau of its experiments
//! is known from secondary sources), credit cap 2 segments (the WestwoodNR module of ns-2).
//!
//! Readings
//! * Before the first sample bwe is 0, so a loss sets ssthresh to its floor.
//! * If the rest of a silence after the last tau/m is below 10 ms, it belongs to that interval: the
//!   sample of the ACK that ends the silence then has D = tau/m + rest, and one sample of zero fewer
//!   is fed.
//! * A timeout first feeds the samples of zero that are due.
//! * RTTmin is the minimum since the connection began; only ACKs of new data give RTTs.
//! * As in ns-2's module: with `tick`, RTTmin is floor(RTTmin / tick) ticks, but at least one (its
//!   samples count the ticks that passed, without timestamps; `tcpTick_` is 10 ms by default); with
//!   `whole_ssthresh`, a cut truncates ssthresh to whole segments before cwnd is limited to it.
//!
//! Deviations: from the paper, none known. From ns-2's module, which does both of these, whose NewReno copies
//! truncate ssthresh only, not the cwnd of a loss, and set cwnd to 2 segments after a timeout.
//! Signals: RTT. Hosts: all; the twin in C is `bpf/westwood.h`.

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::estimate::bandwidth::{self, Bandwidth, Tuning};
use crate::estimate::base_rtt::BaseRtt;
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules, Step};
use crate::parameter::{Kind, parameters};
use crate::rule::{self, Rule};
use crate::snapshot::Snapshot;
use crate::units::{Duration, Rate, Segments};

parameters! {
    /// Westwood's parameters.
    pub struct Config {
        use growth: Rules;
        use bandwidth: bandwidth::Config;
        /// Segments that one ACK may add to a bandwidth sample (WestwoodNR in ns-2: 2).
        credit_cap: Segments = Segments::whole(2), Kind::Segments(Segments::ONE, Segments::CAP);
        /// RTTmin is rounded down to a multiple of this, but at least one (ns-2's module: its `tcpTick_`, 10 ms);
        /// 0: exact, as in Mascolo et al. 2001.
        tick: Duration = Duration::ZERO, Kind::Duration(Duration::ZERO, Duration::from_secs(1));
        /// Whether a cut truncates ssthresh to whole segments (ns-2's module: yes; Mascolo et al. 2001: no).
        whole_ssthresh: bool = false, Kind::Flag;
    }
}

static LOSS: Rule = Rule {
    branch: "loss",
    condition: "bwe = {bwe}, RTTmin = {base_rtt}",
    action: "ssthresh = bwe x RTTmin / {payload}, cwnd at most that",
    source: "Mascolo et al. 2001, section 3.1",
};

/// The bandwidth is that after the event: the silence before the timeout lowers it first.
static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "bwe = {after.bwe}, RTTmin = {base_rtt}",
    action: "ssthresh = bwe x RTTmin / {payload}, cwnd = 1",
    source: "Mascolo et al. 2001, section 3.2",
};

/// Westwood. 120 bytes, parameters included.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Westwood {
    growth: Growth,
    bandwidth: Bandwidth,
    rtt_min: BaseRtt,
    credit_cap: Segments,
    /// Zero: RTTmin is not rounded.
    tick: Duration,
    mss: u32,
    tuning: Tuning,
    whole_ssthresh: bool,
}

const _: () = assert!(size_of::<Westwood>() <= 120);

impl Westwood {
    /// The window that fills the path; zero while bandwidth or RTT are unknown.
    fn target(&self) -> Segments {
        let rate = self.bandwidth.rate().unwrap_or(Rate::ZERO);
        let rtt = self.path_rtt().unwrap_or_default();
        let window = bandwidth::window(rate, rtt, self.mss);
        if self.whole_ssthresh {
            Segments::saturating_whole(window.floor())
        } else {
            window
        }
    }

    /// RTTmin, in whole ticks if there is a tick.
    fn path_rtt(&self) -> Option<Duration> {
        let rtt = self.rtt_min.duration()?;
        // Rounding the minimum gives the same as the minimum of rounded samples.
        Some(match rtt.as_nanos().checked_div(self.tick.as_nanos()) {
            Some(ticks) => Duration::from_nanos(ticks.max(1) * self.tick.as_nanos()),
            None => rtt,
        })
    }

    /// The rule of the last cut.
    fn rule(&self) -> &'static Rule {
        match self.growth.step() {
            Step::Cut => &LOSS,
            Step::Restart => &TIMEOUT,
            _ => &rule::NONE,
        }
    }
}

impl Snapshot for Westwood {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        self.growth.snapshot(out);
        self.rtt_min.snapshot(out);
        self.bandwidth.snapshot(out);
    }
}

impl Algorithm for Westwood {
    const NAME: &'static str = "westwood";
    const SUMMARY: &'static str =
        "after a loss, the estimated bandwidth times the least RTT (Mascolo et al. 2001)";
    const NEEDS: Signals = Signals::RTT;
    const ASKS_WHEN_SENT: bool = false;
    const RECOVERIES: &'static [&'static str] = &["newreno", "reno", "sack"];
    const FACTS: Facts = Facts::WESTWOOD;
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &Cuts::default(), path),
            bandwidth: Bandwidth::default(),
            rtt_min: BaseRtt::default(),
            credit_cap: config.credit_cap,
            tick: config.tick,
            mss: path.mss.segment_size(),
            tuning: Tuning::new(&config.bandwidth),
            whole_ssthresh: config.whole_ssthresh,
        }
    }
}

impl Controller for Westwood {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        if let Some(rtt) = sample.rtt_of_new_data() {
            self.rtt_min.observe(rtt);
        }
        let bytes = bandwidth::bytes(sample.credited.min(self.credit_cap), self.mss);
        self.bandwidth.observe(&self.tuning, sample.now, bytes);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.growth.grow(ack);
    }

    fn on_loss(&mut self, _: &Loss) {
        self.growth.limit(self.target());
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.bandwidth.pass_silence(&self.tuning, timeout.now);
        self.growth.restart(self.target(), timeout.in_flight);
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.growth.rescale(change);
        self.mss = change.after.segment_size();
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
        if let Some(rate) = self.bandwidth.rate() {
            out("bwe", Value::BitRate(rate.as_bits_per_second()));
        }
        if let Some(rtt) = self.path_rtt() {
            out("base_rtt", Value::Seconds(rtt.as_secs_f64()));
        }
        out("growth", Value::Rule(self.growth.rule()));
        out("rule", Value::Rule(self.rule()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{
        assert_near, assert_segments, at, bit_rate, loss, number, path, sample, timeout,
    };

    /// Westwood with a settled estimate of 1.5 Mbit/s at t = 1 s, and RTTmin 66 ms.
    fn westwood(cwnd: f64, ssthresh: f64) -> Westwood {
        settled(&Config::default(), cwnd, ssthresh)
    }

    fn settled(config: &Config, cwnd: f64, ssthresh: f64) -> Westwood {
        let mut control = Westwood::new(config, &path(cwnd, ssthresh));
        control.on_sample(&sample(900.0, 80.0));
        control.on_sample(&sample(950.0, 66.0));
        control.bandwidth = Bandwidth::settled(bit_rate(1.5e6), at(1000.0));
        control
    }

    #[test]
    fn a_loss_sets_the_window_to_the_bandwidth_times_the_least_rtt() {
        let mut control = westwood(20.0, 2.0);
        control.on_loss(&loss(1000.0));
        assert_segments(control.window().ssthresh, 12.375);
        assert_segments(control.window().cwnd, 12.375);
    }

    #[test]
    fn a_loss_does_not_raise_the_window() {
        let mut control = westwood(8.0, 2.0);
        control.on_loss(&loss(1000.0));
        assert_segments(control.window().ssthresh, 12.375);
        assert_segments(control.window().cwnd, 8.0);
    }

    #[test]
    fn a_timeout_feeds_the_silence_first() {
        // Two samples of zero leave 0.48 of 1.5 Mbit/s, 0.72 Mbit/s; * 66 ms / 8000 bits = 5.94.
        let mut control = westwood(20.0, 2.0);
        control.on_timeout(&timeout(1600.0, 1));
        assert_near(number(&control, "bwe"), 720_000.0);
        assert_segments(control.window().ssthresh, 5.94);
        assert_segments(control.window().cwnd, 1.0);
        // The next timeout of the segment sets the threshold again.
        control.on_timeout(&timeout(2800.0, 2));
        assert_segments(control.window().ssthresh, 2.0);
    }

    #[test]
    fn an_ack_counts_for_at_most_two_segments() {
        let mut control = Westwood::new(&Config::default(), &path(20.0, 2.0));
        control.tuning = Tuning::new(&bandwidth::Config {
            filter: bandwidth::Filter::Ewma,
            ..Default::default()
        });
        control.on_sample(&sample(1000.0, 60.0));
        control.on_sample(&Sample {
            credited: Segments::whole(5),
            ..sample(1010.0, 60.0)
        });
        // 2000 bytes in 10 ms.
        assert_near(number(&control, "bwe"), 1.6e6);
    }

    #[test]
    fn without_an_estimate_the_threshold_is_its_floor() {
        let mut control = Westwood::new(&Config::default(), &path(20.0, 64.0));
        control.on_loss(&loss(1000.0));
        assert_segments(control.window().ssthresh, 2.0);
        assert_segments(control.window().cwnd, 2.0);
    }

    #[test]
    fn with_a_tick_the_least_rtt_is_in_whole_ticks() {
        // 1.5 Mbit/s * 60, 66, 40 and 100 ms / 8000 bits.
        for (tick, rtt, ssthresh) in [
            (10, 0.060, 11.25),
            (1, 0.066, 12.375),
            (40, 0.040, 7.5),
            // Less than one tick counts as one.
            (100, 0.1, 18.75),
        ] {
            let config = Config {
                tick: Duration::from_millis(tick),
                ..Config::default()
            };
            let mut control = settled(&config, 20.0, 2.0);
            assert_near(number(&control, "base_rtt"), rtt);
            control.on_loss(&loss(1000.0));
            assert_segments(control.window().ssthresh, ssthresh);
            assert_segments(control.window().cwnd, ssthresh);
        }
    }

    #[test]
    fn a_tick_does_not_make_up_an_rtt() {
        let config = Config {
            tick: Duration::from_millis(100),
            ..Config::default()
        };
        let mut control = Westwood::new(&config, &path(20.0, 2.0));
        control.bandwidth = Bandwidth::settled(bit_rate(1.5e6), at(1000.0));
        control.on_loss(&loss(1000.0));
        assert_segments(control.window().ssthresh, 2.0);
    }

    #[test]
    fn a_cut_may_truncate_the_threshold() {
        let config = Config {
            whole_ssthresh: true,
            ..Config::default()
        };
        // 12.375 segments.
        let mut control = settled(&config, 20.0, 2.0);
        control.on_loss(&loss(1000.0));
        assert_segments(control.window().ssthresh, 12.0);
        assert_segments(control.window().cwnd, 12.0);
        // After the silence, 5.94.
        let mut control = settled(&config, 20.0, 2.0);
        control.on_timeout(&timeout(1600.0, 1));
        assert_segments(control.window().ssthresh, 5.0);
        assert_segments(control.window().cwnd, 1.0);
        // The floor still applies, to 1.98 segments.
        let mut control = settled(&config, 20.0, 2.0);
        control.bandwidth = Bandwidth::settled(bit_rate(2.4e5), at(1000.0));
        control.on_loss(&loss(1000.0));
        assert_segments(control.window().ssthresh, 2.0);
    }
}
