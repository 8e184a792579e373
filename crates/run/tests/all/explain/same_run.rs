//! A run has the same results with and without an explanation.

use dumbbell_run::Run;
use dumbbell_run::explain::{self, Kind, Line, Question};
use dumbbell_scenario::Scenario;

use super::{answers, controls, dumbbell, everything, flow, told};

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

/// Without growth, a control is copied before each ACK instead of asked for its values: the lines must be those that
/// are left of all lines without growth. Vegas and others reduce their window on an ACK.
#[test]
fn reductions_are_the_same_with_and_without_growth() {
    let mut on_acks = 0;
    for config in controls() {
        for option in ["", "receiver_window = 9"] {
            let flows = format!("[[flow]]\ncontrol = \"{}\"\n{option}\n", config.name());
            let scenario = dumbbell(20, 12, 0.01, &flows);
            let (few, _, _) = told(&scenario, false);
            let (many, _) = everything(&scenario);
            let cuts = |lines: &[Line]| -> Vec<Line> {
                let kept = |line: &&Line| {
                    matches!(
                        line.kind,
                        Kind::Reduction | Kind::Spared | Kind::Restoration
                    )
                };
                lines.iter().filter(kept).cloned().collect()
            };
            let (few, many) = (cuts(&few), cuts(&many));
            assert!(!many.is_empty(), "{} has losses", config.name());
            assert_eq!(few, many, "{}, {option}", config.name());
            on_acks += many.iter().filter(|line| line.event == "ack").count();
        }
    }
    assert!(on_acks > 10, "{on_acks}");
}
