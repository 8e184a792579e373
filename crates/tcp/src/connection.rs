//! The sending half of a connection, as recoveries use it: its state, sequence numbers and the arithmetic of the window.
//! What it does is in the files beside it.

mod clock;
mod deliver;
mod episode;
mod pace;
mod reports;
mod transmit;

use std::num::NonZeroU64;
use std::sync::Arc;

use dumbbell_control::controller::Controller;
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Instant, Segments};

use crate::config::{SenderConfig, Stamping};
use crate::extra::Spare;
use crate::pacing::NEVER;
use crate::records::Records;
use crate::timer::RetransmissionTimer;

/// The phase of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is known to be lost.
    Open,
    /// A loss episode that began with duplicate ACKs.
    Recovery,
    /// After a timeout, or a loss in Tahoe, until all segments outstanding then are acknowledged.
    Loss,
}

/// The counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Data segments sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Loss episodes that began without the retransmission timer.
    pub fast_recoveries: u64,
    /// Cuts of the window for marks of routers.
    pub ecn_cuts: u64,
    /// Loss episodes and timeouts whose cut was undone, because nothing was lost.
    pub undone: u64,
}

/// The state that a [`Recovery`](crate::recovery::Recovery) works on. The fields that every ACK uses
/// come first, in two cache lines.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Connection<C> {
    /// The oldest segment without an ACK.
    pub una: u64,
    /// The next segment to send. A timeout sets it back to `una`.
    pub nxt: u64,
    /// The segment after the highest ever sent.
    pub high: u64,
    /// Segments that the recovery adds to the controller's window; zero outside recovery.
    pub inflation: i64,
    /// The segments in flight; without a meaning if the connection is lean.
    pub records: Records,
    /// If the connection is lean: those in flight below this one have been sent again, and no others.
    again_until: u64,
    pub(crate) control: C,
    pub(crate) deadline: Instant,
    receiver_window: Segments,
    end: u64,
    /// Consecutive duplicate ACKs.
    pub dup_acks: u32,
    /// Timeouts of `una` so far.
    pub(crate) consecutive: u32,
    /// The phase of the recovery.
    pub phase: Phase,
    /// Whether no switch is on that needs more work at each segment or ACK ([`SenderConfig::is_plain`]).
    pub(crate) plain: bool,
    /// Whether there are no records, because ACKs say when segments were sent, and nobody else asks.
    pub(crate) lean: bool,
    /// Whether ECN, ACK congestion control or sender adaptation is in use.
    pub(crate) notified: bool,
    /// Whether segments carry more than data, or are measured.
    dressed: bool,
    /// Whether more to send may come.
    relays: bool,
    timer: RetransmissionTimer,
    /// What connections of the same kind share.
    pub(crate) config: Arc<SenderConfig>,
    /// The segment after the highest one sent when the last recovery or timeout began.
    recover_end: Option<NonZeroU64>,
    /// What most connections do not use.
    pub(crate) extra: Spare,
    retransmits: u64,
    timeouts: u32,
    pub(crate) fast_recoveries: u32,
    /// Cuts that were undone.
    pub(crate) undone: u32,
    /// Retransmissions that have not been reported to the controller.
    unreported: u32,
}

impl<C: Controller> Connection<C> {
    /// A connection that has sent nothing. It takes over the memory of `records`.
    ///
    /// `needs_records` says whether the recovery does.
    pub(crate) fn new(
        config: Arc<SenderConfig>,
        control: C,
        records: Records,
        needs_records: bool,
    ) -> Self {
        let initial = control.window().cwnd;
        Self {
            una: 0,
            nxt: 0,
            high: 0,
            inflation: 0,
            records,
            again_until: 0,
            control,
            deadline: NEVER,
            receiver_window: config.receiver_window,
            end: config.size.unwrap_or(u64::MAX),
            dup_acks: 0,
            consecutive: 0,
            phase: Phase::Open,
            plain: config.is_plain(),
            lean: config.forgets
                && !needs_records
                && config.is_plain()
                && config.stamping == Stamping::Exact,
            timer: RetransmissionTimer::new(&config.timer),
            recover_end: None,
            retransmits: 0,
            unreported: 0,
            timeouts: 0,
            fast_recoveries: 0,
            notified: config.ecn.is_on() || config.ack_control || config.adaptation,
            dressed: config.ecn.is_on()
                || config.ack_control
                || config.adaptation
                || config.probe_every > 0
                || config.deliveries
                || config.push && config.size.is_some()
                || config.push_pieces && config.tso,
            undone: 0,
            extra: Spare::new(&config, initial),
            relays: config.relays,
            config,
        }
    }

