//! Runs a scenario on the simulator.

mod control;
mod emulation;
mod host;
mod media;
mod network;
mod prediction;
mod probe;
mod relay;
mod results;
mod tapped;
mod tcp;
mod udp;
mod variation;
mod watched;
mod wire;

use std::sync::atomic::AtomicBool;
use std::time::Instant as Clock;

use cpu_time::ThreadTime;
use dumbbell_control::units::Segments;
use dumbbell_sim::random::{Component, stream};
use dumbbell_sim::traffic::{Cbr, Exponential, OnOff, OnOffLaw, Pareto, Span};
use dumbbell_sim::{Host, Options, Simulation, Time};
use dumbbell_tcp::config::{ReceiverConfig, SenderConfig};
use dumbbell_tcp::receiver::Receiver;
use dumbbell_tcp::sender::Sender;

pub use control::Control;
pub use dumbbell_sim::Label;
pub use emulation::{Emulation, End, Sort, Through};
pub use probe::{Reading, Series, Subject};

use crate::controls;
use crate::outcome::{FlowOutcome, Outcome};
use crate::scenario::{Flow, Probe, ProbeValue, Scenario, Size, Source, Start, Tcp, Traffic, Udp};
use crate::trace::{Tape, TraceError};
use host::{FlowReceiver, FlowSender, Hosts};
use network::{BOTTLENECK, Layout, numbered, time};
use probe::Probes;
use tapped::Tapped;
use tcp::{Sizes, TcpReceiver, TcpSender};
use udp::{UdpReceiver, UdpSender};
use variation::Variation;
use watched::{Company, Judge};
use wire::{DATA, MEDIA};

/// Kinds of components that draw random numbers here.
const STARTS: u16 = 0;
const SOURCES: u16 = 1;

/// How often a run tells of its progress.
pub const STEPS: u64 = 100;

/// Runs a scenario with a seed. Answers nothing if it was interrupted.
pub fn run(scenario: &Scenario, seed: u64, interrupted: &AtomicBool) -> Option<Outcome> {
    run_watched(scenario, seed, None, interrupted, || {}).map(|(outcome, _)| outcome)
}

/// Runs a scenario, samples it if there is a probe, and calls `progress` after each of [`STEPS`] equal
/// spans of simulated time. Answers nothing if it was interrupted.
pub fn run_watched(
    scenario: &Scenario,
    seed: u64,
    probe: Option<&Probe>,
    interrupted: &AtomicBool,
    progress: impl Fn(),
) -> Option<(Outcome, Vec<Series>)> {
    run_wrapped(
        scenario,
        seed,
        probe,
        &|_, control| control,
        interrupted,
        progress,
    )
}

/// As [`run_watched`], with `wrap` putting something of the caller's around the control of each TCP
/// flow, whose place among the run's flows it is given.
pub(crate) fn run_wrapped(
    scenario: &Scenario,
    seed: u64,
    probe: Option<&Probe>,
    wrap: &dyn Fn(usize, Control) -> Control,
    interrupted: &AtomicBool,
    progress: impl Fn(),
) -> Option<(Outcome, Vec<Series>)> {
    drive(
        scenario,
        seed,
        probe,
        wrap,
        Hosts::default(),
        interrupted,
        progress,
    )
}

/// As [`run_watched`], with a tape that records what happens at the senders. The outcome is the same.
///
/// # Errors
/// If a trace cannot be written: then `interrupted` is set, too.
pub fn run_traced(
    scenario: &Scenario,
    seed: u64,
    probe: Option<&Probe>,
    tape: &mut Tape<'_>,
    interrupted: &AtomicBool,
    progress: impl Fn(),
) -> Result<Option<(Outcome, Vec<Series>)>, TraceError> {
    let result = drive(
        scenario,
        seed,
        probe,
        &|_, control| control,
        Tapped::new(tape, interrupted),
        interrupted,
        progress,
    );
    tape.failure()?;
    if result.is_some() {
        tape.finish()?;
    }
    Ok(result)
}

/// What holds the hosts of a run.
trait Stage: Host {
    /// The hosts; none before the run.
    fn hosts(&mut self) -> &mut Hosts;

    /// The hosts are there.
    fn begin(&mut self) {}
}

impl Stage for Hosts {
    fn hosts(&mut self) -> &mut Hosts {
        self
    }
}

