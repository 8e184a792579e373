//! Properties of whole runs, over random small scenarios.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use dumbbell_run::batch;
use dumbbell_run::outcome::{FlowOutcome, LinkOutcome, Outcome};
use dumbbell_run::{Run, Stopped};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{
    Direction, Flow, Link, Place, Queue, Rate, Scenario, Size, Tcp, Topology, Traffic,
};
use proptest::prelude::*;

use crate::small::scenario;

fn parse(text: &str) -> Scenario {
    Scenario::parse("small.toml", text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{text}\n{report}"))
}

fn run(scenario: &Scenario, seed: u64) -> Outcome {
    Run::new(scenario)
        .seed(seed)
        .go()
        .expect("nothing interrupts it")
        .outcome
}

/// The same run with the scenario's probe.
fn run_probed(scenario: &Scenario, seed: u64) -> Outcome {
    let run = Run::new(scenario).seed(seed).probe(&scenario.probe);
    run.go().expect("nothing interrupts it").outcome
}

/// An outcome as JSON.
fn bytes(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).expect("numbers and words")
}

/// The links by name; each name occurs only once.
fn links(outcome: &Outcome) -> BTreeMap<&str, &LinkOutcome> {
    let links: BTreeMap<_, _> = outcome
        .links
        .iter()
        .map(|link| (link.name.as_str(), link))
        .collect();
    assert_eq!(links.len(), outcome.links.len());
    links
}

/// The flows of a scenario beside their results, counts expanded.
fn flows<'a>(
    scenario: &'a Scenario,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (&'a Flow, &'a FlowOutcome)> {
    let copies = scenario
        .flows
        .iter()
        .flat_map(|flow| std::iter::repeat_n(flow, flow.count as usize));
    copies.zip(&outcome.flows)
}

/// Checks that sent = delivered + dropped + lost + filtered + in flight, with no more in flight
/// than the link holds.
fn check_link(found: &LinkOutcome, link: Option<&Link>) {
    let gone = found.delivered + found.dropped + found.lost + found.filtered;
    assert!(found.sent >= gone, "{found:?}");
    assert!(
        (0.0..=1.0 + 1e-12).contains(&found.utilisation),
        "{found:?}"
    );
    assert!(found.queue_mean >= 0.0);
    let Some(link) = link else { return };
    if link.loss.is_none() {
        assert_eq!(found.lost, 0);
    }
    if let Queue::Unlimited | Queue::DropTail(_) | Queue::AckFilter(_) = link.queue {
        assert_eq!((found.early, found.marked), (0, 0));
    }
    if !matches!(link.queue, Queue::AckFilter(_)) {
        assert_eq!(found.filtered, 0);
    }
    assert!(found.early <= found.dropped);
    // What a link sends again waits outside the queue; late packets are in flight for longer.
    let simple = link.arq.is_none() && link.jitter.is_none() && link.reorder.is_none();
    match link.queue.limit() {
        None if link.queue != Queue::Unlimited => {}
        None => assert_eq!(found.dropped, 0),
        Some(_) if !simple || link.aggregate.is_some() => {}
        Some(limit) => {
            assert!(found.queue_mean <= f64::from(limit));
            // Packets have at least 40 bytes. They are one transmission time apart, or fill every
            // opportunity.
            let bytes = match &link.rate {
                Rate::Constant(rate) => link.delay.mean().as_secs_f64() * rate.0 as f64 / 8.0,
                Rate::Recorded(all) => {
                    let schedule = all.schedule();
                    let rounds =
                        link.delay.mean().as_secs_f64() / schedule.period().as_secs_f64() + 2.0;
                    rounds * schedule.times().len() as f64 * 1500.0
                }
                Rate::Steps { .. } | Rate::Slots(_) => f64::INFINITY,
            };
            let flying = bytes / 40.0;
            let room = f64::from(limit) + flying + 1.0;
            assert!((found.sent - gone) as f64 <= room, "{found:?} {link:?}");
        }
    }
}

