//! Collects the results of a run.

use std::borrow::Borrow;
use std::ops::Range;

use dumbbell_control::controller::Origin;
use dumbbell_control::units::Segments;
use dumbbell_scenario::{Flow, Scenario, Traffic, copies, numbered};
use dumbbell_sim::{LinkId, LinkStatistics, Simulation, Time};

use crate::flow::wire::{DATA, MEDIA};
use crate::flow::{FlowReceiver, FlowSender, frames, totals};
use crate::groups::{Groups, rtts};
use crate::hosts::Hosts;
use crate::network::{BOTTLENECK, Layout};
use crate::outcome::{
    FlowOutcome, GroupOutcome, LinkOutcome, Outcome, QUIC, Sojourn, WorkloadOutcome,
};
use crate::stage::Stage;
use crate::totals::Totals;
use crate::transfer::Transfer;
use crate::workload;

/// The results of the flows of a run, and of their groups.
pub(crate) struct Flows {
    flows: Vec<FlowOutcome>,
    groups: Vec<GroupOutcome>,
    workloads: Vec<WorkloadOutcome>,
}

/// The results of the flows of a run up to `end`, except those that are `outside`.
pub(crate) fn of_flows(hosts: &Hosts, scenario: &Scenario, outside: &[usize], end: Time) -> Flows {
    let workloads = workloads(hosts, scenario, end);
    let ends = hosts.senders.iter().zip(&hosts.receivers);
    collected(hosts, ends, workloads, scenario, outside, end)
}

/// The results of the flows of a run that is over. The two ends of each are freed as its results are made, because
/// with many flows both together take the most memory.
pub(crate) fn of_last_flows(hosts: &mut Hosts, scenario: &Scenario, end: Time) -> Flows {
    let workloads = workloads(hosts, scenario, end);
    let senders = Shrinking::new(std::mem::take(&mut hosts.senders));
    let receivers = Shrinking::new(std::mem::take(&mut hosts.receivers));
    collected(hosts, senders.zip(receivers), workloads, scenario, &[], end)
}

/// The elements of a list, whose memory is returned as they are taken.
struct Shrinking<T> {
    /// The last first.
    rest: Vec<T>,
    /// The room is reduced when so many are left.
    next: usize,
    step: usize,
}

impl<T> Shrinking<T> {
    /// In how many steps the memory is returned.
    const STEPS: usize = 32;

    fn new(mut all: Vec<T>) -> Self {
        all.reverse();
        let step = all.len().div_ceil(Self::STEPS).max(64);
        Self {
            next: all.len().saturating_sub(step),
            rest: all,
            step,
        }
    }
}

impl<T> Iterator for Shrinking<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.rest.len() <= self.next {
            self.rest.shrink_to_fit();
            self.next = self.next.saturating_sub(self.step);
        }
        self.rest.pop()
    }
}

fn collected<S: Borrow<FlowSender>, R: Borrow<FlowReceiver>>(
    hosts: &Hosts,
    ends: impl Iterator<Item = (S, R)>,
    workloads: Vec<WorkloadOutcome>,
    scenario: &Scenario,
    outside: &[usize],
    end: Time,
) -> Flows {
    let from = hosts.mark.as_ref().map_or(Time::ZERO, |mark| mark.at);
    let nothing = Totals::default();
    let mut groups = Groups::default();
    let mut flows = Vec::with_capacity(hosts.slowest.len());
    for (place, ((flow, copy), (sender, receiver))) in copies(scenario).zip(ends).enumerate() {
        if outside.contains(&place) {
            continue;
        }
        let (sender, receiver) = (sender.borrow(), receiver.borrow());
        let mark = hosts.mark.as_ref();
        let before = mark.map_or(&nothing, |mark| &mark.flows[place]);
        let slowest = hosts.slowest.get(place);
        let slowest = slowest.and_then(|slowest| slowest.rate(from, end));
        let (outcome, transfer) = of_flow(flow, sender, receiver.own(), before, from..end, slowest);
        let missing = hosts.fates.of(place);
        flows.push(FlowOutcome {
            name: numbered(&flow.name, copy, flow.count),
            dropped: missing.dropped,
            lost: missing.lost,
            sending_variation: (hosts.bins.get(place))
                .and_then(|bins| bins.variation(end, sender.sent())),
            ..outcome
        });
        let totals = (before.rtt_samples, before.rtt_sum);
        let group = groups.of(flow.group());
        group.add(transfer, sender, receiver, totals);
    }
    Flows {
        flows,
        groups: groups.outcomes(),
        workloads,
    }
}

