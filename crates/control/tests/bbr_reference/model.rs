//! The section "Updating Network Path Model Parameters": rounds, `max_bw`, `extra_acked` and losses.

use dumbbell_control::event::LostSegment;

use crate::arithmetic::{INFINITY, delivered_in, times};
use crate::reference::{Gain, Reference, State};

const BETA: Gain = Gain(7, 10);
const MAX_BW_FILTER_LEN: u64 = 2;
const EXTRA_ACKED_FILTER_LEN: u64 = 10;

impl Reference {
    /// Section "BBR.round_count: Tracking Packet-Timed Round Trips".
    pub fn init_round_counting(&mut self) {
        self.next_round_delivered = 0;
        self.round_start = false;
        self.round_count = 0;
    }

    /// Section "BBR.round_count: Tracking Packet-Timed Round Trips". `P.delivered` is `RS.prior_delivered`.
    fn update_round(&mut self) {
        self.round_start = self
            .rs
            .prior_delivered
            .is_some_and(|prior| prior >= self.next_round_delivered);
        if self.round_start {
            self.start_round();
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
        }
    }

    /// Section "BBR.round_count: Tracking Packet-Timed Round Trips".
    pub fn start_round(&mut self) {
        self.next_round_delivered = self.c.delivered;
    }

    /// Section "Updating the BBR.max_bw Max Filter".
    fn update_max_bw(&mut self) {
        self.update_round();
        if self.rs.delivery_rate > 0
            && (self.rs.delivery_rate >= self.max_bw || !self.rs.is_app_limited)
        {
            self.max_bw = self.max_bw_filter.update(
                self.rs.delivery_rate,
                self.cycle_count,
                MAX_BW_FILTER_LEN,
            );
        }
    }

    /// Section "Tracking Time for the BBR.max_bw Max Filter".
    pub fn advance_max_bw_filter(&mut self) {
        self.cycle_count += 1;
    }

    /// Section "BBR.extra_acked".
    pub fn update_ack_aggregation(&mut self) {
        let interval = self.now.saturating_sub(self.extra_acked_interval_start);
        let mut expected_delivered = delivered_in(self.bw, interval, self.c.smss);
        if self.extra_acked_delivered <= expected_delivered {
            self.extra_acked_delivered = 0;
            self.extra_acked_interval_start = self.now;
            expected_delivered = 0;
        }
        self.extra_acked_delivered += self.rs.newly_acked;
        let extra = self.extra_acked_delivered - expected_delivered;
        let extra = extra.min(self.c.cwnd);
        let filter_len = if self.full_bw_reached {
            EXTRA_ACKED_FILTER_LEN
        } else {
            1
        };
        self.extra_acked = self
            .extra_acked_filter
            .update(extra, self.round_count, filter_len);
    }

    /// Section "Probing for Bandwidth In ProbeBW". `C.has_selective_acks` is true.
    pub fn is_inflight_too_high(&self) -> bool {
        let Gain(parts, whole) = self.loss_thresh;
        u128::from(self.rs.lost) * u128::from(whole)
            > u128::from(self.rs.tx_in_flight) * u128::from(parts)
    }

