//! The flight of packets: what happens between the departure from a link's transmitter and its far end.
//!
//! A packet has the delay of the moment of its departure, and a random jitter on top. Unless asked otherwise,
//! no packet overtakes another: one that would arrives with the one before it, and after it. Network
//! emulators that draw a delay for each packet without this rule reorder whenever the delay varies.
//!
//! A link that may change the order of packets keeps those in flight in a heap. Its entry in the scheduler is
//! due one nanosecond before the next arrival, and comes after all other events of that moment, as the entries
//! of links do that schedule departures ([`departure`](crate::departure)). Packets that arrive a nanosecond
//! later are then moved into the FIFO of the link, so that all events have their usual order.

mod air;
mod correlated;
mod law;

use crate::ids::LinkId;
use crate::random::{Component, Random, stream};
use crate::steps::Steps;
use crate::time::Time;

pub(crate) use self::air::Air;
pub use self::law::Law;

use self::correlated::Correlated;

/// What happens to packets in flight.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// The propagation delay over time, in nanoseconds.
    pub delay: Steps,
    /// Whether no packet overtakes another, even if the delay or the jitter falls.
    pub keep_order: bool,
    /// A random delay on top.
    pub jitter: Option<Jitter>,
    /// Packets that are held back, so that later ones overtake them.
    pub reorder: Option<Reorder>,
    /// The probability that a packet arrives twice.
    pub duplicate: f64,
    /// The probability that a packet is damaged: its receiver discards it.
    pub corrupt: f64,
}

/// A random delay of each packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Its distribution.
    pub law: Law,
    /// The correlation of the delays of successive packets, from 0 to below 1: that of the normal variables
    /// from which they are made, so that the distribution is the same for all correlations.
    pub correlation: f64,
}

/// Packets that others overtake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reorder {
    /// The probability that a packet is held back.
    pub probability: f64,
    /// How much later it arrives; if it waits for others, at most.
    pub extra: Time,
    /// It arrives right after the packet that is so many behind it, not counting those that are lost or held back
    /// themselves. `None` if it waits for no others, but always for `extra`; at least 1.
    pub distance: Option<u32>,
    /// The correlation between successive packets, as for [`Jitter`].
    pub correlation: f64,
}

impl Flight {
    /// Makes a flight with this delay over time, and nothing else.
    pub fn new(delay: Steps) -> Self {
        Self {
            delay,
            keep_order: true,
            jitter: None,
            reorder: None,
            duplicate: 0.0,
            corrupt: 0.0,
        }
    }

    /// Returns the shortest delay of a packet, in nanoseconds.
    pub(crate) fn least(&self) -> u64 {
        self.delay.bounds().0
    }

    /// Returns whether packets may arrive in another order, or twice.
    pub(crate) fn is_unordered(&self) -> bool {
        !self.keep_order || self.reorder.is_some() || self.duplicate > 0.0
    }

    /// Returns what is wrong with the parameters, if anything.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let chance = |p: f64| (0.0..=1.0).contains(&p);
        let correlation = |c: f64| (0.0..1.0).contains(&c);
        let jitter = self.jitter.iter().map(|jitter| jitter.correlation);
        let reorder = self.reorder.iter();
        if !jitter
            .chain(reorder.clone().map(|reorder| reorder.correlation))
            .all(correlation)
        {
            return Some("a correlation must be from 0 to below 1");
        }
        if reorder.clone().any(|reorder| reorder.distance == Some(0)) {
            return Some("a packet that waits for others must wait for at least one");
        }
        let chances = reorder.map(|reorder| reorder.probability);
        if !chances.chain([self.duplicate, self.corrupt]).all(chance) {
            return Some("a probability must be from 0 to 1");
        }
        self.jitter.and_then(|jitter| jitter.law.fault())
    }
}

/// When a packet arrives, and what happens to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Landing {
    /// When it arrives; if it waits for others, at the latest.
    pub due: u64,
    /// When it arrives at the earliest.
    pub earliest: u64,
    /// For how many packets behind it it waits, if it does.
    pub waits: Option<u32>,
    /// Its number in the [`Air`].
    pub number: u64,
    pub twice: bool,
    pub corrupt: bool,
}

/// The state of a flight on one link.
#[derive(Clone, Debug)]
pub(crate) struct Flying {
    delay: Steps,
    keep_order: bool,
    /// Whether the far end puts packets back into order, so that none can overtake another.
    resequenced: bool,
    /// When the last packet arrives that keeps its place.
    last: u64,
    jitter: Option<(Law, Correlated)>,
    reorder: Option<(Reorder, Correlated)>,
    duplicate: (f64, Random),
    corrupt: (f64, Random),
    least: u64,
    /// The packets in flight, if their order may change.
    pub air: Option<Air>,
}

impl Flying {
    pub fn new(flight: &Flight, resequenced: bool, seed: u64, link: u32) -> Self {
        let id = LinkId::from_index(link as usize);
        let correlated =
            |correlation, component| Correlated::new(correlation, stream(seed, component));
        Self {
            least: flight.least(),
            delay: flight.delay.clone(),
            keep_order: flight.keep_order,
            resequenced,
            last: 0,
            jitter: flight.jitter.map(|jitter| {
                let source = correlated(jitter.correlation, Component::jitter(id));
                (jitter.law, source)
            }),
            reorder: flight.reorder.map(|reorder| {
                let source = correlated(reorder.correlation, Component::reorder(id));
                (reorder, source)
            }),
            duplicate: (flight.duplicate, stream(seed, Component::duplicate(id))),
            corrupt: (flight.corrupt, stream(seed, Component::corrupt(id))),
            air: None,
        }
    }

    /// Returns the shortest delay of a packet.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// Returns the delay of a packet that departs at this moment, without jitter.
    pub fn delay_at(&self, departure: u64) -> u64 {
        self.delay.span(departure).0
    }

    /// Decides about the next packet. It departs at `departure`, not before the packet before it, and does
    /// not arrive before `earliest`.
    pub fn land(&mut self, departure: u64, earliest: u64) -> Landing {
        let mut due = departure.saturating_add(self.delay_at(departure));
        if let Some((law, source)) = &mut self.jitter {
            due = due.saturating_add(law.nanos(source.normal()));
        }
        due = due.max(earliest);
        let held = self.reorder.as_mut().and_then(|(reorder, source)| {
            (source.uniform() < reorder.probability).then_some(*reorder)
        });
        let mut earliest = due;
        let mut waits = None;
        match held {
            Some(reorder) => {
                due = due.saturating_add(reorder.extra.as_nanos());
                waits = reorder.distance.filter(|_| !self.resequenced);
                earliest = if waits.is_some() { earliest } else { due };
            }
            None => {
                if self.keep_order {
                    due = due.max(self.last);
                    self.last = due;
                }
                earliest = due;
            }
        }
        let number = match &mut self.air {
            Some(air) if held.is_none() => air.pass(due),
            Some(air) => air.number(),
            None => 0,
        };
        let happens = |(chance, draws): &mut (f64, Random)| *chance > 0.0 && draws.chance(*chance);
        Landing {
            due,
            earliest,
            waits,
            number,
            twice: happens(&mut self.duplicate),
            corrupt: happens(&mut self.corrupt),
        }
    }
}
