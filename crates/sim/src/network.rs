//! The network at run time: links, packets in flight and timers, without the hosts.

use crate::hint::cold_path;
use std::collections::VecDeque;

use crate::calendar::Calendar;
use crate::film::Film;
use crate::flight::{Air, Flying, Landing};
use crate::host::{Cause, Port};
use crate::ids::{EndpointId, LinkId};
use crate::inlet::{Batch, Certain, Inlet};
use crate::label::{Label, Labels, Tag};
use crate::lane::{LANES, Lanes};
use crate::large_pages::prefer_large_pages;
use crate::link::{FLIGHT, LinkDetail, LinkState};
use crate::loss::LossProcess;
use crate::packet::{Arrived, Kind};
use crate::pool::{NIL, Pool};
use crate::queue::{Admitted, Decisions, Detector, Holding, Service};
use crate::random::{Component, Random, stream};
use crate::scheduler::Scheduler;
use crate::time::{NEVER, Time};
use crate::topology::{ALONE, Hop, Link, Plan, Topology};

/// A packet that will never arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Discarded<P> {
    pub payload: P,
    pub cause: Cause,
    pub at: u64,
    /// The engine's number of the link on which it is lost.
    pub link: u32,
}

/// Everything except the hosts. The entries of the scheduler are the links that store packets, then one
/// timer for each endpoint, then the links that schedule departures, then those that schedule arrivals.
#[derive(Debug)]
pub(crate) struct Network<P, S> {
    pub now: u64,
    pub end: u64,
    /// The next moment at which the counters are exact: the end of the run, or an earlier reading.
    pub horizon: u64,
    /// How far endpoints may run ahead: at most to the horizon.
    pub ahead_until: u64,
    /// Whether there are two ends that both run ahead, and between which packets are never stored.
    pub closed: bool,
    pub scheduler: S,
    pub lanes: Option<Lanes>,
    /// The packets in flight that are neither in lanes nor in the FIFOs of links, in a large network.
    pub calendar: Option<Calendar>,
    pub pool: Pool<P>,
    /// The labels of the packets in the pool, if any link reads or writes them.
    pub labels: Option<Labels>,
    /// Whether no link reads or writes labels, and every queue decides at arrival.
    pub plain: bool,
    /// The label of the packet that is being forwarded.
    pub in_hand: Tag,
    /// Packets that will never arrive and of which the host has not been told yet.
    pub discarded: Vec<Discarded<P>>,
    /// The indices of copies of packets, of which the host has not been told yet.
    pub copied: Vec<u32>,
    /// When and on which link the packet that was discarded last leaves the network.
    pub left_at: u64,
    pub left_on: u32,
    /// Where the packets on all links are recorded, if they are. Then hops are not merged, and packets have labels.
    pub film: Option<Box<Film<P>>>,
    /// How the packet that is being filmed was admitted to its last link.
    pub admitted: Admitted,
    pub endpoints: Vec<EndpointState>,
    /// What is known of the packets to each endpoint; empty if the timers of none run ahead.
    pub inlets: Vec<Inlet>,
    /// Packets that hosts have sent, and that are given to their endpoints before anything else happens.
    pub certain: VecDeque<Certain<P>>,
    /// Packets that arrive after `ahead_until`, at the ends of these links.
    pub later: Vec<(u32, Certain<P>)>,
    /// How far the timer that is being handled may run ahead.
    pub batch: Batch,
    /// The number of timers that expired ahead.
    pub expired_ahead: u64,
    /// How many links have an entry in the scheduler; they have the lowest numbers.
    pub scheduled: u32,
    pub hops: Vec<Hop>,
    pub links: Vec<LinkState>,
    pub details: Vec<LinkDetail>,
    /// The links that schedule departures.
    pub departing: Vec<u32>,
    /// The links that schedule arrivals.
    pub landing: Vec<u32>,
    /// When and how the packet arrives that is being put into the air of a link.
    pub landing_in_hand: Landing,
    /// What the queue of such a link has just decided.
    pub decisions: Decisions,
    /// The engine's number of each link of the topology.
    pub numbers: Vec<u32>,
    /// The topology's number of each link of the engine.
    pub order: Vec<u32>,
}

