//! A run that is explained is the run that is not.

use std::sync::atomic::AtomicBool;

use dumbbell_lab::explain::{self, Question};
use dumbbell_lab::outcome::Outcome;
use dumbbell_lab::scenario::Scenario;
use dumbbell_lab::simulation;

use crate::{answers, controls, dumbbell, flow};

/// All but the time that it took.
fn timeless(outcome: Outcome) -> Outcome {
    Outcome {
        wall_s: 0.0,
        cpu_s: 0.0,
        ..outcome
    }
}

fn assert_same(scenario: &Scenario, name: &str) {
    let plain = simulation::run(scenario, scenario.seed, &AtomicBool::new(false));
    let plain = timeless(plain.expect("nobody interrupts it"));
    assert!(plain.events > 500, "{name} does something");
    let flows = explain::select(scenario, &[]).expect("there is one");
    for all in [false, true] {
        for flows in [flows.clone(), flows[..1].to_vec()] {
            let question = Question {
                flows,
                from: dumbbell_lab::Duration::ZERO,
                to: scenario.duration,
                all,
            };
            let (_, explained, _) = answers(scenario, &question);
            assert_eq!(timeless(explained), plain, "{name}, all: {all}");
        }
    }
}

#[test]
fn every_control_with_every_recovery() {
    for config in controls() {
        for recovery in config.recoveries() {
            let flows = flow(config.name(), recovery).repeat(2);
            let scenario = dumbbell(20, 12, 0.01, &flows);
            assert_same(&scenario, &format!("{} ({recovery})", config.name()));
        }
    }
}

#[test]
fn every_control_under_the_options_that_hosts_have() {
    let options = [
        "receiver_window = 9",
        "delayed_ack = true",
        "size = \"300 segments\"",
        "timestamps = { granularity = \"10 ms\" }",
        "handshake = false\nlimited_transmit = false\nssthresh = 8",
    ];
    for config in controls() {
        for option in options {
            let flows = format!("[[flow]]\ncontrol = \"{}\"\n{option}\n", config.name());
            let scenario = dumbbell(10, 12, 0.01, &flows);
            assert_same(&scenario, &format!("{}, {option}", config.name()));
        }
    }
}
