//! Turns the steps of all flows into lines in order of time.
//!
//! A line about growth stays open until the flow applies another rule, or until any window is
//! reduced. Then all open lines are finished and sorted by their start times. So lines are always
//! in order of time, and few of them are kept.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dumbbell_control::controller::Window;
use dumbbell_control::units::{Duration, Instant, Segments};

use super::Question;
use super::fact::Constants;
use super::kind::Kind;
use super::line::{self, Line, Tally};
use super::span::Span;
use super::step::{Event, Step};
use super::template::Template;

/// The most finished lines that wait to be sorted and reported.
const MOST_WAITING: usize = 4096;

type Tell = Box<dyn FnMut(&Line) + Send>;

/// The steps that have been received but not yet reported.
pub(super) struct Story {
    all: bool,
    from: Duration,
    to: Duration,
    flows: Vec<Option<Constants>>,
    /// Open lines of growth, or of changes of bounds, by the same rule, by flow.
    open: BTreeMap<usize, Draft>,
    waiting: Vec<Line>,
    tally: Tally,
    tell: Tell,
}

/// A line that may still be extended.
struct Draft {
    kind: Kind,
    event: Event,
    texts: [&'static str; 4],
    condition: Part,
    action: Part,
    until: Instant,
    /// The line except its condition and its end; its action holds only the remark that follows the
    /// rule's action.
    line: Line,
}

/// A template, and the values that its names have had.
struct Part {
    template: Template,
    spans: Vec<Span>,
}

/// Locks the story, even if a thread panicked while holding the lock.
pub(super) fn lock(story: &Mutex<Story>) -> MutexGuard<'_, Story> {
    story.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Story {
    pub(super) fn new(question: &Question, flows: Vec<Option<Constants>>, tell: Tell) -> Self {
        Self {
            all: question.all,
            from: question.from,
            to: question.to,
            flows,
            open: BTreeMap::new(),
            waiting: Vec::new(),
            tally: Tally::default(),
            tell,
        }
    }

    /// Processes a step.
    pub(super) fn hear(&mut self, step: &Step<'_>) {
        let now = step.now.since(Instant::ZERO);
        if now < self.from || now > self.to {
            return;
        }
        let Some(Some(constants)) = self.flows.get(step.flow) else {
            return;
        };
        let kind = step.kind();
        if step.rates.is_some() {
            if kind != Kind::Reduction && !self.all {
                // What follows growth is another fall.
                if kind == Kind::Growth
                    && let Some(open) = self.open.remove(&step.flow)
                {
                    self.wait(open);
                }
                return;
            }
            let open = self.open.get_mut(&step.flow);
            if open.is_some_and(|draft| draft.kind == kind && draft.take(step, constants)) {
                return;
            }
            let draft = Draft::new(step, constants);
            if let Some(draft) = self.open.insert(step.flow, draft) {
                self.wait(draft);
            }
            return;
        }
        match kind {
            Kind::Reduction | Kind::Spared | Kind::Restoration => {
                let draft = Draft::new(step, constants);
                self.catch_up();
                self.say(draft.finish());
            }
            Kind::Growth | Kind::Hold | Kind::Transition if !self.all => {}
            Kind::Growth | Kind::Hold | Kind::Bounds => {
                let open = self.open.get_mut(&step.flow);
                if open.is_some_and(|draft| draft.take(step, constants)) {
                    return;
                }
                let draft = Draft::new(step, constants);
                if let Some(draft) = self.open.insert(step.flow, draft) {
                    self.wait(draft);
                }
            }
            Kind::Transition | Kind::State => {
                let draft = Draft::new(step, constants);
                if let Some(open) = self.open.remove(&step.flow) {
                    self.wait(open);
                }
                self.wait(draft);
            }
        }
    }

    /// Reports the remaining lines.
    pub(super) fn finish(&mut self) -> Tally {
        self.catch_up();
        self.tally.clone()
    }

    fn wait(&mut self, draft: Draft) {
        self.waiting.push(draft.finish());
        if self.waiting.len() >= MOST_WAITING {
            self.catch_up();
        }
    }

    /// Finishes all open lines and reports them in order.
    fn catch_up(&mut self) {
        let open = std::mem::take(&mut self.open);
        self.waiting.extend(open.into_values().map(Draft::finish));
        let mut lines = std::mem::take(&mut self.waiting);
        lines.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
        for line in lines {
            self.say(line);
        }
    }

    fn say(&mut self, line: Line) {
        self.tally.count(&line);
        (self.tell)(&line);
    }
}

impl Draft {
    fn new(step: &Step<'_>, constants: &Constants) -> Self {
        let texts = step.texts();
        let [branch, condition, action, source] = texts;
        let kind = step.kind();
        let time_s = step.now.as_secs_f64();
        Self {
            kind,
            event: step.event,
            texts,
            condition: Part::new(condition, step, constants),
            action: Part::new(action, step, constants),
            until: step.now,
            line: Line {
                time_s,
                until_s: time_s,
                flow: step.flow + 1,
                name: constants.name.clone(),
                control: constants.control().to_owned(),
                event: step.event.name(),
                count: 1,
                kind,
                in_flight: step.event.in_flight().map(Segments::as_f64),
                branch,
                condition: String::new(),
                action: remark(step, constants),
                source,
                cwnd_before: window(step, step.before),
                cwnd_after: window(step, step.after),
                rate_before_bps: step.rates.map(|(before, _)| before),
                rate_after_bps: step.rates.map(|(_, after)| after),
                ssthresh_before: line::threshold(step.before.ssthresh),
                ssthresh_after: line::threshold(step.after.ssthresh),
                values: line::known(step.values),
                values_after: line::known(step.values_after),
            },
        }
    }

