//! What travels between the two ends (RFC 5348, section 3.2), without a format; [`crate::wire`] has one.

use dumbbell_control::units::{Duration, Instant};

/// What a data packet says beside its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Which of a bundle's connections it belongs to; zero where there is one.
    pub connection: u32,
    /// Its number: one more for each packet of the connection, from 0 on.
    pub seq: u64,
    /// When it was sent, by the sender's clock.
    pub sent_at: Instant,
    /// The sender's estimate of the round-trip time; nothing before its first feedback.
    pub rtt: Option<Duration>,
    /// How many feedback packets and expiries of the nofeedback timer the sender has seen: profile
    /// `ns2` lets no round have two loss events.
    pub round: u32,
    /// The sender asks for feedback at once (profile `ns2`, after an expiry of the nofeedback timer).
    pub urgent: bool,
}

/// A data packet as it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// What it says.
    pub data: Data,
    /// Bytes of it that count for the receive rate: those that the segment size counts.
    pub bytes: u32,
    /// A router has marked it (ECN).
    pub marked: bool,
}

/// What the receiver reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// The connection that it is about.
    pub connection: u32,
    /// The sending time of the newest data packet, by the sender's clock (t_recvdata).
    pub t_recvdata: Instant,
    /// The time from that packet's arrival to this report (t_delay).
    pub t_delay: Duration,
    /// The receive rate of the last round-trip time in bytes a second (X_recv), 0 in the first report.
    pub x_recv: f64,
    /// The loss event rate, 0 to 1; 0 before the first loss event.
    pub p: f64,
    /// Of it, the rate of loss events on a wireless link, where an access point tells it (WM-TFRC).
    pub p_wireless: Option<f64>,
    /// Loss events so far, modulo 2^32: what tells a new one apart from a changed average.
    pub loss_events: u32,
}

/// Why a packet will not arrive, where somebody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A queue dropped it.
    Queue,
    /// A wireless link lost it.
    Link,
}

/// Where a sender puts its packets.
pub trait Output {
    /// Sends a data packet.
    fn transmit(&mut self, data: Data);
}

impl Output for Vec<Data> {
    fn transmit(&mut self, data: Data) {
        self.push(data);
    }
}
