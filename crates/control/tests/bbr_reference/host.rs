//! The host: a sender with numbered packets and selective ACKs in a closed loop with the reference, and the events
//! that it reports in the order of the crate's contract.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use dumbbell_control::controller::Window;
use dumbbell_control::event::{Ack, Delivery, Loss, LostSegment, Repair, Sample, Sent, Timeout};
use dumbbell_control::units::{Duration, Instant, Segments};

use crate::path::{App, MS, Path, SECOND, Scenario};
use crate::reference::Reference;
use crate::sampler::{Packet, Sampler};

/// What the host reports.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Sent(Sent),
    Lost(LostSegment),
    Sample(Sample),
    Ack(Ack),
    Loss(Loss),
    Timeout(Timeout),
    Restore(Window),
    Delivery(Delivery),
}

/// What is due at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Arrival(u64),
    AckTimer,
    Ack(Vec<u64>),
    Write,
    Pacing,
    Retransmission,
}

/// A packet is lost once one that was sent so many packets later is acknowledged.
const REORDERING: u64 = 3;
/// The connection begins so long after the origin of time.
const BEGINS: u64 = 3 * SECOND;

/// The sender, and everything that is under way.
pub struct Host<'a> {
    scenario: Scenario,
    path: Path,
    pub bbr: Reference,
    watch: &'a mut dyn FnMut(&Event, &Reference) -> bool,
    agenda: BinaryHeap<Reverse<(u64, u64, Due)>>,
    entries: u64,
    now: u64,
    stopped: bool,
    pub sampler: Sampler,
    packets: BTreeMap<u64, Packet>,
    next_id: u64,
    unsent: u64,
    to_resend: u64,
    next_send: u64,
    pacing_due: u64,
    srtt: Option<u64>,
    /// When as much as the window was in flight last.
    filled_at: Option<u64>,
    timer: Option<u64>,
    backoff: u32,
    repair: Repair,
    recover: u64,
    /// The window before the episode, the packets that were declared lost in it, and those that came after all.
    before: u64,
    declared: u64,
    came: u64,
}

impl<'a> Host<'a> {
    /// `watch` sees each event after the reference has taken it, and stops the run by `false`.
    pub fn new(
        scenario: &Scenario,
        bbr: Reference,
        watch: &'a mut dyn FnMut(&Event, &Reference) -> bool,
    ) -> Self {
        Self {
            scenario: *scenario,
            path: Path::new(*scenario),
            bbr,
            watch,
            agenda: BinaryHeap::new(),
            entries: 0,
            now: BEGINS,
            stopped: false,
            sampler: Sampler::new(),
            packets: BTreeMap::new(),
            next_id: 0,
            unsent: 0,
            to_resend: 0,
            next_send: 0,
            pacing_due: 0,
            srtt: None,
            filled_at: None,
            timer: None,
            backoff: 0,
            repair: Repair::None,
            recover: 0,
            before: 0,
            declared: 0,
            came: 0,
        }
    }

    /// Runs to the end of the scenario, or until the watcher stops it.
    pub fn run(&mut self) {
        let end = BEGINS + self.scenario.seconds * SECOND;
        self.schedule(BEGINS, Due::Write);
        while let Some(Reverse((at, _, due))) = self.agenda.pop() {
            if at >= end || self.stopped {
                break;
            }
            self.now = at;
            self.handle(due);
            self.send();
        }
    }

    fn handle(&mut self, due: Due) {
        match due {
            Due::Arrival(id) => match self.path.arrive(id, self.now) {
                Ok((at, ids)) => self.schedule(at, Due::Ack(ids)),
                Err(Some(at)) => self.schedule(at, Due::AckTimer),
                Err(None) => {}
            },
            Due::AckTimer => {
                if let Some((at, ids)) = self.path.due(self.now) {
                    self.schedule(at, Due::Ack(ids));
                }
            }
            Due::Ack(ids) => self.on_ack(&ids),
            Due::Write => self.write(),
            Due::Pacing => {}
            Due::Retransmission => {
                if self.timer == Some(self.now) {
                    self.on_timer();
                }
            }
        }
    }

    fn schedule(&mut self, at: u64, due: Due) {
        self.entries += 1;
        self.agenda.push(Reverse((at, self.entries, due)));
    }

