//! BBR version 1 on simulated paths.

use dumbbell_control::controller::{Controller, Value};
use dumbbell_run::Run;
use dumbbell_run::outcome::{FlowOutcome, LinkOutcome};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Duration, Scenario};

/// A path of 10 Mb/s and 40 ms, on which 1448 of 1500 bytes are payload.
fn path(queue: u32, loss: f64, flows: &str) -> Scenario {
    let text = format!(
        "duration = \"30 s\"\n\
         [dumbbell]\n\
         access = {{ rate = \"1 Gb/s\", delay = \"0 s\" }}\n\
         bottleneck = {{ rate = \"10 Mb/s\", delay = \"20 ms\", queue = {{ droptail = {queue} }}, \
         loss = {{ bernoulli = {loss} }} }}\n{flows}"
    );
    Scenario::parse("bbr1.toml", &text, &Controls::builtin())
        .unwrap_or_else(|wrong| panic!("{wrong}"))
}

const ALONE: &str = "[[flow]]\ncontrol = \"bbr1\"\nstack = \"linux\"\n";
const PAYLOAD_RATE: f64 = 10e6 * 1448.0 / 1500.0;

fn run(scenario: &Scenario) -> (Vec<FlowOutcome>, Vec<LinkOutcome>) {
    let outcome = Run::new(scenario).seed(1).go().expect("it runs").outcome;
    (outcome.flows, outcome.links)
}

/// What a control reports at a moment of its run.
fn reported(scenario: &Scenario, at_ms: u64, name: &str) -> Value {
    let mut running = Run::new(scenario).seed(1).start();
    running
        .advance_to(Duration::from_millis(at_ms))
        .expect("nothing interrupts it");
    let mut found = None;
    let control = running.control(0).expect("it is TCP");
    control.explain(&mut |known, value| {
        if known == name {
            found = Some(value);
        }
    });
    found.unwrap_or_else(|| panic!("it reports no {name}"))
}

#[test]
fn it_finds_the_rate_and_keeps_the_queue_short() {
    let deep = path(400, 0.0, ALONE);
    let (flows, _) = run(&deep);
    assert!(flows[0].goodput_bps > 0.96 * PAYLOAD_RATE, "{flows:?}");
    // A queue of 400 packets is 480 ms; CUBIC fills it.
    assert!(
        flows[0].rtt_mean_s.is_some_and(|rtt| rtt < 0.065),
        "{flows:?}"
    );
    for at in [2_000, 9_000, 25_000] {
        let Value::BitRate(bandwidth) = reported(&deep, at, "bwe") else {
            panic!("a rate")
        };
        assert!((bandwidth / PAYLOAD_RATE - 1.0).abs() < 0.02, "{bandwidth}");
    }
}

#[test]
fn its_states_follow_one_another() {
    let scenario = path(400, 0.0, ALONE);
    let state = |at| match reported(&scenario, at, "phase") {
        Value::State(state) => state,
        other => panic!("{other:?}"),
    };
    assert_eq!(state(200), "Startup");
    let states: Vec<_> = (10..120).map(|n| state(n * 10)).collect();
    let drained = states.iter().position(|&state| state == "Drain");
    assert!(drained.is_some(), "{states:?}");
    assert_eq!(state(5_000), "ProbeBW");
    // RTprop is older than 10 s.
    assert!((1_000..1_060).any(|n| state(n * 10) == "ProbeRTT"));
    assert_eq!(state(12_000), "ProbeBW");
}

/// Random losses say nothing about the path: this is what it is for.
#[test]
fn random_losses_cost_it_little_where_cubic_loses_most() {
    let lossy = |control: &str| {
        let flow = format!("[[flow]]\ncontrol = \"{control}\"\nstack = \"linux\"\n");
        let (flows, _) = run(&path(100, 0.02, &flow));
        flows[0].goodput_bps / PAYLOAD_RATE
    };
    let (bbr, cubic) = (lossy("bbr1"), lossy("cubic"));
    assert!(bbr > 0.92 && cubic < 0.35, "{bbr} {cubic}");
}

