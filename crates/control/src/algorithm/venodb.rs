//! VenoDB: Veno that also uses whether delay and bandwidth are rising or falling.
//!
//! Paper: "Enhancement of TCP congestion control based on relative delay and bandwidth
//! estimation" (TCP VenoDB), section 3.
//!
//! N is Veno's backlog. D is the growth of the one-way delay from one packet to the next, and dD the
//! change of D (section 3.1 A). bwe is Westwood's estimate now, and bwe' the estimate one RTT ago
//! (section 3.1 B). The window grows by this many segments per RTT:
//!
//! | N | state (D) | dD < 0 | dD = 0 | dD > 0 |
//! |---|---|---|---|---|
//! | < beta | any | 2 | 1 | 1 |
//! | >= beta | S1: D < 0 or bwe > bwe' | 1 | 1 | 1 |
//! | >= beta | S2: D = 0 or bwe = bwe' | 1 | 1/2 | 1/2 |
//! | >= beta | S3: D > 0 or bwe < bwe' | 1/4 | 1/4 | 0 |
//!
//! Loss: * 1/2 if N >= beta and D >= 0, else * 4/5; floor 2. Slow start, timeout: as in Veno.
//!
//! Initial values: nothing is known: N = 0, D = dD = 0, bwe = bwe'. Defaults: beta 3, gains
//! and factors of section 3.1 D; tau 500 ms, m 2 (Westwood); ours: eps_d 1 us, eps_bw 1 %.
//!
//! Readings
//! * The printed states overlap. `ordered` takes the first that matches; `score` takes the sign of D
//!   minus the sign of the bandwidth's change; `literal` adds the gains of all that match.
//! * Equality needs a tolerance: for D and dD eps_d or the resolution of the stamps, whichever is
//!   greater; for the bandwidth eps_bw.
//! * "Consecutive" packets are those that trigger consecutive ACKs. A retransmitted or reordered
//!   packet does not change D and dD, but it counts for the bandwidth, as in Westwood.
//! * "More than three duplicates" is read as the third duplicate; D then includes the duplicates.
//! * bwe' comes from a ring of 32 entries, max(1 ms, RTT/16) apart. Until the ring spans an RTT, bwe
//!   counts as equal to bwe'. With `recv` spacing, a timeout feeds no silence.
//! * Ours, for ablations: without `use_delay` and `use_bandwidth` this is Veno with `busy_growth` =
//!   half; with `bw_source` = throughput and `stamp_source` = ack it is Veno+ as reconstructed.
//! * BaseRTT is forgotten at a loss, as in Veno; the paper criticises this but offers no replacement.
//!
//! Deviations: 3.1 B prints an exponentially weighted moving average, but not its weight: `filter` =
//! ewma, from the first sample, `gain` 0.1 (ns-2's Westwood). The default is the filter of Westwood, to
//! which 3.1 B refers: Tustin's, from 0, with samples of zero in a silence. 3.1 D has no floor of 2.
//! Signals: RTT, the receiver's stamps (not with `stamp_source` = ack). Hosts: those that carry stamps;
//! the twin in C is `bpf/venodb.h`.

pub(super) mod rules;
mod table;

use core::cmp::Ordering;

use crate::controller::{Algorithm, Controller, Signals, Value, Window};
use crate::estimate::backlog;
use crate::estimate::bandwidth::{self, Bandwidth, Tuning};
use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::history::{self, History};
use crate::estimate::relative_delay::{DelayMode, RelativeDelay};
use crate::estimate::round::Round;
use crate::estimate::rtt::{RoundStatistic, Rtt};
use crate::estimate::throughput;
use crate::event::{Ack, Loss, MssChange, Path, Sample, Stamps, Timeout};
use crate::growth::{Cuts, Growth, Rules};
use crate::parameter::{Kind, choice, parameters};
use crate::snapshot::Snapshot;
use crate::units::{Duration, Instant, Rate, Segments};
use rules::{Book, Branch};

pub use table::{Precedence, Table};

choice! {
    /// The spacing of bandwidth samples.
    pub enum Spacing {
        /// Arrivals of ACKs at the sender (VenoDB, section 3.1 B).
        Ack = "ack",
        /// Arrivals of data at the receiver.
        Recv = "recv",
    }
}

choice! {
    /// The bandwidth whose change is used.
    pub enum BandwidthSource {
        /// The bytes that ACKs report, divided by the spacing of the ACKs (VenoDB, section 3.1 B).
        Acks = "acks",
        /// The window divided by the RTT in N (VenoDB, section 2.2, on the schemes before it).
        Throughput = "throughput",
    }
}