/// The sending side of an endpoint and its timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndpointState {
    /// When the timer is due, or `NEVER`.
    pub deadline: u64,
    /// When its entry in the scheduler is due, or `NEVER`. Never later than the deadline: if the
    /// deadline is moved to a later time, the entry stays and is moved when it becomes due.
    pub armed: u64,
    /// The first hop of its route, or `NIL`.
    pub start: u32,
}

/// Where the next event is found.
pub(crate) enum Next {
    /// The first packet of a lane reaches the end of this link.
    Lane { link: u32, lane: u8 },
    /// This packet of the calendar reaches the end of this link.
    Calendar { link: u32, index: u32 },
    /// An entry of the scheduler.
    Entry(u32),
}

impl<P: Copy, S: Scheduler> Network<P, S> {
    pub fn new(topology: &Topology, plan: Plan, scheduler: S, seed: u64, end: u64) -> Self {
        let mut links = Vec::with_capacity(plan.order.len());
        let mut details = Vec::with_capacity(plan.order.len());
        prefer_large_pages(&links);
        prefer_large_pages(&details);
        let shared = plan.lanes.iter().copied().chain(std::iter::repeat(ALONE));
        for (&id, lane) in plan.order.iter().zip(shared) {
            let link = &topology.links()[id as usize];
            let process = link
                .loss
                .as_ref()
                .map(|loss| LossProcess::new(&loss.model, seed, id));
            links.push(LinkState::new(
                link.flight
                    .as_ref()
                    .map_or(link.delay.as_nanos(), |_| FLIGHT),
                lane,
                link.loss.as_ref(),
            ));
            details.push(LinkDetail::new(link, process, detector(link, id, seed)));
        }
        let first = plan.scheduled + plan.starts.len() as u32;
        for (entry, &number) in (first..).zip(&plan.departing) {
            let id = plan.order[number as usize];
            let link = &topology.links()[id as usize];
            if let Some(special) = &mut details[number as usize].special {
                let (drive, measured) = (link.drive(), link.measures_sojourns());
                let draws = || draws(id, seed);
                special.holding = Some(Holding::new(link.queue, drive, measured, entry, draws));
            }
        }
        let first = first + plan.departing.len() as u32;
        for (number, &id) in plan.order.iter().enumerate() {
            let link = &topology.links()[id as usize];
            if let Some(flight) = &link.flight
                && let Some(special) = &mut details[number].special
            {
                let own = link.transmission.as_ref();
                let in_order = own.and_then(|own| own.arq).is_some_and(|arq| arq.in_order);
                special.flying = Some(Flying::new(flight, in_order, seed, id));
            }
        }
        for (entry, &number) in (first..).zip(&plan.landing) {
            if let Some(flying) = details[number as usize].flying_mut() {
                flying.air = Some(Air::new(entry));
            }
        }
        let endpoint = |start: &Option<u32>| EndpointState {
            deadline: NEVER,
            armed: NEVER,
            start: start.unwrap_or(NIL),
        };
        let shared = plan
            .lanes
            .iter()
            .filter(|&&lane| usize::from(lane) < LANES)
            .max();
        let lanes = shared
            .and_then(|&last| Lanes::new(usize::from(last) + 1, plan.large, plan.scheduled, end));
        if lanes.is_none() {
            let shared = |link: &&mut LinkState| usize::from(link.lane) < LANES;
            links
                .iter_mut()
                .filter(shared)
                .for_each(|link| link.lane = ALONE);
        }
        let calendar = plan
            .large
            .then(|| Calendar::new(plan.scheduled, end, plan.longest, plan.gap))
            .flatten();
        Self {
            now: 0,
            end,
            horizon: end,
            ahead_until: 0,
            closed: false,
            scheduler,
            lanes,
            calendar,
            pool: Pool::new(),
            labels: topology
                .is_labelled()
                .then(|| Labels::new(topology.stamps())),
            plain: !topology.is_labelled() && plan.departing.is_empty(),
            in_hand: Tag::new(Label::NONE),
            discarded: Vec::new(),
            left_at: 0,
            left_on: 0,
            film: None,
            admitted: Admitted {
                departure: 0,
                tx: 0,
            },
            endpoints: plan.starts.iter().map(endpoint).collect(),
            inlets: Vec::new(),
            certain: VecDeque::new(),
            later: Vec::new(),
            batch: Batch::default(),
            expired_ahead: 0,
            scheduled: plan.scheduled,
            hops: plan.hops,
            links,
            details,
            departing: plan.departing,
            landing: plan.landing,
            landing_in_hand: Landing::default(),
            copied: Vec::new(),
            decisions: Decisions::default(),
            numbers: plan.numbers,
            order: plan.order,
        }
    }

