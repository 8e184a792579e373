//! A run has the same results with and without an explanation.

use dumbbell_run::Run;
use dumbbell_run::explain::{self, Question};
use dumbbell_scenario::Scenario;

use super::{answers, controls, dumbbell, flow};

fn assert_same(scenario: &Scenario, name: &str) {
    let plain = Run::new(scenario).seed(scenario.seed).go();
    let plain = plain.expect("nobody interrupts it").outcome;
    assert!(plain.events > 500, "{name} does something");
    let flows = explain::select(scenario, &[]).expect("there is one");
    for all in [false, true] {
        for flows in [flows.clone(), flows[..1].to_vec()] {
            let question = Question {
                flows,
                from: dumbbell_scenario::Duration::ZERO,
                to: scenario.duration,
                all,
            };
            let (_, explained, _) = answers(scenario, &question);
            assert_eq!(explained, plain, "{name}, all: {all}");
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
fn every_control_with_the_options_of_hosts() {
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