choice! {
    /// Whose arrivals the relative delay compares.
    pub enum StampSource {
        /// Arrivals of data at the receiver (VenoDB, section 3.1 A).
        Receiver = "receiver",
        /// Arrivals of ACKs at the sender (VenoDB, section 2.2, on the schemes before it).
        Ack = "ack",
    }
}

parameters! {
    /// VenoDB's parameters.
    pub struct Config {
        use table: Table;
        use growth: Rules;
        use cuts: Cuts;
        use bandwidth: bandwidth::Config;
        /// The bandwidth whose change is used: measured from `acks` (VenoDB, 3.1 B), or the `throughput` cwnd / RTT.
        bw_source: BandwidthSource = BandwidthSource::Acks, Kind::Choice(BandwidthSource::WORDS);
        /// The arrivals that D compares: of data at the `receiver` (VenoDB, 3.1 A), or of each `ack` at the sender.
        stamp_source: StampSource = StampSource::Receiver, Kind::Choice(StampSource::WORDS);
        /// Spacing of the bandwidth samples: by `ack` arrivals (VenoDB, 3.1 B), or `recv`, by arrivals of data.
        bw_spacing: Spacing = Spacing::Ack, Kind::Choice(Spacing::WORDS);
        /// Segments that one ACK may add to a bandwidth sample (VenoDB: no cap).
        credit_cap: Segments = Segments::CAP, Kind::Segments(Segments::ONE, Segments::CAP);
    }
}

/// The state that VenoDB's rules need, except the ring.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct State {
    growth: Growth,
    rtt: Rtt,
    base: BaseRtt,
    delay: RelativeDelay,
    bandwidth: Bandwidth,
}

/// The state fits in the kernel's private memory of a socket; the ring, 520 bytes, needs a map.
const _: () = assert!(size_of::<State>() <= 104);

/// VenoDB. 832 bytes: 104 of state, 520 of the ring, and the rest for parameters and options.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct VenoDb {
    state: State,
    last_rtt: Duration,
    tolerance: Duration,
    mss: u32,
    tuning: Tuning,
    branch: Branch,
    /// When the last ACK was judged, for people.
    judged: Instant,
    config: Config,
    statistic: RoundStatistic,
    /// Eight times the smoothed D, for `d_mode` = ewma.
    smoothed: i64,
    /// For `d_mode` = round.
    round: Round,
    round_over: bool,
    history: History,
}

const _: () = assert!(size_of::<VenoDb>() <= 832);

impl VenoDb {
    #[inline]
    fn is_full(&self) -> bool {
        let State {
            growth, rtt, base, ..
        } = &self.state;
        backlog::reaches(self.config.table.beta, growth.cwnd(), rtt, base)
    }

    /// The gain of an ACK at `now`, in quarters of a segment per RTT, and the branch that gives it.
    #[inline]
    fn judge(&self, now: Instant) -> (u32, Branch) {
        let table = &self.config.table;
        let trend = self.delay_trend();
        let (gain, branch) = if self.is_full() {
            self.judge_full(now, trend)
        } else if trend == Ordering::Less {
            (table.gain_free_easing, Branch::FreeEasing)
        } else {
            (table.gain_free, Branch::Free)
        };
        (gain.into(), branch)
    }

    #[inline]
    fn judge_full(&self, now: Instant, trend: Ordering) -> (u8, Branch) {
        let table = &self.config.table;
        let delay = self.delay_sign() as i8;
        let bandwidth = self.bandwidth_change(now) as i8;
        let s1 = (table.gain_s1, Branch::S1);
        let s2 = if trend == Ordering::Less {
            (table.gain_s2_easing, Branch::S2Easing)
        } else {
            (table.gain_s2, Branch::S2)
        };
        let s3 = if trend == Ordering::Greater {
            (table.gain_s3, Branch::S3)
        } else {
            (table.gain_s3_easing, Branch::S3Easing)
        };
        match table.precedence {
            Precedence::Ordered if delay < 0 || bandwidth > 0 => s1,
            Precedence::Ordered if delay == 0 || bandwidth == 0 => s2,
            Precedence::Ordered => s3,
            Precedence::Score if delay < bandwidth => s1,
            Precedence::Score if delay == bandwidth => s2,
            Precedence::Score => s3,
            Precedence::Literal => {
                let matching = [
                    (delay < 0 || bandwidth > 0, s1),
                    (delay == 0 || bandwidth == 0, s2),
                    (delay > 0 || bandwidth < 0, s3),
                ];
                let gains = matching
                    .into_iter()
                    .filter(|(holds, _)| *holds)
                    .map(|(_, s)| s.0);
                (gains.sum(), Branch::Overlap)
            }
        }
    }

