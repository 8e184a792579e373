//! What conditions may ask of a path besides the values in its file.

use dumbbell_scenario::{Direction, Flow, Link, Place, Scenario, Topology, Traffic};

use super::condition::Value;
use super::condition::unit::Quantity;

/// A fact: its name, its meaning, and the fact itself.
type Fact = (&'static str, &'static str, fn(&Scenario) -> Option<Value>);

/// The facts that a condition can name. `way` means the links of the first flow.
pub(super) const FACTS: [Fact; 5] = [
    (
        "bdp",
        "data packets of the first flow that the slowest link of its way carries in `rtt`",
        |scenario| {
            let way = Way::of(scenario)?;
            let bits = way.slowest().rate.mean().0 as f64 * way.round_trip();
            Some(number(bits / (8.0 * way.data as f64)))
        },
    ),
    (
        "rtt",
        "the round-trip time of the first flow's data packets and ACKs over idle links",
        |scenario| {
            let seconds = Way::of(scenario)?.round_trip();
            Some(Value::Number(Quantity::seconds(seconds)))
        },
    ),
    (
        "rate",
        "the rate of the slowest link of the first flow's way",
        |scenario| {
            let rate = Way::of(scenario)?.slowest().rate.mean().0 as f64;
            Some(Value::Number(Quantity::rate(rate)))
        },
    ),
    (
        "buffer",
        "the packets that the queue of that link holds, infinite if it has no limit",
        |scenario| {
            let limit = Way::of(scenario)?.slowest().queue.limit();
            Some(number(limit.map_or(f64::INFINITY, f64::from)))
        },
    ),
    (
        "flows",
        "the number of flows, `count` included",
        |scenario| Some(number(scenario.flow_count() as f64)),
    ),
];

fn number(value: f64) -> Value {
    Value::Number(Quantity::plain(value))
}

/// The links that a flow's packets cross, and the sizes of its packets in bytes.
struct Way<'s> {
    there: Vec<&'s Link>,
    back: Vec<&'s Link>,
    data: u64,
    ack: u64,
}

impl<'s> Way<'s> {
    /// The way of the first flow; `None` in a graph, where routes are found by the simulator.
    fn of(scenario: &'s Scenario) -> Option<Self> {
        let flow = scenario.flows.first()?;
        let (mut there, mut back): (Vec<&Link>, Vec<&Link>) =
            match (&scenario.topology, &flow.place) {
                (Topology::Dumbbell { bottleneck }, Place::Dumbbell { direction, .. }) => {
                    match direction {
                        Direction::Right => (vec![&bottleneck.forward], vec![&bottleneck.reverse]),
                        Direction::Left => (vec![&bottleneck.reverse], vec![&bottleneck.forward]),
                    }
                }
                (Topology::ParkingLot { hops }, Place::ParkingLot { from, to, .. }) => {
                    let crossed = &hops[*from.min(to) as usize - 1..*from.max(to) as usize - 1];
                    let forward = crossed.iter().map(|hop| &hop.forward).collect();
                    let reverse = crossed.iter().map(|hop| &hop.reverse).collect();
                    if from < to {
                        (forward, reverse)
                    } else {
                        (reverse, forward)
                    }
                }
                _ => return None,
            };
        if let Some(access) = flow.place.access() {
            for duplex in [&access.sender, &access.receiver] {
                there.push(&duplex.forward);
                back.push(&duplex.reverse);
            }
        }
        let (data, ack) = sizes(flow);
        Some(Self {
            there,
            back,
            data,
            ack,
        })
    }

    fn slowest(&self) -> &'s Link {
        let least = self.there.iter().min_by_key(|link| link.rate.mean().0);
        least.expect("a way has links")
    }

    /// The time that a data packet and its ACK take over idle links, in seconds.
    fn round_trip(&self) -> f64 {
        let over = |links: &[&Link], bytes: u64| -> f64 {
            let one = |link: &&Link| {
                link.delay.mean().as_secs_f64() + 8.0 * bytes as f64 / link.rate.mean().0 as f64
            };
            links.iter().map(one).sum()
        };
        over(&self.there, self.data) + over(&self.back, self.ack)
    }
}

/// The sizes of a flow's data packets and ACKs on the wire.
fn sizes(flow: &Flow) -> (u64, u64) {
    match &flow.traffic {
        Traffic::Tcp(tcp) => (tcp.data_wire_bytes(), tcp.ack_wire_bytes()),
        Traffic::Workload(it) => (it.tcp.data_wire_bytes(), it.tcp.ack_wire_bytes()),
        Traffic::Udp(udp) => (udp.packet.0, 0),
        Traffic::Media(media) => (media.wire_bytes(), media.feedback.0),
    }
}
