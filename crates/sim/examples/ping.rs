//! A host that returns each packet, over a simulated link: `cargo run -p dumbbell-sim --example ping`

use dumbbell_sim::{
    Arrived, EndpointId, Host, Kind, Link, Port, Queue, Simulation, Time, Topology, TopologyError,
};

/// Packets are counted by kind. The host defines what the kinds mean.
const PING: Kind = Kind::new(0);
const PONG: Kind = Kind::new(1);
const BYTES: u16 = 1000;

/// The payload of a packet. The simulator never reads it.
#[derive(Clone, Copy)]
struct Ping {
    number: u32,
    sent_at: Time,
}

/// The host of both endpoints: one sends pings, and its peer returns them.
struct PingPong {
    asks: EndpointId,
    bursts: u32,
    next: u32,
    answers: Vec<Answer>,
}

/// A ping that came back.
pub(crate) struct Answer {
    pub(crate) number: u32,
    pub(crate) sent_at: Time,
    pub(crate) round_trip: Time,
}

impl Host for PingPong {
    type Payload = Ping;

    fn on_packet(
        &mut self,
        net: &mut impl Port<Ping>,
        endpoint: EndpointId,
        packet: Arrived<Ping>,
    ) {
        let Ping { number, sent_at } = packet.payload;
        if endpoint != self.asks {
            net.send(endpoint, packet.bytes, PONG, packet.payload);
            return;
        }
        self.answers.push(Answer {
            number,
            sent_at,
            round_trip: net.now() - sent_at,
        });
    }

    /// Sends a burst every 100 ms: first one ping, then two, and so on.
    fn on_timer(&mut self, net: &mut impl Port<Ping>, endpoint: EndpointId) {
        self.bursts += 1;
        for _ in 0..self.bursts {
            let ping = Ping {
                number: self.next,
                sent_at: net.now(),
            };
            self.next += 1;
            net.send(endpoint, BYTES, PING, ping);
        }
        net.set_timer(endpoint, Some(net.now() + Time::from_millis(100)));
    }
}

/// Returns the answers in half a second, and the number of pings that the full queue dropped.
pub(crate) fn ping() -> Result<(Vec<Answer>, u64), TopologyError> {
    let mut topology = Topology::new();
    let (here, there) = (topology.node(), topology.node());
    // 1 Mb/s and 10 ms each way: a packet of 1000 bytes takes 8 ms to transmit and 10 ms to propagate.
    let link = |name, from, to| Link::new(name, from, to, 1_000_000, Time::from_millis(10));
    let way = link("there", here, there).queue(Queue::DropTail { limit: 4 });
    let way = topology.link(way);
    topology.link(link("back", there, here));
    let (asks, _) = topology.connect(here, there);

    let host = PingPong {
        asks,
        bursts: 0,
        next: 0,
        answers: Vec::new(),
    };
    // The seed, 1, has no effect here, because this path has no random losses.
    let mut simulation = Simulation::new(&topology, host, 1, Time::from_millis(599))?;
    simulation.set_timer(asks, Some(Time::from_millis(100)));
    simulation.run();
    let dropped = simulation.link(way).dropped;
    Ok((simulation.into_host().answers, dropped))
}

fn main() -> Result<(), TopologyError> {
    let (answers, dropped) = ping()?;
    for answer in answers {
        println!(
            "ping {:>2}, sent at {}: back after {}",
            answer.number, answer.sent_at, answer.round_trip
        );
    }
    println!("{dropped} dropped by the queue");
    Ok(())
}
