//! One pool for the packets of all links: a vector with a free list, addressed by `u32`.

use crate::hint::cold_path;
use crate::large_pages::prefer_large_pages;
use crate::packet::{Arrived, Packet};

/// The index that means no packet: the end of a list.
pub(crate) const NIL: u32 = u32::MAX;

/// All packets in flight. The slot freed last is reused first, so that few cache lines are in use.
/// Memory grows only when more packets are in flight than ever before.
#[derive(Debug)]
pub(crate) struct Pool<P> {
    packets: Vec<Packet<P>>,
    free: u32,
}

impl<P: Copy> Pool<P> {
    pub fn new() -> Self {
        Self {
            packets: Vec::new(),
            free: NIL,
        }
    }

    /// Stores a packet and returns its index. The packet is not passed on by reference, so that it is written from
    /// registers: one that is put together in memory would be read back before its parts have arrived there.
    #[inline(always)]
    pub fn insert(&mut self, packet: Packet<P>) -> u32 {
        let index = self.free;
        if let Some(slot) = self.packets.get_mut(index as usize) {
            self.free = slot.next;
            *slot = packet;
            return index;
        }
        cold_path();
        let index = self.packets.len();
        if index == self.packets.capacity() {
            self.grow();
        }
        self.packets.push(packet);
        index as u32
    }

    /// Takes out a packet that has arrived.
    #[inline]
    pub fn take(&mut self, index: u32) -> Arrived<P> {
        let packet = &mut self.packets[index as usize];
        packet.next = self.free;
        self.free = index;
        Arrived::unlabelled(packet.payload, packet.bytes, packet.kind)
    }

    /// Frees the slot of a packet.
    #[inline]
    pub fn free(&mut self, index: u32) {
        self.packets[index as usize].next = self.free;
        self.free = index;
    }

    #[inline]
    pub fn packet(&self, index: u32) -> &Packet<P> {
        &self.packets[index as usize]
    }

    #[inline]
    pub fn packet_mut(&mut self, index: u32) -> &mut Packet<P> {
        &mut self.packets[index as usize]
    }

    #[cold]
    fn grow(&mut self) {
        // 2^32 packets would take 160 GiB or more, so memory is exhausted first.
        debug_assert!(self.packets.len() < NIL as usize);
        self.packets.reserve(1);
        prefer_large_pages(&self.packets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;

    fn packet(payload: u32) -> Packet<u32> {
        Packet {
            next_due: 0,
            next: NIL,
            cursor: 0,
            bytes: 40,
            kind: Kind::new(0),
            payload,
        }
    }

    #[test]
    fn slots_are_reused_last_in_first_out() {
        let mut pool = Pool::new();
        let indices = [7, 8, 9].map(|payload| pool.insert(packet(payload)));
        assert_eq!(indices, [0, 1, 2]);
        pool.free(0);
        pool.free(2);
        assert_eq!(pool.insert(packet(10)), 2);
        assert_eq!(pool.insert(packet(11)), 0);
        assert_eq!(pool.insert(packet(12)), 3);
        let payloads = [0, 1, 2, 3].map(|index| pool.packet(index).payload);
        assert_eq!(payloads, [11, 8, 10, 12]);
    }
}
