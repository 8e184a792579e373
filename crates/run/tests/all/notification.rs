//! Runs in which routers and hosts notify one another of congestion, and in which the simulator
//! measures the accuracy of loss classifiers.

use dumbbell_run::outcome::{FlowOutcome, LinkOutcome, Outcome, Scores};
use dumbbell_run::{Reading, Run, Series};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

fn scenario(bottleneck: &str, lines: &str) -> Scenario {
    let text = format!(
        r#"
        duration = "60 s"
        [dumbbell]
        access = {{ rate = "10 Mb/s", delay = "5 ms" }}
        bottleneck = {{ rate = "2 Mb/s", delay = "20 ms", {bottleneck} }}
        {lines}
        "#
    );
    Scenario::parse("notification.toml", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{text}\n{report}"))
}

fn run(bottleneck: &str, lines: &str) -> Outcome {
    let scenario = scenario(bottleneck, lines);
    Run::new(&scenario)
        .seed(1)
        .go()
        .expect("nothing interrupts it")
        .outcome
}

fn link<'a>(outcome: &'a Outcome, name: &str) -> &'a LinkOutcome {
    let found = outcome.links.iter().find(|link| link.name == name);
    found.unwrap_or_else(|| panic!("no link {name}"))
}

const RED: &str = "queue = { red = { min = 5, max = 15, limit = 60, ecn = true } }";

#[test]
fn marks_replace_early_drops_with_every_recovery() {
    for control in [
        "tahoe", "reno", "newreno", "sack", "vegas", "veno", "venodb",
    ] {
        let lines = format!("[[flow]]\ncontrol = \"{control}\"\ncount = 3\necn = true");
        let outcome = run(RED, &lines);
        let bottleneck = link(&outcome, "bottleneck");
        let arrived: u64 = outcome.flows.iter().map(|flow| flow.marks).sum();
        let marked = bottleneck.marked;
        assert!(marked >= arrived && marked - arrived < 60, "{control}");
        if control == "vegas" {
            continue; // It keeps the queue below the thresholds.
        }
        let cuts: u64 = outcome.flows.iter().map(|flow| flow.ecn_cuts).sum();
        assert!(
            cuts > 20 && cuts <= arrived,
            "{control}: {cuts} of {arrived}"
        );
        let plain = run(RED, &lines.replace("true", "false"));
        let retransmits = |outcome: &Outcome| {
            outcome
                .flows
                .iter()
                .map(|flow| flow.retransmits)
                .sum::<u64>()
        };
        assert!(
            retransmits(&outcome) * 3 < retransmits(&plain),
            "{control}: {} and {}",
            retransmits(&outcome),
            retransmits(&plain)
        );
        assert_eq!(link(&plain, "bottleneck").marked, 0, "{control}");
    }
}

#[test]
fn a_control_receives_the_queueing_delays_of_both_directions() {
    // Data of another flow fills the queue that RoVegas' ACKs pass through. The routers' reports
    // let RoVegas keep its rate, while Vegas takes the delay for its own backlog.
    let goodput = |control: &str| {
        let lines = format!(
            "aqt = \"all\"\n[[flow]]\ncontrol = \"{control}\"\n\
             [[flow]]\nname = \"back\"\ncontrol = \"reno\"\ndirection = \"left\"\nreceiver_window = 30"
        );
        let outcome = run("queue = { droptail = 50 }", &lines);
        outcome.flows[0].goodput_bps
    };
    let (rovegas, vegas) = (goodput("rovegas"), goodput("vegas"));
    assert!(rovegas > 1.1 * vegas, "{rovegas} {vegas}");
}

#[test]
fn marked_acks_become_less_frequent() {
    let acks = |lines: &str| {
        let bottleneck =
            format!("queue = {{ droptail = 50 }}, reverse = {{ rate = \"40 kb/s\", {RED} }}");
        let lines = format!("[[flow]]\ncontrol = \"reno\"\nreceiver_window = 40\n{lines}");
        let outcome = run(&bottleneck, &lines);
        let back = link(&outcome, "bottleneck.reverse");
        let flow = &outcome.flows[0];
        (
            flow.sent as f64 / back.sent as f64,
            back.marked,
            flow.timeouts,
        )
    };
    let (plain, marked, _) = acks("");
    assert_eq!(marked, 0, "plain ACKs are not marked but dropped");
    let (controlled, marked, _) = acks("ack_control = true");
    assert!(marked > 20, "{marked}");
    assert!(plain < 1.05, "an ACK a segment, {plain}");
    assert!(controlled > 1.5, "{controlled} segments an ACK");
}

fn episodes(scores: &Scores) -> u64 {
    scores.dropped_as_congestion
        + scores.dropped_as_random
        + scores.lost_as_congestion
        + scores.lost_as_random
        + scores.spurious
}

const ALL: &str =
    "classify = [\"veno\", \"venodb\", \"lded\", \"vegas\", \"ncpld\", \"flip_flop\", \"quicly\"]";

