//! A workload: the two hosts of a flow entry's pair, and the connections that come and go between them.
//!
//! Packets carry the number of their connection. Connections live in slots, whose memory the next connection
//! uses, and their timers share the one timer of their endpoint. An endpoint of a workload never runs ahead of
//! the network.

mod arrivals;
mod client;
mod connection;
mod deadlines;
mod player;
mod results;
mod set_up;
mod tally;

use std::sync::Arc;

use dumbbell_control::units::Duration;
use dumbbell_sim::{Arrived, Ecn, EndpointId, Label, Port, Time};
use dumbbell_tcp::config::{ReceiverConfig, SenderConfig};
use dumbbell_tcp::receiver::{Receiver, Response};
use dumbbell_tcp::segment::AckSegment;
use dumbbell_tcp::sender::Sender;

use crate::delays::Delays;
use crate::flow::wire::connection::{Call, arrival_of_connection};
use crate::flow::wire::{ACK, Board, Boards, Content, Payload, Stamp};
use crate::histogram::Histogram;
use crate::path::Transit;
use crate::time::{instant, moment, since_start};
use crate::totals::Totals;

use arrivals::Arrivals;
use client::Client;
use connection::{Connection, Job, Origin, Packets, Slots, label_of};
use deadlines::Deadlines;
use set_up::{Idle, Maker};
use tally::Tally;

pub(crate) use results::outcomes;
pub(crate) use set_up::{Place, Route};

/// The ends of a pair of hosts.
const SENDER: usize = 0;
const RECEIVER: usize = 1;

/// A pair of hosts and its connections.
pub(crate) struct Workload {
    /// The sender's and the receiver's endpoint.
    ends: [EndpointId; 2],
    /// The flow to which the packets belong in results.
    flow: u32,
    pub(crate) start: Time,
    pub(crate) stop: Option<Time>,
    begun: bool,
    maker: Maker,
    /// Of the sender of each connection, without its size.
    config: Arc<SenderConfig>,
    /// Whether connections are opened by an exchange of empty segments.
    opens: bool,
    receiver_config: Arc<ReceiverConfig>,
    packets: Packets,
    /// Payload of a full segment, in bytes.
    payload: u64,
    transit: Transit,
    idle: Idle,
    slots: Slots,
    deadlines: [Deadlines; 2],
    driver: Driver,
    /// The largest number of connections.
    most: usize,
    most_alive: usize,
    tally: Tally,
    /// What has been counted of connections that are over, and of round-trip times.
    over: Totals,
    rtts: Histogram,
    rtt_max: Duration,
    queueing: Delays,
}

/// What opens connections.
enum Driver {
    /// Transfers that arrive by themselves, and the next of them.
    Transfers(Box<Arrivals>, Option<(Time, u64)>),
    Client(Box<Client>),
}

impl Workload {
    fn origin(&self) -> Origin {
        Origin {
            endpoint: self.ends[SENDER],
            flow: self.flow,
            packets: self.packets,
        }
    }

    /// Handles a packet that arrives at the sender: an ACK, or what a client or a receiver sends.
    pub(crate) fn on_packet_at_sender(
        &mut self,
        net: &mut impl Port<Payload>,
        packet: &Arrived<Payload>,
        boards: &mut Boards,
    ) {
        if let Some((id, call)) = packet.payload.as_call() {
            return self.on_call(net, id, call);
        }
        let origin = self.origin();
        let now = net.now();
        let (id, payload) = packet.payload.connection_of_ack(boards);
        let board = payload.board().map(|place| boards.take(place));
        let Some(connection) = self.slots.at(id) else {
            return; // Of a connection that is over.
        };
        let mut out = connection.wire(net, origin, id);
        let sender = &mut connection.sender;
        let (ack, echo) = payload.as_ack(sender.una(), Stamp::of(sender));
        let samples = sender.rtt_samples();
        let segment = AckSegment {
            ack,
            echo,
            blocks: board.map_or(&[], Board::blocks),
            ece: payload.ece(),
            marks: board.and_then(Board::marks),
            aqt: board.and_then(|board| board.aqt(packet.queueing)),
            marked: packet.marked,
        };
        sender.on_ack(instant(now), &segment, &mut out);
        if sender.rtt_samples() != samples {
            let rtt = sender.last_rtt();
            self.over.rtt_samples += 1;
            self.over.rtt_sum += rtt.as_nanos();
            self.rtt_max = self.rtt_max.max(rtt);
            self.rtts.add(rtt);
        }
        if sender.finished() {
            self.close(id);
        }
        self.arm(net, SENDER, id);
    }

