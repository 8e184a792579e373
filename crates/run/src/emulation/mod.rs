//! A scenario's network with packets from outside: the core of an emulator that runs in real time.
//!
//! The two ends of one flow, or of several, are outside. Their packets cross the simulated network, with the same
//! links, queues, losses and routers as in a simulation, beside the packets of all other flows,
//! which are simulated. The network has its own clock, which its owner advances. A packet that is
//! handed in late, or taken out late, does not change what the network does with it.

mod event;
mod gateway;

use dumbbell_scenario::controls::Alarm;
use dumbbell_scenario::{Duration, Flow, Scenario, Traffic, Writing, named_flows};
use dumbbell_sim::{Label, LinkId, LinkStatistics, Simulation};

pub use event::{End, Event, Gone, Sort, Through, Why};

use crate::failure::Failure;
use crate::flow::wire::{ACK, DATA, DATAGRAM};
use crate::network::Layout;
use crate::outcome::Outcome;
use crate::results;
use crate::stage::{Pace, prepare};
use crate::time::{since_start, time};
use gateway::{Gateway, endpoint};

/// Counters of a link from the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkCounts {
    /// Bytes that left the queue.
    pub bytes: u64,
    /// Packets dropped by the queue, or by a policer before it.
    pub dropped: u64,
    /// Packets lost by the loss model.
    pub lost: u64,
    /// Packets that the queue marked.
    pub marked: u64,
    /// The sum of the times that packets spent in the queue and in transmission, in seconds.
    pub queue_s: f64,
}

/// A network in which one flow is real, or several are.
pub struct Emulation {
    simulation: Simulation<Gateway>,
    scenario: Scenario,
    seed: u64,
    alarm: Alarm,
}

/// The longest possible emulation.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

impl Emulation {
    /// Builds the network of a scenario, in which the flow at this position among the run's flows
    /// is outside. The duration of the scenario and its warm-up are ignored: an emulation lasts up to 30
    /// days, and its results begin with it.
    ///
    /// # Errors
    /// A message if that flow cannot be outside: because it is a UDP source, which receives
    /// nothing, or because it relays or is relayed.
    pub fn new(scenario: &Scenario, flow: usize, seed: u64) -> Result<Self, String> {
        Self::of(scenario, &[flow], seed)
    }

    /// As [`new`](Self::new), with several flows outside.
    ///
    /// # Errors
    /// As those of [`new`](Self::new), for any of the flows; or if one is given twice, or none.
    pub fn of(scenario: &Scenario, flows: &[usize], seed: u64) -> Result<Self, String> {
        if flows.is_empty() {
            return Err("an emulation needs a flow that is real".to_owned());
        }
        for (number, &flow) in flows.iter().enumerate() {
            check(scenario, flow)?;
            if flows[..number].contains(&flow) {
                return Err(format!("the flow {} is to be real twice", flow + 1));
            }
        }
        let mut scenario = scenario.clone();
        scenario.duration = LONGEST;
        scenario.warmup = Duration::ZERO;
        scenario.variation = None;
        let stage = Gateway::of(flows);
        let alarm = Alarm::new();
        let mut simulation = prepare(&scenario, seed, None, None, &alarm, Pace::Watched, stage);
        for &flow in flows {
            for end in [End::Sender, End::Receiver] {
                simulation.set_timer(endpoint(flow, end), None);
            }
        }
        Ok(Self {
            simulation,
            scenario,
            seed,
            alarm,
        })
    }

    /// The simulated time reached so far.
    pub fn now(&self) -> Duration {
        since_start(self.simulation.now())
    }

    /// A lower bound on the time of the next event in the network if nothing comes from outside.
    pub fn next_event(&mut self) -> Option<Duration> {
        self.simulation.next_event().map(since_start)
    }

    /// Advances to this time, and passes everything that has arrived until then, in order, to
    /// `deliver`, which may change the bytes.
    pub fn advance(&mut self, now: Duration, mut deliver: impl FnMut(Through, &mut [u8])) {
        self.follow(now, |event| match event {
            Event::Through(through, bytes) => deliver(through, bytes),
            Event::Gone(..) => {}
        });
    }

