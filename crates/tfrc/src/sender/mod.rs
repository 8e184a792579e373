//! The sender of TFRC and of its variants (RFC 5348, section 4): feedback and timers in, data packets
//! out.

mod basis;
mod config;
pub(crate) mod connection;
mod limits;
mod ns2;
mod pacing;
mod receive_set;
mod rfc5348;
mod rtt;
pub(crate) mod supply;
mod veno;

use dumbbell_control::units::Instant;

use crate::packet::{Feedback, Output};

pub use config::{Law, Rules, SenderConfig, TimeoutRule};
use connection::Connection;
pub use connection::{Counters, State};
use supply::Supply;
pub use veno::{BaseMode, VenoConfig, WindowMode};

/// The sending end of a connection.
///
/// The host calls [`start`](Self::start) once, [`on_timer`](Self::on_timer) whenever the
/// [`deadline`](Self::deadline) has come, and [`on_feedback`](Self::on_feedback) for each feedback packet.
/// Before the start nothing happens. Where the application has not always something to send, it
/// says what it has by [`offer`](Self::offer).
#[derive(Clone, Debug)]
pub struct Sender {
    config: SenderConfig,
    supply: Supply,
    connection: Option<Connection>,
}

impl Sender {
    /// A sender that always has something to send.
    pub fn backlogged(config: SenderConfig) -> Self {
        Self {
            config,
            supply: Supply::ENDLESS,
            connection: None,
        }
    }

    /// A sender that has nothing to send but what it is offered.
    pub fn offered(config: SenderConfig) -> Self {
        Self {
            supply: Supply::default(),
            ..Self::backlogged(config)
        }
    }

    /// The connection begins, and its first packet leaves if there is one.
    pub fn start(&mut self, now: Instant, out: &mut impl Output) {
        if self.connection.is_none() {
            self.connection = Some(Connection::new(now, 0, &self.config));
        }
        self.on_timer(now, out);
    }

    /// When [`on_timer`](Self::on_timer) wants to be called next; nothing before the start.
    #[inline]
    pub fn deadline(&self) -> Option<Instant> {
        Some(self.connection.as_ref()?.deadline(&self.supply))
    }

    /// Time has passed: sends what has its turn. To be called at the deadline; earlier does no harm.
    #[inline]
    pub fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if let Some(connection) = &mut self.connection {
            connection.on_timer(now, &mut self.supply, out);
        }
    }

    /// Feedback arrives. What cannot be true is ignored and counted, and so is what was overtaken.
    pub fn on_feedback(&mut self, now: Instant, feedback: &Feedback, out: &mut impl Output) {
        if let Some(connection) = &mut self.connection {
            connection.on_feedback(now, feedback, &mut self.supply, out);
        }
    }

    /// The application has so many more packets to send; they leave now or when it is their turn.
    pub fn offer(&mut self, now: Instant, packets: u64, out: &mut impl Output) {
        self.supply.add(packets);
        if packets > 0
            && let Some(connection) = &mut self.connection
        {
            connection.on_supply(now, &mut self.supply, out);
        }
    }

    /// Nothing more is sent but what is offered from now on.
    pub fn stop(&mut self) {
        self.supply = Supply::default();
    }

    /// Packets that were offered and wait; nothing if there is always one.
    pub fn waiting(&self) -> Option<u64> {
        self.supply.waiting()
    }

    /// What the rate is made of.
    pub fn state(&self) -> State {
        self.connection
            .as_ref()
            .map_or_else(State::default, Connection::state)
    }

    /// What was counted.
    pub fn counters(&self) -> Counters {
        self.connection
            .as_ref()
            .map_or_else(Counters::default, |connection| connection.counters)
    }
}

#[cfg(test)]
mod tests;
