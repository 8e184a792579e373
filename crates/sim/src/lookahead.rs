//! Lookahead: endpoints that run ahead of the network's clock.
//!
//! All packets to an endpoint come over one route, in order, and the arrival of a packet is known as soon as
//! it enters the last hops, which are merged. What an endpoint sends enters a link of its own, in order.
//! Therefore an endpoint can be given a packet as soon as its arrival is certain, with the clock at the time
//! of the arrival, and a timer as soon as no packet can arrive before it. This is what conservative parallel
//! simulation does (Chandy and Misra, 1979). It leaves out events, and changes nothing that can be observed,
//! except between two readings of the counters: an endpoint then seems to be ahead.
//!
//! No endpoint goes further than the next reading. Nor, if packets between two ends are never stored, than the
//! simulation is run to. A packet that arrives later is kept apart until then.

use crate::flight::Flying;
use crate::ids::EndpointId;
use crate::inlet::{Batch, Certain, Inlet, TIMERS};
use crate::network::Network;
use crate::pool::NIL;
use crate::scheduler::Scheduler;
use crate::time::NEVER;
use crate::topology::Hop;

/// What an endpoint may do before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookahead {
    /// It gets packets as soon as their arrival is certain.
    Packets,
    /// Its timer expires, and expires again, as long as no packet can arrive before.
    Timers,
}

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Lets endpoints run ahead, as far as their place in the network allows it. Nothing may be in flight.
    pub fn look_ahead(&mut self, endpoints: impl IntoIterator<Item = (EndpointId, Lookahead)>) {
        let mut uses = vec![0_u32; self.links.len()];
        for hop in self.hops.iter().filter(|hop| hop.endpoint().is_none()) {
            uses[hop.link_number() as usize] += 1;
        }
        self.inlets = Vec::new();
        self.decide_late();
        for (endpoint, lookahead) in endpoints {
            if !self.sends_alone(endpoint, &uses) {
                continue;
            }
            let (end, span) = self.way_to(endpoint);
            let Some(span) = span else {
                continue;
            };
            if lookahead == Lookahead::Timers {
                if self.inlets.is_empty() {
                    self.inlets = vec![Inlet::NONE; self.endpoints.len()];
                }
                self.inlets[endpoint.index()].span = span;
            }
            if let Some(hop) = self.hops.get_mut(end) {
                *hop = match lookahead {
                    Lookahead::Packets => hop.with_delivery_at_once(),
                    Lookahead::Timers => hop.with_stored_counted(),
                };
            }
            self.closed |= lookahead == Lookahead::Packets && self.is_closed(endpoint);
        }
    }

    /// Lets the queues that decide at departure do so when it cannot be put off any longer.
    fn decide_late(&mut self) {
        for &number in &self.departing {
            let detail = &mut self.details[number as usize];
            let least = detail
                .flying()
                .map_or(self.links[number as usize].delay, Flying::least);
            if let Some(holding) = detail.holding_mut() {
                holding.patience = least;
            }
        }
    }

    /// Returns whether packets between an endpoint and its peer are never stored if both get them at once.
    fn is_closed(&self, endpoint: EndpointId) -> bool {
        [endpoint, endpoint.peer()].into_iter().all(|from| {
            let start = self.endpoints[from.index()].start as usize;
            let route = self.hops.get(start..).unwrap_or_default();
            let mut after_first = route.iter().skip(1);
            let rest = after_first
                .by_ref()
                .take_while(|hop| hop.endpoint().is_none());
            start != NIL as usize && rest.into_iter().all(|hop| hop.is_merged())
        })
    }

    /// Returns whether nothing else enters the endpoint's first link, and nothing looks at it in between.
    fn sends_alone(&self, endpoint: EndpointId, uses: &[u32]) -> bool {
        match self.endpoints[endpoint.index()].start {
            NIL => true,
            start => {
                let link = self.hops[start as usize].link_number() as usize;
                let detail = &self.details[link];
                uses[link] == 1 && !detail.watched && detail.holding().is_none()
            }
        }
    }

    /// Returns the end of the route to an endpoint among the hops, and the least time that the last hops
    /// take behind the last queue that decides at departure; these are merged. `None` if the last link has such a
    /// queue, or if packets change their order.
    fn way_to(&self, endpoint: EndpointId) -> (usize, Option<u64>) {
        let start = self.endpoints[endpoint.peer().index()].start as usize;
        let route = self.hops.get(start..).unwrap_or_default();
        let route = route.iter().take_while(|hop| hop.endpoint().is_none());
        let length = route.count();
        if length == 0 {
            return (usize::MAX, Some(NEVER));
        }
        let mut span = 0_u64;
        for hop in self.hops[start..start + length].iter().rev() {
            let link = hop.link_number() as usize;
            let detail = &self.details[link];
            let flying = detail.flying();
            let holds = detail.holding().is_some();
            if span == 0 && holds || flying.is_some_and(|all| all.air.is_some()) {
                return (start + length, None);
            }
            // What has left the queue may already be about to arrive at the next link.
            if holds {
                break;
            }
            let least = flying.map_or(self.links[link].delay, Flying::least);
            span = span.saturating_add(least);
            if !hop.is_merged() {
                break;
            }
        }
        (start + length, Some(span))
    }

    /// Returns the endpoint that gets a packet as soon as its arrival is certain, given what the packet keeps when
    /// it reaches the end of the last hop at `due`. `None` if it has to be stored there.
    #[inline(always)]
    pub fn foresee(&mut self, kept: u32, due: u64) -> Option<u32> {
        let hop = Hop::end_kept(kept);
        if !hop.is_foreseen() {
            return None;
        }
        let endpoint = hop.endpoint()?;
        if hop.delivers_at_once() {
            return Some(endpoint);
        }
        self.note_stored(endpoint, due);
        None
    }

    /// Keeps a packet that arrives later than endpoints may run ahead, until they may.
    #[cold]
    #[inline(never)]
    pub fn keep_for_later(&mut self, link: u32, certain: Certain<P>) {
        self.later.push((link, certain));
    }

    /// Called when a packet is stored on the last hop to an endpoint whose timers may run ahead.
    #[cold]
    fn note_stored(&mut self, endpoint: u32, due: u64) {
        let inlet = &mut self.inlets[endpoint as usize];
        if inlet.stored == 0 {
            inlet.first = due;
        }
        inlet.stored += 1;
    }

    /// Called when a packet arrives, with what it kept and, if it was in the FIFO of a link, its index.
    #[inline(always)]
    pub fn note_arrival(&mut self, kept: u32, index: u32) {
        let hop = Hop::end_kept(kept);
        if hop.counts_stored()
            && let Some(endpoint) = hop.endpoint()
        {
            self.note_counted(endpoint, index);
        }
    }

    #[cold]
    fn note_counted(&mut self, endpoint: u32, index: u32) {
        let alone = self.lanes.is_none() && self.calendar.is_none() && index != NIL;
        let inlet = &mut self.inlets[endpoint as usize];
        inlet.stored -= 1;
        inlet.first = self.now;
        if inlet.stored == 0 {
            inlet.first = NEVER;
        } else if alone {
            // The next packet to the endpoint is the next one on the link, or one behind it.
            let packet = self.pool.packet(index);
            inlet.first = if packet.next == NIL {
                self.now
            } else {
                packet.next_due
            };
        }
    }

    /// Lets endpoints run ahead until the next reading, and at most until `limit` if nothing else stops some of them.
    #[inline]
    pub fn limit_lookahead(&mut self, limit: u64) {
        let limit = if self.closed { limit } else { self.end };
        let until = limit.min(self.horizon);
        if until != self.ahead_until {
            self.ahead_until = until;
            self.take_up_later();
        }
    }

    /// Goes on with the packets that had to wait until endpoints may run further ahead.
    #[inline(never)]
    fn take_up_later(&mut self) {
        let mut later = std::mem::take(&mut self.later);
        later.retain(|&(_, certain)| {
            let waits = certain.due > self.ahead_until;
            if !waits {
                self.certain.push_back(certain);
            }
            waits
        });
        self.later = later;
    }

    /// Lets the timers of an endpoint, of which one has just expired, expire ahead, if it is one of those
    /// that may.
    #[inline]
    pub fn begin_batch(&mut self, endpoint: usize) {
        if let Some(inlet) = self.inlets.get(endpoint)
            && inlet.span > 0
        {
            let until = inlet.quiet_until(self.now);
            self.batch = Batch {
                until: until.min(self.ahead_until.saturating_add(1)),
                left: TIMERS,
            };
        }
    }
}
