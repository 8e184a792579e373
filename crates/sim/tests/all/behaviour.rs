//! Small networks whose results are worked out by hand.

use std::sync::atomic::{AtomicBool, Ordering};

use dumbbell_sim::loss::{Bernoulli, Geometric};
use dumbbell_sim::{
    Arrived, Cause, EndpointId, Gone, Host, Kind, Kinds, Link, LinkId, Loss, LossModel, Options,
    Port, Queue, Red, SchedulerChoice, Simulation, Time, Topology, TopologyError,
};

const DATA: Kind = Kind::new(0);
const OTHER: Kind = Kind::new(1);

/// Sends numbered packets at given times from endpoint 0.
#[derive(Default)]
struct Script {
    /// Microseconds, bytes and kind, in the order of time.
    sends: Vec<(u64, u16, Kind)>,
    sent: usize,
    /// Microseconds and the packet's number.
    arrived: Vec<(u64, u32)>,
    discarded: Vec<u32>,
    causes: Vec<Cause>,
}

impl Script {
    fn new(sends: &[(u64, u16, Kind)]) -> Self {
        Self {
            sends: sends.to_vec(),
            ..Self::default()
        }
    }
}

impl Host for Script {
    type Payload = u32;

    fn on_packet(&mut self, net: &mut impl Port<u32>, _: EndpointId, packet: Arrived<u32>) {
        self.arrived.push((micros(net.now()), packet.payload));
    }

    fn on_timer(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        while let Some(&(at, bytes, kind)) = self.sends.get(self.sent) {
            let at = Time::from_micros(at);
            if at > net.now() {
                net.set_timer(endpoint, Some(at));
                return;
            }
            net.send(endpoint, bytes, kind, self.sent as u32);
            self.sent += 1;
        }
    }

    fn discard(&mut self, payload: u32, Gone { cause, .. }: Gone) {
        self.discarded.push(payload);
        self.causes.push(cause);
    }
}

fn micros(time: Time) -> u64 {
    assert_eq!(time.as_nanos() % 1_000, 0);
    time.as_nanos() / 1_000
}

/// A chain of links, each with a rate and a delay in microseconds, and a one-way connection.
fn chain(links: &[(u64, u64)], change: fn(Link) -> Link) -> Topology {
    let mut topology = Topology::new();
    let first = topology.node();
    let mut last = first;
    for &(rate, delay) in links {
        let next = topology.node();
        let link = Link::new("hop", last, next, rate, Time::from_micros(delay));
        topology.link(change(link));
        last = next;
    }
    topology.one_way(first, last);
    topology
}

fn run(topology: &Topology, host: Script, end: Time) -> Simulation<Script> {
    let mut simulation = Simulation::new(topology, host, 1, end).unwrap();
    simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
    simulation.run();
    simulation
}

/// 1000 bytes take 1 ms at 8 Mb/s and 0.1 ms at 80 Mb/s. The second packet waits 0.5 ms for the first
/// one; the third does not wait.
#[test]
fn store_and_forward() {
    let topology = chain(&[(8_000_000, 10_000), (80_000_000, 5_000)], |link| link);
    let host = Script::new(&[(0, 1000, DATA), (500, 1000, DATA), (3_000, 1000, DATA)]);
    let simulation = run(&topology, host, Time::from_secs(1));
    let arrived = &simulation.host().arrived;
    assert_eq!(arrived, &[(16_100, 0), (17_100, 1), (19_100, 2)]);
    assert_eq!(simulation.now(), Time::from_secs(1));
}

