//! A queue that holds its packets until they depart: what waits may still be dropped, marked or removed,
//! or overtaken. A discipline decides about that; a server transmits.
//!
//! The departure of a packet is certain only when the one before it has happened. Therefore the link
//! schedules its departures: see `departure.rs`.

use std::collections::VecDeque;

use super::waiting::{Decisions, Waiting};
use super::{Admitted, Held, Queue, Server};
use crate::arq::{Attempt, Resequencer, Retransmission};
use crate::label::Label;
use crate::random::Random;
use crate::sojourn::Sojourns;
use crate::time::NEVER;
use crate::transmitter::{Aggregate, Drive};

/// The parameters of a queue that holds its packets. Its state on a link is a
/// [`Discipline`](Hold::Discipline).
pub(crate) trait Hold {
    type Discipline: Discipline;

    /// Returns the largest number of packets in the system; `u32::MAX` if it is unlimited.
    fn limit(&self) -> u32;

    /// Returns whether the queue reads or writes the labels of packets.
    fn is_labelled(&self) -> bool;

    /// Returns what is wrong with the parameters, apart from the limit.
    fn fault(&self) -> Option<&'static str>;

    /// Returns the state at the start of a run.
    fn discipline(&self, draws: Random) -> Self::Discipline;
}

/// The state of a queue that holds its packets: it decides which packets wait, and which one is next.
/// Packets whose transmission has started are no longer in it.
pub(crate) trait Discipline {
    /// Handles an arriving packet; packets that have started by then have been taken out. The packet is
    /// kept, or it is among those that go.
    fn arrival(
        &mut self,
        packet: Waiting,
        label: &Label,
        server: &Server,
        decisions: &mut Decisions,
    );

    /// Takes out the packet whose transmission starts now; `None` if all that wait are dropped, after
    /// which no packet waits.
    fn next(&mut self, now: u64, server: &Server, decisions: &mut Decisions) -> Option<Waiting>;

    /// Returns the number of waiting packets.
    fn len(&self) -> usize;

    /// Calls `see` with each waiting packet, in any order.
    fn visit(&self, see: &mut dyn FnMut(&Waiting));
}

/// A packet whose transmission is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transmitted {
    pub packet: Waiting,
    pub departure: u64,
    pub tx: u64,
    /// When its transmission starts, or that of the burst to which it belongs.
    pub start: u64,
    /// On a link that retransmits.
    pub attempt: Option<Attempt>,
    pub draw: Draw,
}

/// How it is decided whether a packet is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draw {
    /// For itself.
    Own,
    /// For all packets of a burst, of which this is the first.
    First,
    /// As for the first packet of the burst.
    Shared,
}

/// The state of a queue that holds its packets, with its server, on one link.
#[derive(Clone, Debug)]
pub(crate) struct Holding<D = Held> {
    pub(super) discipline: D,
    server: Server,
    /// How long packets waited, if that is measured.
    sojourns: Option<Box<Sojourns>>,
    /// Since when packets have been waiting, if any are.
    since: u64,
    /// When the next packet starts; `NEVER` if none is waiting.
    next_start: u64,
    /// Whether nothing waits but what is in the discipline: the link neither retransmits nor aggregates.
    simple: bool,
    /// Packets that have failed, if the link retransmits.
    retransmission: Option<Retransmission>,
    burst: Option<Burst>,
    /// The link's entry in the scheduler for departures.
    pub entry: u32,
    /// When that entry is due, or `NEVER`.
    pub armed: u64,
    /// How much later it may be due than the start of the next packet.
    pub patience: u64,
}

/// The bursts of a link that aggregates packets.
#[derive(Clone, Debug)]
struct Burst {
    aggregate: Aggregate,
    /// A packet for which there was no room in the last burst.
    left: Option<(Waiting, Option<Attempt>)>,
    /// The packets of a burst that have not been handed out yet.
    packets: VecDeque<Transmitted>,
}

