//! Links compared with formulas of queueing theory and with throughputs worked out by hand.
//!
//! Waits are means over independent runs; they must be within five standard errors of the formula, and the standard
//! error must be small, so that the test has something to say.

use dumbbell_sim::random::{Component, Random, stream};
use dumbbell_sim::{
    Aggregate, Arrived, EndpointId, Host, Kind, Link, LinkStatistics, Opportunities, Port, Queue,
    Shaper, Simulation, Time, Topology, Transmission,
};

/// 1 us per byte.
const RATE: u64 = 8_000_000;
/// 1 ms at this rate.
const BYTES: u16 = 1_000;
const DELAY: Time = Time::from_millis(3);

#[derive(Clone, Copy)]
enum Size {
    Constant,
    Exponential,
}

/// Sends packets with exponentially distributed gaps, and notes how long each takes.
struct Poisson {
    draws: Random,
    /// In seconds.
    mean_gap: f64,
    size: Size,
    left: u32,
    /// Since it was sent, until it arrived; and its size.
    seen: Vec<(Time, u16)>,
}

impl Host for Poisson {
    type Payload = u64;

    fn on_packet(&mut self, net: &mut impl Port<u64>, _: EndpointId, packet: Arrived<u64>) {
        let taken = net.now() - Time::from_nanos(packet.payload);
        self.seen.push((taken, packet.bytes));
    }

    fn on_timer(&mut self, net: &mut impl Port<u64>, endpoint: EndpointId) {
        let bytes = match self.size {
            Size::Constant => BYTES,
            Size::Exponential => self.draws.exponential(f64::from(BYTES)).round().max(1.0) as u16,
        };
        net.send(endpoint, bytes, Kind::new(0), net.now().as_nanos());
        self.left -= 1;
        if self.left > 0 {
            let gap = Time::from_secs_f64(self.draws.exponential(self.mean_gap));
            net.set_timer(endpoint, Some(net.now() + gap));
        }
    }
}

/// Sends this many packets over one link, `load` of which its rate allows.
fn poisson(
    link: impl Fn(Link) -> Link,
    size: Size,
    load: f64,
    packets: u32,
    seed: u64,
) -> (Poisson, LinkStatistics) {
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    let link = topology.link(link(
        Link::new("link", a, b, RATE, DELAY).queue(Queue::Unlimited),
    ));
    let (from, _) = topology.one_way(a, b);
    let host = Poisson {
        draws: stream(seed, Component::early(link)),
        mean_gap: 1e-3 / load,
        size,
        left: packets,
        seen: Vec::new(),
    };
    let mut simulation = Simulation::new(&topology, host, seed, Time::from_secs(100_000)).unwrap();
    simulation.set_timer(from, Some(Time::ZERO));
    simulation.run();
    let counters = simulation.link(link);
    (simulation.into_host(), counters)
}

/// Compares the mean of some runs with what is expected, and how sure that mean is.
fn agrees(what: &str, runs: &[f64], expected: f64) {
    let n = runs.len() as f64;
    let mean = runs.iter().sum::<f64>() / n;
    let variance = runs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    assert!(error < 0.01 * expected, "{what}: {mean} +- {error}");
    let off = (mean - expected).abs();
    assert!(
        off < 5.0 * error,
        "{what}: {mean} +- {error}, not {expected}"
    );
}

/// Returns the mean waits in milliseconds, and the shares of packets that did not wait, of 16 runs.
fn waits(link: impl Fn(Link) -> Link, size: Size, load: f64) -> (Vec<f64>, Vec<f64>) {
    let runs = (0..16).map(|seed| {
        let (host, counters) = poisson(&link, size, load, 60_000, seed);
        assert_eq!(host.seen.len(), 60_000);
        let waits = host
            .seen
            .iter()
            .map(|&(taken, bytes)| (taken - DELAY).as_nanos() - u64::from(bytes) * 1_000);
        let waits: Vec<u64> = waits.collect();
        let sum: u64 = waits.iter().sum();
        let prompt = waits.iter().filter(|&&wait| wait == 0).count();
        let mean = sum as f64 / 6e4 / 1e6;
        let by_little = counters.wait_mean().unwrap() * 1e3;
        assert!((mean - by_little).abs() < 1e-6, "{mean}, {by_little}");
        if let Some(sojourn) = counters.sojourn {
            let measured = sojourn.mean * 1e3;
            assert!((mean - measured).abs() < 1e-6, "{mean}, {measured}");
        }
        (mean, prompt as f64 / 6e4)
    });
    runs.unzip()
}

/// Pollaczek and Khinchine, for packets of one size that take 1 ms: a packet waits load / (2 (1 - load)) ms. At loads
/// of 0.5 and 0.8, 0.5 and 2 ms. A packet does not wait with probability 1 - load, since it sees what a random moment
/// sees. The same where the queue holds its packets, and a token bucket that is always full changes nothing.
#[test]
fn packets_of_one_size_wait_as_in_m_d_1() {
    let full = Transmission {
        shaper: Some(Shaper {
            rate: 10 * RATE,
            burst: 1_000_000,
        }),
        ..Transmission::default()
    };
    let links: [&dyn Fn(Link) -> Link; 3] = [&|link| link, &Link::measuring_sojourns, &|link| {
        link.transmission(full.clone())
    }];
    for link in links {
        for (load, wait) in [(0.5, 0.5), (0.8, 2.0)] {
            let (waits, prompt) = waits(link, Size::Constant, load);
            agrees("wait", &waits, wait);
            agrees("no wait", &prompt, 1.0 - load);
        }
    }
}

