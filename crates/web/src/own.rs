//! A control of the user's, in JavaScript: its functions are called for each event, with the state as numbers.
//!
//! Windows, times and round-trip times are floats here, as they are in JavaScript. The window that comes back is
//! checked: one that is no number, or larger than any path needs, ends the run with a message.

use dumbbell_control::controller::{Controller, Signals, Value, Window};
use dumbbell_control::event::{Ack, Loss, LossSignal, Path, Sample, Sent, Timeout};
use dumbbell_control::rule::Rule;
use dumbbell_control::units::{Instant, Segments};
use dumbbell_scenario::controls::{Added, Alarm, Controls};

use crate::host;

/// Its name in scenarios.
pub(crate) const NAME: &str = "own";
/// The largest window, in segments. A larger one is a mistake, and would fill the memory with packets.
const MOST: f64 = 1e6;

/// The events, as the host knows them.
const START: u32 = 0;
const ACK: u32 = 1;
const LOSS: u32 = 2;
const TIMEOUT: u32 = 3;

/// The functions, by the numbers of their events.
const FUNCTIONS: [&str; 4] = ["onStart", "onAck", "onLoss", "onTimeout"];

static RULES: [Rule; 4] = [
    rule("onStart"),
    rule("your onAck"),
    rule("your onLoss"),
    rule("your onTimeout"),
];

const fn rule(branch: &'static str) -> Rule {
    Rule {
        branch,
        condition: "",
        action: "",
        source: "your own code",
    }
}

/// The controls that a scenario of the page can name.
pub(crate) fn controls() -> Controls {
    let mut controls = Controls::builtin();
    let own = Added::new(NAME, |_, path, alarm| {
        Box::new(Own::new(path, alarm.clone()))
    })
    .summary("your own control, as the functions onAck, onLoss and onTimeout in JavaScript")
    .needs(Signals::RTT);
    // The registry has no control of this name.
    let _ = controls.add(own);
    controls
}

/// Places in the state.
mod place {
    pub const CWND: usize = 0;
    pub const SSTHRESH: usize = 1;
    pub const TIME: usize = 2;
    pub const RTT: usize = 3;
    pub const SRTT: usize = 4;
    pub const MIN_RTT: usize = 5;
    pub const FLIGHT: usize = 6;
    pub const MSS: usize = 7;
    /// What is known of the event: two numbers.
    pub const EVENT: usize = 8;
    pub const COUNT: usize = 10;
}

struct Own {
    state: [f64; place::COUNT],
    event: u32,
    alarm: Alarm,
    /// A control that has failed keeps its window until the run stops.
    failed: bool,
}

impl Own {
    fn new(path: &Path, alarm: Alarm) -> Self {
        let mut state = [f64::NAN; place::COUNT];
        state[place::CWND] = path.initial_window.as_f64();
        state[place::SSTHRESH] = float(path.ssthresh);
        state[place::TIME] = 0.0;
        state[place::FLIGHT] = 0.0;
        state[place::MSS] = path.mss.0 as f64;
        let mut own = Self {
            state,
            event: START,
            alarm,
            failed: false,
        };
        own.call(START, Instant::ZERO, [0.0; 2]);
        own
    }

    fn call(&mut self, event: u32, now: Instant, about: [f64; 2]) {
        if self.failed {
            return;
        }
        self.event = event;
        let before = self.state;
        self.state[place::TIME] = now.as_secs_f64();
        self.state[place::EVENT..].copy_from_slice(&about);
        let flow = self.alarm.flow() as u32;
        let wrong = match host::call_own(event, flow, &mut self.state) {
            true => self.fault(),
            false => Some("the code of the control failed".to_owned()),
        };
        if let Some(wrong) = wrong {
            self.failed = true;
            self.state = before;
            self.alarm.raise(now, wrong);
        }
    }

    /// What is wrong with the window.
    fn fault(&mut self) -> Option<String> {
        let function = FUNCTIONS[self.event as usize];
        let cwnd = self.state[place::CWND];
        if !cwnd.is_finite() || cwnd > MOST {
            return Some(format!(
                "state.cwnd is {} after {function}; it must be a number of segments up to {MOST}",
                shown(cwnd)
            ));
        }
        let ssthresh = self.state[place::SSTHRESH];
        if ssthresh.is_nan() || ssthresh == f64::NEG_INFINITY {
            return Some(format!(
                "state.ssthresh is {} after {function}; it must be a number of segments, or Infinity",
                shown(ssthresh)
            ));
        }
        self.state[place::CWND] = cwnd.max(1.0);
        self.state[place::SSTHRESH] = ssthresh.max(1.0);
        None
    }
}

/// A number as JavaScript writes it.
fn shown(number: f64) -> String {
    match number {
        _ if number.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        _ => format!("{number}"),
    }
}

fn float(segments: Segments) -> f64 {
    if segments == Segments::MAX {
        f64::INFINITY
    } else {
        segments.as_f64()
    }
}

fn segments(number: f64) -> Segments {
    if number > MOST {
        return Segments::MAX;
    }
    Segments::from_raw((number * Segments::ONE.raw() as f64) as u64)
}

impl Controller for Own {
    fn on_sent(&mut self, sent: &Sent) {
        self.state[place::FLIGHT] = sent.in_flight.saturating_add(sent.segments).as_f64();
    }

    fn on_sample(&mut self, sample: &Sample) {
        let Some(rtt) = sample.rtt_of_new_data() else {
            return;
        };
        let rtt = rtt.as_secs_f64();
        let [srtt, least] = [place::SRTT, place::MIN_RTT].map(|at| self.state[at]);
        self.state[place::RTT] = rtt;
        self.state[place::SRTT] = match srtt.is_nan() {
            true => rtt,
            false => srtt + (rtt - srtt) / 8.0,
        };
        // Not a number before the first sample, which `min` leaves out.
        self.state[place::MIN_RTT] = least.min(rtt);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.state[place::FLIGHT] = ack.in_flight.as_f64();
        let about = [ack.acked.as_f64(), f64::from(u8::from(ack.app_limited))];
        self.call(ACK, ack.now, about);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.state[place::FLIGHT] = loss.in_flight.as_f64();
        let by = match loss.by {
            LossSignal::FineTimer => 1.0,
            LossSignal::Ecn => 2.0,
            _ => 0.0,
        };
        self.call(LOSS, loss.now, [by, f64::from(loss.transmissions)]);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.state[place::FLIGHT] = timeout.in_flight.as_f64();
        let about = [f64::from(timeout.consecutive), 0.0];
        self.call(TIMEOUT, timeout.now, about);
    }

    fn window(&self) -> Window {
        Window {
            cwnd: segments(self.state[place::CWND]),
            ssthresh: segments(self.state[place::SSTHRESH]),
        }
    }

    fn restrict(&mut self, cwnd: Segments) {
        let least = self.state[place::CWND].min(float(cwnd));
        self.state[place::CWND] = least.max(1.0);
    }

    fn restore(&mut self, before: &Window) {
        self.state[place::CWND] = float(before.cwnd).min(MOST);
        self.state[place::SSTHRESH] = float(before.ssthresh);
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        out("rule", Value::Rule(&RULES[self.event as usize]));
        let known = [
            ("rtt", place::RTT),
            ("srtt", place::SRTT),
            ("base_rtt", place::MIN_RTT),
        ];
        for (name, at) in known {
            if !self.state[at].is_nan() {
                out(name, Value::Seconds(self.state[at]));
            }
        }
    }
}
