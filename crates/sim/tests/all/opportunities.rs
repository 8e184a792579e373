//! Links with recorded opportunities, whose results are worked out by hand.

use dumbbell_sim::{
    AckFilter, Arrived, EndpointId, Host, Kind, Label, Link, LinkStatistics, Opportunities,
    Options, Port, Queue, Simulation, Time, Topology,
};

const DATA: Kind = Kind::new(0);

/// Sends probes of these sizes at these times, and records when they arrive and how long they waited.
struct Script {
    /// Microseconds and bytes, in the order of time.
    sends: Vec<(u64, u16)>,
    sent: usize,
    arrived: Vec<Seen>,
}

/// Packet number, arrival time in microseconds, and the waiting time that the probe reports.
type Seen = (u32, u64, Option<u32>);

impl Host for Script {
    type Payload = u32;

    fn on_packet(&mut self, net: &mut impl Port<u32>, _: EndpointId, packet: Arrived<u32>) {
        let now = net.now().as_nanos();
        assert_eq!(now % 1_000, 0);
        self.arrived
            .push((packet.payload, now / 1_000, packet.queueing));
    }

    fn on_timer(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        while let Some(&(at, bytes)) = self.sends.get(self.sent) {
            let at = Time::from_micros(at);
            if at > net.now() {
                net.set_timer(endpoint, Some(at));
                return;
            }
            let number = self.sent as u32;
            let label = Label {
                probe: true,
                supersedes: Some((0, u64::from(number))),
                ..Label::NONE
            };
            net.send_labelled(endpoint, bytes, DATA, number, label);
            self.sent += 1;
        }
    }
}

/// Opportunities at these milliseconds, for 1500 bytes each.
fn at(ms: &[u64]) -> Opportunities {
    Opportunities::new(ms.iter().copied().map(Time::from_millis), 1500).unwrap()
}

/// Runs one such link with a delay of 3 ms, until `end` in milliseconds.
fn run(
    schedule: &[u64],
    queue: Queue,
    sends: &[(u64, u16)],
    end: u64,
) -> (Vec<Seen>, LinkStatistics) {
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    let link = Link::new("cell", a, b, 1, Time::from_millis(3))
        .driven_by(at(schedule))
        .queue(queue)
        .stamping();
    let link = topology.link(link);
    topology.one_way(a, b);
    let host = Script {
        sends: sends.to_vec(),
        sent: 0,
        arrived: Vec::new(),
    };
    let mut simulation = Simulation::new(&topology, host, 1, Time::from_millis(end)).unwrap();
    simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
    simulation.run();
    let statistics = simulation.link(link);
    (simulation.into_host().arrived, statistics)
}

/// Opportunities at 5, 11 and 20 ms, then at 25, 31 and 40. Packet 0 leaves at 5. Packet 1 takes 500
/// bytes at 5 and 500 at 11; packet 2 takes 1000 bytes at 11. No packet waits at 20. Packet 3 arrives
/// exactly at 25, too late for that opportunity, and shares the one at 31 with packet 4.
#[test]
fn packets_leave_at_opportunities() {
    let sends = [
        (0, 1000),
        (0, 1000),
        (2_000, 1000),
        (25_000, 40),
        (30_500, 1460),
    ];
    let (arrived, link) = run(&[5, 11, 20], Queue::Unlimited, &sends, 45);
    let expected = [
        (0, 8_000, Some(5_000)),
        (1, 14_000, Some(5_000)),
        (2, 14_000, Some(9_000)),
        (3, 34_000, Some(6_000)),
        (4, 34_000, Some(500)),
    ];
    assert_eq!(arrived, expected);
    // Seven opportunities by 45 ms, for 10,500 bytes; 4500 were used.
    assert_eq!(link.offered_bytes, Some(10_500));
    assert_eq!(link.departed_bytes, 4_500);
    assert_eq!(link.utilisation(), 3.0 / 7.0);
    // From the first byte of packet 1 to its last.
    assert_eq!(link.busy, Time::from_millis(6));
    // The packets were in the system for 5, 11, 9, 6 and 0.5 ms, of which 6 ms were transmission.
    assert_eq!(link.queue_integral, 31_500_000);
    assert_eq!(link.wait_mean(), Some(5.1e-3));
}