/// Five packets of 1 ms arrive at a queue with a limit of four; the run ends within the third
/// transmission. Times in the system up to the end: 1 + 2 + 2.5 + 2.5 = 8 packet milliseconds.
#[test]
fn counters_stop_at_the_end() {
    let topology = chain(&[(8_000_000, 2_000)], |link| {
        link.queue(Queue::DropTail { limit: 4 })
    });
    let burst = [(0, 1000, DATA); 5];
    let simulation = run(&topology, Script::new(&burst), Time::from_micros(2_500));
    let link = simulation.links()[0];
    let counts = [link.sent, link.delivered, link.dropped, link.in_flight];
    assert_eq!(counts, [5, 0, 1, 4]);
    assert_eq!(link.departed, [2, 0, 0, 0]);
    assert_eq!(link.departed_bytes, 2_000);
    assert_eq!(link.busy, Time::from_micros(2_500));
    assert_eq!(link.utilisation(), 1.0);
    assert_eq!(link.queue_mean(), 3.2);
    // 8 minus 2.5 of transmission, over the two packets that have left.
    assert_eq!(link.wait_mean(), Some(0.002_75));
    assert_eq!(link.rate(), 6_400_000.0);
    assert_eq!(simulation.host().discarded, [4]);
    assert_eq!(simulation.host().causes, [Cause::Dropped]);
}

/// The same burst on a link that loses everything: at the end two packets have been lost, and three are
/// still in the system.
#[test]
fn losses_stop_at_the_end() {
    let topology = chain(&[(8_000_000, 2_000)], |link| {
        link.loss(Loss {
            model: LossModel::Geometric(Geometric { probability: 1.0 }),
            kinds: Kinds::ALL,
        })
    });
    let burst = [(0, 1000, DATA); 5];
    let simulation = run(&topology, Script::new(&burst), Time::from_micros(2_500));
    let link = simulation.links()[0];
    assert_eq!([link.sent, link.lost, link.in_flight], [5, 2, 3]);
    assert_eq!(simulation.host().discarded, [0, 1]);
    assert_eq!(simulation.host().causes, [Cause::Lost; 2]);
}

#[test]
fn events_exactly_at_the_end_still_happen() {
    let topology = chain(&[(8_000_000, 2_000)], |link| link);
    for (end, delivered) in [(3_000_000, 1), (2_999_999, 0)] {
        let host = Script::new(&[(0, 1000, DATA)]);
        let simulation = run(&topology, host, Time::from_nanos(end));
        let link = simulation.link(LinkId::from_index(0));
        assert_eq!([link.delivered, link.in_flight], [delivered, 1 - delivered]);
        assert_eq!(simulation.host().arrived.len() as u64, delivered);
    }
}

/// A link that loses all data packets and no others. The lost packets are still transmitted.
#[test]
fn losses_act_on_their_kinds_after_the_queue() {
    let topology = chain(&[(8_000_000, 2_000)], |link| {
        link.loss(Loss {
            model: LossModel::Bernoulli(Bernoulli { probability: 1.0 }),
            kinds: Kinds::only(DATA),
        })
    });
    let host = Script::new(&[
        (0, 1000, DATA),
        (0, 1000, OTHER),
        (0, 1000, DATA),
        (0, 1000, OTHER),
    ]);
    let simulation = run(&topology, host, Time::from_secs(1));
    assert_eq!(simulation.host().arrived, [(4_000, 1), (6_000, 3)]);
    assert_eq!(simulation.host().discarded, [0, 2]);
    let link = simulation.links()[0];
    assert_eq!([link.sent, link.delivered, link.lost], [4, 2, 2]);
    assert_eq!(link.departed, [2, 2, 0, 0]);
    assert_eq!(link.busy, Time::from_millis(4));
}

/// Two lossy links in a row, the first for one kind and the second for the other: the data packets that
/// the second one loses do not depend on what the first one draws.
#[test]
fn random_numbers_belong_to_a_link() {
    let lost_data = |loss_before| {
        let mut topology = Topology::new();
        let nodes = [(); 3].map(|()| topology.node());
        let hop = |from: usize, kind, probability| {
            let (from, to) = (nodes[from], nodes[from + 1]);
            Link::new("hop", from, to, 8_000_000, Time::ZERO).loss(Loss {
                model: LossModel::Bernoulli(Bernoulli { probability }),
                kinds: Kinds::only(kind),
            })
        };
        topology.link(hop(0, OTHER, loss_before));
        topology.link(hop(1, DATA, 0.3));
        topology.one_way(nodes[0], nodes[2]);
        let kind = |number| if number % 3 == 0 { OTHER } else { DATA };
        let sends: Vec<_> = (0..300).map(|k| (k, 1000, kind(k))).collect();
        let simulation = run(&topology, Script::new(&sends), Time::from_secs(1));
        let mut lost = simulation.host().discarded.clone();
        let other = lost.iter().filter(|&&number| number % 3 == 0).count();
        assert_eq!(simulation.links()[0].lost, other as u64);
        lost.retain(|&number| number % 3 > 0);
        lost
    };
    let alone = lost_data(0.0);
    assert!(alone.len() > 30 && alone.len() < 90);
    assert_eq!(lost_data(0.5), alone);
    assert_eq!(lost_data(1.0), alone);
}