fn check_links(scenario: &Scenario, outcome: &Outcome) {
    let found = links(outcome);
    let mut known = BTreeMap::new();
    let mut add = |name: String, link| assert!(known.insert(name, link).is_none());
    match &scenario.topology {
        Topology::Dumbbell { bottleneck } => {
            add("bottleneck".to_owned(), &bottleneck.forward);
            add("bottleneck.reverse".to_owned(), &bottleneck.reverse);
        }
        Topology::ParkingLot { hops } => {
            for (i, hop) in hops.iter().enumerate() {
                add(format!("hop{}", i + 1), &hop.forward);
                add(format!("hop{}.reverse", i + 1), &hop.reverse);
            }
        }
        Topology::Graph(graph) => {
            for link in &graph.links {
                add(link.name.clone(), &link.forward);
                if let Some(reverse) = &link.reverse {
                    add(format!("{}.reverse", link.name), reverse);
                }
            }
        }
    }
    assert!(known.keys().all(|name| found.contains_key(name.as_str())));
    for (name, link) in found {
        check_link(link, known.get(name).copied());
    }
}

/// Checks that all packets that reach a router enter the bottleneck.
fn check_routers(scenario: &Scenario, outcome: &Outcome) {
    let found = links(outcome);
    let mut arrivals = [0, 0];
    for (flow, result) in flows(scenario, outcome) {
        let Place::Dumbbell { direction, .. } = &flow.place else {
            return;
        };
        let name = &result.name;
        let from_sender = found[format!("{name}.sender").as_str()];
        let from_receiver = found[format!("{name}.receiver.reverse").as_str()];
        let way = usize::from(*direction == Direction::Left);
        arrivals[way] += from_sender.delivered;
        arrivals[1 - way] += from_receiver.delivered;
        let opens = matches!(&flow.traffic, Traffic::Tcp(tcp) if tcp.handshake);
        assert!(from_sender.sent == result.sent || opens && from_sender.sent > result.sent);
    }
    assert_eq!(found["bottleneck"].sent, arrivals[0]);
    assert_eq!(found["bottleneck.reverse"].sent, arrivals[1]);
    assert!(outcome.packets <= found["bottleneck"].sent);
}

fn check_tcp(tcp: &Tcp, flow: &FlowOutcome, active: f64) {
    assert_eq!(flow.control, tcp.control.name());
    let recovery = match tcp.is_quic() {
        true => "quic",
        false => tcp.recovery.kind().name(),
    };
    assert_eq!(flow.recovery, Some(recovery));
    assert!(flow.retransmits <= flow.sent);
    let payload = tcp.payload.0 as f64;
    let segments = flow.goodput_bps * active / 8.0 / payload;
    assert!(segments <= (flow.sent - flow.retransmits) as f64 + 1e-6);
    if let (Some(_), Size::Bytes(size)) = (flow.finish_s, tcp.size) {
        assert!((flow.goodput_bps * active / 8.0 - size.0 as f64).abs() < 1e-3);
        assert_eq!(flow.sent - flow.retransmits, size.0.div_ceil(tcp.payload.0));
    }
    assert_eq!(flow.rtt_mean_s.is_some(), flow.rtt_p95_s.is_some());
    assert!(flow.rtt_mean_s.is_none_or(|rtt| rtt > 0.0));
    let cwnd = flow.cwnd_mean.unwrap_or(1.0);
    assert!((1.0 - 1e-9..1_048_576.0).contains(&cwnd), "{flow:?}");
}

