use super::*;
use crate::algorithm::testing::{assert_near, path, sample, span, stamps_at, timeout};
use crate::parameter::Setting;
use crate::units::{Ratio, Segments};

fn estimator(name: &str) -> Any {
    AnyConfig::named(name).expect(name).build(&path(20.0, 2.0))
}

#[track_caller]
fn says(estimator: &Any, expected: f64) {
    assert_near(
        estimator.rate().expect("sampled").as_bits_per_second(),
        expected,
    );
}

/// Passes ACKs with an RTT of 80 ms: each with its times at the sender and at the receiver, in ms, and
/// its number of segments.
fn tell(estimator: &mut Any, acks: &[(f64, f64, u32)]) {
    for &(now, received, segments) in acks {
        estimator.on_sample(&Sample {
            credited: Segments::whole(segments),
            stamps: Some(stamps_at(now - 80.0, received)),
            ..sample(now, 80.0)
        });
    }
}

#[test]
fn names_and_aliases_lead_to_their_estimators() {
    assert_eq!(
        NAMES,
        ["sarbe", "tustin", "constant", "ewma", "westwood_plus"]
    );
    for config in all() {
        for name in config.aliases().iter().chain([&config.name()]) {
            assert_eq!(AnyConfig::named(name), Some(config));
        }
    }
    assert_eq!(
        AnyConfig::named("westwood+"),
        AnyConfig::named("westwood_plus")
    );
    assert_eq!(AnyConfig::named("none"), None);
}

/// Mascolo et al. 2001, section 2.1: 1, 1, 1 and 2 segments of 1000 bytes after 10, 10, 20 and 10 ms.
#[test]
fn tustin_weighs_each_sample_by_its_spacing() {
    let mut estimator = estimator("tustin");
    assert_eq!(estimator.rate(), None);
    let acks = [
        (1000.0, 0.0, 1),
        (1010.0, 0.0, 1),
        (1020.0, 0.0, 1),
        (1040.0, 0.0, 1),
        (1050.0, 0.0, 2),
    ];
    tell(&mut estimator, &acks);
    says(&estimator, 65096.18);
}

/// Two samples of 800 kbit/s from 0: 800 kbit/s / 21, then 19/21 of that plus 1.6 Mbit/s / 21.
#[test]
fn constant_keeps_19_of_21_parts_of_the_past() {
    let mut estimator = estimator("constant");
    tell(&mut estimator, &[(1000.0, 0.0, 1), (1010.0, 0.0, 1)]);
    says(&estimator, 38095.238);
    tell(&mut estimator, &[(1020.0, 0.0, 1)]);
    says(&estimator, 110657.596);
}

/// Samples of 1, 2 and 2 Mbit/s.
#[test]
fn ewma_weighs_a_new_sample_by_a_tenth() {
    let mut estimator = estimator("ewma");
    let acks = [
        (1000.0, 0.0, 1),
        (1008.0, 0.0, 1),
        (1016.0, 0.0, 2),
        (1024.0, 0.0, 2),
    ];
    tell(&mut estimator, &acks);
    says(&estimator, 1.19e6);
}

/// Samples of 1, 2 and 2 Mbit/s, from rounds of 80 ms.
#[test]
fn westwood_plus_takes_one_sample_per_round() {
    let mut estimator = estimator("westwood_plus");
    let acks = [
        (1000.0, 0.0, 1),
        (1080.0, 0.0, 10),
        (1160.0, 0.0, 20),
        (1240.0, 0.0, 20),
    ];
    tell(&mut estimator, &acks);
    says(&estimator, 1.19e6);
}

/// The ACKs arrive almost at once, so only the arrivals at the receiver can give 1.244 Mbit/s.
#[test]
fn sarbe_takes_the_arrivals_at_the_receiver() {
    let mut estimator = estimator("sarbe");
    let arrivals = [0.0, 16.0, 32.0, 48.0, 64.0, 80.0];
    let segments = [1, 2, 2, 3, 3, 3];
    for (n, (received, segments)) in arrivals.into_iter().zip(segments).enumerate() {
        tell(
            &mut estimator,
            &[(1000.0 + 0.001 * n as f64, received, segments)],
        );
    }
    says(&estimator, 1.244e6);
}

#[test]
fn a_parameter_reaches_its_filter() {
    let mut config = AnyConfig::named("ewma").expect("there is one");
    let half = Setting::Ratio(Ratio::from_millionths(500_000));
    assert_eq!(config.set("gain", half), Ok(()));
    assert_eq!(config.get("gain"), Some(half));
    let mut estimator = config.build(&path(20.0, 2.0));
    let acks = [(1000.0, 0.0, 1), (1008.0, 0.0, 1), (1016.0, 0.0, 2)];
    tell(&mut estimator, &acks);
    says(&estimator, 1.5e6);
}

#[test]
fn a_timeout_feeds_the_silence_to_tustins_filter() {
    let mut estimator = estimator("tustin");
    let acks = [(1000.0, 0.0, 1), (1010.0, 0.0, 1)];
    tell(&mut estimator, &acks);
    // 800 kbit/s * 10 / 1010; one sample of zero of 250 ms with b_prev: (3 bwe + b_prev) / 5.
    says(&estimator, 7920.792);
    estimator.on_timeout(&timeout(1010.0 + 250.0, 1));
    says(&estimator, 164_752.475);
}

#[test]
fn duplicates_count_as_the_segment_that_left() {
    for name in ["tustin", "constant", "ewma", "sarbe"] {
        let [mut plain, mut duplicates] = [estimator(name), estimator(name)];
        for n in 0..5 {
            let now = 1000.0 + 8.0 * f64::from(n);
            let ack = sample(now, 80.0).with_stamps(stamps_at(now - 80.0, now));
            plain.on_sample(&ack);
            duplicates.on_sample(
                &ack.with_rtt((n % 2 == 0).then_some(span(80.0)))
                    .with_duplicate(n % 2 == 1),
            );
        }
        assert_eq!(plain.rate(), duplicates.rate(), "{name}");
    }
}
