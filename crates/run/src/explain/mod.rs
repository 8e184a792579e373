//! Why each window changed: the event, the values that the control knew, the branch that it took,
//! and the source of the rule.
//!
//! A narrator around the control of a flow records the window and the control's values before each
//! event, and the rule and the window after it. It passes every event and every result through
//! unchanged, so the run is the same with and without it. A story puts the steps of all flows in
//! order. It merges growth by the same rule into one [`Line`]; so it does with falls of a rate, which are many and
//! small. Only unfinished lines are kept in memory, so a run may be arbitrarily long.

mod fact;
mod host;
mod kind;
mod line;
mod narrator;
mod number;
mod rate;
mod select;
mod span;
mod step;
mod story;
mod template;
mod text;

use std::sync::{Arc, Mutex};

use dumbbell_control::units::Segments;
use dumbbell_scenario::quantity::Measure;
use dumbbell_scenario::{Duration, Scenario, Traffic, named_flows};

pub use kind::Kind;
pub use line::{Known, Line, Tally};
pub use select::{WrongFlow, names, reconstructed, select};
pub use text::{Columns, caveat};

use crate::flow::{Control, Told};
use crate::stage::Watch;
use fact::Constants;
use narrator::Narrator;
use story::Story;

/// What to explain.
#[derive(Clone, Debug)]
pub struct Question {
    /// The flows, by their positions among the run's flows; see [`select`].
    pub flows: Vec<usize>,
    /// Events before this time are ignored.
    pub from: Duration,
    /// Events after this time are ignored.
    pub to: Duration,
    /// Whether to include growth, and events that left the window unchanged.
    pub all: bool,
}

/// Explains why the windows of a run change; to be passed to [`Run::watch`](crate::Run::watch).
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
    /// The receiver's window of each flow, if it is limited.
    most: Vec<Option<Segments>>,
    /// Whether growth is explained, too.
    all: bool,
    story: Arc<Mutex<Story>>,
}

impl Question {
    /// Asks for every reduction of any window of a scenario, from its start to its end.
    pub fn about(scenario: &Scenario) -> Self {
        Self {
            flows: (0..scenario.flow_count()).collect(),
            from: Duration::ZERO,
            to: scenario.duration,
            all: false,
        }
    }

    /// Asks only for events in a span of time, which ends with the run if `to` is `None`. In messages
    /// its ends are called what `named` returns for `from` and `to`.
    ///
    /// # Errors
    /// In words, if the span is not within the run, or ends before it begins.
    pub fn between(
        mut self,
        (from, to): (Option<Duration>, Option<Duration>),
        scenario: &Scenario,
        named: impl Fn(&str) -> String,
    ) -> Result<Self, String> {
        let end = scenario.duration;
        let (from, to) = (from.unwrap_or(Duration::ZERO), to.unwrap_or(end));
        let show = |time: Duration| Measure::Time.show(time.as_nanos());
        for (option, time) in [("from", from), ("to", to)] {
            if time > end {
                return Err(format!(
                    "{} {} is after the end of the run, which lasts {}",
                    named(option),
                    show(time),
                    show(end)
                ));
            }
        }
        if from > to {
            let (one, other) = (named("from"), named("to"));
            return Err(format!(
                "{one} {} is later than {other} {}",
                show(from),
                show(to)
            ));
        }
        (self.from, self.to) = (from, to);
        Ok(self)
    }
}

impl Explainer {
    /// Calls `tell` for each line, in order of time, during the run.
    pub fn new(
        scenario: &Scenario,
        question: &Question,
        tell: impl FnMut(&Line) + Send + 'static,
    ) -> Self {
        let constants: Vec<Option<Constants>> = named_flows(scenario)
            .map(|(flow, name)| match &flow.traffic {
                Traffic::Tcp(tcp) => Some(Constants::new(name, tcp)),
                Traffic::Media(media) => Some(Constants::of_media(name, media)),
                Traffic::Workload(_) | Traffic::Udp(_) => None,
            })
            .collect();
        let most = constants
            .iter()
            .map(|constants| constants.as_ref()?.receiver_window())
            .collect();
        Self {
            flows: question.flows.clone(),
            most,
            all: question.all,
            story: Arc::new(Mutex::new(Story::new(question, constants, Box::new(tell)))),
        }
    }

    /// Reports the lines that are still open and returns the totals. To be called at the end of a
    /// run, even one that was interrupted.
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
        Control::custom(Box::new(Narrator::new(
            flow,
            control,
            self.most[flow],
            self.all,
            story,
        )))
    }

    fn watch_rate(&self, flow: usize, control: Told) -> Told {
        if !self.flows.contains(&flow) {
            return control;
        }
        Box::new(rate::Narrator::new(flow, control, Arc::clone(&self.story)))
    }
}