fn check_flows(scenario: &Scenario, outcome: &Outcome) {
    let end = scenario.duration.as_secs_f64();
    for (flow, found) in flows(scenario, outcome) {
        let finish = found.finish_s.unwrap_or(end);
        assert!(0.0 <= found.start_s && found.start_s <= finish && finish <= end);
        assert!(found.goodput_bps <= found.throughput_bps * (1.0 + 1e-12));
        // A flow's packets cross the receiver's link one after another.
        let rate = fastest(flow, &scenario.topology);
        assert!(found.throughput_bps <= rate * (1.0 + 1e-9), "{found:?}");
        match &flow.traffic {
            Traffic::Tcp(tcp) => check_tcp(tcp, found, finish - found.start_s),
            // What its connections do is checked beside the workloads.
            Traffic::Workload(_) => {}
            Traffic::Udp(_) => {
                assert_eq!((found.control.as_str(), found.recovery), ("udp", None));
                assert_eq!(found.goodput_bps, found.throughput_bps);
            }
            Traffic::Media(media) => {
                assert_eq!(found.control, media.control.name());
                assert_eq!((found.recovery, found.retransmits), (None, 0));
                assert_eq!(found.goodput_bps, found.throughput_bps);
                let packets =
                    found.goodput_bps * (end - found.start_s) / 8.0 / media.segment.0 as f64;
                assert!(packets <= found.sent as f64 + 1e-6);
                // A sender without feedback halves its rate, but it always sends the first packet.
                assert!(found.sent > 0, "{found:?}");
            }
        }
    }
}

/// Checks that a relay delivers only data that was delivered to it, in full segments.
fn check_relays(scenario: &Scenario, outcome: &Outcome) {
    let end = scenario.duration.as_secs_f64();
    let bytes = |name: &str| {
        let flow = outcome.flows.iter().find(|flow| flow.name == name);
        let flow = flow.expect("every flow has results");
        let over = flow.finish_s.unwrap_or(end);
        // Packets that a source sent before its stop may arrive after it.
        let over = if flow.control == "udp" { end } else { over };
        (flow, flow.goodput_bps * (over - flow.start_s) / 8.0)
    };
    for relay in &scenario.flows {
        let (Some(source), Traffic::Tcp(tcp)) = (relay.relays, &relay.traffic) else {
            continue;
        };
        let source = &scenario.flows[source];
        for copy in 1..=relay.count {
            let of = |flow: &Flow| match flow.count {
                1 => flow.name.clone(),
                _ => format!("{}.{copy}", flow.name),
            };
            let ((_, arrived), (found, relayed)) = (bytes(&of(source)), bytes(&of(relay)));
            assert!(relayed <= arrived + 1e-3, "{relayed} of {arrived}");
            let first = (found.sent - found.retransmits) as f64 * tcp.payload.0 as f64;
            assert!(first <= arrived + 1e-3, "{first} sent of {arrived}");
            assert_eq!(found.finish_s, None);
        }
    }
}

