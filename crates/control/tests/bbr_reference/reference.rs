//! The state of the reference, its events, and the sections "Initialization", "Per-Transmit Steps",
//! "Per-ACK Steps" and those on saving and restoring state of draft-ietf-ccwg-bbr.

use dumbbell_control::event::{Delivery, Loss, LostSegment, Repair, Sent, Timeout};
use dumbbell_control::units::Instant;

use crate::arithmetic::{INFINITY, WindowedMaxFilter, random_digits, rate};

pub const STARTUP_PACING_GAIN: Gain = Gain(277, 100);
pub const DRAIN_PACING_GAIN: Gain = Gain(1, 2);
pub const DEFAULT_CWND_GAIN: Gain = Gain(2, 1);
pub const MIN_PIPE_CWND: u64 = 4;
pub use crate::arithmetic::Gain;

/// `BBR.state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Startup,
    Drain,
    ProbeBwDown,
    ProbeBwCruise,
    ProbeBwRefill,
    ProbeBwUp,
    ProbeRtt,
}

/// `BBR.ack_phase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// The variables `C.` of the connection.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    pub smss: u64,
    pub initial_cwnd: u64,
    pub delivered: u64,
    pub inflight: u64,
    /// Whether `C.app_limited` was not zero when the last segment was sent.
    pub is_app_limited: bool,
    pub is_cwnd_limited: bool,
    pub srtt: Option<u64>,
    pub cwnd: u64,
    pub pacing_rate: u64,
    pub send_quantum: u64,
    pub repair: Repair,
}

/// The variables `RS.` of the rate sample. They are zero while an ACK gives no sample.
#[derive(Clone, Debug, Default)]
pub struct RateSample {
    /// `None`: no packet that tells when it was sent has been delivered.
    pub prior_delivered: Option<u64>,
    pub delivered: u64,
    pub delivery_rate: u64,
    pub rtt: Option<u64>,
    pub newly_acked: u64,
    pub newly_lost: u64,
    pub tx_in_flight: u64,
    pub lost: u64,
    pub is_app_limited: bool,
}

/// BBR version 3 by the pseudo-code. Rates are bytes per second with 16 fraction bits, times nanoseconds, volumes
/// segments. Field names are those of the draft.
#[derive(Clone, Debug)]
pub struct Reference {
    pub c: Connection,
    pub rs: RateSample,
    pub now: u64,
    pub started: bool,
    pub random: fn(u64) -> u64,
    pub loss_thresh: Gain,

    pub state: State,
    pub pacing_gain: Gain,
    pub cwnd_gain: Gain,
    pub round_count: u64,
    pub round_start: bool,
    pub next_round_delivered: u64,
    pub idle_restart: bool,
    pub drain_start_round: u64,

    pub max_bw: u64,
    pub bw_shortterm: u64,
    pub bw: u64,
    pub min_rtt: u64,
    pub bdp: u64,
    pub extra_acked: u64,
    pub max_inflight: u64,
    pub inflight_longterm: u64,
    pub inflight_shortterm: u64,
    pub bw_latest: u64,
    pub inflight_latest: u64,

    pub max_bw_filter: WindowedMaxFilter,
    pub cycle_count: u64,
    pub extra_acked_interval_start: u64,
    pub extra_acked_delivered: u64,
    pub extra_acked_filter: WindowedMaxFilter,

    pub full_bw_reached: bool,
    pub full_bw_now: bool,
    pub full_bw: u64,
    pub full_bw_count: u64,
    /// Discontiguous ranges lost in the round: ACKs that revealed losses.
    pub loss_ranges_in_round: u64,

    pub ack_phase: AckPhase,
    pub is_bw_probe_sample: bool,
    pub is_loss_in_round: bool,
    pub loss_round_delivered: u64,
    pub loss_round_start: bool,
    pub bw_probe_up_acked: u64,
    pub probe_up_acked_per_inc: u64,
    pub bw_probe_up_rounds: u64,
    pub rounds_since_probe_up: u64,
    pub bw_probe_wait: u64,
    pub cycle_stamp: u64,
    pub prev_probe_too_high: bool,
    pub prev_probe_precautionary: bool,
    /// Whether the window was full in this round and in the last one.
    pub prior_cwnd: u64,
    pub undo_state: Option<State>,
    pub undo_bw_shortterm: u64,
    pub undo_inflight_shortterm: u64,
    pub undo_inflight_longterm: u64,

    pub min_rtt_stamp: u64,
    pub probe_rtt_min_delay: u64,
    pub probe_rtt_min_stamp: u64,
    pub probe_rtt_expired: bool,
    /// `None` is the draft's 0.
    pub probe_rtt_done_stamp: Option<u64>,
    pub probe_rtt_round_done: bool,
}

