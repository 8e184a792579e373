//! The links of a path in whose queues its flows wait.

use dumbbell_scenario::{Direction, Link, Place, Scenario, Topology, Traffic};

/// A link between routers, with its name in results.
struct Known<'a> {
    name: String,
    link: &'a Link,
}

/// The links with these names, and the lowest of their mean rates in bit/s. Without names, the
/// topology determines the links: the bottleneck of a dumbbell, or the hops of a parking lot that
/// its TCP flows cross. In a graph they have to be named.
pub(super) fn links(scenario: &Scenario, named: &[String]) -> Result<(Vec<String>, f64), String> {
    let known = known(&scenario.topology);
    let names = match named {
        [] => usual(scenario)?,
        _ => named.to_vec(),
    };
    let mut least = f64::INFINITY;
    for name in &names {
        let of_name = known.iter().find(|known| known.name == *name);
        let Some(Known { link, .. }) = of_name else {
            let all: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
            return Err(format!(
                "there is no link `{name}`; there are {}",
                all.join(", ")
            ));
        };
        least = least.min(link.rate.mean().0 as f64);
    }
    Ok((names, least))
}

fn known(topology: &Topology) -> Vec<Known<'_>> {
    let mut known = Vec::new();
    let mut add = |name: &str, forward, reverse: Option<_>| {
        let name = name.to_owned();
        let back = format!("{name}.reverse");
        known.push(Known {
            name,
            link: forward,
        });
        known.extend(reverse.map(|link| Known { name: back, link }));
    };
    match topology {
        Topology::Dumbbell { bottleneck } => {
            add("bottleneck", &bottleneck.forward, Some(&bottleneck.reverse));
        }
        Topology::ParkingLot { hops } => {
            for (hop, number) in hops.iter().zip(1..) {
                add(&hop_name(number), &hop.forward, Some(&hop.reverse));
            }
        }
        Topology::Graph(graph) => {
            for link in &graph.links {
                add(&link.name, &link.forward, link.reverse.as_ref());
            }
        }
    }
    known
}

/// Whether a queue between routers may mark packets.
pub(super) fn marks(scenario: &Scenario) -> bool {
    let known = known(&scenario.topology);
    known.iter().any(|known| known.link.queue.marks())
}

fn hop_name(number: u32) -> String {
    format!("hop{number}")
}

