//! Packets in flight on a link that may change their order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time::NEVER;

/// The packets in flight by the time of their arrival; those that arrive together, by their departure. The
/// copies of those that arrive twice are made when they arrive.
#[derive(Clone, Debug)]
pub(crate) struct Air {
    packets: BinaryHeap<Reverse<(u64, u64, u32, bool)>>,
    /// The number of packets that have departed.
    departed: u64,
    /// The link's entry in the scheduler for arrivals.
    pub entry: u32,
    /// When that entry is due, or `NEVER`.
    pub armed: u64,
}

impl Air {
    pub fn new(entry: u32) -> Self {
        Self {
            packets: BinaryHeap::new(),
            departed: 0,
            entry,
            armed: NEVER,
        }
    }

    /// Returns the number of packets, without copies.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Forgets all packets.
    pub fn clear(&mut self) {
        self.packets.clear();
    }

    pub fn insert(&mut self, due: u64, index: u32, twice: bool) {
        self.packets
            .push(Reverse((due, self.departed, index, twice)));
        self.departed += 1;
    }

    pub fn first_due(&self) -> Option<u64> {
        self.packets.peek().map(|&Reverse((due, ..))| due)
    }

    /// Takes out the first packet if it arrives at `moment` or earlier; also returns whether it arrives twice.
    pub fn take(&mut self, moment: u64) -> Option<(u32, bool)> {
        self.first_due().filter(|&due| due <= moment)?;
        let Reverse((_, _, index, twice)) = self.packets.pop()?;
        Some((index, twice))
    }
}
