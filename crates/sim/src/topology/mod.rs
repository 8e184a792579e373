//! The description of a network: nodes, directed links and pairs of endpoints.

mod error;
mod hop;
mod plan;
mod route;

use crate::flight::Flight;
use crate::ids::{EndpointId, LinkId, NodeId};
use crate::loss::Loss;
use crate::opportunity::Opportunities;
use crate::policer::Policer;
use crate::queue::{Queue, transmission};
use crate::time::Time;
use crate::transmitter::{Drive, Transmission, Transmitter};

pub use self::error::TopologyError;
pub(crate) use self::hop::Hop;
pub(crate) use self::plan::{ALONE, OWN, Plan};

/// A directed link: a queue, a transmitter and a propagation delay, then optionally losses.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name shown in messages.
    pub name: String,
    /// The node where it begins.
    pub from: NodeId,
    /// The node where it ends.
    pub to: NodeId,
    /// Rate in bits per second, at least 1. If opportunities drive the transmitter, set it to about
    /// their mean rate: it then has no effect on results, but helps the engine to choose its data
    /// structures.
    pub rate: u64,
    /// When the transmitter may send; `None` if it always sends at `rate`.
    pub opportunities: Option<Opportunities>,
    /// How the transmitter sends, if it does not always send at `rate`, or at opportunities. If the rate
    /// varies, set `rate` to about the mean.
    pub transmission: Option<Box<Transmission>>,
    /// Propagation delay. A hop takes at least 1 ns in total.
    pub delay: Time,
    /// What happens to packets in flight, if it is more than this delay. `delay` then only determines
    /// shortest paths, and helps the engine to choose its data structures.
    pub flight: Option<Box<Flight>>,
    /// What drops packets before they reach the queue, because more come than are allowed.
    pub policer: Option<Policer>,
    /// The queue of the link.
    pub queue: Queue,
    /// The loss model, which acts after the queue.
    pub loss: Option<Loss>,
    /// Whether the link adds the time that a probe waits here, from its arrival to the start of its
    /// transmission, to the sum that the probe carries (see [`Label`](crate::Label)).
    pub stamps: bool,
    /// Whether [`Port::queue_len`](crate::Port::queue_len) may be called for this link. This costs some
    /// speed.
    pub watched: bool,
    /// Whether the link measures how long packets wait, although its queue does not need to hold them. This
    /// changes nothing else, and costs some speed. Other queues that hold their packets measure it always,
    /// except [`Queue::AckFilter`].
    pub sojourns: bool,
}

impl Link {
    /// Makes a link with an unlimited queue and no losses, which does not stamp and is not watched.
    pub fn new(name: impl Into<String>, from: NodeId, to: NodeId, rate: u64, delay: Time) -> Self {
        Self {
            name: name.into(),
            from,
            to,
            rate,
            opportunities: None,
            transmission: None,
            delay,
            flight: None,
            policer: None,
            queue: Queue::Unlimited,
            loss: None,
            stamps: false,
            watched: false,
            sojourns: false,
        }
    }

    /// Returns how long a packet takes from one end to the other while nothing else is there, rounded as
    /// in a simulation, at the mean rate and delay if they vary. If opportunities drive the transmitter, this is the propagation delay alone: how
    /// long the packet waits for an opportunity depends on when it arrives.
    pub fn idle(&self, bytes: u16) -> Time {
        let transmission = match &self.opportunities {
            None => transmission(u32::from(bytes), self.rate),
            Some(_) => 0,
        };
        Time::from_nanos(self.delay.as_nanos().saturating_add(transmission).max(1))
    }

    /// Returns whether departures are not known at arrival, so that the link holds its packets until they
    /// depart.
    pub(crate) fn decides_at_departure(&self) -> bool {
        let own = self.transmission.as_ref();
        self.queue.decides_at_departure()
            || self.sojourns
            || own.is_some_and(|own| own.aggregate.is_some() || own.arq.is_some())
    }

    /// Returns whether the link measures how long packets wait.
    pub(crate) fn measures_sojourns(&self) -> bool {
        self.sojourns || !matches!(self.queue, Queue::AckFilter(_))
    }

    /// Returns the same link with this queue.
    pub fn queue(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }

    /// Returns the same link with this policer in front of its queue.
    pub fn policed(self, policer: Policer) -> Self {
        Self {
            policer: Some(policer),
            ..self
        }
    }

    /// Returns the same link with a transmitter that sends at these opportunities.
    pub fn driven_by(self, opportunities: Opportunities) -> Self {
        Self {
            rate: opportunities.mean_rate(),
            opportunities: Some(opportunities),
            ..self
        }
    }

