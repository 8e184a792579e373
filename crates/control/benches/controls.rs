//! What an ACK costs: `on_sample` and `on_ack` of every control, and `on_sample` of every estimator
//! and classifier beside one, in nanoseconds.
//!
//! Run it with `cargo bench -p dumbbell-control`. The stream of ACKs is made beforehand: a full path
//! whose RTT moves between 60 and 90 ms, and a loss at every 2,000th ACK. The best of several runs
//! counts.

use std::hint::black_box;
use std::time::Instant as Clock;

use dumbbell_control::classifier::{self, Classifier, Verdict};
use dumbbell_control::controller::Controller;
use dumbbell_control::estimator::{self, Estimator};
use dumbbell_control::event::{Ack, Loss, Path, Queueing, Sample, Stamps};
use dumbbell_control::registry;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

const ACKS: usize = 100_000;
const RUNS: usize = 20;

fn main() {
    let acks = stream();
    let path = Path::new(Bytes(1000))
        .with_initial_window(Segments::whole(2))
        .with_ssthresh(Segments::whole(16));
    controls(&acks, &path);
    estimators(&acks, &path);
    classifiers(&acks, &path);
}

fn controls(acks: &[(Sample, Ack)], path: &Path) {
    println!("{:<13} {:>8} {:>14}", "control", "ns/ACK", "cwnd at end");
    for config in registry::all() {
        let mut best = f64::INFINITY;
        let mut cwnd = 0.0;
        for _ in 0..RUNS {
            let mut control = black_box(config.build(path));
            let start = Clock::now();
            for (i, (sample, ack)) in acks.iter().enumerate() {
                control.on_sample(sample);
                control.on_ack(ack);
                if i % 2_000 == 1_999 {
                    control.on_loss(&loss(ack));
                }
            }
            best = best.min(start.elapsed().as_nanos() as f64 / ACKS as f64);
            cwnd = black_box(control.window()).cwnd.as_f64();
        }
        println!("{:<13} {best:>8.1} {cwnd:>14.3}", config.name());
    }
}

fn estimators(acks: &[(Sample, Ack)], path: &Path) {
    println!(
        "{:<13} {:>8} {:>14}",
        "estimator", "ns/ACK", "kbit/s at end"
    );
    for config in estimator::all() {
        let mut best = f64::INFINITY;
        let mut rate = None;
        for _ in 0..RUNS {
            let mut estimator = black_box(config.build(path));
            let start = Clock::now();
            for (sample, _) in acks {
                estimator.on_sample(sample);
            }
            best = best.min(start.elapsed().as_nanos() as f64 / ACKS as f64);
            rate = black_box(estimator.rate());
        }
        let rate = rate.unwrap_or_default().as_bits_per_second() / 1e3;
        println!("{:<13} {best:>8.1} {rate:>14.3}", config.name());
    }
}

fn classifiers(acks: &[(Sample, Ack)], path: &Path) {
    println!("{:<13} {:>8} {:>14}", "classifier", "ns/ACK", "congestion");
    for config in classifier::all() {
        let mut best = f64::INFINITY;
        let mut congestion = 0;
        for _ in 0..RUNS {
            let mut classifier = black_box(config.build(path));
            let start = Clock::now();
            congestion = 0;
            for (i, (sample, ack)) in acks.iter().enumerate() {
                let cwnd = Segments::whole(20);
                classifier.on_sample(sample, cwnd);
                if i % 2_000 == 1_999 {
                    let verdict = classifier.on_loss(&loss(ack), cwnd);
                    congestion += u32::from(verdict == Verdict::Congestion);
                }
            }
            best = best.min(start.elapsed().as_nanos() as f64 / ACKS as f64);
            congestion = black_box(congestion);
        }
        println!("{:<13} {best:>8.1} {congestion:>14}", config.name());
    }
}

/// An ACK about every 4 ms, with stamps.
fn stream() -> Vec<(Sample, Ack)> {
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    let mut now = Instant::ZERO + Duration::from_secs(1);
    let mut acks = Vec::with_capacity(ACKS);
    for i in 0..ACKS as u64 {
        noise = noise
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        now = now + Duration::from_nanos(3_900_000 + (noise >> 44) % 200_000);
        // A triangle of 600 ACKs between 60 and 90 ms.
        let queue = (i % 600).abs_diff(300) * 100_000;
        let rtt = Duration::from_nanos(60_000_000 + queue);
        let sent_at = now - rtt;
        acks.push((
            Sample::new(now, Segments::ONE)
                .with_rtt(rtt)
                .with_stamps(Stamps {
                    sent_at,
                    received_at: now - Duration::from_millis(30),
                })
                .with_queueing(Queueing {
                    forward: Duration::from_nanos(queue / 2),
                    backward: Duration::from_nanos(queue / 4),
                }),
            Ack::new(now, Segments::ONE, Segments::CAP),
        ));
    }
    acks
}

fn loss(ack: &Ack) -> Loss {
    Loss::new(ack.now, ack.in_flight).with_lost_sent_at(ack.now - Duration::from_millis(60))
}