impl Holding {
    /// The queue in front of a link that is driven like this; `measured` is whether the time that packets wait is.
    pub fn new(
        queue: Queue,
        drive: Drive<'_>,
        measured: bool,
        entry: u32,
        draws: impl FnOnce() -> Random,
    ) -> Self {
        let own = drive.own;
        Self {
            simple: own.is_none_or(|own| own.arq.is_none() && own.aggregate.is_none()),
            sojourns: measured.then(|| Box::new(Sojourns::new(queue.separates_l4s()))),
            retransmission: own.and_then(|own| own.arq).map(Retransmission::new),
            burst: own.and_then(|own| own.aggregate).map(|aggregate| Burst {
                aggregate,
                left: None,
                packets: VecDeque::new(),
            }),
            ..Self::of(Held::new(queue, drive, draws), Server::new(drive), entry)
        }
    }
}

impl<D: Discipline> Holding<D> {
    pub(super) fn of(discipline: D, server: Server, entry: u32) -> Self {
        Self {
            discipline,
            server,
            sojourns: None,
            since: 0,
            next_start: NEVER,
            simple: true,
            retransmission: None,
            burst: None,
            entry,
            armed: NEVER,
            patience: 0,
        }
    }

    /// Handles an arriving packet. Packets that have started by then must have been taken out.
    #[inline(always)]
    pub fn arrival(&mut self, packet: Waiting, label: &Label, decisions: &mut Decisions) {
        let first = match self.is_simple() {
            true => self.next_start == NEVER,
            false => self.fresh() == 0,
        };
        if first {
            self.since = packet.arrived;
        }
        self.discipline
            .arrival(packet, label, &self.server, decisions);
        // What waits already starts when it would have, unless the arrival removed it.
        if first || !decisions.gone.is_empty() && self.discipline.len() == 0 {
            self.plan();
        }
    }

    /// A packet whose transmission ends at this moment was lost on a link that retransmits. Returns whether it
    /// is to be sent again.
    pub fn fail(&mut self, packet: Waiting, attempt: Attempt, ended: u64) -> bool {
        let retransmission = self.retransmission.as_mut();
        let again = retransmission.is_some_and(|all| all.fail(packet, attempt, ended));
        self.plan();
        again
    }

    /// Determines when the next packet starts.
    #[inline(always)]
    pub(super) fn plan(&mut self) {
        self.next_start = if self.is_simple() {
            match self.discipline.len() {
                0 => NEVER,
                _ => self.server.start(self.since),
            }
        } else {
            let ready = self.retransmission.as_ref().and_then(Retransmission::ready);
            match self.fresh() > 0 || ready.is_some() {
                true => self.server.start(self.since()),
                false => NEVER,
            }
        };
    }

    /// Returns whether a packet starts at `moment` or earlier, or is left of a burst that has.
    #[inline]
    pub fn starts_by(&self, moment: u64) -> bool {
        self.next_start <= moment
            || (self.burst.as_ref()).is_some_and(|burst| !burst.packets.is_empty())
    }

    /// Takes out the next packet if its transmission starts at `moment` or earlier. Returns when it starts,
    /// and the packet unless all that waited are dropped at that time.
    #[inline(always)]
    pub fn start(
        &mut self,
        moment: u64,
        decisions: &mut Decisions,
    ) -> Option<(u64, Option<Transmitted>)> {
        if let Some(burst) = &mut self.burst
            && let Some(next) = burst.packets.pop_front()
        {
            return Some((next.start, Some(next)));
        }
        let start = self.next_start;
        if start > moment || start == NEVER {
            return None;
        }
        let transmitted = match self.burst {
            Some(_) => self.start_burst(start, decisions),
            None => self.start_packet(start, decisions),
        };
        self.plan();
        Some((start, transmitted))
    }

    /// Returns whether a packet starts at `moment` or earlier, and nothing waits but what is in the discipline.
    #[inline]
    pub fn starts_simply(&self, moment: u64) -> bool {
        self.next_start <= moment && self.next_start != NEVER && self.is_simple()
    }

    /// Takes out the packet that starts next, if [`Holding::starts_simply`]; `None` if all that waited are dropped
    /// at that time.
    #[inline(always)]
    pub fn start_simply(&mut self, decisions: &mut Decisions) -> Option<(Waiting, Admitted)> {
        let start = self.next_start;
        let started = match self.discipline.next(start, &self.server, decisions) {
            Some(packet) => {
                let bytes = u32::from(packet.bytes());
                let admitted = self.server.send(bytes, self.since);
                self.measure(&packet, None, start);
                Some((packet, admitted))
            }
            None => None,
        };
        self.next_start = match self.discipline.len() {
            0 => NEVER,
            _ => self.server.start(self.since),
        };
        started
    }