/// Executes commands on timers and records when they expire.
struct Timers {
    /// For each expiry of endpoint 0: what to set for endpoints 0 and 1, in milliseconds.
    commands: Vec<[Option<Option<u64>>; 2]>,
    fired: Vec<(u64, usize)>,
}

impl Host for Timers {
    type Payload = ();

    fn on_packet(&mut self, _: &mut impl Port<()>, _: EndpointId, _: Arrived<()>) {}

    fn on_timer(&mut self, net: &mut impl Port<()>, endpoint: EndpointId) {
        self.fired
            .push((net.now().as_nanos() / 1_000_000, endpoint.index()));
        if endpoint.index() == 0 && !self.commands.is_empty() {
            for (index, command) in self.commands.remove(0).into_iter().enumerate() {
                if let Some(deadline) = command {
                    let endpoint = EndpointId::from_index(index);
                    net.set_timer(endpoint, deadline.map(Time::from_millis));
                }
            }
        }
    }
}

#[test]
fn timers_move_both_ways_stop_and_fire_once() {
    let topology = chain(&[(8_000_000, 0)], |link| link);
    for scheduler in [
        SchedulerChoice::Tree,
        SchedulerChoice::Wheel {
            buckets: 6,
            width: 10,
        },
    ] {
        let host = Timers {
            commands: vec![
                [Some(Some(1)), Some(Some(9))],   // at 0
                [Some(Some(2)), Some(Some(50))],  // at 1: later
                [Some(Some(3)), Some(Some(4))],   // at 2: earlier
                [Some(Some(6)), None],            // at 3
                [Some(Some(7)), Some(Some(8))],   // at 6
                [Some(Some(10)), Some(None)],     // at 7: stopped
                [Some(Some(5)), Some(Some(500))], // at 10: a time in the past means now
            ],
            fired: Vec::new(),
        };
        let options = Options {
            scheduler,
            ..Options::default()
        };
        let end = Time::from_millis(499);
        let mut simulation = Simulation::with_options(&topology, host, 1, end, options).unwrap();
        simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
        simulation.run();
        let expected = [
            (0, 0),
            (1, 0),
            (2, 0),
            (3, 0),
            (4, 1),
            (6, 0),
            (7, 0),
            (10, 0),
            (10, 0),
        ];
        assert_eq!(simulation.host().fired, expected);
        assert_eq!(simulation.events(), 9);
    }
}

/// Sends a packet from the receiving end.
struct Wrong;

impl Host for Wrong {
    type Payload = ();

    fn on_packet(&mut self, _: &mut impl Port<()>, _: EndpointId, _: Arrived<()>) {}

    fn on_timer(&mut self, net: &mut impl Port<()>, endpoint: EndpointId) {
        net.send(endpoint.peer(), 40, DATA, ());
    }
}

#[test]
#[should_panic(expected = "only receives")]
fn a_receiving_end_must_not_send() {
    let topology = chain(&[(8_000_000, 0)], |link| link);
    let mut simulation = Simulation::new(&topology, Wrong, 1, Time::from_secs(1)).unwrap();
    simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
    simulation.run();
}

/// Endpoint 0 restarts its timer for ever, a microsecond at a time, and sets the flag at some point.
struct Clock<'a> {
    flag: &'a AtomicBool,
    ticks: u64,
}

