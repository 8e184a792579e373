//! A client at the receiving end, which opens connections and requests responses.

use dumbbell_scenario::{Bytes, Sizes, Think};
use dumbbell_sim::random::Random;
use dumbbell_sim::{Port, Time};

use super::connection::{Job, label_of};
use super::player::Player;
use super::{Driver, RECEIVER, Workload};
use crate::flow::wire::connection::Call;
use crate::flow::wire::{ACK, Payload};
use crate::time::time;

/// A client.
pub(super) struct Client {
    pub(super) wants: Wants,
    /// Whether all requests use one connection.
    pub(super) keep: bool,
    /// Bytes of a request on the wire.
    pub(super) request: u16,
    /// The timeout of a request or an opening, doubled after each, and its largest value.
    pub(super) timeout: (Time, Time),
    pub(super) connection: Option<u32>,
    pub(super) state: State,
    /// When it acts next.
    pub(super) deadline: Option<Time>,
}

/// What a client requests, and when.
pub(super) enum Wants {
    Responses {
        sizes: Box<Sizes>,
        think: Think,
        random: Box<Random>,
    },
    Video(Box<Player>),
}

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It thinks, or its buffer is full.
    Waiting,
    /// It has asked so many times to open a connection.
    Opening(u32),
    /// It has sent its request so many times.
    Requesting(u32),
    /// Data arrives.
    Receiving,
}

impl Client {
    /// The size of the next response.
    fn next_size(&mut self) -> u64 {
        match &mut self.wants {
            Wants::Responses { sizes, .. } => sizes.next().unwrap_or(1),
            Wants::Video(player) => player.chunk(),
        }
    }

    /// A response is complete; returns when to request the next one.
    fn next_time(&mut self, now: Time, job: &Job) -> Time {
        match &mut self.wants {
            Wants::Responses { think, random, .. } => {
                now + match *think {
                    Think::Constant(span) => time(span),
                    Think::Exponential(mean) => {
                        let mean = mean.as_nanos() as f64;
                        Time::from_nanos(libm::round(random.exponential(mean)) as u64)
                    }
                }
            }
            Wants::Video(player) => player.arrived(now, job.bytes, job.started),
        }
    }

    /// Waits for the reply to what has been sent so many times.
    fn wait(&mut self, now: Time, times: u32) {
        let (first, most) = self.timeout;
        let timeout = first.as_nanos() << times.saturating_sub(1).min(20);
        self.deadline = Some(now + Time::from_nanos(timeout).min(most));
    }
}

/// Payload of a request, and of one for a chunk.
pub(super) fn request_bytes(request: Bytes, headers: u64) -> u16 {
    u16::try_from(request.0 + headers).unwrap_or(u16::MAX)
}

impl Workload {
    /// The client's deadline may have come: it requests something, or asks again.
    pub(super) fn ask(&mut self, net: &mut impl Port<Payload>) {
        let now = net.now();
        let Driver::Client(client) = &mut self.driver else {
            return;
        };
        if client.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        client.deadline = None;
        match client.state {
            State::Waiting if self.stop.is_some_and(|stop| now >= stop) => {
                if let Wants::Video(player) = &mut client.wants {
                    player.end(now);
                }
            }
            State::Waiting => {
                let bytes = client.next_size();
                let (keep, kept) = (client.keep, client.connection);
                self.request_next(net, bytes, keep, kept);
            }
            State::Opening(times) => self.call_open(net, times + 1),
            State::Requesting(times) => self.call_request(net, times + 1),
            State::Receiving => {}
        }
    }

    fn request_next(
        &mut self,
        net: &mut impl Port<Payload>,
        bytes: u64,
        keep: bool,
        kept: Option<u32>,
    ) {
        let now = net.now();
        if let Some(id) = kept
            && keep
            && let Some(connection) = self.slots.at(id)
        {
            let first = connection.job.segments.1;
            let job = self.job(bytes, now, first);
            if let Some(connection) = self.slots.at(id) {
                connection.job = job;
            }
            return self.call_request(net, 1);
        }
        let job = self.job(bytes, now, 0);
        // What is sent is there as soon as it is requested.
        let id = self.open(if keep { 0 } else { job.segments.1 }, job);
        let opens = self.opens;
        if let Driver::Client(client) = &mut self.driver {
            client.connection = Some(id);
        }
        match opens {
            true => self.call_open(net, 1),
            false => self.call_request(net, 1),
        }
    }

    fn call_open(&mut self, net: &mut impl Port<Payload>, times: u32) {
        if let Driver::Client(client) = &mut self.driver
            && let Some(id) = client.connection
            && let Some(connection) = self.slots.at(id)
        {
            client.state = State::Opening(times);
            client.wait(net.now(), times);
            let payload = Payload::call(id, Call::Open);
            let label = label_of(connection.number);
            net.send_labelled(self.ends[RECEIVER], self.packets.ack, ACK, payload, label);
        }
    }

    fn call_request(&mut self, net: &mut impl Port<Payload>, times: u32) {
        if let Driver::Client(client) = &mut self.driver
            && let Some(id) = client.connection
            && let Some(connection) = self.slots.at(id)
        {
            if times == 1 {
                connection.requested = connection.requested.wrapping_add(1);
            }
            client.state = State::Requesting(times);
            client.wait(net.now(), times);
            let payload = Payload::call(id, Call::Request(connection.requested));
            let label = label_of(connection.number);
            net.send_labelled(self.ends[RECEIVER], client.request, ACK, payload, label);
        }
    }

    /// The reply to the opening of a connection arrives.
    pub(super) fn on_reply(&mut self, net: &mut impl Port<Payload>, id: u32) {
        if let Driver::Client(client) = &self.driver
            && client.connection == Some(id)
            && matches!(client.state, State::Opening(_))
        {
            self.call_request(net, 1);
            self.set_timers(net);
        }
    }

    /// Data of a connection has arrived, which may complete a transfer.
    pub(super) fn on_data(
        &mut self,
        net: &mut impl Port<Payload>,
        id: u32,
        completed: Option<&Job>,
    ) {
        let Driver::Client(client) = &mut self.driver else {
            return;
        };
        if client.connection != Some(id) {
            return;
        }
        match completed {
            Some(job) => {
                client.state = State::Waiting;
                client.deadline = Some(client.next_time(net.now(), job));
                if !client.keep {
                    client.connection = None;
                }
            }
            None if matches!(client.state, State::Requesting(_)) => {
                client.state = State::Receiving;
                client.deadline = None;
            }
            None => return,
        }
        self.set_timers(net);
    }
}
