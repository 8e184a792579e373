//! Fair queueing: flows have queues of their own, served in turn, and nothing is dropped before all of them
//! together are full.
//!
//! It is the scheduler of FQ-CoDel (RFC 8290, sections 4.1 and 4.2: deficit round robin in which queues that begin
//! to send come first) without CoDel. An arrival beyond the limit costs the queue with most bytes half of its
//! packets, at most 64, from its head.

use super::flows::Flows;
use super::{Decisions, Discipline, Hold, Limit, Server, Waiting};
use crate::label::Label;
use crate::random::Random;

/// The parameters of fair queueing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fq {
    /// The number of queues, to which flows are hashed; at least 1.
    pub flows: u32,
    /// The bytes that a queue sends in its turn; at least 1.
    pub quantum: u32,
    /// How much all queues together hold at most.
    pub limit: Limit,
}

impl Hold for Fq {
    type Discipline = Fair;

    fn limit(&self) -> u32 {
        self.limit.packets()
    }

    fn is_labelled(&self) -> bool {
        true
    }

    fn fault(&self) -> Option<&'static str> {
        match self {
            Self { flows: 0, .. } => Some("fair queueing needs at least one queue"),
            Self { quantum: 0, .. } => Some("the quantum of fair queueing must be at least 1 byte"),
            _ => self.limit.fault(),
        }
    }

    fn discipline(&self, draws: Random) -> Fair {
        Fair {
            limit: self.limit,
            flows: Flows::new(self.flows, self.quantum, draws),
        }
    }
}

/// The state of fair queueing on one link.
#[derive(Clone, Debug)]
pub(crate) struct Fair {
    limit: Limit,
    flows: Flows<()>,
}

impl Discipline for Fair {
    fn arrival(
        &mut self,
        packet: Waiting,
        label: &Label,
        server: &Server,
        decisions: &mut Decisions,
    ) {
        let now = packet.arrived;
        if self.flows.len() == 0 && !server.is_busy(now) {
            self.flows.found_empty(|()| {});
        }
        self.flows.push(packet, label.flow);
        self.flows.shed(self.limit, server, now, decisions);
    }

    fn next(&mut self, _: u64, _: &Server, _: &mut Decisions) -> Option<Waiting> {
        self.flows
            .next(|(), mut head| head.pop().map(|(packet, _)| packet))
    }

    fn len(&self) -> usize {
        self.flows.len()
    }

    fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        self.flows.visit(see);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::queue::fifo::Fifo;
    use crate::queue::holding::tests::{draws, on_link, packet};
    use crate::queue::{CoDel, FqCoDel, Reason};
    use crate::time::Time;

    const FQ: Fq = Fq {
        flows: 1_024,
        quantum: 1_514,
        limit: Limit::Packets(100),
    };

    /// A packet of a flow, whose index is the flow's number.
    fn of_flow(flow: u32, bytes: u16, at: u64) -> (Waiting, Label) {
        let label = Label {
            flow,
            ..Label::NONE
        };
        let mut packet = packet(bytes, at);
        packet.index = flow;
        (packet, label)
    }

    /// Shreedhar and Varghese, "Efficient Fair Queueing Using Deficit Round Robin", 1995: in no interval do two
    /// flows that always have packets differ by more than 2 x the largest packet + the quantum.
    #[test]
    fn flows_differ_by_at_most_two_packets_and_a_quantum() {
        for quantum in [300, 1_514, 5_000] {
            let all = Fq {
                quantum,
                limit: Limit::Packets(100_000),
                ..FQ
            };
            let mut queue = on_link(all.discipline(draws()), 8_000_000);
            let sizes = [1_500, 40, 700];
            for (flow, bytes) in sizes.into_iter().enumerate() {
                for _ in 0..60_000 / u32::from(bytes) {
                    let (packet, label) = of_flow(flow as u32, bytes, 0);
                    assert_eq!(queue.arrive_labelled(packet, &label), []);
                }
            }
            let mut sent = [0_i64; 3];
            let mut ahead = [(0, 0); 3];
            while sent.iter().all(|&bytes| bytes < 50_000) {
                let packet = queue.start_by(u64::MAX).unwrap().packet;
                sent[packet.index as usize] += i64::from(packet.bytes());
                for (pair, (least, most)) in [(0, 1), (0, 2), (1, 2)].into_iter().zip(&mut ahead) {
                    let now = sent[pair.0] - sent[pair.1];
                    *least = now.min(*least);
                    *most = now.max(*most);
                    assert!(*most - *least <= 2 * 1_500 + i64::from(quantum), "{sent:?}");
                }
            }
            assert!(sent.iter().all(|&bytes| bytes > 40_000), "{sent:?}");
        }
    }

    /// At 8 Mb/s 1000 bytes take 1 ms. A calm flow sends a packet each 2 ms, its share; another sends ten each
    /// millisecond. Returns the packets that the calm one lost, its longest wait in ms, and how many packets of
    /// both started in two seconds.
    fn flood<D: Discipline>(discipline: D) -> (usize, u64, u64) {
        let mut queue = on_link(discipline, 8_000_000);
        let mut decisions = Decisions::default();
        let (mut lost, mut longest, mut started) = (0, 0, 0);
        for ms in 0..2_000 {
            let now = ms * 1_000_000;
            while let Some((at, next)) = queue.start(now, &mut decisions) {
                started += 1;
                let calm = next.filter(|next| next.packet.index == 1);
                longest = longest.max(calm.map_or(0, |next| at - next.packet.arrived));
            }
            for _ in 0..10 {
                let (packet, label) = of_flow(2, 1_000, now);
                queue.arrival(packet, &label, &mut decisions);
            }
            if ms % 2 == 0 {
                let (packet, label) = of_flow(1, 1_000, now);
                queue.arrival(packet, &label, &mut decisions);
            }
            let gone = decisions.gone.drain(..);
            lost += gone.filter(|(packet, _)| packet.index == 1).count();
        }
        (lost, longest / 1_000_000, started)
    }

