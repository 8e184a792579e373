//! A rate control that reports what it does.

use std::sync::{Arc, Mutex};

use dumbbell_control::controller::{Value, Window};
use dumbbell_control::units::{Instant, Segments};
use dumbbell_media::control::{Control, Report, Sent};

use super::step::{Event, Reason, Step, Values};
use super::story::{self, Story};
use crate::flow::Told;

/// A rate control, and the story to which the changes of its target rate are reported. Bytes that wait at the sender may
/// move the rate by themselves; that has no line.
pub(super) struct Narrator {
    inner: Told,
    flow: usize,
    story: Arc<Mutex<Story>>,
    values: Values,
    values_after: Values,
}

impl Narrator {
    pub(super) fn new(flow: usize, inner: Told, story: Arc<Mutex<Story>>) -> Self {
        Self {
            inner,
            flow,
            story,
            values: Values::new(),
            values_after: Values::new(),
        }
    }

    /// Passes an event on, and tells what it does to the rate.
    fn witness(&mut self, now: Instant, event: Event, pass: impl FnOnce(&mut Told)) {
        let before = self.inner.target_rate();
        explained(&self.inner, &mut self.values);
        pass(&mut self.inner);
        explained(&self.inner, &mut self.values_after);
        let after = self.inner.target_rate();
        let mut rules = self.values_after.iter().filter(|(name, _)| *name == "rule");
        let reason = match rules.next() {
            Some((_, Value::Rule(rule))) => Reason::Rule(rule),
            _ => Reason::Unsaid,
        };
        let none = Window {
            cwnd: Segments::ZERO,
            ssthresh: Segments::MAX,
        };
        story::lock(&self.story).hear(&Step {
            now,
            flow: self.flow,
            event,
            reason,
            before: none,
            after: none,
            rates: Some((before, after)),
            values: &self.values,
            values_after: &self.values_after,
        });
    }
}

impl Control for Narrator {
    fn on_waiting(&mut self, now: Instant, bytes: u64) {
        self.inner.on_waiting(now, bytes);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.inner.on_sent(sent);
    }

    fn on_report(&mut self, report: &Report<'_>) {
        self.witness(report.now, Event::Report, |control| {
            control.on_report(report);
        });
    }

    fn on_timer(&mut self, now: Instant) {
        self.witness(now, Event::Timer, |control| control.on_timer(now));
    }

    fn deadline(&self) -> Option<Instant> {
        self.inner.deadline()
    }

    fn target_rate(&self) -> f64 {
        self.inner.target_rate()
    }

    fn pacing_rate(&self) -> f64 {
        self.inner.pacing_rate()
    }

    fn window(&self) -> Option<u64> {
        self.inner.window()
    }

    fn padding(&self) -> Option<u32> {
        self.inner.padding()
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.inner.explain(out);
    }
}

fn explained(control: &Told, values: &mut Values) {
    values.clear();
    control.explain(&mut |name, value| values.push((name, value)));
}