    /// Advances to this time, and passes on what has become of packets until then, in the order of time.
    pub fn follow(&mut self, now: Duration, mut tell: impl FnMut(Event<'_>)) {
        self.simulation.run_until(time(now));
        self.simulation.host_mut().tell(time(now), &mut tell);
    }

    /// Hands in a packet at the current time of the network. Packets of more than 65,535 bytes are
    /// ignored: no link could carry them. Returns the number of the packet. If several flows are outside, it
    /// belongs to the first.
    pub fn offer(&mut self, from: End, packet: &[u8], sort: Sort, label: Label) -> Option<u64> {
        self.offer_of(0, from, packet, sort, label)
    }

    /// As [`offer`](Self::offer), for the flow at this place among those that are outside. A packet of no such
    /// flow is ignored.
    pub fn offer_of(
        &mut self,
        flow: usize,
        from: End,
        packet: &[u8],
        sort: Sort,
        label: Label,
    ) -> Option<u64> {
        self.offer_framed(flow, from, packet, packet.len(), sort, label)
    }

    /// As [`offer_of`](Self::offer_of), for a packet in a frame, of which the network counts only the packet's `size` in
    /// bytes. All of the frame is carried.
    pub fn offer_framed(
        &mut self,
        flow: usize,
        from: End,
        frame: &[u8],
        size: usize,
        sort: Sort,
        label: Label,
    ) -> Option<u64> {
        let bytes = u16::try_from(size).ok()?;
        let entered = self.simulation.now();
        let gateway = self.simulation.host_mut();
        let from = endpoint(*gateway.flows.get(flow)?, from);
        let (number, carried) = gateway.admit(frame, entered);
        let kind = match sort {
            Sort::Data => DATA,
            Sort::Ack => ACK,
            Sort::Datagram => DATAGRAM,
        };
        self.simulation.send(from, bytes, kind, carried, label);
        Some(number)
    }

    /// Why the emulation should end, if an added control of a simulated flow has failed.
    pub fn failure(&self) -> Option<Failure> {
        let raised = self.alarm.raised()?;
        Some(Failure::of(raised, &self.scenario))
    }

    /// The number of packets from outside that are in the network now, without those of which it is known that
    /// they will not arrive.
    pub fn in_flight(&self) -> usize {
        self.simulation.host().in_flight()
    }

    /// The names of the first links, as in the results, up to `most`.
    pub fn link_names(&self, most: usize) -> Vec<String> {
        Layout::names(&self.scenario).take(most).collect()
    }

    /// The counters of the first links so far, up to `most`.
    pub fn link_counts(&self, most: usize) -> Vec<LinkCounts> {
        let count = self.simulation.link_count().min(most);
        let links = (0..count).map(|number| self.simulation.link(LinkId::from_index(number)));
        let count = |link: LinkStatistics| LinkCounts {
            bytes: link.departed_bytes,
            dropped: link.dropped,
            lost: link.lost,
            marked: link.marked,
            queue_s: link.queue_integral as f64 / 1e9,
        };
        links.map(count).collect()
    }

    /// The results of the links and the simulated flows so far.
    pub fn outcome(&self) -> Outcome {
        let (gateway, now) = (self.simulation.host(), self.simulation.now());
        let flows = results::of_flows(&gateway.hosts, &self.scenario, &gateway.flows, now);
        results::outcome(&self.simulation, &self.scenario, self.seed, flows, &[])
    }
}

/// Checks that a flow can be outside.
fn check(scenario: &Scenario, flow: usize) -> Result<(), String> {
    let Some((entry, name)) = named_flows(scenario).nth(flow) else {
        return Err(format!(
            "there is no flow {}: the scenario has {}",
            flow + 1,
            scenario.flow_count()
        ));
    };
    if matches!(entry.traffic, Traffic::Udp(_)) {
        return Err(format!(
            "the flow {name} is a UDP source, to which nothing comes back: a real connection needs a flow \
             with `control` or `rate_control`"
        ));
    }
    if matches!(entry.traffic, Traffic::Workload(_)) || entry.writing != Writing::WITHOUT_LIMIT {
        return Err(format!(
            "the flow {name} has an application of its own (`transfers`, `requests`, `video`, `source` or \
             `stop`): what a real connection carries comes from outside"
        ));
    }
    let relayed = |other: &Flow| {
        other
            .relays
            .is_some_and(|place| std::ptr::eq(&scenario.flows[place], entry))
    };
    if entry.relays.is_some() || scenario.flows.iter().any(relayed) {
        return Err(format!(
            "the flow {name} relays another, or is relayed: what a real connection carries cannot be"
        ));
    }
    Ok(())
}
