//! Why each window changed: the event, what the control knew, the branch it took and where the rule
//! is printed.
//!
//! A narrator around the control of a flow notes the window and what the control explains before
//! each event, and the rule and the window after it. It passes every event on and every answer back,
//! so that the run is the same with it and without it. A story puts the steps of all flows in
//! order, and folds growth by the same rule into one [`Line`]. Nothing is kept but what is open: a run
//! may be as long as it likes.

mod fact;
mod host;
mod line;
mod narrator;
mod number;
mod select;
mod span;
mod step;
mod story;
mod template;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use dumbbell_control::units::{Duration, Segments};

pub use line::{Kind, Known, Line, Tally};
pub use select::{WrongFlow, names, reconstructed, select};

use crate::outcome::Outcome;
use crate::scenario::{Scenario, Traffic};
use crate::simulation::{self, Control};
use fact::Constants;
use narrator::Narrator;
use story::Story;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The flows, by their places among the run's flows; see [`select`].
    pub flows: Vec<usize>,
    /// Events before this time are passed over.
    pub from: Duration,
    /// So are events after this one.
    pub to: Duration,
    /// Growth, too, and what left the window as it was.
    pub all: bool,
}

/// Runs a scenario with a seed and calls `tell` for each line, in order of time, while it runs.
/// Answers nothing if it was interrupted; what was told until then is true.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    question: &Question,
    interrupted: &AtomicBool,
    progress: impl Fn(),
    tell: impl FnMut(&Line) + Send + 'static,
) -> Option<(Outcome, Tally)> {
    let constants: Vec<Option<Constants>> = simulation::named_flows(scenario)
        .map(|(flow, name)| match &flow.traffic {
            Traffic::Tcp(tcp) => Some(Constants::new(name, tcp)),
            Traffic::Udp(_) | Traffic::Media(_) => None,
        })
        .collect();
    let most: Vec<Option<Segments>> = constants
        .iter()
        .map(|constants| constants.as_ref()?.receiver_window())
        .collect();
    let story = Arc::new(Mutex::new(Story::new(question, constants, Box::new(tell))));
    let wrap = |flow: usize, control: Control| {
        if !question.flows.contains(&flow) {
            return control;
        }
        let story = Arc::clone(&story);
        Control::Custom(Box::new(Narrator::new(flow, control, most[flow], story)))
    };
    let done = simulation::run_wrapped(scenario, seed, None, &wrap, interrupted, progress);
    let tally = story::lock(&story).finish();
    done.map(|(outcome, _)| (outcome, tally))
}
