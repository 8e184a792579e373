//! ACKs that come in bursts: what they report beyond the bandwidth (section "BBR.extra_acked").

use crate::estimate::path::{UNIT, delivered};
use crate::units::{Instant, Rate};

/// BBR.ExtraAckedFilterLen, in rounds. In Startup only the current round counts.
const ROUNDS: usize = 10;

/// BBR.extra_acked and the interval that is being measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregation {
    /// The largest excess of each of the last rounds, and the last of them.
    most: [u64; ROUNDS],
    round: u64,
    /// BBR.extra_acked_interval_start.
    began: Instant,
    /// BBR.extra_acked_delivered.
    delivered: u64,
}

impl Aggregation {
    pub fn new() -> Self {
        Self {
            most: [0; ROUNDS],
            round: 0,
            began: Instant::ZERO,
            delivered: 0,
        }
    }

    /// The connection begins, or restarts after an idle period.
    pub fn restart(&mut self, now: Instant) {
        self.began = now;
    }

    /// BBR.extra_acked.
    pub fn most(&self) -> u64 {
        self.most.iter().copied().max().unwrap_or(0)
    }

    /// UpdateACKAggregation().
    pub fn update(&mut self, ack: &Burst) {
        let interval = ack.now.since(self.began);
        let mut expected = delivered(ack.bw, interval, UNIT, ack.mss);
        if self.delivered <= expected {
            self.delivered = 0;
            self.began = ack.now;
            expected = 0;
        }
        self.delivered = self.delivered.saturating_add(ack.newly_acked);
        let extra = self.delivered.saturating_sub(expected).min(ack.cwnd);
        self.begin_round(ack);
        let place = (ack.round % ROUNDS as u64) as usize;
        if let Some(most) = self.most.get_mut(place) {
            *most = extra.max(*most);
        }
    }

    /// Forgets the rounds that no longer count.
    fn begin_round(&mut self, ack: &Burst) {
        let passed = ack.round.saturating_sub(self.round);
        if passed >= ROUNDS as u64 || passed > 0 && !ack.full {
            self.most = [0; ROUNDS];
        } else {
            for round in self.round + 1..=ack.round {
                if let Some(most) = self.most.get_mut((round % ROUNDS as u64) as usize) {
                    *most = 0;
                }
            }
        }
        self.round = ack.round;
    }
}

/// What an ACK is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub now: Instant,
    pub newly_acked: u64,
    pub bw: Rate,
    pub mss: u32,
    pub cwnd: u64,
    /// BBR.round_count.
    pub round: u64,
    /// BBR.full_bw_reached.
    pub full: bool,
}