/// M/M/1: load / (1 - load) ms, twice as long.
#[test]
fn packets_of_exponential_size_wait_as_in_m_m_1() {
    let links: [&dyn Fn(Link) -> Link; 2] = [&|link| link, &Link::measuring_sojourns];
    for link in links {
        for (load, wait) in [(0.3, 3.0 / 7.0), (0.7, 7.0 / 3.0)] {
            let (waits, prompt) = waits(link, Size::Exponential, load);
            agrees("wait", &waits, wait);
            agrees("no wait", &prompt, 1.0 - load);
        }
    }
}

/// A shaper that gives each packet of 1000 bytes a token's worth every 1 ms, in front of a link ten times as fast, and
/// with a bucket of one packet, is a server of its own: M/D/1 with 1 ms per packet, of which 0.9 ms are idle.
#[test]
fn a_bucket_of_one_packet_makes_packets_wait_as_in_m_d_1() {
    let own = Transmission {
        shaper: Some(Shaper {
            rate: RATE,
            burst: 1_000,
        }),
        ..Transmission::default()
    };
    let fast = |link: Link| {
        Link {
            rate: 10 * RATE,
            ..link
        }
        .transmission(own.clone())
    };
    let runs: Vec<f64> = (0..16)
        .map(|seed| {
            let (host, _) = poisson(fast, Size::Constant, 0.8, 60_000, seed);
            let waits = host.seen.iter().map(|&(taken, _)| taken - DELAY);
            waits
                .map(|wait| wait.as_secs_f64() * 1e3 - 0.1)
                .sum::<f64>()
                / 6e4
        })
        .collect();
    agrees("wait", &runs, 2.0);
}

/// Returns the bytes per second that a link delivers within ten seconds, starting with 20,000 packets.
fn backlogged(link: impl Fn(Link) -> Link) -> u64 {
    struct Flood(u64);
    impl Host for Flood {
        type Payload = ();
        fn on_packet(&mut self, _: &mut impl Port<()>, _: EndpointId, packet: Arrived<()>) {
            self.0 += u64::from(packet.bytes);
        }
        fn on_timer(&mut self, net: &mut impl Port<()>, endpoint: EndpointId) {
            (0..20_000).for_each(|_| net.send(endpoint, BYTES, Kind::new(0), ()));
        }
    }
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    topology.link(link(Link::new("link", a, b, RATE, Time::ZERO)));
    let (from, _) = topology.one_way(a, b);
    let mut simulation = Simulation::new(&topology, Flood(0), 1, Time::from_secs(10)).unwrap();
    simulation.set_timer(from, Some(Time::ZERO));
    simulation.run();
    simulation.into_host().0 / 10
}

/// Four packets, 4 ms, and 1 ms in addition: 800 bytes per ms. The first packet leaves alone, in 2 ms; 1999 whole
/// bursts of 5 ms fit into the 9998 ms after it.
#[test]
fn overhead_is_divided_among_the_packets_of_a_burst() {
    let own = Transmission {
        aggregate: Some(Aggregate {
            packets: 4,
            bytes: 65_535,
            overhead: Time::from_millis(1),
            all_or_none: false,
        }),
        ..Transmission::default()
    };
    let sent = backlogged(|link| link.transmission(own.clone()));
    assert_eq!(sent, (1 + 1_999 * 4) * 100);
}

/// Grants of 3000 bytes every 5 ms, or of 1500 every 2.5 ms, into which packets do not fit: 600 bytes per ms. The
/// first can be used 6 ms after it is asked for, so that those up to 5 ms are missed: 3000 bytes of 6,000,000.
#[test]
fn grants_are_used_in_full() {
    let request = |ms| Transmission {
        request: Time::from_millis(ms),
        ..Transmission::default()
    };
    for bytes in [3_000, 1_500] {
        let period = Time::from_micros(u64::from(bytes) * 5 / 3);
        let grants = Opportunities::new([period], bytes).unwrap();
        let link = |link: Link| link.driven_by(grants.clone()).transmission(request(6));
        assert_eq!(backlogged(link), 599_700);
    }
}

/// Without a backlog, a packet asks 6 ms ahead, and then waits for the next of the grants, 4 ms apart: for anything
/// from 0 to 4 ms. At 2 % of the capacity, packets rarely meet: 8 ms on average, within 2 %.
#[test]
fn a_lone_packet_waits_for_its_request_and_half_a_period() {
    let grants = Opportunities::new([Time::from_millis(4)], 4_000).unwrap();
    let own = Transmission {
        request: Time::from_millis(6),
        ..Transmission::default()
    };
    let link = |link: Link| link.driven_by(grants.clone()).transmission(own.clone());
    let (host, _) = poisson(link, Size::Constant, 0.002, 40_000, 1);
    let waits = host
        .seen
        .iter()
        .map(|&(taken, _)| (taken - DELAY).as_secs_f64() * 1e3);
    let mean = waits.sum::<f64>() / 4e4;
    assert!((mean - 8.0).abs() < 0.16, "{mean} ms");
}
