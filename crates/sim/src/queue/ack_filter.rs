//! The queue that keeps only the newest of cumulative messages: ACK filtering (Balakrishnan, Padmanabhan
//! and Katz, "The Effects of Asymmetry on TCP Performance", 1997, section 4.2).
//!
//! A packet may make packets of the same flow with smaller numbers useless
//! ([`Label::supersedes`](crate::Label::supersedes)). When it arrives, those packets are taken out of
//! the queue; the one in transmission stays. Therefore a departure is certain only when the previous one
//! has happened: waiting packets are kept here, and the link schedules its departures.

use std::collections::VecDeque;

use super::Admitted;
use super::transmission;
use crate::opportunity::{Opportunities, Transmitter};
use crate::packet::Class;

/// The parameters of a queue that removes useless ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckFilter {
    /// The largest number of packets in the system, including the one in transmission; at least 1. If an
    /// arrival finds the queue full and removes nothing from it, the arrival is dropped.
    pub limit: u32,
    /// If true, the arriving packet takes the position of the oldest packet that it removes, and it also
    /// removes packets with the same number. Otherwise it goes to the end of the queue, and packets with
    /// the same number stay: they may be intentional duplicates.
    pub replace_head: bool,
    /// Packets are removed only if more packets than this are waiting when one arrives.
    pub threshold: u32,
}

/// A waiting packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Its index in the pool.
    pub index: u32,
    pub class: Class,
    pub arrived: u64,
    pub supersedes: Option<(u32, u64)>,
}

/// A packet whose transmission is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transmitted {
    pub packet: Waiting,
    pub departure: u64,
    pub tx: u64,
}

/// The state of a filtering queue on one link. Packets whose transmission has started are no longer in
/// it.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    filter: AckFilter,
    server: Server,
    waiting: VecDeque<Waiting>,
    /// When the last packet that has started departs.
    free_at: u64,
    /// The link's entry in the scheduler for departures.
    pub entry: u32,
    /// Whether that entry is in the scheduler.
    pub armed: bool,
}

/// The transmitter behind a filtering queue.
#[derive(Clone, Debug)]
pub(crate) enum Server {
    /// In bits per second, not zero.
    Rate(u64),
    Opportunities(Transmitter),
}

impl Filter {
    pub fn new(filter: AckFilter, server: Server, entry: u32) -> Self {
        Self {
            filter,
            server,
            waiting: VecDeque::new(),
            free_at: 0,
            entry,
            armed: false,
        }
    }

    /// Enqueues an arriving packet; returns false if the queue is full. Packets that have started by
    /// then must have been taken out. Calls `remove` for each packet that the arrival makes useless.
    pub fn arrival(&mut self, packet: Waiting, mut remove: impl FnMut(Waiting)) -> bool {
        let mut place = None;
        if let Some((flow, number)) = packet.supersedes
            && self.waiting.len() > self.filter.threshold as usize
        {
            let equal_too = self.filter.replace_head;
            let mut kept = 0;
            self.waiting.retain(|other| {
                let useless = other.supersedes.is_some_and(|(of, older)| {
                    of == flow && (older < number || equal_too && older == number)
                });
                if useless {
                    place.get_or_insert(kept);
                    remove(*other);
                } else {
                    kept += 1;
                }
                !useless
            });
        }
        match place {
            Some(place) if self.filter.replace_head => self.waiting.insert(place, packet),
            None if self.len(packet.arrived) >= self.filter.limit => return false,
            _ => self.waiting.push_back(packet),
        }
        true
    }

    /// Takes out the next packet if its transmission starts at `moment` or earlier.
    pub fn start(&mut self, moment: u64) -> Option<Transmitted> {
        if self.next_start()? > moment {
            return None;
        }
        let packet = self.waiting.pop_front()?;
        let Admitted { departure, tx } = self.send(packet);
        self.free_at = departure;
        Some(Transmitted {
            packet,
            departure,
            tx,
        })
    }

    /// Returns when the next packet starts, if one is waiting.
    pub fn next_start(&mut self) -> Option<u64> {
        let arrived = self.waiting.front()?.arrived;
        Some(match &mut self.server {
            Server::Rate(_) => self.free_at.max(arrived),
            Server::Opportunities(transmitter) => transmitter.start(arrived),
        })
    }

    fn send(&mut self, packet: Waiting) -> Admitted {
        let bytes = u32::from(packet.class.bytes());
        match &mut self.server {
            Server::Rate(rate) => {
                let tx = transmission(bytes, *rate);
                let start = self.free_at.max(packet.arrived);
                Admitted {
                    departure: start.saturating_add(tx),
                    tx,
                }
            }
            Server::Opportunities(transmitter) => transmitter.send(bytes, packet.arrived),
        }
    }

    /// Returns the number of packets in the system once all that start by `now` have started: those that
    /// wait, and possibly one in transmission.
    pub fn len(&self, now: u64) -> u32 {
        let len = self.waiting.len() + usize::from(self.free_at > now);
        u32::try_from(len).unwrap_or(u32::MAX)
    }

