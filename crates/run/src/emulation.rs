//! A scenario's network with packets from outside: the core of an emulator that runs in real time.
//!
//! The two ends of one flow, or of several, are outside. Their packets cross the simulated network, with the same
//! links, queues, losses and routers as in a simulation, beside the packets of all other flows,
//! which are simulated. The network has its own clock, which its owner advances. A packet that is
//! handed in late, or taken out late, does not change what the network does with it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_scenario::controls::Alarm;
use dumbbell_scenario::{Duration, Flow, Scenario, Traffic, Writing, named_flows};
use dumbbell_sim::{
    Arrived, Cause, EndpointId, Host, Kind, Label, LinkId, LinkStatistics, Port, Simulation, Time,
};
use slab::Slab;

use crate::failure::Failure;
use crate::flow::wire::{ACK, DATA, DATAGRAM, Payload};
use crate::hosts::Hosts;
use crate::network::Layout;
use crate::outcome::Outcome;
use crate::results;
use crate::stage::{Pace, Stage, prepare};
use crate::time::{since_start, time};

/// An end of the flow that is outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end that sends the data.
    Sender,
    /// The end that receives the data.
    Receiver,
}

/// The sort of a packet, for loss models that spare ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A segment with payload.
    Data,
    /// A segment without payload.
    Ack,
    /// Anything else.
    Datagram,
}

/// What becomes of a packet from outside, with its bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'b> {
    /// It has crossed the network. Its bytes may be changed.
    Through(Through, &'b mut [u8]),
    /// It never arrives.
    Gone(Gone, &'b [u8]),
}

/// A packet that has crossed the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Through {
    /// Its number, from 0 on, in the order in which packets were handed in. A copy has that of its original.
    pub number: u64,
    /// The end at which it arrives.
    pub end: End,
    /// When it was handed in, counted from the start of the emulation.
    pub entered: Duration,
    /// When it arrives, counted from the start of the emulation.
    pub due: Duration,
    /// Whether a router has marked it because of congestion.
    pub marked: bool,
    /// How long it has waited at routers that record queueing delays, in microseconds; `None` if
    /// the packet does not request this.
    pub queueing: Option<u32>,
}

/// Counters of a link from the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkCounts {
    /// Bytes that left the queue.
    pub bytes: u64,
    /// Packets dropped by the queue, or by a policer before it.
    pub dropped: u64,
    /// Packets lost by the loss model.
    pub lost: u64,
    /// Packets that the queue marked.
    pub marked: u64,
    /// The sum of the times that packets spent in the queue and in transmission, in seconds.
    pub queue_s: f64,
}

/// A packet that the network does not deliver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Its number, as that of [`Through`].
    pub number: u64,
    /// When it ended, counted from the start of the emulation.
    pub at: Duration,
    /// What ended it.
    pub why: Why,
}

/// Why a packet never arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// A queue or a policer dropped it: congestion.
    Dropped,
    /// A link lost it.
    Lost,
    /// A link damaged it, and the end's checksum would show this.
    Damaged,
    /// A later ACK made it useless, and an ACK filter removed it.
    Filtered,
}

impl Why {
    /// Returns the reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped by a queue",
            Self::Lost => "lost by a link",
            Self::Damaged => "damaged by a link",
            Self::Filtered => "removed by an ACK filter",
        }
    }
}

/// A network in which one flow is real, or several are.
pub struct Emulation {
    simulation: Simulation<Gateway>,
    scenario: Scenario,
    seed: u64,
    alarm: Alarm,
}

/// The hosts of a network, some flows of which are outside.
#[derive(Default)]
struct Gateway {
    hosts: Hosts,
    packets: Slab<Passenger>,
    /// Buffers that are free for reuse.
    spare: Vec<Vec<u8>>,
    through: Vec<(usize, Through)>,
    /// Packets that never arrive, by the time at which they end, and their slots. The network may know of it
    /// before that time.
    gone: BinaryHeap<Reverse<(Time, u64, usize, Why)>>,
    /// The number of packets that were handed in.
    offered: u64,
    /// The positions of the flows that are outside.
    flows: Vec<usize>,
}

