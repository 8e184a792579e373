//! Endpoints that run ahead of the network see and do the same as others, at the same times.

use dumbbell_sim::random::{Component, stream};
use dumbbell_sim::{
    Arrived, Ecn, EndpointId, Gone, Host, Kind, Label, Link, LinkStatistics, Lookahead, Options,
    Port, SchedulerChoice, Sharing, Simulation, Time, Topology,
};
use proptest::prelude::*;

use crate::scenario::{Draw, Log, Payload, Scenario};

/// What the endpoints of a host do depends only on their packets and timers.
#[derive(Clone, Debug)]
struct Talkers {
    silent: Vec<bool>,
    draws: Vec<Draw>,
    seen: Seen,
    /// The time of the last callback, and how often time went back between two.
    last: Time,
    returns: u32,
    /// How many timers expired ahead.
    early: u32,
}

/// What has happened.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    logs: Vec<Log>,
    sent: Vec<u32>,
    /// The sum over all packets that never arrived.
    gone: u64,
}

impl Talkers {
    fn of(scenario: &Scenario) -> Self {
        let draws = (0..scenario.endpoints as u32)
            .map(|index| Draw::from(stream(scenario.seed, Component::host(0, index))));
        Self {
            silent: scenario.silent.clone(),
            draws: draws.collect(),
            seen: Seen {
                logs: vec![Log::default(); scenario.endpoints],
                sent: vec![0; scenario.endpoints],
                gone: 0,
            },
            last: Time::ZERO,
            returns: 0,
            early: 0,
        }
    }

    fn note(&mut self, now: Time, endpoint: EndpointId, word: u64) {
        self.returns += u32::from(now < self.last);
        self.last = now;
        self.seen.logs[endpoint.index()].add(now.as_nanos());
        self.seen.logs[endpoint.index()].add(word);
    }

    fn send(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        let index = endpoint.index();
        if self.silent[index] {
            return;
        }
        let draw = &mut self.draws[index];
        for _ in 0..[1, 1, 1, 2, 8][draw.below(5) as usize] {
            let number = &mut self.seen.sent[index];
            *number += 1;
            let payload = [index as u32, *number, 0, 0, 0];
            let bytes = [1000, 1000, 576, 40][draw.below(4) as usize];
            let label = Label {
                flow: draw.below(4) as u32,
                ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1][draw.below(3) as usize],
                probe: draw.below(2) == 0,
                supersedes: (draw.below(3) == 0).then_some((index as u32, u64::from(*number))),
            };
            let kind = Kind::new(draw.below(4) as u8);
            net.send_labelled(endpoint, bytes, kind, payload, label);
        }
    }

    fn deadline(&mut self, now: Time, endpoint: EndpointId) -> Option<Time> {
        let draw = &mut self.draws[endpoint.index()];
        (draw.below(40) > 0).then(|| now + draw.delay())
    }
}

impl Host for Talkers {
    type Payload = Payload;

    fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: Arrived<Payload>,
    ) {
        let [from, number, ..] = packet.payload;
        self.note(
            net.now(),
            endpoint,
            u64::from(from) << 32 | u64::from(number),
        );
        self.seen.logs[endpoint.index()].add(packet.queueing.map_or(u64::MAX, u64::from));
        match self.draws[endpoint.index()].below(8) {
            0 => self.send(net, endpoint),
            1 => {
                let deadline = self.deadline(net.now(), endpoint);
                net.set_timer(endpoint, deadline);
            }
            _ => {}
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        loop {
            self.note(net.now(), endpoint, u64::MAX);
            self.send(net, endpoint);
            let deadline = self.deadline(net.now(), endpoint);
            if !net.run_ahead(deadline) {
                return net.set_timer(endpoint, deadline);
            }
            self.early += 1;
        }
    }

    fn discard(&mut self, payload: Payload, Gone { cause, at, .. }: Gone) {
        let mut one = Log::default();
        one.add(u64::from(payload[0]) << 32 | u64::from(payload[1]));
        one.add(at.as_nanos() << 2 | cause as u64);
        self.seen.gone = self.seen.gone.wrapping_add(one.hash);
    }
}