    /// Returns the opportunities of the transmitter, if it is driven by opportunities.
    pub fn schedule(&self) -> Option<&Opportunities> {
        match &self.server {
            Server::Rate(_) => None,
            Server::Opportunities(transmitter) => Some(transmitter.schedule()),
        }
    }

    /// Returns the arrival time of each waiting packet.
    pub fn arrivals(&self) -> impl ExactSizeIterator<Item = u64> {
        self.waiting.iter().map(|packet| packet.arrived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;

    const F: u32 = 1;
    const G: u32 = 2;

    /// A queue in which these packets wait behind a packet of 40 bytes in transmission (40 us at 8
    /// Mb/s).
    fn queue(filter: AckFilter, waiting: &[(u32, u64)]) -> Filter {
        let mut queue = Filter::new(filter, Server::Rate(8_000_000), 0);
        assert!(queue.arrival(packet(0, None), |_| panic!("nothing waits")));
        assert!(queue.start(0).is_some());
        for &label in waiting {
            queue.waiting.push_back(packet(0, Some(label)));
        }
        queue
    }

    fn packet(arrived: u64, supersedes: Option<(u32, u64)>) -> Waiting {
        Waiting {
            index: 0,
            class: Class::new(40, Kind::new(1)),
            arrived,
            supersedes,
        }
    }

    type Numbers = Vec<(u32, u64)>;

    /// Returns what waits after the arrival, and what was removed.
    fn after(queue: &mut Filter, label: (u32, u64)) -> (Numbers, Numbers) {
        let mut removed = Vec::new();
        let arrival = packet(1, Some(label));
        assert!(queue.arrival(arrival, |other| removed.extend(other.supersedes)));
        let waiting = queue.waiting.iter().filter_map(|other| other.supersedes);
        (waiting.collect(), removed)
    }

    const TAIL: AckFilter = AckFilter {
        limit: 100,
        replace_head: false,
        threshold: 0,
    };

    const HEAD: AckFilter = AckFilter {
        replace_head: true,
        ..TAIL
    };

    #[test]
    fn older_packets_of_the_flow_are_removed() {
        let waiting = [(F, 10), (G, 7), (F, 12)];
        let removed = vec![(F, 10), (F, 12)];
        let tail = after(&mut queue(TAIL, &waiting), (F, 15));
        assert_eq!(tail, (vec![(G, 7), (F, 15)], removed.clone()));
        let head = after(&mut queue(HEAD, &waiting), (F, 15));
        assert_eq!(head, (vec![(F, 15), (G, 7)], removed));
    }

    #[test]
    fn packets_with_the_same_number_stay_unless_they_are_replaced() {
        let waiting = [(F, 10), (F, 10)];
        let tail = after(&mut queue(TAIL, &waiting), (F, 10));
        assert_eq!(tail, (vec![(F, 10); 3], vec![]));
        let head = after(&mut queue(HEAD, &waiting), (F, 10));
        assert_eq!(head, (vec![(F, 10)], vec![(F, 10); 2]));
    }

    #[test]
    fn newer_packets_stay() {
        for filter in [TAIL, HEAD] {
            let (waiting, removed) = after(&mut queue(filter, &[(F, 12), (F, 20)]), (F, 15));
            assert_eq!(removed, [(F, 12)]);
            assert_eq!(waiting.len(), 2);
        }
    }

    #[test]
    fn a_short_queue_is_left_alone() {
        let filter = AckFilter {
            threshold: 2,
            ..TAIL
        };
        let mut queue = queue(filter, &[(F, 1)]);
        assert_eq!(after(&mut queue, (F, 2)).0, [(F, 1), (F, 2)]);
        assert_eq!(after(&mut queue, (F, 3)).0, [(F, 1), (F, 2), (F, 3)]);
        assert_eq!(after(&mut queue, (F, 4)).0, [(F, 4)]);
    }

    /// A limit of three packets: one in transmission and two waiting.
    #[test]
    fn removing_makes_room() {
        let filter = AckFilter { limit: 3, ..TAIL };
        let mut queue = queue(filter, &[(F, 1), (G, 1)]);
        assert!(!queue.arrival(packet(1, Some((F, 0))), |_| panic!("newer ones stay")));
        assert!(!queue.arrival(packet(1, None), |_| panic!("no label")));
        assert_eq!(queue.len(1), 3);
        assert_eq!(after(&mut queue, (F, 2)).0, [(G, 1), (F, 2)]);
        // The one in transmission has left at 40 us.
        assert_eq!(queue.len(40_000), 2);
        assert!(queue.arrival(packet(40_000, None), |_| panic!("no label")));
    }

    #[test]
    fn a_packet_starts_when_the_one_before_it_departs() {
        let mut queue = queue(TAIL, &[(F, 1)]);
        assert_eq!(queue.next_start(), Some(40_000));
        assert_eq!(queue.start(39_999), None);
        let started = queue.start(40_000).map(|started| started.departure);
        assert_eq!(started, Some(80_000));
        assert_eq!(queue.next_start(), None);
        assert!(queue.arrival(packet(100_000, None), |_| panic!("no label")));
        let started = queue.start(100_000).map(|started| started.departure);
        assert_eq!(started, Some(140_000));
    }
}
