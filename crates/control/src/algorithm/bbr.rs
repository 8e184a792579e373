//! BBR, version 3: a model of the path's bandwidth, least round-trip time and tolerable volume in flight; the
//! flow sends at that bandwidth, probes for more every few seconds, and slows down where losses say so.
//!
//! Source: Cardwell, Swett and Beshay, "BBR Congestion Control", draft-ietf-ccwg-bbr. Sections are cited by name.
//!
//! | state | pacing gain | window gain | ends |
//! |---|---:|---:|---|
//! | Startup | 2.77 | 2 | three rounds without 25 % more bandwidth, or a round of many losses |
//! | Drain | 0.5 | 2 | what fills the path is in the network, or three rounds |
//! | DOWN | 0.9 | 2 | the queue is gone and headroom is left |
//! | CRUISE | 1 | 2 | 2 to 3 s, or at most 63 rounds, after DOWN began |
//! | REFILL | 1 | 2 | a round |
//! | UP | 1.25 | 2.25 | three rounds without more bandwidth, or 2 % of a round is lost |
//! | ProbeRTT | 1 | 0.5 | 200 ms and a round; it begins 5 s after the least RTT |
//!
//! | event | rule |
//! |---|---|
//! | ACK | max_bw = the largest rate of two cycles; bw = min(max_bw, bw_shortterm) |
//! | ACK | rate = 0.99 gain bw; cwnd grows to gain bw min_rtt + extra_acked, within the bounds |
//! | a loss while probing | inflight_longterm = what was in flight when it was sent, if 2 % are lost |
//! | a round with losses, else | bw_shortterm and inflight_shortterm = what was delivered, at least 0.7 |
//! | timeout | cwnd = 1; after the repair the window from before |
//!
//! Initial values: no bandwidth and no RTT; the first rate is 0.99 x 2.77 times the initial window in 1 ms, then in the first
//! RTT. Defaults: those of the draft.
//!
//! Readings: volumes are whole segments; randomness comes from the digits of the time; the rest is in [`readings`].
//!
//! A test compares it with a slow implementation that was written from the pseudo-code alone, after every event.
//! Deviations: none that is known, but for what the readings say where the draft contradicts itself.
//! Signals: RTT, pacing, deliveries. Hosts: those that measure deliveries; no twin in C.

mod aggregation;
mod cycle;
mod loss;
mod model;
mod probe_rtt;
pub mod readings;
mod sample;
mod startup;
mod state;
#[cfg(test)]
mod tests;
mod window;

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::event::{Ack, Delivery, Loss, LostSegment, MssChange, Path, Repair, Sent, Timeout};
use crate::parameter::{Kind, parameters};
use crate::rule::{self, Rule};
use crate::units::{Duration, Instant, Rate, Ratio, Segments};
use aggregation::{Aggregation, Burst};
use cycle::Cycle;
use loss::Undo;
use model::{Model, Rounds};
use probe_rtt::RoundTrip;
use sample::{Sample, UNLIMITED};
use startup::{FullPipe, LossRound};
use state::State;

