//! Calls Veno with the events of an invented connection: `cargo run -p dumbbell-control --example by_hand`

use std::collections::HashMap;

use dumbbell_control::algorithm::veno::{Config, Veno};
use dumbbell_control::controller::{Algorithm, Controller, Value};
use dumbbell_control::event::{Ack, Loss, Path, Sample, Timeout};
use dumbbell_control::parameter::{Config as _, Setting};
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

/// An event, the window after it, and the rule that set this window.
pub(crate) struct Step {
    at: Instant,
    event: String,
    pub(crate) cwnd: Segments,
    pub(crate) branch: &'static str,
    pub(crate) why: String,
}

/// A host: the time, its controller, and the steps so far.
struct Host {
    now: Instant,
    veno: Veno,
    steps: Vec<Step>,
}

impl Host {
    /// An ACK of one segment outside recovery: the window may grow.
    fn ack(&mut self, rtt_ms: u64) {
        self.wait();
        let rtt = Duration::from_millis(rtt_ms);
        let sample = Sample::new(self.now, Segments::ONE).with_rtt(rtt);
        // A host reports every ACK to the estimators first.
        self.veno.on_sample(&sample);
        self.step(format!("ACK, RTT {rtt_ms} ms"), |veno, now, in_flight| {
            veno.on_ack(&Ack::new(now, Segments::ONE, in_flight));
        });
    }

    /// The third duplicate ACK: a loss episode begins. A host reports it once, however many segments are lost.
    fn lose(&mut self) {
        self.wait();
        let sample = Sample::new(self.now, Segments::ONE).with_duplicate(true);
        self.veno.on_sample(&sample);
        self.step("loss".into(), |veno, now, in_flight| {
            veno.on_loss(&Loss::new(now, in_flight));
        });
    }

    fn time_out(&mut self) {
        self.wait();
        self.step("timeout".into(), |veno, now, in_flight| {
            veno.on_timeout(&Timeout::new(now, in_flight));
        });
    }

    fn wait(&mut self) {
        self.now = self.now + Duration::from_millis(10);
    }

    /// Reports an event, and records the new window and its rule.
    fn step(&mut self, event: String, tell: impl FnOnce(&mut Veno, Instant, Segments)) {
        // The condition of a rule refers to the values before the event.
        let mut known = values(&self.veno);
        let window = self.veno.window();
        for (name, value) in [("cwnd", window.cwnd), ("ssthresh", window.ssthresh)] {
            known.insert(name, Value::Segments(value.as_f64()));
        }
        // This host always has a full window outstanding.
        tell(&mut self.veno, self.now, window.cwnd);
        let Some(Value::Rule(rule)) = values(&self.veno).get("rule").copied() else {
            return; // Does not happen: every control of this crate reports a rule.
        };
        self.steps.push(Step {
            at: self.now,
            event,
            cwnd: self.veno.window().cwnd,
            branch: rule.branch,
            why: format!(
                "{}: {} ({})",
                fill(rule.condition, &known),
                fill(rule.action, &known),
                rule.source
            ),
        });
    }
}

/// The values that a controller reports, by name.
fn values(control: &impl Controller) -> HashMap<&'static str, Value> {
    let mut values = HashMap::new();
    control.explain(&mut |name, value| {
        values.insert(name, value);
    });
    values
}

/// Fills in a rule's template: `{name}` is replaced by a known value, or else by a parameter.
fn fill(template: &str, known: &HashMap<&'static str, Value>) -> String {
    let mut parts = template.split(['{', '}']);
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let (Some(name), Some(rest)) = (parts.next(), parts.next()) {
        let value = known.get(name).and_then(|value| value.number());
        text += &match (value, Config::default().get(name)) {
            (Some(number), _) => format!("{number:.2}"),
            (_, Some(Setting::Segments(segments))) => segments.as_f64().to_string(),
            (_, Some(Setting::Ratio(ratio))) => ratio.as_f64().to_string(),
            (_, Some(Setting::Choice(word))) => word.to_owned(),
            _ => "unknown".to_owned(),
        };
        text += rest;
    }
    text
}

pub(crate) fn story() -> Vec<Step> {
    let path = Path::new(Bytes(1000))
        .with_initial_window(Segments::whole(8))
        .with_ssthresh(Segments::whole(10));
    let mut host = Host {
        now: Instant::ZERO,
        veno: Veno::new(&Config::default(), &path),
        steps: Vec::new(),
    };
    // Two ACKs end slow start. Constant round-trip times mean that there is no queue.
    for _ in 0..4 {
        host.ack(60);
    }
    // Veno therefore treats this loss as random, and keeps four fifths of the window.
    host.lose();
    for _ in 0..3 {
        host.ack(60);
    }
    // Now round-trip times rise. Growth becomes slower once at least three segments wait in a queue.
    for rtt in [90, 120, 150, 180, 210, 240, 270, 300] {
        host.ack(rtt);
    }
    // Veno treats this loss as congestion, and halves the window.
    host.lose();
    host.time_out();
    host.steps
}

fn main() {
    for step in story() {
        println!(
            "{:>4.0} ms  {:<15}  cwnd {:>5.2}  {:<15} {}",
            step.at.as_secs_f64() * 1e3,
            step.event,
            step.cwnd.as_f64(),
            step.branch,
            step.why,
        );
    }
}
