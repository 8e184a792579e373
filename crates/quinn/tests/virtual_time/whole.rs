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

/// Makes such controls.
pub struct Whole {
    /// The part of the count that a cut leaves.
    pub keeps: f64,
}

impl ControllerFactory for Whole {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(State {
            keeps: self.keeps,
            mtu: mtu.into(),
            // quinn's: ten datagrams of 1,200 bytes.
            window: 12_000,
            ssthresh: u64::MAX,
            counted: 0,
            cut: now,
        })
    }
}

#[derive(Clone)]
struct State {
    keeps: f64,
    mtu: u64,
    window: u64,
    ssthresh: u64,
    counted: u64,
    /// The last cut.
    cut: Instant,
}

impl Controller for State {
    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, idle: bool, _: &RttEstimator) {
        if idle || sent <= self.cut {
            return;
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
