//! The window and the rate.

use super::state::State;
use super::{Bbr1, FIRST_RTT, HIGH_GAIN, LEAST, MARGIN};
use crate::controller::Controller;
use crate::estimate::path::{self, UNIT, rate, scaled, window};
use crate::event::{Delivery, Repair};
use crate::units::{Duration, Rate, Segments};

impl Bbr1 {
    /// What fills the path at a bandwidth, times a gain; the initial window while no RTT is known.
    pub(super) fn path(&self, bandwidth: Rate, gain: u64) -> u64 {
        match self.rtt.least {
            Some(rtt) => window(bandwidth, rtt, gain, self.mss),
            None => 10,
        }
    }

    /// The same with what leaves and arrives at once on top.
    pub(super) fn budget(&self, window: u64) -> u64 {
        let window = window.saturating_add(3 * u64::from(self.send_quantum()));
        let even = window.saturating_add(1) & !1;
        let probes = self.state == State::ProbeBandwidth && self.probing.rises();
        even.saturating_add(if probes { 2 } else { 0 })
    }

    pub(super) fn target(&self, bandwidth: Rate, gain: u64) -> u64 {
        self.budget(self.path(bandwidth, gain))
    }

    /// What will be in the network when pacing lets the next segment leave.
    pub(super) fn in_flight_then(&self, delivery: &Delivery, in_flight: u64) -> u64 {
        let wait = delivery.next_send.since(delivery.now);
        let gone = path::delivered(self.bandwidth(), wait, UNIT, self.mss);
        let more = if self.pacing_gain > UNIT {
            u64::from(self.send_quantum())
        } else {
            0
        };
        in_flight.saturating_add(more).saturating_sub(gone)
    }

    pub(super) fn save(&mut self) {
        self.prior_cwnd = if self.repair == Repair::None && self.state != State::ProbeRtt {
            self.cwnd
        } else {
            self.prior_cwnd.max(self.cwnd)
        };
    }

    pub(super) fn paced(bandwidth: Rate, gain: u64) -> Rate {
        let raw = u128::from(scaled(bandwidth, gain).raw()) * MARGIN / 100;
        Rate::from_raw(u64::try_from(raw).unwrap_or(u64::MAX)).min(Rate::CAP)
    }

    /// The rate before a bandwidth is known: the initial window in a round trip.
    pub(super) fn first_rate(&self, srtt: Option<Duration>) -> Rate {
        let bandwidth = rate(self.cwnd, self.mss, srtt.unwrap_or(FIRST_RTT));
        Self::paced(bandwidth, HIGH_GAIN)
    }

    pub(super) fn set_rate(&mut self, bandwidth: Rate, gain: u64, srtt: Option<Duration>) {
        if !self.has_seen_rtt && srtt.is_some() {
            self.pacing_rate = self.first_rate(srtt);
            self.has_seen_rtt = true;
        }
        let rate = Self::paced(bandwidth, gain);
        if self.full || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    pub(super) fn set_window(&mut self, delivery: &Delivery) {
        let acked = delivery.newly_delivered;
        if acked > 0 {
            self.cwnd = self.window_after(delivery, acked);
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(LEAST);
        }
        self.cwnd = self.cwnd.min(Segments::CAP.floor());
    }

    pub(super) fn window_after(&mut self, delivery: &Delivery, acked: u64) -> u64 {
        let (before, now) = (self.repair, delivery.repair);
        let mut cwnd = self.cwnd.saturating_sub(delivery.newly_lost).max(1);
        if now == Repair::Episode && before != Repair::Episode {
            self.conserving = true;
            self.round_ends = delivery.delivered;
            cwnd = delivery.in_flight.saturating_add(acked);
        } else if before != Repair::None && now == Repair::None {
            cwnd = cwnd.max(self.prior_cwnd);
            self.conserving = false;
        }
        self.repair = now;
        if self.conserving {
            return cwnd.max(delivery.in_flight.saturating_add(acked));
        }
        let bandwidth = self.bandwidth();
        let mut target = self.path(bandwidth, self.cwnd_gain);
        if self.full {
            target = target.saturating_add(self.aggregation.allowance(bandwidth, self.mss));
        }
        let target = self.budget(target);
        if self.full {
            cwnd = cwnd.saturating_add(acked).min(target);
        } else if cwnd < target || delivery.delivered < 10 {
            cwnd = cwnd.saturating_add(acked);
        }
        cwnd.max(LEAST)
    }
}
