//! The contract of a rate control that is told the fate of each packet.
//!
//! A [`Sender`](crate::sender::Sender) calls a control in this order: [`on_waiting`](Control::on_waiting) before every
//! other call, then [`on_sent`](Control::on_sent), [`on_report`](Control::on_report) or
//! [`on_timer`](Control::on_timer). Afterwards it reads the rates, the window and the deadline. A control reads no
//! clock, and keeps a bounded amount of state that it allocates when it is made.

mod base_delay;

pub use base_delay::BaseDelay;
use dumbbell_control::controller::Value;
use dumbbell_control::units::{Duration, Instant};

/// A rate control: the fates of packets in, rates and a window out. Rates are in bits of payload per second.
pub trait Control {
    /// This many bytes of payload wait at the sender until the control lets them go.
    fn on_waiting(&mut self, now: Instant, bytes: u64) {
        let _ = (now, bytes);
    }

    /// A packet was sent.
    fn on_sent(&mut self, sent: &Sent);

    /// A report arrived that has news, or repeats that nothing is new.
    fn on_report(&mut self, report: &Report<'_>);

    /// The [`deadline`](Self::deadline) has passed.
    fn on_timer(&mut self, now: Instant);

    /// When the control must be woken up, if it must.
    fn deadline(&self) -> Option<Instant>;

    /// The rate that the encoder should have.
    fn target_rate(&self) -> f64;

    /// The rate at which packets leave while some wait.
    fn pacing_rate(&self) -> f64;

    /// A packet may leave while fewer bytes than this are in flight; `None` if the control has no window.
    fn window(&self) -> Option<u64> {
        None
    }

    /// Returns the size of a packet without content that is to leave, at the pacing rate, if no other one waits: a probe of the
    /// path, in bytes of payload.
    fn padding(&self) -> Option<u32> {
        None
    }

    /// Reports the known values behind the rate: calls `out` with the name and the value of each.
    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let _ = out;
    }
}

/// A packet that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub now: Instant,
    /// Its number: one more for each packet, from 0.
    pub sequence: u64,
    /// Its payload in bytes.
    pub bytes: u32,
    /// The bytes in flight, this packet included.
    pub in_flight: u64,
}

/// What a report says that was not known before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report<'a> {
    /// When it arrived.
    pub now: Instant,
    /// The packets whose fate is new, in the order of their numbers.
    pub packets: &'a [Known],
    /// The round-trip time of the packet that arrived last among the new ones, without the time that the receiver kept
    /// the report; `None` if no new packet arrived at a known time.
    pub rtt: Option<Duration>,
    /// The bytes of the packets up to the highest number that is known to have arrived, since the last report: those
    /// that were lost count, too (RFC 8298, section 4.1.2).
    pub newly_acked: u64,
    /// The bytes in flight: those of the packets after the highest number that is known to have arrived, lost or not
    /// (RFC 8298, section 4.1.2).
    pub in_flight: u64,
}

/// A packet whose fate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its number.
    pub sequence: u64,
    /// When it was sent, by the sender's clock.
    pub sent_at: Instant,
    /// Its payload in bytes.
    pub bytes: u32,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrived.
    Arrived {
        /// When, by the receiver's clock, whose origin is unknown; `None` if the receiver does not know.
        at: Option<Instant>,
        /// Its ECN field on arrival.
        ecn: Ecn,
        /// When it was reported as missing, if it was: it has only been late.
        missing_since: Option<Instant>,
    },
    /// It has not arrived, and one with a higher number has. It may still arrive.
    Missing,
}

/// The ECN field of an IP packet (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not capable of ECN.
    #[default]
    NotEct,
    /// ECT(1).
    Ect1,
    /// ECT(0).
    Ect0,
    /// Congestion experienced: a router has marked it.
    Ce,
}

impl Ecn {
    /// Returns the field's two bits.
    pub fn bits(self) -> u8 {
        match self {
            Self::NotEct => 0,
            Self::Ect1 => 1,
            Self::Ect0 => 2,
            Self::Ce => 3,
        }
    }

    /// Returns the field with these two bits; the others are ignored.
    pub fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::NotEct,
            1 => Self::Ect1,
            2 => Self::Ect0,
            _ => Self::Ce,
        }
    }
}

impl Known {
    /// Returns whether it is missing.
    pub fn is_missing(&self) -> bool {
        self.fate == Fate::Missing
    }

    /// Returns whether it arrived with a mark.
    pub fn is_marked(&self) -> bool {
        matches!(self.fate, Fate::Arrived { ecn: Ecn::Ce, .. })
    }

    /// Returns when it arrived by the receiver's clock, if that is known.
    pub fn arrived_at(&self) -> Option<Instant> {
        match self.fate {
            Fate::Arrived { at, .. } => at,
            Fate::Missing => None,
        }
    }
}
