//! MulTCP: one connection that acts like N connections of Reno.
//!
//! Paper: Crowcroft and Oechslin, "Differentiated end-to-end Internet services using a weighted
//! proportional fair sharing TCP", ACM CCR 28(3), 1998, sections 2.1 and 2.2.
//!
//! | event | condition | rule |
//! |---|---|---|
//! | ACK, cwnd < ssthresh | cwnd < 3^k | cwnd += 2 |
//! | ACK, cwnd < ssthresh | cwnd >= 3^k | cwnd += 1 |
//! | ACK, cwnd >= ssthresh | | cwnd += N/cwnd |
//! | loss (3 duplicate ACKs) | | ssthresh = cwnd = max(cwnd (N - 1/2)/N, 2) |
//! | timeout | | ssthresh = max(cwnd (N - 1/2)/N, 2), cwnd = 1 |
//!
//! N connections that start with one segment each have N 2^k segments after k round-trip times; one
//! connection that sends three packets for each ACK has 3^k. These are equal at k = ln N / (ln 3 - ln 2).
//! From the window 3^k on, slow start is that of Reno.
//!
//! Initial values: the host's. Defaults: N = 2, the least that is not Reno (the paper has none).
//!
//! Readings: N is an integer from 1 to 64; N = 1 is Reno. The slow start after a timeout is like the
//! first one. The last step from a window below 3^k may end up to two segments above it.
//! Deviations: under `abc` the window grows by N once it has been acknowledged; under `abc` and
//! `segment` an ACK in slow start adds twice what it adds in Reno.
//! Signals: none. Hosts: all.

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules, Step};
use crate::parameter::{Kind, parameters};
use crate::rule::{self, Rule};
use crate::units::{Ratio, Segments};
use crate::wide::muldiv;

parameters! {
    /// MulTCP's parameters.
    pub struct Config {
        use growth: Rules;
        use cuts: Cuts;
        /// N, the number of Reno connections that it acts like; 1 is Reno.
        connections: u8 = 2, Kind::Count(1, 64);
    }
}

const GROWTH: &str = "MulTCP, section 2.2";

static TRIPLE: Rule = Rule {
    branch: "slow start like many",
    condition: "cwnd = {cwnd} < {triple_until} and below ssthresh = {ssthresh}",
    action: "cwnd + twice what an ACK adds in Reno",
    source: GROWTH,
};

static AVOIDANCE: Rule = Rule {
    branch: "congestion avoidance",
    condition: "cwnd = {cwnd} >= ssthresh = {ssthresh}",
    action: "cwnd + N/cwnd per ACK, N = {connections}",
    source: GROWTH,
};

static AVOIDANCE_ABC: Rule = Rule {
    branch: "congestion avoidance",
    condition: "cwnd = {cwnd} >= ssthresh = {ssthresh}",
    action: "cwnd + {connections} once cwnd is acknowledged",
    source: GROWTH,
};

static LOSS: Rule = Rule {
    branch: "loss",
    condition: "one of N = {connections} connections halves its window",
    action: "{loss_window} x (N - 1/2)/N",
    source: GROWTH,
};

static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {loss_window} x (N - 1/2)/N with N = {connections}, cwnd = 1",
    source: GROWTH,
};

/// `floor(2^32 3^k)`, k = ln N / (ln 3 - ln 2), for N from 1 to 64: the window up to which slow start
/// triples it each round. Computed to 60 digits.
#[rustfmt::skip]
const TRIPLE_UNTIL: [u64; 64] = [
    0x1_0000_0000, 0x6_8a7e_ffb4, 0x13_9f7c_ff1e, 0x2a_c8e1_272b,
    0x4e_51a9_cfd5, 0x80_5aa3_7582, 0xc2_e559_1374, 0x117_dac9_e54b,
    0x181_0fea_6087, 0x200_48da_d551, 0x297_3b4d_0916, 0x347_905d_afe2,
    0x412_e60b_adfe, 0x4fa_d068_074a, 0x600_da90_7ff5, 0x726_8781_6d84,
    0x86d_52c7_a503, 0x9d6_b119_0fa6, 0xb64_10d8_c9a5, 0xd16_da8a_8557,
    0xef0_7138_15de, 0x10f2_32cb_6645, 0x131d_785e_abe4, 0x1573_9684_488d,
    0x17f5_dd87_8c02, 0x1aa5_99a7_4dec, 0x1d84_134b_2ef4, 0x2092_8f34_2dad,
    0x23d2_4ea9_208d, 0x2744_8f9f_9007, 0x2aea_8ce1_59c6, 0x2ec5_7e2f_76e6,
    0x32d6_9862_32d1, 0x371f_0d87_15d8, 0x3ba0_0cfc_be17, 0x405a_c38c_d9a8,
    0x4560_5b84_6f15, 0x4a81_fcca_9b8b, 0x4ff0_ccf5_e9c5, 0x559d_ef60_60ab,
    0x5b8a_853a_6554, 0x61b7_ad9c_8909, 0x6826_8598_5961, 0x6ed8_2848_4654,
    0x75cd_aede_b017, 0x7d08_30b4_2cea, 0x8488_c355_156c, 0x8c50_7a8e_64b3,
    0x9460_6879_f82c, 0x9cb9_9d8a_3a37, 0xa55d_2895_418a, 0xae4c_16df_6e6e,
    0xb787_7425_8e43, 0xc110_4aa6_8cf9, 0xcae7_a32c_bb86, 0xd50e_8516_b1e8,
    0xdf85_f65f_d2a3, 0xea4e_fba8_7556, 0xf56a_983d_bd78, 0x1_00d9_ce21_2202,
    0x1_0c9d_9e0f_aa70, 0x1_18b7_0788_e528, 0x1_2527_08d5_9b1b, 0x1_31ee_9f0e_4421,
];

