//! Sets up a workload from its scenario.

use std::sync::Arc;

use dumbbell_control::event::Path;
use dumbbell_control::units::Duration;
use dumbbell_scenario::controls::{self, Alarm};
use dumbbell_scenario::{self as scenario, Application, Requests, Video};
use dumbbell_sim::random::{Component, Random, stream};
use dumbbell_sim::{EndpointId, Link, Time};
use dumbbell_tcp::config::SenderConfig;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::recovery::Any;

use super::arrivals::{Arrivals, Pair, Streams};
use super::client::{Client, State, Wants, request_bytes};
use super::connection::{Job, Packets, Slots};
use super::deadlines::Deadlines;
use super::player::Player;
use super::tally::Tally;
use super::{Driver, Workload};
use crate::delays::Delays;
use crate::flow::Control;
use crate::histogram::Histogram;
use crate::path::{Slowest, Transit};
use crate::time::time;
use crate::totals::Totals;

/// Component numbers that select the random streams of a pair.
const ARRIVALS: u16 = 2;
const SIZES: u16 = 3;
const THINKING: u16 = 4;

/// Where a pair of hosts is in the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The number of its flow among the run's.
    pub(crate) flow: u32,
    /// The number of flows of the run.
    pub(crate) flows: u32,
    /// Its number within its entry, from 0.
    pub(crate) copy: u32,
    /// The number of pairs of its entry.
    pub(crate) pairs: u32,
    pub(crate) seed: u64,
    pub(crate) start: Time,
    pub(crate) stop: Option<Time>,
}

/// What the path of a pair is like.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) transit: Transit,
    /// The rate of the slowest link, in bit/s; `None` if there is no such rate.
    pub(crate) slowest: Option<f64>,
    /// Forward and backward.
    pub(crate) ways: [Way; 2],
}

/// How long packets take over idle links in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Nanoseconds that each packet takes.
    fixed: f64,
    /// Nanoseconds that each byte adds.
    per_byte: f64,
}

/// The parts of the completion time of a transfer on an idle path with an unlimited window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Idle {
    /// Until the first segment is sent, in nanoseconds: handshake and request.
    before: f64,
    forward: Way,
    /// Nanoseconds that a byte takes on the slowest link.
    slowest: f64,
}

/// Makes the controls of connections.
pub(super) struct Maker {
    control: controls::Control,
    path: Path,
    pub(super) recovery: Any,
    alarm: Alarm,
    /// The number of the next connection for routers, and that of the one after it.
    next: u32,
    step: u32,
}

impl Route {
    /// The path over these links and back.
    pub(crate) fn of(
        transit: Transit,
        slowest: &Slowest,
        span: (Time, Time),
        ways: [&mut dyn Iterator<Item = &Link>; 2],
    ) -> Self {
        Self {
            transit,
            slowest: slowest.rate(span.0, span.1),
            ways: ways.map(Way::over),
        }
    }
}

impl Way {
    fn over(links: &mut dyn Iterator<Item = &Link>) -> Self {
        const BYTES: u16 = 10_000;
        let (mut none, mut some) = (0, 0);
        for link in links {
            none += link.idle(0).as_nanos();
            some += link.idle(BYTES).as_nanos();
        }
        Self {
            fixed: none as f64,
            per_byte: (some - none) as f64 / f64::from(BYTES),
        }
    }

    fn time(&self, bytes: u16) -> f64 {
        self.fixed + self.per_byte * f64::from(bytes)
    }
}

impl Idle {
    /// The completion time. The path takes its fixed time, all bytes pass the slowest link, and the last segment
    /// the others.
    pub(super) fn time(&self, job: &Job, data: u16) -> Duration {
        let (first, end) = job.segments;
        let full = (end - first - 1) as f64 * f64::from(data);
        let last = f64::from(job.last_bytes);
        let others = (self.forward.per_byte - self.slowest).max(0.0);
        let time = self.before + self.forward.fixed + (full + last) * self.slowest + last * others;
        Duration::from_nanos(time as u64)
    }
}

impl Maker {
    pub(super) fn control(&self) -> Control {
        match &self.control {
            controls::Control::Builtin(config) => Control::builtin(config, &self.path),
            controls::Control::Custom(custom) => {
                Control::custom(custom.build(&self.path, &self.alarm))
            }
        }
    }

    /// The same, in the memory of an old one.
    pub(super) fn renew(&self, old: Control) -> Control {
        match &self.control {
            controls::Control::Builtin(config) => old.renewed(config, &self.path),
            controls::Control::Custom(_) => self.control(),
        }
    }

