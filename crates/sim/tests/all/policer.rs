//! Policers, compared with their bound and with a case worked out by hand.

use dumbbell_sim::{
    Arrived, Cause, EndpointId, Gone, Host, Kind, Link, LinkStatistics, Policer, Port, Queue,
    Simulation, Time, Topology,
};
use proptest::prelude::*;

/// Sends packets of these sizes at these times.
struct Source {
    packets: Vec<(Time, u16)>,
    next: usize,
    passed: Vec<u32>,
    dropped: Vec<(u32, Time)>,
}

impl Host for Source {
    type Payload = u32;

    fn on_packet(&mut self, _: &mut impl Port<u32>, _: EndpointId, packet: Arrived<u32>) {
        self.passed.push(packet.payload);
    }

    fn on_timer(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        while let Some(&(at, bytes)) = self.packets.get(self.next) {
            if at > net.now() {
                return net.set_timer(endpoint, Some(at));
            }
            net.send(endpoint, bytes, Kind::new(0), self.next as u32);
            self.next += 1;
        }
    }

    fn discard(&mut self, payload: u32, Gone { cause, at, .. }: Gone) {
        assert_eq!(cause, Cause::Dropped);
        self.dropped.push((payload, at));
    }
}

/// Runs a link of 8 Mb/s (1 us per byte) with this policer, with or without a queue that holds its packets.
fn run(
    policer: Policer,
    packets: &[(Time, u16)],
    queue: Queue,
    holding: bool,
) -> (Source, LinkStatistics) {
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    let link = Link::new("link", a, b, 8_000_000, Time::from_millis(1))
        .queue(queue)
        .policed(policer);
    let link = topology.link(if holding {
        link.measuring_sojourns()
    } else {
        link
    });
    let (from, _) = topology.one_way(a, b);
    let source = Source {
        packets: packets.to_vec(),
        next: 0,
        passed: Vec::new(),
        dropped: Vec::new(),
    };
    let mut simulation = Simulation::new(&topology, source, 1, Time::from_secs(1_000)).unwrap();
    simulation.set_timer(from, Some(Time::ZERO));
    simulation.run();
    let counters = simulation.link(link);
    (simulation.into_host(), counters)
}

/// A bucket of 2500 bytes that fills at 1 byte per ms. Of four packets of 1000 bytes, two pass and leave 500 bytes;
/// one of 500 passes, and a dropped one has taken nothing. 999 ms later there are 999 bytes, 1 ms later 1000. In
/// 10 s the bucket fills, and not more: two pass again. A packet of 2501 bytes never passes. At the end there is no
/// queue for two packets at once: the third packet that passes the policer is dropped by the queue, and has taken
/// its tokens.
#[test]
fn packets_pass_while_there_are_tokens() {
    let policer = Policer {
        rate: 8_000,
        burst: 2_500,
    };
    let ms = Time::from_millis;
    let packets = [
        (ms(0), 1_000),
        (ms(0), 1_000),
        (ms(0), 1_000),
        (ms(0), 500),
        (ms(999), 1_000),
        (ms(1_000), 1_000),
        (ms(20_000), 2_501),
        (ms(20_000), 1_000),
        (ms(20_000), 1_000),
        (ms(20_000), 1_000),
        (ms(40_000), 1_000),
        (ms(40_000), 1_000),
        (ms(40_000), 500),
        (ms(40_000), 40),
    ];
    for holding in [false, true] {
        let (source, link) = run(policer, &packets, Queue::DropTail { limit: 3 }, holding);
        assert_eq!(source.passed, [0, 1, 3, 5, 7, 8, 10, 11, 12]);
        let dropped = [2, 4, 6, 9, 13].map(|k| (k, packets[k as usize].0));
        assert_eq!(source.dropped, dropped);
        assert_eq!([link.sent, link.delivered], [14, 9]);
        assert_eq!([link.dropped, link.policed, link.early], [5, 5, 0]);

        let (source, link) = run(policer, &packets, Queue::DropTail { limit: 2 }, holding);
        assert_eq!(source.passed, [0, 1, 5, 7, 8, 10, 11]);
        assert_eq!([link.dropped, link.policed, link.forced()], [7, 5, 2]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// In any span of t seconds, at most burst + rate t bytes pass; and a packet is dropped only if it would break
    /// this in some span that ends with it.
    #[test]
    fn a_policer_keeps_its_bound_and_drops_nothing_else(
        rate in 100_000_u64..4_000_000,
        burst in 500_u64..20_000,
        packets in proptest::collection::vec((0_u64..20_000, 40_u16..1_500), 1..120),
        holding: bool,
    ) {
        let mut at = Time::ZERO;
        let packets: Vec<(Time, u16)> = packets.into_iter().map(|(gap, bytes)| {
            at += Time::from_micros(gap);
            (at, bytes)
        }).collect();
        let (source, link) = run(Policer { rate, burst }, &packets, Queue::Unlimited, holding);
        let mut passed: Vec<(f64, f64)> = Vec::new();
        let mut gone = source.dropped.iter().map(|drop| drop.0).peekable();
        for (k, &(at, bytes)) in packets.iter().enumerate() {
            let (at, bytes) = (at.as_secs_f64(), f64::from(bytes));
            // How much too much passes in the worst span that ends with this packet.
            let mut sum = bytes;
            let mut excess = bytes - burst as f64;
            for &(start, bytes) in passed.iter().rev() {
                sum += bytes;
                excess = excess.max(sum - burst as f64 - rate as f64 / 8.0 * (at - start));
            }
            if gone.next_if_eq(&(k as u32)).is_some() {
                prop_assert!(excess > -1e-3, "packet {k} could have passed: {excess}");
            } else {
                prop_assert!(excess < 1e-3, "packet {k} should not have passed: {excess}");
                passed.push((at, bytes));
            }
        }
        prop_assert_eq!(link.policed, source.dropped.len() as u64);
        prop_assert_eq!(link.dropped, link.policed);
    }
}
