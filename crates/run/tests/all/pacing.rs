//! A flow sends at the rate that its control sets (`Controller::pacing`).

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{Ack, Loss, Sample, Timeout};
use dumbbell_control::units::{Rate, Segments};
use dumbbell_run::Run;
use dumbbell_run::outcome::FlowOutcome;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use dumbbell_tcp::recovery::Kind;

const SECONDS: f64 = 50.0;

/// A control with a window that never limits, and a rate in bits per second.
struct Paced(Option<u64>);

impl Controller for Paced {
    fn on_sample(&mut self, _: &Sample) {}
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    fn on_timeout(&mut self, _: &Timeout) {}
    fn restrict(&mut self, _: Segments) {}
    fn window(&self) -> Window {
        let [cwnd, ssthresh] = [Segments::whole(200); 2];
        Window { cwnd, ssthresh }
    }
    fn pacing(&self) -> Option<Rate> {
        self.0.map(|bits| Rate::from_raw((bits << 16) / 8))
    }
}

/// Runs a flow whose control sets `rate`, on a path of 10 Mb/s with this loss probability.
fn flow(rate: Option<u64>, recovery: Kind, loss: f64) -> FlowOutcome {
    let mut controls = Controls::builtin();
    controls
        .register("paced", "a fixed rate", &[recovery], move |_| {
            Box::new(Paced(rate))
        })
        .expect("the name is free");
    let text = format!(
        "duration = \"{SECONDS} s\"\n\
         [dumbbell]\n\
         access = {{ rate = \"100 Mb/s\", delay = \"1 ms\" }}\n\
         bottleneck = {{ rate = \"10 Mb/s\", delay = \"20 ms\", queue = {{ droptail = 50 }}, \
         loss = {{ bernoulli = {loss} }} }}\n\
         [[flow]]\ncontrol = \"paced\"\nhandshake = false\n"
    );
    let scenario = Scenario::parse("paced.toml", &text, &controls).expect("it is right");
    let outcome = Run::new(&scenario).seed(1).go().expect("it runs").outcome;
    outcome.flows.into_iter().next().expect("one flow")
}

/// The payload that a flow sent, including retransmissions, in bits per second.
fn sent(flow: &FlowOutcome) -> f64 {
    flow.sent as f64 * 8_000.0 / SECONDS
}

fn assert_within(found: f64, wanted: f64, part: f64) {
    let off = (found / wanted - 1.0).abs();
    assert!(off <= part, "{found:.0} b/s instead of {wanted:.0} b/s");
}

#[test]
fn a_flow_sends_at_the_rate_of_its_control() {
    for rate in [300_000, 1_000_000, 7_000_000] {
        let flow = flow(Some(rate), Kind::Sack, 0.0);
        assert_within(sent(&flow), rate as f64, 0.01);
        assert_within(flow.goodput_bps, rate as f64, 0.01);
        assert_eq!(flow.retransmits, 0);
    }
}

/// The rate includes retransmissions: on a lossy path a flow never sends more than its control's rate. It may
/// send less while it waits for the end of a recovery or for a timeout.
#[test]
fn the_rate_includes_retransmissions() {
    for recovery in [Kind::Tahoe, Kind::Reno, Kind::NewReno, Kind::Sack] {
        let flow = flow(Some(1_000_000), recovery, 0.02);
        assert!(flow.retransmits > 50, "{recovery:?}");
        assert!(sent(&flow) <= 1.01e6, "{recovery:?}: {}", sent(&flow));
    }
    let flow = flow(Some(1_000_000), Kind::Sack, 0.02);
    assert_within(sent(&flow), 1e6, 0.01);
}

#[test]
fn a_control_without_a_rate_fills_the_path() {
    assert!(sent(&flow(None, Kind::Sack, 0.0)) > 9e6);
}

/// The first segment is sent at once; the second would be sent 1000 s later, after the end of the run.
#[test]
fn at_a_byte_a_second_one_segment_is_sent() {
    assert_eq!(flow(Some(8), Kind::Sack, 0.0).sent, 1);
}
