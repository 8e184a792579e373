//! The queues of flows, and deficit round robin over them: what FQ-CoDel and plain fair queueing share
//! (RFC 8290, section 4).
//!
//! A flow that begins to send is served before flows that have been sending, until it has used its quantum:
//! flows that send little ("sparse") never wait for those that send much.

use super::{Decisions, Limit, Reason, Server, Waiting};
use crate::pool::NIL;
use crate::random::Random;

/// At most so many packets are dropped at once beyond the limit (RFC 8290, section 4.1).
const BATCH: u32 = 64;

/// The queues of flows. Flows are hashed to them, so several may share one.
#[derive(Clone, Debug)]
pub(super) struct Flows<T> {
    store: Store,
    /// What each queue has beside its packets.
    states: Vec<T>,
    new: List,
    old: List,
    quantum: i64,
    /// The secret of the hash.
    salt: u64,
}

/// The waiting packets.
#[derive(Clone, Debug)]
struct Store {
    queues: Vec<FlowQueue>,
    /// Waiting packets of all queues, each with the one behind it.
    slots: Vec<(Waiting, u32)>,
    /// The first unused slot.
    unused: u32,
    waiting: usize,
    bytes: u64,
}

/// The packets of one queue.
pub(super) struct Head<'a> {
    store: &'a mut Store,
    number: u32,
}

impl Head<'_> {
    /// Takes out the first packet, and returns it with the bytes that still wait there.
    #[inline]
    pub fn pop(&mut self) -> Option<(Waiting, u64)> {
        self.store.pop(self.number)
    }
}

/// The queue of the flows with one hash.
#[derive(Clone, Debug)]
struct FlowQueue {
    first: u32,
    last: u32,
    packets: u32,
    bytes: u64,
    /// The bytes that it may still send in this round.
    credit: i64,
    listed: bool,
    /// The queue behind it in its list.
    next: u32,
}

/// A list of queues.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

impl<T: Clone + Default> Flows<T> {
    /// Makes so many queues, each of which sends `quantum` bytes in its turn.
    pub fn new(queues: u32, quantum: u32, mut draws: Random) -> Self {
        let queue = FlowQueue {
            first: NIL,
            last: NIL,
            packets: 0,
            bytes: 0,
            credit: 0,
            listed: false,
            next: NIL,
        };
        Self {
            store: Store {
                queues: vec![queue; queues as usize],
                slots: Vec::new(),
                unused: NIL,
                waiting: 0,
                bytes: 0,
            },
            states: vec![T::default(); queues as usize],
            new: List::EMPTY,
            old: List::EMPTY,
            quantum: i64::from(quantum),
            salt: draws.next_u64(),
        }
    }

    /// Returns the number of waiting packets.
    pub fn len(&self) -> usize {
        self.store.waiting
    }

    /// Appends a packet to the queue of its flow.
    pub fn push(&mut self, packet: Waiting, flow: u32) {
        let number = self.queue_of(flow);
        let queue = self.store.push(number, packet);
        if !queue.listed {
            queue.listed = true;
            queue.credit = self.quantum;
            self.new.append(&mut self.store.queues, number);
        }
    }

    /// Returns the packet that is next. `take` chooses among the packets of the queue whose turn it is: it
    /// gets its state, and takes packets out of it. If it returns none, the queue is empty.
    #[inline]
    pub fn next(
        &mut self,
        mut take: impl FnMut(&mut T, Head<'_>) -> Option<Waiting>,
    ) -> Option<Waiting> {
        loop {
            let is_new = self.new.first != NIL;
            let number = match is_new {
                true => self.new.first,
                false => self.old.first,
            };
            let queue = self.store.queues.get_mut(number as usize)?;
            if queue.credit <= 0 {
                queue.credit += self.quantum;
                self.move_to_old(is_new);
                continue;
            }
            let head = Head {
                store: &mut self.store,
                number,
            };
            let packet = take(&mut self.states[number as usize], head);
            let queue = &mut self.store.queues[number as usize];
            if let Some(packet) = packet {
                queue.credit -= i64::from(packet.bytes());
                return Some(packet);
            }
            // A new queue that is empty stays until all old ones have had their turn. Otherwise it could
            // come back at once, and starve them.
            if is_new {
                self.move_to_old(true);
            } else {
                queue.listed = false;
                self.old.remove_first(&self.store.queues);
            }
        }
    }

    /// The transmitter has found all queues empty: none is in its list any longer.
    pub fn found_empty(&mut self, mut reset: impl FnMut(&mut T)) {
        for list in [self.new, self.old] {
            let mut number = list.first;
            while let Some(queue) = self.store.queues.get_mut(number as usize) {
                queue.listed = false;
                reset(&mut self.states[number as usize]);
                number = match number == list.last {
                    true => NIL,
                    false => queue.next,
                };
            }
        }
        (self.new, self.old) = (List::EMPTY, List::EMPTY);
    }

    /// Drops packets from the head of the queue with most bytes until the limit is met.
    pub fn shed(&mut self, limit: Limit, server: &Server, now: u64, decisions: &mut Decisions) {
        while limit.is_exceeded(self.store.waiting, self.store.bytes, server, now) {
            let (fattest, packets) = self.store.fattest();
            for _ in 0..packets.div_ceil(2).min(BATCH) {
                let dropped = self.store.pop(fattest);
                decisions
                    .gone
                    .extend(dropped.map(|(packet, _)| (packet, Reason::Full)));
            }
        }
    }

    /// Calls `see` with each waiting packet.
    pub fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        for queue in &self.store.queues {
            let mut slot = queue.first;
            while let Some((packet, behind)) = self.store.slots.get(slot as usize) {
                see(packet);
                slot = *behind;
            }
        }
    }