impl Reference {
    /// Section "Initialization": `OnInit`. `Now()` is 0 here, and the time of the first segment in
    /// [`on_sent`](Self::on_sent).
    pub fn new(mss: u64, initial_window_segments: u64) -> Self {
        let mut bbr = Self {
            c: Connection {
                smss: mss,
                initial_cwnd: initial_window_segments,
                cwnd: initial_window_segments,
                send_quantum: 2,
                ..Connection::default()
            },
            rs: RateSample::default(),
            now: 0,
            started: false,
            random: random_digits,
            loss_thresh: Gain(2, 100),
            state: State::Startup,
            pacing_gain: STARTUP_PACING_GAIN,
            cwnd_gain: DEFAULT_CWND_GAIN,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            idle_restart: false,
            drain_start_round: 0,
            max_bw: 0,
            bw_shortterm: INFINITY,
            bw: 0,
            min_rtt: INFINITY,
            bdp: 0,
            extra_acked: 0,
            max_inflight: 0,
            inflight_longterm: INFINITY,
            inflight_shortterm: INFINITY,
            bw_latest: 0,
            inflight_latest: 0,
            max_bw_filter: WindowedMaxFilter::default(),
            cycle_count: 0,
            extra_acked_interval_start: 0,
            extra_acked_delivered: 0,
            extra_acked_filter: WindowedMaxFilter::default(),
            full_bw_reached: false,
            full_bw_now: false,
            full_bw: 0,
            full_bw_count: 0,
            loss_ranges_in_round: 0,
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            is_loss_in_round: false,
            loss_round_delivered: 0,
            loss_round_start: false,
            bw_probe_up_acked: 0,
            probe_up_acked_per_inc: INFINITY,
            bw_probe_up_rounds: 0,
            rounds_since_probe_up: 0,
            bw_probe_wait: 0,
            cycle_stamp: 0,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            prior_cwnd: 0,
            undo_state: None,
            undo_bw_shortterm: 0,
            undo_inflight_shortterm: 0,
            undo_inflight_longterm: 0,
            min_rtt_stamp: 0,
            probe_rtt_min_delay: INFINITY,
            probe_rtt_min_stamp: 0,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
        };
        bbr.reset_congestion_signals();
        bbr.reset_short_term_model();
        bbr.init_round_counting();
        bbr.reset_full_bw();
        bbr.init_pacing_rate();
        bbr.enter_startup();
        bbr
    }

    pub fn cwnd(&self) -> u64 {
        self.c.cwnd
    }

    pub fn pacing_rate(&self) -> u64 {
        self.c.pacing_rate
    }

