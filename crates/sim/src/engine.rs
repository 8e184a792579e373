//! The event loop.

use crate::hint::cold_path;
use crate::host::{Gone, Host};
use crate::ids::{EndpointId, LinkId};
use crate::inlet::{Batch, Certain};
use crate::network::{Network, Next};
use crate::packet::Arrived;
use crate::pool::NIL;
use crate::scheduler::Scheduler;
use crate::time::{NEVER, Time};
use crate::topology::Hop;

/// The number of events between two checks of the flag that interrupts a run.
const PATIENCE: u32 = 4096;

/// The number of events after which packets that are certain wait for the next turn. Two ends that both run
/// ahead, and between which packets are never stored, go on without an event until a limit: so an interruption
/// is noticed.
const IN_ONE_GO: u64 = 64;

/// The event loop, compiled for one host type and one scheduler type.
pub(crate) struct Engine<H: Host, S> {
    pub network: Network<H::Payload, S>,
    pub host: H,
    pub events: u64,
    pub over: bool,
}

impl<H: Host, S: Scheduler> Engine<H, S> {
    pub fn new(network: Network<H::Payload, S>, host: H) -> Self {
        Self {
            network,
            host,
            events: 0,
            over: false,
        }
    }

    /// Runs all events up to `limit`, unless interrupted. Returns whether it got there.
    pub fn run(&mut self, limit: u64, interrupted: &dyn Fn() -> bool) -> bool {
        let reading = self.network.horizon;
        if limit > reading {
            if self.network.now < reading && !self.run_to(reading, interrupted) {
                return false;
            }
            self.network.pass_reading();
        }
        self.run_to(limit, interrupted)
    }

    fn run_to(&mut self, limit: u64, interrupted: &dyn Fn() -> bool) -> bool {
        self.network.limit_lookahead(limit);
        loop {
            for _ in 0..PATIENCE {
                if !self.advance(limit) {
                    self.network.now = self.network.now.max(limit);
                    self.over |= limit == self.network.end;
                    return true;
                }
            }
            cold_path();
            if interrupted() {
                return false;
            }
        }
    }

    pub fn step(&mut self) -> Option<Time> {
        let events = self.events;
        while self.events == events {
            let limit = self.network.horizon;
            self.network.limit_lookahead(limit);
            if self.advance(limit) {
                continue;
            }
            self.network.now = limit;
            if limit == self.network.end {
                self.over = true;
                return None;
            }
            self.network.pass_reading();
        }
        Some(Time::from_nanos(self.network.now))
    }

    /// Handles the first entry of the scheduler, if it is due by `limit`. Always inlined: otherwise the
    /// compiler's decision depends on what else is in the host's crate, and a call costs 4 % of all
    /// instructions.
    #[inline(always)]
    fn advance(&mut self, limit: u64) -> bool {
        if !self.network.certain.is_empty() {
            cold_path();
            return self.settle();
        }
        let Some((time, next)) = self.network.next(limit) else {
            return false;
        };
        self.network.now = time;
        // What is in the FIFO of a link is followed there by what comes behind it.
        let (index, cursor, in_fifo) = match next {
            Next::Entry(entry) if entry < self.network.scheduled => {
                let (index, cursor) = self.network.take_head(entry);
                (index, cursor, index)
            }
            Next::Entry(entry) => {
                self.expire(entry - self.network.scheduled);
                return self.settle();
            }
            Next::Lane { lane, .. } => {
                let (index, cursor) = self.network.take_from_lane(lane);
                if self.network.calendar.is_some() {
                    cold_path();
                    self.network.look_along_lane(lane, &self.host);
                }
                (index, cursor, NIL)
            }
            Next::Calendar { index, .. } => {
                let cursor = self.network.take_from_calendar(index);
                self.network.look_into_calendar(&self.host);
                (index, cursor, NIL)
            }
        };
        self.events += 1;
        let (endpoint, packet) = if let Some(endpoint) = Hop::kept(cursor) {
            self.network.note_arrival(cursor, in_fifo);
            (endpoint, self.network.take(index))
        } else if !self.network.plain {
            if self.network.hold(index, cursor) {
                return self.tell_discarded();
            }
            return self.relay_specially(index, cursor);
        } else if let Some(certain) = self.network.relay(index, cursor) {
            self.go_to(certain)
        } else {
            return self.tell_discarded();
        };
        let endpoint = EndpointId::from_index(endpoint as usize);
        self.host.on_packet(&mut self.network, endpoint, packet);
        self.network.now = time;
        self.settle()
    }

