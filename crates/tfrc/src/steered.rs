//! A sender whose rate is set by any [`RateControl`]: what TFRC's sender is to its own rules.
//!
//! The sender keeps the round-trip time, rejects invalid feedback, runs the nofeedback timer and sends
//! packets when they are due, as [`crate::sender::Sender`] does. The receiver at the other end is
//! [`crate::receiver::Receiver`].
//!
//! ```
//! use dumbbell_control::units::Instant;
//! use dumbbell_tfrc::packet::Data;
//! use dumbbell_tfrc::steered::{Expiry, RateControl, Report, Steered};
//!
//! /// Sends at a constant rate, and at half of it after a loss event.
//! struct Constant(f64);
//!
//! impl RateControl for Constant {
//!     fn on_feedback(&mut self, report: &Report) {
//!         if report.new_loss {
//!             self.0 /= 2.0;
//!         }
//!     }
//!     fn on_expiry(&mut self, _: &Expiry) {}
//!     fn rate(&self) -> f64 {
//!         self.0
//!     }
//! }
//!
//! let mut sender = Steered::new(1000, Box::new(Constant(10_000.0)));
//! let mut sent: Vec<Data> = Vec::new();
//! sender.start(Instant::ZERO, &mut sent);
//! assert_eq!(sent.len(), 1);
//! // The next packet is due after 1000 bytes at 10 kB/s.
//! assert_eq!(sender.deadline(), Some(Instant::from_nanos(100_000_000)));
//! ```

use dumbbell_control::controller::Value;
use dumbbell_control::units::{Duration, Instant};

use crate::packet::{Data, Feedback, Output};
use crate::seconds::{seconds, span};
use crate::sender::basis::{LARGEST_RATE, LONGEST_BACKOFF};
use crate::sender::pacing::{LATE, Pacing};
use crate::sender::rtt::Rtt;
use crate::sender::supply::Supply;
use crate::sender::{Counters, SenderConfig, State};

/// The largest number of packets that are sent in one call.
const BURST: u32 = 1024;
/// The first nofeedback timer, in seconds (RFC 5348, section 4.2).
const FIRST_WAIT: f64 = 2.0;
/// The least time that a control waits for a report, in seconds: a run with no time between expiries would
/// not end.
const LEAST_WAIT: f64 = 1e-4;

/// A rate control: reports in, a rate out. Rates are in bytes of segments per second, times in seconds.
///
/// It is read after each call. A rate that is not a number, or below a segment in 64 s, counts as a
/// segment in 64 s; a rate above 10^12 bytes per second counts as that.
pub trait RateControl {
    /// A report of the receiver arrived. TFRC's receiver sends one per round-trip time, and one at once
    /// when a loss event begins.
    fn on_feedback(&mut self, report: &Report);

    /// No report arrived until the nofeedback timer expired.
    fn on_expiry(&mut self, expiry: &Expiry);

    /// The allowed rate.
    fn rate(&self) -> f64;

    /// The rate at which packets are sent now: the allowed rate, unless the control sends more slowly or
    /// faster for a while, as TFRC does against oscillations (RFC 5348, section 4.5).
    fn sending_rate(&self) -> f64 {
        self.rate()
    }

    /// The time to wait for the next report, from the last report or expiry. `None`, the default:
    /// max(4 R, 2 s/X), as in RFC 5348, section 4.3, with the present rate. Less than 0.1 ms counts as that.
    fn wait(&self) -> Option<f64> {
        None
    }

    /// Reports the known values behind the rate: calls `out` with the name and the value of each.
    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let _ = out;
    }
}