    /// Takes out the packet that starts now.
    #[inline(always)]
    fn start_packet(&mut self, start: u64, decisions: &mut Decisions) -> Option<Transmitted> {
        let since = self.since();
        let (packet, attempt) = self.next(start, decisions)?;
        let bytes = u32::from(packet.bytes());
        let Admitted { departure, tx } = self.server.send(bytes, since);
        self.measure(&packet, attempt, start);
        Some(Transmitted {
            packet,
            departure,
            tx,
            start: departure - tx,
            attempt,
            draw: Draw::Own,
        })
    }

    /// Measures how long a packet has waited that starts now for the first time.
    #[inline(always)]
    fn measure(&mut self, packet: &Waiting, attempt: Option<Attempt>, start: u64) {
        if let Some(sojourns) = &mut self.sojourns
            && attempt.is_none_or(|attempt| attempt.before == 0)
        {
            sojourns.add(packet.arrived, start, packet.is_l4s());
        }
    }

    /// Takes out the packets of a burst that starts now; returns the first one and keeps the others.
    fn start_burst(&mut self, start: u64, decisions: &mut Decisions) -> Option<Transmitted> {
        let since = self.since();
        let Burst {
            aggregate, left, ..
        } = self.burst.as_mut()?;
        let Aggregate {
            packets,
            bytes,
            overhead,
            all_or_none,
        } = *aggregate;
        let mut next = left.take();
        let (mut count, mut total) = (0, 0);
        let mut departure = start;
        while count < packets
            && let Some((packet, attempt)) = next.take().or_else(|| self.next(start, decisions))
        {
            let size = u32::from(packet.bytes());
            let burst = self.burst.as_mut()?;
            if count > 0 && total + size > bytes {
                burst.left = Some((packet, attempt));
                break;
            }
            if count == 0 {
                self.server.hold(start.saturating_add(overhead.as_nanos()));
            }
            let sent = self.server.send(size, since);
            departure = sent.departure;
            self.measure(&packet, attempt, start);
            let burst = self.burst.as_mut()?;
            burst.packets.push_back(Transmitted {
                packet,
                departure,
                tx: sent.tx,
                start,
                attempt,
                draw: match (all_or_none, count) {
                    (false, _) => Draw::Own,
                    (true, 0) => Draw::First,
                    (true, _) => Draw::Shared,
                },
            });
            (count, total) = (count + 1, total + size);
        }
        let burst = self.burst.as_mut()?;
        for packet in &mut burst.packets {
            packet.departure = departure;
        }
        burst.packets.pop_front()
    }

    /// Takes out the packet that is transmitted next: one that has failed before, or a new one.
    #[inline]
    fn next(&mut self, now: u64, decisions: &mut Decisions) -> Option<(Waiting, Option<Attempt>)> {
        let retransmission = self.retransmission.as_mut();
        if let Some((packet, attempt)) = retransmission.and_then(|all| all.next(now)) {
            return Some((packet, Some(attempt)));
        }
        if self.discipline.len() == 0 {
            return None;
        }
        let packet = self.discipline.next(now, &self.server, decisions)?;
        Some((
            packet,
            self.retransmission.as_mut().map(Retransmission::first),
        ))
    }

    /// Returns whether nothing waits but what is in the discipline.
    #[inline]
    pub fn is_simple(&self) -> bool {
        self.simple
    }

    /// Returns when the next packet starts; `NEVER` if none is waiting.
    #[inline]
    pub fn next_start(&self) -> u64 {
        self.next_start
    }

    /// Returns since when there is something to send.
    #[inline]
    fn since(&self) -> u64 {
        if self.is_simple() {
            return self.since;
        }
        let ready = self.retransmission.as_ref().and_then(Retransmission::ready);
        match (self.fresh() > 0, ready) {
            (true, Some(ready)) => ready.min(self.since),
            (false, Some(ready)) => ready,
            (_, None) => self.since,
        }
    }

