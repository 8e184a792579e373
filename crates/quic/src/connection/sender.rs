//! The sending end.

mod losses;
mod sending;

use std::collections::VecDeque;

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::delivery::Sampler;
use dumbbell_control::event::{Ack, Marks, Repair, Sample, Stamps};
use dumbbell_control::units::{Duration, Instant, Segments};

use super::config::SenderConfig;
use super::data::Pieces;
use super::frame::{AckFrame, Output};
use super::round_trip::RoundTrip;
use super::sent::{Fate, Sent};
use crate::pacer::Pacer;
use losses::Lost;

/// Packets that a probe sends (RFC 9002, section 6.2.4).
const PROBES: u32 = 2;

/// What a sender has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets sent.
    pub sent: u64,
    /// Of these, with data that was sent before.
    pub again: u64,
    /// Packets declared lost.
    pub lost: u64,
    /// Of these, reported as arrived later.
    pub spurious: u64,
    /// Loss episodes.
    pub episodes: u64,
    /// Reductions for marks.
    pub ecn_cuts: u64,
    /// Times of persistent congestion.
    pub timeouts: u64,
    /// Times that the sender probed, because nothing was heard.
    pub probes: u64,
}

/// The sender of a connection.
#[derive(Clone, Debug)]
pub struct Sender<C> {
    config: SenderConfig,
    control: C,
    sent: Sent,
    in_flight: u64,
    /// The next piece of data that was never sent, and the number of pieces so far.
    next_piece: u64,
    end: u64,
    open: bool,
    /// Pieces to send again, in the order in which they were lost.
    again: VecDeque<u64>,
    acked: Pieces,
    started: bool,
    opened_at: Option<Instant>,
    established: bool,
    rtt: RoundTrip,
    largest_acked: Option<u64>,
    last_sent: Instant,
    /// When packets are lost by their age.
    loss_time: Option<Instant>,
    probes_in_row: u32,
    /// Probes that may leave whatever the window.
    due_probes: u32,
    /// When the window was reduced last.
    reduced: Option<Instant>,
    /// Whether a mark did it.
    by_mark: bool,
    repair: Repair,
    /// Packets that were declared lost since the last sample.
    untold: u64,
    /// When persistent congestion can begin: at the first round-trip time.
    first_sample: Option<Instant>,
    marked: u64,
    pacer: Pacer,
    waits_for_pacer: bool,
    deliveries: Option<Box<Sampler>>,
    counters: Counters,
}

impl<C: Controller> Sender<C> {
    /// A sender before its first packet.
    pub fn new(config: SenderConfig, control: C) -> Self {
        Self {
            control,
            sent: Sent::new(),
            in_flight: 0,
            next_piece: 0,
            end: config.packets.unwrap_or(u64::MAX),
            open: config.open,
            again: VecDeque::new(),
            acked: Pieces::default(),
            started: false,
            opened_at: None,
            established: !config.handshake,
            rtt: RoundTrip::new(config.initial_rtt),
            largest_acked: None,
            last_sent: Instant::ZERO,
            loss_time: None,
            probes_in_row: 0,
            due_probes: 0,
            reduced: None,
            by_mark: false,
            repair: Repair::None,
            untold: 0,
            first_sample: None,
            marked: 0,
            pacer: Pacer::default(),
            waits_for_pacer: false,
            deliveries: config.deliveries.then(Box::default),
            counters: Counters::default(),
            config,
        }
    }

    /// The connection starts.
    pub fn start(&mut self, now: Instant, out: &mut impl Output) {
        self.started = true;
        if self.established {
            return self.send(now, out);
        }
        self.opened_at = Some(now);
        self.last_sent = now;
        out.open();
    }

    /// The peer answers the exchange that opens the connection.
    pub fn on_open(&mut self, now: Instant, out: &mut impl Output) {
        if self.established {
            return;
        }
        self.established = true;
        self.probes_in_row = 0;
        if let Some(opened) = self.opened_at {
            self.take_sample(now, now.since(opened), Duration::ZERO);
        }
        self.send(now, out);
    }

