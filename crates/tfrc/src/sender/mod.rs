//! The sender of TFRC and of its variants (RFC 5348, section 4): feedback and timers in, data packets
//! out.

pub(crate) mod basis;
mod config;
pub(crate) mod connection;
mod limits;
mod ns2;
pub(crate) mod pacing;
mod receive_set;
mod rfc5348;
pub(crate) mod rtt;
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
/// The host calls [`start`](Self::start) once, [`on_timer`](Self::on_timer) at each
/// [`deadline`](Self::deadline), and [`on_feedback`](Self::on_feedback) for each feedback packet.
/// Nothing is sent before the start. If the application does not always have something to send, it calls
/// [`offer`](Self::offer) for the packets that it has.
#[derive(Clone, Debug)]
pub struct Sender {
    config: SenderConfig,
    supply: Supply,
    connection: Option<Connection>,
}

impl Sender {
    /// Makes a sender that always has something to send.
    pub fn backlogged(config: SenderConfig) -> Self {
        Self {
            config,
            supply: Supply::ENDLESS,
            connection: None,
        }
    }

    /// Makes a sender that only sends the packets offered to it.
    pub fn offered(config: SenderConfig) -> Self {
        Self {
            supply: Supply::default(),
            ..Self::backlogged(config)
        }
    }

    /// Starts the connection and sends its first packet, if there is one.
    pub fn start(&mut self, now: Instant, out: &mut impl Output) {
        if self.connection.is_none() {
            self.connection = Some(Connection::new(now, 0, &self.config));
        }
        self.on_timer(now, out);
    }

    /// Returns when [`on_timer`](Self::on_timer) must be called next; `None` before the start.
    #[inline]
    pub fn deadline(&self) -> Option<Instant> {
        Some(self.connection.as_ref()?.deadline(&self.supply))
    }

    /// Sends the packets that are due. Call it at the deadline; calling it earlier is harmless.
    #[inline]
    pub fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if let Some(connection) = &mut self.connection {
            connection.on_timer(now, &mut self.supply, out);
        }
    }

    /// Handles feedback. Invalid feedback, and feedback older than the last one, is ignored and counted.
    pub fn on_feedback(&mut self, now: Instant, feedback: &Feedback, out: &mut impl Output) {
        if let Some(connection) = &mut self.connection {
            connection.on_feedback(now, feedback, &mut self.supply, out);
        }
    }

    /// Adds packets that the application has to send; they are sent now or when they are due.
    pub fn offer(&mut self, now: Instant, packets: u64, out: &mut impl Output) {
        self.offer_late(now, now, packets, out);
    }

    /// As [`offer`](Self::offer), for packets that were ready at `since`, although their host comes only now. What it is late
    /// costs no send times, up to 50 ms and a round-trip time.
    pub fn offer_late(
        &mut self,
        now: Instant,
        since: Instant,
        packets: u64,
        out: &mut impl Output,
    ) {
        let begins = self.supply.add(packets).then_some(since);
        if packets > 0
            && let Some(connection) = &mut self.connection
        {
            connection.on_supply(now, begins, &mut self.supply, out);
        }
    }

    /// Discards all waiting packets; from now on only newly offered packets are sent.
    pub fn stop(&mut self) {
        self.supply = Supply::default();
    }

    /// Returns the number of offered packets that are waiting; `None` if the sender always has something
    /// to send.
    pub fn waiting(&self) -> Option<u64> {
        self.supply.waiting()
    }

    /// Returns the state of the rate.
    pub fn state(&self) -> State {
        self.connection
            .as_ref()
            .map_or_else(State::default, Connection::state)
    }

    /// Returns the counters.
    pub fn counters(&self) -> Counters {
        self.connection
            .as_ref()
            .map_or_else(Counters::default, |connection| connection.counters)
    }
}

#[cfg(test)]
mod tests;
