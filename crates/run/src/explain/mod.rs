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
mod kind;
mod line;
mod narrator;
mod number;
mod select;
mod span;
mod step;
mod story;
mod template;

use std::sync::{Arc, Mutex};

use dumbbell_control::units::Segments;
use dumbbell_scenario::{Duration, Scenario, Traffic, named_flows};

pub use kind::Kind;
pub use line::{Known, Line, Tally};
pub use select::{WrongFlow, names, reconstructed, select};

use crate::flow::Control;
use crate::stage::Watch;
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

/// Who tells why the windows of a run change: to be given to [`Run::watch`](crate::Run::watch).
///
/// ```
/// use dumbbell_run::Run;
/// use dumbbell_run::explain::{Explainer, Question};
/// use dumbbell_scenario::{Scenario, controls::Controls};
///
/// let text = r#"
///     duration = "10 s"
///     [dumbbell]
///     access     = { rate = "10 Mb/s", delay = "1 ms" }
///     bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 }, loss = { bernoulli = 0.01 } }
///     [[flow]]
///     control = "veno"
/// "#;
/// let scenario = Scenario::parse("example", text, &Controls::builtin())?;
/// let explainer = Explainer::new(&scenario, &Question::about(&scenario), |line| {
///     println!("{:.3} s: {}", line.time_s, line.reason());
/// });
/// Run::new(&scenario).watch(&explainer).go()?;
/// println!("{}", explainer.finish());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Explainer {
    flows: Vec<usize>,
    /// The receiver's window of each flow, where it is limited.
    most: Vec<Option<Segments>>,
    story: Arc<Mutex<Story>>,
}

impl Question {
    /// Why any window of a scenario was reduced, from its start to its end.
    pub fn about(scenario: &Scenario) -> Self {
        Self {
            flows: (0..scenario.flow_count()).collect(),
            from: Duration::ZERO,
            to: scenario.duration,
            all: false,
        }
    }
}

impl Explainer {
    /// Calls `tell` for each line, in order of time, while the run goes.
    pub fn new(
        scenario: &Scenario,
        question: &Question,
        tell: impl FnMut(&Line) + Send + 'static,
    ) -> Self {
        let constants: Vec<Option<Constants>> = named_flows(scenario)
            .map(|(flow, name)| match &flow.traffic {
                Traffic::Tcp(tcp) => Some(Constants::new(name, tcp)),
                Traffic::Udp(_) | Traffic::Media(_) => None,
            })
            .collect();
        let most = constants
            .iter()
            .map(|constants| constants.as_ref()?.receiver_window())
            .collect();
        Self {
            flows: question.flows.clone(),
            most,
            story: Arc::new(Mutex::new(Story::new(question, constants, Box::new(tell)))),
        }
    }

    /// Tells what is still open, at the end of a run or of as much of it as there was, and sums up.
    pub fn finish(&self) -> Tally {
        story::lock(&self.story).finish()
    }
}

impl Watch for Explainer {
    fn watch(&self, flow: usize, control: Control) -> Control {
        if !self.flows.contains(&flow) {
            return control;
        }
        let story = Arc::clone(&self.story);
        Control::Custom(Box::new(Narrator::new(
            flow,
            control,
            self.most[flow],
            story,
        )))
    }
}
