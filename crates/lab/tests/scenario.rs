//! Scenario files that are right: what they mean, defaults included.

use dumbbell_control::parameter::Setting;
use dumbbell_control::units::{Bytes, Duration, Ratio, Segments};
use dumbbell_lab::controls::Controls;
use dumbbell_lab::scenario::{
    BitRate, Direction, Exit, Link, Loss, LossModel, LossScope, Place, ProbeValue, Queue, Recovery,
    Scenario, Size, Source, Start, Tcp, Topology, Traffic,
};
use dumbbell_tcp::config::{InitialWindow, Stamping};
use dumbbell_tcp::recovery::{Kind, PartialAckTimer};

const SAMPLE: &str = r#"
duration = "100 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "10 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 60 }, loss = { bernoulli = 0.02 } }
[[flow]]
control  = "venodb"
recovery = "newreno"
count    = 1
payload  = "1000 B"
"#;

fn parse(text: &str) -> Scenario {
    Scenario::parse("test.toml", text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"))
}

/// A dumbbell with these flows.
fn dumbbell(flows: &str) -> Scenario {
    let network = "duration = \"100 s\"\n[dumbbell]\naccess = { rate = \"10 Mb/s\", delay = \"1 ms\" }\n\
                   bottleneck = { rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 20 } }\n";
    parse(&format!("{network}{flows}"))
}

fn tcp(scenario: &Scenario, flow: usize) -> &Tcp {
    match &scenario.flows[flow].traffic {
        Traffic::Tcp(tcp) => tcp,
        Traffic::Udp(_) => panic!("flow {flow} is not TCP"),
    }
}

const MS: u64 = 1_000_000;

fn link(bits: u64, delay_ms: u64, queue: Queue, loss: Option<Loss>) -> Link {
    Link {
        rate: BitRate(bits),
        delay: Duration::from_nanos(delay_ms * MS),
        queue,
        loss,
    }
}

#[test]
fn the_first_scenario_of_the_reference_means_what_it_says() {
    let scenario = parse(SAMPLE);
    assert_eq!(scenario.duration, Duration::from_nanos(100_000 * MS));
    assert_eq!(scenario.seed, 1);
    let loss = Loss {
        model: LossModel::Bernoulli { p: 0.02 },
        on: LossScope::Data,
    };
    let Topology::Dumbbell { bottleneck } = &scenario.topology else {
        panic!("not a dumbbell")
    };
    assert_eq!(
        bottleneck.forward,
        link(2_000_000, 10, Queue::DropTail(60), Some(loss))
    );
    assert_eq!(
        bottleneck.reverse,
        link(2_000_000, 10, Queue::DropTail(60), None)
    );
    assert_eq!(scenario.flows.len(), 1);
    let flow = &scenario.flows[0];
    assert_eq!((flow.count, flow.start), (1, Start::At(Duration::ZERO)));
    let Place::Dumbbell {
        direction: Direction::Right,
        access,
    } = &flow.place
    else {
        panic!("{:?}", flow.place)
    };
    let (host, router) = (
        link(10_000_000, 10, Queue::Unlimited, None),
        link(10_000_000, 10, Queue::DropTail(60), None),
    );
    assert_eq!(
        (access.sender.forward, access.sender.reverse),
        (host, router)
    );
    assert_eq!(
        (access.receiver.forward, access.receiver.reverse),
        (router, host)
    );
    assert_eq!(scenario.probe.interval, Duration::from_nanos(100 * MS));
    assert_eq!(scenario.probe.values, ProbeValue::ALL);
}

#[test]
fn a_silent_tcp_flow_has_the_stated_defaults() {
    let scenario = parse(SAMPLE);
    let tcp = tcp(&scenario, 0);
    assert_eq!(tcp.control.name(), "venodb");
    let newreno = Recovery::NewReno {
        careful: true,
        timer: PartialAckTimer::Impatient,
        exit: Exit::Ssthresh,
    };
    assert_eq!(tcp.recovery, newreno);
    assert_eq!(
        (tcp.payload, tcp.header, tcp.ack),
        (Bytes(1000), Bytes(40), Bytes(40))
    );
    assert_eq!((tcp.data_wire_bytes(), tcp.ack_wire_bytes()), (1040, 40));
    assert_eq!((tcp.size, tcp.segments()), (Size::Unlimited, None));
    assert_eq!(tcp.initial_window, InitialWindow::Segments(2));
    assert_eq!(tcp.timer.min, Duration::from_nanos(200 * MS));
    assert_eq!(tcp.timer.initial, Duration::from_nanos(1_000 * MS));
    assert_eq!(tcp.timer.max, Duration::from_nanos(60_000 * MS));
    assert_eq!(tcp.timer.tick, None);
    assert!(tcp.limited_transmit && tcp.handshake);
    assert_eq!(tcp.delayed_ack, None);
    assert_eq!(tcp.timestamps, Stamping::Exact);
    assert_eq!((tcp.receiver_window, tcp.ssthresh), (None, None));
    assert_eq!(
        (tcp.path().initial_window, tcp.path().ssthresh),
        (Segments::whole(2), Segments::MAX)
    );
}

#[test]
fn flows_without_a_start_that_are_several_get_jitter() {
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
fn jitter_ends_with_a_short_run() {
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
fn names_of_protocols_are_a_control_and_a_recovery() {
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
fn the_choices_of_a_pair_can_be_set_beside_its_name() {
    let flow = "[[flow]]\ncontrol = \"newreno\"\n\
                recovery = { name = \"newreno\", timer = \"slow-but-steady\", exit = \"flight\", careful = false }";
    let expected = Recovery::NewReno {
        careful: false,
        timer: PartialAckTimer::SlowButSteady,
        exit: Exit::Flight,
    };
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
    assert_eq!(second.timer.min, Duration::from_nanos(1_000 * MS));
    // The name of a protocol brings its own recovery.
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
    // 1000 B of payload without a header, and 12 B of timestamps with either.
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
    assert_eq!(first.timer.initial, Duration::from_nanos(3_000 * MS));
    assert_eq!(first.timer.tick, Some(Duration::from_nanos(10 * MS)));
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
fn access_links_are_layered() {
    let scenario = parse(
        "duration = \"10 s\"\n[dumbbell]\n\
         access = { rate = \"10 Mb/s\", delay = \"1 ms\", receiver = { loss = { geometric = 0.01 }, delay = \"2 ms\" } }\n\
         bottleneck = { rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 20 } }\n\
         reverse = { rate = \"1 Mb/s\", queue = { droptail = 5 }, loss = { bernoulli = 0.5, on = \"all\" } }\n\
         [[flow]]\ncontrol = \"reno\"\n\
         access = { delay = \"5 ms\", host_queue = { droptail = 50 }, sender = { rate = \"1 Gb/s\", queue = \"unlimited\" } }\n",
    );
    let Topology::Dumbbell { bottleneck } = &scenario.topology else {
        panic!("not a dumbbell")
    };
    let heavy = Loss {
        model: LossModel::Bernoulli { p: 0.5 },
        on: LossScope::All,
    };
    assert_eq!(
        bottleneck.forward,
        link(2_000_000, 10, Queue::DropTail(20), None)
    );
    assert_eq!(
        bottleneck.reverse,
        link(1_000_000, 10, Queue::DropTail(5), Some(heavy))
    );
    let Place::Dumbbell { access, .. } = &scenario.flows[0].place else {
        panic!("not in a dumbbell")
    };
    let light = Loss {
        model: LossModel::Geometric { p: 0.01 },
        on: LossScope::Data,
    };
    let giga = 1_000_000_000;
    assert_eq!(
        access.sender.forward,
        link(giga, 5, Queue::DropTail(50), None)
    );
    assert_eq!(access.sender.reverse, link(giga, 5, Queue::Unlimited, None));
    // The flow's delay is for both ends, so it stands above the receiver's delay of the dumbbell.
    assert_eq!(
        access.receiver.forward,
        link(10_000_000, 5, Queue::DropTail(20), Some(light))
    );
    assert_eq!(
        access.receiver.reverse,
        link(10_000_000, 5, Queue::DropTail(50), None)
    );
}

#[test]
fn a_parking_lot_has_routers_in_a_row() {
    let head =
        "duration = \"10 s\"\n[parking_lot]\naccess = { rate = \"10 Mb/s\", delay = \"1 ms\" }\n";
    let flows =
        "[[flow]]\ncontrol = \"reno\"\n[[flow]]\ncontrol = \"reno\"\nfrom = \"r3\"\nto = \"r2\"\n";
    let hop = "{ rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 20 } }";
    let long = "{ rate = \"1 Mb/s\", delay = \"20 ms\", queue = { droptail = 30 }, reverse = { delay = \"5 ms\" } }";
    let same = parse(&format!("{head}bottleneck = {hop}\nhops = 3\n{flows}"));
    let listed = parse(&format!("{head}hops = [{hop}, {hop}, {hop}]\n{flows}"));
    assert_eq!(same, listed);
    let scenario = parse(&format!("{head}hops = [{hop}, {long}]\n{flows}"));
    let Topology::ParkingLot { hops } = &scenario.topology else {
        panic!("not a parking lot")
    };
    assert_eq!(
        hops[1].forward,
        link(1_000_000, 20, Queue::DropTail(30), None)
    );
    assert_eq!(
        hops[1].reverse,
        link(1_000_000, 5, Queue::DropTail(30), None)
    );
    let ends: Vec<(u32, u32)> = scenario
        .flows
        .iter()
        .map(|flow| match &flow.place {
            Place::ParkingLot { from, to, access } => {
                assert_eq!(access.receiver.forward.queue, Queue::DropTail(30));
                (*from, *to)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ends, [(1, 3), (3, 2)]);
}

#[test]
fn a_graph_has_nodes_and_links_by_name() {
    let scenario = parse(
        "duration = \"10 s\"\n\
         [[graph.link]]\nfrom = \"a\"\nto = \"m\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n\
         [[graph.link]]\nname = \"slow\"\nfrom = \"m\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"2 ms\"\n\
         queue = { droptail = 7 }\nreverse = \"none\"\n\
         [[graph.link]]\nfrom = \"b\"\nto = \"m\"\nrate = \"1 Mb/s\"\ndelay = \"3 ms\"\nreverse = { rate = \"1 kb/s\" }\n\
         [[flow]]\ncontrol = \"reno\"\nfrom = \"a\"\nto = \"b\"\n",
    );
    let Topology::Graph(graph) = &scenario.topology else {
        panic!("not a graph")
    };
    assert_eq!(graph.nodes, ["a", "m", "b"]);
    let names: Vec<&str> = graph.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["a-m", "slow", "b-m"]);
    assert_eq!(graph.links[0].forward.queue, Queue::Unlimited);
    assert_eq!(graph.links[1].forward.queue, Queue::DropTail(7));
    assert_eq!(graph.links[1].reverse, None);
    assert_eq!(
        graph.links[2].reverse.map(|link| link.rate),
        Some(BitRate(1_000))
    );
    assert_eq!(scenario.flows[0].place, Place::Graph { from: 0, to: 2 });
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
            Traffic::Tcp(_) => panic!("not UDP"),
        })
        .collect();
    let ms = |n| Duration::from_nanos(n * MS);
    let burst = Source::Exponential {
        rate: BitRate(2_000_000),
        on: ms(10),
        off: ms(15),
    };
    let heavy = Source::Pareto {
        rate: BitRate(300_000),
        on: ms(100),
        off: ms(100),
        shape: 1.4,
    };
    assert_eq!(
        udp[0],
        (
            "cbr",
            1000,
            None,
            Source::Cbr {
                rate: BitRate(4_000_000)
            }
        )
    );
    assert_eq!(udp[1], ("exponential", 500, Some(2_000 * MS), burst));
    assert_eq!(udp[2], ("background", 1000, None, heavy));
    assert_eq!(scenario.flow_count(), 5);
}

#[test]
fn loss_models_are_read() {
    let model = |loss: &str| {
        let text = SAMPLE.replace("{ bernoulli = 0.02 }", loss);
        let Topology::Dumbbell { bottleneck } = parse(&text).topology else {
            panic!("not a dumbbell")
        };
        bottleneck.forward.loss
    };
    let on = LossScope::Data;
    assert_eq!(model("\"none\""), None);
    assert_eq!(
        model("{ geometric = 1e-3, on = \"all\" }"),
        Some(Loss {
            model: LossModel::Geometric { p: 0.001 },
            on: LossScope::All
        })
    );
    let two_state = LossModel::TwoState {
        good: 0.00001,
        good_period: Duration::from_nanos(8_000 * MS),
        bad: 0.1,
        bad_period: Duration::from_nanos(4_000 * MS),
        switch: 0.95,
    };
    assert_eq!(
        model(
            "{ two_state = { good = 1e-5, good_period = \"8 s\", bad = 0.1, bad_period = \"4 s\", switch = 0.95 } }"
        ),
        Some(Loss {
            model: two_state,
            on
        })
    );
    let gilbert = LossModel::GilbertElliott {
        to_bad: 0.01,
        to_good: 0.25,
        good: 0.0,
        bad: 1.0,
    };
    assert_eq!(
        model("{ gilbert_elliott = { to_bad = 0.01, to_good = 0.25 } }"),
        Some(Loss { model: gilbert, on })
    );
}

#[test]
fn probe_and_head_are_read() {
    let scenario = parse(&format!(
        "name = \"x\"\ndescription = \"two\\nlines\"\nseed = 18446744073709551615\n{SAMPLE}\n\
         [probe]\ninterval = \"10 ms\"\nvalues = [\"queue\", \"cwnd\"]\n"
    ));
    assert_eq!(
        (scenario.name.as_deref(), scenario.description.as_deref()),
        (Some("x"), Some("two\nlines"))
    );
    assert_eq!(scenario.seed, u64::MAX);
    assert_eq!(scenario.probe.interval, Duration::from_nanos(10 * MS));
    assert_eq!(scenario.probe.values, [ProbeValue::Cwnd, ProbeValue::Queue]);
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

#[test]
fn a_scenario_can_be_loaded_from_a_file() {
    let dir = std::env::temp_dir().join(format!("dumbbell-scenario-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("sample.toml");
    std::fs::write(&file, SAMPLE).unwrap();
    assert_eq!(
        Scenario::load(&file, &Controls::builtin()).unwrap(),
        parse(SAMPLE)
    );
    std::fs::write(&file, b"duration = \"1 s\"\n# caf\xe9\n").unwrap();
    let wrong = Scenario::load(&file, &Controls::builtin())
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("sample.toml:2: not UTF-8"), "{wrong}");
    std::fs::write(&file, "duration = 5\n").unwrap();
    let wrong = Scenario::load(&file, &Controls::builtin())
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("sample.toml:1:12"), "{wrong}");
    std::fs::remove_dir_all(&dir).unwrap();
    let missing = Scenario::load(&file, &Controls::builtin())
        .unwrap_err()
        .to_string();
    assert!(
        missing.contains("cannot read") && missing.contains("sample.toml"),
        "{missing}"
    );
}