    /// Handles what opens connections, and requests responses.
    fn on_call(&mut self, net: &mut impl Port<Payload>, id: u32, call: Call) {
        let origin = self.origin();
        let now = instant(net.now());
        let Some(connection) = self.slots.at(id) else {
            return;
        };
        let label = label_of(connection.number);
        let mut out = connection.wire(&mut *net, origin, id);
        match call {
            Call::Open => {
                let payload = Payload::call(id, Call::Reply);
                net.send_labelled(self.ends[SENDER], self.packets.ack, ACK, payload, label);
            }
            Call::Reply => connection.sender.on_open(now, &mut out),
            Call::Request(number) if number == connection.served.wrapping_add(1) => {
                connection.served = number;
                let end = connection.job.segments.1;
                if !connection.begun {
                    connection.begun = true;
                    connection.sender.start(now, &mut out);
                }
                connection.sender.offer(now, end, &mut out);
            }
            // A request that arrives once more.
            Call::Request(_) => {}
        }
        self.arm(net, SENDER, id);
    }

    /// Handles a packet that arrives at the receiver: a segment, or what opens a connection.
    pub(crate) fn on_packet_at_receiver(
        &mut self,
        net: &mut impl Port<Payload>,
        packet: &Arrived<Payload>,
        boards: &mut Boards,
    ) {
        let now = net.now();
        if let Some((id, call)) = packet.payload.as_call() {
            match call {
                Call::Open => {
                    if let Some(connection) = self.slots.at(id) {
                        let label = label_of(connection.number);
                        let payload = Payload::call(id, Call::Reply);
                        let end = self.ends[RECEIVER];
                        net.send_labelled(end, self.packets.ack, ACK, payload, label);
                    }
                }
                Call::Reply => self.on_reply(net, id),
                Call::Request(_) => {}
            }
            return;
        }
        let id = packet.payload.connection();
        let Some(connection) = self.slots.at(id) else {
            return;
        };
        let age = packet.payload.age(now);
        let idle = match packet.payload.probes() {
            true => self.transit.probe,
            false => self.transit.packet,
        };
        self.queueing.add(age.saturating_sub(idle));
        let full = self.packets.data - packet.bytes.min(self.packets.data);
        self.over.arrived += self.payload.saturating_sub(u64::from(full));
        let before = connection.receiver.delivered();
        let arrival = arrival_of_connection(packet, before, now, self.config.stamping);
        if connection.receiver.answers_before(arrival.marked) {
            self.acknowledge(net, id, boards);
        }
        let Some(connection) = self.slots.at(id) else {
            return;
        };
        let response = connection.receiver.on_segment(instant(now), &arrival);
        let delivered = connection.receiver.delivered();
        let job = &mut connection.job;
        self.over.delivered +=
            job.delivered(delivered, self.payload) - job.delivered(before, self.payload);
        let completes = !job.complete && delivered >= job.segments.1;
        job.complete |= completes;
        if completes && job.counts {
            let ideal = self.idle.time(job, self.packets.data);
            let took = since_start(now - job.started);
            self.tally.finish(job.bytes, job.place, took, ideal);
        }
        let job = *job;
        match response {
            Response::Ack => self.acknowledge(net, id, boards),
            Response::Wait => {}
        }
        self.arm(net, RECEIVER, id);
        // A late copy of a segment of an earlier response is no reply to the request.
        if arrival.seq >= job.segments.0 {
            self.on_data(net, id, completes.then_some(&job));
        }
    }

