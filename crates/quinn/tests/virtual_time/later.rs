//! A control of quinn's whose clock is behind by a round trip when an ACK comes: it takes the time at which the packet was
//! sent.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};

/// Makes such controls.
pub struct Later(pub Arc<dyn ControllerFactory + Send + Sync>);

impl ControllerFactory for Later {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(Behind(Arc::clone(&self.0).build(now, mtu)))
    }
}

struct Behind(Box<dyn Controller>);

impl Controller for Behind {
    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, idle: bool, rtt: &RttEstimator) {
        self.0.on_ack(sent, sent, bytes, idle, rtt);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost: u64) {
        self.0.on_congestion_event(now, sent, persistent, lost);
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.0.on_mtu_update(mtu);
    }

    fn window(&self) -> u64 {
        self.0.window()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self(self.0.clone_box()))
    }

    fn initial_window(&self) -> u64 {
        self.0.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
