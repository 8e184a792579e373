//! Links, losses and the three topologies.

use super::*;

#[test]
fn access_links_override_one_another_in_layers() {
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
        model: LossModel::Bernoulli(0.5),
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
        model: LossModel::Geometric(0.01),
        on: LossScope::Data,
    };
    let giga = 1_000_000_000;
    assert_eq!(
        access.sender.forward,
        link(giga, 5, Queue::DropTail(50), None)
    );
    assert_eq!(access.sender.reverse, link(giga, 5, Queue::Unlimited, None));
    // The flow's delay applies to both ends, so it overrides the receiver's delay of the dumbbell.
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
        graph.links[2].reverse.as_ref().map(|link| &link.rate),
        Some(&BitRate(1_000).into())
    );
    assert_eq!(scenario.flows[0].place, Place::Graph { from: 0, to: 2 });
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
            model: LossModel::Geometric(0.001),
            on: LossScope::All
        })
    );
    let two_state = LossModel::TwoState(TwoState {
        good: 0.00001,
        good_period: Duration::from_nanos(8_000 * MS),
        bad: 0.1,
        bad_period: Duration::from_nanos(4_000 * MS),
        switch: 0.95,
    });
    assert_eq!(
        model(
            "{ two_state = { good = 1e-5, good_period = \"8 s\", bad = 0.1, bad_period = \"4 s\", switch = 0.95 } }"
        ),
        Some(Loss {
            model: two_state,
            on
        })
    );
    let gilbert = LossModel::GilbertElliott(GilbertElliott {
        to_bad: 0.01,
        to_good: 0.25,
        good: 0.0,
        bad: 1.0,
    });
    assert_eq!(
        model("{ gilbert_elliott = { to_bad = 0.01, to_good = 0.25 } }"),
        Some(Loss { model: gilbert, on })
    );
}

/// Returns both directions of the bottleneck, with these keys.
fn bottleneck(keys: &str) -> [Link; 2] {
    let text = SAMPLE.replace("queue = { droptail = 60 }", keys);
    let Topology::Dumbbell { bottleneck } = parse(&text).topology else {
        panic!("not a dumbbell")
    };
    [bottleneck.forward, bottleneck.reverse]
}

#[test]
fn queues_are_read() {
    let usual = Red {
        limit: 60,
        min: 5.0,
        max: 15.0,
        weight: 0.002,
        pmax: 0.1,
        gentle: false,
        ecn: false,
        mean_packet: Bytes(500),
    };
    let filter = AckFilter {
        limit: 20,
        replace_head: false,
        threshold: 0,
    };
    for (written, queue) in [
        ("{ red = { limit = 60 } }", Queue::Red(usual)),
        (
            "{ red = { limit = 9, min = 0.5, max = 3, weight = 1, pmax = 0.02, gentle = true, ecn = true, mean_packet = \"1 kB\" } }",
            Queue::Red(Red {
                limit: 9,
                min: 0.5,
                max: 3.0,
                weight: 1.0,
                pmax: 0.02,
                gentle: true,
                ecn: true,
                mean_packet: Bytes(1_000),
            }),
        ),
        (
            "{ droptail = 20, ack_filter = true }",
            Queue::AckFilter(filter),
        ),
        (
            "{ droptail = 20, ack_filter = {} }",
            Queue::AckFilter(filter),
        ),
        ("{ droptail = 20, ack_filter = false }", Queue::DropTail(20)),
        (
            "{ droptail = 20, ack_filter = { replace_head = true, threshold = 7 } }",
            Queue::AckFilter(AckFilter {
                limit: 20,
                replace_head: true,
                threshold: 7,
            }),
        ),
    ] {
        // The other direction has the same queue.
        let queues = bottleneck(&format!("queue = {written}")).map(|link| link.queue);
        assert_eq!(queues, [queue; 2], "{written}");
    }
    // Queues towards hosts have the same length and drop only when full.
    let scenario = parse(&SAMPLE.replace("{ droptail = 60 }", "{ red = { limit = 60 } }"));
    let Place::Dumbbell { access, .. } = &scenario.flows[0].place else {
        panic!("not a dumbbell")
    };
    assert_eq!(access.receiver.forward.queue, Queue::DropTail(60));
}