    /// Records what happens to packets that reach a queue in a span of time. The network must not merge hops.
    pub fn begin_film(&mut self, span: (u64, u64), most: usize) {
        self.labels.get_or_insert_with(|| Labels::new(false));
        self.plain = false;
        self.film = Some(Box::new(Film {
            hops: Vec::new(),
            span,
            most,
            more: 0,
        }));
    }

    /// Returns the next event and its time, if it happens at `limit` or earlier.
    #[inline]
    pub fn next(&mut self, limit: u64) -> Option<(u64, Next)> {
        let (mut time, mut next) = match (&self.lanes, &self.calendar) {
            (None, None) => {
                let (time, entry) = self.scheduler.first(limit)?;
                return Some((time, Next::Entry(entry)));
            }
            (Some(lanes), _) => {
                let (time, link, lane) = lanes.first();
                (time, Next::Lane { link, lane })
            }
            (None, Some(_)) => (NEVER, Next::Lane { link: NIL, lane: 0 }),
        };
        // Nothing is searched beyond the time of the first packet found so far: handling that packet may
        // cause events that are due earlier than anything else.
        if let Some(calendar) = &mut self.calendar
            && let Some((earlier, link, index)) = calendar.first(limit.min(time), &self.pool)
            && (earlier, link) < (time, next.number())
        {
            (time, next) = (earlier, Next::Calendar { link, index });
        }
        match self.scheduler.first(limit.min(time)) {
            Some((earlier, entry)) if (earlier, entry) < (time, next.number()) => {
                Some((earlier, Next::Entry(entry)))
            }
            _ => (time <= limit).then_some((time, next)),
        }
    }

    /// Takes the first packet of the calendar. Returns its cursor.
    #[inline]
    pub fn take_from_calendar(&mut self, index: u32) -> u32 {
        if let Some(calendar) = &mut self.calendar {
            calendar.remove_first();
        }
        self.pool.packet(index).cursor
    }

    /// Takes the first packet of a lane. Returns its index and its cursor.
    #[inline]
    pub fn take_from_lane(&mut self, lane: u8) -> (u32, u32) {
        let index = match &mut self.lanes {
            Some(lanes) => lanes.take(lane, &self.pool),
            None => {
                cold_path();
                NIL
            }
        };
        (index, self.pool.packet(index).cursor)
    }