/// A report of the receiver, as a rate control sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// When it arrived, since the host's origin.
    pub now: Instant,
    /// The round-trip sample of this report, in seconds.
    pub rtt: f64,
    /// R: the mean of the samples, this one with a weight of 0.1 (RFC 5348, section 4.3), in seconds.
    pub srtt: f64,
    /// The receive rate of the last round-trip time (X_recv), in bytes per second; 0 in the first report.
    pub receive_rate: f64,
    /// The loss event rate p, 0 to 1; 0 before the first loss event.
    pub loss_event_rate: f64,
    /// The part of the loss event rate that an access point attributes to the wireless link (WM-TFRC).
    pub wireless_loss_event_rate: Option<f64>,
    /// Whether there is a new loss event, or a larger loss event rate, since the previous report.
    pub new_loss: bool,
    /// Whether this is the first report.
    pub first: bool,
    /// The packets sent so far.
    pub sent: u64,
}

/// An expiry of the nofeedback timer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expiry {
    /// When it expired, since the host's origin.
    pub now: Instant,
    /// R, the mean round-trip time in seconds; `None` before the first report.
    pub srtt: Option<f64>,
    /// The expiries since the last report, this one included.
    pub consecutive: u32,
}

/// The sending end of a connection whose rate a [`RateControl`] sets.
///
/// Its host calls the same methods as those of [`crate::sender::Sender`].
pub struct Steered {
    control: Box<dyn RateControl + Send>,
    segment: f64,
    rtt: Rtt,
    pacing: Pacing,
    supply: Supply,
    started: bool,
    seq: u64,
    round: u32,
    rtt_told: Option<Duration>,
    /// The sending time of the newest packet that was reported.
    newest: Instant,
    nofeedback: Instant,
    expiries: u32,
    last: Option<Feedback>,
    counters: Counters,
}

impl Steered {
    /// Makes a sender that only sends the packets offered to it, with segments of this size.
    pub fn offered(segment: u32, control: Box<dyn RateControl + Send>) -> Self {
        Self {
            supply: Supply::default(),
            ..Self::new(segment, control)
        }
    }

    /// Makes a sender of segments of this size, in bytes, that always has something to send; zero counts as one.
    pub fn new(segment: u32, control: Box<dyn RateControl + Send>) -> Self {
        let usual = SenderConfig::rfc5348(segment);
        Self {
            control,
            segment: f64::from(segment.max(1)),
            rtt: Rtt::new(usual.rtt_weight, usual.t_rto),
            pacing: Pacing::new(Instant::ZERO),
            supply: Supply::ENDLESS,
            started: false,
            seq: 0,
            round: 0,
            rtt_told: None,
            newest: Instant::ZERO,
            nofeedback: Instant::ZERO,
            expiries: 0,
            last: None,
            counters: Counters::default(),
        }
    }

    /// Starts the connection and sends its first packet.
    pub fn start(&mut self, now: Instant, out: &mut impl Output) {
        if !self.started {
            self.started = true;
            self.pacing = Pacing::new(now);
            let wait = self.own_wait().unwrap_or(FIRST_WAIT);
            self.set_timer(now, wait);
            self.follow_rate();
        }
        self.on_timer(now, out);
    }

    /// Returns when [`on_timer`](Self::on_timer) must be called next; `None` before the start.
    pub fn deadline(&self) -> Option<Instant> {
        self.started.then(|| {
            if self.supply.is_empty() {
                self.nofeedback
            } else {
                self.nofeedback.min(self.pacing.next())
            }
        })
    }

    /// Adds packets that the application has to send; they are sent now or when they are due.
    pub fn offer(&mut self, now: Instant, packets: u64, out: &mut impl Output) {
        self.supply.add(packets);
        if self.started {
            self.send(now, out);
        }
    }

    /// Discards all waiting packets; from now on only newly offered packets are sent.
    pub fn stop(&mut self) {
        self.supply = Supply::default();
    }