#[test]
fn routers_add_queueing_times_as_configured() {
    let directions = |keys: &str| {
        let text = SAMPLE.replace(
            "queue = { droptail = 60 }",
            &format!("queue = {{ droptail = 60 }}, {keys}"),
        );
        parse(&text)
    };
    // The bottleneck in both directions, then the links towards the sender and towards the receiver.
    let found = |scenario: &Scenario| {
        let Topology::Dumbbell { bottleneck } = &scenario.topology else {
            panic!("not a dumbbell")
        };
        let Place::Dumbbell { access, .. } = &scenario.flows[0].place else {
            panic!("not a dumbbell")
        };
        assert!(
            !access.sender.forward.aqt && !access.receiver.reverse.aqt,
            "hosts never do"
        );
        [
            bottleneck.forward.aqt,
            bottleneck.reverse.aqt,
            access.sender.reverse.aqt,
            access.receiver.forward.aqt,
        ]
    };
    assert_eq!(found(&parse(SAMPLE)), [false; 4]);
    assert_eq!(found(&directions("aqt = true")), [true, true, false, false]);
    assert_eq!(
        found(&directions("aqt = true, reverse = { aqt = false }")),
        [true, false, false, false]
    );
    let routers = |routers: &str, flow: &str| {
        let text = SAMPLE.replace("access ", &format!("aqt = {routers}\naccess "));
        parse(&format!("{text}{flow}"))
    };
    assert_eq!(found(&routers("\"all\"", "")), [true; 4]);
    assert_eq!(
        found(&routers("[\"left\"]", "")),
        [true, false, true, false]
    );
    assert_eq!(
        found(&routers("[\"right\"]", "")),
        [false, true, false, true]
    );
    assert_eq!(
        found(&routers("[\"right\"]", "direction = \"left\"")),
        [false, true, true, false]
    );
    assert_eq!(
        found(&routers(
            "\"all\"",
            "access = { receiver = { aqt = false } }"
        )),
        [true, true, true, false]
    );

    let hop = "rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\"";
    let lot = parse(&format!(
        "duration = \"9 s\"\n[parking_lot]\naqt = [\"r2\"]\naccess = {{ rate = \"1 Mb/s\", delay = \"1 ms\" }}\n\
         hops = 3\nbottleneck = {{ {hop} }}\n[[flow]]\ncontrol = \"reno\"\nfrom = \"r2\"\nto = \"r4\"\n"
    ));
    let Topology::ParkingLot { hops } = &lot.topology else {
        panic!("not a parking lot")
    };
    let hops: Vec<[bool; 2]> = hops
        .iter()
        .map(|hop| [hop.forward.aqt, hop.reverse.aqt])
        .collect();
    assert_eq!(hops, [[false, true], [true, false], [false, false]]);
    let Place::ParkingLot { access, .. } = &lot.flows[0].place else {
        panic!("not a parking lot")
    };
    assert!(access.sender.reverse.aqt && !access.receiver.forward.aqt);

    let graph = parse(
        "duration = \"9 s\"\n[graph]\naqt = [\"b\"]\n\
         [[graph.link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n\
         [[graph.link]]\nfrom = \"b\"\nto = \"c\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\naqt = false\n\
         [[flow]]\ncontrol = \"reno\"\nfrom = \"a\"\nto = \"c\"\n",
    );
    let Topology::Graph(graph) = &graph.topology else {
        panic!("not a graph")
    };
    let links: Vec<[bool; 2]> = graph
        .links
        .iter()
        .map(|link| [link.forward.aqt, link.reverse.as_ref().unwrap().aqt])
        .collect();
    assert_eq!(links, [[false, true], [false, false]]);
}