    fn tell(&mut self, event: Event) {
        if self.stopped {
            return;
        }
        match &event {
            Event::Sent(sent) => self.bbr.on_sent(sent),
            Event::Lost(lost) => self.bbr.on_lost_segment(lost),
            Event::Loss(loss) => self.bbr.on_loss(loss),
            Event::Timeout(timeout) => self.bbr.on_timeout(timeout),
            Event::Restore(window) => self.bbr.restore(window.cwnd.floor()),
            Event::Delivery(delivery) => self.bbr.on_delivery(delivery),
            Event::Sample(_) | Event::Ack(_) => {}
        }
        self.stopped = !(self.watch)(&event, &self.bbr);
    }

    fn instant(&self) -> Instant {
        Instant::from_nanos(self.now)
    }

    fn in_flight(&self) -> Segments {
        Segments::saturating_whole(self.sampler.inflight)
    }

    fn write(&mut self) {
        self.check_if_application_limited();
        match self.scenario.app {
            App::Bulk => self.unsent = u64::MAX,
            App::Chunks { segments, every } => {
                self.unsent += segments;
                self.schedule(self.now + every * MS, Due::Write);
            }
        }
    }

    /// `CheckIfApplicationLimited`.
    fn check_if_application_limited(&mut self) {
        if self.unsent == 0 && self.to_resend == 0 && self.sampler.inflight < self.bbr.cwnd() {
            self.sampler.mark_connection_app_limited();
        }
    }

    fn send(&mut self) {
        while !self.stopped
            && self.sampler.inflight < self.bbr.cwnd()
            && (self.to_resend > 0 || self.unsent > 0)
        {
            if self.now < self.next_send {
                if self.pacing_due != self.next_send {
                    self.pacing_due = self.next_send;
                    self.schedule(self.next_send, Due::Pacing);
                }
                return;
            }
            self.send_packet();
        }
    }

    fn send_packet(&mut self) {
        let is_retransmission = self.to_resend > 0;
        if is_retransmission {
            self.to_resend -= 1;
        } else {
            self.unsent -= 1;
        }
        let has_no_more = self.to_resend == 0 && self.unsent == 0;
        let mut sent = Sent::new(self.instant(), Segments::ONE, self.in_flight())
            .with_retransmission(is_retransmission)
            .with_app_limited(has_no_more);
        sent.was_app_limited = self.sampler.is_app_limited();
        self.tell(Event::Sent(sent));
        let spacing = (u128::from(self.scenario.mss * SECOND) << 16)
            / u128::from(self.bbr.pacing_rate().max(1));
        self.next_send = self.next_send.max(self.now) + spacing as u64;
        if self.sampler.inflight == 0 {
            self.start_timer();
        }
        let packet = self
            .sampler
            .on_packet_sent(self.next_id, is_retransmission, self.now);
        self.packets.insert(self.next_id, packet);
        if let Some(at) = self.path.send(self.now) {
            self.schedule(at, Due::Arrival(self.next_id));
        }
        self.next_id += 1;
    }

    fn start_timer(&mut self) {
        let span = self.srtt.map_or(SECOND, |srtt| (2 * srtt).max(300 * MS));
        let at = self.now + (span << self.backoff.min(6));
        self.timer = Some(at);
        self.schedule(at, Due::Retransmission);
    }

    fn on_ack(&mut self, ids: &[u64]) {
        self.check_if_application_limited();
        let prior_in_flight = self.sampler.inflight;
        if prior_in_flight >= self.bbr.cwnd() {
            self.filled_at = Some(self.now);
        }
        let (delivered, lost) = (self.sampler.delivered, self.sampler.lost);
        self.sampler.init_rate_sample();
        for id in ids {
            match self.packets.remove(id) {
                Some(packet) if packet.is_marked_lost => self.came += 1,
                Some(packet) => self.sampler.update_rate_sample(packet, self.now),
                None => {}
            }
        }
        self.end_repair(ids);
        let largest = ids.iter().copied().max().unwrap_or(0);
        self.find_lost(largest.saturating_sub(REORDERING - 1));
        let newly_lost = self.sampler.lost - lost;
        let rtt = self.take_rtt();
        let newly_delivered = self.sampler.delivered - delivered;
        self.tell(Event::Sample(
            Sample::new(self.instant(), Segments::saturating_whole(newly_delivered))
                .with_rtt(rtt)
                .with_lost(Segments::saturating_whole(newly_lost)),
        ));
        self.report_ack(newly_delivered, newly_lost);
        let mut told = Delivery::new(
            self.instant(),
            self.sampler.delivered,
            self.sampler.inflight,
        );
        told.lost = self.sampler.lost;
        told.newly_delivered = newly_delivered;
        told.newly_lost = newly_lost;
        told.prior_in_flight = prior_in_flight;
        told.rtt = rtt;
        told.srtt = self.srtt.map(Duration::from_nanos);
        told.next_send = Instant::from_nanos(self.next_send.max(self.now));
        told.repair = self.repair;
        // In the last round trip.
        let round = self.srtt.unwrap_or(0);
        told.cwnd_limited = self.filled_at.is_some_and(|at| at + round >= self.now);
        told.rate = self.sampler.generate_rate_sample();
        self.tell(Event::Delivery(told));
        if self.bbr.state() == "ProbeRTT" {
            self.sampler.mark_connection_app_limited();
        }
        self.backoff = 0;
        self.timer = None;
        if self.sampler.inflight > 0 {
            self.start_timer();
        }
    }

