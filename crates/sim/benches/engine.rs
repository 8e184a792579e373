//! Measures the speed of the engine: data packets per second of processor time.
//!
//! The host is minimal: a fixed window for each flow and one ACK for each packet. The network is a
//! dumbbell with three hops each way, so a data packet and its ACK take six hops. In some cases the
//! routers do more than queue packets; packets carry labels in those cases. `cargo bench -p dumbbell-sim
//! [-- words]` runs the cases whose names contain all the words.

use cpu_time::ProcessTime;
use dumbbell_sim::{
    AckFilter, Arrived, Ecn, EndpointId, Host, Kind, Label, Link, Options, Port, Queue, Red,
    Simulation, Time, Topology,
};

const DATA: Kind = Kind::new(0);
const ACK: Kind = Kind::new(1);

/// The size of the payload that a TCP host uses.
type Payload = [u32; 5];

/// Every even endpoint sends `window` packets, then one more for every packet acknowledged.
struct Windows {
    window: u32,
    labelled: bool,
    flows: Vec<Flow>,
}

#[derive(Clone, Copy, Default)]
struct Flow {
    next: u32,
    acknowledged: u32,
}

impl Windows {
    fn send(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        let flow = &mut self.flows[endpoint.index() / 2];
        let payload = [flow.next; 5];
        flow.next += 1;
        if self.labelled {
            let label = Label {
                flow: 0,
                ecn: Ecn::Ect0,
                probe: true,
                supersedes: None,
            };
            net.send_labelled(endpoint, 1000, DATA, payload, label);
        } else {
            net.send(endpoint, 1000, DATA, payload);
        }
    }
}

impl Host for Windows {
    type Payload = Payload;

    fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: Arrived<Payload>,
    ) {
        let number = packet.payload[0];
        if packet.kind != DATA {
            let flow = &mut self.flows[endpoint.index() / 2];
            let news = number + 1 - flow.acknowledged;
            flow.acknowledged = number + 1;
            net.set_timer(endpoint, Some(net.now() + Time::from_secs(1)));
            for _ in 0..news {
                self.send(net, endpoint);
            }
        } else if self.labelled {
            let label = Label {
                probe: true,
                supersedes: Some((endpoint.index() as u32, u64::from(number))),
                ..Label::NONE
            };
            net.send_labelled(endpoint, 40, ACK, packet.payload, label);
        } else {
            net.send(endpoint, 40, ACK, packet.payload);
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        for _ in 0..self.window {
            self.send(net, endpoint);
        }
    }
}

struct Case {
    name: &'static str,
    flows: u32,
    window: u32,
    /// Rate of the bottleneck, in bits per second.
    rate: u64,
    /// The one-way access delay of a flow.
    access: fn(u32) -> Time,
    end: Time,
    routers: Routers,
}

/// What the routers of a case do besides queueing packets.
#[derive(Clone, Copy, PartialEq)]
enum Routers {
    Plain,
    /// Add up the time that packets wait.
    Stamping,
    /// Mark packets.
    Red,
    /// Remove ACKs on a return path that is too slow for all of them.
    AckFilter,
}

/// A case with a hundred flows whose routers do `routers`.
const fn hundred(name: &'static str, routers: Routers) -> Case {
    Case {
        name,
        flows: 100,
        window: 20,
        rate: 1_000_000_000,
        access: |_| Time::from_millis(1),
        end: Time::from_secs(40),
        routers,
    }
}

