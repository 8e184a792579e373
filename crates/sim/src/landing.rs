//! Links on which packets in flight may change their order, or be disturbed: flights and arrivals.

use crate::flight::Landing;
use crate::network::Network;
use crate::pool::NIL;
use crate::scheduler::Scheduler;
use crate::time::NEVER;

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Damages a packet of the pool that arrives at `due`.
    #[cold]
    pub fn damage(&mut self, number: u32, index: u32, due: Option<u64>) {
        if let Some(due) = due {
            self.details[number as usize].count_damage(due);
        }
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
                self.go_on(number, index, landing.due);
            }
        }
    }

    /// Adds a packet of the pool to those in flight whose order may change.
    #[cold]
    pub fn lift(&mut self, number: u32, index: u32, landing: Landing) {
        if let Some(air) = self.details[number as usize].air_mut() {
            air.insert(index, &landing);
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
            && let Some(packet) = air.take(due)
        {
            let index = packet.index;
            if packet.damaged {
                self.details[number as usize].count_damage(due);
            }
            self.pool.packet_mut(index).next = NIL;
            self.append(number, index, due);
            if packet.twice {
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
            let tag = labels.tag(index);
            labels.set(copy, &tag);
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
