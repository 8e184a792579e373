//! Flows: their defaults, their start times, and all of their keys.

use super::*;

#[test]
fn a_tcp_flow_without_keys_has_the_documented_defaults() {
    let scenario = parse(SAMPLE);
    let tcp = tcp(&scenario, 0);
    assert_eq!(tcp.control.name(), "venodb");
    let newreno = Recovery::NewReno(NewRenoChoices {
        careful: true,
        exit_growth: false,
        timer: PartialAckTimer::Impatient,
        exit: Exit::Ssthresh,
    });
    assert_eq!(tcp.recovery, newreno);
    assert_eq!(
        (tcp.payload, tcp.header, tcp.ack),
        (Bytes(1000), Bytes(40), Bytes(40))
    );
    assert_eq!((tcp.data_wire_bytes(), tcp.ack_wire_bytes()), (1040, 40));
    assert_eq!((tcp.size, tcp.segments()), (Size::Unlimited, None));
    assert_eq!(tcp.initial_window, InitialWindow::Segments(2));
    assert_eq!(tcp.min_rto, Duration::from_nanos(200 * MS));
    assert_eq!(tcp.initial_rto, Duration::from_nanos(1_000 * MS));
    assert_eq!(tcp.max_rto, Duration::from_nanos(60_000 * MS));
    assert_eq!(tcp.rto_tick, None);
    assert!(tcp.limited_transmit && tcp.handshake);
    assert_eq!(tcp.delayed_ack, None);
    assert_eq!(tcp.timestamps, Stamping::Exact);
    assert_eq!((tcp.receiver_window, tcp.ssthresh), (None, None));
    assert_eq!((tcp.probe_every, tcp.ack_control), (None, None));
    assert!(!tcp.ecn.is_on() && !tcp.adaptation);
    assert_eq!(
        (tcp.path().initial_window, tcp.path().ssthresh),
        (Segments::whole(2), Segments::MAX)
    );
}

#[test]
fn several_flows_without_a_start_get_jitter() {
    let jitter = Start::Uniform {
        from: Duration::ZERO,
        to: Duration::from_nanos(100 * MS),
    };
    let starts = |flows: &str| -> Vec<Start> {
        dumbbell(flows)
            .flows
            .iter()
            .map(|flow| flow.start)
            .collect()
    };
    assert_eq!(starts("[[flow]]\ncontrol = \"reno\"\ncount = 2"), [jitter]);
    assert_eq!(
        starts("[[flow]]\ncontrol = \"reno\"\n[[flow]]\ncontrol = \"reno\""),
        [jitter, jitter]
    );
    let one_silent = "[[flow]]\ncontrol = \"reno\"\n[[flow]]\ncontrol = \"reno\"\nstart = \"5 s\"";
    assert_eq!(
        starts(one_silent),
        [
            Start::At(Duration::ZERO),
            Start::At(Duration::from_nanos(5_000 * MS))
        ]
    );
    let drawn = "[[flow]]\ncontrol = \"reno\"\nstart = { uniform = [\"1 s\", \"2 s\"] }";
    let (from, to) = (
        Duration::from_nanos(1_000 * MS),
        Duration::from_nanos(2_000 * MS),
    );
    assert_eq!(starts(drawn), [Start::Uniform { from, to }]);
}

#[test]
fn jitter_is_limited_to_a_short_run() {
    let text = SAMPLE
        .replace("100 s", "30 ms")
        .replace("count    = 1", "count = 3");
    let end = Duration::from_nanos(30 * MS);
    assert_eq!(
        parse(&text).flows[0].start,
        Start::Uniform {
            from: Duration::ZERO,
            to: end
        }
    );
}