    /// Returns the same link with a transmitter that sends like this.
    pub fn transmission(self, transmission: Transmission) -> Self {
        let varying = transmission.rate.as_ref();
        Self {
            rate: varying.map_or(self.rate, |rate| rate.steps.mean().max(1)),
            transmission: Some(Box::new(transmission)),
            ..self
        }
    }

    /// Returns the bytes that the transmitter can send between two moments. What every burst of a link that
    /// aggregates takes in addition is not taken away, nor what a link sends again.
    pub fn offered(&self, from: Time, to: Time) -> u64 {
        Transmitter::new(self.drive()).offered(from.as_nanos(), to.as_nanos())
    }

    /// Returns whether the transmitter always sends at `rate`.
    pub fn is_steady(&self) -> bool {
        self.drive().is_steady()
    }

    /// Returns what drives the transmitter.
    pub(crate) fn drive(&self) -> Drive<'_> {
        Drive {
            rate: self.rate,
            opportunities: self.opportunities.as_ref(),
            own: self.transmission.as_deref(),
        }
    }

    /// Returns the same link, on which this happens to packets in flight.
    pub fn flight(self, flight: Flight) -> Self {
        Self {
            delay: Time::from_nanos(flight.delay.mean()),
            flight: Some(Box::new(flight)),
            ..self
        }
    }

    /// Returns whether packets may reach the end of the link in another order, or twice.
    pub(crate) fn is_unordered(&self) -> bool {
        let own = self.transmission.as_ref();
        let resequences = own.and_then(|own| own.arq).is_some_and(|arq| arq.in_order);
        let flight = self.flight.as_ref();
        !resequences && flight.is_some_and(|flight| flight.is_unordered())
    }

    /// Returns the same link with these losses.
    pub fn loss(self, loss: Loss) -> Self {
        Self {
            loss: Some(loss),
            ..self
        }
    }

    /// Returns the same link, which adds the times that probes wait.
    pub fn stamping(self) -> Self {
        Self {
            stamps: true,
            ..self
        }
    }

    /// Returns the same link, which measures how long packets wait.
    pub fn measuring_sojourns(self) -> Self {
        Self {
            sojourns: true,
            ..self
        }
    }

    /// Returns the same link, watched.
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
    /// There is none: the endpoint only receives.
    None,
}

#[derive(Clone, Debug)]
struct Endpoint {
    node: NodeId,
    path: Path,
}

/// A network under construction. Mistakes are reported when a simulation is made from it.
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
    /// Makes a network without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node.
    pub fn node(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    /// Adds a link. There may be several links between the same two nodes.
    pub fn link(&mut self, link: Link) -> LinkId {
        self.links.push(link);
        LinkId(self.links.len() as u32 - 1)
    }

    /// Adds a connection with an endpoint at each of two nodes. Packets take the shortest path in each
    /// direction: the least total propagation delay, then the fewest links, then at every node the link
    /// with the lowest number.
    pub fn connect(&mut self, a: NodeId, b: NodeId) -> (EndpointId, EndpointId) {
        (
            self.endpoint(a, Path::Shortest),
            self.endpoint(b, Path::Shortest),
        )
    }

    /// Adds a connection whose second endpoint only receives: it needs no return path and must not send.
    pub fn one_way(&mut self, from: NodeId, to: NodeId) -> (EndpointId, EndpointId) {
        (
            self.endpoint(from, Path::Shortest),
            self.endpoint(to, Path::None),
        )
    }

    /// Makes an endpoint's packets take these links, from its node to the node of its peer, instead of
    /// the shortest path.
    pub fn route(&mut self, endpoint: EndpointId, links: &[LinkId]) {
        if let Some(endpoint) = self.endpoints.get_mut(endpoint.index()) {
            endpoint.path = Path::Explicit(links.to_vec());
        }
    }

    /// Returns whether any link adds waiting times to probes.
    pub(crate) fn stamps(&self) -> bool {
        self.links.iter().any(|link| link.stamps)
    }

    /// Returns whether any link reads or writes labels.
    pub(crate) fn is_labelled(&self) -> bool {
        let damages = |link: &Link| link.flight.as_ref().is_some_and(|all| all.corrupt > 0.0);
        let labelled = |link: &Link| link.queue.is_labelled() || damages(link);
        self.stamps() || self.links.iter().any(labelled)
    }

    /// Returns the links, in the order of their numbers.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Returns the links that the packets of every endpoint take; empty for endpoints that only receive.
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

    fn endpoint(&mut self, node: NodeId, path: Path) -> EndpointId {
        self.endpoints.push(Endpoint { node, path });
        EndpointId(self.endpoints.len() as u32 - 1)
    }
}
