//! Lanes: FIFOs that several links share.
//!
//! Links of the same rate and delay between the same neighbours (the access links of a dumbbell) mostly
//! deliver packets in the order in which they received them. Their packets are stored in one lane, so
//! the next event is found among the heads of a few lanes instead of the heads of all links. A packet
//! that would overtake the last packet of its lane goes into its link's own FIFO. Later packets of that
//! link go there too, until this FIFO is empty. The order of events is the same with and without lanes.

use crate::packet::Packet;
use crate::pool::{NIL, Pool};

/// Whether similar links share lists of packets, so that fewer places must be searched for the next
/// event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Share if there are many links.
    Automatic,
    /// Share whenever at least two links are alike.
    Always,
    /// Never share.
    Never,
}

/// The largest number of lanes of a network.
pub(crate) const LANES: usize = 8;

/// No key.
const NEVER: u64 = u64::MAX;

/// The lanes of a network. A key is `due << bits | link`, the order of events.
#[derive(Debug)]
pub(crate) struct Lanes {
    /// The keys of the first packets of the lanes.
    first: [u64; LANES],
    last: [u64; LANES],
    head: [u32; LANES],
    tail: [u32; LANES],
    bits: u32,
    /// Whether more than half of the lanes are in use.
    many: bool,
}

impl Lanes {
    /// Returns `lanes` empty lanes, for links numbered below `links` and times up to `end`; `None` if a
    /// key cannot hold both.
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

    /// Appends a packet that reaches the end of a link at `due`; returns false if it would overtake
    /// another.
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

    /// Returns the time when the first packet of all lanes reaches the end of its link, and the number
    /// of that link. If all lanes are empty, the time is later than any other.
    #[inline]
    pub fn first(&self) -> (u64, u32) {
        let [a, b, c, d, e, f, g, h] = self.first;
        let mut key = a.min(b).min(c.min(d));
        if self.many {
            key = key.min(e.min(f).min(g.min(h)));
        }
        (key >> self.bits, (key & ((1 << self.bits) - 1)) as u32)
    }

    /// Takes the first packet out of a lane that is not empty; returns its index.
    #[inline]
    pub fn take<P: Copy>(&mut self, lane: u8, pool: &Pool<P>) -> u32 {
        let lane = usize::from(lane) & (LANES - 1);
        let index = self.head[lane];
        let &Packet { next, next_due, .. } = pool.packet(index);
        self.head[lane] = next;
        self.first[lane] = if next == NIL { NEVER } else { next_due };
        index
    }

    /// Adds the number of packets of each link to `counts`.
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
