//! The comparison: a control of the crate takes the events that the reference takes, and must show the same after
//! each.

use std::collections::VecDeque;

use dumbbell_control::controller::{Controller, Value};
use dumbbell_control::units::Rate;

use crate::host::{Event, Host};
use crate::path::Scenario;
use crate::reference::Reference;

/// The names under which a control explains its state and `BBR.max_bw`.
pub const STATE: &str = "phase";
pub const MAX_BW: &str = "max_bw";
/// How many events a difference is reported with.
const SHOWN: usize = 20;

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shown {
    state: &'static str,
    cwnd: f64,
    /// Bits per second.
    pacing_rate: f64,
    max_bw: f64,
}

impl Shown {
    fn of_reference(bbr: &Reference) -> Self {
        let bits = |raw| Rate::from_raw(raw).as_bits_per_second();
        Self {
            state: bbr.state(),
            cwnd: bbr.cwnd() as f64,
            pacing_rate: bits(bbr.pacing_rate()),
            max_bw: bits(bbr.max_bw()),
        }
    }

    fn of_control(control: &impl Controller) -> Self {
        let mut shown = Self {
            state: "not explained",
            cwnd: control.window().cwnd.as_f64(),
            pacing_rate: control.pacing().unwrap_or_default().as_bits_per_second(),
            max_bw: f64::NAN,
        };
        control.explain(&mut |name, value| match value {
            Value::State(state) if name == STATE => shown.state = state,
            Value::BitRate(rate) if name == MAX_BW => shown.max_bw = rate,
            _ => {}
        });
        shown
    }

    fn agrees_with(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
        self.state == other.state
            && self.cwnd == other.cwnd
            && near(self.pacing_rate, other.pacing_rate)
            && near(self.max_bw, other.max_bw)
    }
}

fn feed(control: &mut impl Controller, event: &Event) {
    match event {
        Event::Sent(sent) => control.on_sent(sent),
        Event::Lost(lost) => control.on_lost_segment(lost),
        Event::Sample(sample) => control.on_sample(sample),
        Event::Ack(ack) => control.on_ack(ack),
        Event::Loss(loss) => control.on_loss(loss),
        Event::Timeout(timeout) => control.on_timeout(timeout),
        Event::Restore(window) => control.restore(window),
        Event::Delivery(delivery) => control.on_delivery(delivery),
    }
}

/// Runs a scenario with the reference. Returns the number of events after all of which the control showed the same;
/// or the first difference and the events before it.
pub fn compare(scenario: &Scenario, control: &mut impl Controller) -> Result<u64, String> {
    let mut last = VecDeque::new();
    let (mut count, mut difference) = (0, None);
    let mut watch = |event: &Event, bbr: &Reference| {
        feed(control, event);
        let (expected, found) = (Shown::of_reference(bbr), Shown::of_control(control));
        count += 1;
        if last.len() == SHOWN {
            last.pop_front();
        }
        last.push_back((count, *event, expected));
        if !expected.agrees_with(&found) {
            difference = Some((expected, found, bbr.clone()));
        }
        difference.is_none()
    };
    let bbr = Reference::new(scenario.mss, 10);
    Host::new(scenario, bbr, &mut watch).run();
    let Some((expected, found, bbr)) = difference else {
        return Ok(count);
    };
    let mut report = format!(
        "{}: event {count}\nreference: {expected:?}\n  control: {found:?}\n",
        scenario.name
    );
    for (number, event, shown) in &last {
        report += &format!("{number}: {event:?}\n    -> {shown:?}\n");
    }
    Err(report + &format!("{bbr:?}\n"))
}
