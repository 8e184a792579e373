//! One connection of a workload, and the slots in which connections come and go.

use dumbbell_sim::{EndpointId, Label, Port, Time};
use dumbbell_tcp::receiver::Receiver;
use dumbbell_tcp::segment::{Output, Segment};
use dumbbell_tcp::sender::Sender;

use crate::flow::Control;
use crate::flow::tcp::codepoint_of;
use crate::flow::wire::connection::Call;
use crate::flow::wire::{ACK, DATA, Payload};

/// Both ends of a connection.
pub(super) struct Connection {
    pub(super) sender: Sender<Control>,
    pub(super) receiver: Receiver,
    /// The number by which routers tell connections apart.
    pub(super) number: u32,
    /// What is transferred now.
    pub(super) job: Job,
    /// For each end, the earliest call that it has asked for; [`Time::MAX`] for none.
    pub(super) armed: [Time; 2],
    /// Whether the sender has begun.
    pub(super) begun: bool,
    /// The number of the last request.
    pub(super) requested: u32,
    /// The number of the response that the sender sends, or has sent: 0 before the first.
    pub(super) served: u32,
}

/// A transfer: a short transfer of its own, a response, or a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// Payload, in bytes.
    pub(super) bytes: u64,
    /// When it arrived, or was requested.
    pub(super) started: Time,
    /// Its first segment, and the segment after its last.
    pub(super) segments: (u64, u64),
    /// The size of its last segment on the wire.
    pub(super) last_bytes: u16,
    /// Whether the receiver has all of it.
    pub(super) complete: bool,
    /// Whether it began after the warm-up.
    pub(super) counts: bool,
    /// Its place in the list of transfers, if they are listed.
    pub(super) place: u32,
}

/// Sizes of packets on the wire, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packets {
    /// A full data segment.
    pub(super) data: u16,
    pub(super) ack: u16,
    /// What an AQT option adds.
    pub(super) probe: u16,
}

/// Connections in slots. The number of a connection is that of its slot and, above it, that of its use
/// ("generation"), so late packets of a connection that is over find no other one.
#[derive(Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

struct Slot {
    generation: u32,
    used: bool,
    /// Also of a connection that is over: the next one uses its memory.
    connection: Option<Connection>,
}

const SLOT_BITS: u32 = 20;
const SLOT: u32 = (1 << SLOT_BITS) - 1;

impl Slots {
    /// The largest number of connections.
    pub(super) const MOST: usize = 1 << SLOT_BITS;

    /// The number of connections.
    pub(super) fn used(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Adds a connection, which `make` makes of an old one if there is one; there must be room.
    pub(super) fn add(&mut self, make: impl FnOnce(Option<Connection>) -> Connection) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                generation: 0,
                used: false,
                connection: None,
            });
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[place as usize];
        slot.used = true;
        slot.connection = Some(make(slot.connection.take()));
        slot.generation << SLOT_BITS | place
    }

    /// The connection with this number; `None` if it is over.
    #[inline]
    pub(super) fn at(&mut self, id: u32) -> Option<&mut Connection> {
        let slot = self.slots.get_mut((id & SLOT) as usize)?;
        let current = slot.used && slot.generation == id >> SLOT_BITS;
        current.then_some(slot.connection.as_mut()?)
    }

    /// Ends a connection.
    pub(super) fn free(&mut self, id: u32) {
        let place = id & SLOT;
        let slot = &mut self.slots[place as usize];
        slot.used = false;
        slot.generation = (slot.generation + 1) & (u32::MAX >> SLOT_BITS);
        self.free.push(place);
    }

    /// Calls `f` with every connection.
    pub(super) fn each(&mut self, f: impl FnMut(&mut Connection)) {
        let used = self.slots.iter_mut().filter(|slot| slot.used);
        used.filter_map(|slot| slot.connection.as_mut()).for_each(f);
    }

    /// All connections.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Connection> {
        let used = self.slots.iter().filter(|slot| slot.used);
        used.filter_map(|slot| slot.connection.as_ref())
    }
}

/// The interface of a connection's sender to the network.
pub(super) struct Wire<'a, N> {
    net: &'a mut N,
    origin: Origin,
    id: u32,
    /// The connection's number for routers.
    number: u32,
    last: (u64, u16),
}

/// Where the packets of all senders of a pair come from.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) endpoint: EndpointId,
    /// The flow to which packets belong in results.
    pub(super) flow: u32,
    pub(super) packets: Packets,
}

impl Connection {
    /// Returns the interface of this connection's sender to the network.
    pub(super) fn wire<'a, N>(&self, net: &'a mut N, origin: Origin, id: u32) -> Wire<'a, N> {
        Wire {
            net,
            origin,
            id,
            number: self.number,
            last: self.job.last(),
        }
    }
}

/// What routers may read of the calls of the connection with this number.
pub(super) fn label_of(number: u32) -> Label {
    Label {
        flow: number,
        ..Label::NONE
    }
}

impl<N: Port<Payload>> Output for Wire<'_, N> {
    #[inline]
    fn transmit(&mut self, segment: Segment) {
        let (last, last_bytes) = self.last;
        let mut bytes = match segment.seq == last {
            true => last_bytes,
            false => self.origin.packets.data,
        };
        if segment.probe {
            bytes += self.origin.packets.probe;
        }
        let payload = Payload::data(&segment, 0, self.origin.flow).of_connection(self.id);
        let label = Label {
            flow: self.number,
            ecn: codepoint_of(&segment),
            probe: segment.probe,
            supersedes: None,
        };
        self.net
            .send_labelled(self.origin.endpoint, bytes, DATA, payload, label);
    }

    fn open(&mut self) {
        let payload = Payload::call(self.id, Call::Open);
        let (origin, label) = (self.origin, label_of(self.number));
        self.net
            .send_labelled(origin.endpoint, origin.packets.ack, ACK, payload, label);
    }
}

impl Job {
    /// The number and the size of its last segment.
    #[inline]
    pub(super) fn last(&self) -> (u64, u16) {
        (self.segments.1 - 1, self.last_bytes)
    }

    /// Payload of it that has arrived in order, given the next segment that the receiver expects.
    pub(super) fn delivered(&self, next: u64, payload: u64) -> u64 {
        let (first, end) = self.segments;
        if next >= end {
            return self.bytes;
        }
        next.saturating_sub(first) * payload
    }
}