    /// The calm flow waits for the packet in transmission, and at most two of the other, whose quantum has room
    /// for them. One queue for both is no such protection.
    #[test]
    fn a_flood_costs_another_flow_nothing_of_its_share() {
        let codel = CoDel {
            target: Time::from_millis(5),
            interval: Time::from_millis(100),
            mtu: 1_500,
            ecn: false,
            newton: false,
            limit: FQ.limit,
        };
        let fq_codel = FqCoDel {
            codel,
            flows: 1_024,
            quantum: 1_514,
        };
        for (lost, longest, started) in [
            flood(FQ.discipline(draws())),
            flood(fq_codel.discipline(draws())),
        ] {
            assert_eq!(lost, 0);
            assert!(longest <= 3, "{longest} ms");
            assert!(started >= 1_998, "{started}");
        }
        let (lost, longest, _) = flood(Fifo::new(FQ.limit, None));
        assert!(lost > 800 && longest > 50, "{lost} {longest}");
    }

    proptest! {
        /// Isolation: one flow always has packets waiting, at most its part of the limit. Others send what they want,
        /// in bursts with pauses, when its queue is an old one, so that theirs end and begin again. It loses nothing, and in no interval does
        /// another flow send more than it did, but for what a round may differ by, two packets and a quantum, and for
        /// the quantum that each of its beginnings gives it before all others. However often it begins, it sends at most
        /// twice as much: a queue that begins must wait for a turn of each old one before it can begin again.
        #[test]
        fn no_flood_takes_the_share_of_another_flow(
            quantum in 100_u32..4_000,
            own in 40_u16..=1_500,
            others in vec((40_u16..=1_500, prop_oneof![Just(1), 1_u64..30], prop_oneof![Just(1), 1_u64..40]), 1..4),
        ) {
            const LIMIT: u64 = 100_000;
            // The packet in transmission counts towards the limit.
            let share = (LIMIT - 1_500) / (others.len() as u64 + 1);
            let all = Fq {
                flows: 65_536,
                quantum,
                limit: Limit::Bytes(LIMIT),
            };
            let mut queue = on_link(all.discipline(draws()), 8_000_000);
            let mut decisions = Decisions::default();
            let mut sent = vec![0_i64; others.len() + 1];
            let mut held = vec![0_u64; others.len() + 1];
            let mut given = vec![0_i64; others.len() + 1];
            let mut least = vec![(0, 0); others.len() + 1];
            let mut waiting = 0;
            for ms in 0..400 {
                let now = ms * 1_000_000;
                while let Some((_, next)) = queue.start(now, &mut decisions) {
                    let next = next.expect("nothing is dropped at departure").packet;
                    let flow = next.index as usize;
                    sent[flow] += i64::from(next.bytes());
                    held[flow] -= 1;
                    waiting -= if flow == 0 { u64::from(own) } else { 0 };
                    for (other, least) in least.iter_mut().enumerate().skip(1) {
                        let ahead = sent[other] - sent[0] - given[other];
                        let double = sent[other] - 2 * sent[0];
                        *least = (ahead.min(least.0), double.min(least.1));
                        let turn = 1_500 + i64::from(quantum);
                        prop_assert!(ahead - least.0 <= 2 * turn, "{ms} {sent:?} {given:?}");
                        prop_assert!(double - least.1 <= 4 * turn, "{ms} {sent:?}");
                    }
                }
                while waiting + u64::from(own) <= share {
                    let (packet, label) = of_flow(0, own, now);
                    queue.arrival(packet, &label, &mut decisions);
                    held[0] += 1;
                    waiting += u64::from(own);
                }
                prop_assert!(waiting > 3_000, "the flow never runs out of packets: {waiting}");
                for (flow, &(bytes, count, pause)) in (1..).zip(&others) {
                    for _ in 0..if ms > 20 && ms % pause == 0 { count } else { 0 } {
                        let (packet, label) = of_flow(flow, bytes, now);
                        let place = flow as usize;
                        given[place] += if held[place] == 0 { i64::from(quantum) } else { 0 };
                        held[place] += 1;
                        queue.arrival(packet, &label, &mut decisions);
                    }
                }
                for (packet, _) in decisions.gone.drain(..) {
                    prop_assert!(packet.index != 0);
                    held[packet.index as usize] -= 1;
                }
            }
        }
    }

    /// Of 101 packets 81 are of one flow: half of them, rounded up, go from its head.
    #[test]
    fn the_longest_queue_pays_for_the_limit() {
        let mut queue = on_link(FQ.discipline(draws()), 8_000_000);
        for (flow, packets, at) in [(1, 20, 0), (2, 80, 1)] {
            let (packet, label) = of_flow(flow, 1_000, at);
            for _ in 0..packets {
                assert_eq!(queue.arrive_labelled(packet, &label), []);
            }
        }
        let (packet, label) = of_flow(2, 1_000, 2);
        let gone = queue.arrive_labelled(packet, &label);
        assert_eq!(gone.len(), 41);
        let first = (of_flow(2, 1_000, 1).0, Reason::Full);
        assert!(gone.iter().all(|gone| *gone == first));
    }
}
