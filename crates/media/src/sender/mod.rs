//! The sending end of a flow whose rate a [`Control`] sets.
//!
//! It numbers the packets of a [`Supply`], lets them go when the control's window and pacing allow, remembers them, and
//! checks reports before the control sees them.
//!
//! ```
//! use dumbbell_control::units::Instant;
//! use dumbbell_media::control::{Control, Report, Sent};
//! use dumbbell_media::sender::{Backlog, Sender};
//!
//! struct Constant;
//!
//! impl Control for Constant {
//!     fn on_sent(&mut self, _: &Sent) {}
//!     fn on_report(&mut self, _: &Report<'_>) {}
//!     fn on_timer(&mut self, _: Instant) {}
//!     fn deadline(&self) -> Option<Instant> {
//!         None
//!     }
//!     fn target_rate(&self) -> f64 {
//!         80_000.0
//!     }
//!     fn pacing_rate(&self) -> f64 {
//!         80_000.0
//!     }
//! }
//!
//! let (mut sender, mut supply) = (Sender::new(Box::new(Constant)), Backlog::new(1000));
//! let mut sent = Vec::new();
//! sender.on_timer(Instant::ZERO, &mut supply, |packet| sent.push(packet.sequence));
//! // The next packet of 1000 bytes is due after 100 ms.
//! assert_eq!(sender.deadline(&supply), Some(Instant::from_nanos(100_000_000)));
//! assert_eq!(sent, [0]);
//! ```

mod supply;

use dumbbell_control::units::{Duration, Instant};

pub use supply::{Backlog, Supply};

use crate::control::{Control, Sent};
use crate::feedback::{Checks, Feedback, History};

/// A packet as it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered<P> {
    /// Its number: one more for each packet, from 0.
    pub sequence: u64,
    /// Its payload in bytes.
    pub bytes: u32,
    /// What the supply made.
    pub packet: P,
}

/// The sending end of a flow.
pub struct Sender {
    control: Box<dyn Control + Send>,
    history: History,
    /// When the last packet was due, and its size.
    turn: Option<(Instant, u32)>,
    /// When the next packet was due that had to wait for its turn: a timer that comes later than that is late.
    held: Option<Instant>,
    rtt: Option<Duration>,
    sent: u64,
}

/// The most packets that leave in one call.
const BURST: u32 = 1024;
/// How much of the time in which no packet waited is made up for.
const CREDIT: Duration = Duration::from_millis(2);
/// How late a timer may be before the rate falls short: on a busy machine, timers are late by some milliseconds.
const LATE: Duration = Duration::from_millis(50);
/// The least pacing rate in bit/s; also that of a control whose rate is not a number.
const LEAST_RATE: f64 = 1000.0;

impl Sender {
    /// Makes a sender.
    pub fn new(control: Box<dyn Control + Send>) -> Self {
        Self {
            control,
            history: History::default(),
            turn: None,
            held: None,
            rtt: None,
            sent: 0,
        }
    }

    /// The start of the flow, a timer, or new packets in the supply: sends what may leave.
    pub fn on_timer<S: Supply>(
        &mut self,
        now: Instant,
        supply: &mut S,
        out: impl FnMut(Numbered<S::Packet>),
    ) {
        if self
            .control
            .deadline()
            .is_some_and(|deadline| deadline <= now)
        {
            self.control.on_waiting(now, supply.waiting());
            self.control.on_timer(now);
        }
        self.send(now, supply, out);
    }

    /// A report arrived.
    pub fn on_feedback<S: Supply>(
        &mut self,
        now: Instant,
        feedback: &Feedback,
        supply: &mut S,
        out: impl FnMut(Numbered<S::Packet>),
    ) {
        if let Some(report) = self.history.on_feedback(now, feedback) {
            self.rtt = report.rtt.or(self.rtt);
            self.control.on_waiting(now, supply.waiting());
            self.control.on_report(&report);
        }
        self.send(now, supply, out);
    }

    /// Returns when [`on_timer`](Self::on_timer) must be called.
    pub fn deadline<S: Supply>(&self, supply: &S) -> Option<Instant> {
        // The supply may have to make its next packets nevertheless.
        let ready = supply.next().is_some() || self.control.padding().is_some();
        let next = (ready && self.may_send()).then(|| self.due());
        let all = [
            self.control.deadline(),
            supply.due(self.target_rate()),
            next,
        ];
        all.into_iter().flatten().min()
    }

    /// Returns the rate that the encoder should have, in bit/s of payload.
    pub fn target_rate(&self) -> f64 {
        sound(self.control.target_rate())
    }

    /// Returns the control.
    pub fn control(&self) -> &dyn Control {
        &*self.control
    }

    /// Returns the bytes in flight.
    pub fn in_flight(&self) -> u64 {
        self.history.in_flight()
    }

    /// Returns the newest round-trip time.
    pub fn rtt(&self) -> Option<Duration> {
        self.rtt
    }

    /// Returns the number of packets sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Returns what was wrong with reports so far.
    pub fn checks(&self) -> Checks {
        self.history.checks()
    }

    fn send<S: Supply>(
        &mut self,
        now: Instant,
        supply: &mut S,
        mut out: impl FnMut(Numbered<S::Packet>),
    ) {
        supply.fill(now, self.target_rate());
        for _ in 0..BURST {
            self.control.on_waiting(now, supply.waiting());
            if !self.may_send() {
                self.held = None;
                return;
            }
            let due = self.due();
            if due > now {
                let waits = supply.next().is_some() || self.control.padding().is_some();
                self.held = waits.then_some(due);
                return;
            }
            let Some((packet, bytes)) = supply.take().or_else(|| self.pad(supply)) else {
                self.held = None;
                return;
            };
            // A packet that waited for its turn lost no time by itself.
            let least = match self.held {
                Some(held) => (now - LATE).max(held.min(now - CREDIT)),
                None => now - CREDIT,
            };
            self.turn = Some((due.max(least), bytes));
            let sequence = self.history.on_sent(now, bytes);
            self.sent += 1;
            self.control.on_sent(&Sent {
                now,
                sequence,
                bytes,
                in_flight: self.history.in_flight(),
            });
            out(Numbered {
                sequence,
                bytes,
                packet,
            });
        }
    }

    /// Returns a packet without content, if the control wants one.
    fn pad<S: Supply>(&self, supply: &mut S) -> Option<(S::Packet, u32)> {
        let bytes = self.control.padding()?;
        Some((supply.pad(), bytes))
    }

    fn may_send(&self) -> bool {
        let window = self.control.window();
        window.is_none_or(|window| self.history.in_flight() < window)
    }

    /// Returns when the next packet is due.
    fn due(&self) -> Instant {
        self.turn.map_or(Instant::ZERO, |(last, bytes)| {
            let seconds = f64::from(bytes) * 8.0 / sound(self.control.pacing_rate());
            last + Duration::from_nanos((seconds * 1e9 + 0.5) as u64)
        })
    }
}

/// Returns a rate that can be used.
fn sound(rate: f64) -> f64 {
    // NaN is not above the least.
    if rate > LEAST_RATE {
        rate.min(1e12)
    } else {
        LEAST_RATE
    }
}
