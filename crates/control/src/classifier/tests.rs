use super::*;
use crate::algorithm::testing::{loss, path, sample, segments, stamps_at, timeout};
use crate::parameter::Setting;
use crate::units::Duration;

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
        [
            "veno",
            "venodb",
            "lded",
            "vegas",
            "ncpld",
            "flip_flop",
            "quicly"
        ]
    );
    for config in all() {
        for name in config.aliases().iter().chain([&config.name()]) {
            assert_eq!(AnyConfig::named(name), Some(config));
        }
    }
    assert_eq!(AnyConfig::named("none"), None);
}

/// What a classifier says that knows of no full queue.
fn ignorant(config: &AnyConfig) -> Verdict {
    match config {
        AnyConfig::Quicly(_) => Congestion,
        _ => Random,
    }
}

#[test]
fn without_samples_a_loss_is_random_except_by_quicly() {
    for config in all() {
        says(&config.build(&path(20.0, 2.0)), 20.0, ignorant(&config));
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
        says(&classifier, 20.0, ignorant(&config));
    }
}

/// A story of quicly's rule, in ms.
struct Quick(Any);

impl Quick {
    fn ack(&mut self, now: f64, rtt: f64, lost: u64) -> Option<Verdict> {
        let mut sample = sample(now, rtt);
        sample.lost = Segments::whole(u32::try_from(lost).expect("few"));
        self.0.on_sample(&sample, segments(20.0));
        self.0.revised()
    }

    fn lose(&mut self, now: f64) -> Verdict {
        self.0.on_loss(&loss(now), segments(20.0))
    }

    fn knows(full: f64) -> Self {
        Self::taught(classifier("quicly"), full)
    }

    /// minRTT is 100 ms, and the first recovery, at an RTT of `full`, has taught it the RTT of a full queue: its
    /// variation is half of it.
    fn taught(classifier: Any, full: f64) -> Self {
        let mut story = Self(classifier);
        let _ = story.ack(1000.0, 100.0, 0);
        let _ = story.ack(1100.0, full, 0);
        assert_eq!(story.lose(1100.0), Congestion, "no full queue is known");
        let _ = story.ack(1110.0, full, 1);
        // Sent at 1090 ms, before the recovery; then at 1120 ms, in it.
        let _ = story.ack(1090.0 + full, full, 0);
        let _ = story.ack(1120.0 + full, full, 0);
        story
    }
}

/// sfqRTT - fqRTTvar = 240 - 120 ms is more than minRTT + 5 ms; 208 - 104 ms is less.
#[test]
fn quicly_compares_the_rtt_with_that_of_a_full_queue() {
    for (full, rtt, verdict) in [
        (240.0, 104.9, Random),
        (240.0, 105.0, Congestion),
        (208.0, 103.9, Random),
        (208.0, 104.0, Congestion),
    ] {
        let mut story = Quick::knows(full);
        let _ = story.ack(2000.0, rtt, 0);
        assert_eq!(story.lose(2000.0), verdict, "{full} {rtt}");
    }
}

/// Both in an episode and in two of them, the second loss within the latest RTT of 102 ms is congestion.
#[test]
fn for_quicly_a_second_loss_in_a_round_trip_is_congestion() {
    let mut story = Quick::knows(240.0);
    let _ = story.ack(2000.0, 102.0, 0);
    assert_eq!(story.lose(2000.0), Random);
    // The first sample counts the loss that is known.
    assert_eq!(story.ack(2010.0, 102.0, 1), Some(Random));
    assert_eq!(story.ack(2102.0, 102.0, 1), Some(Congestion));

    for (later, verdict) in [(102.0, Congestion), (103.0, Random)] {
        let mut story = Quick::knows(240.0);
        let _ = story.ack(2000.0, 102.0, 0);
        assert_eq!(story.lose(2000.0), Random);
        assert_eq!(story.ack(2010.0, 102.0, 1), Some(Random));
        assert_eq!(story.lose(2000.0 + later), verdict);
    }
}

/// A recovery of several losses teaches the least RTT of them: 150 ms at the first, though 240 ms came later. sfqRTT is
/// then 240 + (150 - 240) / 8 = 228.75 ms, and fqRTTvar 120 + (90 - 120) / 4 = 112.5 ms: 116.25 ms. A recovery of a
/// single loss teaches nothing.
#[test]
fn quicly_learns_from_recoveries_of_several_losses() {
    let guard = Setting::Duration(Duration::from_secs(1));
    for (several, bound) in [(1, 116.25), (0, 120.0)] {
        let mut story = Quick::taught(with("quicly", &[("guard", guard)]), 240.0);
        let _ = story.ack(2000.0, 150.0, 0);
        assert_eq!(story.lose(2000.0), Congestion);
        let _ = story.ack(2010.0, 240.0, 1 + several);
        let _ = story.ack(2300.0, 240.0, 0);
        for (rtt, verdict) in [(bound - 0.01, Random), (bound + 0.01, Congestion)] {
            let mut story = Quick(story.0.clone());
            let _ = story.ack(3000.0, rtt, 0);
            assert_eq!(story.lose(3000.0), verdict, "{several} {rtt}");
        }
    }
}

#[test]
fn what_is_resent_after_a_timeout_is_not_judged_by_quicly() {
    let mut story = Quick::knows(240.0);
    let _ = story.ack(2000.0, 102.0, 0);
    assert_eq!(story.lose(2000.0), Random);
    story.0.on_timeout(&timeout(2500.0, 1));
    // Sent at 2498 ms; then at 2500 ms.
    assert_eq!(story.ack(2600.0, 102.0, 9), Some(Random));
    assert_eq!(story.ack(2602.0, 102.0, 0), Some(Random));
    assert_eq!(story.ack(2700.0, 102.0, 2), Some(Congestion));
}
