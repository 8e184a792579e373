//! Compares the engine with a straightforward simulator: real queues, an event for every transmission,
//! every delivery opportunity and every packet, and counters that follow the queues as time passes.

mod comparison;
mod departure;
mod red;

use std::collections::{BTreeMap, VecDeque};

use dumbbell_sim::random::{Component, stream};
use dumbbell_sim::{
    AckFilter, Arrived, Cause, Ecn, EndpointId, Gone, Host, Kind, Label, Link, LinkId, Port, Queue,
    Time,
};
use red::Early;

use crate::aqm::{self, Aqm, Item};
use crate::scenario::{Log, Payload, Restless, Scenario};
use crate::sending::Sender;
use crate::tokens::Tokens;
use crate::weather::{Fate, Weather};

#[derive(Clone, Copy)]
struct Packet {
    endpoint: usize,
    /// How many links of its route it has passed.
    hops: usize,
    arrived: u64,
    label: Label,
    /// Whether it carried ECT(1) or CE when it arrived at the queue.
    l4s: bool,
    content: Arrived<Payload>,
}

/// The order of events at the same time: ends of transmissions and opportunities, arrivals by link and
/// by position on it, timers by endpoint.
type Key = (u64, u8, usize, u64);

/// How long each packet waited in a queue, and whether it carried ECT(1) or CE.
type Waits = Vec<(u64, bool)>;

enum Event {
    /// The first packet of a queue can start.
    Begin,
    Transmitted,
    Opportunity,
    Arrival(Packet),
    Timer,
    /// Two packets arrive in the next nanosecond, of which the second is a copy of the first.
    Copy(Packet, u64),
}

#[derive(Default)]
struct Station {
    /// The first packet is being transmitted, if the rate is constant.
    queue: VecDeque<Packet>,
    /// What waits behind it, if the queue decides which packet is next.
    held: Option<Aqm<Packet>>,
    /// How long each packet waited, and whether it carried ECT(1) or CE.
    waits: Waits,
    /// Bytes of the first packet that opportunities have taken.
    gone: u32,
    /// Bytes of the opportunities since the queue became empty.
    wasted: u32,
    /// When the queue became empty.
    empty_since: u64,
    watched_until: u64,
    counters: Counters,
    tokens: Option<Tokens>,
    /// Packets in flight that others are to overtake.
    waiting: Vec<InAir>,
    /// The transmitter, if it does not always send at the rate of the link.
    sender: Option<Sender>,
}

/// A packet that arrives earlier when so many more have departed that do not wait.
struct InAir {
    more: u32,
    earliest: u64,
    packet: Packet,
    fate: Fate,
    order: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Counters {
    sent: u64,
    delivered: u64,
    dropped: u64,
    early: u64,
    policed: u64,
    marked: u64,
    filtered: u64,
    duplicated: u64,
    corrupted: u64,
    departed: [u64; Kind::COUNT],
    departed_bytes: u64,
    busy: u64,
    offered: Option<u64>,
    queue_integral: u128,
}

struct Obvious {
    now: u64,
    end: u64,
    events: BTreeMap<Key, Event>,
    created: u64,
    links: Vec<Link>,
    stations: Vec<Station>,
    early: Vec<Early>,
    weather: Vec<Weather>,
    routes: Vec<Vec<LinkId>>,
    timers: Vec<Option<u64>>,
    discarded: Vec<(Payload, Cause, usize)>,
}

impl Obvious {
    fn run(scenario: &Scenario) -> (Log, Vec<Counters>, Vec<Waits>) {
        let links = scenario.topology.links().to_vec();
        let mut network = Self {
            now: 0,
            end: scenario.end.as_nanos(),
            events: BTreeMap::new(),
            created: 0,
            stations: (links.iter().enumerate())
                .map(|(number, link)| {
                    let draws = Component::early(LinkId::from_index(number));
                    Station {
                        sender: Sender::new(link),
                        held: Aqm::new(link.queue, stream(scenario.seed, draws)),
                        ..Station::default()
                    }
                })
                .collect(),
            early: (0..links.len())
                .map(|link| Early::new(scenario.seed, LinkId::from_index(link)))
                .collect(),
            weather: (0..links.len())
                .map(|link| Weather::new(scenario.seed, LinkId::from_index(link)))
                .collect(),
            links,
            routes: scenario.topology.routes().unwrap(),
            timers: vec![None; scenario.endpoints],
            discarded: Vec::new(),
        };
        let mut host = scenario.host();
        for (endpoint, at) in scenario.starts() {
            network.set_timer(endpoint, Some(at));
        }
        for link in 0..network.links.len() {
            network.await_opportunity(link, 0);
        }
        let end = scenario.end.as_nanos();
        while let Some((key, event)) = network.events.pop_first() {
            if key.0 > end {
                break;
            }
            network.now = key.0;
            network.handle(&mut host, key, event);
            for (payload, cause, link) in std::mem::take(&mut network.discarded) {
                let (at, link) = (Time::from_nanos(network.now), LinkId::from_index(link));
                host.discard(payload, Gone { cause, at, link });
            }
        }
        network.now = end;
        let counters = (0..network.links.len()).map(|link| {
            network.watch(link);
            let station = &mut network.stations[link];
            let sender = station.sender.as_ref();
            station.counters.offered = sender
                .map(|sender| sender.offered(end))
                .or(station.counters.offered);
            network.stations[link].counters.clone()
        });
        let counters = counters.collect();
        let waits = network.stations.into_iter().map(|station| station.waits);
        (host.log, counters, waits.collect())
    }

