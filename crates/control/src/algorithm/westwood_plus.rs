//! Westwood+: Westwood with one bandwidth sample per round, which ACK compression cannot inflate.
//!
//! Paper: Grieco and Mascolo, "Performance Evaluation and Comparison of Westwood+, New Reno,
//! and Vegas TCP Congestion Control", ACM CCR 34(2), 2004, section 2.
//!
//! | event | rule |
//! |---|---|
//! | end of a round | b = bytes acknowledged in the round / its length; bwe = filter(b) |
//! | ACK, cwnd < ssthresh | cwnd += 1 |
//! | ACK, cwnd >= ssthresh | cwnd += 1/cwnd |
//! | loss (3 duplicate ACKs) | ssthresh = max(bwe * RTTmin / MSS, 2), cwnd = min(cwnd, ssthresh) |
//! | timeout | ssthresh as for a loss, cwnd = 1 |
//!
//! Filters: moving average, bwe = 0.9 bwe + 0.1 b (the paper's); two cascaded averages of gain
//! 1/8 (Linux). Both begin with the first sample.
//!
//! Initial values: bwe and RTTmin unknown. Defaults: gain 0.1, a round of any length (Grieco
//! and Mascolo 2004); Linux: `filter` = cascade, `min_round` = 50 ms.
//!
//! Readings
//! * The first ACK begins the first round, and its own bytes do not count.
//! * A round ends with the first sample of a packet sent since it began, once it is
//!   `min_round` long.
//! * A duplicate ACK counts for the segment that left the network.
//! * Before the first sample a loss sets ssthresh to its floor, as in Westwood.
//!
//! Deviations: none known. Signals: RTT. Hosts: all; the twin in C is `bpf/westwood_plus.h`.

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::estimate::bandwidth;
use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::per_round::{self, PerRound};
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules, Step};
use crate::parameter::parameters;
use crate::rule::{self, Rule};
use crate::snapshot::Snapshot;
use crate::units::{Rate, Segments};

parameters! {
    /// Westwood+'s parameters.
    pub struct Config {
        use bandwidth: per_round::Config;
        use growth: Rules;
    }
}

static LOSS: Rule = Rule {
    branch: "loss",
    condition: "bwe = {bwe}, RTTmin = {base_rtt}",
    action: "ssthresh = bwe x RTTmin / {payload}, cwnd at most that",
    source: "Grieco and Mascolo 2004, section 2",
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "bwe = {bwe}, RTTmin = {base_rtt}",
    action: "ssthresh = bwe x RTTmin / {payload}, cwnd = 1",
    source: "Grieco and Mascolo 2004, section 2",
};

/// Westwood+. 96 bytes, parameters included.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct WestwoodPlus {
    growth: Growth,
    rtt_min: BaseRtt,
    bandwidth: PerRound,
    mss: u32,
}

const _: () = assert!(size_of::<WestwoodPlus>() <= 96);

impl WestwoodPlus {
    fn target(&self) -> Segments {
        let rate = self.bandwidth.rate().unwrap_or(Rate::ZERO);
        let rtt = self.rtt_min.duration().unwrap_or_default();
        bandwidth::window(rate, rtt, self.mss)
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

impl Snapshot for WestwoodPlus {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        self.growth.snapshot(out);
        self.rtt_min.snapshot(out);
        self.bandwidth.snapshot(out);
    }
}

impl Algorithm for WestwoodPlus {
    const NAME: &'static str = "westwood+";
    const ALIASES: &'static [&'static str] = &["westwoodplus", "westwood_plus"];
    const SUMMARY: &'static str =
        "Westwood with one bandwidth sample per round (Grieco and Mascolo 2004)";
    const NEEDS: Signals = Signals::RTT;
    const ASKS_WHEN_SENT: bool = false;
    const RECOVERIES: &'static [&'static str] = &["newreno", "reno", "sack"];
    const FACTS: Facts = Facts::WESTWOOD;
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &Cuts::default(), path),
            rtt_min: BaseRtt::default(),
            bandwidth: PerRound::new(&config.bandwidth),
            mss: path.mss.segment_size(),
        }
    }
}