/// A packet from outside.
struct Passenger {
    number: u64,
    entered: Time,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Carried {
    Inside(Payload),
    /// The slot of a packet from outside.
    Outside(u32),
}

/// The most buffers that are kept for reuse.
const MOST_SPARE: usize = 4096;
/// The longest possible emulation.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

impl Emulation {
    /// Builds the network of a scenario, in which the flow at this position among the run's flows
    /// is outside. The duration of the scenario and its warm-up are ignored: an emulation lasts up to 30
    /// days, and its results begin with it.
    ///
    /// # Errors
    /// A message if that flow cannot be outside: because it is a UDP source, which receives
    /// nothing, or because it relays or is relayed.
    pub fn new(scenario: &Scenario, flow: usize, seed: u64) -> Result<Self, String> {
        Self::of(scenario, &[flow], seed)
    }

    /// As [`new`](Self::new), with several flows outside.
    ///
    /// # Errors
    /// As those of [`new`](Self::new), for any of the flows; or if one is given twice, or none.
    pub fn of(scenario: &Scenario, flows: &[usize], seed: u64) -> Result<Self, String> {
        if flows.is_empty() {
            return Err("an emulation needs a flow that is real".to_owned());
        }
        for (number, &flow) in flows.iter().enumerate() {
            check(scenario, flow)?;
            if flows[..number].contains(&flow) {
                return Err(format!("the flow {} is to be real twice", flow + 1));
            }
        }
        let mut scenario = scenario.clone();
        scenario.duration = LONGEST;
        scenario.warmup = Duration::ZERO;
        scenario.variation = None;
        let stage = Gateway {
            flows: flows.to_vec(),
            ..Gateway::default()
        };
        let alarm = Alarm::new();
        let mut simulation = prepare(&scenario, seed, None, None, &alarm, Pace::Watched, stage);
        for &flow in flows {
            for end in [End::Sender, End::Receiver] {
                simulation.set_timer(endpoint(flow, end), None);
            }
        }
        Ok(Self {
            simulation,
            scenario,
            seed,
            alarm,
        })
    }

    /// The simulated time reached so far.
    pub fn now(&self) -> Duration {
        since_start(self.simulation.now())
    }

    /// A lower bound on the time of the next event in the network if nothing comes from outside.
    pub fn next_event(&mut self) -> Option<Duration> {
        self.simulation.next_event().map(since_start)
    }

    /// Advances to this time, and passes everything that has arrived until then, in order, to
    /// `deliver`, which may change the bytes.
    pub fn advance(&mut self, now: Duration, mut deliver: impl FnMut(Through, &mut [u8])) {
        self.follow(now, |event| match event {
            Event::Through(through, bytes) => deliver(through, bytes),
            Event::Gone(..) => {}
        });
    }