    /// The number of the next connection. The numbers of connections differ from those of flows, and from
    /// each other while they are alive.
    pub(super) fn number(&mut self) -> u32 {
        let number = self.next;
        self.next = match number.checked_add(self.step) {
            Some(next) => next,
            None => self.step + number % self.step,
        };
        number
    }
}

impl Workload {
    pub(crate) fn new(
        workload: &scenario::Workload,
        place: Place,
        route: &Route,
        ends: [EndpointId; 2],
        alarm: &Alarm,
    ) -> Self {
        let tcp = &workload.tcp;
        let told = tcp.ends(false);
        let wire = |bytes: u64| {
            u16::try_from(bytes).expect("the scenario's reader limits packets to 65,535 bytes")
        };
        let packets = Packets {
            data: wire(tcp.data_wire_bytes()),
            ack: wire(tcp.ack_wire_bytes()),
            probe: wire(Aqt::WIRE_BYTES),
        };
        let random = |kind| stream(place.seed, Component::host(kind, place.flow));
        let (driver, most) = driver(workload, &place, route.slowest, random);
        let keeps = matches!(&driver, Driver::Client(client) if client.keep);
        let [forward, backward] = route.ways;
        let mut before = 0.0;
        if told.sender.handshake && !keeps {
            before += forward.time(packets.ack) + backward.time(packets.ack);
        }
        if let Driver::Client(client) = &driver {
            before += backward.time(client.request);
        }
        let (classes, listed) = workload.application.report();
        Self {
            ends,
            flow: place.flow,
            start: place.start,
            stop: place.stop,
            begun: false,
            maker: Maker {
                control: tcp.control.clone(),
                path: tcp.path(),
                recovery: tcp.new_recovery(),
                alarm: alarm.clone(),
                // Above the numbers of flows.
                next: place.flows.saturating_add(place.flow),
                step: place.flows.max(1),
            },
            opens: told.sender.handshake,
            config: Arc::new(match &driver {
                Driver::Transfers(..) => told.sender,
                Driver::Client(client) => SenderConfig {
                    // The client opens the connection.
                    handshake: false,
                    relays: client.keep,
                    ..told.sender
                },
            }),
            receiver_config: told.receiver.into(),
            packets,
            payload: tcp.payload.0,
            transit: route.transit,
            idle: Idle {
                before,
                forward,
                slowest: 8e9 / route.slowest.unwrap_or(f64::INFINITY),
            },
            slots: Slots::default(),
            deadlines: [Deadlines::default(), Deadlines::default()],
            driver,
            most,
            most_alive: 0,
            tally: Tally::new(classes, listed),
            over: Totals::default(),
            rtts: Histogram::default(),
            rtt_max: Duration::ZERO,
            queueing: Delays::default(),
        }
    }

    /// The pair starts.
    pub(super) fn begin(&mut self, now: Time) {
        match &mut self.driver {
            Driver::Transfers(arrivals, next) => *next = arrivals.next(),
            Driver::Client(client) => client.deadline = Some(now),
        }
    }
}

/// What opens connections, and the largest number of connections at the same time.
fn driver(
    workload: &scenario::Workload,
    place: &Place,
    slowest: Option<f64>,
    random: impl Fn(u16) -> Random,
) -> (Driver, usize) {
    let tcp = &workload.tcp;
    let headers = tcp.data_wire_bytes() - tcp.payload.0;
    let client = |wants, keep, request| {
        let client = Client {
            wants,
            keep,
            request: request_bytes(request, headers),
            timeout: (time(tcp.initial_rto), time(tcp.max_rto)),
            connection: None,
            state: State::Waiting,
            deadline: None,
        };
        (Driver::Client(Box::new(client)), Slots::MOST)
    };
    match &workload.application {
        Application::Transfers(transfers) => {
            let pair = Pair {
                copy: place.copy,
                pairs: place.pairs,
            };
            let streams = Streams {
                arrivals: random(ARRIVALS),
                sizes: random(SIZES),
            };
            // Without a rate, no load arrives.
            let slowest = slowest.unwrap_or(f64::MIN_POSITIVE);
            let arrivals = Arrivals::new(&transfers.arrivals, place.start, pair, slowest, streams);
            let driver = Driver::Transfers(Box::new(arrivals), None);
            (driver, transfers.most as usize)
        }
        Application::Requests(Requests {
            size,
            request,
            think,
            keep,
            ..
        }) => {
            let wants = Wants::Responses {
                sizes: Box::new(size.simulated(random(SIZES))),
                think: *think,
                random: Box::new(random(THINKING)),
            };
            client(wants, *keep, *request)
        }
        Application::Video(video) => {
            let player = Player::new(video, place.start);
            client(Wants::Video(Box::new(player)), true, Video::REQUEST)
        }
    }
}
