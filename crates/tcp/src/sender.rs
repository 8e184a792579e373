//! The sender: ACKs and timer expiries in, segments out.

mod sample;

use std::sync::Arc;

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};

use crate::config::{SenderConfig, Stamping};
use crate::connection::{Connection, Counters, Phase};
use crate::records::Records;
use crate::recovery::{Any, Recovery};
use crate::segment::{AckSegment, Output};

/// The sending end of a connection, with the congestion control `C` and the recovery `R`.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender<C, R = Any> {
    tx: Connection<C>,
    /// Segments credited ahead of the cumulative ACK, one per duplicate.
    accounted: u64,
    /// An ACK triggered by a segment below this one was reordered.
    next_trigger: u64,
    /// The next sample for the retransmission timer comes from this segment or a later one.
    timed: u64,
    last_rtt: Duration,
    rtt_samples: u64,
    recovery: R,
    /// When the segment that opens the connection was sent last.
    opened_at: Instant,
    /// How often it has been sent while its reply has not arrived; 0 when the connection is open, or not begun.
    openings: u32,
    started: bool,
}

impl<C: Controller, R: Recovery> Sender<C, R> {
    /// A sender that has not started.
    ///
    /// Many senders can share a configuration.
    pub fn new(config: impl Into<Arc<SenderConfig>>, control: C, recovery: R) -> Self {
        Self::with(config.into(), control, recovery, Records::new())
    }

    /// A sender that has not started, in the memory of this one: a host with many short connections
    /// need not allocate for each. `renew` makes the controller of the new connection of the old one.
    pub fn renewed(
        self,
        config: impl Into<Arc<SenderConfig>>,
        recovery: R,
        renew: impl FnOnce(C) -> C,
    ) -> Self {
        let Connection {
            control, records, ..
        } = self.tx;
        Self::with(config.into(), renew(control), recovery, records.renewed())
    }

    /// The same sender, which has not started, with so many segments to send.
    pub fn sized(mut self, segments: u64) -> Self {
        self.tx.resize(segments);
        self
    }

    fn with(config: Arc<SenderConfig>, control: C, recovery: R, records: Records) -> Self {
        Self {
            tx: Connection::new(config, control, records, recovery.needs_records()),
            accounted: 0,
            next_trigger: 0,
            timed: 0,
            last_rtt: Duration::ZERO,
            rtt_samples: 0,
            recovery,
            opened_at: Instant::ZERO,
            openings: 0,
            started: false,
        }
    }

    /// Opens the connection or, without a handshake, sends the first window.
    pub fn start(&mut self, now: Instant, out: &mut impl Output) {
        self.started = true;
        if self.tx.config.handshake {
            (self.opened_at, self.openings) = (now, 1);
            self.tx.restart_timer(now);
            out.open();
        } else {
            self.recovery.on_turn(&mut self.tx, now, out);
            self.validate(now);
        }
    }

    /// Sets the total number of segments to send to `size`, those already sent included, if that is more
    /// than before. New segments are sent as soon as the connection is open and the window allows.
    pub fn offer(&mut self, now: Instant, size: u64, out: &mut impl Output) {
        if self.tx.extra.deliveries.is_some() {
            self.tx.note_limit();
        }
        self.tx.extend(size);
        if self.started && self.openings == 0 {
            self.tx.restart_after_idle(now);
            self.tx.begin_pacing();
            self.recovery.on_turn(&mut self.tx, now, out);
            self.validate(now);
        }
    }

    /// The application stops writing: what has been sent so far is all that there is to send. What is
    /// lost of it is still sent again.
    pub fn close(&mut self) {
        self.tx.close();
        if self.tx.finished() {
            self.openings = 0;
            self.tx.stop_timer();
        }
    }

    /// The reply to the opening segment arrives. Its round-trip time initialises only the
    /// retransmission timer, unless [`SenderConfig::handshake_rtt`] says otherwise: an empty segment is too short to
    /// give a BaseRTT.
    pub fn on_open(&mut self, now: Instant, out: &mut impl Output) {
        match std::mem::take(&mut self.openings) {
            0 => return,
            1 => {
                let rtt = now.since(self.opened_at);
                self.tx.time(rtt, self.opened_at);
                if self.tx.config.handshake_rtt {
                    self.recovery.on_handshake(rtt);
                    self.tx.count_handshake(now, rtt);
                }
            }
            // Which of them has the reply is not known.
            _ => {}
        }
        self.tx.stop_timer();
        self.tx.begin_pacing();
        self.recovery.on_turn(&mut self.tx, now, out);
        self.validate(now);
    }

    /// Notes how much of the window is used after an event.
    #[inline]
    fn validate(&mut self, now: Instant) {
        if self.tx.is_special() && self.tx.extra.validation.is_some() {
            let in_flight = self.recovery.in_flight(&self.tx);
            self.tx.validate(in_flight, now);
        }
    }