    /// Advances to this time, and passes on what has become of packets until then, in the order of time.
    pub fn follow(&mut self, now: Duration, mut tell: impl FnMut(Event<'_>)) {
        self.simulation.run_until(time(now));
        let gateway = self.simulation.host_mut();
        let mut arrived = std::mem::take(&mut gateway.through);
        for (place, through) in arrived.drain(..) {
            gateway.bury(time(through.due), &mut tell);
            let mut packet = gateway.packets.remove(place);
            tell(Event::Through(through, &mut packet.bytes));
            keep(&mut gateway.spare, packet);
        }
        gateway.through = arrived;
        gateway.bury(time(now), &mut tell);
    }

    /// Hands in a packet at the current time of the network. Packets of more than 65,535 bytes are
    /// ignored: no link could carry them. Returns the number of the packet. If several flows are outside, it
    /// belongs to the first.
    pub fn offer(&mut self, from: End, packet: &[u8], sort: Sort, label: Label) -> Option<u64> {
        self.offer_of(0, from, packet, sort, label)
    }

    /// As [`offer`](Self::offer), for the flow at this place among those that are outside. A packet of no such
    /// flow is ignored.
    pub fn offer_of(
        &mut self,
        flow: usize,
        from: End,
        packet: &[u8],
        sort: Sort,
        label: Label,
    ) -> Option<u64> {
        self.offer_framed(flow, from, packet, packet.len(), sort, label)
    }

    /// As [`offer_of`](Self::offer_of), for a packet in a frame, of which the network counts only the packet's `size` in
    /// bytes. All of the frame is carried.
    pub fn offer_framed(
        &mut self,
        flow: usize,
        from: End,
        frame: &[u8],
        size: usize,
        sort: Sort,
        label: Label,
    ) -> Option<u64> {
        let bytes = u16::try_from(size).ok()?;
        let entered = self.simulation.now();
        let gateway = self.simulation.host_mut();
        let from = endpoint(*gateway.flows.get(flow)?, from);
        let number = gateway.offered;
        gateway.offered += 1;
        let mut buffer = gateway.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(frame);
        let place = gateway.packets.insert(Passenger {
            number,
            entered,
            bytes: buffer,
        });
        let kind = match sort {
            Sort::Data => DATA,
            Sort::Ack => ACK,
            Sort::Datagram => DATAGRAM,
        };
        let carried = Carried::Outside(place as u32);
        self.simulation.send(from, bytes, kind, carried, label);
        Some(number)
    }

    /// Why the emulation should end, if an added control of a simulated flow has failed.
    pub fn failure(&self) -> Option<Failure> {
        let raised = self.alarm.raised()?;
        Some(Failure::of(raised, &self.scenario))
    }

    /// The number of packets from outside that are in the network now, without those of which it is known that
    /// they will not arrive.
    pub fn in_flight(&self) -> usize {
        let gateway = self.simulation.host();
        gateway.packets.len() - gateway.gone.len()
    }

    /// The names of the first links, as in the results, up to `most`.
    pub fn link_names(&self, most: usize) -> Vec<String> {
        Layout::names(&self.scenario).take(most).collect()
    }

    /// The counters of the first links so far, up to `most`.
    pub fn link_counts(&self, most: usize) -> Vec<LinkCounts> {
        let count = self.simulation.link_count().min(most);
        let links = (0..count).map(|number| self.simulation.link(LinkId::from_index(number)));
        let count = |link: LinkStatistics| LinkCounts {
            bytes: link.departed_bytes,
            dropped: link.dropped,
            lost: link.lost,
            marked: link.marked,
            queue_s: link.queue_integral as f64 / 1e9,
        };
        links.map(count).collect()
    }

    /// The results of the links and the simulated flows so far.
    pub fn outcome(&self) -> Outcome {
        let (gateway, now) = (self.simulation.host(), self.simulation.now());
        let flows = results::of_flows(&gateway.hosts, &self.scenario, &gateway.flows, now);
        results::outcome(&self.simulation, &self.scenario, self.seed, flows, &[])
    }
}

/// Checks that a flow can be outside.
fn check(scenario: &Scenario, flow: usize) -> Result<(), String> {
    let Some((entry, name)) = named_flows(scenario).nth(flow) else {
        return Err(format!(
            "there is no flow {}: the scenario has {}",
            flow + 1,
            scenario.flow_count()
        ));
    };
    if matches!(entry.traffic, Traffic::Udp(_)) {
        return Err(format!(
            "the flow {name} is a UDP source, to which nothing comes back: a real connection needs a flow \
             with `control` or `rate_control`"
        ));
    }
    if matches!(entry.traffic, Traffic::Workload(_)) || entry.writing != Writing::WITHOUT_LIMIT {
        return Err(format!(
            "the flow {name} has an application of its own (`transfers`, `requests`, `video`, `source` or \
             `stop`): what a real connection carries comes from outside"
        ));
    }
    let relayed = |other: &Flow| {
        other
            .relays
            .is_some_and(|place| std::ptr::eq(&scenario.flows[place], entry))
    };
    if entry.relays.is_some() || scenario.flows.iter().any(relayed) {
        return Err(format!(
            "the flow {name} relays another, or is relayed: what a real connection carries cannot be"
        ));
    }
    Ok(())
}

fn endpoint(flow: usize, end: End) -> EndpointId {
    EndpointId::from_index(2 * flow + usize::from(end == End::Receiver))
}

fn keep(spare: &mut Vec<Vec<u8>>, packet: Passenger) {
    if spare.len() < MOST_SPARE {
        spare.push(packet.bytes);
    }
}

impl Gateway {
    /// Notes that a packet never arrives.
    fn lose(&mut self, place: usize, why: Why, at: Time) {
        let number = self.packets[place].number;
        self.gone.push(Reverse((at, number, place, why)));
    }