const CASES: [Case; 10] = [
    Case {
        name: "1 flow",
        flows: 1,
        window: 350,
        rate: 100_000_000,
        access: |_| Time::from_millis(1),
        end: Time::from_secs(400),
        routers: Routers::Plain,
    },
    Case {
        name: "100 flows",
        flows: 100,
        window: 20,
        rate: 1_000_000_000,
        access: |_| Time::from_millis(1),
        end: Time::from_secs(80),
        routers: Routers::Plain,
    },
    Case {
        name: "100 flows spread",
        flows: 100,
        window: 60,
        rate: 1_000_000_000,
        access: |flow| Time::from_micros(10_000 + 500 * flow as u64),
        end: Time::from_secs(80),
        routers: Routers::Plain,
    },
    Case {
        name: "1000 flows spread",
        flows: 1_000,
        window: 12,
        rate: 1_000_000_000,
        access: |flow| Time::from_micros(10_000 + 50 * flow as u64),
        end: Time::from_secs(40),
        routers: Routers::Plain,
    },
    Case {
        name: "10000 flows",
        flows: 10_000,
        window: 10,
        rate: 10_000_000_000,
        access: |_| Time::from_millis(1),
        end: Time::from_secs(4),
        routers: Routers::Plain,
    },
    Case {
        name: "10000 flows spread",
        flows: 10_000,
        window: 20,
        rate: 10_000_000_000,
        access: |flow| Time::from_micros(10_000 + 5 * flow as u64),
        end: Time::from_secs(4),
        routers: Routers::Plain,
    },
    // More links and timers than the tree can hold, so the wheel is used.
    Case {
        name: "30000 flows spread",
        flows: 30_000,
        window: 20,
        rate: 30_000_000_000,
        access: |flow| Time::from_nanos(10_000_000 + 1_667 * flow as u64),
        end: Time::from_secs(2),
        routers: Routers::Plain,
    },
    hundred("100 flows, stamping", Routers::Stamping),
    hundred("100 flows, RED", Routers::Red),
    hundred("100 flows, ACK filter", Routers::AckFilter),
];

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    println!("case                          packets  events/packet  Mpackets/s  ns/event");
    for case in &CASES {
        for (merge, how) in [(true, "merged"), (false, "apart")] {
            let name = format!("{}, {how}", case.name);
            if words.iter().all(|word| name.contains(word.as_str())) {
                measure(case, merge, &name);
            }
        }
    }
}

fn measure(case: &Case, merge: bool, name: &str) {
    let options = Options {
        merge,
        ..Options::default()
    };
    let host = Windows {
        window: case.window,
        labelled: case.routers != Routers::Plain,
        flows: vec![Flow::default(); case.flows as usize],
    };
    let topology = dumbbell(case);
    let mut simulation =
        Simulation::with_options(&topology, host, 1, case.end, options).expect("a valid network");
    for flow in 0..case.flows as usize {
        // Starts are spread over 100 ms.
        let start = Time::from_micros(flow as u64 * 100_000 / u64::from(case.flows));
        simulation.set_timer(EndpointId::from_index(2 * flow), Some(start));
    }
    // Warm-up: all flows are under way.
    simulation.run_until(Time::from_millis(500));
    let packets = |simulation: &Simulation<Windows>| -> u64 {
        let flows = &simulation.host().flows;
        flows.iter().map(|flow| u64::from(flow.acknowledged)).sum()
    };
    let before = (packets(&simulation), simulation.events());
    let start = ProcessTime::now();
    simulation.run();
    let seconds = start.elapsed().as_secs_f64();
    let packets = packets(&simulation) - before.0;
    let events = simulation.events() - before.1;
    println!(
        "{name:<26} {:>10} {:>14.2} {:>11.2} {:>9.1}",
        packets,
        events as f64 / packets as f64,
        packets as f64 / seconds / 1e6,
        seconds * 1e9 / events as f64,
    );
}

fn room_for(case: &Case) -> u32 {
    case.flows * case.window + 1
}

/// Access links of 1 Gb/s and a bottleneck with 10 ms of delay, whose queue can hold all windows.
fn dumbbell(case: &Case) -> Topology {
    let mut topology = Topology::new();
    let (left, right) = (topology.node(), topology.node());
    let room = Queue::DropTail {
        limit: room_for(case),
    };
    let middle = Time::from_millis(10);
    let forth = Link::new("bottleneck", left, right, case.rate, middle).queue(room);
    let back = Link::new("bottleneck", right, left, case.rate, middle).queue(room);
    let limit = room_for(case);
    let [forth, back] = match case.routers {
        Routers::Plain => [forth, back],
        Routers::Stamping => [forth.stamping(), back.stamping()],
        Routers::Red => {
            let red = Red {
                min: f64::from(limit) / 8.0,
                max: f64::from(limit),
                weight: 0.002,
                pmax: 0.1,
                gentle: false,
                ecn: true,
                limit,
                mean_size: 1_000,
            };
            [forth.queue(Queue::Red(red)), back]
        }
        Routers::AckFilter => {
            let filter = AckFilter {
                limit,
                replace_head: false,
                threshold: 0,
            };
            let back = Link {
                rate: case.rate / 50,
                ..back
            };
            [forth, back.queue(Queue::AckFilter(filter))]
        }
    };
    topology.link(forth);
    topology.link(back);
    for flow in 0..case.flows {
        let (source, sink) = (topology.node(), topology.node());
        for (host, router) in [(source, left), (sink, right)] {
            let delay = match host == source {
                true => (case.access)(flow),
                false => Time::from_millis(1),
            };
            for (from, to) in [(host, router), (router, host)] {
                topology.link(Link::new("access", from, to, 1_000_000_000, delay).queue(room));
            }
        }
        topology.connect(source, sink);
    }
    topology
}
