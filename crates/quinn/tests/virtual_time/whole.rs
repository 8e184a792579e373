//! A Reno whose window grows by whole packets: what is acknowledged is counted until it is a window. A cut halves the window
//! and leaves a part of the count.
//!
//! In a window with fractions, a count of `f` windows is `f` packets more. Half of both is `f/2` packets, and counted in the
//! new window that is a quarter of the old count.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};

/// Ten packets of 1472 bytes, in bytes.
pub const INITIAL: u64 = 14_720;

/// Makes such controls.
#[derive(Clone, Copy)]
pub struct Whole {
    /// The part of the count that a cut leaves.
    pub keeps: f64,
    /// Whether what the ACK that reveals a loss acknowledges counts, too.
    pub counts_all: bool,
}

impl Whole {
    const fn new(keeps: f64, counts_all: bool) -> Self {
        Self { keeps, counts_all }
    }

    /// From quinn's NewReno to Dumbbell's: first the count is cut as a window with fractions would be, then it is dropped,
    /// and then an ACK that reveals a loss adds nothing, either.
    pub const STEPS: [Self; 4] = [
        Self::new(1.0, true),
        Self::new(0.25, true),
        Self::new(0.0, true),
        Self::new(0.0, false),
    ];
}

impl ControllerFactory for Whole {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(State {
            keeps: self.keeps,
            counts_all: self.counts_all,
            mtu: mtu.into(),
            window: INITIAL,
            ssthresh: u64::MAX,
            counted: 0,
            cut: now,
            before: (now, INITIAL, 0),
        })
    }
}

#[derive(Clone)]
struct State {
    keeps: f64,
    counts_all: bool,
    mtu: u64,
    window: u64,
    ssthresh: u64,
    counted: u64,
    /// The last cut.
    cut: Instant,
    /// Window and count before the last ACK, and when it came.
    before: (Instant, u64, u64),
}

impl Controller for State {
    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, idle: bool, _: &RttEstimator) {
        if idle || sent <= self.cut {
            return;
        }
        if self.before.0 != now {
            self.before = (now, self.window, self.counted);
        }
        if self.window < self.ssthresh {
            self.window += bytes;
            self.counted = self.window.saturating_sub(self.ssthresh);
            return;
        }
        self.counted += bytes;
        if self.counted >= self.window {
            self.counted -= self.window;
            self.window += self.mtu;
        }
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, _: u64) {
        if sent <= self.cut {
            return;
        }
        self.cut = now;
        if self.before.0 == now && !self.counts_all {
            (self.window, self.counted) = (self.before.1, self.before.2);
        }
        self.window = (self.window / 2).max(2 * self.mtu);
        self.ssthresh = self.window;
        self.counted = (self.counted as f64 * self.keeps) as u64;
        if persistent {
            self.window = 2 * self.mtu;
        }
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.mtu = mtu.into();
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.window
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