/// The rate of the receiver's access link; in a graph, that of the fastest link. With a recorded
/// rate there is no limit, because packets that share an opportunity arrive together.
fn fastest(flow: &Flow, topology: &Topology) -> f64 {
    let constant = |link: &Link| match &link.rate {
        Rate::Constant(rate) => rate.0 as f64,
        Rate::Recorded(_) | Rate::Steps { .. } | Rate::Slots(_) => f64::INFINITY,
    };
    match (&flow.place, topology) {
        (Place::Dumbbell { access, .. } | Place::ParkingLot { access, .. }, _) => {
            constant(&access.receiver.forward)
        }
        (Place::Graph { .. }, Topology::Graph(graph)) => graph
            .links
            .iter()
            .flat_map(|link| [Some(&link.forward), link.reverse.as_ref()])
            .flatten()
            .map(constant)
            .fold(0.0, f64::max),
        (Place::Graph { .. }, _) => panic!("a place of another topology"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_counts_of_a_run_are_consistent(text in scenario(), seed: u64) {
        let scenario = parse(&text);
        let outcome = run(&scenario, seed);
        prop_assert_eq!(outcome.seed, seed);
        prop_assert_eq!(outcome.flows.len(), scenario.flow_count());
        check_links(&scenario, &outcome);
        check_routers(&scenario, &outcome);
        check_flows(&scenario, &outcome);
        check_relays(&scenario, &outcome);
    }

    /// A run is determined by its scenario and its seed; a probe only observes it.
    #[test]
    fn a_run_is_determined_by_its_scenario_and_its_seed(text in scenario(), seed: u64) {
        let scenario = parse(&text);
        let outcome = run(&scenario, seed);
        prop_assert_eq!(bytes(&run(&scenario, seed)), bytes(&outcome));
        let again = parse(&scenario.canonical());
        prop_assert_eq!(bytes(&run(&again, seed)), bytes(&outcome));
        let probed = Run::new(&scenario).seed(seed).probe(&scenario.probe).go().expect("not interrupted");
        prop_assert!(!probed.series.is_empty());
        let seen_only = Outcome { events: outcome.events, ..probed.outcome };
        prop_assert_eq!(bytes(&seen_only), bytes(&outcome));
    }
}

/// Two copies of a segment may be in flight, and a loss model may remove both. A probe does not
/// affect which of them a classifier is judged by.
#[test]
fn a_probe_does_not_affect_the_scores_of_classifiers() {
    let scenario = parse(
        r#"
duration = "1 s"
[graph]
link = [
    { from = "a", to = "b", rate = "300 kb/s", delay = "1 ms", queue = "unlimited" },
    { from = "b", to = "c", rate = "300 kb/s", delay = "0 s", queue = "unlimited" },
    { from = "c", to = "a", rate = "7.77 Mb/s", delay = "1 ms", queue = { droptail = 7 } },
    { from = "c", to = "d", rate = "7.77 Mb/s", delay = "0 s", queue = "unlimited", loss = { bernoulli = 0.3, on = "all" } },
]
[[flow]]
control = "tahoe"
from    = "a"
to      = "d"
[[flow]]
control     = "sarbe"
recovery    = "sack"
payload     = "200 B"
ack         = "60 B"
classify    = ["vegas", "venodb"]
probe_every = 1
timestamps  = { granularity = "1 ms" }
start       = "333 ms"
count       = 5
from        = "a"
to          = "d"
[[flow]]
control    = "veno"
recovery   = { name = "newreno", timer = "slow-but-steady", exit = "flight", careful = false }
adaptation = true
handshake  = false
from       = "a"
to         = "d"
"#,
    );
    for seed in [17985508426313662989, 1, 2, 3] {
        let outcome = run(&scenario, seed);
        let probed = run_probed(&scenario, seed);
        assert_eq!(
            bytes(&Outcome {
                events: outcome.events,
                ..probed
            }),
            bytes(&outcome)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_number_of_threads_changes_nothing(text in scenario(), seed in 0..u64::MAX / 2) {
        let scenario = parse(&text);
        let all = |threads: usize| {
            let mut texts = Vec::new();
            let interrupted = AtomicBool::new(false);
            let job = |i: usize| Some(run(&scenario, seed + i as u64));
            batch::in_order(12, threads, &interrupted, job, |_, outcome| texts.push(bytes(&outcome)));
            texts
        };
        let one = all(1);
        prop_assert_eq!(one.len(), 12);
        prop_assert_eq!(&all(8), &one);
        prop_assert_eq!(&bytes(&run(&scenario, seed + 11)), &one[11]);
    }
}

/// Different seeds give different runs.
#[test]
fn different_seeds_give_different_runs() {
    let scenario = parse(
        r#"
        duration = "10 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 20 }, loss = { bernoulli = 0.02 } }
        [[flow]]
        control = "veno"
        "#,
    );
    let goodputs: std::collections::BTreeSet<_> = (0..20)
        .map(|seed| run(&scenario, seed).flows[0].goodput_bps.to_bits())
        .collect();
    assert!(goodputs.len() > 15);
}

/// An interrupted run has no result.
#[test]
fn an_interrupt_leaves_no_result() {
    let scenario = parse(
        r#"
        duration = "30 days"
        [dumbbell]
        access = { rate = "100 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "50 Mb/s", delay = "10 ms", queue = { droptail = 200 } }
        [[flow]]
        control = "reno"
        "#
        .replace("30 days", "720 h")
        .as_str(),
    );
    let stop = AtomicBool::new(true);
    let done = Run::new(&scenario).interrupt(&stop).go();
    assert!(matches!(done, Err(Stopped::Interrupted)));
}
