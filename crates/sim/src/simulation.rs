//! A simulation: a network, a host, a seed and an end time.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::Engine;
use crate::film::Hop;
use crate::host::{Host, Port};
use crate::ids::{EndpointId, LinkId};
use crate::label::Label;
use crate::lane::Sharing;
use crate::lookahead::Lookahead;
use crate::network::Network;
use crate::packet::Kind;
use crate::scheduler::{TIME_LIMIT, Tree, Wheel, WheelSize};
use crate::sojourn::Sojourn;
use crate::statistics::LinkStatistics;
use crate::time::Time;
use crate::topology::{Plan, Topology, TopologyError};

/// How to run a simulation. These options change only the speed, never the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether hops are run together where this cannot be observed: a third fewer events on a dumbbell.
    pub merge: bool,
    /// Whether links share lists of packets.
    pub sharing: Sharing,
    /// The data structure that finds the next event.
    pub scheduler: SchedulerChoice,
}

/// The data structure that finds the next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulerChoice {
    /// A tree if the network fits one, else a wheel that fits the network.
    Automatic,
    /// A winner tree. It holds at most 65,536 links and timers. Their number, rounded up to a power of
    /// two, times the nanoseconds of the run must be below 2^64.
    Tree,
    /// A timing wheel of 2^`buckets` (6 to 18) buckets of 2^`width` (up to 30) nanoseconds.
    Wheel {
        /// log2 of the number of buckets.
        buckets: u32,
        /// log2 of the nanoseconds in a bucket.
        width: u32,
    },
}

impl Default for Options {
    fn default() -> Self {
        Self {
            merge: true,
            sharing: Sharing::Automatic,
            scheduler: SchedulerChoice::Automatic,
        }
    }
}

/// A network with a host, and the current state of both.
///
/// A simulation starts at time zero with nothing in flight. Set the first timers with
/// [`set_timer`](Self::set_timer), then run it. Events exactly at the end time still happen.
pub struct Simulation<H: Host> {
    engine: Either<H>,
    links: usize,
}

enum Either<H: Host> {
    Tree(Box<Engine<H, Tree>>),
    Wheel(Box<Engine<H, Wheel>>),
}

/// Runs the same code for either scheduler.
macro_rules! on_either {
    ($simulation:expr, $engine:ident => $code:expr) => {
        match $simulation {
            Either::Tree($engine) => $code,
            Either::Wheel($engine) => $code,
        }
    };
}

impl<H: Host> Simulation<H> {
    /// Makes a simulation of this network with this host. The seed determines all random numbers of the
    /// network, and those that the host draws with it.
    ///
    /// # Errors
    ///
    /// If the topology is faulty or the end time is too late.
    pub fn new(topology: &Topology, host: H, seed: u64, end: Time) -> Result<Self, TopologyError> {
        Self::with_options(topology, host, seed, end, Options::default())
    }

    /// Makes the same simulation with other [`Options`].
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and if the chosen scheduler cannot hold the network.
    pub fn with_options(
        topology: &Topology,
        host: H,
        seed: u64,
        end: Time,
        options: Options,
    ) -> Result<Self, TopologyError> {
        let end = end.as_nanos();
        if end >= TIME_LIMIT {
            return Err(TopologyError::TooLong);
        }
        let plan = Plan::new(topology, options.merge, options.sharing)?;
        let entries =
            plan.scheduled + (plan.starts.len() + plan.departing.len() + plan.landing.len()) as u32;
        let size = match options.scheduler {
            SchedulerChoice::Wheel { buckets, width } => WheelSize { buckets, width },
            _ => WheelSize::fitting(plan.longest, plan.gap),
        };
        let tree = match options.scheduler {
            SchedulerChoice::Wheel { .. } => None,
            _ => Tree::new(entries, end),
        };
        let engine = if let Some(tree) = tree {
            let network = Network::new(topology, plan, tree, seed, end);
            Either::Tree(Box::new(Engine::new(network, host)))
        } else if options.scheduler != SchedulerChoice::Tree && size.is_valid() {
            let wheel = Wheel::new(entries, size);
            let network = Network::new(topology, plan, wheel, seed, end);
            Either::Wheel(Box::new(Engine::new(network, host)))
        } else {
            return Err(TopologyError::Scheduler);
        };
        Ok(Self {
            engine,
            links: topology.links().len(),
        })
    }

