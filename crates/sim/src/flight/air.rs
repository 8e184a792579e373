//! Packets in flight on a link that may change their order.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Landing;
use crate::time::NEVER;

/// The packets in flight by the time of their arrival; those that arrive together, by their number: that of their
/// departure or, if it is later, of their release. The copies of those that arrive twice are made when they arrive.
#[derive(Clone, Debug)]
pub(crate) struct Air {
    packets: BinaryHeap<Reverse<(u64, u64, Airborne)>>,
    /// Packets that wait until others have overtaken them, by number. In the heap they are due at the end of the
    /// longest wait; those that are released before are in it twice, and the later entry is void.
    waiting: VecDeque<Waiting>,
    /// The next number.
    next: u64,
    /// The number of packets that did not wait.
    passed: u64,
    /// The number of packets, without void entries.
    len: usize,
    /// The link's entry in the scheduler for arrivals.
    pub entry: u32,
    /// When that entry is due, or `NEVER`.
    pub armed: u64,
}

/// A packet in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Airborne {
    /// Its index in the pool.
    pub index: u32,
    pub twice: bool,
    /// Whether it is damaged, and has not been counted as such.
    pub damaged: bool,
    waits: bool,
}

/// A packet that waits until others have overtaken it.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u64,
    packet: Airborne,
    /// It is released when so many packets have passed.
    until: u64,
    /// When it would arrive if it did not wait.
    earliest: u64,
    /// When it arrives at the latest.
    latest: u64,
}

impl Air {
    pub fn new(entry: u32) -> Self {
        Self {
            packets: BinaryHeap::new(),
            waiting: VecDeque::new(),
            next: 0,
            passed: 0,
            len: 0,
            entry,
            armed: NEVER,
        }
    }

    /// Returns the number of packets, without copies.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Forgets all packets.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.waiting.clear();
        self.len = 0;
    }

    /// A packet departs that does not wait and arrives at `due`, if that is within the run. Returns its number.
    /// Packets that have waited for it arrive right after it.
    pub fn pass(&mut self, due: u64) -> u64 {
        let number = self.number();
        self.passed += 1;
        while let Some(first) = self.waiting.front()
            && first.until <= self.passed
        {
            let Waiting {
                number,
                mut packet,
                earliest,
                latest,
                ..
            } = *first;
            self.waiting.pop_front();
            packet.waits = false;
            let due = due.max(earliest);
            let key = match due < latest {
                true => (due, self.number()),
                false => (latest, number),
            };
            self.packets.push(Reverse((key.0, key.1, packet)));
        }
        number
    }

    /// Returns the next number.
    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub fn insert(&mut self, index: u32, landing: &Landing) {
        let packet = Airborne {
            index,
            twice: landing.twice,
            damaged: landing.corrupt && landing.waits.is_some(),
            waits: landing.waits.is_some(),
        };
        if let Some(distance) = landing.waits {
            self.waiting.push_back(Waiting {
                number: landing.number,
                packet,
                until: self.passed + u64::from(distance),
                earliest: landing.earliest,
                latest: landing.due,
            });
        }
        let entry = (landing.due, landing.number, packet);
        self.packets.push(Reverse(entry));
        self.len += 1;
    }

    pub fn first_due(&mut self) -> Option<u64> {
        while let Some(&Reverse((due, number, packet))) = self.packets.peek() {
            if !packet.waits || self.place(number).is_ok() {
                return Some(due);
            }
            self.packets.pop();
        }
        None
    }

    /// Takes out the first packet if it arrives at `moment` or earlier.
    pub fn take(&mut self, moment: u64) -> Option<Airborne> {
        self.first_due().filter(|&due| due <= moment)?;
        let Reverse((_, number, packet)) = self.packets.pop()?;
        if packet.waits
            && let Ok(place) = self.place(number)
        {
            self.waiting.remove(place);
        }
        self.len -= 1;
        Some(packet)
    }

    fn place(&self, number: u64) -> Result<usize, usize> {
        self.waiting.binary_search_by_key(&number, |it| it.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depart(air: &mut Air, index: u32, earliest: u64, waits: Option<u32>) {
        let number = match waits {
            Some(_) => air.number(),
            None => air.pass(earliest),
        };
        let landing = Landing {
            due: earliest + if waits.is_some() { 1_000 } else { 0 },
            earliest,
            number,
            waits,
            twice: false,
            corrupt: false,
        };
        air.insert(index, &landing);
    }

    fn arrivals(air: &mut Air) -> Vec<(u64, u32)> {
        std::iter::from_fn(|| {
            let due = air.first_due()?;
            air.take(due).map(|packet| (due, packet.index))
        })
        .collect()
    }

    /// Packet 1 waits for three others: 2, 3 and 5; 4 waits itself, for 5, 6 and 7.
    #[test]
    fn a_packet_arrives_right_after_those_that_it_waits_for() {
        let mut air = Air::new(0);
        for index in 1..=7 {
            let waits = matches!(index, 1 | 4).then_some(3);
            depart(&mut air, index, u64::from(index) * 10, waits);
        }
        assert_eq!(air.len(), 7);
        let expected = [
            (20, 2),
            (30, 3),
            (50, 5),
            (50, 1),
            (60, 6),
            (70, 7),
            (70, 4),
        ];
        assert_eq!(arrivals(&mut air), expected);
        assert_eq!(air.len(), 0);
    }

    /// Too few packets follow 1, and what comes when its wait is over changes nothing.
    #[test]
    fn a_packet_does_not_wait_longer_than_it_may() {
        let mut air = Air::new(0);
        depart(&mut air, 1, 10, Some(2));
        depart(&mut air, 2, 20, None);
        assert_eq!(arrivals(&mut air), [(20, 2), (1_010, 1)]);
        depart(&mut air, 3, 1_100, None);
        assert_eq!(arrivals(&mut air), [(1_100, 3)]);
        // The second one that follows arrives together with the end of the wait.
        depart(&mut air, 4, 2_000, Some(2));
        depart(&mut air, 5, 2_010, None);
        depart(&mut air, 6, 3_000, None);
        assert_eq!(arrivals(&mut air), [(2_010, 5), (3_000, 4), (3_000, 6)]);
    }
}
