//! Lanes: FIFOs that several links share.
//!
//! Links of the same rate and delay between the same neighbours (the access links of a dumbbell) mostly
//! deliver packets in the order in which they received them. Their packets are stored in one lane, so the
//! next event is found among the heads of a few lanes instead of the heads of all links. A packet that has to
//! wait for its link would hold up those of other links, so it stays in its link's own FIFO (in large
//! networks, in the [calendar](crate::calendar)), and so does one that would overtake the last packet of its
//! lane. The order of events is the same with and without lanes.
//!
//! In a large network, a scout goes ahead of the first packet of each lane, and what it finds is fetched.

use crate::hint::cold_path;
use std::collections::VecDeque;

use crate::packet::Packet;
use crate::pool::{NIL, Pool};
use crate::prefetch::fetch;

/// Whether links share lists of packets, so that fewer places must be searched for the next event, and
/// whether what the next packets need is fetched before they are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// They share if there are many links, and what is needed is fetched early if there are very many.
    Automatic,
    /// Both, always.
    Always,
    /// Neither.
    Never,
}

/// The largest number of lanes of a network.
pub(crate) const LANES: usize = 8;

/// How many bits of a key hold the number of the lane.
const LANE_BITS: u32 = LANES.ilog2();

/// How many places a scout is ahead of the first packet of its lane.
const LEAD: usize = 28;

/// How many places behind itself a scout has packets looked at again: in a first, a second and a third step.
const STEPS: [usize; 3] = [4, 12, 20];

/// How many places of its list are fetched before a scout reads them: two cache lines of them.
const LINES: usize = 16;

/// No key: later than any other.
const NEVER: u64 = u64::MAX;

/// The lanes of a network. A key is `due << bits | link << LANE_BITS | lane`, the order of events.
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
    /// In large networks.
    scouts: Option<Box<[Scout; LANES]>>,
}

/// Who goes ahead of the first packet of a lane. It has a list of its own: to go from packet to packet, it would have to
/// wait for each.
#[derive(Debug)]
struct Scout {
    /// The packets of the lane.
    found: VecDeque<Found>,
    /// How many places it is ahead of the first of them.
    lead: usize,
}

/// A packet of a lane: its index in the pool and its [cursor](Packet::cursor).
#[derive(Clone, Copy, Debug)]
struct Found {
    index: u32,
    cursor: u32,
}

impl Lanes {
    /// Returns `lanes` empty lanes, with scouts in a large network, for links numbered below `links` and times up to `end`; `None` if a
    /// key cannot hold both.
    pub fn new(lanes: usize, large: bool, links: u32, end: u64) -> Option<Self> {
        let bits = links.max(2).next_power_of_two().ilog2() + LANE_BITS;
        let scout = |_| Scout {
            found: VecDeque::new(),
            lead: 0,
        };
        (end < NEVER >> bits).then(|| Self {
            first: [NEVER; LANES],
            last: [NEVER; LANES],
            head: [NIL; LANES],
            tail: [NIL; LANES],
            bits,
            many: lanes > LANES / 2,
            scouts: large.then(|| Box::new(std::array::from_fn(scout))),
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
        let place = usize::from(lane) & (LANES - 1);
        let key = due << self.bits | u64::from(link) << LANE_BITS | place as u64;
        if self.first[place] == NEVER {
            self.first[place] = key;
            self.head[place] = index;
        } else if key < self.last[place] {
            return false;
        } else {
            let last = pool.packet_mut(self.tail[place]);
            last.next = index;
            last.next_due = key;
        }
        self.last[place] = key;
        self.tail[place] = index;
        if let Some(scouts) = &mut self.scouts {
            cold_path();
            let cursor = pool.packet(index).cursor;
            scouts[place].found.push_back(Found { index, cursor });
        }
        true
    }

    /// Returns the time when the first packet of all lanes reaches the end of its link, the number of that link, and
    /// that of the lane. If all lanes are empty, the time is later than any other.
    #[inline]
    pub fn first(&self) -> (u64, u32, u8) {
        let [a, b, c, d, e, f, g, h] = self.first;
        let mut key = a.min(b).min(c.min(d));
        if self.many {
            key = key.min(e.min(f).min(g.min(h)));
        }
        (
            key >> self.bits,
            self.link(key),
            key as u8 & (LANES as u8 - 1),
        )
    }

    #[inline]
    fn link(&self, key: u64) -> u32 {
        (key & ((1 << self.bits) - 1)) as u32 >> LANE_BITS
    }

    /// Takes the first packet out of a lane that is not empty; returns its index.
    #[inline]
    pub fn take<P: Copy>(&mut self, lane: u8, pool: &Pool<P>) -> u32 {
        let place = usize::from(lane) & (LANES - 1);
        let index = self.head[place];
        let &Packet { next, next_due, .. } = pool.packet(index);
        self.head[place] = next;
        self.first[place] = if next == NIL { NEVER } else { next_due };
        if let Some(scouts) = &mut self.scouts {
            cold_path();
            let scout = &mut scouts[place];
            scout.found.pop_front();
            scout.lead = scout.lead.saturating_sub(1);
        }
        index
    }

    /// Sends the scout of a lane ahead. It fetches the packets that it finds; `look` is called with the number
    /// of a step and the cursor of a packet that it found before.
    #[inline(always)]
    pub fn look_ahead<P: Copy>(&mut self, lane: u8, pool: &Pool<P>, look: impl Fn(usize, u32)) {
        let Some(scouts) = &mut self.scouts else {
            return;
        };
        let Scout { found, lead } = &mut scouts[usize::from(lane) & (LANES - 1)];
        // Two places at a time, until it is far enough ahead.
        for _ in 0..2 {
            let Some(packet) = found.get(*lead).filter(|_| *lead < LEAD) else {
                return;
            };
            fetch(pool.packet(packet.index));
            if let Some(later) = found.get(*lead + LINES) {
                fetch(later);
            }
            for (step, ago) in STEPS.into_iter().enumerate() {
                if let Some(packet) = lead.checked_sub(ago).and_then(|place| found.get(place)) {
                    look(step, packet.cursor);
                }
            }
            *lead += 1;
        }
    }

    /// Adds the number of packets of each link to `counts`.
    pub fn count<P: Copy>(&self, pool: &Pool<P>, counts: &mut [u64]) {
        for lane in 0..LANES {
            let (mut key, mut index) = (self.first[lane], self.head[lane]);
            while index != NIL {
                counts[self.link(key) as usize] += 1;
                let packet = pool.packet(index);
                (key, index) = (packet.next_due, packet.next);
            }
        }
    }
}
