//! Packets in flight on a link that may change their order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Landing;
use crate::network::{NEVER, Network};
use crate::pool::NIL;
use crate::scheduler::Scheduler;

/// The packets in flight by the time of their arrival; those that arrive together, by their departure. The
/// copies of those that arrive twice are made when they arrive.
#[derive(Clone, Debug)]
pub(crate) struct Air {
    packets: BinaryHeap<Reverse<(u64, u64, u32, bool)>>,
    /// The number of packets that have departed.
    departed: u64,
    /// The link's entry in the scheduler for arrivals.
    entry: u32,
    /// When that entry is due, or `NEVER`.
    armed: u64,
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

    fn insert(&mut self, due: u64, index: u32, twice: bool) {
        self.packets
            .push(Reverse((due, self.departed, index, twice)));
        self.departed += 1;
    }

    fn first_due(&self) -> Option<u64> {
        self.packets.peek().map(|&Reverse((due, ..))| due)
    }

    /// Takes out the first packet if it arrives at `moment` or earlier; also returns whether it arrives twice.
    fn take(&mut self, moment: u64) -> Option<(u32, bool)> {
        self.first_due().filter(|&due| due <= moment)?;
        let Reverse((_, _, index, twice)) = self.packets.pop()?;
        Some((index, twice))
    }
}

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Damages a packet of the pool that arrives at `due`.
    #[cold]
    pub fn damage(&mut self, number: u32, index: u32, due: u64) {
        self.details[number as usize].count_damage(due);
        if let Some(labels) = &mut self.labels {
            labels.corrupt(index);
        }
    }

    /// Sends a packet of the pool on its flight.
    #[cold]
    pub fn fly(&mut self, number: u32, index: u32, landing: Landing) {
        match self.details[number as usize].air_mut() {
            Some(_) => self.lift(number, index, landing),
            None => {
                self.pool.packet_mut(index).next = NIL;
                self.append(number, index, landing.due);
            }
        }
    }

    /// Adds a packet of the pool to those in flight whose order may change.
    #[cold]
    pub fn lift(&mut self, number: u32, index: u32, landing: Landing) {
        if let Some(air) = self.details[number as usize].air_mut() {
            air.insert(landing.due, index, landing.twice);
        }
        self.await_arrival(number);
    }

    /// Handles the arrival entry of a link: packets that arrive a nanosecond later go into its FIFO.
    pub fn land(&mut self, number: u32) {
        self.scheduler.remove_first();
        let due = self.now + 1;
        if let Some(air) = self.details[number as usize].air_mut() {
            air.armed = NEVER;
        }
        while let Some(air) = self.details[number as usize].air_mut()
            && let Some((index, twice)) = air.take(due)
        {
            self.pool.packet_mut(index).next = NIL;
            self.append(number, index, due);
            if twice {
                let copy = self.copy(index);
                self.append(number, copy, due);
                self.details[number as usize].count_copy(due);
            }
        }
        self.await_arrival(number);
    }

    /// Copies a packet of the pool, which has not arrived yet. The host must be told.
    fn copy(&mut self, index: u32) -> u32 {
        let mut packet = *self.pool.packet(index);
        packet.next = NIL;
        let copy = self.pool.insert(packet);
        if let Some(labels) = &mut self.labels {
            labels.set(copy, labels.tag(index));
        }
        self.copied.push(copy);
        copy
    }

    /// Schedules the link's entry for the first arrival.
    fn await_arrival(&mut self, number: u32) {
        if let Some(air) = self.details[number as usize].air_mut()
            && let Some(due) = air.first_due()
            && due - 1 < air.armed
        {
            if air.armed != NEVER {
                self.scheduler.remove(air.entry, air.armed);
            }
            air.armed = due - 1;
            self.scheduler.insert(air.entry, due - 1);
        }
    }
}