parameters! {
    /// The parameters of BBR version 3.
    pub struct Config {
        /// BBR.StartupPacingGain (draft-ietf-ccwg-bbr: 2.77).
        startup_gain: Ratio = Ratio::from_millionths(2_770_000), Kind::Ratio(Ratio::from_millionths(1_100_000), Ratio::from_millionths(8_000_000));
        /// BBR.DrainPacingGain (draft-ietf-ccwg-bbr: 0.5).
        drain_gain: Ratio = Ratio::HALF, Kind::Ratio(Ratio::from_millionths(100_000), Ratio::ONE);
        /// The pacing gain of ProbeBW_DOWN (draft-ietf-ccwg-bbr: 0.9).
        down_gain: Ratio = Ratio::from_millionths(900_000), Kind::Ratio(Ratio::from_millionths(100_000), Ratio::ONE);
        /// The pacing gain of ProbeBW_UP (draft-ietf-ccwg-bbr: 1.25).
        up_gain: Ratio = Ratio::from_millionths(1_250_000), Kind::Ratio(Ratio::ONE, Ratio::from_millionths(4_000_000));
        /// BBR.DefaultCwndGain (draft-ietf-ccwg-bbr: 2).
        cwnd_gain: Ratio = Ratio::from_millionths(2_000_000), Kind::Ratio(Ratio::ONE, Ratio::from_millionths(8_000_000));
        /// The window gain of ProbeBW_UP (draft-ietf-ccwg-bbr: 2.25).
        up_cwnd_gain: Ratio = Ratio::from_millionths(2_250_000), Kind::Ratio(Ratio::ONE, Ratio::from_millionths(8_000_000));
        /// BBR.ProbeRTTCwndGain (draft-ietf-ccwg-bbr: 0.5).
        probe_rtt_gain: Ratio = Ratio::HALF, Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// BBR.ProbeRTTInterval, after which the least RTT is measured anew (draft-ietf-ccwg-bbr: 5 s).
        probe_rtt_interval: Duration = Duration::from_secs(5), Kind::Duration(Duration::from_millis(100), Duration::from_secs(120));
        /// BBR.ProbeRTTDuration, the least time in ProbeRTT (draft-ietf-ccwg-bbr: 200 ms).
        probe_rtt_time: Duration = Duration::from_millis(200), Kind::Duration(Duration::from_millis(1), Duration::from_secs(10));
        /// BBR.MinRTTFilterLen, how long the least RTT counts (draft-ietf-ccwg-bbr: 10 s).
        min_rtt_window: Duration = Duration::from_secs(10), Kind::Duration(Duration::from_millis(100), Duration::from_secs(120));
        /// The least time between two probes for bandwidth, to which up to a second is added (draft-ietf-ccwg-bbr: 2 s).
        probe_wait: Duration = Duration::from_secs(2), Kind::Duration(Duration::from_millis(10), Duration::from_secs(120));
        /// BBR.LossThresh, the tolerated loss rate of a round (draft-ietf-ccwg-bbr: 2 %).
        loss_threshold: Ratio = Ratio::from_millionths(20_000), Kind::Ratio(Ratio::ZERO, Ratio::HALF);
        /// BBR.StartupFullLossCnt, the gaps in a round that end Startup (draft-ietf-ccwg-bbr: 6).
        startup_losses: u32 = 6, Kind::Count(1, 255);
        /// BBR.Beta, what a round with losses leaves at least (draft-ietf-ccwg-bbr: 0.7).
        beta: Ratio = Ratio::from_millionths(700_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// BBR.Headroom, the part of inflight_longterm that is left to others (draft-ietf-ccwg-bbr: 0.15).
        headroom: Ratio = Ratio::from_millionths(150_000), Kind::Ratio(Ratio::ZERO, Ratio::from_millionths(900_000));
    }
}

/// BBR.MinPipeCwnd.
const LEAST: u64 = 4;

/// An ACK, as the steps of the draft see it.
struct Inputs {
    now: Instant,
    /// RS.rtt.
    rtt: Option<Duration>,
    /// C.inflight.
    in_flight: u64,
    /// RS.newly_acked.
    newly_acked: u64,
    /// C.is_cwnd_limited.
    cwnd_limited: bool,
    sample: Sample,
}

/// BBR version 3.
#[derive(Clone, Debug)]
pub struct Bbr {
    config: Config,
    mss: u32,
    /// C.InitialCwnd, C.cwnd and BBR.prior_cwnd.
    initial_window: u64,
    cwnd: u64,
    prior_cwnd: u64,
    pacing_rate: Rate,
    send_quantum: u32,
    has_seen_rtt: bool,
    state: State,
    /// C.delivered.
    delivered: u64,
    repair: Repair,
    idle_restart: bool,
    drain_start_round: u64,
    rounds: Rounds,
    model: Model,
    full: FullPipe,
    losses: LossRound,
    rtt: RoundTrip,
    aggregation: Aggregation,
    cycle: Cycle,
    undo: Undo,
    started: bool,
    /// C.inflight of the last ACK, to be explained.
    in_flight: u64,
    /// Why the state and why the bounds changed last.
    transition: &'static Rule,
    bounds: &'static Rule,
    /// A rule that was applied since the last ACK, to be named with it.
    news: Option<&'static Rule>,
    rule: &'static Rule,
}

impl Bbr {
    /// The connection begins with its first event: Now() of OnInit().
    fn begin(&mut self, now: Instant) {
        if !self.started {
            self.started = true;
            self.rtt.begin(now);
            self.aggregation.restart(now);
        }
    }

    /// Enters a state, for this reason.
    fn enter(&mut self, state: State, why: &'static Rule) {
        self.state = state;
        self.transition = why;
    }

    /// ResetShortTermModel().
    fn forget_short_term(&mut self) {
        self.model.reset_short_term();
        self.bounds = &state::FORGOTTEN;
    }

    /// UpdateModelAndState().
    fn update_model(&mut self, inputs: &Inputs) {
        let sample = &inputs.sample;
        self.model.update_latest(sample, self.delivered);
        self.rounds.update(sample, self.delivered);
        self.cycle.rounds += u64::from(self.rounds.began);
        self.model.update_max_bw(sample);
        let (probing, beta) = (self.state.is_probing(), self.config.beta);
        if self.model.adapt_lower_bounds(probing, self.cwnd, beta) {
            self.news = Some(&state::LOSSY);
            self.bounds = &state::BOUNDED;
        }
        self.aggregation.update(&Burst {
            now: inputs.now,
            newly_acked: inputs.newly_acked,
            bw: self.model.bw,
            mss: self.mss,
            cwnd: self.cwnd,
            round: self.rounds.count,
            full: self.full.reached,
        });
        self.full.check(sample, self.rounds.began);
        self.check_startup_done(inputs);
        self.check_drain_done(inputs);
        if inputs.newly_acked > 0 {
            self.update_cycle(inputs);
        }
        let (interval, window) = (self.config.probe_rtt_interval, self.config.min_rtt_window);
        self.rtt.update(inputs.now, inputs.rtt, interval, window);
        self.check_probe_rtt(inputs);
        self.model.advance_latest(sample);
        self.model.bound_bw();
    }
}

impl Algorithm for Bbr {
    const NAME: &'static str = "bbr";
    const ALIASES: &'static [&'static str] = &["bbr3"];
    const SUMMARY: &'static str = "a model of the path's bandwidth, least RTT and tolerable volume (BBR version 3, draft-ietf-ccwg-bbr)";
    const NEEDS: Signals = Signals::RTT.with_pacing().with_delivery();
    const RECOVERIES: &'static [&'static str] = &["sack"];
    const FACTS: Facts = Facts {
        ack_lowers_window: true,
        ack_moves_ssthresh: false,
        loss_restarts: false,
        loss_leaves: None,
        timeout_leaves: None,
    };
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        let initial = path.initial_window.min(Segments::CAP).floor().max(1);
        let mut control = Self {
            config: *config,
            mss: path.mss.segment_size(),
            initial_window: initial,
            cwnd: initial,
            prior_cwnd: 0,
            pacing_rate: Rate::ZERO,
            send_quantum: 0,
            has_seen_rtt: false,
            state: State::Startup,
            delivered: 0,
            repair: Repair::None,
            idle_restart: false,
            drain_start_round: 0,
            rounds: Rounds::default(),
            model: Model::new(),
            full: FullPipe::default(),
            losses: LossRound::default(),
            rtt: RoundTrip::default(),
            aggregation: Aggregation::new(),
            cycle: Cycle::new(),
            undo: Undo::new(),
            started: false,
            in_flight: 0,
            transition: &rule::NONE,
            bounds: &rule::NONE,
            news: None,
            rule: &rule::NONE,
        };
        control.init_rate(None);
        control.set_quantum();
        control
    }
}

