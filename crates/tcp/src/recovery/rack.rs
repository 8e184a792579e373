//! Recovery by times instead of counts: RACK-TLP (RFC 8985), as Linux has it.
//!
//! | event | sends |
//! |---|---|
//! | a segment sent later has arrived, and the reordering window has passed | what is lost, as the window allows |
//! | the reordering timer fires | the same |
//! | no ACK for two round trips (the probe timer), nothing SACKed | a new segment, or the highest one again |
//! | the retransmission timer fires | `una`, then what has been lost for a round trip and the window |
//!
//! A segment is lost when one that was sent after it has been delivered and the reordering window has
//! passed ([`detection`]). That also finds retransmissions that are lost. Segments in the network (`pipe`)
//! are those outstanding that are neither SACKed nor lost; a lost one counts again when it is sent again.
//! New data is sent on SACKs while the window exceeds `pipe`, which includes limited transmit.
//!
//! With proportional rate reduction, the flight also shrinks over a round trip after the cut for a mark, and the
//! window does not grow meanwhile (Linux' state CWR). A scalable control, which cuts by the extent of marking,
//! has its window at once.
//!
//! Readings: after a timeout, `una` is sent whatever the window, since others may still be in the network.
//! A timestamp does not tell a retransmission from the original (section 6.2, step 2, first check): as in
//! Linux, a round-trip time below the least one does. The least one is since the connection began, without
//! what the same ACK reports; the RFC suggests a windowed one, and updates it first. A probe that repaired a loss causes one cut of the window at
//! once, without an episode; an episode that the same ACK begins does not cut again. With a sample per ACK, the
//! retransmission timer starts anew when `una` is sent again, and on SACKs of segments that were sent before that
//! (Linux, `tcp_xmit_retransmit_queue` and `tcp_clean_rtx_queue`), which RFC 6298 does not have.

mod alarm;
mod detection;
mod exit;
mod probe;
mod reduction;
mod repair;
#[cfg(test)]
mod tests;
mod undo;

use dumbbell_control::controller::Controller;
use dumbbell_control::event::LossSignal;
use dumbbell_control::units::{Duration, Instant};

use super::Recovery;
use super::prr::{Bound, Prr};
use super::reported::Reported;
use crate::connection::{Connection, Phase};
use crate::records::Record;
use crate::segment::{Output, SackBlock};
use alarm::Alarm;
use detection::Detection;
use probe::Probe;
use undo::Undo;

/// The scoreboard, the detection of losses and the loss probe.
#[derive(Clone, Debug, Default)]
pub struct Rack {
    /// SACKed segments at or above `una`.
    sacked: u64,
    /// Segments that are lost and have not been sent again.
    lost: u64,
    /// No segment below this one is lost.
    first_lost: u64,
    reported: Reported,
    detection: Detection,
    /// Proportional rate reduction; `None` if it is not in use.
    prr: Option<Prr>,
    /// While the flight shrinks after a cut for a mark: the segment after the highest sent before that. It ends when a
    /// later one is acknowledged.
    shrinks_until: Option<u64>,
    /// The loss probe; `None` if it is not in use.
    probe: Option<Probe>,
    undo: Undo,
    /// Whether the ACK that ends an episode grows the window.
    exit_growth: bool,
    ack: Acknowledged,
    /// The timer that fires before the retransmission timer, and when that one does.
    alarm: Option<(Alarm, Instant)>,
    timeout_at: Instant,
}

/// What the current ACK reports.
#[derive(Clone, Copy, Debug, Default)]
struct Acknowledged {
    /// Segments newly acknowledged or SACKed.
    delivered: u64,
    /// Segments that were outstanding and not SACKed before.
    flight: u64,
    /// Segments that it shows to be lost.
    lost: u64,
    /// Whether it shows that a probe has repaired a loss.
    cut: bool,
    /// When the earliest segment was sent that it newly SACKs and that was sent once.
    original_sent: Option<Instant>,
}

impl Rack {
    /// A recovery with proportional rate reduction (RFC 6937) or without, and with the loss probe or
    /// without.
    pub fn new(reduction: Option<Bound>, probes: bool) -> Self {
        Self {
            prr: reduction.map(Prr::new),
            probe: probes.then(Probe::default),
            ..Self::default()
        }
    }

    /// The same, undoing the reaction to losses that were none: by DSACKs and echoes of time stamps (`signs`), and
    /// by F-RTO after a timeout (RFC 5682).
    pub fn undoing(mut self, signs: bool, frto: bool) -> Self {
        self.undo = Undo::new(signs, frto);
        self
    }

    /// The same; the round-trip time of detection is that of the segment that an ACK's processing reaches last, as in
    /// Linux, or that of the segment sent last (RFC 8985, section 6.2, step 2).
    pub fn timed_by_last(mut self, last: bool) -> Self {
        self.detection.takes_last = last;
        self
    }

    /// The same; the window grows on the ACK that ends an episode, or that shows that a probe has repaired a loss, as
    /// in Linux, or does not (RFC 5681, section 3.2, step 6).
    pub fn growing_at_exits(mut self, grows: bool) -> Self {
        self.exit_growth = grows;
        self
    }

