//! The hosts of a network in which the two ends of some flows are outside: their packets, from their entry to their end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_sim::{Arrived, Cause, EndpointId, Host, Kind, Label, LinkId, Port, Time};
use slab::Slab;

use super::event::{End, Event, Gone, Through, Why};
use crate::flow::wire::Payload;
use crate::hosts::Hosts;
use crate::stage::Stage;
use crate::time::{since_start, time};

/// The hosts of a network, some flows of which are outside.
#[derive(Default)]
pub(super) struct Gateway {
    pub(super) hosts: Hosts,
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
    pub(super) flows: Vec<usize>,
}

/// A packet from outside.
struct Passenger {
    number: u64,
    entered: Time,
    bytes: Vec<u8>,
}

/// What a packet of the network carries.
#[derive(Clone, Copy)]
pub(super) enum Carried {
    Inside(Payload),
    /// The slot of a packet from outside.
    Outside(u32),
}

/// The most buffers that are kept for reuse.
const MOST_SPARE: usize = 4096;

/// Returns the endpoint of a flow at an end.
pub(super) fn endpoint(flow: usize, end: End) -> EndpointId {
    EndpointId::from_index(2 * flow + usize::from(end == End::Receiver))
}

fn keep(spare: &mut Vec<Vec<u8>>, packet: Passenger) {
    if spare.len() < MOST_SPARE {
        spare.push(packet.bytes);
    }
}

impl Gateway {
    /// Returns the hosts of a network in which the flows at these positions are outside.
    pub(super) fn of(flows: &[usize]) -> Self {
        Self {
            flows: flows.to_vec(),
            ..Self::default()
        }
    }

    /// Takes a packet in: its number, and what stands for it in the network.
    pub(super) fn admit(&mut self, frame: &[u8], entered: Time) -> (u64, Carried) {
        let number = self.offered;
        self.offered += 1;
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(frame);
        let place = self.packets.insert(Passenger {
            number,
            entered,
            bytes,
        });
        (number, Carried::Outside(place as u32))
    }

    /// Returns the number of packets in the network, without those of which it is known that they will not arrive.
    pub(super) fn in_flight(&self) -> usize {
        self.packets.len() - self.gone.len()
    }

    /// Tells what has become of packets until now, in the order of time.
    pub(super) fn tell(&mut self, now: Time, tell: &mut impl FnMut(Event<'_>)) {
        let mut arrived = std::mem::take(&mut self.through);
        for (place, through) in arrived.drain(..) {
            self.bury(time(through.due), tell);
            let mut packet = self.packets.remove(place);
            tell(Event::Through(through, &mut packet.bytes));
            keep(&mut self.spare, packet);
        }
        self.through = arrived;
        self.bury(now, tell);
    }

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
