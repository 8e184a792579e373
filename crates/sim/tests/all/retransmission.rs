//! Links that retransmit, aggregate, shape and change their rate, compared with formulas and with cases worked
//! out by hand.

use dumbbell_sim::loss::Bernoulli;
use dumbbell_sim::{
    Aggregate, Arq, Arrived, Cause, EndpointId, Gone, Host, Kind, Kinds, Link, LinkStatistics,
    Loss, LossModel, Port, Queue, Shaper, Simulation, Steps, Time, Topology, Transmission,
    VaryingRate,
};
use proptest::prelude::*;

/// Sends packets of these sizes at these times, and notes when they arrive.
struct Source {
    packets: Vec<(Time, u16)>,
    next: usize,
    arrivals: Vec<(u32, Time)>,
    lost: Vec<u32>,
}

impl Source {
    fn send(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        while let Some(&(at, bytes)) = self.packets.get(self.next) {
            if at > net.now() {
                return net.set_timer(endpoint, Some(at));
            }
            net.send(endpoint, bytes, Kind::new(0), self.next as u32);
            self.next += 1;
        }
    }
}

impl Host for Source {
    type Payload = u32;

    fn on_packet(&mut self, net: &mut impl Port<u32>, _: EndpointId, packet: Arrived<u32>) {
        self.arrivals.push((packet.payload, net.now()));
    }

    fn on_timer(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        self.send(net, endpoint);
    }

    fn discard(&mut self, payload: u32, Gone { cause, .. }: Gone) {
        assert_eq!(cause, Cause::Lost);
        self.lost.push(payload);
    }
}

const BYTE: u64 = 8_000_000;

/// Runs one link of 8 Mb/s (1 us per byte) and a delay of 1 ms that transmits like this.
fn run(
    own: Transmission,
    loss: f64,
    packets: Vec<(Time, u16)>,
    seed: u64,
) -> (Source, LinkStatistics) {
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    let link = Link::new("link", a, b, BYTE, Time::from_millis(1)).queue(Queue::Unlimited);
    let link = topology.link(link.transmission(own).loss(Loss {
        model: LossModel::Bernoulli(Bernoulli { probability: loss }),
        kinds: Kinds::ALL,
    }));
    let (from, _) = topology.one_way(a, b);
    let source = Source {
        packets,
        next: 0,
        arrivals: Vec::new(),
        lost: Vec::new(),
    };
    let mut simulation =
        Simulation::new(&topology, source, seed, Time::from_secs(100_000)).unwrap();
    simulation.set_timer(from, Some(Time::ZERO));
    simulation.run();
    let counters = simulation.link(link);
    (simulation.into_host(), counters)
}

fn arq(retries: u32, in_order: bool) -> Transmission {
    Transmission {
        arq: Some(Arq {
            retries,
            rtt: Time::from_millis(8),
            in_order,
        }),
        ..Transmission::default()
    }
}

/// 1000 bytes every 100 ms: no packet meets another. With losses of 0.3 and two retries, 0.027 of the packets
/// are lost; the k-th attempt is the first to succeed for 0.3^(k-1) 0.7 of them, and each takes 9 ms more than
/// the one before: 2, 11 and 20 ms. Of 40,000 packets: 1080 lost (standard deviation 32), 28,000, 8400 and 2520
/// that arrive after these times (92, 81 and 49).
#[test]
fn what_is_lost_and_how_long_it_takes() {
    for in_order in [false, true] {
        let packets = (0..40_000).map(|k| (Time::from_millis(100 * k), 1000));
        let (source, link) = run(arq(2, in_order), 0.3, packets.collect(), 1);
        assert!(
            source.lost.len().abs_diff(1080) < 160,
            "{}",
            source.lost.len()
        );
        for (ms, count, deviation) in [(2, 28_000, 92), (11, 8_400, 81), (20, 2_520, 49)] {
            let after = |&&(k, at): &&(u32, Time)| {
                at - Time::from_millis(100 * u64::from(k)) == Time::from_millis(ms)
            };
            let found = source.arrivals.iter().filter(after).count();
            assert!(found.abs_diff(count) < 5 * deviation, "{ms}: {found}");
        }
        assert_eq!(source.arrivals.len() + source.lost.len(), 40_000);
        assert_eq!(
            (link.lost, link.delivered),
            (source.lost.len() as u64, source.arrivals.len() as u64)
        );
        // A packet is sent again 0.3 + 0.09 times on average.
        assert!(
            link.retransmitted.abs_diff(15_600) < 5 * 150,
            "{}",
            link.retransmitted
        );
        assert_eq!(
            link.busy.as_nanos(),
            (40_000 + link.retransmitted) * 1_000_000
        );
    }
}

