//! What routers read from labels and write on them, in small networks whose results are worked out by
//! hand.

use dumbbell_sim::{
    AckFilter, Arrived, Cause, Ecn, EndpointId, Gone, Host, Kind, Label, Link, Options, Port,
    Queue, Red, Simulation, Time, Topology,
};

const DATA: Kind = Kind::new(0);
const OTHER: Kind = Kind::new(1);

/// Sends four packets at once, the second and the fourth as probes, and answers each of these with a
/// probe; records the waiting times that the probes report at both ends.
#[derive(Default)]
struct Prober {
    there: Vec<Option<u32>>,
    back: Vec<Option<u32>>,
}

const PROBE: Label = Label {
    probe: true,
    ..Label::NONE
};

impl Host for Prober {
    type Payload = ();

    fn on_packet(&mut self, net: &mut impl Port<()>, endpoint: EndpointId, packet: Arrived<()>) {
        if endpoint.index() == 0 {
            self.back.push(packet.queueing);
            return;
        }
        self.there.push(packet.queueing);
        if packet.queueing.is_some() {
            net.send_labelled(endpoint, 500, OTHER, (), PROBE);
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<()>, endpoint: EndpointId) {
        for label in [Label::NONE, PROBE, Label::NONE, PROBE] {
            net.send_labelled(endpoint, 1000, DATA, (), label);
        }
    }
}

/// 1000 bytes take 1 ms on the first link and 2 ms on the second. The second packet waits 1 ms at each
/// link, the fourth 3 ms at each. Answers are 4 ms apart and do not wait.
#[test]
fn probes_report_how_long_they_waited() {
    for (stamping, there) in [
        ([true, true], [Some(2_000), Some(6_000)]),
        ([true, false], [Some(1_000), Some(3_000)]),
        ([false, true], [Some(1_000), Some(3_000)]),
        ([false, false], [None, None]),
    ] {
        let mut topology = Topology::new();
        let nodes = [(); 3].map(|()| topology.node());
        let rates = [8_000_000, 4_000_000];
        for hop in 0..2 {
            let delay = Time::from_micros(700);
            let link = Link::new("there", nodes[hop], nodes[hop + 1], rates[hop], delay);
            topology.link(Link {
                stamps: stamping[hop],
                ..link
            });
            topology.link(Link::new(
                "back",
                nodes[hop + 1],
                nodes[hop],
                4_000_000,
                delay,
            ));
        }
        topology.connect(nodes[0], nodes[2]);
        for merge in [false, true] {
            let options = Options {
                merge,
                ..Options::default()
            };
            let end = Time::from_secs(1);
            let host = Prober::default();
            let mut simulation =
                Simulation::with_options(&topology, host, 1, end, options).unwrap();
            simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
            simulation.run();
            let host = simulation.host();
            assert_eq!(host.there, [None, there[0], None, there[1]], "{stamping:?}");
            let answers = if there[0].is_some() { 2 } else { 0 };
            assert_eq!(host.back, vec![Some(0); answers], "{stamping:?}");
        }
    }
}

/// Sends numbered packets with labels at given times from endpoint 0.
#[derive(Default)]
struct Labelled {
    /// Microseconds, bytes and label, in the order of time.
    sends: Vec<(u64, u16, Label)>,
    sent: usize,
    arrived: Vec<Told>,
    discarded: Vec<u32>,
    causes: Vec<Cause>,
}

/// For a packet that has arrived: microseconds, its number, whether it is marked, the waiting time it
/// collected.
type Told = (u64, u32, bool, Option<u32>);

impl Host for Labelled {
    type Payload = u32;

    fn on_packet(&mut self, net: &mut impl Port<u32>, _: EndpointId, packet: Arrived<u32>) {
        let number = packet.payload;
        let at = net.now().as_nanos();
        assert_eq!(at % 1_000, 0);
        self.arrived
            .push((at / 1_000, number, packet.marked, packet.queueing));
    }

    fn on_timer(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        while let Some(&(at, bytes, label)) = self.sends.get(self.sent) {
            let at = Time::from_micros(at);
            if at > net.now() {
                net.set_timer(endpoint, Some(at));
                return;
            }
            net.send_labelled(endpoint, bytes, DATA, self.sent as u32, label);
            self.sent += 1;
        }
    }

