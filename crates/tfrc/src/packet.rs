//! The packets between the two ends (RFC 5348, section 3.2), without a byte format; [`crate::wire`] has
//! one.

use dumbbell_control::units::{Duration, Instant};

/// The header of a data packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// The connection of a bundle to which it belongs; zero for a single connection.
    pub connection: u32,
    /// Its sequence number: one more for each packet of the connection, starting at 0.
    pub seq: u64,
    /// Its sending time, by the sender's clock.
    pub sent_at: Instant,
    /// The sender's estimate of the round-trip time; `None` before its first feedback.
    pub rtt: Option<Duration>,
    /// The number of feedback packets and expiries of the nofeedback timer that the sender has seen. The
    /// profile `ns2` allows at most one loss event per round.
    pub round: u32,
    /// Whether the sender requests immediate feedback (profile `ns2`, after an expiry of the nofeedback
    /// timer).
    pub urgent: bool,
}

/// A data packet on arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Its header.
    pub data: Data,
    /// The bytes that count for the receive rate: those that the segment size includes.
    pub bytes: u32,
    /// Whether a router has marked it (ECN).
    pub marked: bool,
}

/// A feedback packet: the report of the receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// The connection to which it belongs.
    pub connection: u32,
    /// The sending time of the newest data packet, by the sender's clock (t_recvdata).
    pub t_recvdata: Instant,
    /// The time from that packet's arrival to this report (t_delay).
    pub t_delay: Duration,
    /// The receive rate of the last round-trip time in bytes per second (X_recv); 0 in the first report.
    pub x_recv: f64,
    /// The loss event rate, 0 to 1; 0 before the first loss event.
    pub p: f64,
    /// The part of `p` that is due to loss events on a wireless link, if an access point reports it
    /// (WM-TFRC).
    pub p_wireless: Option<f64>,
    /// Loss events so far, modulo 2^32: they distinguish a new loss event from a changed average.
    pub loss_events: u32,
}

impl Feedback {
    /// Returns the round-trip sample of feedback that arrives now at this connection; `None` if it is
    /// invalid, or reports an older packet than `newest`.
    pub(crate) fn sample(
        &self,
        now: Instant,
        connection: u32,
        newest: Instant,
    ) -> Option<Duration> {
        let sound = self.connection == connection
            && self.x_recv >= 0.0
            && (0.0..=1.0).contains(&self.p)
            && self.p_wireless.is_none_or(|p| (0.0..=1.0).contains(&p));
        let age = now.since(self.t_recvdata);
        let possible = self.t_recvdata <= now && self.t_recvdata >= newest && self.t_delay <= age;
        (sound && possible).then(|| age.saturating_sub(self.t_delay))
    }
}

/// The cause of a packet's loss, if it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A queue dropped it.
    Queue,
    /// A wireless link lost it.
    Link,
}

/// The output to which a sender passes its packets.
pub trait Output {
    /// Sends a data packet.
    fn transmit(&mut self, data: Data);
}

impl Output for Vec<Data> {
    fn transmit(&mut self, data: Data) {
        self.push(data);
    }
}
