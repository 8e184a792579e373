#![doc = include_str!("../README.md")]

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use dumbbell_quic::control::controller::Signals;
use dumbbell_quic::control::units;
use dumbbell_quic::{Clock, Congestion, Translator};
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

pub use dumbbell_quic;

/// What noq tells a control: round-trip times and packet numbers; and it sends at the control's rate. It does not tell
/// how many marks have come.
pub const SIGNALS: Signals = Signals::RTT.with_pacing().with_delivery();

dumbbell_quic::chooser! {
    /// Creates a control for each path of each connection.
    Factory, SIGNALS
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(Adapter {
            path: Translator::new(&self.0, mtu),
            clock: Clock::new(now),
            now,
        })
    }
}

/// A control on one path. Cast a clone of noq's `congestion_state` to this type with `into_any`.
#[derive(Clone, Debug)]
pub struct Adapter {
    path: Translator,
    clock: Clock,
    /// The time of the last call that told it.
    now: Instant,
}

impl Adapter {
    /// The control and what surrounds it.
    pub fn path(&self) -> &Translator {
        &self.path
    }

    fn at(&mut self, now: Instant) -> units::Instant {
        self.now = now;
        self.clock.at(now)
    }
}

impl Controller for Adapter {
    fn on_sent(&mut self, now: Instant, bytes: u64, _: u64) {
        let now = self.at(now);
        self.path.on_sent(now, bytes);
    }

    fn on_packet_sent(&mut self, now: Instant, _: u16, number: u64) {
        let now = self.at(now);
        self.path.on_packet_sent(now, number);
    }

    // Called without a time, in the call that has just sent.
    fn on_cwnd_limited(&mut self) {
        self.path.on_window_full(self.clock.at(self.now));
    }

    // noq updates its own round-trip time only after this call, so that it is one ACK old.
    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        number: u64,
        _: bool,
        _: &RttEstimator,
    ) {
        let (now, sent) = (self.at(now), self.clock.at(sent));
        self.path.on_packet_acked(sent, bytes);
        self.path.on_number_acked(now, number, sent);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _: Option<u64>) {
        let now = self.at(now);
        self.path.on_end_acks(now, in_flight, app_limited);
    }

    fn on_packet_lost(&mut self, _: u16, number: u64, now: Instant) {
        let now = self.at(now);
        self.path.on_packet_lost(now, number);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        persistent: bool,
        ecn: bool,
        lost: u64,
        _: u64,
    ) {
        let by = match (persistent, ecn) {
            (true, _) => Congestion::Persistent,
            (false, true) => Congestion::Mark,
            (false, false) => Congestion::Loss,
        };
        let (now, sent) = (self.at(now), self.clock.at(sent));
        self.path.on_congestion(now, sent, by, lost);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.path.on_spurious();
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.path.on_mtu(mtu);
    }

    fn window(&self) -> u64 {
        self.path.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.path.window();
        metrics.ssthresh = self.path.ssthresh();
        metrics.pacing_rate = self.path.pacing_rate();
        metrics.send_quantum = metrics.pacing_rate.map(|_| self.path.send_quantum());
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    // noq calls this before the first packet.
    fn initial_window(&self) -> u64 {
        self.path.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
