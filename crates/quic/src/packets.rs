//! What is kept of each packet in flight for controls that measure the rate of delivery, by packet number.

use std::collections::VecDeque;

use dumbbell_control::delivery::{Departure, Sampler};
use dumbbell_control::event::{Delivery, LostSegment, Repair};
use dumbbell_control::units::{Duration, Instant};

/// More packet numbers than this are not kept: a peer that never acknowledges one packet cannot make the list grow.
const MOST: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
struct Packet {
    departure: Departure,
    sent_at: Instant,
}

/// The packets in flight, and the counters of deliveries.
///
/// The packet numbers of a connection's handshake overlap with those after it. A packet whose number is taken again
/// is forgotten: then an ACK gives no sample for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packets {
    sampler: Sampler,
    first: u64,
    list: VecDeque<Option<Packet>>,
    in_ack: bool,
}

impl Packets {
    pub fn on_sent(&mut self, number: u64, now: Instant) {
        let departure = self.sampler.on_sent(now);
        let packet = Packet {
            departure,
            sent_at: now,
        };
        if number < self.first || self.list.is_empty() {
            self.list.clear();
            self.first = number;
        }
        let mut place = number - self.first;
        if place >= MOST as u64 {
            let surplus = place + 1 - MOST as u64;
            let gone = usize::try_from(surplus).map_or(self.list.len(), |n| n.min(self.list.len()));
            self.list.drain(..gone);
            self.first += surplus;
            place -= surplus;
        }
        let place = place as usize;
        if place >= self.list.len() {
            self.list.resize(place + 1, None);
        }
        self.list[place] = Some(packet);
    }

    fn take(&mut self, number: u64) -> Option<Packet> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let packet = self.list.get_mut(place)?.take();
        while let Some(None) = self.list.front() {
            self.list.pop_front();
            self.first += 1;
        }
        packet
    }

    fn begin(&mut self) {
        if !self.in_ack {
            self.in_ack = true;
            self.sampler.begin();
        }
    }

    pub fn on_acked(&mut self, number: u64, sent_at: Instant, now: Instant) {
        self.begin();
        if let Some(mut packet) = self.take(number)
            && packet.sent_at == sent_at
        {
            let departure = &mut packet.departure;
            self.sampler.deliver(departure, number, sent_at, true, now);
        }
    }

    pub fn on_lost(&mut self, number: u64, now: Instant) -> Option<LostSegment> {
        let packet = self.take(number)?;
        let in_flight = self.sampler.in_flight();
        self.sampler.set_in_flight(in_flight.saturating_sub(1));
        Some(self.sampler.lose(&packet.departure, number, now))
    }

    /// The window is full.
    pub fn fill(&mut self, now: Instant) {
        self.sampler.fill(now);
    }

    pub fn limit(&mut self) {
        self.sampler.limit();
    }

    pub fn is_limited(&self) -> bool {
        self.sampler.is_limited()
    }

    /// An ACK has been processed, and leaves so many packets in flight.
    pub fn end(
        &mut self,
        now: Instant,
        in_flight: u64,
        repair: Repair,
        srtt: Option<Duration>,
    ) -> Delivery {
        self.begin();
        self.in_ack = false;
        self.sampler.set_in_flight(in_flight);
        let mut delivery = self.sampler.end(now, repair);
        delivery.srtt = srtt;
        delivery
    }
}
