//! Estimators and classifiers beside a control: they agree with the control from which they are taken,
//! and never panic, whatever the events.

use dumbbell_control::classifier::{self, Classifier, Verdict};
use dumbbell_control::controller::{Controller, Value};
use dumbbell_control::estimator::{self, Estimator};
use dumbbell_control::event::{Ack, Loss, LossSignal, Path, Sample, Stamps, Timeout};
use dumbbell_control::parameter::Parameter;
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Bytes, Duration, Instant, Rate, Segments};
use proptest::prelude::*;

#[path = "twin/extremes.rs"]
mod extremes;
use extremes::{half, word};

const PATH: Path = Path::new(Bytes(1000))
    .with_initial_window(Segments::whole(2))
    .with_ssthresh(Segments::whole(24));

/// The ACKs of a path of 60 ms whose queue fills and drains. They are 2 to 6 ms apart, with occasional
/// silences; some are duplicates, and some have no stamps.
struct Acks {
    now: Instant,
    number: u64,
}

impl Acks {
    fn new() -> Self {
        Self {
            now: Instant::ZERO + Duration::from_secs(1),
            number: 0,
        }
    }

    fn next(&mut self) -> Sample {
        self.number += 1;
        let i = self.number;
        self.now = self.now + Duration::from_micros(2_000 + i * i % 4_001);
        if i.is_multiple_of(701) {
            self.now = self.now + Duration::from_millis(600);
        }
        let queue = Duration::from_micros((i % 500).abs_diff(250) * 120 + i * 7 % 900);
        let rtt = Duration::from_millis(60) + queue;
        let sent_at = self.now - rtt;
        let duplicate = i % 41 < 3;
        Sample::new(
            self.now,
            Segments::whole(1 + u32::from(i.is_multiple_of(17)) * 2),
        )
        .with_rtt((!duplicate).then_some(rtt))
        .with_duplicate(duplicate)
        .with_stamps((!i.is_multiple_of(23)).then_some(Stamps {
            sent_at,
            received_at: sent_at + Duration::from_millis(30) + queue,
        }))
    }
}

/// The bandwidth that a control reports, and the branch that it took last.
fn reported(control: &impl Controller) -> (Option<f64>, &'static str) {
    let (mut rate, mut branch) = (None, "");
    control.explain(&mut |name, value| match value {
        Value::BitRate(bits) if name == "bwe" => rate = Some(bits),
        Value::Rule(rule) if name == "rule" => branch = rule.branch,
        _ => {}
    });
    (rate, branch)
}

/// Drives a control through the events of the path. `hear` is called for every ACK, with the sample, the
/// window, at a loss also the loss and the branch that the control took, and the reported bandwidth.
fn run(control: &str, mut hear: impl FnMut(&Sample, Segments, Option<(&Loss, &str)>, Option<f64>)) {
    let mut control = AnyConfig::named(control).expect("it is known").build(&PATH);
    let mut acks = Acks::new();
    for i in 1..20_000u64 {
        let sample = acks.next();
        let cwnd = control.window().cwnd;
        control.on_sample(&sample);
        let now = sample.now;
        let rate = reported(&control).0;
        if i % 307 == 0 {
            let loss = Loss::new(now, cwnd).with_lost_sent_at(now - Duration::from_millis(60));
            control.on_loss(&loss);
            hear(&sample, cwnd, Some((&loss, reported(&control).1)), rate);
            continue;
        }
        if !sample.duplicate {
            control.on_ack(&Ack::new(now, Segments::ONE, Segments::CAP));
        }
        hear(&sample, cwnd, None, rate);
    }
}

#[test]
fn classifiers_agree_with_their_controls() {
    for (control, name) in [("veno", "veno"), ("venodb", "venodb"), ("sarbe", "lded")] {
        let config = classifier::AnyConfig::named(name).expect("it is known");
        let mut beside = config.build(&PATH);
        let mut verdicts = [0, 0];
        run(control, |sample, cwnd, loss, _| {
            beside.on_sample(sample, cwnd);
            let Some((loss, branch)) = loss else { return };
            let verdict = beside.on_loss(loss, cwnd);
            let expected = match branch {
                "congestion" => Verdict::Congestion,
                "random loss" | "easing congestion" => Verdict::Random,
                other => panic!("{control}: {other}"),
            };
            assert_eq!(verdict, expected, "{control} at {:?}", loss.now);
            verdicts[usize::from(verdict == Verdict::Random)] += 1;
        });
        assert!(verdicts[0] > 5 && verdicts[1] > 5, "{name}: {verdicts:?}");
    }
}

