//! The network at work: links, packets in flight and timers, without the hosts.

use crate::host::Port;
use crate::label::{Label, Labels, Tag};
use crate::lane::Lanes;
use crate::link::{LinkDetail, LinkState};
use crate::loss::LossProcess;
use crate::packet::{Arrived, Class, Kind, Packet};
use crate::pool::{NIL, Pool};
use crate::queue::Admitted;
use crate::scheduler::Scheduler;
use crate::statistics::LinkStatistics;
use crate::time::Time;
use crate::topology::{ALONE, EndpointId, Hop, LinkId, Plan, Topology};

/// A timer that is not set, or not scheduled.
pub(crate) const NEVER: u64 = u64::MAX;

/// Everything but the hosts. Entries of the scheduler are the links that store packets, then
/// one timer for each endpoint.
#[derive(Debug)]
pub(crate) struct Network<P, S> {
    pub now: u64,
    pub end: u64,
    pub scheduler: S,
    lanes: Option<Lanes>,
    pub pool: Pool<P>,
    /// The labels of the packets in the pool, if any link reads or writes them.
    labels: Option<Labels>,
    /// The label of the packet that is on its way just now.
    in_hand: Tag,
    /// Payloads of packets that will never arrive, until the host is told.
    pub discarded: Vec<P>,
    pub endpoints: Vec<EndpointState>,
    /// How many links are entries of the scheduler: the first ones.
    pub scheduled: u32,
    hops: Vec<Hop>,
    links: Vec<LinkState>,
    details: Vec<LinkDetail>,
    /// From the numbers of the topology to those used here.
    numbers: Vec<u32>,
}

/// The sending side of an endpoint and its timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndpointState {
    /// When the timer is due, or `NEVER`.
    pub deadline: u64,
    /// When its entry in the scheduler is due, or `NEVER`. Never later than the deadline: if the
    /// deadline moves away, the entry stays and is moved when it comes up.
    pub armed: u64,
    /// The first hop of its route, or `NIL`.
    start: u32,
}

/// Where the next event comes from.
pub(crate) enum Next {
    /// The first packet of a lane, at the end of this link.
    Lane { link: u32 },
    /// An entry of the scheduler.
    Entry(u32),
}

/// What becomes of a packet on its way.
enum Travel {
    /// It reaches the end of this link at this time, its next hop being at the cursor.
    Stored { link: u32, due: u64, cursor: u32 },
    /// It will never arrive.
    Discarded,
    /// It would arrive after the end of the run.
    Beyond,
}

impl<P: Copy, S: Scheduler> Network<P, S> {
    pub fn new(topology: &Topology, plan: Plan, scheduler: S, seed: u64, end: u64) -> Self {
        let mut links = Vec::with_capacity(plan.order.len());
        let mut details = Vec::with_capacity(plan.order.len());
        let shared = plan.lanes.iter().copied().chain(std::iter::repeat(ALONE));
        for (&id, lane) in plan.order.iter().zip(shared) {
            let link = &topology.links()[id as usize];
            let process = link
                .loss
                .as_ref()
                .map(|loss| LossProcess::new(&loss.model, seed, id));
            links.push(LinkState::new(
                link.delay.as_nanos(),
                lane,
                link.loss.as_ref(),
            ));
            details.push(LinkDetail::new(link, process));
        }
        let endpoint = |start: &Option<u32>| EndpointState {
            deadline: NEVER,
            armed: NEVER,
            start: start.unwrap_or(NIL),
        };
        let shared = plan.lanes.iter().filter(|&&lane| lane != ALONE).max();
        let lanes = shared.and_then(|&last| Lanes::new(usize::from(last) + 1, plan.scheduled, end));
        if lanes.is_none() {
            links.iter_mut().for_each(|link| link.lane = ALONE);
        }
        Self {
            now: 0,
            end,
            scheduler,
            lanes,
            pool: Pool::new(),
            labels: topology
                .is_labelled()
                .then(|| Labels::new(topology.stamps())),
            in_hand: Tag::new(Label::NONE),
            discarded: Vec::new(),
            endpoints: plan.starts.iter().map(endpoint).collect(),
            scheduled: plan.scheduled,
            hops: plan.hops,
            links,
            details,
            numbers: plan.numbers,
        }
    }