    /// Forwards a packet in a network that is not plain. Returns true.
    ///
    /// It has a function of its own, and does not meet the usual way again. There, the packet stays in registers; if both
    /// ways returned one, it would be written to memory and read back at once, for which each event would wait.
    #[inline(never)]
    fn relay_specially(&mut self, index: u32, cursor: u32) -> bool {
        let time = self.network.now;
        let Some(certain) = self.network.relay_specially(index, cursor) else {
            return self.tell_discarded();
        };
        let (endpoint, packet) = self.go_to(certain);
        let endpoint = EndpointId::from_index(endpoint as usize);
        self.host.on_packet(&mut self.network, endpoint, packet);
        self.network.now = time;
        self.settle()
    }

    /// Gives endpoints the packets whose arrival is certain, and tells the host of those that will never
    /// arrive. Returns true.
    #[inline]
    pub fn settle(&mut self) -> bool {
        if !self.network.certain.is_empty() {
            cold_path();
            self.deliver_ahead();
        }
        self.tell_discarded()
    }

    /// Tells the host of packets that will never arrive. Returns true.
    #[inline]
    fn tell_discarded(&mut self) -> bool {
        if !self.network.discarded.is_empty() {
            cold_path();
            self.discard();
        }
        true
    }

    /// Handles a due timer entry: the timer expires, or it has been set to a later time or stopped.
    /// Entries beyond the timers are those of links that schedule departures or arrivals.
    fn expire(&mut self, endpoint: u32) {
        let network = &mut self.network;
        let timers = network.endpoints.len();
        let Some(timer) = network.endpoints.get_mut(endpoint as usize) else {
            let place = endpoint as usize - timers;
            return match network.departing.get(place) {
                Some(_) => network.depart(place as u32),
                None => {
                    network.land(network.landing[place - network.departing.len()]);
                    self.duplicate();
                }
            };
        };
        let deadline = timer.deadline;
        if deadline == network.now {
            timer.deadline = NEVER;
            timer.armed = NEVER;
            network.scheduler.remove_first();
            self.events += 1;
            network.begin_batch(endpoint as usize);
            let endpoint = EndpointId::from_index(endpoint as usize);
            self.host.on_timer(&mut self.network, endpoint);
            self.network.batch = Batch::default();
            self.network.now = deadline;
        } else if deadline <= network.end {
            timer.armed = deadline;
            network.scheduler.replace_first(deadline);
        } else {
            timer.armed = NEVER;
            network.scheduler.remove_first();
        }
    }

    /// Moves the clock to the arrival of a packet, after the timers of its endpoint that expire before.
    /// Returns the endpoint and the packet.
    #[inline]
    fn go_to(&mut self, certain: Certain<H::Payload>) -> (u32, Arrived<H::Payload>) {
        let endpoint = EndpointId::from_index(certain.endpoint as usize);
        if self.network.endpoints[endpoint.index()].deadline < certain.due {
            cold_path();
            self.expire_ahead(endpoint, certain.due);
        }
        self.network.now = certain.due;
        self.events += 1;
        (certain.endpoint, certain.packet)
    }

    /// Expires a timer at its deadlines before `due`, none of which is before the present.
    #[inline(never)]
    fn expire_ahead(&mut self, endpoint: EndpointId, due: u64) {
        loop {
            let timer = &mut self.network.endpoints[endpoint.index()];
            if timer.deadline >= due {
                return;
            }
            self.network.now = std::mem::replace(&mut timer.deadline, NEVER);
            self.events += 1;
            self.host.on_timer(&mut self.network, endpoint);
        }
    }

    /// Gives endpoints the packets that hosts have just sent and whose arrival is certain.
    #[inline(never)]
    fn deliver_ahead(&mut self) {
        let now = self.network.now;
        let enough = self.events + IN_ONE_GO;
        while self.events < enough
            && let Some(certain) = self.network.certain.pop_front()
        {
            self.tell_discarded();
            let (endpoint, packet) = self.go_to(certain);
            let endpoint = EndpointId::from_index(endpoint as usize);
            self.host.on_packet(&mut self.network, endpoint, packet);
        }
        self.network.now = now;
    }

    /// Tells the host of packets that are about to arrive twice.
    fn duplicate(&mut self) {
        for index in self.network.copied.drain(..) {
            let packet = self.network.pool.packet_mut(index);
            packet.payload = self.host.duplicate(packet.payload);
        }
    }

    #[cold]
    fn discard(&mut self) {
        let order = &self.network.order;
        for discarded in self.network.discarded.drain(..) {
            let gone = Gone {
                cause: discarded.cause,
                at: Time::from_nanos(discarded.at),
                link: LinkId::from_index(order[discarded.link as usize] as usize),
            };
            self.host.discard(discarded.payload, gone);
        }
    }
}