    /// The sign of D, which selects the state and classifies losses.
    #[inline]
    fn delay_sign(&self) -> Ordering {
        if self.config.table.use_delay {
            self.state.delay.sign(self.tolerance)
        } else {
            Ordering::Equal
        }
    }

    /// The sign of dD.
    #[inline]
    fn delay_trend(&self) -> Ordering {
        if self.config.table.use_delay {
            self.state.delay.trend()
        } else {
            Ordering::Equal
        }
    }

    /// How the bandwidth now compares with that of one RTT ago.
    fn bandwidth_change(&self, now: Instant) -> Ordering {
        match self.state.bandwidth.rate() {
            Some(rate) if self.config.table.use_bandwidth => {
                history::change(rate, self.old_rate(now), self.config.table.eps_bw)
            }
            _ => Ordering::Equal,
        }
    }

    /// Implements [`Controller::explain`] with the rules of `book`.
    pub(super) fn explain_by(&self, book: &'static Book, out: &mut dyn FnMut(&'static str, Value)) {
        let State {
            growth,
            rtt,
            base,
            delay,
            bandwidth,
        } = &self.state;
        growth.explain(out);
        let bit_rate = |rate: Rate| Value::BitRate(rate.as_bits_per_second());
        let seconds = |span: Duration| Value::Seconds(span.as_secs_f64());
        let delay_ns = delay.delay_ns();
        let known = [
            (
                "backlog",
                backlog::estimate(growth.cwnd(), rtt, base).map(Value::Segments),
            ),
            ("base_rtt", base.duration().map(seconds)),
            ("rtt", rtt.duration().map(seconds)),
            (
                "relative_delay",
                delay_ns.map(|ns| Value::Seconds(ns as f64 / 1e9)),
            ),
            ("bwe", bandwidth.rate().map(bit_rate)),
            ("bwe_past", self.old_rate(self.judged).map(bit_rate)),
        ];
        for (name, value) in known {
            if let Some(value) = value {
                out(name, value);
            }
        }
        let trends = [
            ("delay_trend", self.delay_sign()),
            ("relative_delay_trend", self.delay_trend()),
            ("bwe_trend", self.bandwidth_change(self.judged)),
        ];
        for (name, sign) in trends {
            out(name, Value::trend(sign));
        }
        out("rule", Value::Rule(self.branch.rule(book, growth)));
    }

    fn old_rate(&self, now: Instant) -> Option<Rate> {
        self.history.at(now - self.last_rtt)
    }

    #[inline]
    fn observe_rtt(&mut self, now: Instant, rtt: Duration) {
        let State {
            rtt: filtered,
            base,
            ..
        } = &mut self.state;
        base.observe(rtt);
        filtered.observe(self.config.table.rtt_mode, &mut self.statistic, now, rtt);
        self.last_rtt = rtt;
        if self.config.table.d_mode == DelayMode::Round {
            self.round_over |= self.round.is_ended_by(now, rtt);
        }
    }

    #[inline]
    fn observe_bandwidth(&mut self, sample: &Sample) {
        if self.config.bw_source == BandwidthSource::Throughput {
            return self.observe_throughput(sample);
        }
        let bytes = bandwidth::bytes(sample.credited.min(self.config.credit_cap), self.mss);
        let State { bandwidth, rtt, .. } = &mut self.state;
        let time = match (self.config.bw_spacing, &sample.stamps) {
            (Spacing::Ack, _) => sample.now,
            (Spacing::Recv, Some(stamps)) => stamps.received_at,
            (Spacing::Recv, None) => return bandwidth.carry(bytes),
        };
        if bandwidth.observe(&self.tuning, time, bytes)
            && let Some(rate) = bandwidth.rate()
        {
            self.history.record(
                sample.now,
                rate,
                rtt,
                self.config.table.history_parts.into(),
            );
        }
    }

    fn observe_throughput(&mut self, sample: &Sample) {
        let State {
            growth,
            rtt,
            bandwidth,
            ..
        } = &mut self.state;
        if let (Some(_), Some(eighths)) = (sample.rtt_of_new_data(), rtt.eighths()) {
            let rate = throughput::rate(growth.cwnd(), self.mss, eighths);
            bandwidth.replace(rate);
            let parts = self.config.table.history_parts.into();
            self.history.record(sample.now, rate, rtt, parts);
        }
    }

    #[inline]
    fn observe_delay(&mut self, now: Instant, stamps: &Stamps) {
        let delay = &mut self.state.delay;
        match self.config.table.d_mode {
            DelayMode::Packet => delay.observe(stamps, self.tolerance),
            DelayMode::Ewma => {
                delay.observe_smoothed(&mut self.smoothed, stamps, self.tolerance);
            }
            DelayMode::Round if self.round_over => {
                delay.observe(stamps, self.tolerance);
                self.round = Round::beginning(now);
                self.round_over = false;
            }
            DelayMode::Round => {}
        }
    }
}

