#![doc = include_str!("../README.md")]

#[cfg(feature = "receiver-times")]
mod socket;
mod times;

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use dumbbell_quic::control::controller::Signals;
use dumbbell_quic::{Choice, Clock, Congestion, Translator, Unusable};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};

pub use dumbbell_quic;
#[cfg(feature = "receiver-times")]
pub use socket::{TRAILER, TimedSocket};
pub use times::Times;

/// What quinn tells a control: round-trip times. It tells neither packet numbers nor how many marks have come, and
/// paces at a rate of its own.
pub const SIGNALS: Signals = Signals::RTT;

/// The same, and when packets arrived at the receiver ([`Factory::timed`]).
pub const TIMED_SIGNALS: Signals = Signals::RECEIVER_TIME;

dumbbell_quic::chooser! {
    /// Creates a control for each path of each connection.
    Factory, SIGNALS
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(Adapter {
            path: Translator::new(&self.0, mtu),
            clock: Clock::new(now),
            times: None,
        })
    }
}

impl Factory {
    /// The control with this name, which is also told when packets arrived at the receiver: VenoDB by the receiver's
    /// times, and SARBE. Both ends of the connection have a socket that tells them (`TimedSocket`, of the feature
    /// `receiver-times`), and these are those of the sender's.
    ///
    /// # Errors
    /// [`Unusable`] if there is no such control, or if it requires more than that.
    pub fn timed(name: &str, times: Times) -> Result<TimedFactory, Unusable> {
        let choice = Choice::named(name, TIMED_SIGNALS)?;
        Ok(TimedFactory { choice, times })
    }
}

/// Creates controls that are told when packets arrived at the receiver: [`Factory::timed`].
#[derive(Clone, Debug)]
pub struct TimedFactory {
    choice: Choice,
    times: Times,
}

impl TimedFactory {
    /// The control's parameters.
    pub fn config(&self) -> &dumbbell_quic::control::registry::AnyConfig {
        self.choice.config()
    }
}

impl ControllerFactory for TimedFactory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(Adapter {
            path: Translator::new(&self.choice, mtu),
            clock: Clock::new(now),
            times: Some(self.times.clone()),
        })
    }
}

/// A control on one path. Cast a clone of quinn's `congestion_state` to this type with `into_any`.
#[derive(Clone, Debug)]
pub struct Adapter {
    path: Translator,
    clock: Clock,
    /// Where the receiver's times come from, if it tells them.
    times: Option<Times>,
}

impl Adapter {
    /// The control and what surrounds it.
    pub fn path(&self) -> &Translator {
        &self.path
    }
}

impl Controller for Adapter {
    fn on_sent(&mut self, now: Instant, bytes: u64, _: u64) {
        self.path.on_sent(self.clock.at(now), bytes);
    }

    // quinn updates its own round-trip time only after this call, so that it is one ACK old.
    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, _: bool, _: &RttEstimator) {
        self.path.on_packet_acked(self.clock.at(sent), bytes);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _: Option<u64>) {
        if let Some(stamps) = self.times.as_ref().and_then(Times::take) {
            self.path.on_stamps(stamps);
        }
        self.path
            .on_end_acks(self.clock.at(now), in_flight, app_limited);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost: u64) {
        let by = match (persistent, lost) {
            (true, _) => Congestion::Persistent,
            (false, 0) => Congestion::Mark,
            (false, _) => Congestion::Loss,
        };
        let (now, sent) = (self.clock.at(now), self.clock.at(sent));
        self.path.on_congestion(now, sent, by, lost);
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.path.on_mtu(mtu);
    }

    fn window(&self) -> u64 {
        self.path.window()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    // quinn calls this before the first packet.
    fn initial_window(&self) -> u64 {
        self.path.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