fn judged(bottleneck: &str, lines: &str) -> FlowOutcome {
    let lines = format!("[[flow]]\ncontrol = \"newreno\"\n{ALL}\n{lines}");
    let mut outcome = run(bottleneck, &lines);
    let flow = outcome.flows.remove(0);
    let names: Vec<_> = flow
        .classified
        .iter()
        .map(|s| s.classifier.clone())
        .collect();
    let expected = [
        "veno",
        "venodb",
        "lded",
        "vegas",
        "ncpld",
        "flip_flop",
        "quicly",
    ];
    assert_eq!(names, expected);
    for scores in &flow.classified {
        assert_eq!(episodes(scores), flow.fast_recoveries, "{scores:?}");
    }
    flow
}

#[test]
fn the_simulator_knows_which_losses_are_random() {
    // A window of 8 segments never fills a queue: all losses come from the loss model, and N stays
    // below 3.
    let random = judged(
        "queue = { droptail = 60 }, loss = { bernoulli = 0.01 }",
        "receiver_window = 8",
    );
    assert!(random.fast_recoveries > 30);
    for scores in &random.classified {
        assert_eq!(scores.dropped_as_congestion + scores.dropped_as_random, 0);
        assert_eq!(scores.spurious, 0);
    }
    let veno = &random.classified[0];
    assert_eq!((veno.lost_as_congestion, veno.accuracy()), (0, Some(1.0)));

    // Without a loss model all losses are drops of the queue, and the queue is full.
    let congested = judged("queue = { droptail = 20 }", "");
    assert!(congested.fast_recoveries > 5);
    for scores in &congested.classified {
        assert_eq!(scores.lost_as_congestion + scores.lost_as_random, 0);
        assert_eq!(scores.spurious, 0);
    }
    assert_eq!(congested.classified[0].accuracy(), Some(1.0));
}

#[test]
fn classifiers_and_estimators_change_nothing() {
    let path = "queue = { droptail = 12 }, loss = { bernoulli = 0.005 }";
    let lines = "[[flow]]\ncontrol = \"venodb\"\n[[flow]]\ncontrol = \"reno\"\n";
    let alone = run(path, lines);
    let mut watched = run(path, &format!("[tcp]\n{ALL}\n{lines}"));
    for flow in &mut watched.flows {
        assert_eq!(std::mem::take(&mut flow.classified).len(), 7);
    }
    assert_eq!(watched.flows, alone.flows);
}

fn last(series: &[Series], quantity: &str) -> f64 {
    let found = series.iter().find(|series| series.quantity == quantity);
    let point = found.and_then(|series| series.points.last());
    match point.expect("it was sampled") {
        (_, Reading::Number(number)) => *number,
        (_, Reading::Word(word)) => panic!("{quantity} is {word}"),
    }
}

#[test]
fn estimators_find_the_bottleneck() {
    let scenario = scenario(
        "queue = { droptail = 60 }",
        "[[flow]]\ncontrol = \"reno\"\nreceiver_window = 40\n\
         [probe]\nestimate = [\"tustin\", \"sarbe\", \"ewma\", \"westwood_plus\"]",
    );
    let probe = Some(&scenario.probe);
    let series = Run::new(&scenario)
        .seed(1)
        .probe(probe)
        .go()
        .expect("nothing interrupts it")
        .series;
    // The payload rate: 1000 of 1040 bytes at 2 Mb/s.
    for name in ["sarbe", "tustin", "ewma", "westwood_plus"] {
        let rate = last(&series, &format!("estimate.{name}"));
        assert!((rate / 1_923_077.0 - 1.0).abs() < 0.02, "{name}: {rate}");
    }
    assert!(
        series
            .iter()
            .all(|series| series.quantity != "estimate.constant")
    );
}

/// 2 Mb/s, of which L4S datagrams want 0.9 and others 1.5: the first wait for little but the packet in
/// transmission, the others for a queue that is kept near 15 ms by drops.
#[test]
fn datagrams_carry_their_codepoint_to_a_dual_queue() {
    let queue = "queue = { dualpi2 = {} }";
    let flows = |codepoint: &str| {
        let l4s = format!("[[flow]]\nsource = {{ cbr = \"900 kb/s\" }}\n{codepoint}");
        format!("{l4s}\n[[flow]]\nsource = {{ cbr = \"1500 kb/s\" }}")
    };
    let delays = |outcome: &Outcome| -> Vec<f64> {
        let flows = outcome.flows.iter();
        flows
            .map(|flow| flow.queueing_mean_s.expect("packets arrived"))
            .collect()
    };
    let outcome = run(queue, &flows("codepoint = \"ect1\""));
    let [l4s, classic] = delays(&outcome)[..] else {
        panic!("two flows");
    };
    assert!(l4s < 0.006 && classic > 0.010, "{l4s} {classic}");
    let bottleneck = link(&outcome, "bottleneck");
    assert!(bottleneck.marked > 1_000 && bottleneck.early > 1_000);
    for codepoint in ["", "codepoint = \"not-ect\"", "codepoint = \"ect0\""] {
        let outcome = run(queue, &flows(codepoint));
        let [one, other] = delays(&outcome)[..] else {
            panic!("two flows");
        };
        assert!((one - other).abs() < 0.005, "{codepoint} {one} {other}");
        let marked = link(&outcome, "bottleneck").marked;
        assert_eq!(marked > 0, codepoint.contains("ect0"), "{codepoint}");
    }
}
