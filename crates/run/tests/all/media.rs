//! Media flows on small networks whose results are worked out by hand.

use dumbbell_run::outcome::{FlowOutcome, Outcome};
use dumbbell_run::{Reading, Run, Series};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// Access links of 100 Mb/s without delay around a bottleneck.
fn scenario(duration: &str, bottleneck: &str, flows: &str) -> Scenario {
    let text = format!(
        r#"
        duration = "{duration}"
        [dumbbell]
        access = {{ rate = "100 Mb/s", delay = "0 s" }}
        bottleneck = {{ {bottleneck} }}
        {flows}
        "#
    );
    Scenario::parse("media.toml", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"))
}

fn run(duration: &str, bottleneck: &str, flows: &str) -> (Outcome, Vec<Series>) {
    let scenario = scenario(duration, bottleneck, flows);
    let done = Run::new(&scenario).seed(1).probe(&scenario.probe).go();
    let done = done.expect("nothing interrupts it");
    (done.outcome, done.series)
}

fn flow(duration: &str, bottleneck: &str, control: &str) -> FlowOutcome {
    let flows = format!("[[flow]]\nrate_control = {control}");
    run(duration, bottleneck, &flows).0.flows.swap_remove(0)
}

fn numbers(series: &[Series], quantity: &str) -> Vec<f64> {
    let found = series.iter().find(|series| series.quantity == quantity);
    let found = found.unwrap_or_else(|| panic!("no series {quantity}"));
    found
        .points
        .iter()
        .map(|(_, reading)| match reading {
            Reading::Number(number) => *number,
            Reading::Word(word) => panic!("{word}"),
        })
        .collect()
}

#[test]
fn the_first_packets_are_those_of_rfc_5348() {
    // No feedback arrives for 3 s: one packet is sent at 0, then one each second (section 4.2). The
    // nofeedback timer halves the rate at 2 s: of the packets due at 0, 1, 2 and 3 s the last is
    // delayed until 4 s.
    let lost = "rate = \"1 Mb/s\", delay = \"50 ms\", queue = { droptail = 9 }, loss = { bernoulli = 1.0 }";
    let alone = flow("3.5 s", lost, "\"tfrc\"");
    assert_eq!(alone.sent, 3);
    assert_eq!(alone.timeouts, 1);
    assert_eq!(alone.goodput_bps, 0.0);
    // The first feedback arrives after 108.9856 ms: 1040 B and 40 B cross three links each, in 83.2
    // and 3.2 us on an access link and in 8.32 and 0.32 ms on the bottleneck, and the propagation
    // takes 100 ms. The rate is then 4 packets per round trip, so the second packet leaves 27.2 ms
    // later.
    let fast = "rate = \"1 Mb/s\", delay = \"50 ms\", queue = { droptail = 90 }";
    assert_eq!(flow("0.1 s", fast, "\"tfrc\"").sent, 1);
    let second = flow("0.12 s", fast, "\"tfrc\"");
    assert!((1..=2).contains(&second.sent), "{second:?}");
    let rtt = second.rtt_mean_s.unwrap();
    assert!((rtt - 0.108_812_8).abs() < 1e-9, "{rtt}");
}

#[test]
fn a_lossless_path_is_filled_and_a_full_queue_limits_the_rate() {
    let path = "rate = \"2 Mb/s\", delay = \"40 ms\", queue = { droptail = 30 }";
    let found = flow("60 s", path, "\"tfrc\"");
    // 2 Mb/s on the wire carry 1.923 Mb/s of segments.
    assert!(
        (1.7e6..1.924e6).contains(&found.goodput_bps),
        "{}",
        found.goodput_bps
    );
    assert!(found.fast_recoveries > 0);
}

#[test]
fn a_control_that_knows_the_causes_does_not_slow_down_for_random_losses() {
    let path = "rate = \"2 Mb/s\", delay = \"40 ms\", queue = { droptail = 60 }, loss = { bernoulli = 0.05 }";
    let blind = flow("60 s", path, "\"tfrc\"").goodput_bps;
    for causes in ["agent", "access_point", "ecn"] {
        let knows = format!("{{ name = \"tfrc\", causes = \"{causes}\" }}");
        let knows = flow("60 s", path, &knows).goodput_bps;
        assert!(knows > 2.0 * blind, "{causes}: {knows}, blind {blind}");
        assert!(knows < 1.924e6);
    }
}

#[test]
fn marks_slow_down_a_sender_that_reacts_only_to_marks() {
    let red = "rate = \"2 Mb/s\", delay = \"40 ms\", queue = { red = { limit = 80, min = 5, max = 20, pmax = 0.1, ecn = true } }";
    let (outcome, _) = run(
        "60 s",
        red,
        "[[flow]]\nrate_control = { name = \"tfrc\", causes = \"ecn\" }",
    );
    let found = &outcome.flows[0];
    assert!(found.marks > 10, "{found:?}");
    assert_eq!(found.marks, outcome.links[0].marked);
    // Marks keep the queue far below its limit.
    assert!(outcome.links[0].queue_mean < 40.0);
    assert!(found.goodput_bps > 1.2e6);
}

#[test]
fn more_connections_open_where_losses_are_random() {
    let path = "rate = \"4 Mb/s\", delay = \"40 ms\", queue = { droptail = 30 }, loss = { bernoulli = 0.05 }";
    let single = flow("100 s", path, "\"tfrc\"").goodput_bps;
    let (several, series) = run("100 s", path, "[[flow]]\nrate_control = \"multfrc\"");
    assert!(several.flows[0].goodput_bps > 2.0 * single);
    let connections = numbers(&series, "explain.connections");
    assert!(connections.iter().all(|n| *n >= 1.0));
    assert!(connections.iter().all(|n| *n <= 16.0));
    assert!(connections.iter().copied().fold(0.0, f64::max) >= 4.0);
    let one = flow("100 s", path, "\"aio-tfrc\"").goodput_bps;
    assert!(one > 2.0 * single);
}

#[test]
fn probes_sample_the_components_of_a_rate() {
    let path = "rate = \"4 Mb/s\", delay = \"40 ms\", queue = { droptail = 30 }, loss = { bernoulli = 0.02 }";
    let control = "[[flow]]\nrate_control = { name = \"tfrc-veno\", gamma = 0.8 }";
    let (outcome, series) = run("30 s", path, control);
    let gamma = numbers(&series, "explain.gamma");
    assert!(gamma.iter().all(|g| *g == 0.8), "{gamma:?}");
    let p = numbers(&series, "explain.loss_event_rate");
    assert!(p.iter().any(|p| *p > 0.005) && p.iter().all(|p| *p < 0.5));
    // Each packet is counted once, except those after the last sample.
    let sent: f64 = numbers(&series, "sending").iter().sum();
    let total = outcome.flows[0].sent as f64;
    assert!(sent <= total && sent >= total - 60.0, "{sent} of {total}");
    let base = numbers(&series, "explain.base_rtt");
    assert!(base.last().is_some_and(|rtt| (0.08..0.09).contains(rtt)));
}

#[test]
fn the_variation_of_sending_is_the_same_with_and_without_a_probe() {
    let path = "rate = \"4 Mb/s\", delay = \"40 ms\", queue = { droptail = 30 }";
    let flows =
        "[[flow]]\nsource = { cbr = \"1 Mb/s\" }\n[variation]\nbin = \"1 s\"\nfrom = \"1 s\"";
    let scenario = scenario("10 s", path, flows);
    let alone = Run::new(&scenario)
        .seed(1)
        .go()
        .expect("nothing interrupts it")
        .outcome;
    let (probed, _) = run("10 s", path, flows);
    assert_eq!(alone.flows, probed.flows);
    // 125 packets in every second, so there is no variation.
    assert_eq!(alone.flows[0].sending_variation, Some(0.0));
}

/// Flows of every kind, one that an application writes by turns, and one that sends on what another receives, with losses.
/// Packets are counted where they are sent, by endpoints that run ahead, and by a probe that ends each bin in its time.
#[test]
fn the_variation_of_sending_is_that_of_what_probes_count() {
    let path = "rate = \"6 Mb/s\", delay = \"30 ms\", queue = { droptail = 20 }, loss = { bernoulli = 0.01 }";
    let flows = r#"
        [[flow]]
        control = "reno"
        recovery = "sack"
        count = 2
        [[flow]]
        control = "reno"
        stack = "quic"
        [[flow]]
        control = "cubic"
        source = { exponential = { rate = "700 kb/s", on = "300 ms", off = "400 ms" } }
        [[flow]]
        name = "first"
        control = "vegas"
        [[flow]]
        control = "newreno"
        relays = "first"
        direction = "left"
        [[flow]]
        rate_control = "tfrc-veno"
        [[flow]]
        rate_control = "multfrc"
        [[flow]]
        rate_control = "nada"
        [[flow]]
        source = { pareto = { rate = "300 kb/s", on = "100 ms", off = "100 ms", shape = 1.5 } }
        count = 3
        [[flow]]
        source = { cbr = "800 kb/s" }
        [variation]
        bin = "100 ms"
        from = "1 s"
        [probe]
        interval = "100 ms"
        values = ["sending"]
        "#;
    let scenario = scenario("20 s", path, flows);
    let alone = Run::new(&scenario).seed(1).go();
    let alone = alone.expect("nothing interrupts it").outcome;
    let (_, series) = run("20 s", path, flows);
    assert_eq!(alone.flows.len(), series.len());
    for (flow, series) in alone.flows.iter().zip(&series) {
        let counted = numbers(std::slice::from_ref(series), "sending");
        let bins = series.points.iter().zip(counted);
        let bins: Vec<f64> = bins
            .filter(|((at, _), _)| *at > 1.05)
            .map(|(_, sent)| sent)
            .collect();
        assert_eq!(bins.len(), 190);
        let expected = dumbbell_run::statistics::coefficient_of_variation(&bins);
        let (found, expected) = (flow.sending_variation, expected);
        let close = found.zip(expected).map(|(a, b)| (a - b).abs() <= 1e-9);
        assert_eq!(close, Some(true), "{}: {found:?}, {expected:?}", flow.name);
    }
}

#[test]
fn different_mistakes_have_different_messages() {
    let text = |flow: &str| {
        format!(
            "duration = \"1 s\"\n[dumbbell]\naccess = {{ rate = \"1 Mb/s\", delay = \"1 ms\" }}\nbottleneck = {{ rate = \"1 Mb/s\", delay = \"1 ms\", queue = {{ droptail = 5 }} }}\n[[flow]]\n{flow}\n"
        )
    };
    for (flow, message, help) in [
        (
            "rate_control = \"tfrk\"",
            "there is no rate control `tfrk`",
            "did you mean `tfrc`?",
        ),
        (
            "rate_control = { name = \"tfrc\", theta1 = 0.9 }",
            "`tfrc` has no parameter `theta1`",
            "its parameters are",
        ),
        (
            "rate_control = { name = \"tfrc-veno\", theta1 = 0.6, theta2 = 0.7 }",
            "`theta2` is above `theta1`",
            "no more of the window",
        ),
        (
            "rate_control = \"tfrc\"\ncontrol = \"reno\"",
            "a flow has both `control` and `rate_control`",
            "keep one",
        ),
        (
            "rate_control = \"tfrc\"\npayload = \"500 B\"",
            "`payload`",
            "has `segment`",
        ),
    ] {
        let wrong = Scenario::parse("wrong.toml", &text(flow), &Controls::builtin())
            .expect_err(flow)
            .to_string();
        assert!(
            wrong.contains(message) && wrong.contains(help),
            "{flow}: {wrong}"
        );
    }
}

/// RFC 8698, section 4.3, by hand: at the equilibrium the signal is PRIO XREF RMAX / rate. The link carries
/// 1000/1040 Mb/s of payload, so it is a queueing delay of 10 ms 1.5/0.9615 = 15.6 ms. Arrival times are cut to 1/1024 s,
/// and the queue varies by packets of 8.3 ms.
#[test]
fn nada_settles_at_the_delay_of_its_equilibrium() {
    let path = "rate = \"1 Mb/s\", delay = \"50 ms\", queue = { droptail = 36 }";
    let found = flow("60 s", path, "\"nada\"");
    // The ramp-up takes about three of the 60 seconds.
    assert!(found.goodput_bps > 0.9e6, "{}", found.goodput_bps);
    let queueing = found.queueing_p50_s.expect("packets arrived");
    assert!((queueing - 0.0156).abs() < 0.01, "{queueing}");
    assert_eq!((found.dropped, found.lost), (0, 0));
}

/// RFC 8298, section 4.1.2.3: without compensation, the queueing delay stays around its target of 100 ms. The queue could
/// hold 830 ms.
#[test]
fn scream_keeps_the_queue_near_its_target() {
    let path = "rate = \"1 Mb/s\", delay = \"50 ms\", queue = { droptail = 100 }";
    let found = flow(
        "60 s",
        path,
        "{ name = \"scream\", compensation = \"off\" }",
    );
    assert!(found.goodput_bps > 0.85e6, "{}", found.goodput_bps);
    let queueing = found.queueing_p95_s.expect("packets arrived");
    assert!((0.03..0.2).contains(&queueing), "{queueing}");
}

/// Marks replace losses: NADA takes a mark for a delay, SCReAM for a cut.
#[test]
fn nada_and_scream_heed_marks() {
    let path = "rate = \"1 Mb/s\", delay = \"50 ms\", queue = { codel = { ecn = true } }";
    for control in ["\"nada\"", "{ name = \"scream\", compensation = \"off\" }"] {
        let flows = format!("[[flow]]\nrate_control = {control}\ncodepoint = \"ect0\"");
        let found = run("60 s", path, &flows).0.flows.swap_remove(0);
        assert!(found.marks > 0, "{control}");
        // Well above the least rate of 150 kb/s: CoDel allows 5 ms, less than the 15.6 ms of NADA's equilibrium.
        assert!(
            found.goodput_bps > 0.4e6,
            "{control}: {}",
            found.goodput_bps
        );
        assert_eq!(found.dropped, 0, "{control}");
    }
}
