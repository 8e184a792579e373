//! Links, losses and the three kinds of networks.

use super::*;

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
