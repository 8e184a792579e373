//! A control that reports what it does.

use std::sync::{Arc, Mutex};

use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::event::{
    Ack, Delivery, Handshake, Loss, LostSegment, MssChange, Sample, Sent, Timeout,
};
use dumbbell_control::units::{Instant, Rate, Segments};

use super::host;
use super::step::{Event, Reason, Step, Values};
use super::story::{self, Story};
use super::template::Template;
use crate::flow::Control;

/// A control, and the story to which its steps are reported.
pub(super) struct Narrator {
    inner: Control,
    flow: usize,
    /// The receiver's window, if it is limited.
    most: Option<Segments>,
    story: Arc<Mutex<Story>>,
    /// The time of the latest event from the host.
    now: Instant,
    /// The next restriction belongs to the previous ACK, whose step already includes it.
    restricted: bool,
    /// Whether the control measures deliveries.
    by_delivery: bool,
    /// Whether the control reports why its state changed.
    has_states: bool,
    /// Whether growth is reported, too.
    all: bool,
    /// The control before an ACK, if only a reduction needs its values.
    kept: Option<Control>,
    /// The control's own rule for ACKs that arrive while the application limits the window.
    limit: Option<Value>,
    values: Values,
    values_after: Values,
}

impl Narrator {
    pub(super) fn new(
        flow: usize,
        inner: Control,
        most: Option<Segments>,
        all: bool,
        story: Arc<Mutex<Story>>,
    ) -> Self {
        let mut values = Values::new();
        explained(&inner, &mut values);
        let has_states = find(&values, "transition").is_some();
        Self {
            inner,
            flow,
            most,
            story,
            now: Instant::ZERO,
            restricted: false,
            by_delivery: false,
            has_states,
            all,
            kept: None,
            limit: None,
            values,
            values_after: Values::new(),
        }
    }

    /// Passes an event on and returns the window before it.
    fn witness(&mut self, now: Instant, event: impl FnOnce(&mut Control)) -> Window {
        self.now = now;
        self.restricted = false;
        let before = self.inner.window();
        explained(&self.inner, &mut self.values);
        event(&mut self.inner);
        explained(&self.inner, &mut self.values_after);
        self.tell_states(before);
        before
    }

    /// Passes an ACK on if only a reduction would be reported. Returns whether it has: if so, and if the ACK
    /// reduced the window, the values are those before and after it.
    fn acknowledge_briefly(&mut self, ack: &Ack) -> Option<Window> {
        if self.all || self.has_states || !self.inner.copy_to(&mut self.kept) {
            return None;
        }
        self.now = ack.now;
        self.restricted = false;
        let before = self.inner.window();
        self.inner.on_ack(ack);
        let after = self.inner.window();
        let falls = after.ssthresh < before.ssthresh || after.cwnd < before.cwnd;
        if (falls || self.most.is_some())
            && let Some(kept) = &self.kept
        {
            explained(kept, &mut self.values);
            explained(&self.inner, &mut self.values_after);
        }
        Some(before)
    }

    /// Passes an event on that changes no window, but perhaps the state.
    fn notice(&mut self, event: impl FnOnce(&mut Control)) {
        if !self.has_states {
            return event(&mut self.inner);
        }
        let before = self.inner.window();
        explained(&self.inner, &mut self.values);
        event(&mut self.inner);
        explained(&self.inner, &mut self.values_after);
        self.tell_states(before);
    }

    /// Tells that the state or the bounds are others than before the event. What the event does to the window has a
    /// step of its own.
    fn tell_states(&self, before: Window) {
        if !self.has_states {
            return;
        }
        let (values, after) = (&self.values, &self.values_after);
        let differs = |name: &str| find(values, name) != find(after, name);
        if let (true, Some(Value::Rule(rule))) = (differs("phase"), find(after, "transition")) {
            self.tell(Event::State, Reason::Rule(rule), before, before);
        }
        let Some(Value::Rule(rule)) = find(after, "bounds") else {
            return;
        };
        let mut named = Template::parse(rule.action).names();
        if named.any(differs) {
            self.tell(Event::Bounds, Reason::Rule(rule), before, before);
        }
    }

    fn tell(&self, event: Event, reason: Reason, before: Window, after: Window) {
        story::lock(&self.story).hear(&Step {
            now: self.now,
            flow: self.flow,
            event,
            reason,
            before,
            after,
            rates: None,
            values: &self.values,
            values_after: &self.values_after,
        });
    }

    /// The rule by which an ACK was handled. If growth depends on the window alone, this is the
    /// rule for the window before the ACK; if the control decides once per round, it is the rule of
    /// the round.
    fn growth_reason(&self) -> Reason {
        let growth = find(&self.values, "growth");
        match growth.or_else(|| find(&self.values_after, "round")) {
            Some(Value::Rule(rule)) => Reason::Rule(rule),
            _ => self.reason(),
        }
    }