    /// Tells of the packets that have ended until this time.
    fn bury(&mut self, until: Time, tell: &mut impl FnMut(Event<'_>)) {
        while let Some(&Reverse((at, number, place, why))) = self.gone.peek()
            && at <= until
        {
            self.gone.pop();
            let packet = self.packets.remove(place);
            let at = since_start(at);
            tell(Event::Gone(Gone { number, at, why }, &packet.bytes));
            keep(&mut self.spare, packet);
        }
    }
}

impl Stage for Gateway {
    fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    fn hosts_mut(&mut self) -> &mut Hosts {
        &mut self.hosts
    }
}

impl Host for Gateway {
    type Payload = Carried;

    fn on_packet(
        &mut self,
        net: &mut impl Port<Carried>,
        endpoint: EndpointId,
        packet: Arrived<Carried>,
    ) {
        match packet.payload {
            Carried::Inside(payload) => {
                let packet = packet.map(|_| payload);
                self.hosts.on_packet(&mut Inside(net), endpoint, packet);
            }
            Carried::Outside(place) => {
                if packet.corrupt {
                    return self.lose(place as usize, Why::Damaged, net.now());
                }
                let Some(passenger) = self.packets.get(place as usize) else {
                    return;
                };
                let even = endpoint.index().is_multiple_of(2);
                let through = Through {
                    number: passenger.number,
                    end: if even { End::Sender } else { End::Receiver },
                    entered: since_start(passenger.entered),
                    due: since_start(net.now()),
                    marked: packet.marked,
                    queueing: packet.queueing,
                };
                self.through.push((place as usize, through));
            }
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<Carried>, endpoint: EndpointId) {
        if !self.flows.contains(&(endpoint.index() / 2)) {
            self.hosts.on_timer(&mut Inside(net), endpoint);
        }
    }

    fn duplicate(&mut self, payload: Carried) -> Carried {
        match payload {
            Carried::Inside(payload) => Carried::Inside(self.hosts.duplicate(payload)),
            Carried::Outside(place) => {
                let original = &self.packets[place as usize];
                let copy = Passenger {
                    bytes: original.bytes.clone(),
                    ..*original
                };
                Carried::Outside(self.packets.insert(copy) as u32)
            }
        }
    }

    fn discard(&mut self, payload: Carried, gone: dumbbell_sim::Gone) {
        match payload {
            Carried::Inside(payload) => self.hosts.discard(payload, gone),
            Carried::Outside(place) => {
                let why = match gone.cause {
                    Cause::Dropped => Why::Dropped,
                    Cause::Lost => Why::Lost,
                    Cause::Filtered => Why::Filtered,
                };
                self.lose(place as usize, why, gone.at);
            }
        }
    }
}

/// The network as seen by the simulated hosts.
struct Inside<'n, N>(&'n mut N);

impl<N: Port<Carried>> Port<Payload> for Inside<'_, N> {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn send_labelled(
        &mut self,
        endpoint: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: Payload,
        label: Label,
    ) {
        let carried = Carried::Inside(payload);
        self.0.send_labelled(endpoint, bytes, kind, carried, label);
    }

    fn set_timer(&mut self, endpoint: EndpointId, deadline: Option<Time>) {
        self.0.set_timer(endpoint, deadline);
    }

    fn queue_len(&mut self, link: LinkId) -> Option<u32> {
        self.0.queue_len(link)
    }
}