/// Three packets of 1 ms at time 0, with losses that are found by trying seeds: the first attempt of the first packet
/// fails at 1 ms, and the others succeed. It is ready again at 9 ms, and arrives at 11 ms. The others, which would
/// arrive at 3 and 4 ms, wait for it if the order is kept.
#[test]
fn packets_wait_for_those_before_them_if_the_order_is_kept() {
    let packets = vec![(Time::ZERO, 1000); 3];
    let arrivals = |in_order, seed| {
        let (source, link) = run(arq(1, in_order), 0.4, packets.clone(), seed);
        (source.arrivals, link.retransmitted)
    };
    let ms = |all: &[(u32, u64)]| -> Vec<(u32, Time)> {
        all.iter()
            .map(|&(k, at)| (k, Time::from_millis(at)))
            .collect()
    };
    let free = ms(&[(1, 3), (2, 4), (0, 11)]);
    let seed = (0..500).find(|&seed| arrivals(false, seed) == (free.clone(), 1));
    let seed = seed.expect("one in twenty seeds");
    assert_eq!(arrivals(true, seed).0, ms(&[(0, 11), (1, 11), (2, 11)]));
}

/// A packet that is sent again comes before packets that have not been sent: with a backlog, the retry of the first
/// packet is transmitted from 9 ms on, and arrives at 11 ms, although 20 packets are waiting.
#[test]
fn retries_come_before_new_packets() {
    let packets = vec![(Time::ZERO, 1000); 30];
    let seed = (0..5_000).find(|&seed| {
        let (source, link) = run(arq(1, false), 0.05, packets.clone(), seed);
        link.retransmitted == 1 && !source.arrivals[..8].iter().any(|&(k, _)| k == 0)
    });
    let (source, _) = run(arq(1, false), 0.05, packets, seed.expect("some seed"));
    let first = source.arrivals.iter().find(|&&(k, _)| k == 0).unwrap();
    assert_eq!(first.1, Time::from_millis(11));
}

/// Bursts of at most 3 packets or 2500 bytes, each with 500 us in addition. The first packet to arrive
/// leaves alone, since nothing else waits yet. Of the four others, which wait, two fit into a burst of 2.5 ms; of
/// small ones, three.
#[test]
fn a_burst_arrives_at_its_end() {
    let own = Transmission {
        aggregate: Some(Aggregate {
            packets: 3,
            bytes: 2_500,
            overhead: Time::from_micros(500),
            all_or_none: false,
        }),
        ..Transmission::default()
    };
    let mut packets = vec![(Time::ZERO, 1000); 5];
    packets.extend([(Time::from_millis(20), 40); 5]);
    let (source, link) = run(own, 0.0, packets, 1);
    let at: Vec<u64> = source
        .arrivals
        .iter()
        .map(|(_, at)| at.as_nanos() / 10_000)
        .collect();
    assert_eq!(at[..5], [250, 500, 500, 750, 750]);
    assert_eq!(at[5..], [2_154, 2_216, 2_216, 2_216, 2_270]);
    assert_eq!(link.busy.as_nanos(), 5_200_000);
}