    /// Whether the control has its own rule for an ACK that arrives while the application limits
    /// the window. The rule is recognised by the fact that such an ACK made it current.
    fn names_limit(&mut self) -> bool {
        let [before, after] = [&self.values, &self.values_after].map(|values| find(values, "rule"));
        if before != after {
            self.limit = after;
        }
        self.limit.is_some() && self.limit == after
    }

    /// The rule by which the event was handled.
    fn reason(&self) -> Reason {
        match find(&self.values_after, "rule") {
            Some(Value::Rule(rule)) => Reason::Rule(rule),
            Some(Value::State(word)) => Reason::Word(word),
            _ => Reason::Unsaid,
        }
    }
}

impl Controller for Narrator {
    fn on_sample(&mut self, sample: &Sample) {
        self.now = sample.now;
        self.inner.on_sample(sample);
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.now = sent.now;
        self.notice(|control| control.on_sent(sent));
    }

    fn on_handshake(&mut self, handshake: &Handshake) {
        self.now = handshake.now;
        self.inner.on_handshake(handshake);
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.now = lost.now;
        self.notice(|control| control.on_lost_segment(lost));
    }

    /// For a control that measures deliveries, this is what an ACK does.
    fn on_delivery(&mut self, delivery: &Delivery) {
        self.by_delivery = true;
        let before = self.witness(delivery.now, |control| control.on_delivery(delivery));
        self.tell(Event::Ack, self.reason(), before, self.inner.window());
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.inner.on_mss(change);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if self.by_delivery {
            return self.inner.on_ack(ack);
        }
        let before = match self.acknowledge_briefly(ack) {
            Some(before) => before,
            None => self.witness(ack.now, |control| control.on_ack(ack)),
        };
        let mut after = self.inner.window();
        let falls = after.ssthresh < before.ssthresh || after.cwnd < before.cwnd;
        if !self.all && !self.has_states && !falls && self.most.is_none() {
            return;
        }
        let mut reason = self.growth_reason();
        if ack.app_limited && after == before && !self.names_limit() {
            reason = Reason::Rule(&host::APPLICATION);
        }
        if let Some(most) = self.most.filter(|most| after.cwnd > *most) {
            // The host is about to restrict the window, on this ACK.
            self.restricted = true;
            after.cwnd = most;
            reason = Reason::Rule(&host::RECEIVER);
        }
        self.tell(Event::Ack, reason, before, after);
        let left = before.cwnd < before.ssthresh && after.cwnd >= after.ssthresh;
        if left && after.ssthresh == before.ssthresh {
            let reason = Reason::Rule(&host::SLOW_START_ENDS);
            self.tell(Event::SlowStartEnd, reason, after, after);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let before = self.witness(loss.now, |control| control.on_loss(loss));
        let event = Event::Loss {
            by: loss.by,
            transmissions: loss.transmissions,
            in_flight: loss.in_flight,
        };
        self.tell(event, self.reason(), before, self.inner.window());
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let before = self.witness(timeout.now, |control| control.on_timeout(timeout));
        let event = Event::Timeout {
            consecutive: timeout.consecutive,
            in_flight: timeout.in_flight,
        };
        self.tell(event, self.reason(), before, self.inner.window());
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        if self.restricted {
            self.restricted = false;
            self.inner.restrict(cwnd);
            return;
        }
        let before = self.witness(self.now, |control| control.restrict(cwnd));
        let after = self.inner.window();
        if after != before {
            let reason = Reason::Rule(&host::RECOVERY_ENDS);
            self.tell(Event::RecoveryEnd, reason, before, after);
        }
    }

    fn restore(&mut self, prior: &Window) {
        let before = self.witness(self.now, |control| control.restore(prior));
        let after = self.inner.window();
        if after != before {
            let reason = Reason::Rule(&host::UNDONE);
            self.tell(Event::Undo, reason, before, after);
        }
    }

    fn on_unused(&mut self, window: &Window) {
        let before = self.witness(self.now, |control| control.on_unused(window));
        let after = self.inner.window();
        if after != before {
            let reason = Reason::Rule(&host::UNUSED);
            self.tell(Event::Unused, reason, before, after);
        }
    }

    fn end_slow_start(&mut self) {
        let before = self.witness(self.now, Control::end_slow_start);
        let after = self.inner.window();
        if after != before {
            let reason = Reason::Rule(&host::HYSTART);
            self.tell(Event::SlowStartEnd, reason, before, after);
        }
    }

    fn pacing(&self) -> Option<Rate> {
        self.inner.pacing()
    }

    fn send_quantum(&self) -> u32 {
        self.inner.send_quantum()
    }

    fn holds_back(&self) -> bool {
        self.inner.holds_back()
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.inner.explain(out);
    }
}

fn explained(control: &Control, values: &mut Values) {
    values.clear();
    control.explain(&mut |name, value| values.push((name, value)));
}

fn find(values: &Values, name: &str) -> Option<Value> {
    let mut found = values.iter().filter(|(known, _)| *known == name);
    found.next().map(|(_, value)| *value)
}
