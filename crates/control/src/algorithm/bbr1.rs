//! BBR, version 1, as Linux has it: it sends at the rate at which the path delivers, and keeps the window at
//! twice what fills the path. A loss alone changes neither.
//!
//! Paper: Cardwell, Cheng, Gunn, Yeganeh and Jacobson, "BBR: Congestion-Based Congestion Control", ACM Queue
//! 14(5), 2016. Readings are those of Linux (`net/ipv4/tcp_bbr.c`, 4.20 to 6.x), whose numbers the paper does not
//! all give.
//!
//! | state | pacing gain | window gain | ends |
//! |---|---:|---:|---|
//! | Startup | 2.89 | 2.89 | three rounds without 25 % more bandwidth |
//! | Drain | 0.35 | 2.89 | what fills the path is in the network |
//! | ProbeBW | 1.25, 0.75, then six times 1, an RTprop each | 2 | RTprop is 10 s old |
//! | ProbeRTT | 1 | 1, at most 4 segments | 200 ms and a round with at most 4 segments in the network |
//!
//! | event | rule |
//! |---|---|
//! | ACK | BtlBw = the largest rate of delivery of 10 rounds; RTprop = the least RTT of 10 s |
//! | ACK | rate = 0.99 * gain * BtlBw; cwnd grows by what is delivered, up to gain * BtlBw * RTprop + extra |
//! | loss episode | one round of packet conservation; at its end the window from before |
//! | timeout | cwnd = 1, and the path may be fuller than known; afterwards the window from before |
//! | many losses at one bandwidth, twice | a policer: that bandwidth for 48 rounds |
//!
//! Initial values: no bandwidth and no RTT; the first rate is 0.99 x 2.89 times the initial window in 1 ms, then in the first
//! RTT. Defaults: those of Linux.
//!
//! Readings
//! * The extra of the window: what bursts of ACKs report beyond the bandwidth, three times the segments that
//!   leave at once, two in the phase of 1.25, and an odd window is raised to an even one.
//! * A rate is taken as BtlBw even if the application limits the sender, if it is larger.
//! * What is in the network is judged for the time at which pacing lets the next segment leave.
//! * Linux begins ProbeBW in a random phase other than that of 0.75. A control has no random numbers: the phase comes
//!   from the digits of the time, which differ from run to run.
//! * Segments that leave at once: what the rate sends in about a millisecond, from 2 (1 below 1.2 Mb/s) to 44.
//!
//! Deviations: Linux measures times in microseconds and bandwidths in segments per microsecond with 24 fraction
//! bits; here they are exact.
//! Signals: RTT, pacing, deliveries. Hosts: those that measure deliveries; no twin in C, since kernels have it.

mod aggregation;
mod policer;
mod probing;
mod rules;
mod state;
#[cfg(test)]
mod tests;
mod window;

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::estimate::path::{UNIT, rate};
use crate::event::{
    Ack, Delivery, Handshake, Loss, MssChange, Path, Repair, Sample, Sent, Timeout,
};
use crate::filter::windowed_max::WindowedMax;
use crate::parameter::{Kind, parameters};
use crate::rule::{self, Rule};
use crate::units::{Duration, Rate, Segments};
use aggregation::Aggregation;
use policer::Policer;
use probing::{Probing, RoundTrip};
use rules::*;
use state::State;

parameters! {
    /// The parameters of BBR version 1.
    pub struct Config {
        /// How long RTprop counts, after which ProbeRTT measures it anew (Cardwell et al. 2016: 10 s).
        rtprop_window: Duration = Duration::from_secs(10), Kind::Duration(Duration::from_millis(100), Duration::from_secs(120));
        /// The least time in ProbeRTT (Cardwell et al. 2016: 200 ms).
        probe_rtt_time: Duration = Duration::from_millis(200), Kind::Duration(Duration::from_millis(1), Duration::from_secs(10));
        /// Whether the bandwidth of a policer is looked for (Linux: yes; it is not in the paper).
        policers: bool = true, Kind::Flag;
        /// Whether the window allows for ACKs that come in bursts (Linux since 5.1: yes; it is not in the paper).
        aggregation: bool = true, Kind::Flag;
    }
}

/// The rounds for which the largest rate of delivery counts.
const ROUNDS: u64 = 10;
/// 2 / ln 2, its inverse, and the window's gain in ProbeBW.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
const CWND_GAIN: u64 = 2 * UNIT;
/// Startup ends after this many rounds in which the bandwidth has not grown by a quarter.
const FULL_ROUNDS: u32 = 3;
/// The least window, and that of ProbeRTT.
const LEAST: u64 = 4;
/// The share of the bandwidth that is used, in hundredths: a sender a little too slow builds no queue.
const MARGIN: u128 = 99;
/// The largest number of segments that leave at once.
const MOST_AT_ONCE: u32 = 44;
/// The round-trip time before the first measurement, for the first rate.
const FIRST_RTT: Duration = Duration::from_millis(1);