    pub(crate) fn counters(&self) -> Counters {
        Counters {
            sent: self.high + self.retransmits,
            retransmits: self.retransmits,
            timeouts: self.timeouts.into(),
            fast_recoveries: self.fast_recoveries.into(),
            ecn_cuts: self.extra.ecn_cuts.into(),
            undone: self.undone.into(),
        }
    }

    /// Whether a switch is on that needs more work at each segment or ACK. What few connections do is kept apart.
    #[inline(always)]
    pub(crate) fn is_special(&self) -> bool {
        if self.plain {
            return false;
        }
        cold_path();
        true
    }

    /// When the next paced segment is due or the retransmission timer fires, whichever is earlier.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let next = match self.extra.get() {
            None => self.deadline,
            Some(extra) => {
                cold_path();
                self.deadline.min(extra.pacing.deadline())
            }
        };
        (next != NEVER).then_some(next)
    }

    /// An event begins that may release segments.
    #[inline]
    pub(crate) fn begin_pacing(&mut self) {
        if let Some(extra) = self.extra.get_mut() {
            cold_path();
            extra.pacing.begin();
        }
    }

    /// Segments that may be outstanding: the controller's window plus the inflation, at most the
    /// receiver's window. Only whole segments count.
    #[inline]
    pub fn usable(&self) -> u64 {
        let window = self.control.window().cwnd;
        let inflated = if self.inflation == 0 {
            window.floor()
        } else {
            cold_path();
            (window.floor() as i64)
                .saturating_add(self.inflation)
                .max(1) as u64
        };
        inflated.min(self.receiver_window.floor())
    }

    /// Segments from `una` to `nxt`: those sent and not acknowledged. After a timeout, segments sent
    /// before it do not count.
    #[inline]
    pub fn flight(&self) -> u64 {
        debug_assert!(self.una <= self.nxt && self.nxt <= self.high);
        self.nxt - self.una
    }

    /// Whether there is a new segment to send and the receiver's window allows it.
    #[inline]
    pub fn has_new_data(&self) -> bool {
        self.nxt < self.end && self.nxt - self.una < self.receiver_window.floor()
    }

    /// Whether everything has been sent and acknowledged, and nothing more will come.
    pub fn finished(&self) -> bool {
        self.una >= self.end && !self.relays
    }

    /// Makes what has been sent so far all that there is to send.
    pub(crate) fn close(&mut self) {
        self.end = self.end.min(self.high);
        self.relays = false;
    }

    /// Sets the total number of segments to send, before the first is sent.
    pub(crate) fn resize(&mut self, size: u64) {
        self.end = size;
        self.dressed |= self.config.push;
    }

    /// Raises the total number of segments to send to `size`.
    pub(crate) fn extend(&mut self, size: u64) {
        self.end = self.end.max(size);
        self.dressed |= self.config.push;
    }

    /// Takes the cumulative ACK. Returns how many segments it newly acknowledges.
    #[inline]
    pub(crate) fn advance(&mut self, ack: u64) -> u64 {
        let acked = ack - self.una;
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.consecutive = 0;
        if self.phase == Phase::Loss && self.recover_end.is_none_or(|end| ack >= end.get()) {
            cold_path();
            self.phase = Phase::Open;
            self.trim();
        }
        acked
    }

    /// When a segment in flight was sent, if it was sent once, so that Karn's rule allows it to be timed;
    /// `None` for any other segment.
    #[inline]
    pub(crate) fn sent_once(&self, seq: u64) -> Option<Instant> {
        if seq < self.una || seq >= self.high || self.lean {
            return None;
        }
        self.records.sent_once(seq)
    }

    /// When a segment was sent if an ACK says it was then, and if it is in flight and was sent once.
    #[inline]
    pub(crate) fn echoed_once(&self, seq: u64, sent_at: Instant) -> Option<Instant> {
        let once = match self.lean {
            true => (self.una.max(self.again_until)..self.high).contains(&seq),
            false => self.sent_once(seq).is_some(),
        };
        once.then_some(sent_at)
    }
}