    pub fn state(&self) -> &'static str {
        match self.state {
            State::Startup => "Startup",
            State::Drain => "Drain",
            State::ProbeBwDown => "ProbeBW_DOWN",
            State::ProbeBwCruise => "ProbeBW_CRUISE",
            State::ProbeBwRefill => "ProbeBW_REFILL",
            State::ProbeBwUp => "ProbeBW_UP",
            State::ProbeRtt => "ProbeRTT",
        }
    }

    pub fn max_bw(&self) -> u64 {
        self.max_bw
    }

    /// `None` before the first measurement.
    pub fn min_rtt(&self) -> Option<u64> {
        Some(self.min_rtt).filter(|rtt| *rtt != INFINITY)
    }

    /// `None` while there is no limit.
    pub fn inflight_longterm(&self) -> Option<u64> {
        Some(self.inflight_longterm).filter(|volume| *volume != INFINITY)
    }

    fn at(&mut self, now: Instant) {
        self.now = now.as_nanos();
    }

    /// Section "Per-Transmit Steps": `OnTransmit`, and `CheckIfApplicationLimited` after it.
    pub fn on_sent(&mut self, sent: &Sent) {
        self.at(sent.now);
        if !self.started {
            self.started = true;
            self.min_rtt_stamp = self.now;
            self.probe_rtt_min_stamp = self.now;
            self.extra_acked_interval_start = self.now;
        }
        self.c.inflight = sent.in_flight.floor();
        self.c.is_app_limited = sent.was_app_limited;
        self.handle_restart_from_idle();
        self.c.inflight += sent.segments.floor();
    }

    /// Section "Per-Loss Steps".
    pub fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.at(lost.now);
        self.c.delivered = lost.delivered;
        self.handle_lost_packet(lost);
    }

    /// Section "Per-ACK Steps": `UpdateOnACK`.
    pub fn on_delivery(&mut self, delivery: &Delivery) {
        self.at(delivery.now);
        self.c.delivered = delivery.delivered;
        self.c.inflight = delivery.in_flight;
        self.take_srtt(delivery.srtt.map(|srtt| srtt.as_nanos()));
        if self.in_loss_recovery() && delivery.repair == Repair::None {
            self.restore_cwnd();
        }
        self.c.repair = delivery.repair;
        self.generate_rate_sample(delivery);
        self.c.is_cwnd_limited = delivery.cwnd_limited;
        self.update_model_and_state();
        self.update_control_parameters();
    }

    /// Section "Modulating cwnd in Loss Recovery": `OnEnterFastRecovery`.
    pub fn on_loss(&mut self, loss: &Loss) {
        self.at(loss.now);
        self.save_cwnd();
        self.save_state_upon_loss();
        self.c.repair = self.c.repair.max(Repair::Episode);
    }

    /// Section "Modulating cwnd in Loss Recovery": `OnEnterRTO`.
    pub fn on_timeout(&mut self, timeout: &Timeout) {
        self.at(timeout.now);
        self.c.inflight = timeout.in_flight.floor();
        self.save_cwnd();
        self.save_state_upon_loss();
        self.c.cwnd = 1;
        self.c.repair = Repair::Timeout;
    }

    /// Section "Spurious Loss Recovery Steps"; then the contract of the crate, which is a window of at least
    /// `before`.
    pub fn restore(&mut self, before: u64) {
        self.handle_spurious_loss_detection();
        self.c.cwnd = self.c.cwnd.max(before);
    }

    /// The text of section "Pacing Rate": the first rate again, with the first RTT.
    fn take_srtt(&mut self, srtt: Option<u64>) {
        let is_first = self.c.srtt.is_none();
        self.c.srtt = srtt.filter(|srtt| *srtt > 0).or(self.c.srtt);
        if is_first && self.c.srtt.is_some() {
            self.init_pacing_rate();
        }
    }

    /// Section "Upon receiving an ACK": what the host's `GenerateRateSample` returned.
    fn generate_rate_sample(&mut self, delivery: &Delivery) {
        self.rs = RateSample {
            rtt: delivery.rtt.map(|rtt| rtt.as_nanos()),
            newly_acked: delivery.newly_delivered,
            newly_lost: delivery.newly_lost,
            ..RateSample::default()
        };
        if let Some(sample) = delivery.rate {
            let interval = sample.interval.as_nanos();
            self.rs.prior_delivered = Some(sample.prior_delivered);
            self.rs.delivered = sample.delivered;
            self.rs.delivery_rate = rate(sample.delivered, self.c.smss, interval);
            self.rs.tx_in_flight = sample.tx_in_flight;
            self.rs.lost = sample.lost;
            self.rs.is_app_limited = sample.app_limited;
        }
    }

    /// Section "Per-ACK Steps".
    fn update_model_and_state(&mut self) {
        self.update_latest_delivery_signals();
        self.update_congestion_signals();
        self.update_ack_aggregation();
        self.check_full_bw_reached();
        self.check_startup_done();
        self.check_drain_done();
        self.update_probe_bw_cycle_phase();
        self.update_min_rtt();
        self.check_probe_rtt();
        self.advance_latest_delivery_signals();
        self.bound_bw_for_model();
    }

    /// Section "Per-ACK Steps".
    fn update_control_parameters(&mut self) {
        self.set_pacing_rate();
        self.set_send_quantum();
        self.set_cwnd();
    }

    pub fn in_loss_recovery(&self) -> bool {
        self.c.repair != Repair::None
    }

    /// Section "Saving State Upon Loss Recovery".
    pub fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.undo_state = None;
        self.undo_bw_shortterm = self.bw_shortterm;
        self.undo_inflight_shortterm = self.inflight_shortterm;
        self.undo_inflight_longterm = self.inflight_longterm;
    }

    /// Section "Handling a Spurious Loss Recovery".
    fn handle_spurious_loss_detection(&mut self) {
        self.restore_cwnd();
        self.is_loss_in_round = false;
        self.reset_full_bw();
        self.bw_shortterm = self.bw_shortterm.max(self.undo_bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo_inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo_inflight_longterm);
        if self.undo_state == Some(State::Startup) && self.state != State::Startup {
            self.full_bw_reached = false;
            if self.state != State::ProbeRtt {
                self.enter_startup();
            }
        } else if self.undo_state == Some(State::ProbeBwUp)
            && self.state != State::ProbeBwUp
            && self.state != State::ProbeRtt
        {
            self.start_probe_bw_refill();
        }
        self.undo_state = None;
    }
}
