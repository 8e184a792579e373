//! Lanes: FIFOs that links share.
//!
//! Links of the same rate and delay between the same neighbours (the access links of a dumbbell)
//! mostly deliver in the order in which they were fed. Their packets stand in one lane then, and
//! the next event is found among the heads of a few lanes instead of one for each link. A packet
//! that would overtake the last one of its lane goes into its link's own FIFO, as do the next ones
//! of that link until this FIFO is empty. The order of events is the same with lanes and without.

use crate::packet::Packet;
use crate::pool::{NIL, Pool};

/// Whether links that are alike share lists of packets: fewer places to look for the next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Where there are many.
    Automatic,
    /// Wherever there are two.
    Always,
    /// Nowhere.
    Never,
}

/// The most lanes of a network.
pub(crate) const LANES: usize = 8;

/// No key.
const NEVER: u64 = u64::MAX;

/// The lanes of a network. A key is `due << bits | link`, the order of events.
#[derive(Debug)]
pub(crate) struct Lanes {
    /// The keys of the first packets.
    first: [u64; LANES],
    last: [u64; LANES],
    head: [u32; LANES],
    tail: [u32; LANES],
    bits: u32,
    /// More than half of the lanes are in use.
    many: bool,
}

impl Lanes {
    /// So many lanes, empty, for links below `links` and times up to `end`; none if a key cannot hold
    /// both.
    pub fn new(lanes: usize, links: u32, end: u64) -> Option<Self> {
        let bits = links.max(2).next_power_of_two().ilog2();
        (end < NEVER >> bits).then_some(Self {
            first: [NEVER; LANES],
            last: [NEVER; LANES],
            head: [NIL; LANES],
            tail: [NIL; LANES],
            bits,
            many: lanes > LANES / 2,
        })
    }

    /// Appends a packet that reaches the end of a link at `due`; false if it would overtake another.
    #[inline]
    pub fn append<P: Copy>(
        &mut self,
        lane: u8,
        link: u32,
        due: u64,
        index: u32,
        pool: &mut Pool<P>,
    ) -> bool {
        let lane = usize::from(lane) & (LANES - 1);
        let key = due << self.bits | u64::from(link);
        if self.first[lane] == NEVER {
            self.first[lane] = key;
            self.head[lane] = index;
        } else if key < self.last[lane] {
            return false;
        } else {
            let last = pool.packet_mut(self.tail[lane]);
            last.next = index;
            last.next_due = key;
        }
        self.last[lane] = key;
        self.tail[lane] = index;
        true
    }

    /// When the first packet of all lanes reaches the end of its link, and which link that is; the
    /// time is beyond all others if every lane is empty.
    #[inline]
    pub fn first(&self) -> (u64, u32) {
        let [a, b, c, d, e, f, g, h] = self.first;
        let mut key = a.min(b).min(c.min(d));
        if self.many {
            key = key.min(e.min(f).min(g.min(h)));
        }
        (key >> self.bits, (key & ((1 << self.bits) - 1)) as u32)
    }

    /// Takes the first packet out of a lane that has one; answers its index.
    #[inline]
    pub fn take<P: Copy>(&mut self, lane: u8, pool: &Pool<P>) -> u32 {
        let lane = usize::from(lane) & (LANES - 1);
        let index = self.head[lane];
        let &Packet { next, next_due, .. } = pool.packet(index);
        self.head[lane] = next;
        self.first[lane] = if next == NIL { NEVER } else { next_due };
        index
    }

    /// Counts the packets of each link.
    pub fn count<P: Copy>(&self, pool: &Pool<P>, counts: &mut [u64]) {
        for lane in 0..LANES {
            let (mut key, mut index) = (self.first[lane], self.head[lane]);
            while index != NIL {
                counts[(key & ((1 << self.bits) - 1)) as usize] += 1;
                let packet = pool.packet(index);
                (key, index) = (packet.next_due, packet.next);
            }
        }
    }
}