    /// Takes the first packet of a link that has reached the end of the link; the link's entry must be
    /// the first of the scheduler. Returns the packet's index and its cursor.
    #[inline]
    pub fn take_head(&mut self, entry: u32) -> (u32, u32) {
        let link = &mut self.links[entry as usize];
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

    /// Takes a packet that has arrived out of the pool.
    #[inline]
    pub fn take(&mut self, index: u32) -> Arrived<P> {
        let mut packet = self.pool.take(index);
        if let Some(labels) = &self.labels {
            let tag = labels.tag(index);
            packet.marked = tag.marked;
            packet.corrupt = tag.corrupt;
            packet.queueing = labels.queueing(tag);
        }
        packet
    }

    /// Makes the counters of all links exact at `moment`, which is ahead.
    pub fn expect_reading(&mut self, moment: u64) {
        self.horizon = moment;
        for detail in &mut self.details {
            detail.expect_reading(Some(moment));
            if let Some(sojourns) = detail.sojourns_mut() {
                sojourns.expect_reading(moment);
            }
        }
    }

    /// Forgets what was ahead of a reading whose moment is over.
    pub fn pass_reading(&mut self) {
        self.horizon = self.end;
        for detail in &mut self.details {
            detail.expect_reading(None);
            if let Some(sojourns) = detail.sojourns_mut() {
                sojourns.pass_reading();
            }
        }
    }

    /// Frees the packets in flight, the timers and the routes.
    pub fn free_packets(&mut self) {
        self.lanes = None;
        self.calendar = None;
        self.labels = None;
        self.later = Vec::new();
        self.pool = Pool::new();
        self.scheduler.free();
        self.hops = Vec::new();
        self.endpoints = Vec::new();
        self.inlets = Vec::new();
        self.links.iter_mut().for_each(|link| link.head = NIL);
        for detail in &mut self.details {
            if let Some(air) = detail.air_mut() {
                air.clear();
            }
        }
    }

    /// Returns the links that the packets of an endpoint take; none if it only receives.
    pub fn route(&self, endpoint: EndpointId) -> impl Iterator<Item = LinkId> {
        let start = self.endpoints[endpoint.index()].start;
        let hops = self.hops.get(start as usize..).unwrap_or_default();
        hops.iter()
            .take_while(|hop| hop.endpoint().is_none())
            .map(|hop| LinkId(self.order[hop.link_number() as usize]))
    }

    /// Appends a packet to a link's FIFO.
    #[inline(always)]
    pub fn append(&mut self, number: u32, index: u32, due: u64) {
        let link = &mut self.links[number as usize];
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
}

impl Next {
    /// Its place in the order of simultaneous events.
    #[inline]
    fn number(&self) -> u32 {
        match *self {
            Self::Lane { link, .. } | Self::Calendar { link, .. } => link,
            Self::Entry(entry) => entry,
        }
    }
}

/// Returns the detector of a link, if its queue decides about arriving packets and does not hold them.
fn detector(link: &Link, id: u32, seed: u64) -> Option<Detector> {
    if link.decides_at_departure() {
        return None;
    }
    let draws = || draws(id, seed);
    link.queue.detector(Service::of(link.drive()), draws)
}

/// Returns the stream by which the queue of a link decides.
fn draws(link: u32, seed: u64) -> Random {
    stream(seed, Component::early(LinkId::from_index(link as usize)))
}

impl<P: Copy, S: Scheduler> Port<P> for Network<P, S> {
    #[inline]
    fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    #[inline]
    fn send(&mut self, endpoint: EndpointId, bytes: u16, kind: Kind, payload: P) {
        match &self.labels {
            None => self.launch::<false, false>(endpoint, bytes, kind, payload),
            Some(_) => self.launch_labelled(endpoint, bytes, kind, payload, Label::NONE),
        }
    }

    #[inline(always)]
    fn send_labelled(
        &mut self,
        endpoint: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: P,
        label: Label,
    ) {
        match &self.labels {
            None => self.launch::<false, false>(endpoint, bytes, kind, payload),
            Some(_) => self.launch_labelled(endpoint, bytes, kind, payload, label),
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

    #[inline]
    fn run_ahead(&mut self, deadline: Option<Time>) -> bool {
        let Batch { until, left } = self.batch;
        let Some(deadline) = deadline else {
            return false;
        };
        if deadline.as_nanos() >= until || left == 0 {
            return false;
        }
        self.batch.left = left - 1;
        self.expired_ahead += 1;
        self.now = self.now.max(deadline.as_nanos());
        true
    }

    fn queue_len(&mut self, link: LinkId) -> Option<u32> {
        let number = self.numbers[link.index()] as usize;
        self.start_until(number as u32, self.now);
        let detail = &mut self.details[number];
        detail
            .watched
            .then(|| self.links[number].queue_len(detail, self.now))
    }
}