/// BBR version 1.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    config: Config,
    mss: u32,
    cwnd: u64,
    ssthresh: Segments,
    /// The window to return to after an episode, a timeout or ProbeRTT.
    prior_cwnd: u64,
    state: State,
    pacing_gain: u64,
    cwnd_gain: u64,
    pacing_rate: Rate,
    has_seen_rtt: bool,
    max_bw: WindowedMax,
    /// Rounds so far; one ends when a segment is delivered that was sent after the last one ended.
    rounds: u64,
    round_ends: u64,
    round_began: bool,
    /// The bandwidth that Startup must exceed by a quarter, for how many rounds it has not, and whether
    /// that has happened often enough.
    full_bw: Rate,
    full_rounds: u32,
    full: bool,
    rtt: RoundTrip,
    probing: Probing,
    aggregation: Aggregation,
    policer: Policer,
    repair: Repair,
    conserving: bool,
    /// Whether the application left the sender idle, and it has not been heard of since.
    idle: bool,
    started: bool,
    /// C.inflight of the last ACK, and why the state and the bandwidth of a policer changed last, to be explained.
    in_flight: u64,
    transition: &'static Rule,
    bounds: &'static Rule,
    rule: &'static Rule,
}

impl Bbr1 {
    /// BtlBw, or the bandwidth of a policer.
    fn bandwidth(&self) -> Rate {
        let most = Rate::from_raw(self.max_bw.get());
        self.policer.bandwidth().unwrap_or(most)
    }

    fn update_bandwidth(&mut self, delivery: &Delivery) {
        self.round_began = false;
        let Some(sample) = delivery.rate else { return };
        if sample.prior_delivered >= self.round_ends {
            self.round_ends = delivery.delivered;
            self.rounds += 1;
            self.round_began = true;
            self.conserving = false;
        }
        if self.config.policers {
            let probes = self.state == State::ProbeBandwidth;
            let began = self.round_began;
            if self.policer.on_delivery(delivery, began, probes, self.mss) {
                self.probe_bandwidth(delivery.now);
            }
        }
        let found = rate(sample.delivered, self.mss, sample.interval).raw();
        if !sample.app_limited || found >= self.max_bw.get() {
            self.max_bw.update(ROUNDS, self.rounds, found);
        }
        if self.config.aggregation {
            let (full, bandwidth) = (self.full, self.bandwidth());
            self.aggregation.on_delivery(
                delivery,
                self.round_began,
                full,
                bandwidth,
                self.cwnd,
                self.mss,
            );
        }
    }
}

impl Algorithm for Bbr1 {
    const NAME: &'static str = "bbr1";
    const SUMMARY: &'static str = "the rate at which the path delivers, and twice what fills it (BBR version 1, Cardwell et al. 2016, as in Linux)";
    const NEEDS: Signals = Signals::RTT.with_pacing().with_delivery();
    const RECOVERIES: &'static [&'static str] = &["sack"];
    const FACTS: Facts = Facts {
        ack_lowers_window: true,
        ack_moves_ssthresh: true,
        loss_restarts: false,
        loss_leaves: None,
        timeout_leaves: None,
    };
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        let mut control = Self {
            config: *config,
            mss: path.mss.segment_size(),
            cwnd: path.initial_window.min(Segments::CAP).floor().max(1),
            ssthresh: path.ssthresh.max(Segments::whole(2)),
            prior_cwnd: 0,
            state: State::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            pacing_rate: Rate::ZERO,
            has_seen_rtt: false,
            max_bw: WindowedMax::default(),
            rounds: 0,
            round_ends: 0,
            round_began: false,
            full_bw: Rate::ZERO,
            full_rounds: 0,
            full: false,
            rtt: RoundTrip::default(),
            probing: Probing::new(),
            aggregation: Aggregation::new(),
            policer: Policer::default(),
            repair: Repair::None,
            conserving: false,
            idle: false,
            started: false,
            in_flight: 0,
            transition: &rule::NONE,
            bounds: &rule::NONE,
            rule: &rule::NONE,
        };
        control.pacing_rate = control.first_rate(None);
        control
    }
}

impl Controller for Bbr1 {
    fn on_sent(&mut self, sent: &Sent) {
        if sent.in_flight > Segments::ZERO || sent.retransmission {
            return;
        }
        if !core::mem::replace(&mut self.started, true) {
            self.rtt.measured_at = sent.now;
            self.aggregation.restart(sent.now);
            return;
        }
        // A low rate may empty the network as well, if it holds few segments.
        if !sent.was_app_limited {
            return;
        }
        self.idle = true;
        self.aggregation.restart(sent.now);
        match self.state {
            State::ProbeBandwidth => self.set_rate(self.bandwidth(), UNIT, None),
            State::ProbeRtt => self.check_probe_rtt(sent.now),
            State::Startup | State::Drain => {}
        }
    }

