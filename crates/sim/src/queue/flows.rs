//! The queues of flows, and deficit round robin over them: what FQ-CoDel and plain fair queueing share
//! (RFC 8290, section 4).
//!
//! A flow that begins to send is served before flows that have been sending, until it has used its quantum:
//! flows that send little ("sparse") never wait for those that send much.

use super::{Decisions, Limit, Reason, Server, Waiting};
use crate::pool::NIL;
use crate::random::Random;

/// At most so many packets are dropped at once beyond the limit (RFC 8290, section 4.1).
const BATCH: usize = 64;

/// The queues of flows. Flows are hashed to them, so several may share one.
#[derive(Clone, Debug)]
pub(super) struct Flows<T> {
    queues: Vec<FlowQueue<T>>,
    store: Store,
    new: List,
    old: List,
    quantum: i64,
    /// The secret of the hash.
    salt: u64,
}

/// The waiting packets of all queues.
#[derive(Clone, Debug)]
struct Store {
    /// Each with the one behind it.
    slots: Vec<(Waiting, u32)>,
    /// The first unused slot.
    unused: u32,
    waiting: usize,
    bytes: u64,
}

/// The packets of one queue.
pub(super) struct Head<'a> {
    line: &'a mut Line,
    store: &'a mut Store,
}

impl Head<'_> {
    /// Takes out the first packet, and returns it with the bytes that still wait there.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(Waiting, u64)> {
        self.store.pop(self.line)
    }
}

/// The queue of the flows with one hash.
#[derive(Clone, Debug)]
struct FlowQueue<T> {
    line: Line,
    /// The queue behind it in its list, `NIL` behind the last one, or `UNLISTED`.
    next: u32,
    /// The bytes that it may still send in this round.
    credit: i64,
    /// What it has beside its packets.
    state: T,
}

/// The `next` of a queue that is in no list.
const UNLISTED: u32 = NIL - 1;

/// The packets of a queue: the first and the last slot, and their bytes.
#[derive(Clone, Debug)]
struct Line {
    first: u32,
    last: u32,
    bytes: u64,
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
            line: Line {
                first: NIL,
                last: NIL,
                bytes: 0,
            },
            next: UNLISTED,
            credit: 0,
            state: T::default(),
        };
        Self {
            queues: vec![queue; queues as usize],
            store: Store {
                slots: Vec::new(),
                unused: NIL,
                waiting: 0,
                bytes: 0,
            },
            new: List::EMPTY,
            old: List::EMPTY,
            quantum: i64::from(quantum),
            salt: draws.next_u64(),
        }
    }

    /// Returns the number of waiting packets.
    #[inline]
    pub fn len(&self) -> usize {
        self.store.waiting
    }

    /// Appends a packet to the queue of its flow.
    #[inline(always)]
    pub fn push(&mut self, packet: Waiting, flow: u32) {
        let number = self.queue_of(flow);
        let queue = &mut self.queues[number as usize];
        self.store.push(&mut queue.line, packet);
        if queue.next == UNLISTED {
            queue.credit = self.quantum;
            self.new.append(&mut self.queues, number);
        }
    }

    /// Returns the packet that is next. `take` chooses among the packets of the queue whose turn it is: it
    /// gets its state, and takes packets out of it. If it returns none, the queue is empty.
    #[inline(always)]
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
            let queue = self.queues.get_mut(number as usize)?;
            if queue.credit <= 0 {
                queue.credit += self.quantum;
                self.move_to_old(is_new);
                continue;
            }
            let head = Head {
                line: &mut queue.line,
                store: &mut self.store,
            };
            if let Some(packet) = take(&mut queue.state, head) {
                queue.credit -= i64::from(packet.bytes());
                return Some(packet);
            }
            self.pass_over(is_new);
        }
    }

    /// The first queue of the new or the old ones is empty. A new one stays until all old ones have had their turn.
    /// Otherwise it could come back at once, and starve them.
    #[inline(never)]
    fn pass_over(&mut self, is_new: bool) {
        if is_new {
            self.move_to_old(true);
        } else {
            let number = self.old.remove_first(&self.queues);
            self.queues[number as usize].next = UNLISTED;
        }
    }

    /// The transmitter has found all queues empty: none is in its list any longer.
    #[inline(never)]
    pub fn found_empty(&mut self, mut reset: impl FnMut(&mut T)) {
        for list in [self.new, self.old] {
            let mut number = list.first;
            while let Some(queue) = self.queues.get_mut(number as usize) {
                number = std::mem::replace(&mut queue.next, UNLISTED);
                reset(&mut queue.state);
            }
        }
        (self.new, self.old) = (List::EMPTY, List::EMPTY);
    }

    /// Drops packets from the head of the queue with most bytes until the limit is met.
    #[inline(always)]
    pub fn shed(&mut self, limit: Limit, server: &Server, now: u64, decisions: &mut Decisions) {
        // The packet in transmission is at most one.
        match limit {
            Limit::Packets(limit) if self.store.waiting < limit as usize => {}
            _ => self.shed_beyond(limit, server, now, decisions),
        }
    }

    #[inline(never)]
    fn shed_beyond(&mut self, limit: Limit, server: &Server, now: u64, decisions: &mut Decisions) {
        while limit.is_exceeded(self.store.waiting, self.store.bytes, server, now) {
            self.shed_fattest(decisions);
        }
    }

    /// Drops half of the packets of the queue with most bytes, the first of several, at most a batch.
    #[cold]
    #[inline(never)]
    fn shed_fattest(&mut self, decisions: &mut Decisions) {
        let mut fattest = 0;
        for (number, queue) in self.queues.iter().enumerate() {
            if queue.line.bytes > self.queues[fattest].line.bytes {
                fattest = number;
            }
        }
        let line = &mut self.queues[fattest].line;
        let packets = self.store.slots_from(line.first).take(2 * BATCH).count();
        for _ in 0..packets.div_ceil(2) {
            let dropped = self.store.pop(line);
            decisions
                .gone
                .extend(dropped.map(|(packet, _)| (packet, Reason::Full)));
        }
    }

    /// Calls `see` with each waiting packet.
    pub fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        for queue in &self.queues {
            self.store.slots_from(queue.line.first).for_each(&mut *see);
        }
    }

    /// Returns the number of the queue of a flow.
    #[inline(always)]
    fn queue_of(&self, flow: u32) -> u32 {
        let spread = u64::from(hash(flow, self.salt)) * self.queues.len() as u64;
        (spread >> 32) as u32
    }

    /// Moves the first new, or the first old, queue to the end of the old ones.
    #[inline]
    fn move_to_old(&mut self, is_new: bool) {
        let list = match is_new {
            true => &mut self.new,
            false => &mut self.old,
        };
        let number = list.remove_first(&self.queues);
        self.old.append(&mut self.queues, number);
    }
}