    fn pipe<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        tx.high - tx.una - self.sacked - self.lost
    }

    /// Takes a segment that the receiver has, and that no ACK has reported before: this one covers it, or SACKs it.
    fn deliver<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        seq: u64,
        covered: bool,
        now: Instant,
    ) {
        let record = tx.records.at(seq);
        self.ack.delivered += 1;
        self.detection.deliver(seq, record, covered, now);
        if record.lost() {
            tx.records.set_lost(seq, false);
            self.lost -= 1;
        }
        if let Some(deliveries) = tx.extra.deliveries() {
            deliveries.deliver(seq, record, now);
        }
    }

    /// Marks the segments that are lost by now.
    fn detect<C: Controller>(&mut self, tx: &mut Connection<C>, now: Instant) {
        let few = tx.phase == Phase::Open && self.sacked < u64::from(super::DUP_THRESHOLD);
        let window = self.detection.window(few, tx.srtt());
        let flight = tx.una..tx.high;
        let Self {
            detection,
            lost,
            first_lost,
            ack,
            ..
        } = self;
        let (mut deliveries, control) = (tx.extra.deliveries(), &mut tx.control);
        detection.detect(&mut tx.records, flight, window, now, |seq| {
            *first_lost = if *lost == 0 {
                seq
            } else {
                seq.min(*first_lost)
            };
            *lost += 1;
            ack.lost += 1;
            if let Some(deliveries) = &mut deliveries {
                control.on_lost_segment(&deliveries.lose(seq, now));
            }
        });
    }

    fn enter<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.undo.begin(tx, self.probes_again());
        let covered = tx.is_cut_for_mark();
        if self.ack.cut {
            tx.continue_in_recovery();
        } else {
            tx.enter_recovery(self.pipe(tx), now);
        }
        if let Some(probe) = &mut self.probe {
            probe.reset();
        }
        let shrinks = self.shrinks_until.take().is_some();
        if let Some(prr) = &mut self.prr
            && !(shrinks && covered)
        {
            prr.begin(self.ack.flight, tx.counters().sent);
        }
        self.reduce(tx, false);
        tx.report_delivery(self.pipe(tx), now);
        if let Some(seq) = self.next_lost(tx)
            && !tx.paces_repairs()
        {
            self.resend(tx, seq, now, out);
        }
        tx.restart_timer(now);
        self.send(tx, now, out);
    }

    /// Whether a probe that had been sent before is under way.
    fn probes_again(&self) -> bool {
        self.probe.as_ref().is_some_and(Probe::repeats)
    }

    /// Begins an episode if something is lost, or continues.
    fn go_on<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        if tx.phase == Phase::Open && self.lost > 0 {
            self.enter(tx, now, out);
        } else {
            tx.report_delivery(self.pipe(tx), now);
            self.send(tx, now, out);
        }
    }

    /// Whether the counts are those of the records.
    fn counts_hold<C: Controller>(&self, tx: &Connection<C>) -> bool {
        let count = |which: fn(Record) -> bool| {
            let flight = tx.una..tx.high;
            flight.filter(|&seq| which(tx.records.at(seq))).count() as u64
        };
        self.sacked == count(Record::sacked)
            && self.lost == count(Record::lost)
            && count(|record| record.sacked() && record.lost()) == 0
    }
}