    /// An ACK arrives.
    #[inline]
    pub fn on_ack(&mut self, now: Instant, ack: &AckSegment<'_>, out: &mut impl Output) {
        if self.tx.is_special() && self.tx.notified {
            self.hear(now, ack);
        }
        if ack.ack < self.tx.una || ack.ack > self.tx.high || self.tx.una == self.tx.high {
            cold_path();
            // An old ACK, an ACK of segments never sent, or nothing is outstanding.
            self.recovery.on_old(&mut self.tx, ack.ack, ack.blocks);
            return;
        }
        let duplicate = ack.ack == self.tx.una;
        self.sample(now, ack, duplicate);
        if self.tx.is_special() && self.tx.notified {
            let recovery = &self.recovery;
            let in_flight = |tx: &Connection<C>| recovery.in_flight(tx);
            if self.tx.on_echo(ack.ack, ack.ece, now, in_flight) {
                self.recovery.on_marked(&mut self.tx);
            }
            self.tx.begin_pacing();
        }
        let news = self
            .recovery
            .on_blocks(&mut self.tx, ack.ack, ack.blocks, now);
        if duplicate {
            cold_path();
            if news {
                self.recovery.on_duplicate(&mut self.tx, now, out);
            }
        } else {
            let acked = self.tx.advance(ack.ack);
            self.recovery.on_advance(&mut self.tx, acked, now, out);
            if self.tx.una == self.tx.high {
                cold_path();
                self.tx.stop_timer();
            }
        }
        if self.tx.is_special()
            && self.tx.notified
            && self.tx.extra.ecn.holds()
            && !self.tx.finished()
        {
            self.tx.restart_timer(now);
        }
        self.validate(now);
    }

    /// Whether ECN is in use: routers may mark segments instead of dropping them.
    pub fn ecn(&self) -> bool {
        self.tx.extra.ecn.mode.is_on()
    }

    /// When [`Sender::on_timer`] is to be called. Calling it later is harmless.
    #[inline]
    pub fn deadline(&self) -> Option<Instant> {
        self.tx.deadline()
    }

    /// The moment of [`Sender::deadline`] has come: sends a paced segment or handles a timeout. Before
    /// that moment it does nothing.
    pub fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if self.tx.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        if self.openings > 0 {
            self.openings = self.openings.saturating_add(1);
            self.opened_at = now;
            self.tx.back_off();
            self.tx.restart_timer(now);
            out.open();
            return;
        }
        if !self.tx.is_overdue(now) {
            self.tx.extra.pacing.expire(now);
            self.recovery.on_turn(&mut self.tx, now, out);
            return;
        }
        if self.recovery.on_alarm(&mut self.tx, now, out) {
            return;
        }
        let extra = self.tx.extra.get_mut();
        if extra.is_some_and(|extra| extra.ecn.release()) && self.tx.una == self.tx.high {
            // The sender waited for the timer because of a mark; nothing is lost.
            self.tx.stop_timer();
            self.tx.begin_pacing();
            self.recovery.on_turn(&mut self.tx, now, out);
            return;
        }
        self.accounted = 0;
        let in_flight = self.recovery.in_flight(&self.tx);
        self.tx.expire(in_flight, now);
        self.recovery.on_timeout(&mut self.tx, now, out);
    }

    /// The controller's window and, separately, the recovery's inflation in segments.
    pub fn window(&self) -> (Window, i64) {
        (self.tx.control.window(), self.tx.inflation)
    }

    /// The stamps that segments carry.
    #[inline]
    pub fn stamping(&self) -> Stamping {
        self.tx.config.stamping
    }

    /// Whether ACKs have to say when the segment that triggered them was sent
    /// ([`Echo::Sent`](crate::segment::Echo::Sent)): if so, the sender does not know it, and times nothing without.
    #[inline]
    pub fn reads_sending(&self) -> bool {
        self.tx.lean
    }

    /// The controller.
    pub fn control(&self) -> &C {
        &self.tx.control
    }

    /// What the next ACK and the next segment will use outside the sender, so that a host with many
    /// senders can fetch it in time: the controller, and the records of the oldest segment without an
    /// ACK and of the next one to send.
    #[inline]
    pub fn next_touched(&self) -> (&C, [&[u32]; 2]) {
        let records = &self.tx.records;
        let touched = [self.tx.una, self.tx.nxt].map(|seq| records.memory(seq));
        (&self.tx.control, touched)
    }

    /// The counters of this connection so far.
    pub fn counters(&self) -> Counters {
        self.tx.counters()
    }

    /// The phase of the recovery.
    pub fn phase(&self) -> Phase {
        self.tx.phase
    }

    /// The latest round-trip time; zero before the first.
    pub fn last_rtt(&self) -> Duration {
        self.last_rtt
    }

    /// The number of round-trip times measured so far.
    pub fn rtt_samples(&self) -> u64 {
        self.rtt_samples
    }

    /// The retransmission timer's smoothed round-trip time; `None` before its first sample.
    pub fn srtt(&self) -> Option<Duration> {
        self.tx.srtt()
    }

    /// The retransmission timeout in force, backoff included.
    pub fn timeout(&self) -> Duration {
        self.tx.timeout()
    }

    /// Segments in the network, as estimated by the recovery.
    pub fn in_flight(&self) -> u64 {
        self.recovery.in_flight(&self.tx)
    }

    /// The oldest segment without an ACK.
    pub fn una(&self) -> u64 {
        self.tx.una
    }

    /// The segment after the highest ever sent.
    pub fn high(&self) -> u64 {
        self.tx.high
    }

    /// Whether everything has been sent and acknowledged, and nothing more will come.
    pub fn finished(&self) -> bool {
        self.tx.finished()
    }
}