    /// Returns the number of waiting packets that are not waiting for another attempt.
    #[inline]
    fn fresh(&self) -> usize {
        let left = self
            .burst
            .as_ref()
            .is_some_and(|burst| burst.left.is_some());
        self.discipline.len() + usize::from(left)
    }

    /// Returns the number of packets in the system once all that start by `now` have started: those that
    /// wait, and possibly one in transmission.
    pub fn len(&self, now: u64) -> u32 {
        in_system(self.waiting(), &self.server, now)
    }

    /// Returns the number of waiting packets, those that wait for another attempt included.
    pub fn waiting(&self) -> usize {
        let failed = self.retransmission.as_ref().map(|all| all.failed().len());
        self.fresh() + failed.unwrap_or(0)
    }

    /// Returns the number of packets that have departed and wait for others at the far end.
    pub fn held(&self) -> usize {
        let end = self.retransmission.as_ref();
        end.and_then(|all| all.resequencer.as_ref())
            .map_or(0, Resequencer::held)
    }

    /// Returns the far end, if the link retransmits in order.
    pub fn resequencer_mut(&mut self) -> Option<&mut Resequencer> {
        self.retransmission.as_mut()?.resequencer.as_mut()
    }

    /// Calls `see` with the time of arrival of each waiting packet.
    pub fn visit_arrivals(&self, mut see: impl FnMut(u64)) {
        self.discipline.visit(&mut |packet| see(packet.arrived));
        let left = self.burst.as_ref().and_then(|burst| burst.left.as_ref());
        left.into_iter().for_each(|(packet, _)| see(packet.arrived));
        for packet in self.retransmission.iter().flat_map(Retransmission::failed) {
            see(packet.arrived);
        }
    }

    /// Returns the measurement of how long packets wait, if there is one.
    pub fn sojourns_mut(&mut self) -> Option<&mut Sojourns> {
        self.sojourns.as_deref_mut()
    }

    /// Returns the measurement of how long packets wait, if there is one.
    pub fn sojourns(&self) -> Option<&Sojourns> {
        self.sojourns.as_deref()
    }

    /// Returns the server.
    pub fn server(&self) -> &Server {
        &self.server
    }
}

/// Returns the number of packets in the system if so many are waiting.
pub(super) fn in_system(waiting: usize, server: &Server, now: u64) -> u32 {
    let len = waiting + usize::from(server.is_busy(now));
    u32::try_from(len).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::packet::{Class, Kind};
    use crate::queue::Reason;
    use crate::random::{Component, stream};

    /// A stream of random numbers.
    pub fn draws() -> Random {
        stream(1, Component::host(0, 0))
    }

    /// An unlabelled packet of this size that arrives at this moment.
    pub fn packet(bytes: u16, arrived: u64) -> Waiting {
        Waiting::new(0, Class::new(bytes, Kind::new(0)), arrived)
    }

    /// A queue in front of a link with this rate, in bits per second.
    pub fn on_link<D: Discipline>(discipline: D, rate: u64) -> Holding<D> {
        Holding::of(discipline, Server::with_rate(rate), 0)
    }

    impl<D: Discipline> Holding<D> {
        /// Handles an arriving packet without a label, and returns what goes.
        pub fn arrive(&mut self, packet: Waiting) -> Vec<(Waiting, Reason)> {
            self.arrive_labelled(packet, &Label::NONE)
        }

        /// Handles an arriving packet, and returns what goes.
        pub fn arrive_labelled(
            &mut self,
            packet: Waiting,
            label: &Label,
        ) -> Vec<(Waiting, Reason)> {
            let mut decisions = Decisions::default();
            self.arrival(packet, label, &mut decisions);
            decisions.gone
        }

        /// Starts the next packet if it starts by `moment`; nothing may be dropped.
        pub fn start_by(&mut self, moment: u64) -> Option<Transmitted> {
            let mut decisions = Decisions::default();
            let started = self.start(moment, &mut decisions);
            assert_eq!(decisions, Decisions::default());
            started.and_then(|(_, packet)| packet)
        }
    }
}