    fn discard(&mut self, number: u32, Gone { cause, .. }: Gone) {
        self.discarded.push(number);
        self.causes.push(cause);
    }
}

/// Runs one link of 8 Mb/s and 100 us with this queue; the link stamps.
fn run_labelled(queue: Queue, sends: &[(u64, u16, Label)]) -> Simulation<Labelled> {
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    let link = Link::new("link", a, b, 8_000_000, Time::from_micros(100));
    topology.link(link.queue(queue).stamping());
    topology.one_way(a, b);
    let host = Labelled {
        sends: sends.to_vec(),
        ..Labelled::default()
    };
    let mut simulation = Simulation::new(&topology, host, 1, Time::from_secs(1)).unwrap();
    simulation.set_timer(EndpointId::from_index(0), Some(Time::ZERO));
    simulation.run();
    simulation
}

/// Packets of 40 us arrive every 10 us; all are of flow 1 except the third. The fourth removes the
/// second. When the fifth arrives at 40 us, the first has just left and the next one is in transmission.
/// If arrivals go to the tail, that is the third, so the fourth is removed. If they replace at the head,
/// it is the fourth, which stays.
#[test]
fn a_filter_removes_waiting_packets_and_nothing_else() {
    let label = |flow, number| Label {
        supersedes: Some((flow, number)),
        ..PROBE
    };
    let sends = [
        (0, 40, label(1, 1)),
        (10, 40, label(1, 2)),
        (20, 40, label(2, 7)),
        (30, 40, label(1, 3)),
        (40, 40, label(1, 9)),
    ];
    let filter = |replace_head| {
        Queue::AckFilter(AckFilter {
            limit: 3,
            replace_head,
            threshold: 0,
        })
    };
    let arrived = |(at, number, wait)| (at, number, false, Some(wait));
    let tail = run_labelled(filter(false), &sends);
    let expected = [(140, 0, 0), (180, 2, 20), (220, 4, 40)];
    assert_eq!(tail.host().arrived, expected.map(arrived));
    assert_eq!(tail.host().discarded, [1, 3]);
    assert_eq!(tail.host().causes, [Cause::Filtered; 2]);
    let link = tail.links()[0];
    assert_eq!([link.sent, link.delivered, link.filtered], [5, 3, 2]);
    assert_eq!([link.dropped, link.lost, link.in_flight], [0; 3]);
    assert_eq!(link.busy, Time::from_micros(120));
    // 40 + 20 + 60 + 10 + 80 packet microseconds.
    assert_eq!(link.queue_integral, 210_000);

    let head = run_labelled(filter(true), &sends);
    let expected = [(140, 0, 0), (180, 3, 10), (220, 2, 60), (260, 4, 80)];
    assert_eq!(head.host().arrived, expected.map(arrived));
    assert_eq!(head.host().discarded, [1]);
}

/// Every packet that finds one packet waiting is marked or dropped early; every packet that finds two is
/// dropped. With weight 1 the average is the queue length, and with `gentle` and a probability of 1 an
/// early drop is certain from 0.6 to 1.2. Packets take 1 ms.
#[test]
fn red_marks_packets_of_ecn_capable_transports() {
    let able = Label {
        ecn: Ecn::Ect0,
        ..Label::NONE
    };
    let sends = [
        (0, 1000, Label::NONE),     // in transmission
        (0, 1000, able),            // none waits
        (0, 1000, able),            // one waits: marked
        (0, 1000, able),            // two wait: dropped
        (1_000, 1000, Label::NONE), // one waits: dropped early
        (1_000, 1000, able),        // one waits: marked
    ];
    let red = |ecn| {
        Queue::Red(Red {
            min: 0.2,
            max: 0.6,
            weight: 1.0,
            pmax: 1.0,
            gentle: true,
            ecn,
            limit: 10,
            mean_size: 1000,
        })
    };
    let counts = |simulation: &Simulation<Labelled>| {
        let link = simulation.links()[0];
        [link.dropped, link.early, link.forced(), link.marked]
    };
    let marking = run_labelled(red(true), &sends);
    let arrived = |(at, number, marked)| (at, number, marked, None);
    let expected = [
        (1_100, 0, false),
        (2_100, 1, false),
        (3_100, 2, true),
        (4_100, 5, true),
    ];
    assert_eq!(marking.host().arrived, expected.map(arrived));
    assert_eq!(marking.host().discarded, [3, 4]);
    assert_eq!(counts(&marking), [2, 1, 1, 2]);
    // Without marks, packets 2 and 3 are dropped early; at 1 ms no packet waits, then one does.
    let dropping = run_labelled(red(false), &sends);
    assert_eq!(dropping.host().discarded, [2, 3, 5]);
    assert_eq!(dropping.host().causes, [Cause::Dropped; 3]);
    assert_eq!(counts(&dropping), [3, 3, 0, 0]);
}
