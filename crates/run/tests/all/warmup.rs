//! Results that begin after a warm-up, groups of flows, and the packets that are missing.

use dumbbell_run::outcome::{FlowOutcome, LinkOutcome, Outcome};
use dumbbell_run::{Done, Run};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Duration, Scenario};
use proptest::prelude::*;

use crate::small::scenario;

fn parse(text: &str) -> Scenario {
    Scenario::parse("warmup.toml", text, &Controls::builtin())
        .unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn done(scenario: &Scenario) -> Outcome {
    let Done { outcome, .. } = Run::new(scenario).go().expect("nothing interrupts it");
    outcome
}

/// The results at a moment of a run without a warm-up. Links are exact only at the end of a run.
fn until(scenario: &Scenario, moment: Duration) -> Outcome {
    let mut running = Run::new(scenario).start();
    running.advance_to(moment).expect("nothing interrupts it");
    running.outcome()
}

fn counters(flow: &FlowOutcome) -> [u64; 6] {
    [
        flow.sent,
        flow.retransmits,
        flow.timeouts,
        flow.fast_recoveries,
        flow.ecn_cuts,
        flow.marks,
    ]
}

fn link_counters(link: &LinkOutcome) -> [u64; 7] {
    let &LinkOutcome {
        sent,
        delivered,
        dropped,
        lost,
        early,
        marked,
        filtered,
        ..
    } = link;
    [sent, delivered, dropped, lost, early, marked, filtered]
}

/// The bits that a flow delivered by `end` in results that begin at `from`.
fn bits(flow: &FlowOutcome, from: f64, end: f64) -> f64 {
    let last = flow.finish_s.unwrap_or(end).min(end);
    flow.goodput_bps * (last - flow.start_s.max(from)).max(0.0)
}

/// A deep queue before a lossy link: hundreds of losses are certain before they happen, and more of them
/// the longer the run is.
const DEEP: &str = r#"
duration = "4 s"
[dumbbell]
access     = { rate = "300 kb/s", delay = "0 s", loss = { bernoulli = 0.3 } }
bottleneck = { rate = { opportunities = [6] }, delay = "0 s", queue = { droptail = 13 } }
[[flow]]
control = "vegas-a"
recovery = "sack"
timestamps = { granularity = "1 ms" }
initial_window = 100
[[flow]]
rate_control = { name = "multfrc", causes = "access_point", period = "50 ms", most = 5 }
access = { rate = "2 Mb/s", delay = "0 s" }
"#;

#[test]
fn what_happens_does_not_depend_on_when_the_run_ends() {
    let whole = parse(DEEP);
    for ms in [100, 296, 500, 800] {
        takes_away(&whole, ms).unwrap_or_else(|wrong| panic!("{ms}: {wrong}"));
    }
}

/// Checks that a warm-up of so many thousandths of a run takes away what happened before.
fn takes_away(whole: &Scenario, thousandths: u64) -> Result<(), TestCaseError> {
    let at = Duration::from_nanos(whole.duration.as_nanos() / 1000 * thousandths);
    let late = done(&Scenario {
        warmup: at,
        ..whole.clone()
    });
    let (all, early) = (done(whole), until(whole, at));
    // The run to the warm-up's end as a run of its own has the links' exact counters, and the
    // fates that are over by then.
    let alone = done(&Scenario {
        duration: at,
        ..whole.clone()
    });
    let same_starts = |flow: &FlowOutcome| flow.start_s < at.as_secs_f64();
    prop_assert_eq!(late.events, all.events);
    for (((late, all), early), alone) in late
        .flows
        .iter()
        .zip(&all.flows)
        .zip(&early.flows)
        .zip(&alone.flows)
    {
        prop_assert_eq!(
            counters(late),
            std::array::from_fn(|i| counters(all)[i] - counters(early)[i])
        );
        prop_assert_eq!(late.dropped, all.dropped - alone.dropped);
        prop_assert_eq!(late.lost, all.lost - alone.lost);
        prop_assert_eq!((late.start_s, late.finish_s), (all.start_s, all.finish_s));
        let (from, end) = (at.as_secs_f64(), whole.duration.as_secs_f64());
        // A source that was stopped ends with the arrival of its last packet.
        if late.control != "udp" && same_starts(late) {
            let delivered = bits(all, 0.0, end) - bits(early, 0.0, from);
            prop_assert!(
                (bits(late, from, end) - delivered).abs() <= 1e-6 * bits(all, 0.0, end) + 1e-3
            );
        }
    }
    for ((late, all), alone) in late.links.iter().zip(&all.links).zip(&alone.links) {
        prop_assert_eq!(
            link_counters(late),
            std::array::from_fn(|i| link_counters(all)[i] - link_counters(alone)[i])
        );
        let (before, end) = (at.as_secs_f64(), whole.duration.as_secs_f64());
        let queue = all.queue_mean * end - alone.queue_mean * before;
        prop_assert!(
            (late.queue_mean * (end - before) - queue).abs() < 1e-6,
            "{} {}",
            late.queue_mean,
            queue
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_warm_up_takes_away_exactly_what_happened_before(text in scenario(), ms in 1_u64..900) {
        let whole = parse(&text);
        prop_assume!(whole.variation.is_none());
        takes_away(&whole, ms)?;
    }

    /// A packet that is missing is missing on one link and at one flow.
    #[test]
    fn missing_packets_are_those_of_the_links(text in scenario(), ms in 0_u64..900) {
        let mut scenario = parse(&text);
        scenario.warmup = Duration::from_nanos(scenario.duration.as_nanos() / 1000 * ms);
        let outcome = done(&scenario);
        let flows: [u64; 2] = [|f: &FlowOutcome| f.dropped, |f: &FlowOutcome| f.lost].map(|of| outcome.flows.iter().map(of).sum());
        let links: [u64; 2] = [|l: &LinkOutcome| l.dropped, |l: &LinkOutcome| l.lost].map(|of| outcome.links.iter().map(of).sum());
        // Links drop and lose ACKs, too.
        prop_assert!(flows[0] <= links[0] && flows[1] <= links[1], "{flows:?} {links:?}");
        for flow in &outcome.flows {
            let [p50, p95, p99, max] = [flow.queueing_p50_s, flow.queueing_p95_s, flow.queueing_p99_s, flow.queueing_max_s].map(|q| q.unwrap_or(0.0));
            prop_assert!(p50 <= p95 && p95 <= p99 && p99 <= 1.02 * max, "{flow:?}");
            prop_assert!(flow.queueing_mean_s <= flow.queueing_max_s && flow.rtt_mean_s <= flow.rtt_max_s);
        }
    }
}

/// ACKs and feedback pass links without limit or loss, so that all that is missing is data.
const ONE_WAY: &str = r#"
duration = "20 s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "2 ms" }
bottleneck = { rate = "4 Mb/s", delay = "20 ms", queue = { droptail = 12 }, loss = { bernoulli = 0.01 }, reverse = { queue = "unlimited" } }
[[flow]]
name    = "sack"
control = "sack"
[[flow]]
name    = "newreno"
control = "newreno"
count   = 2
group   = "others"
[[flow]]
rate_control = "tfrc"
group   = "others"
[[flow]]
source  = { cbr = "500 kb/s" }
packet  = "500 B"
"#;

#[test]
fn all_data_that_is_missing_is_missing_at_a_flow() {
    for warmup in ["0 s", "7.77 s"] {
        let outcome = done(&parse(&format!("warmup = \"{warmup}\"\n{ONE_WAY}")));
        let sum = |of: fn(&FlowOutcome) -> u64| outcome.flows.iter().map(of).sum::<u64>();
        let bottleneck = &outcome.links[0];
        assert_eq!(sum(|f| f.dropped), bottleneck.dropped);
        assert_eq!(sum(|f| f.lost), bottleneck.lost);
        for flow in &outcome.flows {
            assert!(flow.dropped > 0 && flow.lost > 0, "{flow:?}");
        }
    }
}

#[test]
fn groups_pool_the_times_of_their_flows() {
    let outcome = done(&parse(ONE_WAY));
    let groups: Vec<_> = outcome.groups.iter().map(|g| (&*g.name, g.flows)).collect();
    assert_eq!(groups, [("sack", 1), ("others", 3), ("cbr", 1)]);
    let members: Vec<_> = outcome
        .flows
        .iter()
        .map(|f| (&*f.name, &*f.group))
        .collect();
    let others = [
        ("newreno.1", "others"),
        ("newreno.2", "others"),
        ("tfrc", "others"),
    ];
    assert_eq!(members[1..4], others);
    let (alone, group) = (&outcome.flows[0], &outcome.groups[0]);
    assert_eq!(
        [
            alone.rtt_mean_s,
            alone.rtt_p95_s,
            alone.queueing_mean_s,
            alone.queueing_p99_s,
            alone.queueing_max_s
        ],
        [
            group.rtt_mean_s,
            group.rtt_p95_s,
            group.queueing_mean_s,
            group.queueing_p99_s,
            group.queueing_max_s
        ],
    );
    let others = &outcome.groups[1];
    let max = |of: fn(&FlowOutcome) -> Option<f64>| {
        outcome.flows[1..4]
            .iter()
            .map(|f| of(f).expect("it has some"))
            .fold(0.0, f64::max)
    };
    assert_eq!(others.rtt_max_s, Some(max(|f| f.rtt_max_s)));
    assert_eq!(others.queueing_max_s, Some(max(|f| f.queueing_max_s)));
    let means = outcome.flows[1..4].iter().filter_map(|f| f.queueing_mean_s);
    let (low, high) = means.fold((f64::MAX, 0.0_f64), |(l, h), m| (l.min(m), h.max(m)));
    assert!((low..=high).contains(&others.queueing_mean_s.expect("it has some")));
    assert_eq!(outcome.groups[2].rtt_mean_s, None);
    assert!(outcome.groups[2].queueing_mean_s.is_some());
}

/// 1000-byte datagrams every 8 ms over 1 ms + 10 ms + 1 ms of delay, and 0.08 ms + 4 ms + 0.08 ms of
/// transmission: none waits. Two sources that send at the same moments: one of two waits for 4 ms.
#[test]
fn a_delay_worked_out_by_hand() {
    let network = r#"
duration = "8.03 s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = "unlimited" }
"#;
    let source = "[[flow]]\nsource = { cbr = \"1 Mb/s\" }\npacket = \"1000 B\"\nstart = \"0 s\"\n";
    let alone = done(&parse(&format!("{network}{source}")));
    let flow = &alone.flows[0];
    let all = [
        flow.queueing_mean_s,
        flow.queueing_p50_s,
        flow.queueing_p99_s,
        flow.queueing_max_s,
    ];
    assert_eq!(all, [Some(0.0); 4]);
    let share = flow.share.expect("there is a slowest link");
    assert!((share - flow.goodput_bps / 2e6).abs() < 1e-12);
    let two = done(&parse(&format!("{network}{source}count = 2\n")));
    assert_eq!(two.flows[0].queueing_max_s, Some(0.0));
    let second = &two.flows[1];
    assert_eq!(
        (second.queueing_mean_s, second.queueing_max_s),
        (Some(0.004), Some(0.004))
    );
    let p50 = second.queueing_p50_s.expect("it has some");
    assert!((p50 / 0.004 - 1.0).abs() < 0.017, "{p50}");
    let pooled = &two.groups[0];
    assert_eq!(
        (pooled.queueing_mean_s, pooled.queueing_p50_s),
        (Some(0.002), Some(0.0))
    );
}

/// A flow that is over before the measurements begin has measured nothing, and still its finish.
#[test]
fn a_flow_that_was_over_is_empty() {
    let scenario = parse(
        r#"
duration = "20 s"
warmup   = "10 s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 20 } }
[[flow]]
control = "reno"
size    = "100 segments"
[[flow]]
control = "reno"
start   = "15 s"
"#,
    );
    let outcome = done(&scenario);
    let [over, late] = &outcome.flows[..] else {
        panic!("two flows")
    };
    assert!(over.finish_s.is_some_and(|finish| finish < 10.0));
    assert_eq!(
        (over.goodput_bps, over.sent, over.share),
        (0.0, 0, Some(0.0))
    );
    assert_eq!(
        (
            over.cwnd_mean,
            over.rtt_mean_s,
            over.rtt_p50_s,
            over.queueing_mean_s
        ),
        (None, None, None, None)
    );
    // It starts after the warm-up, so its goodput is over the 5 s of its life; only slow start costs it.
    assert!(
        late.goodput_bps > 1.7e6 && late.share.is_some_and(|share| share > 0.85),
        "{late:?}"
    );
    assert!(outcome.links[0].utilisation < 0.6);
}

/// Ten transfers of 200 kB, one every 3 s: each takes about 1 s, and the link has nothing to do in
/// between. Their rates would add up to several times that of the link.
#[test]
fn flows_one_after_another_do_not_add_up_to_more_than_their_link() {
    let network = r#"
duration = "40 s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 20 } }
"#;
    let flow = |place: u32| {
        let start = 3 * place;
        format!(
            "[[flow]]\nname = \"f{place}\"\ngroup = \"all\"\ncontrol = \"reno\"\n\
             size = \"200 kB\"\nstart = \"{start} s\"\n"
        )
    };
    let flows: String = (0..10).map(flow).collect();
    for warmup in ["", "warmup = \"10 s\"\n"] {
        let outcome = done(&parse(&format!("{warmup}{network}{flows}")));
        let [group] = &outcome.groups[..] else {
            panic!("one group")
        };
        let sum: f64 = outcome.flows.iter().map(|flow| flow.goodput_bps).sum();
        assert!(sum > 8e6, "{sum}");
        assert!((1e6..2e6).contains(&group.goodput_bps), "{group:?}");
        assert!((1e6..2e6).contains(&group.throughput_bps), "{group:?}");
        assert_eq!(group.share, Some(group.goodput_bps / 2e6));
        // They do not overlap, so their times add up.
        let from = if warmup.is_empty() { 0.0 } else { 10.0 };
        let active: f64 = outcome.flows.iter().map(|flow| active(flow, from)).sum();
        let all: f64 = outcome
            .flows
            .iter()
            .map(|flow| bits(flow, from, 40.0))
            .sum();
        assert!((group.goodput_bps / (all / active) - 1.0).abs() < 1e-9);
    }
}

/// How long a flow that finished was active after `from`.
fn active(flow: &FlowOutcome, from: f64) -> f64 {
    let finish = flow.finish_s.expect("it finished");
    (finish - flow.start_s.max(from)).max(0.0)
}

/// Flows that are active over the same time have the sum of their rates.
#[test]
fn flows_at_the_same_time_add_up() {
    for warmup in ["", "warmup = \"5 s\"\n"] {
        let outcome = done(&parse(&format!(
            r#"{warmup}
duration = "20 s"
[dumbbell]
access     = {{ rate = "100 Mb/s", delay = "1 ms" }}
bottleneck = {{ rate = "2 Mb/s", delay = "10 ms", queue = {{ droptail = 20 }} }}
[[flow]]
control = "reno"
count   = 3
start   = "1 s"
"#
        )));
        let sum = |of: fn(&FlowOutcome) -> f64| outcome.flows.iter().map(of).sum::<f64>();
        let group = &outcome.groups[0];
        let share = group.share.expect("there is a slowest link");
        for (found, sum) in [
            (group.goodput_bps, sum(|flow| flow.goodput_bps)),
            (group.throughput_bps, sum(|flow| flow.throughput_bps)),
            (share, sum(|flow| flow.share.expect("likewise"))),
        ] {
            assert!((found / sum - 1.0).abs() < 1e-9, "{found} and {sum}");
        }
    }
}