    /// Sets the number of pieces that there are to send so far.
    pub fn offer(&mut self, now: Instant, pieces: u64, out: &mut impl Output) {
        self.end = self.end.max(pieces);
        if self.started && self.established {
            self.send(now, out);
        }
    }

    /// No more pieces will be offered.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Whether all there is to send has arrived.
    pub fn finished(&self) -> bool {
        !self.open && self.acked.count() >= self.end
    }

    /// Whether a packet that left then left after the last reduction.
    fn is_fresh(&self, sent: Instant) -> bool {
        self.reduced.is_none_or(|reduced| sent > reduced)
    }

    fn take_sample(&mut self, now: Instant, rtt: Duration, ack_delay: Duration) {
        let most = self.config.max_ack_delay;
        self.rtt.add(rtt, ack_delay, most);
        self.first_sample.get_or_insert(now);
    }

    /// An acknowledgement arrives. What it says of packets that were never sent is ignored.
    pub fn on_ack(&mut self, now: Instant, frame: &AckFrame, out: &mut impl Output) {
        let before = self.in_flight;
        self.begin_delivery(now);
        let Some(news) = self.note_acked(now, frame) else {
            return;
        };
        self.probes_in_row = 0;
        self.due_probes = 0;
        let largest = self.largest_acked.max(Some(news.newest));
        let is_newest = self.largest_acked < largest;
        self.largest_acked = largest;
        let rtt = is_newest.then(|| now.since(news.newest_sent));
        if let Some(rtt) = rtt {
            self.take_sample(now, rtt, frame.delay);
        }
        if self.is_fresh(news.newest_sent) {
            self.repair = Repair::None;
        }
        let marked = frame.marked.saturating_sub(self.marked).min(news.acked);
        self.marked = self.marked.max(frame.marked);
        let mut lost = match self.config.losses_last {
            true => Lost::default(),
            false => self.find_lost(now),
        };
        let mut sample = Sample::new(now, Segments::saturating_whole(news.acked))
            .with_rtt(rtt)
            .with_lost(Segments::saturating_whole(self.untold + lost.packets))
            .with_stamps(is_newest.then_some(Stamps {
                sent_at: news.newest_sent,
                received_at: frame.received_at,
            }));
        if marked > 0 {
            sample = sample.with_marks(Marks::Counted(Segments::saturating_whole(marked)));
        }
        self.untold = 0;
        self.control.on_sample(&sample);
        if self.config.losses_last {
            self.report_delivery(now);
            lost = self.find_lost(now);
            self.untold = lost.packets;
        }
        let reduced = self.reduce_for_losses(now, before, &lost)
            || (marked > 0 && self.reduce_for_mark(now, before, news.newest_sent));
        if !reduced && news.fresh > 0 {
            let acked = Segments::saturating_whole(news.fresh);
            let in_flight = Segments::saturating_whole(self.in_flight);
            let ack = Ack::new(now, acked, in_flight).with_app_limited(news.app_limited);
            self.control.on_ack(&ack);
        }
        if self.config.losses_last {
            self.note_in_flight();
        } else {
            self.report_delivery(now);
        }
        self.send(now, out);
    }

    /// Notes what an ACK reports. `None` if it says nothing new.
    fn note_acked(&mut self, now: Instant, frame: &AckFrame) -> Option<News> {
        let reduced = self.reduced;
        let mut news = News::default();
        for range in frame.ranges() {
            let numbers = range.start.max(self.sent.first())..range.end.min(self.sent.next());
            for number in numbers.rev() {
                let record = self.sent.at_mut(number);
                match record.fate {
                    Fate::Acked => continue,
                    Fate::Lost => {
                        record.fate = Fate::Acked;
                        self.counters.spurious += 1;
                        continue;
                    }
                    Fate::Open => record.fate = Fate::Acked,
                }
                if let Some(deliveries) = &mut self.deliveries {
                    let sent_at = record.sent_at;
                    deliveries.deliver(&mut record.departure, number, sent_at, true, now);
                }
                let record = *record;
                self.in_flight -= 1;
                self.acked.insert(record.piece);
                if news.acked == 0 {
                    news.newest = number;
                    news.newest_sent = record.sent_at;
                    news.app_limited = record.app_limited;
                }
                news.acked += 1;
                news.fresh += u64::from(reduced.is_none_or(|at| record.sent_at > at));
            }
        }
        self.sent.settle();
        (news.acked > 0).then_some(news)
    }