impl Controller for Bbr {
    /// HandleRestartFromIdle().
    fn on_sent(&mut self, sent: &Sent) {
        self.begin(sent.now);
        if sent.in_flight > Segments::ZERO || !sent.was_app_limited {
            return;
        }
        self.idle_restart = true;
        self.aggregation.restart(sent.now);
        match self.state {
            state if state.is_probe_bw() => self.set_rate(Ratio::ONE),
            State::ProbeRtt => self.check_probe_rtt_done(sent.now),
            _ => {}
        }
    }

    /// Does nothing: what a sample says is in the [`Delivery`] as well.
    fn on_sample(&mut self, _: &crate::event::Sample) {}

    fn on_ack(&mut self, _: &Ack) {}

    /// OnEnterFastRecovery(): what has been saved when the losses of this ACK were reported is not saved again.
    fn on_loss(&mut self, loss: &Loss) {
        self.begin(loss.now);
        if !self.undo.fresh {
            self.save_upon_loss();
        }
        self.losses.recovery_began = self.delivered;
        self.repair = Repair::Episode;
        self.rule = &state::LOSS;
    }

    /// OnEnterRTO().
    fn on_timeout(&mut self, timeout: &Timeout) {
        self.begin(timeout.now);
        self.save_upon_loss();
        self.repair = Repair::Timeout;
        self.cwnd = 1;
        self.rule = &state::TIMEOUT;
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.begin(lost.now);
        self.delivered = lost.delivered;
        self.handle_lost(lost);
    }