    /// Extends the line by a further step, if the step is another ACK, change of bounds, report or timer, by the same rule.
    fn take(&mut self, step: &Step<'_>, constants: &Constants) -> bool {
        let both = (self.event, step.event);
        let alike = matches!(
            both,
            (Event::Ack, Event::Ack)
                | (Event::Bounds, Event::Bounds)
                | (Event::Report, Event::Report)
                | (Event::Timer, Event::Timer)
        );
        if !alike || self.texts != step.texts() {
            return false;
        }
        if !self.condition.admits(step, constants) || !self.action.admits(step, constants) {
            return false;
        }
        self.condition.widen(step, constants);
        self.action.widen(step, constants);
        self.until = step.now;
        self.line.count += 1;
        self.line.cwnd_after = window(step, step.after);
        self.line.rate_after_bps = step.rates.map(|(_, after)| after);
        self.line.ssthresh_after = line::threshold(step.after.ssthresh);
        if step.kind() == Kind::Growth {
            self.kind = Kind::Growth;
        }
        true
    }

    fn finish(self) -> Line {
        let action = self.action.fill() + &self.line.action;
        Line {
            until_s: self.until.as_secs_f64(),
            kind: self.kind,
            condition: self.condition.fill(),
            action,
            ..self.line
        }
    }
}

impl Part {
    fn new(template: &'static str, step: &Step<'_>, constants: &Constants) -> Self {
        let template = Template::parse(template);
        let spans = template
            .holes()
            .map(|hole| Span::of(constants.resolve(hole, step)))
            .collect();
        Self { template, spans }
    }

    fn admits(&self, step: &Step<'_>, constants: &Constants) -> bool {
        let mut both = self.template.holes().zip(&self.spans);
        both.all(|(hole, span)| span.admits(constants.resolve(hole, step)))
    }

    fn widen(&mut self, step: &Step<'_>, constants: &Constants) {
        for (hole, span) in self.template.holes().zip(&mut self.spans) {
            span.widen(constants.resolve(hole, step));
        }
    }

    fn fill(&self) -> String {
        self.template.fill(&self.spans)
    }
}

/// A window in segments; no number for a flow that has none.
fn window(step: &Step<'_>, window: Window) -> f64 {
    match step.rates {
        Some(_) => f64::NAN,
        None => window.cwnd.as_f64(),
    }
}

/// Adds what the rule's action does not state: what was cut, if not cwnd, and the floor that was
/// reached.
fn remark(step: &Step<'_>, constants: &Constants) -> String {
    let mut remark = String::new();
    let [_, _, action, _] = step.texts();
    if action.contains("{loss_window}")
        && constants.word("loss_window") == Some("flight")
        && let Some(in_flight) = step.event.in_flight()
    {
        let cut = in_flight.min(step.before.cwnd).as_f64();
        remark = format!(" (flight = {cut:.1})");
    }
    remark + &floor(step, constants).unwrap_or_default()
}

fn floor(step: &Step<'_>, constants: &Constants) -> Option<String> {
    let after = step.after;
    let at = |name: &str, window: Segments| {
        let floor = constants.count(name)?;
        (window == Segments::whole(floor)).then_some(floor)
    };
    let moved = match step.event {
        Event::Loss { .. } | Event::Timeout { .. } => after != step.before,
        Event::Ack => after.cwnd < step.before.cwnd,
        Event::RecoveryEnd
        | Event::Undo
        | Event::Unused
        | Event::SlowStartEnd
        | Event::State
        | Event::Bounds
        | Event::Report
        | Event::Timer => false,
    };
    let threshold = match step.event {
        Event::Ack => None,
        _ => at("min_ssthresh", after.ssthresh),
    };
    let least = threshold.or_else(|| at("min_cwnd", after.cwnd));
    let of = if threshold.is_some() && after.cwnd != after.ssthresh {
        "ssthresh "
    } else {
        ""
    };
    least
        .filter(|_| moved)
        .map(|least| format!(", {of}at least {least}"))
}