    /// The handshake's round-trip time is the first RTprop, and gives the first rate (`bbr_init`).
    fn on_handshake(&mut self, handshake: &Handshake) {
        self.rtt.least = Some(handshake.rtt);
        self.rtt.measured_at = handshake.now;
        self.pacing_rate = self.first_rate(Some(handshake.rtt));
        self.has_seen_rtt = true;
    }

    /// Does nothing: what a sample says is in the [`Delivery`] as well.
    fn on_sample(&mut self, _: &Sample) {}

    fn on_ack(&mut self, _: &Ack) {}

    fn on_loss(&mut self, _: &Loss) {
        self.save();
        self.rule = &LOSS;
    }

    fn on_timeout(&mut self, _: &Timeout) {
        self.save();
        self.repair = Repair::Timeout;
        self.full_bw = Rate::ZERO;
        self.round_began = true;
        self.cwnd = 1;
        self.rule = &TIMEOUT;
    }

    fn on_delivery(&mut self, delivery: &Delivery) {
        self.in_flight = delivery.in_flight;
        let policer = self.policer.bandwidth();
        self.update_bandwidth(delivery);
        match self.policer.bandwidth() {
            now if now == policer => {}
            Some(_) => self.bounds = &POLICER,
            None => self.bounds = &POLICER_OVER,
        }
        self.update_cycle(delivery);
        self.check_full(delivery);
        self.check_drain(delivery);
        self.update_rtt(delivery);
        self.update_gains();
        let bandwidth = self.bandwidth();
        self.set_rate(bandwidth, self.pacing_gain, delivery.srtt);
        self.set_window(delivery);
        self.rule = self.rule_now();
    }

    fn on_mss(&mut self, change: &MssChange) {
        for window in [&mut self.cwnd, &mut self.prior_cwnd] {
            *window = change
                .rescale(Segments::saturating_whole(*window))
                .floor()
                .max(1);
        }
        self.ssthresh = change.rescale(self.ssthresh).max(Segments::whole(2));
        self.mss = change.after.segment_size();
    }

    fn window(&self) -> Window {
        Window {
            cwnd: Segments::saturating_whole(self.cwnd.max(1)).min(Segments::CAP),
            ssthresh: self.ssthresh,
        }
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.cwnd = self.cwnd.min(cwnd.floor()).max(1);
    }

    /// The loss was none: the bandwidth may be more than what was taken for full. As in Linux, the window
    /// becomes that from before by itself.
    fn restore(&mut self, before: &Window) {
        self.full_bw = Rate::ZERO;
        self.full_rounds = 0;
        if self.policer.bandwidth().is_some() {
            self.bounds = &POLICER_OVER;
        }
        self.policer.reset();
        self.cwnd = self.cwnd.max(before.cwnd.floor());
    }

    fn pacing(&self) -> Option<Rate> {
        Some(self.pacing_rate)
    }

    fn send_quantum(&self) -> u32 {
        // Bytes in 2^-10 s, as Linux sizes what leaves at once.
        let bytes = (self.pacing_rate.raw() >> 16 >> 10).min(65_535);
        let least = if self.pacing_rate.raw() >> 16 < 150_000 {
            1
        } else {
            2
        };
        let segments = bytes / u64::from(self.mss.max(1));
        u32::try_from(segments)
            .unwrap_or(MOST_AT_ONCE)
            .clamp(least, MOST_AT_ONCE)
    }

    fn holds_back(&self) -> bool {
        self.state == State::ProbeRtt
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        out("phase", Value::State(self.state.name()));
        out("bwe", Value::BitRate(self.bandwidth().as_bits_per_second()));
        if let Some(rtt) = self.rtt.least {
            out("base_rtt", Value::Seconds(rtt.as_secs_f64()));
        }
        out(
            "pacing_gain",
            Value::Number(self.pacing_gain as f64 / UNIT as f64),
        );
        out(
            "pacing_rate",
            Value::BitRate(self.pacing_rate.as_bits_per_second()),
        );
        out(
            "path_window",
            Value::Segments(self.path(self.bandwidth(), UNIT) as f64),
        );
        out(
            "extra_acked",
            Value::Segments(self.aggregation.most() as f64),
        );
        out("in_flight", Value::Segments(self.in_flight as f64));
        let policer = self.policer.bandwidth();
        if let Some(rate) = policer {
            out("policer_rate", Value::BitRate(rate.as_bits_per_second()));
        }
        out("transition", Value::Rule(self.transition));
        out("bounds", Value::Rule(self.bounds));
        out("rule", Value::Rule(self.rule));
    }
}
