//! Losses: each segment that is declared lost, and the return to the state from before if the losses were none.

use super::Bbr;
use super::sample::{UNLIMITED, is_too_high, part};
use super::state::{self, State, TOO_HIGH, UNDONE};
use crate::event::{LostSegment, Repair};
use crate::units::{Instant, Rate};

/// What an undo returns to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    /// BBR.undo_state: the state that a loss has ended.
    pub state: Option<State>,
    pub bw_shortterm: Rate,
    pub inflight_shortterm: u64,
    pub inflight_longterm: u64,
    /// Whether the state was saved since the last ACK.
    pub fresh: bool,
}

impl Undo {
    pub fn new() -> Self {
        Self {
            state: None,
            bw_shortterm: Rate::ZERO,
            inflight_shortterm: 0,
            inflight_longterm: 0,
            fresh: false,
        }
    }
}

impl Bbr {
    /// HandleLostPacket().
    pub(super) fn handle_lost(&mut self, lost: &LostSegment) {
        self.note_loss(lost);
        let threshold = self.config.loss_threshold;
        if self.cycle.is_sample && is_too_high(lost.lost, lost.tx_in_flight, threshold) {
            // InflightAtLoss(): the part of the segment at which the losses exceeded the threshold is less than
            // a whole one, so it is what was in flight before it.
            let before = lost.tx_in_flight.saturating_sub(1);
            self.handle_too_high(before, lost.app_limited, lost.now);
        }
    }

    /// NoteLoss(), and what the begin of a repair saves if the host reports that later.
    fn note_loss(&mut self, lost: &LostSegment) {
        let first = !self.model.is_loss_in_round;
        if first {
            self.model.loss_round_delivered = lost.delivered;
        }
        if first || self.repair == Repair::None && !self.undo.fresh {
            self.save_upon_loss();
        }
        self.model.is_loss_in_round = true;
        self.losses.count(lost.seq);
    }

    /// HandleInflightTooHigh().
    fn handle_too_high(&mut self, tx_in_flight: u64, app_limited: bool, now: Instant) {
        self.cycle.was_too_high = true;
        self.cycle.is_sample = false;
        if !app_limited {
            let least = part(self.target_inflight(), self.config.beta);
            self.model.inflight_longterm = tx_in_flight.max(least);
            self.bounds = &state::LOWERED;
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down(now, &state::PROBE_LOST);
        }
        self.news = Some(&TOO_HIGH);
    }

    /// SaveStateUponLoss().
    pub(super) fn save_upon_loss(&mut self) {
        self.save_cwnd();
        self.undo = Undo {
            state: None,
            bw_shortterm: self.model.bw_shortterm,
            inflight_shortterm: self.model.inflight_shortterm,
            inflight_longterm: self.model.inflight_longterm,
            fresh: true,
        };
    }

    /// SaveCwnd().
    pub(super) fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.repair == Repair::None && self.state != State::ProbeRtt {
            self.cwnd
        } else {
            self.prior_cwnd.max(self.cwnd)
        };
    }

    /// RestoreCwnd().
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// HandleSpuriousLossDetection().
    pub(super) fn undo_losses(&mut self) {
        self.restore_cwnd();
        self.model.is_loss_in_round = false;
        self.full.reset(Rate::ZERO);
        let (model, undo) = (&mut self.model, &mut self.undo);
        model.bw_shortterm = model.bw_shortterm.max(undo.bw_shortterm);
        model.inflight_shortterm = model.inflight_shortterm.max(undo.inflight_shortterm);
        model.inflight_longterm = model.inflight_longterm.max(undo.inflight_longterm);
        self.bounds = &state::RETURNED;
        let before = undo.state.take().filter(|before| *before != self.state);
        match before {
            Some(State::Startup) => {
                self.full.reached = false;
                if self.state != State::ProbeRtt {
                    self.enter_startup(&state::STATE_UNDONE);
                }
            }
            Some(State::Up) if self.state != State::ProbeRtt => {
                self.start_refill(&state::STATE_UNDONE);
            }
            _ => {}
        }
        self.rule = &UNDONE;
    }

    /// Applies a change of the unit to all numbers of segments but counters.
    pub(super) fn rescale(&mut self, rescaled: impl Fn(u64) -> u64) {
        let (model, undo) = (&mut self.model, &mut self.undo);
        for window in [
            &mut self.cwnd,
            &mut self.prior_cwnd,
            &mut self.initial_window,
        ] {
            *window = rescaled(*window).max(1);
        }
        for bound in [
            &mut model.inflight_longterm,
            &mut model.inflight_shortterm,
            &mut undo.inflight_longterm,
            &mut undo.inflight_shortterm,
        ] {
            if *bound != UNLIMITED {
                *bound = rescaled(*bound);
            }
        }
        model.inflight_latest = rescaled(model.inflight_latest);
    }
}