/// Without a limit on losses, version 1 keeps a shallow queue full: this is what version 3 was made against.
#[test]
fn a_shallow_queue_overflows_again_and_again() {
    let (flows, links) = run(&path(8, 0.0, ALONE));
    assert!(flows[0].goodput_bps > 0.8 * PAYLOAD_RATE, "{flows:?}");
    assert!(links[0].dropped > 300, "{links:?}");
    assert_eq!(flows[0].timeouts, 0);
}

#[test]
fn two_flows_share() {
    let two = format!("{ALONE}count = 2\n");
    let (flows, _) = run(&path(200, 0.0, &two));
    let rates: Vec<f64> = flows
        .iter()
        .map(|flow| flow.goodput_bps / PAYLOAD_RATE)
        .collect();
    assert!(
        rates.iter().all(|rate| (0.3..0.7).contains(rate)),
        "{rates:?}"
    );
    assert!(rates.iter().sum::<f64>() > 0.95, "{rates:?}");
}

/// A policer of 2 Mb/s behind a fast link: bursts pass, and then every packet above the rate is dropped.
#[test]
fn a_policer_is_found() {
    let text = "duration = \"30 s\"\n\
         [dumbbell]\n\
         access = { rate = \"1 Gb/s\", delay = \"0 s\" }\n\
         bottleneck = { rate = \"50 Mb/s\", delay = \"20 ms\", queue = { droptail = 200 }, \
         policer = { rate = \"2 Mb/s\", burst = \"60 kB\" } }\n\
         [[flow]]\ncontrol = { name = \"bbr1\", policers = POLICERS }\nstack = \"linux\"\n";
    let resent = |policers: &str| {
        let text = text.replace("POLICERS", policers);
        let scenario = Scenario::parse("policer.toml", &text, &Controls::builtin())
            .unwrap_or_else(|wrong| panic!("{wrong}"));
        let (flows, _) = run(&scenario);
        flows[0].retransmits as f64 / flows[0].sent as f64
    };
    let (with, without) = (resent("true"), resent("false"));
    assert!(with < 0.6 * without, "{with} {without}");
}

#[test]
fn the_keys_that_would_change_its_window_are_refused() {
    for (key, what) in [
        ("rack = false", "requires `rack`"),
        ("prr = \"safe\"", "`prr` changes windows"),
        (
            "window_validation = true",
            "`window_validation` changes windows",
        ),
        ("hystart = true", "`hystart` changes windows"),
        ("adaptation = true", "`adaptation` changes windows"),
        (
            "recovery = \"newreno\"",
            "makes no sense with the control `bbr1`",
        ),
    ] {
        let text = format!(
            "duration = \"1 s\"\n[dumbbell]\naccess = {{ rate = \"1 Gb/s\", delay = \"0 s\" }}\n\
             bottleneck = {{ rate = \"10 Mb/s\", delay = \"20 ms\", queue = {{ droptail = 9 }} }}\n\
             [[flow]]\ncontrol = \"bbr1\"\n{key}\n"
        );
        let wrong = Scenario::parse("it.toml", &text, &Controls::builtin()).expect_err(key);
        let wrong = wrong.render(false);
        assert!(
            wrong.contains(what) && wrong.contains("it.toml:7:"),
            "{wrong}"
        );
    }
}

/// 20 ms each way, and 52 bytes take 41.6 us at 10 Mb/s and 0.4 us at either end: 40.085 ms for the handshake. Data takes 1.2 ms
/// more.
#[test]
fn it_begins_with_the_round_trip_of_the_handshake_where_that_counts() {
    for (keys, least, most) in [
        ("", 0.040_08, 0.040_09),
        ("handshake_rtt = false\n", 0.041_2, 0.042_5),
    ] {
        let flow = format!("{ALONE}{keys}");
        let Value::Seconds(rtt) = reported(&path(400, 0.0, &flow), 2_000, "base_rtt") else {
            panic!("a time")
        };
        assert!((least..most).contains(&rtt), "{keys}{rtt}");
    }
}
