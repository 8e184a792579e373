//! Flows that relay the data of others, on small networks whose results are worked out by hand.

use dumbbell_run::Run;
use dumbbell_run::outcome::FlowOutcome;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// A server, a proxy and a client; `air` holds further keys of the second link.
fn text(seconds: u32, air: &str, flows: &str) -> String {
    format!(
        r#"
        duration = "{seconds} s"
        [[graph.link]]
        from = "server"
        to = "proxy"
        rate = "1 Mb/s"
        delay = "40 ms"
        queue = {{ droptail = 20 }}
        [[graph.link]]
        from = "proxy"
        to = "client"
        rate = "10 Mb/s"
        delay = "1 ms"
        queue = {{ droptail = 50 }}
        {air}
        {flows}
        "#
    )
}

fn parse(text: &str) -> Scenario {
    Scenario::parse("relays.toml", text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"))
}

fn run(text: &str) -> Vec<FlowOutcome> {
    let outcome = Run::new(&parse(text)).seed(1).go();
    outcome.expect("nothing interrupts it").outcome.flows
}

const MEDIA: &str = "[[flow]]\nname = \"media\"\nrate_control = \"tfrc\"\nfrom = \"server\"\nto = \"proxy\"\nstart = \"0 s\"\n";
const TUNNEL: &str = "[[flow]]\nname = \"tunnel\"\ncontrol = \"sack\"\nrelays = \"media\"\nfrom = \"proxy\"\nto = \"client\"\nstart = \"0 s\"\n";

#[test]
fn datagrams_fill_segments_and_the_rest_waits() {
    // 10 datagrams of 300 B in a second, each taking 24.4 ms or less at 100 kb/s: 3000 B, which
    // fill two segments of 1400 B. These arrive 42.4 ms after they are sent.
    let source = "[[flow]]\nsource = { cbr = \"24 kb/s\" }\npacket = \"300 B\"\nstop = \"0.95 s\"\nfrom = \"server\"\nto = \"proxy\"\nstart = \"0 s\"\n";
    let tunnel = "[[flow]]\ncontrol = \"reno\"\npayload = \"1400 B\"\nrelays = \"cbr\"\nfrom = \"proxy\"\nto = \"client\"\nstart = \"0 s\"\n";
    let flows = run(&text(2, "", &format!("{source}{tunnel}")));
    let (cbr, reno) = (&flows[0], &flows[1]);
    assert_eq!((cbr.sent, reno.sent), (10, 2));
    // 2800 B in the two seconds of the run.
    assert!((reno.goodput_bps - 11_200.0).abs() < 1e-6, "{reno:?}");
    assert_eq!(reno.finish_s, None);
}

#[test]
fn a_finite_transfer_goes_on_over_the_second_half() {
    // 25 kB in segments of 1000 B; the relay sends them as 50 segments of 500 B.
    let source = "[[flow]]\nname = \"file\"\ncontrol = \"newreno\"\nsize = \"25 kB\"\nfrom = \"server\"\nto = \"proxy\"\n";
    let tunnel = "[[flow]]\ncontrol = \"newreno\"\npayload = \"500 B\"\nrelays = \"file\"\nfrom = \"proxy\"\nto = \"client\"\n";
    let flows = run(&text(
        10,
        "loss = { bernoulli = 0.1 }",
        &format!("{source}{tunnel}"),
    ));
    let (file, tunnel) = (&flows[0], &flows[1]);
    assert!(file.finish_s.is_some_and(|finish| finish < 9.0));
    assert_eq!(tunnel.sent - tunnel.retransmits, 50);
    let bytes = tunnel.goodput_bps * (10.0 - tunnel.start_s) / 8.0;
    assert!((bytes - 25_000.0).abs() < 1e-3, "{bytes}");
}

#[test]
fn losses_over_the_air_do_not_slow_down_a_server_behind_a_proxy() {
    let air = "loss = { bernoulli = 0.05 }";
    let whole = MEDIA.replace("to = \"proxy\"", "to = \"client\"");
    let whole = &run(&text(100, air, &whole))[0];
    let split = run(&text(100, air, &format!("{MEDIA}{TUNNEL}")));
    let (media, tunnel) = (&split[0], &split[1]);
    // A loss rate of 5 % allows a TCP with a round-trip time of 85 ms about 5 packets per round
    // trip, 0.4 Mb/s. With 3 ms it allows far more than the 0.96 Mb/s that arrive.
    assert!(whole.goodput_bps < 0.6e6, "{whole:?}");
    assert!(media.goodput_bps > 0.85e6, "{media:?}");
    assert!(tunnel.goodput_bps > 0.98 * media.goodput_bps, "{tunnel:?}");
    assert!(tunnel.retransmits > 100);
}

#[test]
fn relays_may_be_relayed_and_may_precede_the_flows_that_they_relay() {
    let ring = r#"
        duration = "5 s"
        [[graph.link]]
        from = "a"
        to = "b"
        rate = "1 Mb/s"
        delay = "5 ms"
        [[graph.link]]
        from = "b"
        to = "c"
        rate = "2 Mb/s"
        delay = "5 ms"
        [[graph.link]]
        from = "c"
        to = "d"
        rate = "3 Mb/s"
        delay = "5 ms"
        [[flow]]
        name = "third"
        control = "veno"
        relays = "second"
        count = 2
        from = "c"
        to = "d"
        [[flow]]
        name = "second"
        control = "reno"
        relays = "first"
        count = 2
        from = "b"
        to = "c"
        [[flow]]
        name = "first"
        source = { cbr = "100 kb/s" }
        packet = "1000 B"
        count = 2
        start = "0 s"
        stop = "4 s"
        from = "a"
        to = "b"
        "#;
    // A packet every 80 ms until 4 s: 50 from each source, if the packets of the second source
    // arrive behind those of the first.
    let flows = run(ring);
    for flow in &flows {
        assert_eq!(flow.sent - flow.retransmits, 50, "{flow:?}");
    }
    let scenario = parse(ring);
    let again = parse(&scenario.canonical());
    assert_eq!(again, scenario);
    assert_eq!(scenario.flows[0].relays, Some(1));
    assert!(scenario.canonical().contains("relays = \"first\""));
}

#[test]
fn different_mistakes_have_different_messages() {
    let loop_back = "[[flow]]\nname = \"back\"\ncontrol = \"reno\"\nrelays = \"there\"\nfrom = \"proxy\"\nto = \"server\"\n[[flow]]\nname = \"there\"\ncontrol = \"reno\"\nrelays = \"back\"\nfrom = \"server\"\nto = \"proxy\"\n";
    let tunnel = |from: &str, to: &str| TUNNEL.replace(from, to);
    let both = |tunnel: String| format!("{MEDIA}{tunnel}");
    for (flows, message, help) in [
        (
            both(tunnel("\"media\"", "\"medai\"")),
            "there is no flow `medai`",
            "did you mean `media`?",
        ),
        (
            both(tunnel("\"media\"", "3")),
            "`relays` must be a string",
            "\"media\"",
        ),
        (
            both(tunnel("\"media\"", "\"tunnel\"")),
            "the flow relays itself",
            "name another flow",
        ),
        (
            both(TUNNEL.to_owned() + "count = 2"),
            "there are 2 of this flow, and 1 of `media`",
            "the same `count`",
        ),
        (
            both(TUNNEL.to_owned() + "size = \"5 kB\""),
            "a relay has no `size`",
            "leave it out",
        ),
        (
            both("[tcp]\nsize = \"5 kB\"\n".to_owned() + TUNNEL),
            "a relay has no `size`",
            "size = \"unlimited\"",
        ),
        (
            both(tunnel("from = \"proxy\"", "from = \"server\"")),
            "does not begin where `media` ends",
            "its `from` must be the `to`",
        ),
        (
            both(TUNNEL.to_owned() + &tunnel("\"tunnel\"", "\"other\"")),
            "`media` is relayed already",
            "one flow",
        ),
        (
            loop_back.to_owned(),
            "relay each other in a circle",
            "its own data",
        ),
        (
            both(tunnel("control = \"sack\"", "rate_control = \"tfrc\"")),
            "`relays`",
            "is a TCP flow",
        ),
        (
            both(tunnel(
                "control = \"sack\"",
                "source = { cbr = \"1 Mb/s\" }",
            )),
            "`relays`",
            "is a TCP flow",
        ),
        (
            both("[tcp]\nrelays = \"media\"\n".to_owned() + TUNNEL),
            "`relays`",
            "in `[[flow]]`",
        ),
    ] {
        let wrong = Scenario::parse("wrong.toml", &text(1, "", &flows), &Controls::builtin())
            .expect_err(&flows);
        assert_eq!(wrong.problems().len(), 1, "{wrong}");
        let wrong = wrong.to_string();
        assert!(
            wrong.contains(message) && wrong.contains(help),
            "{flows}: {wrong}"
        );
    }
}

#[test]
fn in_a_dumbbell_a_relay_sends_in_the_opposite_direction() {
    let text = |direction: &str| {
        format!(
            r#"
            duration = "1 s"
            [dumbbell]
            access = {{ rate = "10 Mb/s", delay = "1 ms" }}
            bottleneck = {{ rate = "1 Mb/s", delay = "10 ms", queue = {{ droptail = 9 }} }}
            [[flow]]
            name = "there"
            control = "reno"
            [[flow]]
            control = "reno"
            relays = "there"
            direction = "{direction}"
            "#
        )
    };
    assert!(run(&text("left"))[1].sent > 0);
    let wrong = Scenario::parse("wrong.toml", &text("right"), &Controls::builtin());
    let wrong = wrong.expect_err("it begins elsewhere").to_string();
    assert!(wrong.contains("must be the opposite of the other flow's"));
}
