//! What a run is expected to cost.

use std::collections::BTreeMap;

use dumbbell_scenario::{
    BitRate, Bytes, Direction, Duplex, Flow, Link, Place, Scenario, Size, Source, Topology, Traffic,
};

use super::Job;

/// What a run costs without a packet, in packets.
const RUN: f64 = 1000.0;
/// What a flow costs without a packet, in packets.
const FLOW: f64 = 20.0;
/// The part of a link's rate that flows which adapt to it have at least, however much others send.
const LEAST: f64 = 0.1;
/// A flow that loses a share p of its packets at random has a window of about so many packets over the square root
/// of p (RFC 3649, section 1, has 1.2 for Reno; controls that tell causes apart have more).
const WINDOW: f64 = 1.5;

impl Job<'_> {
    /// The expected cost of the run, in packets that hosts send. It is a rough number, by which the
    /// costs of runs can be compared: flows that adapt to a path are taken to fill its slowest link, or to send
    /// what random losses on their way let them.
    pub fn cost(&self) -> f64 {
        cost(self.scenario)
    }
}

fn cost(scenario: &Scenario) -> f64 {
    let mut routes: BTreeMap<(usize, usize), Route> = BTreeMap::new();
    let run_s = scenario.duration.as_secs_f64();
    let mut flows = 0.0;
    for flow in &scenario.flows {
        let route = routes.entry(ends(&flow.place)).or_insert_with(|| Route {
            path: Path::shared(&scenario.topology, &flow.place),
            ..Route::default()
        });
        route.add(flow, run_s);
        flows += f64::from(flow.count);
    }
    let packets: f64 = routes.values().map(|route| route.packets(run_s)).sum();
    RUN + FLOW * flows + packets
}

/// The flows between the same ends of the network that all share.
#[derive(Default)]
struct Route {
    /// Its links, without access links.
    path: Path,
    /// The mean rate of the sources, and their packets in the whole run.
    sources_bps: f64,
    sources: f64,
    /// The flows that adapt to the path: their number, the bytes of a packet of each, the rates of their
    /// access links, and the packets that they send at most, all added up.
    adapting: f64,
    bytes: f64,
    access_bps: f64,
    most: f64,
}

impl Route {
    fn add(&mut self, flow: &Flow, run_s: f64) {
        let count = f64::from(flow.count);
        let (bytes, most) = match &flow.traffic {
            Traffic::Udp(udp) => {
                let bps = count * mean_bps(&udp.source);
                let stop = udp.stop.map_or(run_s, |stop| stop.as_secs_f64().min(run_s));
                self.sources_bps += bps;
                self.sources += bps * stop / bits(udp.packet);
                return;
            }
            Traffic::Tcp(tcp) => {
                let payload = tcp.payload.0 as f64;
                let most = match tcp.size {
                    Size::Unlimited => f64::INFINITY,
                    Size::Bytes(size) => size.0 as f64 / payload,
                    Size::Segments(segments) => segments as f64,
                };
                (payload + tcp.header.0 as f64, most)
            }
            // As if it always had something to send: what it sends at most.
            Traffic::Workload(workload) => {
                let tcp = &workload.tcp;
                ((tcp.payload.0 + tcp.header.0) as f64, f64::INFINITY)
            }
            Traffic::Media(media) => {
                let bytes = media.segment.0 + media.overhead.0;
                (bytes as f64, f64::INFINITY)
            }
        };
        let mut access = Path::default();
        for end in flow
            .place
            .access()
            .iter()
            .flat_map(|access| [&access.sender, &access.receiver])
        {
            access.pass(end);
        }
        let most = most.min(self.path.with(access).lossy_rate() * run_s);
        self.adapting += count;
        self.bytes += count * bytes;
        self.access_bps += count * access.bps;
        self.most += count * most;
    }

    /// The packets that its flows send in a run of this many seconds.
    fn packets(&self, run_s: f64) -> f64 {
        if self.adapting == 0.0 {
            return self.sources;
        }
        let free = (self.path.bps - self.sources_bps).max(LEAST * self.path.bps);
        let mean = 8.0 * self.bytes / self.adapting;
        let filling = free.min(self.access_bps) * run_s / mean;
        self.sources + filling.min(self.most)
    }
}

/// The ends of the part of the network that flows in a place share with others.
fn ends(place: &Place) -> (usize, usize) {
    match place {
        Place::Dumbbell { direction, .. } => match direction {
            Direction::Right => (0, 1),
            Direction::Left => (1, 0),
        },
        Place::ParkingLot { from, to, .. } => (*from as usize, *to as usize),
        Place::Graph { from, to } => (*from, *to),
    }
}

/// Links in a row.
#[derive(Clone, Copy)]
struct Path {
    /// The rate of the slowest one, towards the receiver.
    bps: f64,
    /// The time there and back, without that in queues.
    round_trip_s: f64,
    /// The share of data packets that no loss model removes.
    kept: f64,
}

impl Default for Path {
    /// No link.
    fn default() -> Self {
        Self {
            bps: f64::INFINITY,
            round_trip_s: 0.0,
            kept: 1.0,
        }
    }
}

impl Path {
    /// The links that a flow shares with all that have the same ends.
    fn shared(topology: &Topology, place: &Place) -> Self {
        let (from, to) = ends(place);
        let mut path = Self::default();
        let mut pass = |link: &Duplex| match from < to {
            true => path.pass(link),
            false => path.go(&link.reverse, &link.forward),
        };
        match topology {
            Topology::Dumbbell { bottleneck } => pass(bottleneck),
            Topology::ParkingLot { hops } => {
                let between = from.min(to) - 1..from.max(to) - 1;
                hops[between].iter().for_each(pass);
            }
            // Its routes are not known here. The slowest of all links counts, and no losses.
            Topology::Graph(graph) => {
                let rates = graph.links.iter().map(|link| bps(&link.forward));
                path.bps = rates.fold(f64::INFINITY, f64::min);
            }
        }
        path
    }

