//! How a packet goes on from a node: over its next hop and those merged with it, to where it is stored.

mod special;

use crate::hint::cold_path;
use crate::host::Cause;
use crate::ids::EndpointId;
use crate::inlet::Certain;
use crate::label::{Label, Tag};
use crate::lane::LANES;
use crate::link::Order;
use crate::network::Network;
use crate::packet::{Arrived, Class, Kind, Packet};
use crate::pool::NIL;
use crate::scheduler::Scheduler;
use crate::time::NEVER;
use crate::topology::Hop;

/// What happens to a packet that is sent on.
pub(crate) enum Travel {
    /// It reaches the end of this link at `due`; its next hop is at the cursor.
    Stored {
        link: u32,
        due: u64,
        cursor: u32,
        order: Order,
    },
    /// It arrives at `at` at this link, whose queue decides at departure; the hop after the link is at
    /// the cursor.
    Waiting { link: u32, at: u64, cursor: u32 },
    /// It departs on this link, where packets in flight may change their order; the hop after the link is at
    /// the cursor.
    Lifted { link: u32, cursor: u32 },
    /// It will never arrive.
    Discarded(Cause),
    /// It would arrive after the end of the run.
    Beyond,
}

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Forwards a packet that is at a node now to its next link, in a network that is plain. Returns it if its
    /// endpoint gets it at once.
    #[inline(always)]
    pub fn relay(&mut self, index: u32, cursor: u32) -> Option<Certain<P>> {
        self.pass_on::<false, false>(index, cursor, self.now)
    }

    /// Puts a packet into the queue of its next link, if that decides at departure. Returns whether it does.
    #[inline(never)]
    pub fn hold(&mut self, index: u32, cursor: u32) -> bool {
        let number = self.hops[cursor as usize].link_number();
        let holds = self.details[number as usize].holding().is_some();
        if holds {
            let next = cursor + 1;
            let packet = self.pool.packet_mut(index);
            packet.cursor = self.hops[next as usize].keep(next);
            packet.next = NIL;
            self.enqueue(number, index, self.now);
        }
        holds
    }

    /// Forwards a packet that is at a node now, in a network that is not plain, to a link whose queue does not decide
    /// at departure. Returns it if its endpoint gets it at once.
    #[inline]
    pub fn relay_specially(&mut self, index: u32, cursor: u32) -> Option<Certain<P>> {
        match &self.labels {
            None => self.pass_on::<false, false>(index, cursor, self.now),
            Some(_) => self.pass_on_labelled(index, cursor, self.now),
        }
    }

    /// A packet that has left a queue which decides at departure reaches the end of its link at `due`. It
    /// runs over the hops merged with the link, or is stored there.
    #[inline(always)]
    pub fn go_on(&mut self, number: u32, index: u32, due: u64) {
        let cursor = self.pool.packet(index).cursor;
        if Hop::kept(cursor).is_some() || !self.hops[cursor as usize].is_merged() {
            return self.append(number, index, due);
        }
        let detail = &mut self.details[number as usize];
        if let Some(ahead) = detail.ahead_at(due) {
            ahead.delivered += 1;
        }
        match &self.labels {
            None => self.pass_on_ahead(index, cursor, due),
            Some(_) => {
                if let Some(certain) = self.pass_on_labelled(index, cursor, due) {
                    self.certain.push_back(certain);
                }
            }
        }
    }

    /// Forwards a packet that will be at a node.
    #[inline(never)]
    fn pass_on_ahead(&mut self, index: u32, cursor: u32, at: u64) {
        if let Some(certain) = self.pass_on::<false, false>(index, cursor, at) {
            self.certain.push_back(certain);
        }
    }

    #[inline(never)]
    fn pass_on_labelled(&mut self, index: u32, cursor: u32, at: u64) -> Option<Certain<P>> {
        if let Some(labels) = &self.labels {
            self.in_hand = labels.tag(index);
        }
        match &self.film {
            None => self.pass_on::<true, false>(index, cursor, at),
            Some(_) => self.pass_on_filmed(index, cursor, at),
        }
    }

    #[cold]
    #[inline(never)]
    fn pass_on_filmed(&mut self, index: u32, cursor: u32, at: u64) -> Option<Certain<P>> {
        self.pass_on::<true, true>(index, cursor, at)
    }

    /// Runs the hop at the cursor, and those merged with it, for a packet that is there at `at`.
    #[inline(always)]
    fn pass_on<const LABELLED: bool, const FILMED: bool>(
        &mut self,
        index: u32,
        cursor: u32,
        at: u64,
    ) -> Option<Certain<P>> {
        let packet = self.pool.packet(index);
        let class = packet.class();
        let travel = self.travel::<FILMED>(cursor, class.bytes(), class.kind(), at);
        if FILMED {
            let payload = self.pool.packet(index).payload;
            self.record(cursor, payload, class, at, &travel);
        }
        match travel {
            Travel::Stored {
                link,
                due,
                cursor,
                order,
            } => {
                if let Some(endpoint) = self.foresee(cursor, due) {
                    let certain = self.certain::<LABELLED>(index, endpoint, due);
                    if due > self.ahead_until {
                        self.keep_for_later(link, certain);
                        return None;
                    }
                    return Some(certain);
                }
                let packet = self.pool.packet_mut(index);
                packet.cursor = cursor;
                packet.next = NIL;
                self.put::<LABELLED>(link, index, order, due);
            }
            Travel::Waiting { link, at, cursor } => {
                self.pool.packet_mut(index).cursor = cursor;
                self.wait(link, index, at);
            }
            Travel::Lifted { link, cursor } => {
                cold_path();
                self.pool.packet_mut(index).cursor = cursor;
                self.lift_in_hand(link, index);
            }
            Travel::Discarded(cause) => {
                cold_path();
                self.throw_away(self.pool.packet(index).payload, cause);
                self.pool.free(index);
            }
            Travel::Beyond => self.pool.free(index),
        }
        None
    }

    /// Takes a packet out of the pool whose endpoint gets it at once.
    #[inline(always)]
    fn certain<const LABELLED: bool>(&mut self, index: u32, endpoint: u32, due: u64) -> Certain<P> {
        let &Packet {
            bytes,
            kind,
            payload,
            ..
        } = self.pool.packet(index);
        self.pool.free(index);
        Certain {
            endpoint,
            due,
            packet: self.arrived::<LABELLED>(bytes, kind, payload),
        }
    }

    /// Returns the packet that is being forwarded as its endpoint sees it.
    #[inline(always)]
    fn arrived<const LABELLED: bool>(&self, bytes: u16, kind: Kind, payload: P) -> Arrived<P> {
        let mut packet = Arrived::unlabelled(payload, bytes, kind);
        if LABELLED && let Some(labels) = &self.labels {
            packet.marked = self.in_hand.marked;
            packet.corrupt = self.in_hand.corrupt;
            packet.queueing = labels.queueing(self.in_hand);
        }
        packet
    }

    #[inline(never)]
    pub fn launch_labelled(
        &mut self,
        from: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: P,
        label: Label,
    ) {
        self.in_hand = Tag::new(label);
        match &self.film {
            None => self.launch::<true, false>(from, bytes, kind, payload),
            Some(_) => self.launch_filmed(from, bytes, kind, payload),
        }
    }

    #[cold]
    #[inline(never)]
    fn launch_filmed(&mut self, from: EndpointId, bytes: u16, kind: Kind, payload: P) {
        self.launch::<true, true>(from, bytes, kind, payload);
    }

    /// Sends a new packet from an endpoint.
    #[inline(always)]
    pub fn launch<const LABELLED: bool, const FILMED: bool>(
        &mut self,
        from: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: P,
    ) {
        let start = self.endpoints[from.index()].start;
        assert!(start != NIL, "an endpoint that only receives cannot send");
        let packet = |cursor| Packet {
            next_due: NEVER,
            next: NIL,
            cursor,
            bytes,
            kind,
            payload,
        };
        let travel = self.travel::<FILMED>(start, bytes, kind, self.now);
        if FILMED {
            self.record(start, payload, Class::new(bytes, kind), self.now, &travel);
        }
        match travel {
            Travel::Stored {
                link,
                due,
                cursor,
                order,
            } => {
                if let Some(endpoint) = self.foresee(cursor, due) {
                    let packet = self.arrived::<LABELLED>(bytes, kind, payload);
                    let certain = Certain {
                        endpoint,
                        due,
                        packet,
                    };
                    if due > self.ahead_until {
                        return self.keep_for_later(link, certain);
                    }
                    return self.certain.push_back(certain);
                }
                let index = self.pool.insert(packet(cursor));
                self.put::<LABELLED>(link, index, order, due);
            }
            Travel::Waiting { link, cursor, .. } | Travel::Lifted { link, cursor } => {
                let index = self.pool.insert(packet(cursor));
                match travel {
                    Travel::Waiting { at, .. } => self.wait(link, index, at),
                    _ => self.lift_in_hand(link, index),
                }
            }
            Travel::Discarded(cause) => self.throw_away(payload, cause),
            Travel::Beyond => {}
        }
    }

    /// Puts the packet that is being forwarded into the lane of a link, into the calendar, or into the link's
    /// FIFO.
    #[inline(always)]
    fn put<const LABELLED: bool>(&mut self, number: u32, index: u32, order: Order, due: u64) {
        if LABELLED && let Some(labels) = &mut self.labels {
            labels.set(index, &self.in_hand);
        }
        if let Some(lanes) = &mut self.lanes
            && order == Order::Prompt
            && let lane = self.links[number as usize].lane
            && usize::from(lane) < LANES
            && lanes.append(lane, number, due, index, &mut self.pool)
        {
            return;
        }
        if let Some(calendar) = &mut self.calendar
            && order != Order::Fifo
        {
            cold_path();
            let key = calendar.key(number, due);
            if calendar.reaches(key) {
                return calendar.insert(index, key, &mut self.pool);
            }
        }
        self.append(number, index, due);
    }

    /// Runs the hop at the cursor, and the hops merged with it, for a packet that is there at `now`.
    #[inline(always)]
    fn travel<const FILMED: bool>(
        &mut self,
        mut cursor: u32,
        bytes: u16,
        kind: Kind,
        mut now: u64,
    ) -> Travel {
        let class = Class::new(bytes, kind);
        loop {
            let number = self.hops[cursor as usize].link_number() as usize;
            let link = &mut self.links[number];
            let (details, in_hand) = (&mut self.details, &mut self.in_hand);
            let Some(admitted) = link.admit(details, number, in_hand, class, now) else {
                cold_path();
                return self.turn_away(number, now, cursor);
            };
            if FILMED {
                self.admitted = admitted;
            }
            let due = admitted.departure.saturating_add(link.delay).max(now + 1);
            let lost = link.lossy.contains(kind) && {
                cold_path();
                details[number].loses(admitted.departure)
            };
            if lost || due > self.horizon {
                cold_path();
                return self.pass_horizon(number, class, now, admitted, lost, cursor);
            }
            link.count_passage_of(details, number, class, now, admitted);
            cursor += 1;
            let hop = self.hops[cursor as usize];
            if !hop.is_merged() {
                return Travel::Stored {
                    link: number as u32,
                    due,
                    cursor: hop.keep(cursor),
                    order: link.order(now, admitted),
                };
            }
            now = due;
        }
    }
}
