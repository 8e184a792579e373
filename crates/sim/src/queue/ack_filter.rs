//! The queue that keeps only the newest of cumulative messages: ACK filtering (Balakrishnan, Padmanabhan
//! and Katz, "The Effects of Asymmetry on TCP Performance", 1997, section 4.2).
//!
//! A packet may make packets of the same flow with smaller numbers useless
//! ([`Label::supersedes`](crate::Label::supersedes)). When it arrives, those packets are taken out of
//! the queue; the one in transmission stays.

use std::collections::VecDeque;

use super::holding::in_system;
use super::{Decisions, Discipline, Hold, Reason, Server, Waiting};
use crate::label::Label;
use crate::random::Random;

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

impl Hold for AckFilter {
    type Discipline = Filter;

    fn limit(&self) -> u32 {
        self.limit
    }

    fn is_labelled(&self) -> bool {
        true
    }

    fn fault(&self) -> Option<&'static str> {
        None
    }

    fn discipline(&self, _: Random) -> Filter {
        Filter {
            filter: *self,
            waiting: VecDeque::new(),
        }
    }
}

/// The state of a filtering queue on one link.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    filter: AckFilter,
    waiting: VecDeque<Entry>,
}

/// A waiting packet, and what makes it useless: a larger number of the same flow.
#[derive(Clone, Copy, Debug)]
struct Entry {
    packet: Waiting,
    supersedes: Option<(u32, u64)>,
}

impl Discipline for Filter {
    fn arrival(
        &mut self,
        packet: Waiting,
        label: &Label,
        server: &Server,
        decisions: &mut Decisions,
    ) {
        let mut place = None;
        let supersedes = label.supersedes;
        if let Some((flow, number)) = supersedes
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
                    decisions.gone.push((other.packet, Reason::Useless));
                } else {
                    kept += 1;
                }
                !useless
            });
        }
        let len = in_system(self.waiting.len(), server, packet.arrived);
        match place {
            Some(place) if self.filter.replace_head => {
                self.waiting.insert(place, Entry { packet, supersedes });
            }
            None if len >= self.filter.limit => decisions.gone.push((packet, Reason::Full)),
            _ => self.waiting.push_back(Entry { packet, supersedes }),
        }
    }

    fn next(&mut self, _: u64, _: &Server, _: &mut Decisions) -> Option<Waiting> {
        self.waiting.pop_front().map(|entry| entry.packet)
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        self.waiting.iter().for_each(|entry| see(&entry.packet));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Holding;
    use crate::queue::holding::tests::{draws, on_link, packet};
    use crate::time::NEVER;

    const F: u32 = 1;
    const G: u32 = 2;

    /// A queue in which these packets wait behind a packet of 40 bytes in transmission (40 us at 8
    /// Mb/s).
    fn queue(filter: AckFilter, waiting: &[(u32, u64)]) -> Holding<Filter> {
        let mut queue = on_link(filter.discipline(draws()), 8_000_000);
        assert_eq!(queue.arrive(packet(40, 0)), []);
        assert!(queue.start_by(0).is_some());
        for &label in waiting {
            let (packet, Label { supersedes, .. }) = labelled(0, Some(label));
            let entry = Entry { packet, supersedes };
            queue.discipline.waiting.push_back(entry);
        }
        queue.plan();
        queue
    }

    /// A packet with this label, which its index repeats.
    fn labelled(arrived: u64, supersedes: Option<(u32, u64)>) -> (Waiting, Label) {
        let mut packet = packet(40, arrived);
        packet.index = supersedes.map_or(0, |(flow, number)| flow << 16 | number as u32);
        let label = Label {
            supersedes,
            ..Label::NONE
        };
        (packet, label)
    }

    /// Returns the flow and the number of a packet with a label.
    fn number(packet: &Waiting) -> (u32, u64) {
        (packet.index >> 16, u64::from(packet.index & 0xffff))
    }

    type Numbers = Vec<(u32, u64)>;

    /// Returns what waits after the arrival, and what was removed.
    fn after(queue: &mut Holding<Filter>, label: (u32, u64)) -> (Numbers, Numbers) {
        let mut removed = Vec::new();
        let (packet, label) = labelled(1, Some(label));
        for (packet, reason) in queue.arrive_labelled(packet, &label) {
            assert_eq!(reason, Reason::Useless);
            removed.push(number(&packet));
        }
        let waiting = queue.discipline.waiting.iter();
        (
            waiting.map(|other| number(&other.packet)).collect(),
            removed,
        )
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
        for label in [Some((F, 0)), None] {
            let (late, label) = labelled(1, label);
            let gone = queue.arrive_labelled(late, &label);
            assert_eq!(gone, [(late, Reason::Full)]);
        }
        assert_eq!(queue.len(1), 3);
        assert_eq!(after(&mut queue, (F, 2)).0, [(G, 1), (F, 2)]);
        // The one in transmission has left at 40 us.
        assert_eq!(queue.len(40_000), 2);
        assert_eq!(queue.arrive(packet(40, 40_000)), []);
    }

    #[test]
    fn a_packet_starts_when_the_one_before_it_departs() {
        let mut queue = queue(TAIL, &[(F, 1)]);
        assert_eq!(queue.next_start(), 40_000);
        assert_eq!(queue.start_by(39_999), None);
        let started = queue.start_by(40_000).map(|started| started.departure);
        assert_eq!(started, Some(80_000));
        assert_eq!(queue.next_start(), NEVER);
        assert_eq!(queue.arrive(packet(40, 100_000)), []);
        let started = queue.start_by(100_000).map(|started| started.departure);
        assert_eq!(started, Some(140_000));
    }
}