impl Controller for WestwoodPlus {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        let rtt = sample.rtt_of_new_data();
        if let Some(rtt) = rtt {
            self.rtt_min.observe(rtt);
        }
        let bytes = bandwidth::bytes(sample.credited, self.mss);
        self.bandwidth.observe(sample.now, rtt, bytes);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.growth.grow(ack);
    }

    fn on_loss(&mut self, _: &Loss) {
        self.growth.limit(self.target());
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
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
        if let Some(rtt) = self.rtt_min.duration() {
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
        assert_near, assert_segments, loss, number, path, sample, timeout,
    };
    use crate::units::Duration;

    fn with(bandwidth: per_round::Config) -> Config {
        Config {
            bandwidth,
            ..Config::default()
        }
    }

    /// Rounds of 80 ms in which 10, 20 and 20 segments of 1000 bytes are acknowledged.
    fn after_rounds(config: &Config, rounds: usize) -> WestwoodPlus {
        let mut control = WestwoodPlus::new(config, &path(20.0, 2.0));
        control.on_sample(&sample(1000.0, 80.0));
        let credits = [10, 20, 20];
        for (round, segments) in credits.into_iter().take(rounds).enumerate() {
            let ack = sample(1080.0 + 80.0 * round as f64, 80.0);
            control.on_sample(&Sample {
                credited: Segments::whole(segments),
                ..ack
            });
        }
        control
    }

    #[test]
    fn the_moving_average_takes_one_sample_per_round() {
        for (rounds, expected) in [(1, 1e6), (2, 1.1e6), (3, 1.19e6)] {
            assert_near(
                number(&after_rounds(&Config::default(), rounds), "bwe"),
                expected,
            );
        }
    }

    #[test]
    fn the_cascade_is_two_averages_in_series() {
        let config = with(per_round::Config {
            filter: per_round::Filter::Cascade,
            ..Default::default()
        });
        for (rounds, expected) in [(1, 1e6), (2, 1_015_625.0), (3, 1_042_968.75)] {
            assert_near(number(&after_rounds(&config, rounds), "bwe"), expected);
        }
    }

    #[test]
    fn compressed_acks_do_not_inflate_the_estimate() {
        let mut control = WestwoodPlus::new(&Config::default(), &path(20.0, 2.0));
        control.on_sample(&sample(1000.0, 80.0));
        // Nine ACKs within 9 microseconds, then the one that ends the round.
        for n in 0..9 {
            control.on_sample(&sample(1070.0 + 0.001 * f64::from(n), 80.0));
        }
        control.on_sample(&sample(1080.0, 80.0));
        assert_near(number(&control, "bwe"), 1e6);
    }

    #[test]
    fn a_round_may_have_a_least_length() {
        let config = with(per_round::Config {
            min_round: Duration::from_millis(50),
            ..Default::default()
        });
        let mut control = WestwoodPlus::new(&config, &path(20.0, 2.0));
        control.on_sample(&sample(1000.0, 20.0));
        control.on_sample(&sample(1040.0, 20.0));
        assert!(number(&control, "bwe").is_nan());
        control.on_sample(&sample(1050.0, 20.0));
        // Two segments in 50 ms.
        assert_near(number(&control, "bwe"), 320_000.0);
    }

    #[test]
    fn a_loss_and_a_timeout_set_the_threshold_to_what_the_path_holds() {
        // 1 Mbit/s * 80 ms / 8000 bits = 10 segments.
        let mut control = after_rounds(&Config::default(), 1);
        control.on_loss(&loss(1100.0));
        assert_segments(control.window().ssthresh, 10.0);
        assert_segments(control.window().cwnd, 10.0);
        control.on_timeout(&timeout(1500.0, 1));
        assert_segments(control.window().ssthresh, 10.0);
        assert_segments(control.window().cwnd, 1.0);
    }
}