    /// Sends the packets that are due. Call it at the deadline; calling it earlier is harmless.
    pub fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if !self.started {
            return;
        }
        if now >= self.nofeedback {
            self.expire(now);
        }
        self.send(now, out);
    }

    /// Handles feedback. Invalid feedback, and feedback older than the last one, is ignored and counted.
    pub fn on_feedback(&mut self, now: Instant, feedback: &Feedback, out: &mut impl Output) {
        let sample = feedback
            .sample(now, 0, self.newest)
            .filter(|_| self.seq > 0);
        let Some(sample) = sample else {
            self.counters.ignored += 1;
            return;
        };
        self.newest = feedback.t_recvdata;
        self.rtt.on_sample(seconds(sample));
        let (Some(rtt), Some(srtt)) = (self.rtt.sample(), self.rtt.mean()) else {
            return;
        };
        self.counters.feedback += 1;
        self.rtt_told = Some(span(srtt));
        self.expiries = 0;
        self.round = self.round.wrapping_add(1);
        let (events, p) = self
            .last
            .map_or((0, 0.0), |last| (last.loss_events, last.p));
        let report = Report {
            now,
            rtt,
            srtt,
            receive_rate: feedback.x_recv.min(LARGEST_RATE),
            loss_event_rate: feedback.p,
            wireless_loss_event_rate: feedback.p_wireless,
            new_loss: feedback.loss_events != events || feedback.p > p,
            first: self.last.is_none(),
            sent: self.seq,
        };
        self.last = Some(*feedback);
        self.control.on_feedback(&report);
        self.restart(now);
        self.send(now, out);
    }

    /// Returns the state of the rate.
    pub fn state(&self) -> State {
        State {
            x: self.rate(),
            x_inst: self.sending_rate(),
            x_calc: None,
            x_recv: self.last.map(|last| last.x_recv),
            rtt: self.rtt.mean(),
            rtt_sample: self.rtt.sample(),
            p: self.last.map_or(0.0, |last| last.p),
            p_wireless: self.last.and_then(|last| last.p_wireless),
            ..State::default()
        }
    }

    /// Returns the counters.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Returns the rate control.
    pub fn control(&self) -> &dyn RateControl {
        &*self.control
    }

    #[cold]
    fn expire(&mut self, now: Instant) {
        self.counters.expiries += 1;
        self.expiries = self.expiries.saturating_add(1);
        self.round = self.round.wrapping_add(1);
        self.control.on_expiry(&Expiry {
            now,
            srtt: self.rtt.mean(),
            consecutive: self.expiries,
        });
        self.restart(now);
    }

    /// Sets the nofeedback timer and the time between packets after a call of the control.
    fn restart(&mut self, now: Instant) {
        let usual = || (4.0 * self.rtt.mean().unwrap_or(0.0)).max(2.0 * self.segment / self.rate());
        let wait = self.own_wait().unwrap_or_else(usual);
        self.set_timer(now, wait);
        self.follow_rate();
    }

    fn own_wait(&self) -> Option<f64> {
        self.control.wait().map(|wait| wait.max(LEAST_WAIT))
    }

    fn set_timer(&mut self, now: Instant, wait: f64) {
        self.nofeedback = now + span(wait).max(Duration::from_nanos(1));
    }

    fn follow_rate(&mut self) {
        self.pacing
            .set_gap(self.segment / self.sending_rate(), true);
    }

    fn rate(&self) -> f64 {
        self.bounded(self.control.rate())
    }

    fn sending_rate(&self) -> f64 {
        self.bounded(self.control.sending_rate())
    }

    fn bounded(&self, rate: f64) -> f64 {
        // The maximum of NaN and a number is the number.
        rate.max(self.segment / LONGEST_BACKOFF).min(LARGEST_RATE)
    }

    fn send(&mut self, now: Instant, out: &mut impl Output) {
        let mut left = BURST;
        while self.pacing.next() <= now && left > 0 && !self.supply.is_empty() {
            self.supply.take();
            out.transmit(Data {
                connection: 0,
                seq: self.seq,
                sent_at: now,
                rtt: self.rtt_told,
                round: self.round,
                urgent: false,
            });
            self.seq += 1;
            self.counters.sent += 1;
            self.pacing.take(now, Duration::ZERO, LATE);
            left -= 1;
        }
    }
}