impl Recovery for Rack {
    fn on_blocks<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        blocks: &[SackBlock],
        now: Instant,
    ) -> bool {
        self.ack = Acknowledged {
            flight: tx.high - tx.una - self.sacked,
            ..Acknowledged::default()
        };
        tx.begin_delivery(self.lost == 0, now);
        self.detection.begin();
        let dsack = undo::dsack(ack, blocks);
        if let Some(probe) = &mut self.probe
            && probe.repaired(ack, ack == tx.una && blocks.is_empty(), dsack)
        {
            self.ack.cut = true;
            tx.fast_recoveries += 1;
            tx.begin_recovery();
            tx.tell_loss(LossSignal::DupAcks, self.ack.flight - self.lost, now);
        }
        if let Some(block) = dsack {
            self.on_dsack(tx, block);
        }
        let before_timeout = tx.recover().map_or(0, |recover| recover + 1);
        let mut original = false;
        for seq in tx.una..ack {
            let record = tx.records.at(seq);
            if record.sacked() {
                self.sacked -= 1;
            } else {
                original |= record.transmissions() == 1 && seq < before_timeout;
                self.deliver(tx, seq, true, now);
            }
        }
        // Segment `ack` itself is missing, even if a block reported it before.
        if ack < tx.high && tx.records.at(ack).sacked() {
            tx.records.set_sacked(ack, false);
            self.sacked -= 1;
        }
        let mut news = false;
        for (place, block) in blocks.iter().enumerate() {
            let mut segments = block.start.max(ack + 1)..block.end.min(tx.high);
            if place == 0 {
                segments = self.reported.unseen(segments);
            }
            for seq in segments {
                let record = tx.records.at(seq);
                if !record.sacked() {
                    if record.transmissions() == 1 {
                        let sent = record.sent_at();
                        let earliest = self.ack.original_sent.get_or_insert(sent);
                        *earliest = sent.min(*earliest);
                        original |= seq < before_timeout;
                    }
                    self.deliver(tx, seq, false, now);
                    tx.records.set_sacked(seq, true);
                    self.sacked += 1;
                    news = true;
                }
            }
        }
        self.detection.end(now);
        let over = tx.phase != Phase::Open && tx.recover().is_none_or(|recover| ack > recover);
        self.detection.adapt(ack, tx.high, dsack.is_some(), over);
        // What an undo gives back may be used at once, even if the ACK has no other news.
        self.judge(tx, ack, original, news) || news
    }

    fn on_old<C: Controller>(&mut self, tx: &mut Connection<C>, ack: u64, blocks: &[SackBlock]) {
        if let Some(probe) = &mut self.probe {
            let _ = probe.repaired(ack, blocks.is_empty(), undo::dsack(ack, blocks));
        }
        self.on_late_dsack(tx, ack, blocks);
    }

    fn counts_delivered(&self) -> bool {
        true
    }

    fn on_echo(&mut self, before: Instant) {
        self.undo.on_echo(before);
    }

    fn on_advance<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.dup_acks = 0;
        self.alarm = None;
        tx.rearm(now);
        self.end_shrinking(tx);
        if tx.phase == Phase::Recovery && tx.recover().is_none_or(|recover| tx.una > recover) {
            tx.leave_recovery();
            self.detect(tx, now);
            self.grow_at_exit(tx, acked, now);
        } else {
            self.detect(tx, now);
            match tx.phase {
                Phase::Recovery => self.reduce(tx, true),
                Phase::Open if self.shrinks_until.is_some() => self.reduce(tx, true),
                // An ACK that shows a loss does not grow the window.
                Phase::Open if self.lost > 0 => {}
                Phase::Open if self.ack.cut => self.grow_at_exit(tx, acked, now),
                Phase::Open | Phase::Loss => tx.grow(self.ack.delivered.min(acked), now),
            }
        }
        tx.nxt = tx.high;
        self.go_on(tx, now, out);
        self.arm(tx, now);
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.dup_acks += 1;
        self.disarm(tx);
        self.detect(tx, now);
        self.renew_timer(tx, now);
        if tx.phase == Phase::Recovery || self.shrinks_until.is_some() {
            self.reduce(tx, false);
        }
        if tx.phase != Phase::Open || self.lost > 0 || tx.config.limited_transmit {
            self.go_on(tx, now, out);
        } else {
            tx.report_delivery(self.pipe(tx), now);
        }
        self.arm(tx, now);
    }

    fn on_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.alarm = None;
        self.shrinks_until = None;
        if let Some(probe) = &mut self.probe {
            probe.reset();
        }
        tx.nxt = tx.high;
        self.ack = Acknowledged::default();
        let window = self.detection.window(false, tx.srtt());
        for seq in tx.una..tx.high {
            let record = tx.records.at(seq);
            let expired = self.detection.is_overdue(record, window, now);
            if !record.sacked() && !record.lost() && (seq == tx.una || expired) {
                tx.records.set_lost(seq, true);
                self.lost += 1;
                tx.note_lost(seq, now);
            }
        }
        tx.report_delivery(self.pipe(tx), now);
        self.first_lost = tx.una;
        self.detection.due = None;
        if tx.may_send(now) {
            self.resend(tx, tx.una, now, out);
        }
        self.send(tx, now, out);
        self.arm(tx, now);
    }

    fn on_alarm<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) -> bool {
        let alarm = self.alarm.filter(|(_, at)| tx.deadline == *at);
        let Some((alarm, _)) = alarm else {
            self.undo.before_timeout(tx, self.probes_again());
            return false;
        };
        self.disarm(tx);
        match alarm {
            Alarm::Reordering => {
                // The flight that shrinks here counts as one delivery, so that an episode can begin.
                self.ack = Acknowledged {
                    delivered: 1,
                    flight: tx.high - tx.una - self.sacked,
                    ..Acknowledged::default()
                };
                self.detect(tx, now);
                self.go_on(tx, now, out);
            }
            Alarm::Probe => self.send_probe(tx, now, out),
        }
        self.arm(tx, now);
        true
    }

    fn on_turn<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.disarm(tx);
        self.send(tx, now, out);
        self.arm(tx, now);
    }

    fn on_marked<C: Controller>(&mut self, tx: &mut Connection<C>) {
        self.undo.forget();
        self.shrink(tx);
    }

    fn on_handshake(&mut self, rtt: Duration) {
        self.detection.on_handshake(rtt);
    }

    fn on_rtt(&mut self, _: Duration) {
        if let Some(probe) = &mut self.probe {
            probe.on_rtt();
        }
    }

    fn in_flight<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        self.pipe(tx)
    }
}