/// 3,001 packets wait; the first one leaves alone, the others in 750 bursts of four, of which 30 % are lost as a
/// whole. So packets arrive in fours; lost one by one, 76 % of the bursts would arrive in part.
#[test]
fn a_collision_loses_a_whole_burst() {
    let own = |all_or_none| Transmission {
        aggregate: Some(Aggregate {
            packets: 4,
            bytes: 65_535,
            overhead: Time::ZERO,
            all_or_none,
        }),
        ..Transmission::default()
    };
    let packets = vec![(Time::ZERO, 1000); 3_001];
    let bursts = |all_or_none| {
        let (source, link) = run(own(all_or_none), 0.3, packets.clone(), 3);
        assert_eq!(source.arrivals.len() as u64 + link.lost, 3_001);
        let after_first = source.arrivals.iter().filter(|(packet, _)| *packet > 0);
        let mut sizes = [0_u32; 5];
        let arrivals: Vec<Time> = after_first.map(|(_, at)| *at).collect();
        for burst in arrivals.chunk_by(|a, b| a == b) {
            sizes[burst.len()] += 1;
        }
        sizes
    };
    let [_, 0, 0, 0, whole] = bursts(true) else {
        panic!("bursts arrive in part");
    };
    // 525 are expected; the standard deviation is 12.5.
    assert!((475..575).contains(&whole), "{whole}");
    assert!(bursts(false)[1..4].iter().sum::<u32>() > 500);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Token bucket: in any span of t seconds, at most burst + rate t bytes start to be transmitted.
    #[test]
    fn a_shaper_keeps_its_bound(
        rate in 100_000_u64..4_000_000,
        burst in 1_500_u64..20_000,
        packets in proptest::collection::vec((0_u64..20_000, 40_u16..1_500), 1..120),
    ) {
        let own = Transmission {
            shaper: Some(Shaper { rate, burst }),
            ..Transmission::default()
        };
        let mut at = Time::ZERO;
        let packets: Vec<(Time, u16)> = packets.into_iter().map(|(gap, bytes)| {
            at += Time::from_micros(gap);
            (at, bytes)
        }).collect();
        let (source, _) = run(own, 0.0, packets.clone(), 1);
        prop_assert_eq!(source.arrivals.len(), packets.len());
        // When each packet started: 1 ms of delay and 1 us per byte before its arrival.
        let starts: Vec<(f64, f64)> = source.arrivals.iter().map(|&(k, at)| {
            let bytes = f64::from(packets[k as usize].1);
            (at.as_secs_f64() - 1e-3 - bytes * 1e-6, bytes)
        }).collect();
        for first in 0..starts.len() {
            let mut sum = 0.0;
            for &(start, bytes) in &starts[first..] {
                sum += bytes;
                let most = burst as f64 + rate as f64 / 8.0 * (start - starts[first].0);
                prop_assert!(sum <= most + 1e-3, "{sum} bytes, {most} allowed");
            }
        }
    }

    /// The bytes that a link sends while it is never idle are those that its rate allows.
    #[test]
    fn a_varying_rate_is_used_in_full(
        rates in proptest::collection::vec((1_u64..50, 0_u64..20), 1..6),
        packets in 1_usize..200,
    ) {
        let mut at = 0;
        let mut steps = vec![(Time::ZERO, 1_000_000)];
        for &(ms, rate) in &rates {
            at += ms;
            steps.push((Time::from_millis(at), rate * 400_000));
        }
        let period = Time::from_millis(at + 7);
        let steps = Steps::new(steps, Some(period)).unwrap();
        let rate = VaryingRate { steps: steps.clone(), in_service: Default::default() };
        let own = Transmission { rate: Some(rate), ..Transmission::default() };
        let (source, _) = run(own, 0.0, vec![(Time::ZERO, 700); packets], 1);
        // Follows the steps microsecond by microsecond; all changes are at whole milliseconds.
        let last = source.arrivals.last().unwrap().1 - Time::from_millis(1);
        let (mut bits, mut now) = (0.0, Time::ZERO);
        while now < last {
            bits += steps.at(now) as f64 * 1e-6;
            now += Time::from_micros(1);
        }
        let sent = 5_600.0 * packets as f64;
        prop_assert!((bits - sent).abs() <= 10.0, "{bits} bits in {last}, {sent} sent");
    }
}