    fn handle(&mut self, host: &mut Restless, (_, _, index, number): Key, event: Event) {
        match event {
            Event::Begin => self.begin(index),
            Event::Transmitted => {
                self.depart(index);
                match self.stations[index].sender {
                    Some(_) => self.prepare(index, false),
                    None => self.start(index),
                }
            }
            Event::Opportunity => {
                self.use_opportunity(index);
                self.await_opportunity(index, number + 1);
            }
            Event::Arrival(packet) => {
                self.stations[index].counters.delivered += 1;
                if packet.hops == self.routes[packet.endpoint].len() {
                    let endpoint = EndpointId::from_index(packet.endpoint ^ 1);
                    host.on_packet(self, endpoint, packet.content);
                } else {
                    self.enter(packet);
                }
            }
            Event::Copy(mut packet, order) => {
                self.stations[index].counters.duplicated += 1;
                packet.content.payload = host.duplicate(packet.content.payload);
                self.events
                    .insert((self.now + 1, 1, index, order), Event::Arrival(packet));
            }
            Event::Timer => {
                self.timers[index] = None;
                host.on_timer(self, EndpointId::from_index(index));
            }
        }
    }

    /// Enqueues a packet at its next link.
    fn enter(&mut self, mut packet: Packet) {
        let link = self.routes[packet.endpoint][packet.hops].index();
        packet.hops += 1;
        packet.arrived = self.now;
        packet.l4s = packet.label.ecn == Ecn::Ect1 || packet.content.marked;
        self.watch(link);
        let described = &self.links[link];
        let station = &mut self.stations[link];
        station.counters.sent += 1;
        if let Some(policer) = described.policer
            && !station
                .tokens
                .get_or_insert(Tokens::new(policer.rate, policer.burst))
                .pass(packet.content.bytes, self.now)
        {
            station.counters.dropped += 1;
            station.counters.policed += 1;
            self.discarded
                .push((packet.content.payload, Cause::Dropped, link));
            return;
        }
        if station.held.is_some() {
            return self.hold(link, packet);
        }
        let mut place = station.queue.len();
        let mut chosen = Some(false);
        if let Queue::Red(red) = described.queue {
            let idle = (place == 0).then(|| match described.opportunities {
                None => {
                    let each = f64::from(red.mean_size) * 8.0 * 1e9 / described.rate as f64;
                    (self.now - station.empty_since) as f64 / each
                }
                Some(_) => f64::from(station.wasted) / f64::from(red.mean_size),
            });
            let waiting = place.saturating_sub(1);
            self.early[link].estimate(&red, waiting, idle);
            chosen = self.early[link].decide(&red);
            if chosen == Some(true) && red.ecn && packet.label.ecn.is_capable() {
                packet.content.marked = true;
                chosen = Some(false);
                station.counters.marked += u64::from(place < red.limit as usize);
            }
        }
        if let Queue::AckFilter(filter) = described.queue {
            let started = match described.opportunities {
                None => station.queue.len().min(1),
                Some(_) => usize::from(station.gone > 0),
            };
            let useless = station.useless(&filter, &packet, started);
            for &index in useless.iter().rev() {
                let removed = station.queue.remove(index).unwrap();
                self.discarded
                    .push((removed.content.payload, Cause::Filtered, link));
                station.counters.filtered += 1;
            }
            place = match useless.first() {
                Some(&oldest) if filter.replace_head => oldest,
                _ => station.queue.len(),
            };
        }
        let full = station.queue.len() >= described.queue.limit() as usize;
        if full || chosen != Some(false) {
            station.counters.dropped += 1;
            station.counters.early += u64::from(chosen == Some(true));
            self.discarded
                .push((packet.content.payload, Cause::Dropped, link));
            return;
        }
        station.queue.insert(place, packet);
        if station.queue.len() == 1 && station.sender.is_some() {
            self.prepare(link, true);
        } else if station.queue.len() == 1 && described.opportunities.is_none() {
            self.start(link);
        }
    }

    /// Gives a packet to a queue that decides which one is next.
    fn hold(&mut self, link: usize, packet: Packet) {
        let line = self.line(link);
        let station = &mut self.stations[link];
        let item = Item {
            l4s: packet.l4s,
            marked: false,
            bytes: u32::from(packet.content.bytes),
            arrived: packet.arrived,
            flow: packet.label.flow,
            ect: packet.label.ecn.is_capable(),
            content: packet,
        };
        let decided = station.held.as_mut().unwrap().arrive(item, line);
        let driven = self.links[link].opportunities.is_some();
        let idle = line.sending.is_none();
        self.settle(link, &decided);
        if idle && !driven {
            self.choose(link);
            self.start(link);
        }
    }

