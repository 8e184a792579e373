//! mycontrol by itself, and on a path.

use dumbbell_control::controller::{Algorithm, Controller, Value};
use dumbbell_control::event::{Ack, Loss, Path, Timeout};
use dumbbell_control::units::{Bytes, Instant, Segments};
use dumbbell_run::Run;
use dumbbell_scenario::Scenario;
use mycontrol::{Config, Mycontrol, controls};

/// A control in congestion avoidance, with a window of 10 segments.
fn at_ten() -> Mycontrol {
    let path = Path::new(Bytes(1000)).with_initial_window(Segments::whole(10));
    let path = path.with_ssthresh(Segments::whole(10));
    Mycontrol::new(&Config::default(), &path)
}

fn cwnd(control: &Mycontrol) -> f64 {
    control.window().cwnd.as_f64()
}

/// Ten ACKs of a segment each: about one round trip.
#[test]
fn a_round_trip_adds_a_segment() {
    let mut control = at_ten();
    for _ in 0..10 {
        control.on_ack(&Ack::new(Instant::ZERO, Segments::ONE, Segments::whole(9)));
    }
    assert!((cwnd(&control) - 11.0).abs() < 0.1, "{}", cwnd(&control));
}

#[test]
fn a_loss_keeps_four_fifths_of_the_window() {
    let mut control = at_ten();
    control.on_loss(&Loss::new(Instant::ZERO, Segments::whole(10)));
    assert!((cwnd(&control) - 8.0).abs() < 1e-6, "{}", cwnd(&control));
    let mut rule = None;
    control.explain(&mut |name, value| {
        if let ("rule", Value::Rule(applied)) = (name, value) {
            rule = Some(applied.branch);
        }
    });
    assert_eq!(rule, Some("loss"));
}

#[test]
fn a_timeout_restarts_at_one_segment() {
    let mut control = at_ten();
    control.on_timeout(&Timeout::new(Instant::ZERO, Segments::whole(10)));
    assert!((cwnd(&control) - 1.0).abs() < 1e-6, "{}", cwnd(&control));
}

/// At 1 % random loss, who keeps more of the window has more goodput.
#[test]
fn it_is_faster_than_newreno_where_losses_are_random() {
    let text = include_str!("../my.toml");
    let controls = controls().expect("the name is free");
    let scenario = Scenario::parse("my.toml", text, &controls).unwrap_or_else(|e| panic!("{e}"));
    let outcome = Run::new(&scenario)
        .seed(1)
        .go()
        .expect("not interrupted")
        .outcome;
    let [mine, newreno] = &outcome.flows[..] else {
        panic!("two flows")
    };
    assert_eq!(mine.control, "mycontrol");
    let (mine, newreno) = (mine.goodput_bps, newreno.goodput_bps);
    assert!(mine > 1.2 * newreno, "{mine} and {newreno}");
}
