//! Startup and Drain: whether the pipe is full, by a plateau of the bandwidth or by losses.

use super::sample::{Sample, is_too_high};
use super::state::{self, State};
use super::{Bbr, Inputs};
use crate::event::Repair;
use crate::rule::Rule;
use crate::units::{Rate, Ratio};
use crate::wide::product_at_least;

/// A pipe is full after this many rounds without a quarter more bandwidth (section "Exiting Acceleration Based on
/// Bandwidth Plateau").
const FULL_ROUNDS: u32 = 3;
/// Drain ends after this many rounds at the latest (section "Drain").
const DRAIN_ROUNDS: u64 = 3;

/// The estimator of the full pipe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    /// BBR.full_bw.
    pub bw: Rate,
    /// BBR.full_bw_count.
    pub count: u32,
    /// BBR.full_bw_now.
    pub now: bool,
    /// BBR.full_bw_reached.
    pub reached: bool,
}

impl FullPipe {
    /// ResetFullBW(), after which growth counts from `bw`.
    pub fn reset(&mut self, bw: Rate) {
        self.bw = bw;
        self.count = 0;
        self.now = false;
    }

    /// CheckFullBWReached().
    pub fn check(&mut self, sample: &Sample, round_began: bool) {
        if self.now || !round_began || sample.app_limited {
            return;
        }
        if product_at_least(sample.rate.raw(), 4, self.bw.raw(), 5) {
            return self.reset(sample.rate);
        }
        self.count += 1;
        self.now = self.count >= FULL_ROUNDS;
        self.reached |= self.now;
    }
}

/// The losses of the current round of a recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossRound {
    /// Sequence ranges that were lost.
    ranges: u32,
    /// The segment that was declared lost last.
    last: Option<u64>,
    /// C.delivered when the recovery began.
    pub recovery_began: u64,
}

impl LossRound {
    /// A segment is lost. One beside the last belongs to its range.
    pub fn count(&mut self, seq: u64) {
        let is_beside = self.last.is_some_and(|last| seq.abs_diff(last) <= 1);
        if !is_beside {
            self.ranges = self.ranges.saturating_add(1);
        }
        self.last = Some(seq);
    }

    fn begin(&mut self) {
        self.ranges = 0;
        self.last = None;
    }

    /// Whether a round that ends here, and that the recovery has lasted for, lost too much.
    fn is_too_high(&self, sample: &Sample, ranges: u32, threshold: Ratio) -> bool {
        let full = sample
            .prior_delivered
            .is_some_and(|prior| prior >= self.recovery_began);
        full && self.ranges >= ranges && is_too_high(sample.lost, sample.tx_in_flight, threshold)
    }
}

impl Bbr {
    /// EnterStartup(), for this reason.
    pub(super) fn enter_startup(&mut self, why: &'static Rule) {
        self.enter(State::Startup, why);
    }

    /// CheckStartupDone().
    pub(super) fn check_startup_done(&mut self, inputs: &Inputs) {
        self.check_startup_high_loss(inputs);
        if self.state == State::Startup && self.full.reached {
            let why = match self.full.count >= FULL_ROUNDS {
                true => &state::PLATEAU,
                false => &state::LOSSY_STARTUP,
            };
            self.enter(State::Drain, why);
            self.drain_start_round = self.rounds.count;
        }
    }

    /// CheckStartupHighLoss(), by the criteria of section "Exiting Startup Based on Packet Loss".
    fn check_startup_high_loss(&mut self, inputs: &Inputs) {
        if !self.model.loss_round_began {
            return;
        }
        let (ranges, threshold) = (self.config.startup_losses, self.config.loss_threshold);
        let too_high = self.state == State::Startup
            && !self.full.reached
            && self.repair == Repair::Episode
            && self.losses.is_too_high(&inputs.sample, ranges, threshold);
        self.losses.begin();
        if too_high {
            self.undo.state = Some(State::Startup);
            self.full.now = true;
            self.full.reached = true;
            self.model.inflight_longterm = self.bdp(Ratio::ONE).max(self.model.inflight_latest);
            self.bounds = &state::STARTUP_LIMIT;
            self.news = Some(&state::TOO_HIGH);
        }
    }

    /// CheckDrainDone().
    pub(super) fn check_drain_done(&mut self, inputs: &Inputs) {
        if self.state != State::Drain {
            return;
        }
        if inputs.in_flight <= self.inflight(self.model.bw, Ratio::ONE) {
            self.start_down(inputs.now, &state::DRAINED);
        } else if self.rounds.count > self.drain_start_round.saturating_add(DRAIN_ROUNDS) {
            self.start_down(inputs.now, &state::DRAINED_LONG);
        }
    }
}