impl Host for Clock<'_> {
    type Payload = ();

    fn on_packet(&mut self, _: &mut impl Port<()>, _: EndpointId, _: Arrived<()>) {}

    fn on_timer(&mut self, net: &mut impl Port<()>, endpoint: EndpointId) {
        self.ticks += 1;
        self.flag.store(self.ticks == 1_000, Ordering::Relaxed);
        if self.ticks >= 1_000 && self.ticks < 10_000 {
            self.flag.store(true, Ordering::Relaxed);
        }
        net.set_timer(endpoint, Some(net.now() + Time::from_micros(1)));
    }
}

#[test]
fn a_flag_interrupts_a_run_and_it_can_go_on() {
    let flag = AtomicBool::new(false);
    let topology = chain(&[(8_000_000, 0)], |link| link);
    let host = Clock {
        flag: &flag,
        ticks: 0,
    };
    let end = Time::from_millis(100);
    let mut simulation = Simulation::new(&topology, host, 1, end).unwrap();
    simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
    assert!(!simulation.run_until_interrupted(&flag));
    let ticks = simulation.host().ticks;
    assert!((1_000..20_000).contains(&ticks), "{ticks}");
    assert_eq!(simulation.now(), Time::from_micros(ticks - 1));
    while !simulation.run_until_interrupted(&flag) {}
    assert_eq!(simulation.now(), end);
    assert_eq!(simulation.host().ticks, 100_001);
    assert_eq!(simulation.step(), None);
}

#[test]
fn invalid_topologies_and_options_are_rejected() {
    let topology = chain(&[(8_000_000, 0)], |link| link);
    let error = |topology: &Topology, end, scheduler| {
        let options = Options {
            scheduler,
            ..Options::default()
        };
        Simulation::with_options(topology, Script::default(), 1, end, options).unwrap_err()
    };
    let nine_years = Time::from_nanos(1 << 58);
    let automatic = SchedulerChoice::Automatic;
    assert_eq!(
        error(&topology, nine_years, automatic),
        TopologyError::TooLong
    );
    let wheel = SchedulerChoice::Wheel {
        buckets: 19,
        width: 0,
    };
    assert_eq!(
        error(&topology, Time::ZERO, wheel),
        TopologyError::Scheduler
    );
    // With four leaves 62 bits are left for the time, which is enough; with 2^16 leaves 48 bits are left.
    let four_years = Time::from_nanos(1 << 57);
    let simulation = Simulation::new(&topology, Script::default(), 1, four_years);
    assert!(simulation.is_ok());
    let mut large = topology.clone();
    let (a, b) = (large.node(), large.node());
    large.link(Link::new("hop", a, b, 1, Time::ZERO));
    for _ in 0..32_768 {
        large.one_way(a, b);
    }
    assert_eq!(
        error(&large, Time::ZERO, SchedulerChoice::Tree),
        TopologyError::Scheduler
    );
    // The wheel is used instead.
    let simulation = Simulation::new(&large, Script::default(), 1, four_years);
    assert!(simulation.is_ok());
    let red = Red {
        min: 15.0,
        max: 5.0,
        weight: 0.002,
        pmax: 0.1,
        gentle: false,
        ecn: false,
        limit: 60,
        mean_size: 500,
    };
    let mut wrong = topology.clone();
    let link = wrong.links()[0].clone().queue(Queue::Red(red));
    wrong.link(link);
    let message = error(&wrong, Time::ZERO, automatic).to_string();
    assert_eq!(
        message,
        "link \"hop\": the thresholds of a RED queue must be 0 <= min < max"
    );
    let loss = Loss {
        model: LossModel::Bernoulli(Bernoulli { probability: 1.5 }),
        kinds: Kinds::ALL,
    };
    large.link(Link::new("bad", a, b, 1, Time::ZERO).loss(loss));
    let message = error(&large, Time::ZERO, automatic).to_string();
    assert_eq!(
        message,
        "link \"bad\": a loss probability must be from 0 to 1"
    );
}
