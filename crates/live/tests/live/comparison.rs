//! The kernel's own controls compared on one path.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use dumbbell_live::compare::{Comparison, Contender, Measure, Plan};
use dumbbell_live::trials::Schedule;

use crate::hosts;

/// RED marks ECN-capable packets early.
const MARKING: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "2 Mb/s", delay = "18 ms", queue = { red = { limit = 400, min = 5, max = 100, pmax = 0.5, weight = 0.02, ecn = true } } }
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
ecn = true
"#;

/// Compares one run of reno.
fn reno(text: &str, duration: Duration) -> Comparison {
    let scenario = hosts::scenario(text);
    let reno = Contender {
        label: "reno".to_owned(),
        kernel_name: "reno".to_owned(),
        simulated: Some("reno".to_owned()),
        preparation: None,
    };
    let plan = Plan {
        scenario: &scenario,
        flow: 0,
        contenders: vec![reno],
        schedule: Schedule {
            seed: 1,
            repeat: 1,
            duration,
            jobs: 1,
            again: 0,
        },
        explains: false,
    };
    plan.run(&AtomicBool::new(false), || {}).unwrap()
}

/// Without ECN, RED drops what it would mark.
#[test]
fn a_flow_with_ecn_has_it_in_the_kernel_and_in_the_simulator() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let found = reno(MARKING, Duration::from_secs(4));
    let run = &found.rows[0].runs[0];
    let marked = run.network.network.links[0].marked;
    assert!(marked > 5, "{marked}");
    let measured = &run.measured;
    assert!(
        4 * measured.retransmits < marked,
        "{} of {}, {marked} marked",
        measured.retransmits,
        measured.segments
    );
    let predicted = &found.rows[0].predicted[0];
    assert!(
        4 * predicted.retransmits < marked,
        "{} of {}",
        predicted.retransmits,
        predicted.segments
    );
}

/// A link that loses every packet: no connection opens. This takes no longer than a run, and is a
/// valid result.
#[test]
fn a_connection_that_does_not_open_transfers_nothing() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let queue = "queue = { droptail = 60 }, loss = { bernoulli = 1.0, on = \"all\" } }";
    let (before, after) = MARKING.split_once("queue").unwrap();
    let (_, flow) = after.split_once("ecn = true } } }").unwrap();
    let start = Instant::now();
    let found = reno(
        &format!("{before}{queue}{flow}"),
        Duration::from_millis(1500),
    );
    assert!(
        start.elapsed() < Duration::from_secs(8),
        "{:?}",
        start.elapsed()
    );
    let measured = &found.rows[0].runs[0].measured;
    assert!(measured.goodput_bps.abs() < 1e-9);
    assert_eq!(measured.segments, 0);
    assert!(measured.samples.is_empty() && measured.rtt_mean_s.is_none());
    assert!(found.rows[0].measured(Measure::Resent).is_none());
}