    fn pass(&mut self, link: &Duplex) {
        self.go(&link.forward, &link.reverse);
    }

    fn go(&mut self, there: &Link, back: &Link) {
        self.bps = self.bps.min(bps(there));
        self.round_trip_s += there.delay.mean().as_secs_f64() + back.delay.mean().as_secs_f64();
        // A link that sends again what was lost loses little.
        if let (Some(loss), None) = (&there.loss, &there.arq) {
            self.kept *= 1.0 - loss.model.simulated(()).mean();
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            bps: self.bps.min(other.bps),
            round_trip_s: self.round_trip_s + other.round_trip_s,
            kept: self.kept * other.kept,
        }
    }

    /// The packets in a second that random losses leave to a flow which adapts.
    fn lossy_rate(self) -> f64 {
        WINDOW / (1.0 - self.kept).sqrt() / self.round_trip_s
    }
}

fn bps(link: &Link) -> f64 {
    rate(link.rate.mean())
}

fn rate(BitRate(bps): BitRate) -> f64 {
    bps as f64
}

fn bits(bytes: Bytes) -> f64 {
    8.0 * bytes.0 as f64
}

fn mean_bps(source: &Source) -> f64 {
    let on_off = |bps, on: f64, off: f64| rate(bps) * on / (on + off);
    match source {
        Source::Cbr(bps) => rate(*bps),
        Source::Exponential(it) => on_off(it.rate, it.on.as_secs_f64(), it.off.as_secs_f64()),
        Source::Pareto(it) => on_off(it.rate, it.on.as_secs_f64(), it.off.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::controls::Controls;

    use super::*;

    /// The packets that the flows of a scenario are expected to send.
    fn packets(flows: &str) -> f64 {
        let text = format!(
            "duration = \"100 s\"
            [dumbbell]
            access = {{ rate = \"10 Mb/s\", delay = \"1 ms\" }}
            bottleneck = {{ rate = \"8.32 Mb/s\", delay = \"9 ms\", queue = {{ droptail = 9 }} }}
            [tcp]
            payload = \"1000 B\"
            {flows}"
        );
        let scenario = Scenario::parse("test", &text, &Controls::builtin());
        let scenario = scenario.unwrap_or_else(|wrong| panic!("{wrong}"));
        cost(&scenario) - RUN - FLOW * scenario.flow_count() as f64
    }

    /// 8.32 Mb/s are 1000 packets of 1040 bytes in a second.
    #[test]
    fn flows_that_adapt_fill_the_slowest_link_together() {
        let flow = "[[flow]]\ncontrol = \"reno\"";
        assert_eq!(packets(flow), 100_000.0);
        assert_eq!(packets(&format!("{flow}\ncount = 7")), 100_000.0);
        let slow = "\naccess = { rate = \"4.16 Mb/s\", delay = \"1 ms\" }";
        assert_eq!(packets(&format!("{flow}{slow}")), 50_000.0);
        let short = "\ncount = 3\nsize = \"10 kB\"";
        assert_eq!(packets(&format!("{flow}{short}")), 30.0);
        // The other direction is a link of its own.
        let left = "\n[[flow]]\ncontrol = \"veno\"\ndirection = \"left\"";
        assert_eq!(packets(&format!("{flow}{left}")), 200_000.0);
    }

    /// A window of 1.5 packets over the root of a share of 1 %, in each round trip of 22 ms: 681.8 packets in a second.
    #[test]
    fn random_losses_leave_less() {
        let lossy = |sender: &str, receiver: &str| {
            let access = format!("sender = {{ {sender} }}, receiver = {{ {receiver} }}");
            packets(&format!(
                "[[flow]]\ncontrol = \"veno\"\naccess = {{ {access} }}"
            ))
        };
        let one = lossy("loss = { geometric = 0.01 }", "");
        assert!((one - 68_181.8).abs() < 0.1, "{one}");
        // Nine tenths of nine tenths remain: 19 % are lost.
        let two = lossy("loss = { bernoulli = 0.1 }", "loss = { bernoulli = 0.1 }");
        assert!((two - 15_641.9).abs() < 0.1, "{two}");
        // Few losses take nothing from a flow that the link limits.
        assert_eq!(lossy("loss = { bernoulli = 1e-6 }", ""), 100_000.0);
        let repaired = lossy(
            "loss = { bernoulli = 0.1 }, arq = { retries = 3, rtt = \"1 ms\" }",
            "",
        );
        assert_eq!(repaired, 100_000.0);
    }

    /// A source of 4.16 Mb/s sends 1000 packets of 520 bytes in a second, and leaves half of the link.
    #[test]
    fn sources_send_at_their_mean_rates() {
        let source = |source: &str| format!("[[flow]]\nsource = {source}\npacket = \"520 B\"\n");
        let cbr = source("{ cbr = \"4.16 Mb/s\" }");
        assert_eq!(packets(&cbr), 100_000.0);
        assert_eq!(packets(&format!("{cbr}stop = \"30 s\"")), 30_000.0);
        let on_off = source("{ pareto = { rate = \"8.32 Mb/s\", on = \"1 s\", off = \"3 s\" } }");
        assert_eq!(packets(&on_off), 50_000.0);
        let both = format!("{cbr}[[flow]]\ncontrol = \"reno\"");
        assert_eq!(packets(&both), 150_000.0);
    }
}