    /// An episode ends when a packet is acknowledged that was sent after it began, or when all that was declared
    /// lost in it has come after all.
    fn end_repair(&mut self, ids: &[u64]) {
        if self.repair == Repair::None {
            return;
        }
        if self.declared > 0 && self.came >= self.declared {
            self.repair = Repair::None;
            let window = Window {
                cwnd: Segments::saturating_whole(self.before),
                ssthresh: Segments::MAX,
            };
            self.tell(Event::Restore(window));
        } else if ids.iter().any(|id| *id >= self.recover) {
            self.repair = Repair::None;
        }
    }

    /// Declares packets before `limit` lost, and begins an episode.
    fn find_lost(&mut self, limit: u64) {
        let before = self.bbr.cwnd();
        let lost = self.mark_lost(limit);
        if lost == 0 {
            return;
        }
        if self.repair == Repair::None {
            self.begin_repair(Repair::Episode, before);
            self.tell(Event::Loss(Loss::new(self.instant(), self.in_flight())));
        }
        self.declared += lost;
    }

    fn begin_repair(&mut self, repair: Repair, before: u64) {
        self.repair = repair;
        self.recover = self.next_id;
        self.before = before;
        self.declared = 0;
        self.came = 0;
    }

    fn mark_lost(&mut self, limit: u64) -> u64 {
        // Those that were declared lost long ago do not come any more.
        self.packets
            .retain(|id, packet| !packet.is_marked_lost || id + 5_000 > limit);
        let found: Vec<u64> = self
            .packets
            .range(..limit)
            .filter(|(_, packet)| !packet.is_marked_lost)
            .map(|(id, _)| *id)
            .collect();
        for id in &found {
            let packet = self.packets.get_mut(id).expect("it was just found");
            packet.is_marked_lost = true;
            let packet = *packet;
            self.sampler.lost += 1;
            self.sampler.inflight -= 1;
            self.to_resend += 1;
            let since = self.sampler.lost - packet.lost;
            let mut told = LostSegment::new(self.instant(), packet.tx_in_flight, since);
            told.delivered = self.sampler.delivered;
            told.app_limited = packet.is_app_limited;
            self.tell(Event::Lost(told));
        }
        found.len() as u64
    }

    fn take_rtt(&mut self) -> Option<Duration> {
        let newest = self
            .sampler
            .newest()
            .filter(|packet| !packet.is_retransmission)?;
        let rtt = self.now - newest.send_time;
        self.sampler.min_rtt = self.sampler.min_rtt.min(rtt);
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| (7 * srtt + rtt) / 8));
        Some(Duration::from_nanos(rtt))
    }

    fn report_ack(&mut self, newly_delivered: u64, newly_lost: u64) {
        if self.repair == Repair::None && newly_lost == 0 && newly_delivered > 0 {
            let acked = Segments::saturating_whole(newly_delivered);
            self.tell(Event::Ack(Ack::new(
                self.instant(),
                acked,
                self.in_flight(),
            )));
        }
    }

    /// The retransmission timer fires: everything is lost.
    fn on_timer(&mut self) {
        self.timer = None;
        self.check_if_application_limited();
        if self.sampler.inflight == 0 {
            return;
        }
        let before = self.bbr.cwnd();
        self.backoff += 1;
        let timeout = Timeout::new(self.instant(), self.in_flight());
        self.tell(Event::Timeout(timeout.with_consecutive(self.backoff)));
        self.begin_repair(Repair::Timeout, before);
        self.declared = self.mark_lost(u64::MAX);
        self.recover = self.next_id + self.to_resend - 1;
        self.next_send = self.now;
    }
}
