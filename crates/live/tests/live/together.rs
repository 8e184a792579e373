//! Several real connections beside each other.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_live::compare::Contender;
use dumbbell_live::mixture::{Carried, Entry, Mixture, Places, Plan, Together, entry, own};
use dumbbell_live::trials::Schedule;
use dumbbell_scenario::Scenario;

use crate::hosts;

/// Two flows, one with access links of 1 ms, the other with 31 ms: round trips of 40 ms and of 160 ms at least.
const NEAR_AND_FAR: &str = r#"
duration = "3 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "5 Mb/s", delay = "18 ms", queue = { droptail = 30 } }
[[flow]]
control = "reno"
payload = "1460 B"
[[flow]]
name = "far"
control = "reno"
payload = "1460 B"
access = { delay = "31 ms" }
"#;

fn controls() -> Vec<Contender> {
    let contender = |name: &str| Contender {
        label: name.to_owned(),
        kernel_name: name.to_owned(),
        simulated: Some(name.to_owned()),
        preparation: None,
    };
    vec![contender("reno"), contender("cubic")]
}

fn mixture(text: &str) -> Mixture {
    let entries = text.split(',').map(Entry::read);
    let entries = entries.collect::<Result<Vec<Entry>, String>>().unwrap();
    entry::mixture(&entries, &controls()).unwrap()
}

fn run(scenario: &Scenario, places: Places, mixture: Mixture) -> Together {
    let plan = Plan {
        scenario,
        places,
        contenders: controls(),
        mixtures: vec![mixture],
        reference: false,
        schedule: Schedule {
            seed: 1,
            repeat: 1,
            duration: Duration::from_secs(3),
            jobs: 1,
            again: 0,
        },
    };
    plan.run(&AtomicBool::new(false), || {}).unwrap()
}

/// Two connections and a stream, all of them real, have the link among them.
#[test]
fn connections_and_a_stream_share_the_bottleneck() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let scenario = hosts::scenario(NEAR_AND_FAR);
    let found = run(
        &scenario,
        Places::Instead(0),
        mixture("reno,cubic,udp:1Mb/s"),
    );
    let mixed = &found.mixtures[0];
    let run = &mixed.runs[0];
    let stream = run.flows[2].udp().expect("a stream");
    // 3 s of 1 Mb/s in packets of 1500 bytes: 250.
    assert!((245..=251).contains(&stream.sent), "{stream:?}");
    assert!(10 * stream.received >= 5 * stream.sent, "{stream:?}");
    assert!(
        stream.delay_mean_s.is_some_and(|delay| delay > 0.020),
        "{stream:?}"
    );
    for flow in &run.flows[..2] {
        let it = flow.tcp().expect("TCP");
        assert!(it.goodput_bps > 1e5 && !it.samples.is_empty(), "{it:?}");
    }
    // The simulated far flow has a part of it, too.
    let all = mixed.total().unwrap().mean;
    assert!(all < 5e6, "{all}");
    assert_eq!(run.network.network.flows.len(), 1);
    assert_eq!(run.network.network.flows[0].name, "far");
    let jain = run.jain.expect("they carried something");
    assert!((0.5..=1.0).contains(&jain), "{jain}");
    let predicted = &mixed.predicted[0];
    assert_eq!(predicted.len(), 3);
    assert!(
        predicted.iter().all(|it| it.goodput_bps > 1e5),
        "{predicted:?}"
    );
}

/// Their packets take the links of the flows whose places they have.
#[test]
fn connections_where_the_flows_of_a_file_are_have_their_delays() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let scenario = hosts::scenario(NEAR_AND_FAR);
    let places = own(&scenario).into_iter().map(|(place, _)| place);
    let found = run(&scenario, Places::Own(places.collect()), mixture("reno*2"));
    let run = &found.mixtures[0].runs[0];
    let rtts = run.flows.iter().map(|flow| match flow {
        Carried::Tcp(it) => it.rtt_min_s.expect("samples"),
        Carried::Udp(_) => panic!("not TCP"),
    });
    let rtts: Vec<f64> = rtts.collect();
    assert!((0.040..0.080).contains(&rtts[0]), "{rtts:?}");
    assert!((0.160..0.200).contains(&rtts[1]), "{rtts:?}");
    assert!(run.network.network.flows.is_empty());
}
