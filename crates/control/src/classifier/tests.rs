use super::*;
use crate::algorithm::testing::{loss, path, sample, segments, stamps_at, timeout};
use crate::parameter::Setting;

fn classifier(name: &str) -> Any {
    with(name, &[])
}

fn with(name: &str, settings: &[(&str, Setting)]) -> Any {
    let mut config = AnyConfig::named(name).expect(name);
    for (parameter, value) in settings {
        assert_eq!(config.set(parameter, *value), Ok(()));
    }
    config.build(&path(20.0, 2.0))
}

/// Passes samples with these RTTs in ms, at a window of `cwnd`.
fn tell(classifier: &mut Any, cwnd: f64, rtts: &[f64]) {
    for rtt in rtts {
        classifier.on_sample(&sample(1000.0, *rtt), segments(cwnd));
    }
}

#[track_caller]
fn says(classifier: &Any, cwnd: f64, verdict: Verdict) {
    assert_eq!(classifier.classify(&loss(1000.0), segments(cwnd)), verdict);
}

use Verdict::{Congestion, Random};

#[test]
fn names_and_aliases_lead_to_their_classifiers() {
    assert_eq!(
        NAMES,
        ["veno", "venodb", "lded", "vegas", "ncpld", "flip_flop"]
    );
    for config in all() {
        for name in config.aliases().iter().chain([&config.name()]) {
            assert_eq!(AnyConfig::named(name), Some(config));
        }
    }
    assert_eq!(AnyConfig::named("none"), None);
}

#[test]
fn without_samples_a_loss_is_random() {
    for config in all() {
        says(&config.build(&path(20.0, 2.0)), 20.0, Random);
    }
}

/// By the last sample, N = 3.333 and 2.609; beta = 3.
#[test]
fn veno_compares_the_backlog_with_beta() {
    let last = [("rtt_mode", Setting::Choice("last"))];
    for (rtt, verdict) in [(120.0, Congestion), (115.0, Random)] {
        let mut classifier = with("veno", &last);
        tell(&mut classifier, 20.0, &[100.0, rtt]);
        says(&classifier, 20.0, verdict);
    }
}

#[test]
fn a_loss_or_a_timeout_makes_veno_forget_base_rtt() {
    for name in ["veno", "venodb"] {
        let mut classifier = with(name, &[("rtt_mode", Setting::Choice("last"))]);
        tell(&mut classifier, 20.0, &[100.0, 120.0]);
        let verdict = classifier.on_loss(&loss(1000.0), segments(20.0));
        assert_eq!(verdict, Congestion);
        tell(&mut classifier, 20.0, &[120.0]);
        says(&classifier, 20.0, Random);
        tell(&mut classifier, 20.0, &[150.0]);
        says(&classifier, 20.0, Congestion);
        classifier.on_timeout(&timeout(1000.0, 1));
        tell(&mut classifier, 20.0, &[150.0]);
        says(&classifier, 20.0, Random);
    }
}

/// BaseRTT 60 ms, RTT 75 ms or less: N = 4 or 2.5; D = 1, -1 and 0 ms.
#[test]
fn venodb_takes_a_falling_delay_for_a_random_loss() {
    let last = [("rtt_mode", Setting::Choice("last"))];
    for (rtt, d, verdict) in [
        (75.0, 1.0, Congestion),
        (75.0, -1.0, Random),
        (75.0, 0.0, Congestion),
        (68.571429, 1.0, Random),
    ] {
        let mut classifier = with("venodb", &last);
        tell(&mut classifier, 20.0, &[60.0]);
        for stamps in [stamps_at(0.0, 30.0), stamps_at(4.0, 34.0 + d)] {
            let stamps = Some(stamps);
            let sample = sample(1000.0, rtt).with_stamps(stamps);
            classifier.on_sample(&sample, segments(20.0));
        }
        says(&classifier, 20.0, verdict);
    }
}

/// N = 2.609 is not enough at first; then N = 3.333, 2.609, 0.769.
#[test]
fn lded_sees_congestion_from_beta_until_alpha() {
    let mut classifier = classifier("lded");
    tell(&mut classifier, 20.0, &[100.0]);
    for (rtt, verdict) in [
        (115.0, Random),
        (120.0, Congestion),
        (115.0, Congestion),
        (104.0, Random),
    ] {
        tell(&mut classifier, 20.0, &[rtt]);
        says(&classifier, 20.0, verdict);
    }
}

/// N = 0.5, 2, 4, 2.
#[test]
fn vegas_sees_congestion_from_above_beta_until_below_alpha() {
    let mut classifier = classifier("vegas");
    tell(&mut classifier, 20.0, &[100.0]);
    for (rtt, verdict) in [
        (102.564103, Random),
        (111.111111, Random),
        (125.0, Congestion),
        (111.111111, Congestion),
    ] {
        tell(&mut classifier, 20.0, &[rtt]);
        says(&classifier, 20.0, verdict);
    }
}

/// A classifier after three rounds with a power of 1000, 1157 and 800 segments/s^2: the knee is at
/// 110 ms.
fn after_three_rounds(knee_rounds: u32) -> Any {
    let mut classifier = with("ncpld", &[("knee_rounds", Setting::Count(knee_rounds))]);
    for (now, cwnd, rtt) in [
        (1000.0, 10.0, 100.0),
        (1110.0, 14.0, 110.0),
        (1260.0, 18.0, 150.0),
    ] {
        classifier.on_sample(&sample(now, rtt), segments(cwnd));
    }
    classifier
}

#[test]
fn ncpld_compares_the_rtt_with_that_of_the_knee() {
    let mut classifier = after_three_rounds(100);
    says(&classifier, 18.0, Congestion);
    // Sent before the round began.
    classifier.on_sample(&sample(1261.0, 105.0), segments(18.0));
    says(&classifier, 18.0, Random);
    classifier.on_sample(&sample(1262.0, 111.0), segments(18.0));
    says(&classifier, 18.0, Congestion);
    // Random at the knee itself.
    classifier.on_sample(&sample(1263.0, 110.0), segments(18.0));
    says(&classifier, 18.0, Random);
}

#[test]
fn the_search_for_the_knee_begins_anew_after_knee_rounds() {
    // The third round is the first of a new search, so its RTT is the knee.
    says(&after_three_rounds(2), 18.0, Random);
}

#[test]
fn the_rtt_of_a_duplicate_is_ignored() {
    for config in all() {
        let mut classifier = config.build(&path(20.0, 2.0));
        tell(&mut classifier, 20.0, &[100.0, 100.0, 100.0]);
        classifier.on_sample(&sample(1000.0, 900.0).with_duplicate(true), segments(20.0));
        says(&classifier, 20.0, Random);
    }
}