/// A limit of two: the third packet is dropped although all three would fit into one opportunity.
#[test]
fn a_full_queue_drops_packets_that_would_fit_the_opportunity() {
    let sends = [(0, 40), (1_000, 40), (4_999, 40), (5_000, 40)];
    let (arrived, link) = run(&[5], Queue::DropTail { limit: 2 }, &sends, 20);
    let numbers: Vec<(u32, u64)> = arrived.iter().map(|seen| (seen.0, seen.1)).collect();
    assert_eq!(numbers, [(0, 8_000), (1, 8_000), (3, 13_000)]);
    assert_eq!((link.sent, link.dropped, link.delivered), (4, 1, 3));
}

/// A filter removes packets whose transmission has not begun. Packet 0 sends its first 1500 bytes at 5
/// ms and stays. Packet 1 is removed by 2, and 2 by 3, which leaves with the rest of 0 at 11 ms.
#[test]
fn a_filter_removes_packets_whose_transmission_has_not_begun() {
    let filter = Queue::AckFilter(AckFilter {
        limit: 100,
        replace_head: false,
        threshold: 0,
    });
    let sends = [(0, 2000), (6_000, 40), (7_000, 40), (9_000, 40)];
    let (arrived, link) = run(&[5, 11], filter, &sends, 40);
    assert_eq!(
        arrived,
        [(0, 14_000, Some(5_000)), (3, 14_000, Some(2_000))]
    );
    assert_eq!((link.filtered, link.delivered), (2, 2));
    // Before its transmission begins, packet 0 is removed like any other.
    let (arrived, link) = run(&[5, 11], filter, &[(0, 2000), (4_999, 40), (5_000, 40)], 40);
    assert_eq!(arrived, [(1, 8_000, Some(1)), (2, 14_000, Some(6_000))]);
    assert_eq!(link.filtered, 1);
}

/// An opportunity for 1500 bytes every 6 ms is 2 Mb/s: if the queue is never empty, the packets of both
/// links leave within one opportunity of each other, whatever their size.
#[test]
fn a_regular_schedule_matches_a_constant_rate() {
    for bytes in [1500, 1000, 40] {
        for merge in [false, true] {
            let arrivals = |link: fn(Link) -> Link| {
                let mut topology = Topology::new();
                let nodes = [(); 3].map(|()| topology.node());
                let delay = Time::from_millis(1);
                topology.link(Link::new("in", nodes[0], nodes[1], 100_000_000_000, delay));
                topology.link(link(Link::new("out", nodes[1], nodes[2], 2_000_000, delay)));
                topology.one_way(nodes[0], nodes[2]);
                let host = Times {
                    bytes,
                    arrived: Vec::new(),
                };
                let end = Time::from_secs(20);
                let options = Options {
                    merge,
                    ..Options::default()
                };
                let mut simulation =
                    Simulation::with_options(&topology, host, 1, end, options).unwrap();
                simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
                simulation.run();
                simulation.into_host().arrived
            };
            let constant = arrivals(|link| link);
            let recorded = arrivals(|link| link.driven_by(at(&[6])));
            assert_eq!((constant.len(), recorded.len()), (2_000, 2_000));
            for (constant, recorded) in constant.iter().zip(recorded) {
                let late = recorded.as_nanos() as f64 - constant.as_nanos() as f64;
                assert!(late.abs() < 6e6, "{bytes}: {late}");
            }
        }
    }
}

/// Sends 2000 packets at once, and records when they arrive.
struct Times {
    bytes: u16,
    arrived: Vec<Time>,
}

impl Host for Times {
    type Payload = ();

    fn on_packet(&mut self, net: &mut impl Port<()>, _: EndpointId, _: Arrived<()>) {
        self.arrived.push(net.now());
    }

    fn on_timer(&mut self, net: &mut impl Port<()>, endpoint: EndpointId) {
        for _ in 0..2_000 {
            net.send(endpoint, self.bytes, DATA, ());
        }
    }
}