    fn on_delivery(&mut self, delivery: &Delivery) {
        self.begin(delivery.now);
        self.delivered = delivery.delivered;
        if self.repair != Repair::None && delivery.repair == Repair::None {
            self.restore_cwnd();
        }
        self.repair = delivery.repair;
        self.undo.fresh = false;
        self.in_flight = delivery.in_flight;
        let inputs = Inputs {
            now: delivery.now,
            rtt: delivery.rtt,
            in_flight: delivery.in_flight,
            newly_acked: delivery.newly_delivered,
            cwnd_limited: delivery.cwnd_limited,
            sample: Sample::of(delivery, self.mss),
        };
        self.update_model(&inputs);
        if !self.has_seen_rtt && delivery.srtt.is_some() {
            self.has_seen_rtt = true;
            self.init_rate(delivery.srtt);
        }
        self.set_rate(self.state.pacing_gain(&self.config));
        self.set_quantum();
        self.set_cwnd(&inputs);
        self.rule = self.news.take().unwrap_or(self.state.rule());
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.rescale(|segments| change.rescale(Segments::saturating_whole(segments)).floor());
        self.mss = change.after.segment_size();
    }

    /// BBR has no slow-start threshold.
    fn window(&self) -> Window {
        Window {
            cwnd: Segments::saturating_whole(self.cwnd.max(1)).min(Segments::CAP),
            ssthresh: Segments::MAX,
        }
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.cwnd = self.cwnd.min(cwnd.floor()).max(1);
    }

    fn restore(&mut self, _: &Window) {
        self.undo_losses();
    }

    /// Does nothing: after an idle period the window stays (section "Actions when Restarting from Idle").
    fn on_unused(&mut self, _: &Window) {}

    fn pacing(&self) -> Option<Rate> {
        Some(self.pacing_rate)
    }

    fn send_quantum(&self) -> u32 {
        self.send_quantum
    }

    fn holds_back(&self) -> bool {
        self.state == State::ProbeRtt
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let (model, bits) = (&self.model, |rate: Rate| {
            Value::BitRate(rate.as_bits_per_second())
        });
        out("phase", Value::State(self.state.name()));
        out("bwe", bits(model.bw));
        out("max_bw", bits(model.max_bw));
        if let Some(bound) = model.bw_bound() {
            out("bw_shortterm", bits(bound));
        }
        if let Some(rtt) = self.rtt.min {
            out("base_rtt", Value::Seconds(rtt.as_secs_f64()));
        }
        let gain = self.state.pacing_gain(&self.config);
        out("pacing_gain", Value::Number(gain.as_f64()));
        let gain = self.state.cwnd_gain(&self.config);
        out("cwnd_gain", Value::Number(gain.as_f64()));
        out("pacing_rate", bits(self.pacing_rate));
        out("path_window", Value::Segments(self.bdp(Ratio::ONE) as f64));
        out("in_flight", Value::Segments(self.in_flight as f64));
        out(
            "extra_acked",
            Value::Segments(self.aggregation.most() as f64),
        );
        for (name, bound) in [
            ("inflight_longterm", model.inflight_longterm),
            ("inflight_shortterm", model.inflight_shortterm),
        ] {
            if bound != UNLIMITED {
                out(name, Value::Segments(bound as f64));
            }
        }
        out("transition", Value::Rule(self.transition));
        out("bounds", Value::Rule(self.bounds));
        out("rule", Value::Rule(self.rule));
    }
}
