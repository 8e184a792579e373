//! Acknowledgements that come in bursts: how many more segments they report than the bandwidth explains. The
//! window gets so many more, so that the sender is not silent between bursts.

use crate::estimate::path::{UNIT, delivered, window};
use crate::event::Delivery;
use crate::units::{Duration, Instant, Rate};

/// A maximum counts for one to two windows of this many rounds; one round while the path is not yet full.
const WINDOW: u32 = 5;
/// The longest time at the estimated bandwidth that the window may be raised by.
const MOST: Duration = Duration::from_millis(100);
/// An epoch of more deliveries begins anew.
const RESET: u64 = 1 << 20;

/// The largest excess of the current window and of the one before, and the current epoch.
#[derive(Clone, Debug)]
pub(super) struct Aggregation {
    extra: [u64; 2],
    current: usize,
    rounds: u32,
    epoch: Instant,
    delivered: u64,
}

impl Aggregation {
    pub fn new() -> Self {
        Self {
            extra: [0; 2],
            current: 0,
            rounds: 0,
            epoch: Instant::ZERO,
            delivered: 0,
        }
    }

    /// Begins a new epoch, after an idle period.
    pub fn restart(&mut self, now: Instant) {
        self.epoch = now;
        self.delivered = 0;
    }

    /// Takes an ACK that gives a rate. `full` is whether the path is full.
    pub fn on_delivery(
        &mut self,
        delivery: &Delivery,
        round: bool,
        full: bool,
        bandwidth: Rate,
        cwnd: u64,
        mss: u32,
    ) {
        if delivery.newly_delivered == 0 {
            return;
        }
        if round {
            self.rounds += 1;
            if self.rounds >= if full { WINDOW } else { 1 } {
                self.rounds = 0;
                self.current = 1 - self.current;
                self.extra[self.current] = 0;
            }
        }
        let mut expected = delivered(bandwidth, delivery.now.since(self.epoch), UNIT, mss);
        if self.delivered <= expected
            || self.delivered.saturating_add(delivery.newly_delivered) >= RESET
        {
            self.restart(delivery.now);
            expected = 0;
        }
        self.delivered = self.delivered.saturating_add(delivery.newly_delivered);
        let extra = self.delivered.saturating_sub(expected).min(cwnd);
        self.extra[self.current] = self.extra[self.current].max(extra);
    }

    /// The largest excess.
    pub fn most(&self) -> u64 {
        self.extra[0].max(self.extra[1])
    }

    /// What the window gets on top.
    pub fn allowance(&self, bandwidth: Rate, mss: u32) -> u64 {
        self.most().min(window(bandwidth, MOST, UNIT, mss))
    }
}