#[test]
fn names_of_protocols_mean_a_control_and_a_recovery() {
    let pair = |flow: &str| {
        let scenario = dumbbell(&format!("[[flow]]\n{flow}"));
        let tcp = tcp(&scenario, 0);
        (tcp.control.name().to_owned(), tcp.recovery.kind())
    };
    assert_eq!(
        pair("control = \"newreno\""),
        ("reno".to_owned(), Kind::NewReno)
    );
    assert_eq!(pair("control = \"sack\""), ("reno".to_owned(), Kind::Sack));
    assert_eq!(
        pair("control = \"westwoodnr\""),
        ("westwood".to_owned(), Kind::NewReno)
    );
    assert_eq!(
        pair("control = { name = \"newreno\" }"),
        ("reno".to_owned(), Kind::NewReno)
    );
    assert_eq!(
        pair("control = \"newreno\"\nrecovery = \"newreno\""),
        ("reno".to_owned(), Kind::NewReno)
    );
    assert_eq!(pair("control = \"reno\""), ("reno".to_owned(), Kind::Reno));
    assert_eq!(pair("control = \"veno\""), ("veno".to_owned(), Kind::Reno));
    assert_eq!(
        pair("control = \"tahoe\""),
        ("tahoe".to_owned(), Kind::Tahoe)
    );
}

#[test]
fn the_options_of_a_pair_can_be_set_beside_its_name() {
    let flow = "[[flow]]\ncontrol = \"newreno\"\n\
                recovery = { name = \"newreno\", timer = \"slow-but-steady\", exit = \"flight\", careful = false, exit_growth = true }";
    let expected = Recovery::NewReno(NewRenoChoices {
        careful: false,
        exit_growth: true,
        timer: PartialAckTimer::SlowButSteady,
        exit: Exit::Flight,
    });
    assert_eq!(tcp(&dumbbell(flow), 0).recovery, expected);
}

#[test]
fn parameters_of_a_control_are_exact() {
    let flow = "[[flow]]\ncontrol = { name = \"veno\", beta = 4.5, factor_random = 0.8125, rtt_mode = \"last\" }";
    let scenario = dumbbell(flow);
    let control = &tcp(&scenario, 0).control;
    assert_eq!(
        control.get("beta"),
        Some(Setting::Segments(Segments::from_raw(9 << 31)))
    );
    assert_eq!(
        control.get("factor_random"),
        Some(Setting::Ratio(Ratio::from_millionths(812_500)))
    );
    assert_eq!(control.get("rtt_mode"), Some(Setting::Choice("last")));
    assert_eq!(
        control.get("factor_congestion"),
        Some(Setting::Ratio(Ratio::from_millionths(500_000)))
    );
}

#[test]
fn the_table_tcp_holds_defaults_and_a_flow_overrides_them() {
    let scenario = dumbbell(
        "[tcp]\ncontrol = \"veno\"\nrecovery = \"newreno\"\npayload = \"512 B\"\nmin_rto = \"1 s\"\nreceiver_window = 64\n\
         [[flow]]\n[[flow]]\npayload = \"1460 B\"\nreceiver_window = \"unlimited\"\n[[flow]]\ncontrol = \"sack\"\n\
         [[flow]]\nsource = { cbr = \"1 Mb/s\" }",
    );
    let (first, second, third) = (tcp(&scenario, 0), tcp(&scenario, 1), tcp(&scenario, 2));
    assert_eq!(
        (first.control.name(), first.payload, first.receiver_window),
        ("veno", Bytes(512), Some(64))
    );
    assert_eq!(first.recovery.kind(), Kind::NewReno);
    assert_eq!(
        (second.payload, second.receiver_window),
        (Bytes(1460), None)
    );
    assert_eq!(second.min_rto, Duration::from_nanos(1_000 * MS));
    // The name of a protocol implies its own recovery.
    assert_eq!(
        (third.control.name(), third.recovery.kind()),
        ("reno", Kind::Sack)
    );
    assert!(matches!(scenario.flows[3].traffic, Traffic::Udp(_)));
}

