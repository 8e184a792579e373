//! Lanes: FIFOs that several links share.
//!
//! Links of the same rate and delay between the same neighbours (the access links of a dumbbell) mostly
//! deliver packets in the order in which they received them. In a large network their packets are stored in
//! one lane, so the next event is found among the heads of a few lanes instead of the heads of all links, and
//! those after it are known long before they are due. A packet that has to wait for its link would hold up
//! those of other links, so it goes into the [calendar](crate::calendar), and so does one that would overtake
//! the last packet of its lane. The order of events is the same with and without lanes.

use crate::packet::{Arrived, Kind};
use crate::prefetch::fetch;
use crate::ring::Ring;

/// Whether links share lists of packets, so that fewer places must be searched for the next event, and what
/// the next packets need is fetched before they are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// In large networks.
    Automatic,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The largest number of lanes of a network.
pub(crate) const LANES: usize = 8;

/// How many packets are looked at together before they are due.
const BLOCK: usize = 8;

/// No key: later than any other.
const NEVER: u64 = u64::MAX;

/// The lanes of a network.
#[derive(Debug)]
pub(crate) struct Lanes<P> {
    /// The keys of the first packets of the lanes.
    first: [u64; LANES],
    last: [u64; LANES],
    packets: [Ring<Carried<P>>; LANES],
    bits: u32,
    /// Whether more than half of the lanes are in use.
    many: bool,
}

/// A packet in a lane, in the memory of the lane itself: the next ones are known, and read in order.
#[derive(Clone, Copy, Debug)]
struct Carried<P> {
    /// `due << bits | link`, the order of events.
    key: u64,
    /// As in [`Packet`](crate::packet::Packet).
    cursor: u32,
    bytes: u16,
    kind: Kind,
    payload: P,
}

impl<P: Copy> Lanes<P> {
    /// Returns `lanes` empty lanes, for links numbered below `links` and times up to `end`; `None` if a
    /// key cannot hold both.
    pub fn new(lanes: usize, links: u32, end: u64) -> Option<Self> {
        let bits = links.max(2).next_power_of_two().ilog2();
        (end < NEVER >> bits).then_some(Self {
            first: [NEVER; LANES],
            last: [0; LANES],
            packets: [const { Ring::new() }; LANES],
            bits,
            many: lanes > LANES / 2,
        })
    }

    /// Appends a packet that reaches the end of a link at `due`; returns false if it would overtake
    /// another.
    #[inline(always)]
    pub fn append(
        &mut self,
        lane: u8,
        (link, due): (u32, u64),
        (cursor, bytes, kind): (u32, u16, Kind),
        payload: P,
    ) -> bool {
        let lane = usize::from(lane) & (LANES - 1);
        let key = due << self.bits | u64::from(link);
        if key < self.last[lane] {
            return false;
        }
        self.last[lane] = key;
        self.first[lane] = self.first[lane].min(key);
        self.packets[lane].push(Carried {
            key,
            cursor,
            bytes,
            kind,
            payload,
        });
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

    /// Takes the first packet out of a lane, and returns its cursor and the packet; `None` if the lane is
    /// empty. It is copied once, from the lane to where it is used.
    #[inline(always)]
    pub fn take(&mut self, lane: u8) -> Option<(u32, Arrived<P>)> {
        let lane = usize::from(lane) & (LANES - 1);
        let packets = &mut self.packets[lane];
        let &Carried {
            cursor,
            bytes,
            kind,
            payload,
            ..
        } = packets.first()?;
        packets.drop_first();
        self.first[lane] = packets.first().map_or(NEVER, |next| next.key);
        Some((cursor, Arrived::unlabelled(payload, bytes, kind)))
    }

    /// Returns whether it is the turn to look ahead along this lane: once for [`BLOCK`] packets.
    #[inline]
    pub fn is_turn(&self, lane: u8) -> bool {
        self.packets[usize::from(lane) & (LANES - 1)]
            .taken()
            .is_multiple_of(BLOCK)
    }

    /// Looks ahead along a lane, and fetches packets that are far behind the first. `look` is called with
    /// the cursor of packets that are nearer, and with the number of a step, which is larger the nearer they
    /// are.
    #[inline(always)]
    pub fn look_ahead(&self, lane: u8, look: impl Fn(usize, u32)) {
        let packets = &self.packets[usize::from(lane) & (LANES - 1)];
        for ahead in 0..BLOCK {
            if let Some(packet) = packets.get(5 * BLOCK + ahead) {
                fetch(packet);
            }
        }
        for step in 0..3 {
            for ahead in 0..BLOCK {
                if let Some(packet) = packets.get((3 - step) * BLOCK + ahead) {
                    look(step, packet.cursor);
                }
            }
        }
    }

    /// Adds the number of packets of each link to `counts`.
    pub fn count(&self, counts: &mut [u64]) {
        for packet in self.packets.iter().flat_map(Ring::iter) {
            counts[(packet.key & ((1 << self.bits) - 1)) as usize] += 1;
        }
    }
}
