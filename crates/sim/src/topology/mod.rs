//! The network as it is described: nodes, directed links and pairs of endpoints.

mod error;
mod plan;
mod route;

use crate::ids::{EndpointId, LinkId, NodeId};
use crate::loss::Loss;
use crate::opportunity::Opportunities;
use crate::queue::Queue;
use crate::time::Time;

pub use self::error::TopologyError;
pub(crate) use self::plan::{ALONE, Hop, Plan};

/// A directed link: a queue, a transmitter and a propagation delay, then perhaps losses.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What people call it.
    pub name: String,
    /// Where it begins.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// Bits a second, at least 1. Where opportunities drive the transmitter, about their mean: it
    /// decides nothing then, but helps the engine to choose its data structures.
    pub rate: u64,
    /// When the transmitter sends, if not all the time at `rate`.
    pub opportunities: Option<Opportunities>,
    /// Propagation delay. A hop takes at least 1 ns in all.
    pub delay: Time,
    /// The queue in front of it.
    pub queue: Queue,
    /// The packets it loses after the queue.
    pub loss: Option<Loss>,
    /// Whether it adds the time that a probe waits here, from its arrival to the start of its
    /// transmission, to what the probe carries (see [`Label`](crate::Label)).
    pub stamps: bool,
    /// Whether [`Port::queue_len`](crate::Port::queue_len) may be asked for its queue. This
    /// costs some speed.
    pub watched: bool,
}

impl Link {
    /// A link without a queue limit, without losses, that does not stamp and is not watched.
    pub fn new(name: impl Into<String>, from: NodeId, to: NodeId, rate: u64, delay: Time) -> Self {
        Self {
            name: name.into(),
            from,
            to,
            rate,
            opportunities: None,
            delay,
            queue: Queue::Unlimited,
            loss: None,
            stamps: false,
            watched: false,
        }
    }

    /// The same link with this queue.
    pub fn queue(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }

    /// The same link, whose transmitter sends at these opportunities.
    pub fn driven_by(self, opportunities: Opportunities) -> Self {
        Self {
            rate: opportunities.mean_rate(),
            opportunities: Some(opportunities),
            ..self
        }
    }

    /// The same link with these losses.
    pub fn loss(self, loss: Loss) -> Self {
        Self {
            loss: Some(loss),
            ..self
        }
    }

    /// The same link, adding the times that probes wait.
    pub fn stamping(self) -> Self {
        Self {
            stamps: true,
            ..self
        }
    }

    /// The same link, watched.
    pub fn watched(self) -> Self {
        Self {
            watched: true,
            ..self
        }
    }
}

/// How an endpoint's packets reach its peer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Path {
    Shortest,
    Explicit(Vec<LinkId>),
    /// The endpoint only receives.
    None,
}

#[derive(Clone, Debug)]
struct Endpoint {
    node: NodeId,
    path: Path,
}

/// A network under construction. Mistakes are found when a simulation is made of it.
///
/// ```
/// use dumbbell_sim::{Link, Queue, Time, Topology};
///
/// let mut topology = Topology::new();
/// let (source, router, sink) = (topology.node(), topology.node(), topology.node());
/// topology.link(Link::new("access", source, router, 100_000_000, Time::from_millis(1)));
/// let bottleneck = Link::new("bottleneck", router, sink, 2_000_000, Time::from_millis(10));
/// topology.link(bottleneck.queue(Queue::DropTail { limit: 60 }).watched());
/// let (sender, receiver) = topology.one_way(source, sink);
/// assert_eq!(sender.peer(), receiver);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Topology {
    nodes: u32,
    links: Vec<Link>,
    endpoints: Vec<Endpoint>,
}

impl Topology {
    /// A network without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node.
    pub fn node(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    /// Adds a link. There may be several between the same two nodes.
    pub fn link(&mut self, link: Link) -> LinkId {
        self.links.push(link);
        LinkId(self.links.len() as u32 - 1)
    }

    /// Adds a connection: an endpoint at each of two nodes. Packets take the shortest path
    /// each way: least propagation delay in all, then fewest links, then at every node the
    /// link with the lowest number.
    pub fn connect(&mut self, a: NodeId, b: NodeId) -> (EndpointId, EndpointId) {
        (
            self.endpoint(a, Path::Shortest),
            self.endpoint(b, Path::Shortest),
        )
    }

    /// Adds a connection whose second endpoint only receives: it needs no way back and must not
    /// send.
    pub fn one_way(&mut self, from: NodeId, to: NodeId) -> (EndpointId, EndpointId) {
        (
            self.endpoint(from, Path::Shortest),
            self.endpoint(to, Path::None),
        )
    }

    /// Makes an endpoint's packets take these links, from its own node to that of its peer,
    /// instead of the shortest path.
    pub fn route(&mut self, endpoint: EndpointId, links: &[LinkId]) {
        if let Some(endpoint) = self.endpoints.get_mut(endpoint.index()) {
            endpoint.path = Path::Explicit(links.to_vec());
        }
    }

    /// Whether some link adds waiting times to probes.
    pub(crate) fn stamps(&self) -> bool {
        self.links.iter().any(|link| link.stamps)
    }

    /// Whether some link reads or writes labels.
    pub(crate) fn is_labelled(&self) -> bool {
        self.stamps() || self.links.iter().any(|link| link.queue.is_labelled())
    }

    /// The links, in the order of their numbers.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The links that the packets of every endpoint take; none for those that only receive.
    ///
    /// # Errors
    ///
    /// If the topology is faulty.
    pub fn routes(&self) -> Result<Vec<Vec<LinkId>>, TopologyError> {
        plan::check(self)?;
        let routes = route::routes(self.nodes, &self.links, &self.endpoints)?;
        let ids = |route: Vec<u32>| route.into_iter().map(LinkId).collect();
        Ok(routes.into_iter().map(ids).collect())
    }

    /// The links, in the order of their numbers, without the rest.
    pub fn into_links(self) -> Vec<Link> {
        self.links
    }

    fn endpoint(&mut self, node: NodeId, path: Path) -> EndpointId {
        self.endpoints.push(Endpoint { node, path });
        EndpointId(self.endpoints.len() as u32 - 1)
    }
}
