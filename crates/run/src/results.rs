//! Collects the results of a run.

use dumbbell_control::controller::Origin;
use dumbbell_scenario::{Flow, Scenario, Traffic, copies, numbered};
use dumbbell_sim::{LinkStatistics, Simulation, Time};

use crate::flow::tcp::delivered_bytes;
use crate::flow::wire::{DATA, MEDIA};
use crate::flow::{FlowReceiver, FlowSender};
use crate::hosts::Hosts;
use crate::network::{BOTTLENECK, Layout};
use crate::outcome::{FlowOutcome, LinkOutcome, Outcome};
use crate::stage::Stage;

/// The results of the flows of a run up to `end`, except the flow `outside`.
pub(crate) fn of_flows(
    hosts: &Hosts,
    scenario: &Scenario,
    outside: Option<usize>,
    end: Time,
) -> Vec<FlowOutcome> {
    let ends = hosts.senders.iter().zip(&hosts.receivers);
    copies(scenario)
        .zip(ends)
        .enumerate()
        .filter(|(place, _)| Some(*place) != outside)
        .map(|(place, ((flow, copy), (sender, receiver)))| FlowOutcome {
            sending_variation: hosts.variation.as_ref().and_then(|v| v.of(place)),
            ..of_flow(flow, copy, sender, receiver.own(), end)
        })
        .collect()
}

/// The outcome of a run whose flows have these results.
pub(crate) fn outcome<S: Stage>(
    simulation: &Simulation<S>,
    scenario: &Scenario,
    seed: u64,
    flows: Vec<FlowOutcome>,
) -> Outcome {
    let (mut links, mut departed) = (Vec::new(), Vec::new());
    simulation.visit_links(|link| {
        links.push(of_link(&link));
        departed.push(link.departed[DATA.index()] + link.departed[MEDIA.index()]);
    });
    let mut packets = 0;
    let named = links.iter_mut().zip(departed);
    for ((link, departed), name) in named.zip(Layout::names(scenario)) {
        if name == BOTTLENECK {
            packets = departed;
        }
        link.name = name;
    }
    Outcome {
        flows,
        links,
        packets,
        events: simulation.events(),
        seed,
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

/// The results of a link, without its name.
fn of_link(link: &LinkStatistics) -> LinkOutcome {
    LinkOutcome {
        name: String::new(),
        sent: link.sent,
        delivered: link.delivered,
        dropped: link.dropped,
        lost: link.lost,
        early: link.early,
        marked: link.marked,
        filtered: link.filtered,
        // A packet counts as soon as its departure is certain. Before the end of the run, waiting
        // packets can therefore push the sum above 1.
        utilisation: link.utilisation().min(1.0),
        queue_mean: link.queue_mean(),
        wait_mean_s: link.wait_mean(),
    }
}

/// The results of a flow in a run that ends at `end`.
fn of_flow(
    flow: &Flow,
    copy: u32,
    sender: &FlowSender,
    receiver: &FlowReceiver,
    end: Time,
) -> FlowOutcome {
    let mut outcome = FlowOutcome {
        name: numbered(&flow.name, copy, flow.count),
        control: "udp".to_owned(),
        reconstructed: false,
        recovery: None,
        goodput_bps: 0.0,
        throughput_bps: 0.0,
        sent: 0,
        retransmits: 0,
        timeouts: 0,
        fast_recoveries: 0,
        ecn_cuts: 0,
        marks: 0,
        classified: Vec::new(),
        start_s: sender.start().as_secs_f64(),
        finish_s: None,
        rtt_mean_s: None,
        rtt_p95_s: None,
        cwnd_mean: None,
        sending_variation: None,
    };
    match (sender, receiver, &flow.traffic) {
        (FlowSender::Tcp(sender), FlowReceiver::Tcp(receiver), Traffic::Tcp(tcp)) => {
            let finish = sender.finish.unwrap_or(end);
            let counters = sender.tcp().counters();
            let window = sender.tcp().window().0.cwnd;
            outcome.control = tcp.control.name().to_owned();
            outcome.reconstructed = tcp.control.origin() == Origin::Reconstruction;
            outcome.recovery = Some(tcp.recovery.kind().name());
            outcome.goodput_bps = rate(
                delivered_bytes(tcp, receiver.tcp().delivered()),
                sender.start,
                finish,
            );
            outcome.throughput_bps = rate(receiver.payload, sender.start, finish);
            outcome.sent = counters.sent;
            outcome.retransmits = counters.retransmits;
            outcome.timeouts = counters.timeouts;
            outcome.fast_recoveries = counters.fast_recoveries;
            outcome.ecn_cuts = counters.ecn_cuts;
            outcome.marks = receiver.tcp().marks();
            let judge = sender.judge.as_ref();
            outcome.classified = judge.map_or_else(Vec::new, |judge| judge.scores());
            outcome.finish_s = sender.finish.map(Time::as_secs_f64);
            outcome.rtt_mean_s = sender.seen.rtt_mean(sender.tcp().rtt_samples());
            outcome.rtt_p95_s = sender.rtts.quantile(0.95).map(|rtt| rtt.as_secs_f64());
            outcome.cwnd_mean = sender.seen.cwnd_mean(window, sender.start, finish);
        }
        (FlowSender::Udp(sender), FlowReceiver::Udp(receiver), _) => {
            let stop = sender.stop.filter(|stop| *stop < end);
            // Packets sent before the stop may arrive after it.
            let over = stop.map_or(end, |stop| stop.max(receiver.last));
            let bits = rate(receiver.bytes, sender.start, over);
            outcome.goodput_bps = bits;
            outcome.throughput_bps = bits;
            outcome.sent = sender.sent;
            outcome.finish_s = stop.map(Time::as_secs_f64);
        }
        (FlowSender::Media(sender), FlowReceiver::Media(receiver), Traffic::Media(media)) => {
            let (sent, received) = (sender.counters(), receiver.counters());
            outcome.control = media.control.name().to_owned();
            outcome.goodput_bps = rate(received.bytes, sender.start, end);
            outcome.throughput_bps = rate(receiver.bytes, sender.start, end);
            outcome.sent = sent.sent;
            outcome.timeouts = sent.expiries;
            outcome.fast_recoveries = received.loss_events;
            outcome.marks = received.marked;
            outcome.rtt_mean_s = sender.rtt_mean();
            outcome.rtt_p95_s = sender.rtts.quantile(0.95).map(|rtt| rtt.as_secs_f64());
        }
        _ => unreachable!("both ends of a flow are made together"),
    }
    outcome
}

/// Bytes over a span, in bit/s.
fn rate(bytes: u64, from: Time, to: Time) -> f64 {
    let span = (to - from).as_secs_f64();
    if span > 0.0 {
        bytes as f64 * 8.0 / span
    } else {
        0.0
    }
}