impl Snapshot for VenoDb {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        let State {
            growth,
            rtt,
            base,
            delay,
            bandwidth,
        } = &self.state;
        growth.snapshot(out);
        rtt.snapshot(out);
        base.snapshot(out);
        delay.snapshot(out);
        bandwidth.snapshot(out);
        self.history.snapshot(out);
        out("last_rtt", self.last_rtt.as_nanos());
        out("tolerance", self.tolerance.as_nanos());
        self.statistic.snapshot(out);
        out("smoothed", self.smoothed as u64);
        out("d_round_began", self.round.began().as_nanos());
        out("d_round_over", self.round_over.into());
        out("rule", self.branch as u64);
    }
}

impl Algorithm for VenoDb {
    const NAME: &'static str = "venodb";
    const SUMMARY: &'static str =
        "Veno with relative delay and the bandwidth's trend (TCP VenoDB, section 3)";
    const NEEDS: Signals = Signals::RECEIVER_TIME;
    const RECOVERIES: &'static [&'static str] = &["newreno", "reno", "sack"];
    type Config = Config;

    fn needs(config: &Config) -> Signals {
        let acks = config.bw_source == BandwidthSource::Acks;
        let by_receiver = config.stamp_source == StampSource::Receiver;
        if by_receiver || (acks && config.bw_spacing == Spacing::Recv) {
            Signals::RECEIVER_TIME
        } else {
            Signals::RTT
        }
    }

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            state: State {
                growth: Growth::new(&config.growth, &config.cuts, path),
                rtt: Rtt::default(),
                base: BaseRtt::default(),
                delay: RelativeDelay::default(),
                bandwidth: Bandwidth::default(),
            },
            last_rtt: Duration::ZERO,
            tolerance: config.table.eps_d.max(path.stamp_granularity),
            mss: path.mss.segment_size(),
            tuning: Tuning::new(&config.bandwidth),
            branch: Branch::None,
            judged: Instant::ZERO,
            config: *config,
            statistic: RoundStatistic::default(),
            smoothed: 0,
            round: Round::default(),
            round_over: false,
            history: History::default(),
        }
    }
}

impl Controller for VenoDb {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        if let Some(rtt) = sample.rtt_of_new_data() {
            self.observe_rtt(sample.now, rtt);
        }
        self.observe_bandwidth(sample);
        let stamps = match self.config.stamp_source {
            StampSource::Receiver => sample.stamps,
            StampSource::Ack => sample.ack_stamps(),
        };
        if let Some(stamps) = &stamps {
            self.observe_delay(sample.now, stamps);
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited {
            return;
        }
        if self.state.growth.is_slow_start() {
            self.state.growth.accelerate(ack.acked);
            self.branch = Branch::SlowStart;
        } else {
            let (quarters, branch) = self.judge(ack.now);
            self.state.growth.avoid_by(ack.acked, quarters);
            self.branch = branch;
            self.judged = ack.now;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let table = &self.config.table;
        let easing = self.delay_sign() == Ordering::Less;
        let (factor, branch) = match (self.is_full(), easing) {
            (false, _) => (table.factor_random, Branch::Random),
            (true, true) => (table.factor_easing, Branch::Easing),
            (true, false) => (table.factor_congestion, Branch::Congestion),
        };
        let State { growth, base, .. } = &mut self.state;
        growth.cut(growth.at_loss(loss.in_flight).scaled(factor));
        base.lose(table.base_reset);
        self.branch = branch;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let State {
            growth,
            base,
            bandwidth,
            ..
        } = &mut self.state;
        if self.config.bw_spacing == Spacing::Ack {
            bandwidth.pass_silence(&self.tuning, timeout.now);
        }
        let target = growth
            .at_loss(timeout.in_flight)
            .scaled(self.config.table.factor_congestion);
        growth.time_out(timeout, target);
        base.lose(self.config.table.base_reset);
        self.branch = Branch::Timeout;
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.state.growth.rescale(change);
        self.mss = change.after.segment_size();
    }

    #[inline]
    fn window(&self) -> Window {
        self.state.growth.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.state.growth.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.state.growth.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.state.growth.end_slow_start();
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.explain_by(&rules::VENODB, out);
    }
}

#[cfg(test)]
mod tests;
