//! Waiting packets in the order of their arrival.

use std::collections::VecDeque;

use super::Waiting;

/// Waiting packets in the order of their arrival, and their bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    packets: VecDeque<Waiting>,
    bytes: u64,
}

impl Line {
    pub fn push(&mut self, packet: Waiting) {
        self.bytes += u64::from(packet.bytes());
        self.packets.push_back(packet);
    }

    pub fn pop(&mut self) -> Option<Waiting> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.bytes());
        Some(packet)
    }

    /// Returns the packet that has waited longest.
    pub fn first(&self) -> Option<&Waiting> {
        self.packets.front()
    }

    pub fn len(&self) -> usize {
        self.packets.len()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        self.packets.iter().for_each(see);
    }
}
