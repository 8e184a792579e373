//! Compares RED queues with those of ns-2: with recorded numbers that `ns validation/ns2/red.tcl`
//! printed, and with new runs of ns-2 if it is installed.
//!
//! The differences between the two (see `queue/red.rs`) are too small to be visible here; `wait_` is
//! off.

use std::process::Command;

use dumbbell_sim::{
    Arrived, EndpointId, Host, Kind, Link, Port, Queue, Red, Simulation, Time, Topology,
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../validation/ns2/red.tcl");
const END: Time = Time::from_secs(200);

/// Sends packets of 1000 B in bursts, with a gap between two packets of a burst; bursts start a period
/// apart.
struct Source {
    burst: u64,
    gap: Time,
    period: Time,
    sent: u64,
}

impl Host for Source {
    type Payload = ();

    fn on_packet(&mut self, _: &mut impl Port<()>, _: EndpointId, _: Arrived<()>) {}

    fn on_timer(&mut self, net: &mut impl Port<()>, endpoint: EndpointId) {
        net.send(endpoint, 1000, Kind::new(0), ());
        self.sent += 1;
        let (bursts, rest) = (self.sent / self.burst, self.sent % self.burst);
        let nanos = bursts * self.period.as_nanos() + rest * self.gap.as_nanos();
        net.set_timer(endpoint, Some(Time::from_nanos(nanos)));
    }
}

/// The numbers that are compared.
#[derive(Clone, Copy, Debug)]
struct Counts {
    arrivals: f64,
    drops: f64,
    /// Mean number of waiting packets.
    waiting: f64,
}

/// Runs the steady source, or the bursty one, over 8 Mb/s.
fn run(steady: bool, seed: u64) -> Counts {
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    let queue = Queue::Red(Red {
        min: 5.0,
        max: 15.0,
        weight: if steady { 0.002 } else { 0.02 },
        pmax: 0.1,
        gentle: false,
        ecn: false,
        limit: 60,
        mean_size: 1000,
    });
    let link = Link::new("link", a, b, 8_000_000, Time::from_millis(10));
    let link = topology.link(link.queue(queue));
    topology.one_way(a, b);
    let source = match steady {
        true => Source {
            burst: 1,
            gap: Time::ZERO,
            // 8.4 Mb/s.
            period: Time::from_nanos(952_381),
            sent: 0,
        },
        false => Source {
            burst: 100,
            gap: Time::from_micros(100),
            period: Time::from_millis(200),
            sent: 0,
        },
    };
    let mut simulation = Simulation::new(&topology, source, seed, END).unwrap();
    simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
    simulation.run();
    let link = simulation.link(link);
    Counts {
        arrivals: link.sent as f64,
        drops: link.dropped as f64,
        waiting: link.queue_mean() - link.utilisation(),
    }
}

/// The same from ns-2; `None` if it is not installed.
fn ns2(steady: bool, seed: u64) -> Option<Counts> {
    let kind = if steady { "steady" } else { "bursts" };
    let seed = seed.to_string();
    let output = Command::new("ns").args([SCRIPT, kind, &seed]).output();
    let text = String::from_utf8(output.ok()?.stdout).unwrap();
    let numbers: Vec<f64> = text
        .split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect();
    let [arrivals, drops, waiting] = numbers[..] else {
        panic!("ns-2 says {text}");
    };
    Some(Counts {
        arrivals,
        drops,
        waiting,
    })
}

fn compare(steady: bool, recorded: Counts, tolerance: [f64; 2]) {
    let mine = run(steady, 1);
    for theirs in [Some(recorded), ns2(steady, 7)].into_iter().flatten() {
        let near = |a: f64, b: f64, share: f64| (a - b).abs() <= share * b;
        assert!(
            near(mine.arrivals, theirs.arrivals, 1e-4)
                && near(mine.drops, theirs.drops, tolerance[0])
                && near(mine.waiting, theirs.waiting, tolerance[1]),
            "{mine:?} {theirs:?}"
        );
    }
}

/// One packet of 21 must be dropped, so the average settles where RED drops that many. Gaps of
/// 1 to 1/p - 1 packets with equal probability have a mean of 1 / 2p, so p = 1/42, and
/// 5 + 10 * p / 0.1 = 7.38 packets wait. The queue is longer at first, until the average has risen.
#[test]
fn a_steady_overload() {
    let recorded = Counts {
        arrivals: 210_000.0,
        drops: 9_991.0,
        waiting: 7.886,
    };
    compare(true, recorded, [0.005, 0.02]);
    let settled = run(true, 2).waiting;
    assert!(settled > 7.38 && settled < 8.2, "{settled}");
}

/// The average falls while the link is idle, which is 141 ms or more of every 200 ms.
#[test]
fn bursts_and_idle_times() {
    let recorded = Counts {
        arrivals: 100_000.0,
        drops: 55_155.0,
        waiting: 4.418,
    };
    compare(false, recorded, [0.005, 0.01]);
}