#[test]
fn estimators_agree_with_their_controls() {
    for (control, name) in [
        ("westwood", "tustin"),
        ("westwood+", "westwood_plus"),
        ("sarbe", "sarbe"),
    ] {
        let config = estimator::AnyConfig::named(name).expect("it is known");
        let mut beside = config.build(&PATH);
        run(control, |sample, _, _, rate| {
            beside.on_sample(sample);
            let found = beside.rate().map(Rate::as_bits_per_second);
            assert_eq!(found, rate, "{control} at {:?}", sample.now);
        });
        assert!(beside.rate() > Some(Rate::ZERO), "{name}");
    }
}

/// Checks that every parameter has a doc text and a unique name.
fn assert_documented(name: &str, table: &[Parameter]) {
    for (i, parameter) in table.iter().enumerate() {
        assert!(parameter.doc.ends_with('.'), "{name} {}", parameter.name);
        assert!(table[..i].iter().all(|other| other.name != parameter.name));
    }
}

#[test]
fn every_parameter_is_documented_named_once_and_within_its_range() {
    for mut config in estimator::all() {
        assert_documented(config.name(), config.parameters());
        for parameter in config.parameters() {
            let default = config.get(parameter.name).expect("listed");
            assert_eq!(config.set(parameter.name, default), Ok(()));
        }
    }
    for mut config in classifier::all() {
        assert_documented(config.name(), config.parameters());
        for parameter in config.parameters() {
            let default = config.get(parameter.name).expect("listed");
            assert_eq!(config.set(parameter.name, default), Ok(()));
        }
    }
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let instant = || word().prop_map(Instant::from_nanos);
    let span = || word().prop_map(Duration::from_nanos);
    let stamps = (instant(), instant()).prop_map(|(sent_at, received_at)| Stamps {
        sent_at,
        received_at,
    });
    let credited = word().prop_map(Segments::from_raw);
    let rtt = prop::option::of(span());
    let stamps = prop::option::of(stamps);
    (instant(), rtt, credited, any::<bool>(), stamps).prop_map(
        |(now, rtt, credited, duplicate, stamps)| {
            Sample::new(now, credited)
                .with_rtt(rtt)
                .with_duplicate(duplicate)
                .with_stamps(stamps)
        },
    )
}

proptest! {
    /// Any samples in any order, with losses and timeouts between them: nothing panics, rates stay
    /// within their bounds, and `on_loss` returns the verdict of `classify`.
    #[test]
    fn no_stream_of_events_makes_them_panic(
        mss in word(),
        samples in prop::collection::vec((any_sample(), word(), half(), 0..8u8), 1..200),
    ) {
        let path = Path::new(Bytes(mss)).with_initial_window(PATH.initial_window).with_ssthresh(PATH.ssthresh);
        let mut estimators: Vec<_> = estimator::all().map(|config| config.build(&path)).collect();
        let mut classifiers: Vec<_> = classifier::all().map(|config| config.build(&path)).collect();
        for (sample, cwnd, transmissions, event) in &samples {
            let cwnd = Segments::from_raw(*cwnd);
            let now = sample.now;
            let timeout = Timeout::new(now, cwnd);
            let by = LossSignal::DupAcks;
            let loss = Loss::new(now, cwnd)
.with_transmissions(*transmissions)
.with_signal(by);
            for estimator in &mut estimators {
                estimator.on_sample(sample);
                if *event == 0 {
                    estimator.on_timeout(&timeout);
                }
                prop_assert!(estimator.rate().unwrap_or_default() <= Rate::CAP);
            }
            for classifier in &mut classifiers {
                classifier.on_sample(sample, cwnd);
                match event {
                    0 => classifier.on_timeout(&timeout),
                    1 => {
                        let verdict = classifier.classify(&loss, cwnd);
                        prop_assert_eq!(classifier.on_loss(&loss, cwnd), verdict);
                    }
                    _ => {}
                }
            }
        }
    }
}