    /// Returns the number of the queue of a flow.
    fn queue_of(&self, flow: u32) -> u32 {
        let spread = u64::from(hash(flow, self.salt)) * self.store.queues.len() as u64;
        (spread >> 32) as u32
    }

    /// Moves the first new, or the first old, queue to the end of the old ones.
    fn move_to_old(&mut self, is_new: bool) {
        let list = match is_new {
            true => &mut self.new,
            false => &mut self.old,
        };
        let number = list.remove_first(&self.store.queues);
        self.old.append(&mut self.store.queues, number);
    }
}

impl Store {
    /// Appends a packet to a queue, and returns the queue.
    fn push(&mut self, number: u32, packet: Waiting) -> &mut FlowQueue {
        let slot = self.keep(packet);
        let bytes = u64::from(packet.bytes());
        self.waiting += 1;
        self.bytes += bytes;
        let queue = &mut self.queues[number as usize];
        match queue.first {
            NIL => queue.first = slot,
            _ => self.slots[queue.last as usize].1 = slot,
        }
        queue.last = slot;
        queue.packets += 1;
        queue.bytes += bytes;
        queue
    }

    /// Returns the number of the queue with most bytes, the first of several, and how many packets it has.
    fn fattest(&self) -> (u32, u32) {
        let mut fattest = 0;
        for (number, queue) in self.queues.iter().enumerate() {
            if queue.bytes > self.queues[fattest].bytes {
                fattest = number;
            }
        }
        (fattest as u32, self.queues[fattest].packets)
    }

    /// Takes the first packet out of a queue, and returns it with the bytes that still wait there.
    fn pop(&mut self, number: u32) -> Option<(Waiting, u64)> {
        let queue = &mut self.queues[number as usize];
        let slot = queue.first;
        let (packet, behind) = self.slots.get_mut(slot as usize)?;
        let bytes = u64::from(packet.bytes());
        queue.first = *behind;
        queue.packets -= 1;
        queue.bytes -= bytes;
        *behind = self.unused;
        self.unused = slot;
        self.waiting -= 1;
        self.bytes -= bytes;
        Some((*packet, queue.bytes))
    }

    fn keep(&mut self, packet: Waiting) -> u32 {
        match self.slots.get_mut(self.unused as usize) {
            Some(slot) => {
                let stored = self.unused;
                self.unused = slot.1;
                *slot = (packet, NIL);
                stored
            }
            None => {
                self.slots.push((packet, NIL));
                (self.slots.len() - 1) as u32
            }
        }
    }
}

impl List {
    const EMPTY: Self = Self {
        first: NIL,
        last: NIL,
    };

    fn append(&mut self, queues: &mut [FlowQueue], number: u32) {
        queues[number as usize].next = NIL;
        match self.first {
            NIL => self.first = number,
            _ => queues[self.last as usize].next = number,
        }
        self.last = number;
    }

    fn remove_first(&mut self, queues: &[FlowQueue]) -> u32 {
        let number = self.first;
        self.first = queues[number as usize].next;
        number
    }
}

/// Returns a hash of a flow's number: the finaliser of splitmix64 (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", 2014), over the number plus the salt.
pub(crate) fn hash(flow: u32, salt: u64) -> u32 {
    let mut mixed = u64::from(flow).wrapping_add(salt);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ mixed >> 31) >> 32) as u32
}