    /// What the transmitter of a link is doing.
    fn line(&self, link: usize) -> aqm::Line {
        let station = &self.stations[link];
        let sending = station.queue.front();
        aqm::Line {
            sending: sending.map(|packet| u32::from(packet.content.bytes)),
            rate: self.links[link].rate,
        }
    }

    /// Counts what a queue has decided.
    fn settle(&mut self, link: usize, decided: &aqm::Decided<Packet>) {
        let counters = &mut self.stations[link].counters;
        counters.early += decided.early.len() as u64;
        counters.marked += u64::from(decided.marked);
        for packet in decided.early.iter().chain(&decided.full) {
            counters.dropped += 1;
            self.discarded
                .push((packet.content.payload, Cause::Dropped, link));
        }
    }

    /// Moves the next packet to the transmitter, if nothing is there and the queue decides.
    fn choose(&mut self, link: usize) {
        self.watch(link);
        let station = &mut self.stations[link];
        if let Some(held) = &mut station.held
            && station.queue.is_empty()
        {
            let (next, decided) = held.next(self.now);
            if let Some(next) = next {
                let mut packet = next.content;
                packet.content.marked |= decided.marked || next.marked;
                station.queue.push_back(packet);
            }
            self.settle(link, &decided);
        }
    }

    /// Starts to transmit the first packet of a queue; packets that take no time depart immediately.
    fn start(&mut self, link: usize) {
        loop {
            self.choose(link);
            if self.stations[link].queue.is_empty() {
                return;
            }
            self.stamp(link);
            let packet = &self.stations[link].queue[0];
            let ns = f64::from(packet.content.bytes) * 8e9 / self.links[link].rate as f64;
            let done = self.now + ns.round() as u64;
            if done > self.now {
                self.events.insert((done, 0, link, 0), Event::Transmitted);
                return;
            }
            self.depart(link);
        }
    }

    /// Waits until the first packet of a queue can start. `asks` is whether it found the link idle.
    fn prepare(&mut self, link: usize, asks: bool) {
        let station = &self.stations[link];
        let (Some(sender), Some(packet)) = (&station.sender, station.queue.front()) else {
            return;
        };
        match sender.begin(packet.content.bytes, self.now, asks) {
            Some(at) if at == self.now => self.begin(link),
            Some(at) => {
                self.events.insert((at, 0, link, 0), Event::Begin);
            }
            None => {}
        }
    }

    /// Starts to transmit the first packet of a queue whose transmitter has a state.
    fn begin(&mut self, link: usize) {
        self.watch(link);
        self.stamp(link);
        let station = &mut self.stations[link];
        let bytes = station.queue[0].content.bytes;
        match station.sender.as_mut().unwrap().start(bytes, self.now) {
            Some(at) if at == self.now => {
                self.depart(link);
                self.prepare(link, false);
            }
            Some(at) => {
                self.events.insert((at, 0, link, 0), Event::Transmitted);
            }
            None => {}
        }
    }
}

impl Station {
    fn len(&self) -> usize {
        self.queue.len() + self.held.as_ref().map_or(0, Aqm::len)
    }

    /// Returns the packets in the queue that a new one makes useless, oldest first, except those whose
    /// transmission has started.
    fn useless(&self, filter: &AckFilter, packet: &Packet, started: usize) -> Vec<usize> {
        let Some((flow, number)) = packet.label.supersedes else {
            return Vec::new();
        };
        if self.queue.len() - started <= filter.threshold as usize {
            return Vec::new();
        }
        (started..self.queue.len())
            .filter(|&index| match self.queue[index].label.supersedes {
                Some((of, older)) if of == flow => {
                    older < number || filter.replace_head && older == number
                }
                _ => false,
            })
            .collect()
    }
}

impl Port<Payload> for Obvious {
    fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    fn send_labelled(
        &mut self,
        endpoint: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: Payload,
        label: Label,
    ) {
        let collects = label.probe && self.links.iter().any(|link| link.stamps);
        self.enter(Packet {
            endpoint: endpoint.index(),
            hops: 0,
            arrived: 0,
            label,
            l4s: false,
            content: Arrived {
                payload,
                bytes,
                kind,
                marked: false,
                corrupt: false,
                queueing: collects.then_some(0),
            },
        });
    }

    fn set_timer(&mut self, endpoint: EndpointId, deadline: Option<Time>) {
        let index = endpoint.index();
        if let Some(old) = self.timers[index].take() {
            self.events.remove(&(old, 2, index, 0));
        }
        if let Some(deadline) = deadline {
            let deadline = deadline.as_nanos().max(self.now);
            self.timers[index] = Some(deadline);
            self.events.insert((deadline, 2, index, 0), Event::Timer);
        }
    }

    fn queue_len(&mut self, link: LinkId) -> Option<u32> {
        let watched = self.links[link.index()].watched;
        watched.then(|| self.stations[link.index()].len() as u32)
    }
}
