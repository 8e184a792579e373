//! Sets up a scenario's hosts on the simulator.

use dumbbell_scenario::controls::Alarm;
use dumbbell_scenario::{Flow, Probe, ProbeValue, Scenario, Traffic, Writing, copies};
use dumbbell_sim::{EndpointId, Host, Link, Options, Simulation, Time, prefer_large_pages};

use crate::fates::Fates;
use crate::flow::{self, Control, FlowReceiver, FlowSender, Told, Writer};
use crate::hosts::{self, Hosts};
use crate::network::Layout;
use crate::path::{Slowest, Transit};
use crate::probe::{Bins, Probes};
use crate::time::time;
use crate::workload::{Place, Route, Workload};

/// Wraps the controls of TCP flows, and the rate controls of media flows that are told the fate of each packet, before the
/// run begins.
pub trait Watch {
    /// Returns the control of the flow at this position among the run's flows, wrapped or
    /// unchanged.
    fn watch(&self, flow: usize, control: Control) -> Control;

    /// Returns the rate control of the media flow at this position, wrapped or unchanged.
    fn watch_rate(&self, flow: usize, control: Told) -> Told {
        let _ = flow;
        control
    }
}

/// Whether anyone looks at a run before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Every state can be seen at its time.
    Watched,
    /// Every packet can be seen on every link.
    Filmed,
    /// Nobody looks, so what is certain may happen early.
    Free,
}

/// The simulator's host of a run, which holds the ends of all flows.
pub(crate) trait Stage: Host {
    /// The hosts; empty before the run.
    fn hosts(&self) -> &Hosts;

    /// The hosts, mutable.
    fn hosts_mut(&mut self) -> &mut Hosts;

    /// Called when the hosts are in place.
    fn begin(&mut self) {}
}

impl Stage for Hosts {
    fn hosts(&self) -> &Hosts {
        self
    }

    fn hosts_mut(&mut self) -> &mut Hosts {
        self
    }
}

/// Creates the simulation of a scenario, before its first event. An added control that fails raises the
/// alarm.
pub(crate) fn prepare<S: Stage>(
    scenario: &Scenario,
    seed: u64,
    probe: Option<&Probe>,
    watcher: Option<&dyn Watch>,
    alarm: &Alarm,
    pace: Pace,
    stage: S,
) -> Simulation<S> {
    let watched = probe.is_some_and(|probe| probe.values.contains(&ProbeValue::Queue));
    let mut layout = Layout::new(scenario, watched);
    let writes = |flow: &Flow| {
        matches!(flow.traffic, Traffic::Tcp(_)) && flow.writing != Writing::WITHOUT_LIMIT
    };
    let writing = copies(scenario).filter(|(flow, _)| writes(flow));
    // Their timers come first: see `Hosts::writers`.
    let timers: Vec<EndpointId> = writing.map(|_| layout.timer()).collect();
    let timer = probe.map(|probe| (probe, layout.timer()));
    let end = time(scenario.duration);
    // If classifiers are judged or receivers learn the causes of losses, the fate of a packet must
    // not be known before its time. With merged hops it is known early, and how early depends on
    // whether the run is watched.
    let options = Options {
        merge: pace != Pace::Filmed && !scenario.flows.iter().any(flow::is_judged),
        ..Options::default()
    };
    // The hosts are created after the plan of the network is freed: with ten thousand flows, memory
    // matters.
    let mut simulation = Simulation::with_options(&layout.network, stage, seed, end, options)
        .expect("the scenario's reader let nothing pass that is no network");
    let Layout {
        ends,
        core,
        network,
        ..
    } = layout;
    let links = network.links();
    let mut slowest = Vec::with_capacity(ends.len());
    let mut transits = Vec::with_capacity(ends.len());
    let mut routes = Vec::new();
    for ((flow, _), &(endpoint, receiver)) in copies(scenario).zip(&ends) {
        let route = simulation.route(endpoint);
        let route = route.iter().map(|link| &links[link.index()]);
        let slow = Slowest::of(route.clone());
        let transit = Transit::of(flow, route.clone());
        if let Traffic::Workload(_) = flow.traffic {
            let back = simulation.route(receiver);
            let back = &mut back.iter().map(|link| &links[link.index()]);
            let ways: [&mut dyn Iterator<Item = &Link>; 2] = [&mut route.clone(), back];
            routes.push(Route::of(transit, &slow, (Time::ZERO, end), ways));
        }
        slowest.push(slow);
        transits.push(transit);
    }
    drop(network);
    let warmup = time(scenario.warmup);
    simulation.expect_reading(warmup);
    let mut hosts = Hosts {
        senders: Vec::with_capacity(ends.len()),
        receivers: Vec::with_capacity(ends.len()),
        fates: Fates::new(ends.len(), warmup),
        slowest,
        ..Hosts::default()
    };
    prefer_large_pages(&hosts.senders);
    prefer_large_pages(&hosts.receivers);
    let numbered = (0..).zip(copies(scenario));
    let flows = u32::try_from(ends.len()).unwrap_or(u32::MAX);
    let (mut routes, mut timers) = (routes.into_iter(), timers.into_iter());
    let mut maker = flow::Maker::new(seed, timer.map(|(probe, _)| probe));
    for (((number, (flow, copy)), &(endpoint, other)), transit) in numbered.zip(&ends).zip(transits)
    {
        let wrap = |control| match watcher {
            Some(watcher) => watcher.watch(number as usize, control),
            None => control,
        };
        let wrap_rate = |control| match watcher {
            Some(watcher) => watcher.watch_rate(number as usize, control),
            None => control,
        };
        let alarm = alarm.of_flow(number as usize);
        let (sender, receiver) = match (&flow.traffic, routes.as_slice().first()) {
            (Traffic::Workload(workload), Some(route)) => {
                let place = Place {
                    flow: number,
                    flows,
                    copy: copy - 1,
                    pairs: flow.count,
                    seed,
                    start: flow::start(flow, number, seed),
                    stop: flow.writing.stop.map(time),
                };
                let both = Workload::new(workload, place, route, [endpoint, other], &alarm);
                routes.next();
                (FlowSender::Workload(Box::new(both)), FlowReceiver::Workload)
            }
            _ => maker.ends(flow, number, transit, &alarm, (&wrap, &wrap_rate)),
        };
        simulation.set_timer(endpoint, Some(sender.start()));
        if writes(flow)
            && let Some(timer) = timers.next()
        {
            let writer = Writer::new(flow, number, seed, sender.start(), timer, endpoint);
            let (timer, due) = writer.due();
            simulation.set_timer(timer, due);
            hosts.writers.push(writer);
        }
        hosts.senders.push(sender);
        hosts.receivers.push(receiver);
    }
    hosts::join(scenario, &mut hosts, &ends);
    if pace == Pace::Free && options.merge {
        simulation.look_ahead(hosts.lookaheads(&ends));
    }
    drop(ends);
    if let Some(variation) = &scenario.variation {
        let from = time(variation.from).max(warmup);
        hosts.bins = vec![Bins::new(variation, from); hosts.senders.len()];
    }
    if let Some((probe, timer)) = timer {
        let packets_per_ack = copies(scenario).map(|(flow, _)| flow::packets_per_ack(flow));
        hosts.probes = Some(Probes::new(probe, core, packets_per_ack.collect()));
        simulation.set_timer(timer, Some(Time::ZERO));
    }
    let stage = simulation.host_mut();
    *stage.hosts_mut() = hosts;
    stage.begin();
    simulation
}