    /// Section "Probing for Bandwidth In ProbeBW".
    fn handle_inflight_too_high(&mut self) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !self.rs.is_app_limited {
            self.inflight_longterm = self
                .rs
                .tx_in_flight
                .max(times(self.target_inflight(), BETA));
        }
        if self.state == State::ProbeBwUp {
            self.undo_state = Some(State::ProbeBwUp);
            self.start_probe_bw_down();
        }
    }

    /// Section "Probing for Bandwidth In ProbeBW".
    fn note_loss(&mut self) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = self.c.delivered;
            self.save_state_upon_loss();
        }
        self.is_loss_in_round = true;
    }

    /// Section "Probing for Bandwidth In ProbeBW".
    pub fn handle_lost_packet(&mut self, packet: &LostSegment) {
        self.note_loss();
        if !self.is_bw_probe_sample {
            return;
        }
        self.rs.tx_in_flight = packet.tx_in_flight;
        self.rs.lost = packet.lost;
        self.rs.is_app_limited = packet.app_limited;
        if self.is_inflight_too_high() {
            self.rs.tx_in_flight = self.inflight_at_loss();
            self.handle_inflight_too_high();
        }
    }

    /// Section "Probing for Bandwidth In ProbeBW". A packet is one segment. The result is rounded down; `lost_prefix`
    /// is not negative: if the packets before had exceeded the threshold already, it is what was in flight before.
    fn inflight_at_loss(&self) -> u64 {
        let size = 1;
        let inflight_prev = i128::from(self.rs.tx_in_flight) - size;
        let lost_prev = i128::from(self.rs.lost) - size;
        let (parts, whole) = (
            i128::from(self.loss_thresh.0),
            i128::from(self.loss_thresh.1),
        );
        // inflight_prev + (thresh * inflight_prev - lost_prev) / (1 - thresh), over one denominator.
        let divisor = whole - parts;
        let lost_prefix = (parts * inflight_prev - lost_prev * whole).max(0);
        let dividend = inflight_prev * divisor + lost_prefix;
        u64::try_from(dividend.div_euclid(divisor)).unwrap_or(0)
    }

    /// Section "When not Probing for Bandwidth".
    pub fn update_latest_delivery_signals(&mut self) {
        self.loss_round_start = false;
        self.bw_latest = self.bw_latest.max(self.rs.delivery_rate);
        self.inflight_latest = self.inflight_latest.max(self.rs.delivered);
        if self
            .rs
            .prior_delivered
            .is_some_and(|prior| prior >= self.loss_round_delivered)
        {
            self.loss_round_delivered = self.c.delivered;
            self.loss_round_start = true;
        }
    }

    /// Section "When not Probing for Bandwidth".
    pub fn advance_latest_delivery_signals(&mut self) {
        if self.loss_round_start {
            self.bw_latest = self.rs.delivery_rate;
            self.inflight_latest = self.rs.delivered;
        }
    }

    /// Section "When not Probing for Bandwidth".
    pub fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = 0;
        self.inflight_latest = 0;
    }

    /// Section "When not Probing for Bandwidth".
    pub fn update_congestion_signals(&mut self) {
        self.update_max_bw();
        if !self.loss_round_start {
            return;
        }
        self.adapt_lower_bounds_from_congestion();
        self.is_loss_in_round = false;
    }

    /// Section "When not Probing for Bandwidth".
    fn adapt_lower_bounds_from_congestion(&mut self) {
        if self.is_probing_bw() {
            return;
        }
        if self.is_loss_in_round {
            self.init_lower_bounds();
            self.loss_lower_bounds();
        }
    }

    /// Section "When not Probing for Bandwidth".
    fn init_lower_bounds(&mut self) {
        if self.bw_shortterm == INFINITY {
            self.bw_shortterm = self.max_bw;
        }
        if self.inflight_shortterm == INFINITY {
            self.inflight_shortterm = self.c.cwnd;
        }
    }

    /// Section "When not Probing for Bandwidth".
    fn loss_lower_bounds(&mut self) {
        self.bw_shortterm = self.bw_latest.max(times(self.bw_shortterm, BETA));
        self.inflight_shortterm = self
            .inflight_latest
            .max(times(self.inflight_shortterm, BETA));
    }

    /// Section "When not Probing for Bandwidth".
    pub fn reset_short_term_model(&mut self) {
        self.bw_shortterm = INFINITY;
        self.inflight_shortterm = INFINITY;
    }

    /// Section "When not Probing for Bandwidth".
    pub fn bound_bw_for_model(&mut self) {
        self.bw = self.max_bw.min(self.bw_shortterm);
    }
}