    /// Sets or stops the timer of an endpoint from outside a callback, as [`Port::set_timer`] does
    /// within one.
    ///
    /// # Panics
    ///
    /// If the endpoint belongs to another topology.
    pub fn set_timer(&mut self, endpoint: EndpointId, deadline: Option<Time>) {
        on_either!(&mut self.engine, engine => engine.network.set_timer(endpoint, deadline));
    }

    /// Lets endpoints run ahead of the network, as far as this changes nothing but the order of callbacks of
    /// different endpoints. Call it before anything is sent, and only if these endpoints depend on nothing
    /// but their packets and timers, and the host's state is only read at the end and at the moment of
    /// [`expect_reading`](Self::expect_reading).
    ///
    /// # Panics
    ///
    /// If an endpoint belongs to another topology.
    pub fn look_ahead(&mut self, endpoints: impl IntoIterator<Item = (EndpointId, Lookahead)>) {
        on_either!(&mut self.engine, engine => engine.network.look_ahead(endpoints));
    }

    /// Sends a packet from outside a callback, at the current time of the simulation, as
    /// [`Port::send_labelled`] does within one.
    ///
    /// # Panics
    ///
    /// As for [`Port::send_labelled`].
    pub fn send(
        &mut self,
        endpoint: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: H::Payload,
        label: Label,
    ) {
        on_either!(&mut self.engine, engine => {
            engine.network.send_labelled(endpoint, bytes, kind, payload, label);
            engine.settle();
        });
    }

    /// Returns the time of the next event, for callers that wait for it in real time; `None` if there is
    /// none. A timing wheel cannot look ahead without turning, after which earlier events from outside
    /// could not be inserted; with a wheel, the current time is returned.
    pub fn next_event(&mut self) -> Option<Time> {
        match &mut self.engine {
            Either::Tree(engine) => {
                let end = engine.network.end;
                let next = engine.network.next(end)?;
                Some(Time::from_nanos(next.0))
            }
            Either::Wheel(engine) => Some(Time::from_nanos(engine.network.now)),
        }
    }

    /// Runs the simulation to its end.
    pub fn run(&mut self) {
        on_either!(&mut self.engine, engine => engine.run(engine.network.end, &|| false));
    }

    /// Runs until this moment, including events at the moment itself, or to the end if that is earlier.
    pub fn run_until(&mut self, moment: Time) {
        on_either!(&mut self.engine, engine => {
            let limit = moment.as_nanos().min(engine.network.end);
            engine.run(limit, &|| false);
        });
    }

    /// Runs to the end, or until `flag` is found to be set; it is checked every few thousand events.
    /// Returns whether the end has been reached.
    pub fn run_until_interrupted(&mut self, flag: &AtomicBool) -> bool {
        self.advance_to(Time::MAX, flag)
    }

    /// Runs until this moment, as [`run_until`](Self::run_until) does, or until `flag` is found to be
    /// set. Returns whether the moment has been reached.
    pub fn advance_to(&mut self, moment: Time, flag: &AtomicBool) -> bool {
        self.advance_unless(moment, &|| flag.load(Ordering::Relaxed))
    }

    /// Runs until this moment, as [`advance_to`](Self::advance_to) does, or until `interrupted` returns
    /// true; it is called every few thousand events.
    pub fn advance_unless(&mut self, moment: Time, interrupted: &impl Fn() -> bool) -> bool {
        on_either!(&mut self.engine, engine => {
            let limit = moment.as_nanos().min(engine.network.end);
            engine.run(limit, interrupted)
        })
    }

    /// Runs one event and returns its time; `None` if the run is over.
    pub fn step(&mut self) -> Option<Time> {
        on_either!(&mut self.engine, engine => engine.step())
    }

    /// Returns the current time of the simulation.
    pub fn now(&self) -> Time {
        on_either!(&self.engine, engine => Time::from_nanos(engine.network.now))
    }

    /// Returns the host.
    pub fn host(&self) -> &H {
        on_either!(&self.engine, engine => &engine.host)
    }

    /// Returns the host, to be changed between two events.
    pub fn host_mut(&mut self) -> &mut H {
        on_either!(&mut self.engine, engine => &mut engine.host)
    }

    /// Consumes the simulation and returns the host.
    pub fn into_host(self) -> H {
        on_either!(self.engine, engine => engine.host)
    }