    fn begin_delivery(&mut self, now: Instant) {
        let (full, limited) = (!self.has_room(), !self.has_data());
        let Some(deliveries) = &mut self.deliveries else {
            return;
        };
        if full {
            // What has filled the window has done so until now.
            deliveries.fill(now);
        } else if limited {
            deliveries.limit();
        }
        deliveries.begin();
    }

    fn report_delivery(&mut self, now: Instant) {
        let Some(deliveries) = &mut self.deliveries else {
            return;
        };
        deliveries.set_in_flight(self.in_flight);
        let mut delivery = deliveries.end(now, self.repair);
        delivery.srtt = (self.rtt.samples > 0).then_some(self.rtt.smoothed);
        delivery.next_send = self.pacer.due().unwrap_or(now).max(now);
        self.control.on_delivery(&delivery);
        if self.control.holds_back() {
            deliveries.limit();
        }
    }

    fn note_in_flight(&mut self) {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.set_in_flight(self.in_flight);
        }
    }

    /// A deadline may have come.
    pub fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        if !self.established {
            if self.deadline().is_some_and(|at| at <= now) {
                self.probes_in_row += 1;
                self.last_sent = now;
                out.open();
            }
            return;
        }
        if self.loss_time.is_some_and(|at| at <= now) {
            let before = self.in_flight;
            let lost = self.find_lost(now);
            self.untold += lost.packets;
            self.reduce_for_losses(now, before, &lost);
            self.note_in_flight();
        } else if self.probe_time().is_some_and(|at| at <= now) {
            self.counters.probes += 1;
            self.probes_in_row += 1;
            self.due_probes = PROBES;
        }
        self.send(now, out);
    }

    /// When the sender probes.
    fn probe_time(&self) -> Option<Instant> {
        (self.in_flight > 0).then(|| {
            let after = self.rtt.probe_after() + self.config.max_ack_delay;
            let factor = 1u64 << self.probes_in_row.min(20);
            self.last_sent + Duration::from_nanos(after.as_nanos().saturating_mul(factor))
        })
    }

    /// When [`on_timer`](Self::on_timer) is due.
    pub fn deadline(&self) -> Option<Instant> {
        if !self.established {
            let after = self.rtt.probe_after().as_nanos();
            let factor = 1u64 << self.probes_in_row.min(20);
            let after = Duration::from_nanos(after.saturating_mul(factor));
            return self.opened_at.map(|_| self.last_sent + after);
        }
        let repair = self.loss_time.or_else(|| self.probe_time());
        let pace = self.pacer.due().filter(|_| self.waits_for_pacer);
        match (repair, pace) {
            (Some(repair), Some(pace)) => Some(repair.min(pace)),
            (one, other) => one.or(other),
        }
    }

    /// The control.
    pub fn control(&self) -> &C {
        &self.control
    }

    /// The control's window.
    pub fn window(&self) -> Window {
        self.control.window()
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Packets in flight.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Pieces of data that were sent at least once.
    pub fn high(&self) -> u64 {
        self.next_piece
    }

    /// The oldest packet in flight.
    pub fn oldest(&self) -> u64 {
        self.sent.first()
    }

    /// Round-trip times so far, and the last one.
    pub fn rtt_samples(&self) -> u64 {
        self.rtt.samples
    }

    /// See [`rtt_samples`](Self::rtt_samples).
    pub fn last_rtt(&self) -> Duration {
        self.rtt.latest
    }

    /// The smoothed round-trip time; `None` before the first.
    pub fn srtt(&self) -> Option<Duration> {
        (self.rtt.samples > 0).then_some(self.rtt.smoothed)
    }
}

/// What an ACK reports that is new.
#[derive(Clone, Copy, Debug, Default)]
struct News {
    acked: u64,
    /// Of these, sent after the last reduction.
    fresh: u64,
    newest: u64,
    newest_sent: Instant,
    /// Whether the application limited the sender when the newest one left.
    app_limited: bool,
}

#[cfg(test)]
mod tests;
