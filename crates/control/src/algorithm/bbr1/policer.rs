//! A bottleneck that polices: at first it lets bursts pass, then it drops what exceeds its rate. BBR takes
//! two intervals of many losses with the same bandwidth for a policer, and then sends at that bandwidth for
//! a while (Linux' long-term bandwidth).

use crate::estimate::path::rate;
use crate::event::Delivery;
use crate::units::{Instant, Rate};
use crate::wide::product_at_least;

/// The least and the largest length of an interval, in rounds.
const LEAST_ROUNDS: u32 = 4;
const MOST_ROUNDS: u32 = 4 * LEAST_ROUNDS;
/// The losses for each 256 deliveries that indicate a policer.
const LOSSES: u64 = 50;
/// Two bandwidths are the same if they differ by less than an eighth, or by 4 kb/s.
const RATIO: u64 = 8;
const DIFFERENCE: u64 = 500 << 16;
/// The rounds for which the bandwidth of a policer is used.
const ROUNDS: u32 = 48;

/// What is known of a policer.
#[derive(Clone, Debug, Default)]
pub(super) struct Policer {
    bandwidth: Option<Rate>,
    /// Whether the bandwidth is used.
    active: bool,
    /// Rounds of the interval, or since the bandwidth is used.
    rounds: u32,
    interval: Option<Start>,
}

/// The counters when an interval began.
#[derive(Clone, Copy, Debug)]
struct Start {
    at: Instant,
    delivered: u64,
    lost: u64,
}

impl Policer {
    /// The bandwidth of the policer, if there seems to be one.
    pub fn bandwidth(&self) -> Option<Rate> {
        self.bandwidth.filter(|_| self.active)
    }

    pub fn reset(&mut self) {
        *self = Self::default();
    }

    fn begin(&mut self, delivery: &Delivery) {
        self.rounds = 0;
        self.interval = Some(Start {
            at: delivery.now,
            delivered: delivery.delivered,
            lost: delivery.lost,
        });
    }

    /// Takes an ACK. `probes` is whether bandwidth is being probed for. Returns whether the time of the policer's
    /// bandwidth is over.
    pub fn on_delivery(
        &mut self,
        delivery: &Delivery,
        round: bool,
        probes: bool,
        mss: u32,
    ) -> bool {
        if self.active {
            self.rounds += u32::from(probes && round);
            let over = self.rounds >= ROUNDS;
            if over {
                self.reset();
            }
            return over;
        }
        let losses = delivery.newly_lost > 0;
        if self.interval.is_none() {
            if !losses {
                return false;
            }
            self.begin(delivery);
        }
        let limited = delivery.rate.is_some_and(|rate| rate.app_limited);
        self.rounds += u32::from(round && !limited);
        let Some(start) = self
            .interval
            .filter(|_| !limited && self.rounds <= MOST_ROUNDS)
        else {
            self.reset();
            return false;
        };
        if self.rounds < LEAST_ROUNDS || !losses {
            return false;
        }
        let (lost, delivered) = (
            delivery.lost.saturating_sub(start.lost),
            delivery.delivered.saturating_sub(start.delivered),
        );
        let time = delivery.now.since(start.at);
        if delivered > 0
            && product_at_least(lost, 256, delivered, LOSSES)
            && time.as_nanos() >= 1_000_000
        {
            self.end(rate(delivered, mss, time), delivery);
        }
        false
    }

    fn end(&mut self, found: Rate, delivery: &Delivery) {
        if let Some(before) = self.bandwidth {
            let difference = found.raw().abs_diff(before.raw());
            if difference <= before.raw() / RATIO || difference <= DIFFERENCE {
                self.bandwidth = Some(Rate::from_raw(u64::midpoint(found.raw(), before.raw())));
                self.active = true;
                self.rounds = 0;
                return;
            }
        }
        self.bandwidth = Some(found);
        self.begin(delivery);
    }
}
