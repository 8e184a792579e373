//! The sending half of a connection, as recoveries use it: sequence numbers, the arithmetic of the
//! window, the retransmission timer and the reports to the controller.

mod deliver;
mod pace;

use std::num::NonZeroU64;
use std::sync::Arc;

use dumbbell_control::controller::Controller;
use dumbbell_control::event::{Ack, Loss, LossSignal, Sent, Timeout};
use dumbbell_control::units::{Duration, Instant, Segments};

use crate::ack_control::Feedback;
use crate::config::{SenderConfig, Stamping};
use crate::ecn::Reaction;
use crate::extra::Spare;
use crate::pacing::NEVER;
use crate::records::Records;
use crate::segment::{Output, Segment};
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
                || config.deliveries,
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

    /// When the next paced segment is due or the retransmission timer fires, whichever is earlier.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let next = match self.extra.get() {
            None => self.deadline,
            Some(extra) => self.deadline.min(extra.pacing.deadline()),
        };
        (next != NEVER).then_some(next)
    }

    /// An event begins that may release segments.
    #[inline]
    pub(crate) fn begin_pacing(&mut self) {
        if let Some(extra) = self.extra.get_mut() {
            extra.pacing.begin();
        }
    }

    /// Whether the retransmission timer is due.
    pub(crate) fn is_overdue(&self, now: Instant) -> bool {
        self.deadline <= now
    }

    #[inline]
    pub(crate) fn stop_timer(&mut self) {
        self.deadline = NEVER;
    }

    /// Segments that may be outstanding: the controller's window plus the inflation, at most the
    /// receiver's window. Only whole segments count.
    #[inline]
    pub fn usable(&self) -> u64 {
        let window = self.control.window().cwnd;
        let inflated = if self.inflation == 0 {
            window.floor()
        } else {
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
    }

    /// Raises the total number of segments to send to `size`.
    pub(crate) fn extend(&mut self, size: u64) {
        self.end = self.end.max(size);
    }

    /// Sends in order while the window allows, at most `burst` segments.
    #[inline]
    pub fn send_allowed(&mut self, now: Instant, burst: u64, out: &mut impl Output) {
        let edge = (self.una + self.usable())
            .min(self.end)
            .min(self.nxt.saturating_add(burst));
        while self.nxt < edge && self.may_send(now) {
            self.send_next(now, out);
        }
    }

    /// Reports a segment that is about to be sent to the controller, and counts it for pacing.
    #[cold]
    #[inline(never)]
    fn on_departure(&mut self, retransmission: bool, now: Instant) {
        let in_flight = Segments::saturating_whole(self.flight());
        let mut sent = Sent::new(now, Segments::ONE, in_flight);
        sent.retransmission = retransmission;
        sent.app_limited = self.nxt.saturating_add(u64::from(!retransmission)) >= self.end;
        let deliveries = self.extra.deliveries.as_ref();
        sent.was_app_limited = deliveries.is_some_and(|deliveries| deliveries.is_limited());
        self.control.on_sent(&sent);
        if let Some(rate) = self.rate() {
            self.count_in_pace(now, rate);
        }
        if let Some(bursts) = self.extra.bursts() {
            bursts.on_sent(now);
        }
    }

    /// The number of retransmissions since the last call.
    #[inline]
    pub(crate) fn take_retransmits(&mut self) -> u64 {
        core::mem::take(&mut self.unreported).into()
    }

    /// Sends segment `nxt`, whatever the window.
    #[inline]
    pub fn send_next(&mut self, now: Instant, out: &mut impl Output) {
        let seq = self.nxt;
        if !self.plain {
            self.on_departure(seq < self.high, now);
        }
        self.nxt += 1;
        if seq < self.high {
            self.resend(seq, now, out);
            return;
        }
        self.high = self.nxt;
        if !self.lean {
            self.records.start(self.una, seq, now);
        }
        if self.dressed {
            self.transmit_dressed(seq, false, now, out);
        } else {
            out.transmit(Segment::plain(seq, false, now));
        }
        self.arm(now);
    }

    /// Sends a segment again, at once even if the controller paces.
    pub fn transmit_again(&mut self, seq: u64, now: Instant, out: &mut impl Output) {
        if !self.plain {
            self.on_departure(true, now);
        }
        self.resend(seq, now, out);
    }

    fn resend(&mut self, seq: u64, now: Instant, out: &mut impl Output) {
        if self.lean {
            debug_assert!(seq <= self.una.max(self.again_until), "not in order");
            self.again_until = self.again_until.max(seq + 1);
        } else {
            self.records.send_again(self.una, seq, now);
        }
        self.retransmits += 1;
        self.unreported += 1;
        if self.dressed {
            self.transmit_dressed(seq, true, now, out);
        } else {
            out.transmit(Segment::plain(seq, true, now));
        }
        self.arm(now);
    }

    /// Sends a segment with its AQT option, ECN bits and feedback. Retransmissions are not ECT (RFC 3168,
    /// section 6.1.5), unless feedback is accurate (RFC 9331, appendix A.2.1), and carry no CWR (section 6.1.2).
    #[cold]
    #[inline(never)]
    fn transmit_dressed(
        &mut self,
        seq: u64,
        retransmission: bool,
        now: Instant,
        out: &mut impl Output,
    ) {
        if let Some(deliveries) = self.extra.deliveries() {
            deliveries.on_sent(self.una, seq, now);
        }
        out.transmit(Segment {
            probe: self.probes(),
            ect: self.extra.ecn.mode.is_on() && (!retransmission || self.extra.ecn.mode.counts()),
            l4s: self.extra.ecn.mode.is_l4s(),
            cwr: !retransmission && self.extra.ecn.take_reduced(),
            feedback: self.take_feedback(),
            ..Segment::plain(seq, retransmission, now)
        });
    }

    /// Whether the next segment carries an AQT option.
    fn probes(&mut self) -> bool {
        if self.extra.probe_every == 0 {
            return false;
        }
        let probes = self.extra.unprobed == 0;
        self.extra.unprobed = if probes {
            self.extra.probe_every - 1
        } else {
            self.extra.unprobed - 1
        };
        probes
    }

    /// The feedback of the next segment for the receiver. A mark is reported once.
    fn take_feedback(&mut self) -> Option<Feedback> {
        let feedback = self.extra.feedback?;
        if let Some(own) = &mut self.extra.feedback {
            own.marked = false;
        }
        let sendable = self.usable().min(self.end - self.una);
        Some(Feedback {
            sendable: u32::try_from(sendable).unwrap_or(u32::MAX),
            ..feedback
        })
    }

    /// Limited transmit (RFC 3042): a new segment on each of the first two duplicates.
    pub fn send_limited(&mut self, now: Instant, out: &mut impl Output) {
        let edge = self.una + self.usable() + u64::from(self.dup_acks);
        if self.config.limited_transmit
            && self.nxt < edge
            && self.has_new_data()
            && !self.extra.ecn.holds()
        {
            self.send_next(now, out);
        }
    }

    /// Restarts the retransmission timer.
    #[inline]
    pub fn restart_timer(&mut self, now: Instant) {
        let timeout = self.timer.timeout();
        self.deadline = match self.plain {
            true => now + timeout,
            false => self.config.timer.firing(now, timeout),
        };
    }

    /// The retransmission timeout in force, backoff included.
    #[inline]
    pub(crate) fn timeout(&self) -> Duration {
        self.timer.timeout()
    }

    /// The smoothed round-trip time; `None` before the first sample.
    #[inline]
    pub(crate) fn srtt(&self) -> Option<Duration> {
        self.timer.srtt(&self.config.timer)
    }

    /// Doubles the retransmission timeout, up to its maximum.
    pub(crate) fn back_off(&mut self) {
        self.timer.back_off(&self.config.timer);
    }

    /// Gives the retransmission timer the round-trip time of a segment sent at `sent_at`.
    #[inline]
    pub(crate) fn time(&mut self, rtt: Duration, sent_at: Instant) {
        self.timer.sample(&self.config.timer, rtt, sent_at);
    }

    /// Gives it one of the many round-trip times of a round, that of an ACK which leaves `una` the oldest segment
    /// without one.
    pub(crate) fn time_in_round(&mut self, rtt: Duration, una: u64) {
        let config = &self.config.timer;
        self.timer.sample_of_round(config, rtt, una, self.high);
    }

    /// The highest segment sent when the last recovery or timeout began.
    #[inline]
    pub fn recover(&self) -> Option<u64> {
        self.recover_end.map(|end| end.get() - 1)
    }

    /// A recovery or a timeout begins.
    pub(crate) fn begin_recovery(&mut self) {
        self.recover_end = NonZeroU64::new(self.high);
    }

    /// Reports new data acknowledged outside recovery to the controller.
    #[inline(always)]
    pub fn grow(&mut self, acked: u64, now: Instant) {
        let in_flight = Segments::saturating_whole(self.flight());
        let mut ack = Ack::new(now, Segments::saturating_whole(acked), in_flight);
        ack.app_limited = self.nxt >= self.end;
        if self.plain {
            self.control.on_ack(&ack);
        } else if !self.grow_with_care(acked, ack) {
            return;
        }
        if self.receiver_window < Segments::CAP && self.control.window().cwnd > self.receiver_window
        {
            self.control.restrict(self.receiver_window);
        }
    }

    /// The same with validation, marks or sender adaptation. Returns whether there was something to report: marked
    /// segments do not grow the window.
    #[cold]
    #[inline(never)]
    fn grow_with_care(&mut self, mut acked: u64, mut ack: Ack) -> bool {
        if self.notified {
            acked = self.extra.ecn.unmarked(acked);
            if acked == 0 {
                return false;
            }
            ack.acked = Segments::saturating_whole(acked);
        }
        if let Some(validation) = &self.extra.validation {
            ack.app_limited = !validation.is_limited_by(&self.control.window());
        }
        if self.notified && self.extra.pacing.enabled && acked > 1 {
            self.grow_by_each(acked, ack);
        } else {
            self.control.on_ack(&ack);
        }
        true
    }

    /// Reports each segment as if it had its own ACK.
    fn grow_by_each(&mut self, acked: u64, ack: Ack) {
        let each =
            Ack::new(ack.now, Segments::ONE, ack.in_flight).with_app_limited(ack.app_limited);
        for _ in 0..acked {
            self.control.on_ack(&each);
        }
    }

    /// Whether a mark has already cut the window that segment `una` belongs to.
    pub(crate) fn is_cut_for_mark(&self) -> bool {
        let sent_at = self.records.at(self.una).sent_at();
        self.extra.ecn.covers(self.una, sent_at)
    }

    /// Reports the loss of segment `una` to the controller, unless a mark has already cut its window.
    pub fn tell_loss(&mut self, by: LossSignal, in_flight: u64, now: Instant) {
        if self.is_cut_for_mark() {
            return;
        }
        if let Some(extra) = self.extra.get_mut() {
            extra.ecn.on_reduction();
        }
        self.cut(self.una, by, in_flight, now);
    }

    fn cut(&mut self, seq: u64, by: LossSignal, in_flight: u64, now: Instant) {
        let mut loss = Loss::new(now, Segments::saturating_whole(in_flight)).with_signal(by);
        if !self.lean {
            let lost = self.records.at(seq);
            loss.lost_sent_at = lost.sent_at();
            loss.transmissions = lost.transmissions();
        }
        self.control.on_loss(&loss);
    }

    /// Reacts to the marks that an ACK reports (RFC 3168, section 6.1.2). Returns whether the window was cut as for a
    /// loss, once in a window.
    #[inline]
    pub(crate) fn on_echo(
        &mut self,
        ack: u64,
        ece: bool,
        now: Instant,
        in_flight: impl FnOnce(&Self) -> u64,
    ) -> bool {
        let recovered = self.recover_end.is_none_or(|end| ack > end.get());
        let quiet = self.phase == Phase::Open && recovered;
        let control = &self.control;
        let cwnd = || control.window().cwnd;
        let reaction = self.extra.ecn.on_ack(now, ece, ack, quiet, cwnd, self.high);
        if matches!(reaction, Reaction::Cut | Reaction::Ask) {
            // The newest segment that the ACK covers or, for a duplicate, the oldest outstanding.
            let newest = self.una.max(ack.saturating_sub(1));
            let in_flight = in_flight(self);
            let before = self.control.window().cwnd;
            self.cut(newest, LossSignal::Ecn, in_flight, now);
            if reaction == Reaction::Cut || self.control.window().cwnd < before {
                self.extra.ecn_cuts = self.extra.ecn_cuts.saturating_add(1);
                self.extra.ecn.note_cut();
            }
        }
        reaction == Reaction::Cut
    }

    /// Begins a loss episode, with one reduction of the window whatever else is lost until it ends.
    pub fn enter_recovery(&mut self, in_flight: u64, now: Instant) {
        self.fast_recoveries += 1;
        self.tell_loss(LossSignal::DupAcks, in_flight, now);
        self.continue_in_recovery();
    }

    /// Begins a loss episode whose loss the controller knows.
    pub fn continue_in_recovery(&mut self) {
        self.begin_recovery();
        self.phase = Phase::Recovery;
    }

    /// Ends a loss episode.
    pub fn leave_recovery(&mut self) {
        self.phase = Phase::Open;
        self.inflation = 0;
        self.trim();
    }

    /// Returns memory after the first loss episodes: the flight of the overshooting slow start is the largest for
    /// long. Later ones do not, so that a long run allocates no more than a short one.
    fn trim(&mut self) {
        if self.lean {
            return;
        }
        let flight = self.una..self.high;
        if self.fast_recoveries + self.timeouts <= 1 {
            self.records.trim(flight.clone());
        }
        self.records.settle(flight);
    }

    /// Whether a segment first sent after the last episode began has been acknowledged. Duplicates
    /// before that may come from retransmissions of segments that the receiver already had.
    #[inline]
    pub fn above_recover(&self) -> bool {
        self.recover_end.is_none_or(|end| self.una > end.get())
    }

    /// Takes the cumulative ACK. Returns how many segments it newly acknowledges.
    #[inline]
    pub(crate) fn advance(&mut self, ack: u64) -> u64 {
        let acked = ack - self.una;
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.consecutive = 0;
        if self.phase == Phase::Loss && self.recover_end.is_none_or(|end| ack >= end.get()) {
            self.phase = Phase::Open;
            self.trim();
        }
        acked
    }

    /// Stops or restarts the timer after new data was acknowledged (RFC 6298, section 5, rules 5.2 and
    /// 5.3).
    #[inline]
    pub(crate) fn rearm(&mut self, now: Instant) {
        if self.una == self.high {
            self.stop_timer();
        } else {
            self.restart_timer(now);
        }
    }

    /// The retransmission timer fired: reports it to the controller and sets `nxt` back to `una`.
    pub(crate) fn expire(&mut self, in_flight: u64, now: Instant) {
        self.consecutive = self.consecutive.saturating_add(1);
        self.timeouts += 1;
        self.control.on_timeout(
            &Timeout::new(now, Segments::saturating_whole(in_flight))
                .with_consecutive(self.consecutive),
        );
        if let Some(extra) = self.extra.get_mut() {
            extra.ecn.on_reduction();
            extra.pacing.forget();
            if let Some(it) = &mut extra.hystart {
                it.restart();
            }
        }
        self.back_off();
        self.dup_acks = 0;
        self.inflation = 0;
        self.begin_recovery();
        self.phase = Phase::Loss;
        self.nxt = self.una;
        self.restart_timer(now);
    }

    #[inline]
    fn arm(&mut self, now: Instant) {
        if self.deadline == NEVER {
            self.restart_timer(now);
        }
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
