//! First in, first out, in a queue that holds its packets: where the transmitter of the link needs that.

use super::holding::in_system;
use super::{Decisions, Detector, Discipline, Limit, Line, Reason, Server, Verdict, Waiting};
use crate::label::Label;

/// A FIFO with a limit, possibly behind a detector that drops or marks packets early.
#[derive(Clone, Debug)]
pub(crate) struct Fifo {
    limit: Limit,
    detector: Option<Detector>,
    line: Line,
}

impl Fifo {
    pub fn new(limit: Limit, detector: Option<Detector>) -> Self {
        Self {
            limit,
            detector,
            line: Line::default(),
        }
    }
}

impl Discipline for Fifo {
    fn arrival(
        &mut self,
        mut packet: Waiting,
        _: &Label,
        server: &Server,
        decisions: &mut Decisions,
    ) {
        let verdict = match &mut self.detector {
            None => Verdict::Pass,
            Some(detector) => {
                let len = in_system(self.line.len(), server, packet.arrived);
                let idle = server.idle(packet.arrived).filter(|_| len == 0);
                detector.arrival(len.saturating_sub(1), idle)
            }
        };
        let marks = self.detector.as_ref().is_some_and(Detector::marks);
        if verdict == Verdict::Early {
            if !(marks && packet.is_ect()) {
                return decisions.gone.push((packet, Reason::Early));
            }
            packet = packet.marked();
        }
        let bytes = packet.bytes();
        let now = packet.arrived;
        if verdict == Verdict::Forced || self.limit.is_reached(&self.line, bytes, server, now) {
            return decisions.gone.push((packet, Reason::Full));
        }
        decisions.marked += u64::from(packet.is_marked());
        self.line.push(packet);
    }

    fn next(&mut self, _: u64, _: &Server, _: &mut Decisions) -> Option<Waiting> {
        self.line.pop()
    }

    fn len(&self) -> usize {
        self.line.len()
    }

    fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        self.line.visit(see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::holding::tests::{draws, on_link, packet};
    use crate::queue::{Early, Queue, Red, Service};

    /// 1000 bytes take 1 ms. The limit counts the packet in transmission; one that departs now has left.
    #[test]
    fn a_full_queue_turns_packets_away() {
        let mut queue = on_link(Fifo::new(Limit::Packets(2), None), 8_000_000);
        assert_eq!(queue.arrive(packet(1_000, 0)), []);
        assert!(queue.start_by(0).is_some());
        assert_eq!(queue.arrive(packet(1_000, 5)), []);
        let late = packet(1_000, 999_999);
        assert_eq!(queue.arrive(late), [(late, Reason::Full)]);
        assert_eq!(queue.len(999_999), 2);
        assert!(queue.start_by(1_000_000).is_some());
        assert_eq!(queue.arrive(packet(1_000, 1_000_000)), []);
        assert_eq!(queue.len(1_000_000), 2);
    }

    /// With weight 1, the average is the number of packets that wait; above `min` each is chosen.
    #[test]
    fn a_detector_drops_and_marks_before_the_queue_is_full() {
        let red = Red {
            min: 0.5,
            max: 9.0,
            weight: 1.0,
            pmax: 1.0,
            gentle: false,
            ecn: true,
            limit: 60,
            mean_size: 1_000,
        };
        let detector = Queue::Red(red).detector(Service::Rate(8_000_000), draws);
        assert!(detector.as_ref().is_some_and(Detector::marks) && red.marks());
        let mut queue = on_link(Fifo::new(Limit::Packets(60), detector), 8_000_000);
        assert_eq!(queue.arrive(packet(1_000, 0)), []);
        assert!(queue.start_by(0).is_some());
        for at in 1..4 {
            assert_eq!(queue.arrive(packet(1_000, at)), []);
        }
        let (mut early, mut marked) = (0, Decisions::default());
        for at in 4..100 {
            let packet = packet(1_000, at);
            let gone = queue.arrive(packet);
            assert!(gone.iter().all(|&(_, reason)| reason == Reason::Early));
            early += gone.len();
            queue.arrival(packet.with_ecn(true, false), &Label::NONE, &mut marked);
            if queue.len(at) > 5 {
                break;
            }
        }
        assert!(early > 0 && marked.marked > 0, "{early} {marked:?}");
        assert_eq!(marked.gone, []);
    }
}