    /// Returns the counters of a link.
    ///
    /// # Panics
    ///
    /// If the link belongs to another topology.
    pub fn link(&self, link: LinkId) -> LinkStatistics {
        on_either!(&self.engine, engine => engine.network.statistics(link, engine.over, &engine.network.in_lanes()))
    }

    /// Returns the number of links.
    pub fn link_count(&self) -> usize {
        self.links
    }

    /// Frees the memory of the packets in flight and of the timers, when the simulation is over. It must not be
    /// run again, and packets in flight no longer count as such.
    pub fn free_packets(&mut self) {
        on_either!(&mut self.engine, engine => engine.network.free_packets());
    }

    /// Returns the counters of every link, in the order of their numbers.
    pub fn links(&self) -> Vec<LinkStatistics> {
        let mut links = Vec::with_capacity(self.links);
        self.visit_links(|link| links.push(link));
        links
    }

    /// Calls `see` with the counters of every link, in the order of their numbers.
    pub fn visit_links(&self, mut see: impl FnMut(LinkStatistics)) {
        on_either!(&self.engine, engine => {
            let in_lanes = engine.network.in_lanes();
            for id in (0..self.links).map(LinkId::from_index) {
                see(engine.network.statistics(id, engine.over, &in_lanes));
            }
        });
    }

    /// Records what happens on every link to the packets that reach a queue in this span of time, at most `most` of
    /// them. Call it before anything is sent, of a simulation that does not merge hops and where no endpoint runs
    /// ahead. It changes no result.
    pub fn film(&mut self, from: Time, to: Time, most: usize) {
        let span = (from.as_nanos(), to.as_nanos());
        on_either!(&mut self.engine, engine => engine.network.begin_film(span, most));
    }

    /// Takes what has been recorded so far, in the order in which packets reached queues, with the number of those
    /// that exceed `most`. A packet in a queue that decides at departure is not recorded before.
    pub fn take_film(&mut self) -> (Vec<Hop<H::Payload>>, u64) {
        on_either!(&mut self.engine, engine => {
            let Some(film) = engine.network.film.take() else {
                return (Vec::new(), 0);
            };
            let mut hops = film.hops;
            hops.sort_by_key(|hop| hop.arrived);
            (hops, film.more)
        })
    }

    /// Makes the counters of links exact at `moment`, as they are at the end of the run: when the
    /// simulation has been run until then, they contain nothing that happens later. The moment must be
    /// ahead, and before the end of the run. A later call replaces an earlier one.
    pub fn expect_reading(&mut self, moment: Time) {
        on_either!(&mut self.engine, engine => {
            let network = &mut engine.network;
            let moment = moment.as_nanos();
            if moment > network.now && moment < network.end {
                network.expect_reading(moment);
            }
        });
    }

    /// Returns how long packets waited in the queue of a link that started after the moment of the last
    /// [`expect_reading`](Self::expect_reading); `None` if there was none, the link does not measure it, or
    /// no packet started.
    ///
    /// # Panics
    ///
    /// If the link belongs to another topology.
    pub fn sojourn_since_reading(&self, link: LinkId) -> Option<Sojourn> {
        on_either!(&self.engine, engine => {
            let number = engine.network.numbers[link.index()] as usize;
            engine.network.details[number].sojourns()?.since_reading()
        })
    }

    /// Returns the same of the packets of the queue for low latency (L) of [`DualPi2`](crate::DualPi2); `None` with other
    /// queues, too.
    ///
    /// # Panics
    ///
    /// If the link belongs to another topology.
    pub fn l4s_sojourn_since_reading(&self, link: LinkId) -> Option<Sojourn> {
        on_either!(&self.engine, engine => {
            let number = engine.network.numbers[link.index()] as usize;
            engine.network.details[number].sojourns()?.l4s()?.since_reading()
        })
    }

    /// Returns the links that the packets of an endpoint take; empty if it only receives.
    ///
    /// # Panics
    ///
    /// If the endpoint belongs to another topology.
    pub fn route(&self, endpoint: EndpointId) -> Vec<LinkId> {
        on_either!(&self.engine, engine => engine.network.route(endpoint).collect())
    }

    /// Returns the number of events so far: arrivals at the end of a hop (for merged hops, of the last
    /// one) and timers.
    pub fn events(&self) -> u64 {
        on_either!(&self.engine, engine => engine.events + engine.network.expired_ahead)
    }
}

impl<H: Host> fmt::Debug for Simulation<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("now", &self.now())
            .field("events", &self.events())
            .finish_non_exhaustive()
    }
}