/// MulTCP. 40 bytes.
#[derive(Clone, Debug)]
pub struct MulTcp {
    growth: Growth,
    /// N, from 1 to 64.
    connections: u8,
}

const _: () = assert!(size_of::<MulTcp>() <= 40);

impl MulTcp {
    /// The window from which slow start is that of Reno.
    fn triple_until(&self) -> Segments {
        Segments::from_raw(TRIPLE_UNTIL[usize::from(self.connections) - 1])
    }

    fn triples(&self) -> bool {
        self.growth.is_slow_start() && self.growth.cwnd() < self.triple_until()
    }

    /// The window after a loss: `floor(W (2N - 1) / 2N)`.
    fn target(&self, in_flight: Segments) -> Segments {
        let window = self.growth.at_loss(in_flight).raw();
        let halves = 2 * u32::from(self.connections);
        Segments::from_raw(muldiv(window, halves - 1, halves))
    }

    fn growth_rule(&self) -> &'static Rule {
        if self.triples() {
            &TRIPLE
        } else if self.growth.is_slow_start() {
            self.growth.rule()
        } else {
            self.growth.by_counting(&AVOIDANCE, &AVOIDANCE_ABC)
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

impl Algorithm for MulTcp {
    const NAME: &'static str = "multcp";
    const SUMMARY: &'static str = "acts like N connections of Reno (Crowcroft and Oechslin 1998)";
    const NEEDS: Signals = Signals::NONE;
    const ASKS_WHEN_SENT: bool = false;
    const RECOVERIES: &'static [&'static str] = &["reno", "newreno", "sack"];
    const FACTS: Facts = Facts {
        loss_leaves: Some(Ratio::from_millionths(750_000)),
        timeout_leaves: Some(Ratio::from_millionths(750_000)),
        ..Facts::RENO
    };
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &config.cuts, path),
            connections: config.connections.clamp(1, TRIPLE_UNTIL.len() as u8),
        }
    }
}

