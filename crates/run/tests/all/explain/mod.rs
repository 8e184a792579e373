//! Explanations: the run stays the same, every change is reported once, and the reports are true.

mod choice;
mod comparisons;
mod completeness;
mod custom;
mod predictions;
mod rates;
mod reasons;
mod related;
mod same_run;
mod sarbe;
mod states;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_run::Run;
use dumbbell_run::explain::{self, Explainer, Known, Line, Question, Tally};
use dumbbell_run::outcome::Outcome;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// A dumbbell of 2 Mb/s and 60 ms with these flows, a queue and a loss rate.
fn dumbbell(seconds: u32, queue: u32, loss: f64, flows: &str) -> Scenario {
    let text = format!(
        "duration = \"{seconds} s\"\n\
         [dumbbell]\n\
         access = {{ rate = \"10 Mb/s\", delay = \"10 ms\" }}\n\
         bottleneck = {{ rate = \"2 Mb/s\", delay = \"10 ms\", queue = {{ droptail = {queue} }}, loss = {{ bernoulli = {loss} }} }}\n\
         {flows}"
    );
    Scenario::parse("test.toml", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"))
}

/// Every control that does not need reports from routers.
fn controls() -> impl Iterator<Item = AnyConfig> {
    registry::all().filter(|config| !config.needs().queueing)
}

/// One flow with this control and this recovery.
fn flow(control: &str, recovery: &str) -> String {
    format!("[[flow]]\ncontrol = \"{control}\"\nrecovery = \"{recovery}\"\n")
}

/// All lines about all TCP flows.
fn everything(scenario: &Scenario) -> (Vec<Line>, Outcome) {
    let (lines, outcome, _) = told(scenario, true);
    (lines, outcome)
}

/// The lines about all TCP flows, with all growth if `all`.
fn told(scenario: &Scenario, all: bool) -> (Vec<Line>, Outcome, Tally) {
    let question = Question {
        flows: explain::select(scenario, &[]).expect("there is one"),
        from: dumbbell_scenario::Duration::ZERO,
        to: scenario.duration,
        all,
    };
    answers(scenario, &question)
}

fn answers(scenario: &Scenario, question: &Question) -> (Vec<Line>, Outcome, Tally) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&lines);
    let tell = move |line: &Line| heard.lock().expect("no panic").push(line.clone());
    let explainer = Explainer::new(scenario, question, tell);
    let done = Run::new(scenario).watch(&explainer).go();
    let tally = explainer.finish();
    let lines = std::mem::take(&mut *lines.lock().expect("no panic"));
    (lines, done.expect("nobody interrupts it").outcome, tally)
}

/// A number that a control reported before an event.
fn before(line: &Line, name: &str) -> Option<f64> {
    number(line.values.get(name))
}

/// A number that a control reported after an event.
fn after(line: &Line, name: &str) -> Option<f64> {
    number(line.values_after.get(name))
}

fn number(known: Option<&Known>) -> Option<f64> {
    match known {
        Some(Known::Number(number)) => Some(*number),
        _ => None,
    }
}

fn word<'l>(line: &'l Line, name: &str) -> &'l str {
    match line.values_after.get(name) {
        Some(Known::Word(word)) => word,
        _ => panic!("no word {name} in {line:?}"),
    }
}

/// Checks that two numbers agree to a millionth.
#[track_caller]
fn assert_near(number: f64, expected: f64, line: &Line) {
    assert!(
        (number - expected).abs() <= 1e-6 * expected.abs().max(1.0),
        "{number} is not {expected}: {line:?}"
    );
}

/// The branches of these lines.
fn branches<'l>(lines: impl IntoIterator<Item = &'l Line>) -> BTreeSet<&'static str> {
    lines.into_iter().map(|line| line.branch).collect()
}