    /// What happens next, and when, if it is at `limit` or earlier.
    #[inline]
    pub fn next(&mut self, limit: u64) -> Option<(u64, Next)> {
        let Some(lanes) = &self.lanes else {
            let (time, entry) = self.scheduler.first(limit)?;
            return Some((time, Next::Entry(entry)));
        };
        let (time, link) = lanes.first();
        // The scheduler is not asked beyond the lanes' time: what comes of their packet may be due
        // earlier than anything it holds.
        match self.scheduler.first(limit.min(time)) {
            Some((earlier, entry)) if (earlier, entry) < (time, link) => {
                Some((earlier, Next::Entry(entry)))
            }
            _ => (time <= limit).then_some((time, Next::Lane { link })),
        }
    }

    /// The first packet of a lane has reached the end of its link. Answers its index and its
    /// cursor.
    #[inline]
    pub fn take_from_lane(&mut self, number: u32) -> (u32, u32) {
        let link = &mut self.links[number as usize];
        link.count_delivery(|| &mut self.details[number as usize]);
        let index = match &mut self.lanes {
            Some(lanes) => lanes.take(link.lane, &self.pool),
            None => NIL,
        };
        (index, self.pool.packet(index).cursor)
    }

    /// The first packet of a link, whose entry is the first of the scheduler, has reached the
    /// end of the link. Answers its index and its cursor.
    #[inline]
    pub fn take_head(&mut self, entry: u32) -> (u32, u32) {
        let link = &mut self.links[entry as usize];
        link.count_delivery(|| &mut self.details[entry as usize]);
        let index = link.head;
        let packet = self.pool.packet(index);
        let (cursor, next, next_due) = (packet.cursor, packet.next, packet.next_due);
        link.head = next;
        if next == NIL {
            self.scheduler.remove_first();
        } else {
            self.scheduler.replace_first(next_due);
        }
        (index, cursor)
    }

    /// Takes out a packet that has arrived.
    #[inline]
    pub fn take(&mut self, index: u32) -> Arrived<P> {
        let mut packet = self.pool.take(index);
        if let Some(labels) = &self.labels {
            let tag = labels.tag(index);
            packet.marked = tag.marked;
            packet.queueing = labels.queueing(tag);
        }
        packet
    }

    /// Sends a packet that is at a node now on to its next link.
    #[inline]
    pub fn relay(&mut self, index: u32, cursor: u32) {
        if let Some(labels) = &self.labels {
            self.in_hand = labels.tag(index);
        }
        let packet = self.pool.packet(index);
        match self.travel(cursor, packet.bytes, packet.kind) {
            Travel::Stored { link, due, cursor } => {
                if let Some(labels) = &mut self.labels {
                    labels.set(index, self.in_hand);
                }
                let packet = self.pool.packet_mut(index);
                packet.cursor = cursor;
                packet.next = NIL;
                self.append(link, index, due);
            }
            Travel::Discarded => {
                self.discarded.push(self.pool.packet(index).payload);
                self.pool.free(index);
            }
            Travel::Beyond => self.pool.free(index),
        }
    }

    /// Runs the hop at the cursor, and those merged with it, for a packet that is there now.
    #[inline(always)]
    fn travel(&mut self, mut cursor: u32, bytes: u16, kind: Kind) -> Travel {
        let class = Class::new(bytes, kind);
        let mut now = self.now;
        loop {
            let number = self.hops[cursor as usize].link_number() as usize;
            let link = &mut self.links[number];
            let (details, in_hand) = (&mut self.details, &mut self.in_hand);
            let Some(admitted) = link.admit(|| (&mut details[number], in_hand), class, now) else {
                details[number].dropped += 1;
                return Travel::Discarded;
            };
            let due = admitted.departure.saturating_add(link.delay).max(now + 1);
            let lost = link.lossy.contains(kind) && details[number].loses(admitted.departure);
            if lost || due > self.end {
                return self.leave(number, class, now, admitted, lost);
            }
            link.count_passage(|| &mut details[number], class, now, admitted);
            cursor += 1;
            if !self.hops[cursor as usize].is_merged() {
                return Travel::Stored {
                    link: number as u32,
                    due,
                    cursor,
                };
            }
            link.count_delivery(|| &mut details[number]);
            now = due;
        }
    }