#[test]
fn every_tcp_option_can_be_set() {
    let scenario = dumbbell(
        "[[flow]]\nname = \"one\"\ncontrol = \"reno\"\ndirection = \"left\"\nheader = \"0 B\"\nack = \"52 B\"\n\
         size = \"500 segments\"\ninitial_window = \"rfc3390\"\nmin_rto = \"1 s\"\ninitial_rto = \"3 s\"\n\
         max_rto = \"64 s\"\nrto_tick = \"10 ms\"\nhandshake = false\nlimited_transmit = false\ndelayed_ack = true\n\
         timestamps = { granularity = \"1 ms\" }\nreceiver_window = 20\nssthresh = 16\n\
         [[flow]]\ncontrol = \"reno\"\nsize = \"20001 B\"\ninitial_window = 10\ndelayed_ack = \"200 ms\"",
    );
    let (first, second) = (tcp(&scenario, 0), tcp(&scenario, 1));
    assert_eq!(
        (
            scenario.flows[0].name.as_str(),
            scenario.flows[1].name.as_str()
        ),
        ("one", "reno")
    );
    assert!(matches!(
        scenario.flows[0].place,
        Place::Dumbbell {
            direction: Direction::Left,
            ..
        }
    ));
    // 1000 B of payload without a header; both data and ACKs carry 12 B of timestamps.
    assert_eq!(
        (first.data_wire_bytes(), first.ack_wire_bytes()),
        (1012, 64)
    );
    assert_eq!(
        (first.size, first.segments()),
        (Size::Segments(500), Some(500))
    );
    // RFC 3390 for 1000 B: min(4000, max(2000, 4380)) = 4000.
    assert_eq!(first.path().initial_window, Segments::whole(4));
    assert_eq!(first.initial_rto, Duration::from_nanos(3_000 * MS));
    assert_eq!(first.rto_tick, Some(Duration::from_nanos(10 * MS)));
    assert!(!first.handshake && !first.limited_transmit);
    assert_eq!(first.delayed_ack, Some(Duration::from_nanos(100 * MS)));
    assert_eq!(first.path().stamp_granularity, Duration::from_nanos(MS));
    assert_eq!(
        (first.receiver_window, first.path().ssthresh),
        (Some(20), Segments::whole(16))
    );
    // 20 full segments and one byte.
    assert_eq!(
        (second.size, second.segments()),
        (Size::Bytes(Bytes(20_001)), Some(21))
    );
    assert_eq!(second.path().initial_window, Segments::whole(10));
    assert_eq!(second.delayed_ack, Some(Duration::from_nanos(200 * MS)));
}

#[test]
fn udp_flows_have_sources() {
    let scenario = dumbbell(
        "[[flow]]\nsource = { cbr = \"4 Mb/s\" }\n\
         [[flow]]\nsource = { exponential = { rate = \"2 Mb/s\", on = \"10 ms\", off = \"15 ms\" } }\n\
         packet = \"500 B\"\nstart = \"1 s\"\nstop = \"2 s\"\ncount = 3\n\
         [[flow]]\nname = \"background\"\ndirection = \"left\"\n\
         source = { pareto = { rate = \"300 kb/s\", on = \"100 ms\", off = \"100 ms\", shape = 1.4 } }",
    );
    let udp: Vec<_> = scenario
        .flows
        .iter()
        .map(|flow| match flow.traffic {
            Traffic::Udp(udp) => (
                flow.name.as_str(),
                udp.packet.0,
                udp.stop.map(Duration::as_nanos),
                udp.source,
            ),
            Traffic::Tcp(_) | Traffic::Media(_) | Traffic::Workload(_) => panic!("not UDP"),
        })
        .collect();
    let ms = |n| Duration::from_nanos(n * MS);
    let burst = Source::Exponential(Bursts {
        rate: BitRate(2_000_000),
        on: ms(10),
        off: ms(15),
    });
    let heavy = Source::Pareto(HeavyBursts {
        rate: BitRate(300_000),
        on: ms(100),
        off: ms(100),
        shape: 1.4,
    });
    assert_eq!(udp[0], ("cbr", 1000, None, Source::Cbr(BitRate(4_000_000))));
    assert_eq!(udp[1], ("exponential", 500, Some(2_000 * MS), burst));
    assert_eq!(udp[2], ("background", 1000, None, heavy));
    assert_eq!(scenario.flow_count(), 5);
}