fn simulation(scenario: &Scenario, options: Options, ahead: bool) -> Simulation<Talkers> {
    let host = Talkers::of(scenario);
    let mut draw = Draw::from(stream(scenario.seed, Component::host(3, 0)));
    let (seed, end) = (scenario.seed, scenario.end);
    let mut simulation =
        Simulation::with_options(&scenario.topology, host, seed, end, options).unwrap();
    for (endpoint, at) in scenario.starts() {
        simulation.set_timer(endpoint, Some(at));
    }
    if ahead {
        let lookahead = [Lookahead::Timers, Lookahead::Packets];
        simulation.look_ahead((0..scenario.endpoints).map(|index| {
            let endpoint = EndpointId::from_index(index);
            // Both ends of most connections get packets ahead.
            (endpoint, lookahead[usize::from(draw.below(4) > 0)])
        }));
    }
    simulation
}

/// What has been seen, and counted, at a reading at `at`, if there is one, and at the end.
fn results(
    mut simulation: Simulation<Talkers>,
    at: Option<Time>,
) -> [(Seen, Vec<LinkStatistics>, u64); 2] {
    let take = |simulation: &Simulation<Talkers>| {
        let seen = simulation.host().seen.clone();
        (seen, simulation.links(), simulation.events())
    };
    if let Some(at) = at {
        simulation.expect_reading(at);
        simulation.run_until(at);
    }
    let mut first = take(&simulation);
    // Packets are known to be lost before their time.
    first.0.gone = 0;
    simulation.run();
    [first, take(&simulation)]
}

const MERGED: Options = Options {
    merge: true,
    sharing: Sharing::Automatic,
    scheduler: SchedulerChoice::Automatic,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn endpoints_that_run_ahead_do_the_same(seed: u64, at in 1_u64..60_000_000) {
        let flows = [1, 2, 6][seed as usize % 3];
        let scenario = Scenario::random(seed, flows, true);
        let at = Some(Time::from_nanos(at)).filter(|&at| at < scenario.end);
        let plain = results(simulation(&scenario, MERGED, false), at);
        let wheel = SchedulerChoice::Wheel { buckets: 6, width: 12 };
        for options in [
            MERGED,
            Options { merge: false, ..MERGED },
            Options { sharing: Sharing::Always, ..MERGED },
            Options { scheduler: wheel, ..MERGED },
        ] {
            let ahead = results(simulation(&scenario, options, true), at);
            for (ahead, plain) in ahead.iter().zip(&plain) {
                prop_assert_eq!(&ahead.0, &plain.0);
                prop_assert_eq!(&ahead.1, &plain.1);
                prop_assert!(ahead.2 == plain.2 || !options.merge);
            }
        }
    }
}

/// If nothing ran ahead, the test above would prove nothing.
#[test]
fn endpoints_run_ahead() {
    let (mut returns, mut early) = (0, 0);
    for seed in 0..100 {
        let scenario = Scenario::random(seed, 6, true);
        let mut plain = simulation(&scenario, MERGED, false);
        plain.run();
        assert_eq!((plain.host().returns, plain.host().early), (0, 0));
        let mut ahead = simulation(&scenario, MERGED, true);
        ahead.run();
        returns += ahead.host().returns;
        early += ahead.host().early;
    }
    assert!(returns > 200, "{returns}");
    assert!(early > 50, "{early}");
}

/// Returns each packet at once.
struct Echo;

impl Host for Echo {
    type Payload = ();

    fn on_packet(&mut self, net: &mut impl Port<()>, endpoint: EndpointId, _: Arrived<()>) {
        net.send(endpoint, 1_000, Kind::new(0), ());
    }

    fn on_timer(&mut self, net: &mut impl Port<()>, endpoint: EndpointId) {
        net.send(endpoint, 1_000, Kind::new(0), ());
    }
}

/// Two ends between which packets are never stored run from one moment to the next within a few events, but not
/// further.
#[test]
fn two_ends_that_run_ahead_stop_where_the_run_stops() {
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    for (from, to) in [(a, b), (b, a)] {
        topology.link(Link::new("link", from, to, 8_000_000, Time::from_millis(9)));
    }
    let (one, other) = topology.connect(a, b);
    let mut simulation = Simulation::new(&topology, Echo, 1, Time::from_secs(100)).unwrap();
    simulation.set_timer(one, Some(Time::ZERO));
    simulation.look_ahead([one, other].map(|end| (end, Lookahead::Packets)));
    simulation.expect_reading(Time::from_secs(1));
    // A packet takes 10 ms.
    simulation.run_until(Time::from_secs(1));
    assert_eq!(simulation.events(), 1 + 100);
    simulation.run_until(Time::from_secs(2));
    assert_eq!(simulation.events(), 1 + 200);
    simulation.run();
    assert_eq!(simulation.events(), 1 + 10_000);
}
