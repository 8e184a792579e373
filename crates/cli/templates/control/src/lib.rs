//! mycontrol: additive increase, multiplicative decrease, with the fraction that a loss leaves as a
//! parameter. Change the rules below; the rest is what every control has.
//!
//! | event | rule |
//! |---|---|
//! | ACK, cwnd < ssthresh | cwnd += 1 for each acknowledged segment |
//! | ACK, cwnd >= ssthresh | cwnd += 1/cwnd for each acknowledged segment |
//! | loss (3 duplicate ACKs) | ssthresh = cwnd = max(keep x cwnd, 2) |
//! | timeout | ssthresh = max(keep x cwnd, 2), cwnd = 1 |

use dumbbell_control::controller::{Algorithm, Controller, Signals, Value, Window};
use dumbbell_control::event::{Ack, Loss, Path, Sample, Timeout};
use dumbbell_control::parameter::Kind;
use dumbbell_control::parameters;
use dumbbell_control::rule::{self, Rule};
use dumbbell_control::units::{Ratio, Segments};
use dumbbell_scenario::controls::{Controls, Refusal};

parameters! {
    /// The parameters, which a scenario sets: `control = { name = "mycontrol", keep = 0.5 }`.
    pub struct Config {
        /// Fraction of the window that remains after a loss.
        keep: Ratio = Ratio::from_millionths(800_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
    }
}

/// The control of one connection. Windows are in segments.
#[derive(Clone, Debug)]
pub struct Mycontrol {
    keep: f64,
    cwnd: f64,
    ssthresh: f64,
    /// The rule that was applied last.
    rule: &'static Rule,
}

// The rules as `explain` shows them. `{keep}` and `{cwnd}` stand for values before the event.
static SLOW_START: Rule = Rule {
    branch: "slow start",
    condition: "cwnd is below ssthresh",
    action: "cwnd + 1 for each acknowledged segment",
    source: "mycontrol",
};
static AVOIDANCE: Rule = Rule {
    branch: "congestion avoidance",
    condition: "cwnd has reached ssthresh",
    action: "cwnd + 1 for each round trip",
    source: "mycontrol",
};
static LOSS: Rule = Rule {
    branch: "loss",
    condition: "any loss counts as congestion",
    action: "{cwnd} x {keep}",
    source: "mycontrol",
};
static TIMEOUT: Rule = Rule {
    branch: "timeout",
    condition: "the retransmission timer fired",
    action: "ssthresh = {cwnd} x {keep}, cwnd = 1",
    source: "mycontrol",
};

impl Mycontrol {
    /// The rule by which the next ACK grows the window.
    fn growth(&self) -> &'static Rule {
        if self.cwnd < self.ssthresh {
            &SLOW_START
        } else {
            &AVOIDANCE
        }
    }
}

impl Algorithm for Mycontrol {
    const NAME: &'static str = "mycontrol";
    const SUMMARY: &'static str = "Reno that keeps more of its window";
    /// What it needs besides ACKs: `Signals::RTT` for round-trip times, for example.
    const NEEDS: Signals = Signals::NONE;
    /// The loss recoveries that suit it, the usual one first.
    const RECOVERIES: &'static [&'static str] = &["newreno", "sack", "reno"];
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            keep: config.keep.as_f64(),
            cwnd: path.initial_window.as_f64(),
            ssthresh: path.ssthresh.as_f64(),
            rule: &rule::NONE,
        }
    }
}

impl Controller for Mycontrol {
    /// Every ACK, with what it measures. A control that estimates something does it here.
    fn on_sample(&mut self, _: &Sample) {}

    fn on_ack(&mut self, ack: &Ack) {
        let acked = ack.acked.as_f64();
        self.rule = self.growth();
        self.cwnd += if self.cwnd < self.ssthresh {
            acked
        } else {
            acked / self.cwnd
        };
    }

    fn on_loss(&mut self, _: &Loss) {
        self.rule = &LOSS;
        self.ssthresh = (self.keep * self.cwnd).max(2.0);
        self.cwnd = self.ssthresh;
    }

    fn on_timeout(&mut self, _: &Timeout) {
        self.rule = &TIMEOUT;
        self.ssthresh = (self.keep * self.cwnd).max(2.0);
        self.cwnd = 1.0;
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.cwnd = self.cwnd.min(cwnd.as_f64()).max(1.0);
    }

    fn window(&self) -> Window {
        let segments = |x: f64| Segments::from_raw((x * Segments::ONE.raw() as f64) as u64);
        Window {
            cwnd: segments(self.cwnd),
            ssthresh: segments(self.ssthresh),
        }
    }

    /// What `explain` prints, and what a probe can sample.
    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        out("phase", Value::State(self.growth().branch));
        out("growth", Value::Rule(self.growth()));
        out("rule", Value::Rule(self.rule));
    }
}

/// Returns the built-in controls and this one.
///
/// # Errors
/// [`Refusal`] if the name is taken, or a parameter's default is out of its range.
pub fn controls() -> Result<Controls, Refusal> {
    let mut controls = Controls::builtin();
    controls.register_algorithm::<Mycontrol>()?;
    Ok(controls)
}
