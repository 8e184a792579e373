//! Checks that the examples show what they are meant to show.

use dumbbell_control::algorithm::reno::Reno;
use dumbbell_control::controller::{Algorithm, Controller};
use dumbbell_control::event::{MssChange, Path, Sent, Timeout};
use dumbbell_control::parameter::{Config, Refused, Setting};
use dumbbell_control::units::{Bytes, Duration, Instant, Ratio, Segments};

#[expect(dead_code, reason = "its `main` prints; the tests call what it runs")]
#[path = "../examples/by_hand.rs"]
mod by_hand;
#[expect(dead_code, reason = "its `main` prints; the tests call what it runs")]
#[path = "../examples/own_control.rs"]
mod own_control;

use own_control::Patient;

#[test]
fn veno_by_hand_distinguishes_random_loss_from_congestion() {
    let steps = by_hand::story();
    let branches: Vec<_> = steps.iter().map(|step| step.branch).collect();
    let mut wanted = vec!["slow start"; 2];
    wanted.extend(["underutilised"; 2]);
    wanted.push("random loss");
    wanted.extend(["underutilised"; 6]);
    wanted.extend(["fully utilised"; 5]);
    wanted.extend(["congestion", "timeout"]);
    assert_eq!(branches, wanted);

    let left = |index: usize| steps[index].cwnd.as_f64() / steps[index - 1].cwnd.as_f64();
    assert!((left(4) - 0.8).abs() < 1e-6);
    assert!((left(16) - 0.5).abs() < 1e-6);
    assert_eq!(steps[17].cwnd, Segments::ONE);
    assert_eq!(
        steps[4].why,
        "N = 0.00 < 3: cwnd x 0.8 (Fu and Liew 2003, section II (Zhang et al., fig. 1))"
    );
}

#[test]
fn the_custom_control_keeps_more_than_reno() {
    let patient = own_control::windows::<Patient>(&own_control::Config::default());
    let reno = own_control::windows::<Reno>(&Default::default());
    // Both leave slow start at 20 segments, and then add one segment per round.
    assert_eq!(patient[..9], reno[..9]);
    assert!((patient[9] / reno[9] - 1.4).abs() < 1e-6);
    assert!(patient[29] > reno[29] + 4.0);

    let keep = Ratio::HALF;
    let halving = own_control::windows::<Patient>(&own_control::Config { keep });
    assert_eq!(halving, reno);
}

#[test]
fn the_custom_parameter_is_set_by_name_within_its_range() {
    let mut config = own_control::Config::default();
    let set = config.set("keep", Setting::Ratio(Ratio::ONE));
    assert_eq!(
        (set, config.get("keep")),
        (Ok(()), Some(Setting::Ratio(Ratio::ONE)))
    );
    let refused = config.set("keep", Setting::Ratio(Ratio::ZERO));
    assert!(matches!(refused, Err(Refused::Impossible(_))));
    let unknown = config.set("keeps", Setting::Ratio(Ratio::ONE));
    assert_eq!(unknown, Err(Refused::Unknown));
    // A value outside the range that is set in Rust counts as the nearest value within.
    config.keep = Ratio::ZERO;
    assert_eq!(config.within_ranges().keep, Ratio::HALF);
}

#[test]
fn the_custom_control_restarts_after_an_idle_period() {
    let path = Path::new(Bytes(1000)).with_initial_window(Segments::whole(4));
    let mut patient = Patient::new(&own_control::Config::default(), &path);
    let at = |ms| Instant::ZERO + Duration::from_millis(ms);
    patient.on_sent(&Sent::new(at(100), Segments::ONE, Segments::ZERO));
    patient.on_mss(&MssChange::new(Bytes(1000), Bytes(250)));
    assert_eq!(patient.window().cwnd, Segments::whole(16));
    patient.on_sent(&Sent::new(at(1_500), Segments::ONE, Segments::ONE));
    assert_eq!(patient.window().cwnd, Segments::whole(16));
    patient.on_sent(&Sent::new(at(2_600), Segments::ONE, Segments::ZERO));
    assert_eq!(patient.window().cwnd, Segments::whole(4));
    patient.on_timeout(&Timeout::new(at(3_000), Segments::ONE));
    assert_eq!(patient.window().cwnd, Segments::ONE);
    assert_eq!(
        patient.window().ssthresh,
        Segments::whole(4).scaled(Ratio::from_millionths(700_000))
    );
}