impl Controller for MulTcp {
    #[inline]
    fn on_sample(&mut self, _: &Sample) {}

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited {
            return;
        }
        if self.triples() {
            self.growth.accelerate_twice(ack.acked);
        } else if self.growth.is_slow_start() {
            self.growth.accelerate(ack.acked);
        } else {
            self.growth.avoid_as(ack.acked, self.connections.into());
        }
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
        let until = self.triple_until().as_f64();
        out("triple_until", Value::Segments(until));
        out("growth", Value::Rule(self.growth_rule()));
        out("rule", Value::Rule(self.rule()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::reno::{self, Reno};
    use crate::algorithm::testing::{
        ack, assert_near, assert_segments, loss, number, path, timeout,
    };
    use crate::growth::Counting;

    fn multcp(connections: u8, cwnd: f64, ssthresh: f64) -> MulTcp {
        let config = Config {
            connections,
            ..Config::default()
        };
        MulTcp::new(&config, &path(cwnd, ssthresh))
    }

    #[test]
    fn growth_and_cut_follow_the_number_of_connections() {
        let mut control = multcp(4, 20.0, 2.0);
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, 20.2);
        let mut control = multcp(4, 20.0, 2.0);
        assert!((number(&control, "triple_until") - 42.785).abs() < 5e-4);
        control.on_loss(&loss(0.0));
        assert_segments(control.window().cwnd, 17.5);
        assert_segments(control.window().ssthresh, 17.5);
    }

    /// 3^k is a power of N, so its value for a product of Ns is the product of the values.
    #[test]
    fn the_window_up_to_which_it_triples_is_a_power_of_n() {
        let until = |n: u8| number(&multcp(n, 2.0, 9.0), "triple_until");
        assert_eq!(until(1), 1.0);
        for a in 2..=32u8 {
            for b in 2..=64 / a {
                let product = until(a) * until(b);
                assert!((until(a * b) / product - 1.0).abs() < 1e-9, "{a} x {b}");
            }
        }
        // 2^k = 3^k / N grows with each connection, and so does 3^k.
        for n in 1..64u8 {
            assert!(until(n + 1) / f64::from(n + 1) > until(n) / f64::from(n));
        }
    }

    #[test]
    fn slow_start_triples_while_n_connections_would_have_more() {
        // 3^k of two connections is 6.54: 2, 4, 6, 8 and then as Reno.
        let mut control = multcp(2, 2.0, 100.0);
        for cwnd in [4.0, 6.0, 8.0, 9.0, 10.0] {
            control.on_ack(&ack(1.0));
            assert_segments(control.window().cwnd, cwnd);
        }
        // The threshold may end it earlier.
        let mut control = multcp(64, 4.0, 6.0);
        control.on_ack(&ack(1.0));
        control.on_ack(&ack(1.0));
        // 6 + 64/6.
        assert_segments(control.window().cwnd, 6.0 + 64.0 / 6.0);
    }

    #[test]
    fn a_timeout_cuts_the_threshold_by_the_factor_of_a_loss() {
        let mut control = multcp(4, 20.0, 2.0);
        control.on_timeout(&timeout(0.0, 1));
        assert_segments(control.window().ssthresh, 17.5);
        assert_segments(control.window().cwnd, 1.0);
        control.on_timeout(&timeout(0.0, 2));
        assert_segments(control.window().ssthresh, 17.5);
    }

    #[test]
    fn with_appropriate_byte_counting_a_window_adds_n_segments_at_once() {
        let config = Config {
            connections: 3,
            growth: Rules {
                counting: Counting::Abc,
                ..Rules::default()
            },
            ..Config::default()
        };
        let mut control = MulTcp::new(&config, &path(10.0, 2.0));
        control.on_ack(&ack(9.0));
        assert_segments(control.window().cwnd, 10.0);
        control.on_ack(&ack(1.0));
        assert_segments(control.window().cwnd, 13.0);
        // Slow start: at most two segments per ACK count, and each of them twice.
        let mut control = MulTcp::new(&config, &path(4.0, 100.0));
        control.on_ack(&ack(5.0));
        assert_segments(control.window().cwnd, 8.0);
    }

    #[test]
    fn one_connection_is_reno() {
        let mut one = multcp(1, 2.0, 16.0);
        let mut reno = Reno::new(&reno::Config::default(), &path(2.0, 16.0));
        for i in 0..2000u32 {
            match i {
                _ if i % 397 == 396 => {
                    one.on_timeout(&timeout(0.0, 1));
                    reno.on_timeout(&timeout(0.0, 1));
                }
                _ if i % 61 == 60 => {
                    one.on_loss(&loss(0.0));
                    reno.on_loss(&loss(0.0));
                }
                _ => {
                    one.on_ack(&ack(1.0));
                    reno.on_ack(&ack(1.0));
                }
            }
            assert_eq!(one.window(), reno.window(), "{i}");
        }
    }

    /// By the square-root law, MulTCP with N = 4 sends sqrt(20) times as much as one connection of Reno,
    /// where four connections send four times as much. Compares the mean windows over the periods
    /// between losses. Losses come every 10,000 packets, so windows are large and rounding is small.
    #[test]
    fn the_mean_window_follows_the_square_root_law() {
        let rounds = |connections| {
            let mut control = multcp(connections, 500.0, 2.0);
            let (mut packets, mut rounds) = (0.0, 0.0);
            for i in 1..2_000_000u32 {
                rounds += 1.0 / control.window().cwnd.as_f64();
                if i.is_multiple_of(10_000) {
                    control.on_loss(&loss(0.0));
                } else {
                    control.on_ack(&ack(1.0));
                }
                packets += 1.0;
            }
            packets / rounds
        };
        let one = rounds(1);
        assert_near((rounds(4) / one * 20.0).round() / 20.0, 4.45);
        assert_near((rounds(2) / one * 20.0).round() / 20.0, 2.15);
    }
}
