//! Translates a scenario into the simulator's network.

use dumbbell_scenario::{
    Access, Direction, Duplex, Graph, Link, Place, Scenario, Topology, Traffic, copies, numbered,
};
use dumbbell_sim::{EndpointId, Kinds, LinkId, NodeId, Topology as Network};

use crate::flow::wire::{DATA, DATAGRAM, MEDIA};

/// The name of the link whose packets a run counts.
pub(crate) const BOTTLENECK: &str = "bottleneck";

/// The kinds of packets that carry data.
const CARRIES_DATA: Kinds = Kinds::only(DATA).and(DATAGRAM).and(MEDIA);

/// The network of a scenario, and the ends of each flow.
pub(crate) struct Layout {
    pub(crate) network: Network,
    /// A sender and a receiver for each flow, counts expanded.
    pub(crate) ends: Vec<(EndpointId, EndpointId)>,
    nodes: Vec<NodeId>,
    /// The links between routers. They come first, so that adding a flow does not change their
    /// random streams.
    pub(crate) core: Vec<LinkId>,
    watched: bool,
    /// The names of the links, if they are wanted instead of the links.
    names: Option<Vec<String>>,
}

impl Layout {
    /// The names of the links, in the order of their numbers.
    pub(crate) fn names(scenario: &Scenario) -> impl Iterator<Item = String> {
        let layout = Self::build(scenario, false, Some(Vec::new()));
        layout.names.into_iter().flatten()
    }

    /// Builds the network. If `watched`, the queues of the links between routers can be sampled.
    /// The links get no names here: with ten thousand flows there would be forty thousand.
    pub(crate) fn new(scenario: &Scenario, watched: bool) -> Self {
        Self::build(scenario, watched, None)
    }

    fn build(scenario: &Scenario, watched: bool, names: Option<Vec<String>>) -> Self {
        let mut layout = Self {
            network: Network::new(),
            ends: Vec::new(),
            nodes: Vec::new(),
            core: Vec::new(),
            watched,
            names,
        };
        match &scenario.topology {
            Topology::Dumbbell { bottleneck } => layout.row(&[(BOTTLENECK.to_owned(), bottleneck)]),
            Topology::ParkingLot { hops } => {
                let named = hops
                    .iter()
                    .enumerate()
                    .map(|(i, hop)| (format!("hop{}", i + 1), hop));
                layout.row(&named.collect::<Vec<_>>());
            }
            Topology::Graph(graph) => layout.graph(graph),
        }
        for (flow, copy) in copies(scenario) {
            let name = numbered(&flow.name, copy, flow.count);
            let one_way = match flow.traffic {
                Traffic::Udp(_) => true,
                Traffic::Tcp(_) | Traffic::Workload(_) | Traffic::Media(_) => false,
            };
            layout.connect(&name, &flow.place, one_way);
        }
        layout
    }

    /// Adds an endpoint that only has a timer.
    pub(crate) fn timer(&mut self) -> EndpointId {
        let (a, b) = (self.nodes[0], self.nodes[1]);
        self.network.one_way(a, b).0
    }

    fn row(&mut self, hops: &[(String, &Duplex)]) {
        self.nodes.push(self.network.node());
        for (i, (name, hop)) in hops.iter().enumerate() {
            self.nodes.push(self.network.node());
            let both = self.duplex(name, self.nodes[i], self.nodes[i + 1], hop, self.watched);
            self.core.extend(both);
        }
    }

    fn graph(&mut self, graph: &Graph) {
        self.nodes = graph.nodes.iter().map(|_| self.network.node()).collect();
        for link in &graph.links {
            let (from, to) = (self.nodes[link.from], self.nodes[link.to]);
            let forward = self.link(link.name.clone(), from, to, &link.forward, self.watched);
            self.core.push(forward);
            if let Some(reverse) = &link.reverse {
                let reverse = self.link(reversed(&link.name), to, from, reverse, self.watched);
                self.core.push(reverse);
            }
        }
    }

    fn connect(&mut self, name: &str, place: &Place, one_way: bool) {
        let (from, to) = match place {
            Place::Dumbbell { direction, access } => {
                let (left, right) = (self.nodes[0], self.nodes[1]);
                match direction {
                    Direction::Right => self.hosts(name, left, right, access),
                    Direction::Left => self.hosts(name, right, left, access),
                }
            }
            Place::ParkingLot { from, to, access } => {
                let (from, to) = (self.nodes[*from as usize - 1], self.nodes[*to as usize - 1]);
                self.hosts(name, from, to, access)
            }
            Place::Graph { from, to } => (self.nodes[*from], self.nodes[*to]),
        };
        let ends = if one_way {
            self.network.one_way(from, to)
        } else {
            self.network.connect(from, to)
        };
        self.ends.push(ends);
    }

    /// Adds a host at each of two routers.
    fn hosts(&mut self, name: &str, from: NodeId, to: NodeId, access: &Access) -> (NodeId, NodeId) {
        let (sender, receiver) = (self.network.node(), self.network.node());
        self.duplex(
            &format!("{name}.sender"),
            sender,
            from,
            &access.sender,
            false,
        );
        self.duplex(
            &format!("{name}.receiver"),
            to,
            receiver,
            &access.receiver,
            false,
        );
        (sender, receiver)
    }

    fn duplex(
        &mut self,
        name: &str,
        a: NodeId,
        b: NodeId,
        link: &Duplex,
        watched: bool,
    ) -> [LinkId; 2] {
        let forward = self.link(name.to_owned(), a, b, &link.forward, watched);
        [
            forward,
            self.link(reversed(name), b, a, &link.reverse, watched),
        ]
    }

    fn link(
        &mut self,
        name: String,
        from: NodeId,
        to: NodeId,
        link: &Link,
        watched: bool,
    ) -> LinkId {
        if let Some(names) = &mut self.names {
            names.push(name);
            return LinkId::from_index(names.len() - 1);
        }
        let mut built = link.simulated(String::new(), from, to, CARRIES_DATA);
        built.watched = watched;
        self.network.link(built)
    }
}

fn reversed(name: &str) -> String {
    format!("{name}.reverse")
}