    /// Counts a packet that does not reach the end of a link within the run.
    #[cold]
    fn leave(
        &mut self,
        number: usize,
        class: Class,
        now: u64,
        admitted: Admitted,
        lost: bool,
    ) -> Travel {
        let link = &mut self.links[number];
        let detail = &mut self.details[number];
        let departs = admitted.departure <= self.end;
        if departs {
            link.count_passage(|| &mut *detail, class, now, admitted);
        } else {
            link.count_tail(detail, now, admitted, self.end);
        }
        if departs && lost {
            detail.lost += 1;
            Travel::Discarded
        } else {
            detail.unstored += 1;
            Travel::Beyond
        }
    }

    /// The endpoint that a cursor points to, if it is the end of a route.
    #[inline]
    pub fn endpoint_at(&self, cursor: u32) -> Option<u32> {
        self.hops[cursor as usize].endpoint()
    }

    /// Puts a packet at the end of a link's FIFO.
    #[inline(always)]
    fn append(&mut self, number: u32, index: u32, due: u64) {
        let link = &mut self.links[number as usize];
        if link.lane != ALONE
            && link.head == NIL
            && let Some(lanes) = &mut self.lanes
            && lanes.append(link.lane, number, due, index, &mut self.pool)
        {
            return;
        }
        let tail = link.tail;
        link.tail = index;
        if link.head == NIL {
            link.head = index;
            self.scheduler.insert(number, due);
        } else {
            let last = self.pool.packet_mut(tail);
            last.next = index;
            last.next_due = due;
        }
    }

    /// Packets in the lanes, by link.
    pub fn in_lanes(&self) -> Vec<u64> {
        let mut counts = vec![0; self.links.len()];
        if let Some(lanes) = &self.lanes {
            lanes.count(&self.pool, &mut counts);
        }
        counts
    }

    /// The counters of a link. `in_lanes` is what [`Self::in_lanes`] answers.
    pub fn statistics(&self, id: LinkId, over: bool, in_lanes: &[u64]) -> LinkStatistics {
        let number = self.numbers[id.index()] as usize;
        let (link, detail) = (&self.links[number], &self.details[number]);
        let mut in_flight = detail.unstored + in_lanes[number];
        let mut index = link.head;
        while index != NIL {
            in_flight += 1;
            index = self.pool.packet(index).next;
        }
        let departures = link.departures(detail);
        LinkStatistics {
            sent: link.sent(detail),
            delivered: link.delivered(detail),
            dropped: detail.dropped,
            lost: detail.lost,
            in_flight,
            departed: departures.packets,
            departed_bytes: departures.bytes,
            busy: Time::from_nanos(departures.busy),
            queue_integral: link.queue_integral(detail),
            duration: Time::from_nanos(if over { self.end } else { self.now }),
        }
    }
}

impl<P: Copy, S: Scheduler> Port<P> for Network<P, S> {
    #[inline]
    fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    #[inline]
    fn send_labelled(
        &mut self,
        endpoint: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: P,
        label: Label,
    ) {
        let start = self.endpoints[endpoint.index()].start;
        assert!(start != NIL, "an endpoint that only receives cannot send");
        if self.labels.is_some() {
            self.in_hand = Tag::new(label);
        }
        match self.travel(start, bytes, kind) {
            Travel::Stored { link, due, cursor } => {
                let index = self.pool.insert(Packet {
                    next_due: NEVER,
                    next: NIL,
                    cursor,
                    bytes,
                    kind,
                    payload,
                });
                if let Some(labels) = &mut self.labels {
                    labels.set(index, self.in_hand);
                }
                self.append(link, index, due);
            }
            Travel::Discarded => self.discarded.push(payload),
            Travel::Beyond => {}
        }
    }

    #[inline]
    fn set_timer(&mut self, endpoint: EndpointId, deadline: Option<Time>) {
        let deadline = deadline.map_or(NEVER, |at| at.as_nanos().max(self.now));
        let state = &mut self.endpoints[endpoint.index()];
        state.deadline = deadline;
        if deadline < state.armed && deadline <= self.end {
            let entry = self.scheduled + endpoint.index() as u32;
            if state.armed != NEVER {
                self.scheduler.remove(entry, state.armed);
            }
            state.armed = deadline;
            self.scheduler.insert(entry, deadline);
        }
    }

    fn queue_len(&mut self, link: LinkId) -> Option<u32> {
        let number = self.numbers[link.index()] as usize;
        let detail = &mut self.details[number];
        detail
            .watched
            .then(|| self.links[number].queue_len(detail, self.now))
    }
}