fn usual(scenario: &Scenario) -> Result<Vec<String>, String> {
    match &scenario.topology {
        Topology::Dumbbell { .. } => {
            let mut ways: Vec<Direction> = Vec::new();
            for flow in &scenario.flows {
                if let (Traffic::Tcp(_), Place::Dumbbell { direction, .. }) =
                    (&flow.traffic, &flow.place)
                {
                    ways.push(*direction);
                }
            }
            ways.dedup();
            match ways[..] {
                [Direction::Right] => Ok(vec!["bottleneck".to_owned()]),
                [Direction::Left] => Ok(vec!["bottleneck.reverse".to_owned()]),
                _ => Err(
                    "its TCP flows do not all go in the same direction: `links` is required"
                        .to_owned(),
                ),
            }
        }
        Topology::Graph(_) => {
            Err("a graph requires `links`, those in whose queues its flows wait".to_owned())
        }
        Topology::ParkingLot { .. } => {
            let mut ways: Vec<(u32, u32)> = Vec::new();
            for flow in &scenario.flows {
                if let (Traffic::Tcp(_), Place::ParkingLot { from, to, .. }) =
                    (&flow.traffic, &flow.place)
                {
                    ways.push((*from, *to));
                }
            }
            ways.dedup();
            match ways[..] {
                [(from, to)] if from < to => Ok((from..to).map(hop_name).collect()),
                [(from, to)] => {
                    let back = (to..from).rev().map(hop_name);
                    Ok(back.map(|hop| format!("{hop}.reverse")).collect())
                }
                _ => Err(
                    "its TCP flows do not all take the same links: `links` is required".to_owned(),
                ),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_run::Run;

    use super::*;
    use dumbbell_scenario::controls::Controls;

    const PARKING_LOT: &str = "
        duration = \"1 s\"
        [parking_lot]
        access = { rate = \"9 Mb/s\", delay = \"1 ms\" }
        hops = [
            { rate = \"3 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 }, reverse = { rate = \"0.5 Mb/s\" } },
            { rate = \"2 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 } },
            { rate = \"1 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 } },
        ]
        [[flow]]
        source = { cbr = \"1 kb/s\" }
        from = \"r2\"
        to = \"r1\"
    ";
    const GRAPH: &str = "
        duration = \"1 s\"
        [[graph.link]]
        from = \"a\"
        to = \"b\"
        rate = \"2 Mb/s\"
        delay = \"1 ms\"
        [[graph.link]]
        from = \"b\"
        to = \"c\"
        rate = \"1 Mb/s\"
        delay = \"1 ms\"
        reverse = { rate = \"3 Mb/s\" }
        [[flow]]
        control = \"reno\"
        from = \"a\"
        to = \"c\"
    ";

    fn found(
        network: &str,
        flows: &[(&str, &str)],
        named: &[&str],
    ) -> Result<(Vec<String>, f64), String> {
        let mut text = network.to_owned();
        for (from, to) in flows {
            text += &format!("\n[[flow]]\ncontrol = \"reno\"\nfrom = \"{from}\"\nto = \"{to}\"\n");
        }
        let scenario = Scenario::parse("t", &text, &Controls::builtin()).expect("it is one");
        let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
        links(&scenario, &named)
    }

    #[test]
    fn the_hops_are_those_that_flows_cross() {
        let of = |from, to| found(PARKING_LOT, &[(from, to)], &[]).expect("one way");
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(of("r1", "r3"), (names(&["hop1", "hop2"]), 2e6));
        assert_eq!(of("r2", "r4"), (names(&["hop2", "hop3"]), 1e6));
        assert_eq!(
            of("r3", "r1"),
            (names(&["hop2.reverse", "hop1.reverse"]), 5e5)
        );
        let both = found(PARKING_LOT, &[("r1", "r3"), ("r1", "r3")], &[]);
        assert_eq!(both.expect("one way").1, 2e6);
        let apart = found(PARKING_LOT, &[("r1", "r3"), ("r2", "r3")], &[]);
        assert!(apart.expect_err("two ways").contains("the same links"));
    }

    /// Queueing delays are looked up by these names.
    #[test]
    fn results_have_links_with_these_names() {
        for network in [PARKING_LOT, GRAPH] {
            let scenario = Scenario::parse("t", network, &Controls::builtin()).expect("it is one");
            let outcome = Run::new(&scenario).go().expect("it ends").outcome;
            for Known { name, .. } in known(&scenario.topology) {
                assert!(outcome.links.iter().any(|link| link.name == name), "{name}");
            }
        }
    }

    #[test]
    fn the_bottleneck_is_that_of_the_direction_of_the_flows() {
        let of = |directions: &[&str]| {
            let mut text = "
                duration = \"1 s\"
                [dumbbell]
                access = { rate = \"9 Mb/s\", delay = \"1 ms\" }
                bottleneck = { rate = \"3 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 }, reverse = { rate = \"1 Mb/s\" } }
            "
            .to_owned();
            for direction in directions {
                text += &format!("[[flow]]\ncontrol = \"reno\"\ndirection = \"{direction}\"\n");
            }
            let scenario = Scenario::parse("t", &text, &Controls::builtin()).expect("it is one");
            links(&scenario, &[])
        };
        assert_eq!(
            of(&["right", "right"]),
            Ok((vec!["bottleneck".to_owned()], 3e6))
        );
        assert_eq!(
            of(&["left"]),
            Ok((vec!["bottleneck.reverse".to_owned()], 1e6))
        );
        let both = of(&["right", "left"]).expect_err("two ways");
        assert!(both.contains("the same direction"), "{both}");
    }

    #[test]
    fn links_of_a_graph_must_be_named() {
        assert!(
            found(GRAPH, &[], &[])
                .expect_err("no names")
                .contains("`links`")
        );
        let (_, rate) = found(GRAPH, &[], &["a-b", "b-c.reverse"]).expect("they are there");
        assert_eq!(rate, 2e6);
        let error = found(GRAPH, &[], &["a-c"]).expect_err("no such link");
        assert!(
            error.contains("a-b, a-b.reverse, b-c, b-c.reverse"),
            "{error}"
        );
    }
}