#[test]
fn default_names_differ() {
    let flows = "[[flow]]\ncontrol = \"reno\"\n".repeat(3);
    let scenario = dumbbell(&format!(
        "{flows}[[flow]]\ncontrol = \"newreno\"\n[[flow]]\ncontrol = \"veno\"\nname = \"reno-2\""
    ));
    let names: Vec<&str> = scenario
        .flows
        .iter()
        .map(|flow| flow.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["reno", "reno-3", "reno-4", "reno-newreno", "reno-2"]
    );
}

/// The canonical text has no `wmax_mode` beside `wmax`, so it reads as the same scenario.
#[test]
fn tfrc_veno_has_a_configured_or_a_measured_largest_window() {
    let flow = |keys: &str| {
        let flow = format!("[[flow]]\nrate_control = {{ name = \"tfrc-veno\", {keys} }}");
        let scenario = dumbbell(&flow);
        let text = scenario.canonical();
        assert_eq!(parse(&text).canonical(), text);
        let Traffic::Media(media) = &scenario.flows[0].traffic else {
            panic!("not a media flow");
        };
        let Law::Veno(veno) = media.control.sender(1000).law else {
            panic!("not TFRC Veno");
        };
        (veno.window, text)
    };
    let (window, text) = flow("wmax = 64");
    assert_eq!(window, WindowMode::Configured(64));
    assert!(
        text.contains("wmax = 64") && !text.contains("wmax_mode"),
        "{text}"
    );
    for keys in ["beta = 3", "wmax = 0", "wmax = 0, wmax_mode = \"life\""] {
        let (window, text) = flow(keys);
        assert_eq!(window, WindowMode::Life, "{keys}");
        assert!(
            text.contains("wmax_mode = \"life\"") && text.contains("wmax = 0"),
            "{text}"
        );
    }
}

/// The options that make Westwood count as ns-2's module does; each has an effect of its own.
#[test]
fn westwood_may_count_in_ticks_and_whole_segments() {
    let settings = |control: &str| {
        let scenario = dumbbell(&format!("[[flow]]\ncontrol = {control}"));
        let text = scenario.canonical();
        assert_eq!(parse(&text).canonical(), text);
        let config = &tcp(&scenario, 0).control;
        ["tick", "whole_ssthresh"].map(|name| config.get(name).expect("a parameter"))
    };
    let span = |ms| Setting::Duration(Duration::from_millis(ms));
    for (control, tick, whole) in [
        ("\"westwoodnr\"", 0, false),
        ("{ name = \"westwood\", tick = \"10 ms\" }", 10, false),
        ("{ name = \"westwood\", whole_ssthresh = true }", 0, true),
    ] {
        assert_eq!(settings(control), [span(tick), Setting::Flag(whole)]);
    }
}

#[test]
fn a_group_is_the_entry_unless_the_file_says_otherwise() {
    let scenario = dumbbell(
        "[[flow]]\ncontrol = \"reno\"\ncount = 2\n\
         [[flow]]\ncontrol = \"veno\"\ngroup = \"veno\"\n\
         [[flow]]\ncontrol = \"vegas\"\ngroup = \"reno\"\n\
         [[flow]]\nsource = { cbr = \"1 Mb/s\" }\ngroup = \"rest\"\n",
    );
    let groups: Vec<&str> = scenario.flows.iter().map(|flow| flow.group()).collect();
    assert_eq!(groups, ["reno", "veno", "reno", "rest"]);
    // Only a group that says something is written, and makes another scenario.
    assert_eq!(scenario.flows[1].group, None);
    let canonical = scenario.canonical();
    assert_eq!(canonical.matches("\ngroup = ").count(), 2, "{canonical}");
    assert!(canonical.contains("\nwarmup = \"0 s\"\n"), "{canonical}");
}

#[test]
fn a_warm_up_is_a_part_of_the_run() {
    let text = "duration = \"100 s\"\nwarmup = \"9500 ms\"\n";
    let scenario = parse(&SAMPLE.replacen("duration = \"100 s\"\n", text, 1));
    assert_eq!(scenario.warmup, Duration::from_nanos(9_500 * MS));
    assert!(scenario.canonical().contains("\nwarmup = \"9500 ms\"\n"));
}