fn drive<S: Stage>(
    scenario: &Scenario,
    seed: u64,
    probe: Option<&Probe>,
    wrap: &dyn Fn(usize, Control) -> Control,
    stage: S,
    interrupted: &AtomicBool,
    progress: impl Fn(),
) -> Option<(Outcome, Vec<Series>)> {
    let (clock, cpu) = (Clock::now(), ThreadTime::now());
    let mut simulation = prepare(scenario, seed, probe, wrap, stage);
    let duration = scenario.duration.as_nanos();
    for step in 1..=STEPS {
        let until = (u128::from(duration) * u128::from(step) / u128::from(STEPS)) as u64;
        if !simulation.advance_to(Time::from_nanos(until), interrupted) {
            return None;
        }
        progress();
    }
    // The hosts go before the links' results are made, for the same reason as in `prepare`.
    let mut hosts = std::mem::take(simulation.host_mut().hosts());
    let end = time(scenario.duration);
    let flows = copies(scenario)
        .zip(hosts.senders.iter().zip(&hosts.receivers))
        .enumerate()
        .map(|(place, ((flow, copy), (sender, receiver)))| FlowOutcome {
            sending_variation: hosts.variation.as_ref().and_then(|v| v.of(place)),
            ..results::of_flow(flow, copy, sender, receiver.own(), end)
        })
        .collect();
    let series = hosts
        .probes
        .take()
        .map_or_else(Vec::new, Probes::into_series);
    drop(hosts);
    let events = simulation.events();
    let (mut links, mut departed) = (Vec::new(), Vec::new());
    simulation.visit_links(|link| {
        links.push(results::of_link(&link));
        departed.push(link.departed[DATA.index()] + link.departed[MEDIA.index()]);
    });
    drop(simulation);
    let mut packets = 0;
    let named = links.iter_mut().zip(departed);
    for ((link, departed), name) in named.zip(Layout::names(scenario)) {
        if name == BOTTLENECK {
            packets = departed;
        }
        link.name = name;
    }
    let outcome = Outcome {
        flows,
        links,
        packets,
        events,
        wall_s: clock.elapsed().as_secs_f64(),
        cpu_s: cpu.elapsed().as_secs_f64(),
        seed,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    Some((outcome, series))
}

/// The simulation of a scenario, before its first event.
fn prepare<S: Stage>(
    scenario: &Scenario,
    seed: u64,
    probe: Option<&Probe>,
    wrap: &dyn Fn(usize, Control) -> Control,
    stage: S,
) -> Simulation<S> {
    let watched = probe.is_some_and(|probe| probe.values.contains(&ProbeValue::Queue));
    let mut layout = Layout::new(scenario, watched);
    let variation = scenario.variation.map(|v| (v, layout.timer()));
    let timer = probe.map(|probe| (probe, layout.timer()));
    let end = time(scenario.duration);
    // Where classifiers are judged or receivers told of causes, what becomes of a packet must not be known before its time: how far
    // ahead of it merged hops are hangs on who looks on.
    let options = Options {
        merge: !scenario.flows.iter().any(is_judged),
        ..Options::default()
    };
    // The hosts come when the plan of the network is gone: with ten thousand flows, memory counts.
    let mut simulation = Simulation::with_options(&layout.network, stage, seed, end, options)
        .expect("the scenario's reader let nothing pass that is no network");
    let Layout {
        ends,
        core,
        network,
        ..
    } = layout;
    drop(network);
    let mut hosts = Hosts {
        senders: Vec::with_capacity(ends.len()),
        receivers: Vec::with_capacity(ends.len()),
        ..Hosts::default()
    };
    let numbered = (0..).zip(copies(scenario));
    let probe = timer.map(|(probe, _)| probe);
    for ((number, (flow, _)), &(endpoint, _)) in numbered.zip(&ends) {
        let start = start(flow, number, seed);
        let (sender, receiver) = match &flow.traffic {
            Traffic::Tcp(tcp) => {
                let wrap = |control| wrap(number as usize, control);
                connection(tcp, flow.relays.is_some(), start, probe, &wrap)
            }
            Traffic::Udp(udp) => datagrams(udp, start, number, seed),
            Traffic::Media(media) => {
                let (sender, receiver) = media::ends(media, start);
                (FlowSender::Media(sender), FlowReceiver::Media(receiver))
            }
        };
        hosts.senders.push(sender);
        hosts.receivers.push(receiver);
        simulation.set_timer(endpoint, Some(start));
    }
    relay::join(scenario, &mut hosts, &ends);
    drop(ends);
    if let Some((variation, timer)) = variation {
        hosts.variation = Some(Variation::new(&variation, timer, hosts.senders.len()));
        simulation.set_timer(timer, Some(time(variation.from)));
    }
    if let Some((probe, timer)) = timer {
        let packets_per_ack = copies(scenario).map(|(flow, _)| packets_per_ack(flow));
        hosts.probes = Some(Probes::new(probe, core, packets_per_ack.collect()));
        simulation.set_timer(timer, Some(Time::ZERO));
    }
    let stage = simulation.host_mut();
    *stage.hosts() = hosts;
    stage.begin();
    simulation
}

fn is_judged(flow: &Flow) -> bool {
    match &flow.traffic {
        Traffic::Tcp(tcp) => !tcp.classify.is_empty(),
        Traffic::Media(media) => media::asks(&media.control),
        Traffic::Udp(_) => false,
    }
}

/// Packets that an ACK of this flow acknowledges, if nothing is lost.
fn packets_per_ack(flow: &Flow) -> f64 {
    match &flow.traffic {
        Traffic::Tcp(tcp) if tcp.delayed_ack.is_some() => 2.0,
        _ => 1.0,
    }
}

/// Every flow, each as often as its count says, with the number of the copy from 1 on.
fn copies(scenario: &Scenario) -> impl Iterator<Item = (&Flow, u32)> {
    scenario
        .flows
        .iter()
        .flat_map(|flow| (1..=flow.count).map(move |copy| (flow, copy)))
}

/// Every flow of a run in its order, each with its name.
pub fn named_flows(scenario: &Scenario) -> impl Iterator<Item = (&Flow, String)> {
    copies(scenario).map(|(flow, copy)| (flow, numbered(&flow.name, copy, flow.count)))
}

fn start(flow: &Flow, number: u32, seed: u64) -> Time {
    match flow.start {
        Start::At(at) => time(at),
        Start::Uniform { from, to } => {
            let part = stream(seed, Component::host(STARTS, number)).uniform();
            let span = to.saturating_sub(from).as_nanos() as f64;
            time(from) + Time::from_nanos((part * span) as u64)
        }
    }
}

fn connection(
    tcp: &Tcp,
    relays: bool,
    start: Time,
    probe: Option<&Probe>,
    wrap: &dyn Fn(Control) -> Control,
) -> (FlowSender, FlowReceiver) {
    let path = tcp.path();
    let control = wrap(match &tcp.control {
        controls::Control::Builtin(config) => Control::builtin(config, &path),
        controls::Control::Custom(custom) => Control::Custom(custom.build(&path)),
    });
    let estimators = probe.map_or(&[][..], |probe| &probe.estimate);
    let predicts = probe.is_some_and(|probe| probe.equation.is_some());
    let (control, company) = Company::around(control, &tcp.classify, estimators, predicts, &path);
    let sender = SenderConfig {
        timer: tcp.timer,
        stamping: tcp.timestamps,
        limited_transmit: tcp.limited_transmit,
        receiver_window: tcp.receiver_window.map_or(Segments::MAX, Segments::whole),
        size: if relays { Some(0) } else { tcp.segments() },
        relays,
        handshake: tcp.handshake,
        probe_every: tcp.probe_every.unwrap_or(0),
        ecn: tcp.ecn,
        ack_control: tcp.ack_control.is_some(),
        adaptation: tcp.adaptation,
    };
    let receiver = ReceiverConfig {
        delayed_ack: tcp.delayed_ack,
        sack: tcp.recovery.kind().needs_sack(),
        stamping: tcp.timestamps,
        ecn: tcp.ecn,
        ack_control: tcp.ack_control,
    };
    let ack = wire_bytes(tcp.ack_wire_bytes());
    let header = wire_bytes(tcp.data_wire_bytes() - tcp.payload.0);
    let (last, last_data) = last_segment(tcp).unwrap_or((u64::MAX, 0));
    let sizes = Sizes {
        data: wire_bytes(tcp.data_wire_bytes()),
        ack,
        last,
        last_data,
    };
    let sender = Sender::new(&sender, control, tcp.recovery.build());
    (
        FlowSender::Tcp(TcpSender::new(
            sender,
            Judge::of(&tcp.classify, company.as_ref()),
            company.filter(|_| predicts || !estimators.is_empty()),
            sizes,
            start,
        )),
        FlowReceiver::Tcp(TcpReceiver::new(
            Receiver::new(receiver),
            tcp.segments(),
            header,
            ack,
        )),
    )
}

/// The number and the size of a last segment that is not full.
fn last_segment(tcp: &Tcp) -> Option<(u64, u16)> {
    let Size::Bytes(bytes) = tcp.size else {
        return None;
    };
    let rest = bytes.0 % tcp.payload.0;
    let shorter = tcp.data_wire_bytes() - (tcp.payload.0 - rest);
    (rest > 0).then(|| (bytes.0 / tcp.payload.0, wire_bytes(shorter)))
}

fn datagrams(udp: &Udp, start: Time, number: u32, seed: u64) -> (FlowSender, FlowReceiver) {
    let stop = udp.stop.map(time);
    let span = Span {
        start,
        stop: stop.unwrap_or(Time::MAX),
    };
    let bytes = wire_bytes(udp.packet.0);
    let random = stream(seed, Component::host(SOURCES, number));
    let on_off = |rate: u64, on, off| OnOff {
        bytes,
        rate,
        on: time(on),
        off: time(off),
    };
    let source = match udp.source {
        Source::Cbr { rate } => udp::Source::Cbr(Cbr::new(bytes, rate.0, span)),
        Source::Exponential { rate, on, off } => {
            udp::Source::Exponential(Exponential.emissions(on_off(rate.0, on, off), span, random))
        }
        Source::Pareto {
            rate,
            on,
            off,
            shape,
        } => udp::Source::Pareto(Pareto { shape }.emissions(on_off(rate.0, on, off), span, random)),
    };
    let sender = UdpSender::new(source, start, stop);
    (
        FlowSender::Udp(sender),
        FlowReceiver::Udp(UdpReceiver::default()),
    )
}

fn wire_bytes(bytes: u64) -> u16 {
    u16::try_from(bytes).expect("the scenario's reader limits packets to 65,535 bytes")
}
