//! Films and lists of losses agree with the outcome of the same run.

use std::collections::BTreeMap;

use dumbbell_run::Run;
use dumbbell_run::film::{Fate, Film, Scene, film};
use dumbbell_run::losses::Losses;
use dumbbell_run::outcome::Outcome;
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Duration, Scenario};

/// Queues that decide on arrival and at departure, losses, links that retransmit and that copy packets.
const LINKS: [&str; 7] = [
    "queue = { droptail = 9 }, loss = { bernoulli = 0.02 }",
    "queue = { codel = {} }, loss = { bernoulli = 0.01 }",
    "queue = { fq_codel = {} }",
    "queue = { red = { limit = 30, min = 5, max = 15 } }",
    "queue = { droptail = 20, ack_filter = true }",
    "queue = { droptail = 20 }, loss = { bernoulli = 0.2 }, arq = { retries = 1, rtt = \"4 ms\", in_order = false }",
    "queue = { droptail = 20 }, jitter = { mean = \"3 ms\" }",
];

fn scenario(link: &str) -> Scenario {
    let text = format!(
        r#"
        duration = "6 s"
        [dumbbell]
        access     = {{ rate = "20 Mb/s", delay = "2 ms" }}
        bottleneck = {{ rate = "3 Mb/s", delay = "10 ms", {link} }}
        [[flow]]
        control = "veno"
        count = 2
        [[flow]]
        control = "cubic"
        direction = "left"
        [[flow]]
        rate_control = "tfrc"
        [[flow]]
        source = {{ cbr = "300 kb/s" }}
        "#
    );
    Scenario::parse("film.toml", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{link}\n{report}"))
}

fn whole(scenario: &Scenario) -> Film {
    let scene = Scene {
        from: Duration::ZERO,
        to: scenario.duration,
        most: usize::MAX,
    };
    film(scenario, 5, scene).expect("no control fails")
}

fn outcome(scenario: &Scenario, losses: &Losses) -> Outcome {
    let run = Run::new(scenario).seed(5).losses(losses);
    run.go().expect("nobody interrupts it").outcome
}

#[test]
fn a_film_has_every_packet_of_every_link() {
    for link in LINKS {
        let scenario = scenario(link);
        let film = whole(&scenario);
        let outcome = outcome(&scenario, &Losses::up_to(0));
        let mut found: BTreeMap<(usize, Fate), u64> = BTreeMap::new();
        for hop in &film.hops {
            *found.entry((hop.link, hop.fate)).or_default() += 1;
        }
        let count = |link, fate| found.get(&(link, fate)).copied().unwrap_or(0);
        assert!(film.hops.len() > 2000 && film.more == 0, "{link}");
        for (index, of) in outcome.links.iter().enumerate() {
            assert_eq!(count(index, Fate::Arrives), of.delivered, "{link}: {of:?}");
            assert_eq!(count(index, Fate::Dropped), of.dropped, "{link}: {of:?}");
            assert_eq!(count(index, Fate::Lost), of.lost, "{link}: {of:?}");
            assert_eq!(count(index, Fate::Filtered), of.filtered, "{link}: {of:?}");
        }
        let mut last: BTreeMap<u32, Duration> = BTreeMap::new();
        for hop in &film.hops {
            let before = last.insert(hop.packet, hop.delivered.unwrap_or(Duration::ZERO));
            assert!(
                before.is_none_or(|before| hop.arrived >= before),
                "{link}: {hop:?}"
            );
            if let (Some((begin, end)), Some(delivered)) = (hop.transmitted, hop.delivered) {
                assert!(
                    hop.arrived <= begin && begin < end && end <= delivered,
                    "{link}: {hop:?}"
                );
            }
        }
    }
}

#[test]
fn a_scene_is_a_part_of_the_film() {
    let scenario = scenario(LINKS[0]);
    let all = whole(&scenario);
    let [from, to] = [1500, 2500].map(Duration::from_millis);
    let most = 200;
    let part = film(&scenario, 5, Scene { from, to, most }).expect("no control fails");
    let inside = all
        .hops
        .iter()
        .filter(|hop| (from..=to).contains(&hop.arrived));
    let inside: Vec<_> = inside.copied().collect();
    assert_eq!(part.hops, inside[..most]);
    assert_eq!(part.more, (inside.len() - most) as u64);
}

#[test]
fn the_losses_of_each_flow_are_those_of_its_outcome() {
    for link in LINKS {
        let scenario = scenario(link);
        let list = Losses::up_to(usize::MAX);
        let outcome = outcome(&scenario, &list);
        let (losses, more) = list.take();
        assert_eq!(more, 0);
        assert!(losses.is_sorted_by_key(|loss| loss.at));
        for (index, flow) in outcome.flows.iter().enumerate() {
            let of = |random| {
                let those = losses
                    .iter()
                    .filter(|it| it.flow == index && it.random == random);
                those.count() as u64
            };
            assert_eq!(
                (of(false), of(true)),
                (flow.dropped, flow.lost),
                "{link}: {}",
                flow.name
            );
        }
        let few = Losses::up_to(3);
        outcome_of(&scenario, &few);
        let (listed, more) = few.take();
        assert_eq!(listed.len() as u64 + more, losses.len() as u64);
        assert!(listed.len() <= 3);
    }
}

fn outcome_of(scenario: &Scenario, losses: &Losses) {
    let listed = outcome(scenario, losses);
    let plain = Run::new(scenario)
        .seed(5)
        .go()
        .expect("nobody interrupts it");
    assert_eq!(listed, plain.outcome);
}