    /// Handles the expiry of the timer of an end.
    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        boards: &mut Boards,
    ) {
        let end = usize::from(endpoint == self.ends[RECEIVER]);
        self.deadlines[end].set = None;
        let now = net.now();
        if !self.begun {
            self.begun = true;
            self.begin(now);
        }
        while let Some((at, id)) = self.deadlines[end].due(now) {
            let Some(connection) = self.slots.at(id) else {
                continue; // It is over.
            };
            if connection.armed[end] != at {
                continue; // It has asked for an earlier call.
            }
            connection.armed[end] = Time::MAX;
            self.expire(net, end, id, boards);
        }
        match end {
            SENDER => self.start_arrived(net),
            _ => self.ask(net),
        }
        self.set_timers(net);
    }

    /// Calls a connection whose deadline may have come.
    fn expire(&mut self, net: &mut impl Port<Payload>, end: usize, id: u32, boards: &mut Boards) {
        let origin = self.origin();
        let now = instant(net.now());
        let Some(connection) = self.slots.at(id) else {
            return;
        };
        if end == SENDER {
            let mut out = connection.wire(&mut *net, origin, id);
            connection.sender.on_timer(now, &mut out);
        } else if connection.receiver.on_deadline(now) == Response::Ack {
            self.acknowledge(net, id, boards);
        }
        self.queue(end, id);
    }

    fn acknowledge(&mut self, net: &mut impl Port<Payload>, id: u32, boards: &mut Boards) {
        let Some(connection) = self.slots.at(id) else {
            return;
        };
        let now = instant(net.now());
        let ack = Content::of(&connection.receiver.ack(now, boards.room()));
        let ack = boards.write(ack);
        let mut bytes = self.packets.ack;
        if ack.probe {
            bytes += self.packets.probe;
        }
        let label = Label {
            flow: connection.number,
            ecn: Ecn::NotEct,
            probe: ack.probe,
            supersedes: ack.pure.then_some((connection.number, ack.number)),
        };
        let payload = ack.payload.ack_of_connection(id, boards);
        net.send_labelled(self.ends[RECEIVER], bytes, ACK, payload, label);
    }

    /// Starts the transfers that have arrived.
    fn start_arrived(&mut self, net: &mut impl Port<Payload>) {
        let now = net.now();
        loop {
            let Driver::Transfers(arrivals, next) = &mut self.driver else {
                return;
            };
            let Some((at, bytes)) = *next else {
                return;
            };
            if self.stop.is_some_and(|stop| at >= stop) {
                *next = None;
                return;
            }
            if at > now {
                return;
            }
            *next = arrivals.next();
            if self.slots.used() >= self.most {
                self.tally.refused += 1;
                continue;
            }
            let job = self.job(bytes, now, 0);
            let origin = self.origin();
            let id = self.open(job.segments.1, job);
            if let Some(connection) = self.slots.at(id) {
                let mut out = connection.wire(&mut *net, origin, id);
                connection.begun = true;
                connection.sender.start(instant(now), &mut out);
            }
            self.queue(SENDER, id);
        }
    }

    /// A transfer of this size that begins now with this segment.
    fn job(&mut self, bytes: u64, now: Time, first: u64) -> Job {
        let rest = bytes % self.payload;
        let segments = bytes.div_ceil(self.payload);
        let missing = if rest > 0 { self.payload - rest } else { 0 };
        Job {
            bytes,
            started: now,
            segments: (first, first + segments),
            last_bytes: self.packets.data - missing as u16,
            complete: false,
            counts: true,
            place: self.tally.start(bytes, now),
        }
    }

    /// Opens a connection with so many segments to send at first; returns its number.
    fn open(&mut self, segments: u64, job: Job) -> u32 {
        let Self {
            slots,
            maker,
            config,
            receiver_config,
            ..
        } = self;
        let id = slots.add(|old| {
            let (config, recovery) = (Arc::clone(config), maker.recovery.clone());
            let (sender, receiver) = match old {
                Some(Connection {
                    sender, receiver, ..
                }) => (
                    sender.renewed(config, recovery, |control| maker.renew(control)),
                    receiver.renewed(Arc::clone(receiver_config)),
                ),
                None => (
                    Sender::new(config, maker.control(), recovery),
                    Receiver::new(Arc::clone(receiver_config)),
                ),
            };
            Connection {
                sender: sender.sized(segments),
                receiver,
                number: maker.number(),
                job,
                armed: [Time::MAX; 2],
                begun: false,
                served: 0,
                requested: 0,
            }
        });
        self.most_alive = self.most_alive.max(self.slots.used());
        id
    }

    /// Ends a connection: everything has arrived, and the sender knows it.
    fn close(&mut self, id: u32) {
        if let Some(connection) = self.slots.at(id) {
            results::count(connection, &mut self.over);
            self.slots.free(id);
        }
    }

    /// Notes when an end of a connection wants to be called.
    fn queue(&mut self, end: usize, id: u32) {
        let Some(connection) = self.slots.at(id) else {
            return;
        };
        let deadline = match end {
            SENDER => connection.sender.deadline(),
            _ => connection.receiver.deadline(),
        };
        if let Some(at) = deadline.map(moment)
            && at < connection.armed[end]
        {
            connection.armed[end] = at;
            self.deadlines[end].add(at, id);
        }
    }

    /// Notes when an end of a connection wants to be called, and sets the timers.
    fn arm(&mut self, net: &mut impl Port<Payload>, end: usize, id: u32) {
        self.queue(end, id);
        self.set_timers(net);
    }

    /// Sets the timers of both endpoints to what comes next.
    fn set_timers(&mut self, net: &mut impl Port<Payload>) {
        for end in [SENDER, RECEIVER] {
            let own = match (&self.driver, end) {
                (Driver::Transfers(_, next), SENDER) => next.map(|(at, _)| at),
                (Driver::Client(client), RECEIVER) => client.deadline,
                _ => None,
            };
            let deadlines = &mut self.deadlines[end];
            let next = deadlines.next().into_iter().chain(own).min();
            if next != deadlines.set {
                deadlines.set = next;
                net.set_timer(self.ends[end], next);
            }
        }
    }
}
