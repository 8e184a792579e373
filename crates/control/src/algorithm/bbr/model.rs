//! The bandwidth and the bounds of what is in the network, over two time scales.

use super::sample::{Sample, UNLIMITED, part};
use crate::units::{Rate, Ratio};

/// No bound of the bandwidth.
const UNLIMITED_RATE: Rate = Rate::from_raw(u64::MAX);

/// Packet-timed round trips (section "BBR.round_count").
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    /// BBR.round_count.
    pub count: u64,
    /// BBR.round_start.
    pub began: bool,
    /// BBR.next_round_delivered.
    ends: u64,
}

impl Rounds {
    /// StartRound().
    pub fn start(&mut self, delivered: u64) {
        self.ends = delivered;
    }

    /// UpdateRound().
    pub fn update(&mut self, sample: &Sample, delivered: u64) {
        self.began = sample
            .prior_delivered
            .is_some_and(|prior| prior >= self.ends);
        if self.began {
            self.start(delivered);
            self.count += 1;
        }
    }
}

/// The model of the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    /// BBR.max_bw_filter: the largest rate of the previous and of the current cycle.
    cycles: [Rate; 2],
    /// BBR.max_bw.
    pub max_bw: Rate,
    /// BBR.bw.
    pub bw: Rate,
    pub bw_shortterm: Rate,
    pub inflight_shortterm: u64,
    pub inflight_longterm: u64,
    /// The most that the current round has delivered: BBR.bw_latest, BBR.inflight_latest.
    bw_latest: Rate,
    pub inflight_latest: u64,
    /// BBR.is_loss_in_round.
    pub is_loss_in_round: bool,
    /// BBR.loss_round_delivered.
    pub loss_round_delivered: u64,
    /// BBR.loss_round_start.
    pub loss_round_began: bool,
}

impl Model {
    pub fn new() -> Self {
        Self {
            cycles: [Rate::ZERO; 2],
            max_bw: Rate::ZERO,
            bw: Rate::ZERO,
            bw_shortterm: UNLIMITED_RATE,
            inflight_shortterm: UNLIMITED,
            inflight_longterm: UNLIMITED,
            bw_latest: Rate::ZERO,
            inflight_latest: 0,
            is_loss_in_round: false,
            loss_round_delivered: 0,
            loss_round_began: false,
        }
    }

    /// BBR.bw_shortterm, if it is one.
    pub fn bw_bound(&self) -> Option<Rate> {
        (self.bw_shortterm != UNLIMITED_RATE).then_some(self.bw_shortterm)
    }

    /// UpdateMaxBw(), without the round.
    pub fn update_max_bw(&mut self, sample: &Sample) {
        if sample.rate > Rate::ZERO && (sample.rate >= self.max_bw || !sample.app_limited) {
            self.cycles[1] = self.cycles[1].max(sample.rate);
            self.max_bw = self.cycles[0].max(self.cycles[1]);
        }
    }

    /// AdvanceMaxBwFilter().
    pub fn advance_filter(&mut self) {
        self.cycles = [self.cycles[1], Rate::ZERO];
    }

    /// UpdateLatestDeliverySignals().
    pub fn update_latest(&mut self, sample: &Sample, delivered: u64) {
        self.bw_latest = self.bw_latest.max(sample.rate);
        self.inflight_latest = self.inflight_latest.max(sample.delivered);
        let ends = self.loss_round_delivered;
        self.loss_round_began = sample.prior_delivered.is_some_and(|prior| prior >= ends);
        if self.loss_round_began {
            self.loss_round_delivered = delivered;
        }
    }

    /// AdvanceLatestDeliverySignals().
    pub fn advance_latest(&mut self, sample: &Sample) {
        if self.loss_round_began {
            self.bw_latest = sample.rate;
            self.inflight_latest = sample.delivered;
        }
    }

    /// ResetCongestionSignals().
    pub fn reset_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = Rate::ZERO;
        self.inflight_latest = 0;
    }

    /// ResetShortTermModel().
    pub fn reset_short_term(&mut self) {
        self.bw_shortterm = UNLIMITED_RATE;
        self.inflight_shortterm = UNLIMITED;
    }

    /// The end of UpdateCongestionSignals(): at the end of a round with losses the short-term bounds adapt, unless
    /// bandwidth is being probed for. Returns whether they did.
    pub fn adapt_lower_bounds(&mut self, probing: bool, cwnd: u64, beta: Ratio) -> bool {
        if !self.loss_round_began {
            return false;
        }
        let adapts = core::mem::replace(&mut self.is_loss_in_round, false) && !probing;
        if adapts {
            self.bw_shortterm = self.bw_bound().unwrap_or(self.max_bw);
            if self.inflight_shortterm == UNLIMITED {
                self.inflight_shortterm = cwnd;
            }
            let kept = crate::estimate::path::times(self.bw_shortterm, beta);
            self.bw_shortterm = self.bw_latest.max(kept);
            self.inflight_shortterm = self
                .inflight_latest
                .max(part(self.inflight_shortterm, beta));
        }
        adapts
    }

    /// BoundBWForModel().
    pub fn bound_bw(&mut self) {
        self.bw = self.max_bw.min(self.bw_shortterm);
    }
}