/// The outcome of a run whose flows have these results. `before` holds the counters of the links when
/// the measurements began; it is empty if that was at the start.
pub(crate) fn outcome<S: Stage>(
    simulation: &Simulation<S>,
    scenario: &Scenario,
    seed: u64,
    flows: Flows,
    before: &[LinkStatistics],
) -> Outcome {
    // Without reallocation, which takes twice the memory for a moment.
    let count = simulation.link_count();
    let mut links = Vec::with_capacity(count);
    let mut names = Layout::names(scenario);
    let mut packets = 0;
    simulation.visit_links(|link| {
        let link = before
            .get(links.len())
            .map_or(link, |before| since(simulation, links.len(), &link, before));
        let name = names.next().unwrap_or_default();
        if name == BOTTLENECK {
            packets = link.departed[DATA.index()] + link.departed[MEDIA.index()];
        }
        links.push(LinkOutcome {
            name,
            ..of_link(&link)
        });
    });
    Outcome {
        flows: flows.flows,
        links,
        groups: flows.groups,
        workloads: flows.workloads,
        packets,
        events: simulation.events(),
        seed,
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

/// The counters of the link with this number since an earlier reading.
fn since<S: Stage>(
    simulation: &Simulation<S>,
    number: usize,
    link: &LinkStatistics,
    before: &LinkStatistics,
) -> LinkStatistics {
    LinkStatistics {
        sojourn: simulation.sojourn_since_reading(LinkId::from_index(number)),
        l4s_sojourn: simulation.l4s_sojourn_since_reading(LinkId::from_index(number)),
        ..link.since(before)
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
        policed: link.policed,
        marked: link.marked,
        filtered: link.filtered,
        retransmitted: link.retransmitted,
        duplicated: link.duplicated,
        corrupted: link.corrupted,
        // A packet counts as soon as its departure is certain. Before the end of the run, waiting
        // packets can therefore push the sum above 1.
        utilisation: link.utilisation().min(1.0),
        queue_mean: link.queue_mean(),
        wait_mean_s: link.wait_mean(),
        sojourn: link.sojourn.map(of_sojourn).map(Box::new),
        l4s_sojourn: link.l4s_sojourn.map(of_sojourn).map(Box::new),
    }
}

fn of_sojourn(sojourn: dumbbell_sim::Sojourn) -> Sojourn {
    Sojourn {
        mean_s: sojourn.mean,
        p50_s: sojourn.p50.as_secs_f64(),
        p95_s: sojourn.p95.as_secs_f64(),
        p99_s: sojourn.p99.as_secs_f64(),
        max_s: sojourn.max.as_secs_f64(),
    }
}

/// The results of a flow over this span of the run, apart from its name and what others count;
/// `before` is what had been counted when the span began, and `slowest` the rate of the slowest link
/// on its path. Also what it contributes to the rates of its group.
fn of_flow(
    flow: &Flow,
    sender: &FlowSender,
    receiver: &FlowReceiver,
    before: &Totals,
    span: Range<Time>,
    slowest: Option<f64>,
) -> (FlowOutcome, Transfer) {
    let totals = totals(flow, sender, receiver, span.end).since(before);
    let rtt = rtts(sender, (before.rtt_samples, before.rtt_sum)).summary();
    let queueing = receiver.queueing(sender).summary();
    let from = sender.start().max(span.start);
    let life = Life::of(flow, sender, receiver, span.end);
    let transfer = Transfer {
        delivered: totals.delivered,
        arrived: totals.arrived,
        from,
        end: life.end,
        slowest,
    };
    let rates = transfer.rates();
    let outcome = FlowOutcome {
        name: String::new(),
        group: flow.group().to_owned(),
        control: life.control,
        reconstructed: life.reconstructed,
        recovery: life.recovery,
        goodput_bps: rates.goodput,
        throughput_bps: rates.throughput,
        share: rates.share,
        sent: totals.sent,
        dropped: 0,
        lost: 0,
        retransmits: totals.retransmits,
        timeouts: totals.timeouts,
        fast_recoveries: totals.recoveries,
        ecn_cuts: totals.ecn_cuts,
        marks: totals.marks,
        classified: totals.classified,
        start_s: sender.start().as_secs_f64(),
        finish_s: life.finish.map(Time::as_secs_f64),
        rtt_mean_s: rtt.mean,
        rtt_p50_s: rtt.p50,
        rtt_p95_s: rtt.p95,
        rtt_p99_s: rtt.p99,
        rtt_max_s: rtt.max,
        queueing_mean_s: queueing.mean,
        queueing_p50_s: queueing.p50,
        queueing_p95_s: queueing.p95,
        queueing_p99_s: queueing.p99,
        queueing_max_s: queueing.max,
        cwnd_mean: matches!(sender, FlowSender::Tcp(_) | FlowSender::Quic(_))
            .then(|| mean_window(totals.cwnd_area, from, life.end))
            .flatten(),
        sending_variation: None,
        media: frames::outcome(sender, receiver, span.end).map(Box::new),
    };
    (outcome, transfer)
}

/// What a flow is, and when it ends.
struct Life {
    control: String,
    reconstructed: bool,
    recovery: Option<&'static str>,
    /// When it was finished, if it was.
    finish: Option<Time>,
    /// When its last data arrived, or the run ends.
    end: Time,
}

impl Life {
    fn of(flow: &Flow, sender: &FlowSender, receiver: &FlowReceiver, end: Time) -> Self {
        match (sender, receiver, &flow.traffic) {
            (FlowSender::Tcp(sender), _, Traffic::Tcp(tcp)) => Self {
                control: tcp.control.name().to_owned(),
                reconstructed: tcp.control.origin() == Origin::Reconstruction,
                recovery: Some(tcp.recovery.kind().name()),
                finish: sender.finish(),
                end: sender.finish().unwrap_or(end),
            },
            (FlowSender::Quic(sender), _, Traffic::Tcp(tcp)) => Self {
                control: tcp.control.name().to_owned(),
                reconstructed: tcp.control.origin() == Origin::Reconstruction,
                recovery: Some(QUIC),
                finish: sender.finish,
                end: sender.finish.unwrap_or(end),
            },
            (FlowSender::Udp(sender), FlowReceiver::Udp(receiver), _) => {
                let stop = sender.stop.filter(|stop| *stop < end);
                Self {
                    control: "udp".to_owned(),
                    reconstructed: false,
                    recovery: None,
                    finish: stop,
                    // Packets sent before the stop may arrive after it.
                    end: stop.map_or(end, |stop| stop.max(receiver.last)),
                }
            }
            (FlowSender::Workload(_), _, Traffic::Workload(workload)) => Self {
                control: workload.tcp.control.name().to_owned(),
                reconstructed: workload.tcp.control.origin() == Origin::Reconstruction,
                recovery: Some(workload.tcp.recovery.kind().name()),
                finish: None,
                end,
            },
            (FlowSender::Media(_), _, Traffic::Media(media)) => Self {
                control: media.control.name().to_owned(),
                reconstructed: false,
                recovery: None,
                finish: None,
                end,
            },
            _ => unreachable!("both ends of a flow are made together"),
        }
    }
}

/// The mean window over a span, from its integral.
fn mean_window(area: f64, from: Time, to: Time) -> Option<f64> {
    let span = (to - from).as_nanos();
    (span > 0).then(|| area / span as f64 / Segments::ONE.raw() as f64)
}

/// The results of all entries with a workload up to `end`.
fn workloads(hosts: &Hosts, scenario: &Scenario, end: Time) -> Vec<WorkloadOutcome> {
    let from = hosts.mark.as_ref().map_or(Time::ZERO, |mark| mark.at);
    let pairs = hosts.senders.iter().zip(&hosts.slowest);
    let pairs = pairs.map(|(sender, slowest)| match sender {
        FlowSender::Workload(pair) => Some((&**pair, slowest)),
        _ => None,
    });
    workload::outcomes(scenario, pairs, (from, end))
}
