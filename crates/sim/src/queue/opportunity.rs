//! The FIFO queue of a link whose transmitter does not always send at the same rate, computed at arrival.
//!
//! As with a constant rate, departures are known when packets arrive. They are kept until the packets
//! have departed, if the number of packets matters.

use std::collections::VecDeque;

use super::{Admitted, Queue};
use crate::transmitter::{Drive, Transmitter};

#[derive(Clone, Debug)]
pub(crate) struct OpportunityFifo {
    transmitter: Transmitter,
    limit: u32,
    /// Whether the number in the system matters: it has a limit, RED uses it, or the link is watched.
    counted: bool,
    /// Departures of the packets in the system, if they are counted.
    departures: VecDeque<u64>,
}

impl OpportunityFifo {
    pub fn new(queue: Queue, drive: Drive<'_>, watched: bool) -> Self {
        Self {
            transmitter: Transmitter::new(drive),
            limit: queue.limit(),
            counted: queue.is_counted(watched),
            departures: VecDeque::new(),
        }
    }

    /// Admits an arriving packet; returns `None` if the queue is full.
    pub fn admit(&mut self, bytes: u16, now: u64) -> Option<Admitted> {
        if self.counted && self.len(now) >= self.limit {
            return None;
        }
        let admitted = self.transmitter.send(u32::from(bytes), now);
        if self.counted {
            self.departures.push_back(admitted.departure);
        }
        Some(admitted)
    }

    /// Returns the number of packets in the system; one that departs exactly now is no longer counted.
    pub fn len(&mut self, now: u64) -> u32 {
        while self.departures.front().is_some_and(|&at| at <= now) {
            self.departures.pop_front();
        }
        u32::try_from(self.departures.len()).unwrap_or(u32::MAX)
    }

    /// Returns the bytes that the link could have sent up to a moment.
    pub fn offered(&self, until: u64) -> u64 {
        self.transmitter.offered(0, until)
    }

    /// Returns the bytes that the link has offered since it became idle; `None` while it is busy.
    pub fn wasted(&self, now: u64) -> Option<u64> {
        let free_at = self.transmitter.free_at();
        (free_at <= now).then(|| self.transmitter.offered(free_at, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opportunity::Opportunities;
    use crate::queue::Queue;
    use crate::time::Time;

    const MS: u64 = 1_000_000;

    /// Opportunities at 2, 4 and 10 ms, for 1000 bytes each.
    fn queue(queue: Queue) -> OpportunityFifo {
        let schedule = Opportunities::new([2, 4, 10].map(Time::from_millis), 1000).unwrap();
        let drive = Drive {
            rate: 1,
            opportunities: Some(&schedule),
            own: None,
        };
        OpportunityFifo::new(queue, drive, false)
    }

    #[test]
    fn a_full_queue_turns_packets_away() {
        let mut queue = queue(Queue::DropTail { limit: 3 });
        let mut admit = |bytes, at| queue.admit(bytes, at).map(|a| a.departure / MS);
        // 500 bytes leave at 2 together with half of the next packet; its rest leaves at 4 with 500 more.
        assert_eq!(admit(500, MS), Some(2));
        assert_eq!(admit(1000, MS), Some(4));
        assert_eq!(admit(500, MS), Some(4));
        assert_eq!(admit(40, MS), None);
        assert_eq!(admit(40, 2 * MS - 1), None);
        assert_eq!(admit(40, 2 * MS), Some(10));
        assert_eq!(admit(40, 4 * MS - 1), None);
        assert_eq!(admit(1000, 4 * MS), Some(12));
        assert_eq!(queue.len(4 * MS), 2);
        assert_eq!(queue.len(10 * MS), 1);
        assert_eq!(queue.len(12 * MS), 0);
    }

    #[test]
    fn an_unlimited_queue_that_is_not_counted_stores_nothing() {
        let mut queue = queue(Queue::Unlimited);
        let last = (0..3_000).filter_map(|_| queue.admit(1000, 0)).last();
        // Three per round of 10 ms.
        assert_eq!(last.map(|a| a.departure), Some(10_000 * MS));
        assert_eq!(queue.departures.capacity(), 0);
    }

    /// The unused rest of an opportunity that a packet has partly used is not counted as wasted.
    #[test]
    fn wasted_bytes_are_those_offered_since_the_last_departure() {
        let mut queue = queue(Queue::DropTail { limit: 3 });
        assert_eq!(queue.wasted(3 * MS), Some(1_000));
        assert!(queue.admit(40, 3 * MS).is_some());
        assert_eq!(queue.wasted(4 * MS - 1), None);
        assert_eq!(queue.wasted(4 * MS), Some(0));
        assert_eq!(queue.wasted(10 * MS - 1), Some(0));
        // 10, 12, 14, 20, 22 and 24.
        assert_eq!(queue.wasted(25 * MS), Some(6_000));
    }
}
