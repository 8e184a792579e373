//! A custom congestion control beside Reno: `cargo run --release -p dumbbell-run --example aimd`

use std::error::Error;

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{Ack, Loss, Sample, Timeout};
use dumbbell_control::units::Segments;
use dumbbell_run::{Run, outcome::Outcome};
use dumbbell_scenario::{Scenario, controls::Controls};
use dumbbell_tcp::recovery::Kind;

/// Additive increase, multiplicative decrease: the window grows by `a` segments each round trip,
/// and is multiplied by `b` after a loss. Windows are in segments.
#[derive(Clone, Copy)]
struct Aimd {
    a: f64,
    b: f64,
    cwnd: f64,
    ssthresh: f64,
}

impl Controller for Aimd {
    fn on_sample(&mut self, _: &Sample) {} // This control measures nothing.
    fn on_ack(&mut self, ack: &Ack) {
        let slow_start = self.cwnd < self.ssthresh;
        self.cwnd += ack.acked.as_f64() * if slow_start { 1.0 } else { self.a / self.cwnd };
    }
    fn on_loss(&mut self, _: &Loss) {
        self.ssthresh = (self.b * self.cwnd).max(2.0);
        self.cwnd = self.ssthresh;
    }
    fn on_timeout(&mut self, _: &Timeout) {
        self.ssthresh = (self.b * self.cwnd).max(2.0);
        self.cwnd = 1.0;
    }
    fn restrict(&mut self, cwnd: Segments) {
        self.cwnd = self.cwnd.min(cwnd.as_f64()).max(1.0);
    }
    fn window(&self) -> Window {
        let fixed = |x: f64| Segments::from_raw((x * Segments::ONE.raw() as f64) as u64);
        let (cwnd, ssthresh) = (fixed(self.cwnd), fixed(self.ssthresh));
        Window { cwnd, ssthresh }
    }
}

const SCENARIO: &str = r#"
duration = "300 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "20 Mb/s", delay = "20 ms", queue = { droptail = 50 }, loss = { bernoulli = 0.005 } }
[[flow]]
control = "aimd"
[[flow]]
control = "newreno"
"#;

pub(crate) fn run(a: f64, b: f64) -> Result<Outcome, Box<dyn Error>> {
    let mut controls = Controls::builtin();
    controls.register("aimd", "AIMD(a, b)", &[Kind::NewReno], move |path| {
        let (cwnd, ssthresh) = (path.initial_window.as_f64(), path.ssthresh.as_f64());
        Box::new(Aimd {
            a,
            b,
            cwnd,
            ssthresh,
        })
    })?;
    let scenario = Scenario::parse("aimd.toml", SCENARIO, &controls)?;
    Ok(Run::new(&scenario).seed(1).go()?.outcome)
}

fn main() -> Result<(), Box<dyn Error>> {
    for flow in run(1.0, 0.8)?.flows {
        println!("{}: {:.0} kb/s", flow.control, flow.goodput_bps / 1e3);
    }
    Ok(())
}