impl Store {
    /// Appends a packet to a queue.
    #[inline(always)]
    fn push(&mut self, line: &mut Line, packet: Waiting) {
        let slot = self.keep(packet);
        let bytes = u64::from(packet.bytes());
        self.waiting += 1;
        self.bytes += bytes;
        match line.first {
            NIL => line.first = slot,
            _ => self.slots[line.last as usize].1 = slot,
        }
        line.last = slot;
        line.bytes += bytes;
    }

    /// Takes the first packet out of a queue, and returns it with the bytes that still wait there.
    #[inline(always)]
    fn pop(&mut self, line: &mut Line) -> Option<(Waiting, u64)> {
        let slot = line.first;
        let (packet, behind) = self.slots.get_mut(slot as usize)?;
        let bytes = u64::from(packet.bytes());
        line.first = *behind;
        line.bytes -= bytes;
        *behind = self.unused;
        self.unused = slot;
        self.waiting -= 1;
        self.bytes -= bytes;
        Some((*packet, line.bytes))
    }

    /// The packets of a queue whose first slot is `slot`.
    fn slots_from(&self, mut slot: u32) -> impl Iterator<Item = &Waiting> {
        std::iter::from_fn(move || {
            let (packet, behind) = self.slots.get(slot as usize)?;
            slot = *behind;
            Some(packet)
        })
    }

    #[inline(always)]
    fn keep(&mut self, packet: Waiting) -> u32 {
        match self.slots.get_mut(self.unused as usize) {
            Some(slot) => {
                let stored = self.unused;
                self.unused = slot.1;
                *slot = (packet, NIL);
                stored
            }
            None => self.keep_first(packet),
        }
    }

    #[cold]
    #[inline(never)]
    fn keep_first(&mut self, packet: Waiting) -> u32 {
        self.slots.push((packet, NIL));
        (self.slots.len() - 1) as u32
    }
}

impl List {
    const EMPTY: Self = Self {
        first: NIL,
        last: NIL,
    };

    #[inline]
    fn append<T>(&mut self, queues: &mut [FlowQueue<T>], number: u32) {
        queues[number as usize].next = NIL;
        match self.first {
            NIL => self.first = number,
            _ => queues[self.last as usize].next = number,
        }
        self.last = number;
    }

    #[inline]
    fn remove_first<T>(&mut self, queues: &[FlowQueue<T>]) -> u32 {
        let number = self.first;
        self.first = queues[number as usize].next;
        number
    }
}

/// Returns a hash of a flow's number: the finaliser of splitmix64 (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", 2014), over the number plus the salt.
#[inline(always)]
pub(crate) fn hash(flow: u32, salt: u64) -> u32 {
    let mut mixed = u64::from(flow).wrapping_add(salt);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ mixed >> 31) >> 32) as u32
}
