//! quinn itself, in virtual time, on the path of docs/quic.md: what its rules make of a control, without the delays of a
//! machine, or with some that are told to the path.

mod later;
#[path = "../adapter/pair.rs"]
#[allow(dead_code)]
mod pair;
mod path;
#[path = "../adapter/stack.rs"]
#[allow(dead_code)]
mod stack;
mod whole;

use std::sync::Arc;
use std::time::Duration;

use dumbbell_quinn::Factory;
use later::Later;
use pair::Pair;
use path::{Kind, LOSSY, Path, RADIO};
use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use whole::{INITIAL, Whole};

const SIZE: usize = 6_000_000;

/// Returns the goodput of a transfer of 6 MB, in Mb/s.
fn goodput(control: &str, late: Duration, seed: u64) -> f64 {
    let factory = Factory::named(control).expect(control);
    let mut pair = Pair::with_mtu(Arc::new(factory), 1452);
    let mut path = Path::new(RADIO, seed, late);
    pair.link.carrier = Some(Box::new(move |there, now, size| {
        path.carry(there, now, size)
    }));
    let start = pair.now;
    pair.transfer(SIZE, Duration::from_secs(600), |_| {});
    assert!(pair.finished, "{control}");
    SIZE as f64 * 8e-6 / (pair.now - start).as_secs_f64()
}

/// Returns the mean of some runs, and its 95 % interval by twice the standard error.
fn estimate(control: &str, late: Duration, runs: u64) -> (f64, f64) {
    let all: Vec<f64> = (1..=runs)
        .map(|seed| goodput(control, late, seed))
        .collect();
    let mean = all.iter().sum::<f64>() / runs as f64;
    let squares: f64 = all.iter().map(|it| (it - mean).powi(2)).sum();
    let deviation = (squares / (runs - 1) as f64).sqrt();
    (mean, 2.0 * deviation / (runs as f64).sqrt())
}

/// The simulator has 1.105 for reno and 1.574 for veno on this path (24 runs, `stack = "quic"`, `below_window = true`).
#[test]
fn quinn_has_the_goodput_of_the_simulated_quic() {
    for (control, simulated) in [("reno", 1.105), ("veno", 1.574)] {
        let (mean, half) = estimate(control, Duration::ZERO, 12);
        let distance = (mean / simulated - 1.0).abs();
        assert!(distance < 0.05 + half / simulated, "{control}: {mean}");
    }
}

/// `cargo test --release -p dumbbell-quinn --test virtual_time -- --ignored --nocapture` prints the table of docs/parity.md.
#[test]
#[ignore = "it prints a table, in half a minute"]
fn ends_that_are_late_change_what_controls_of_delays_do() {
    for control in ["reno", "veno", "venodb", "westwood+", "cubic", "vegas"] {
        let cells = [0, 100, 500].map(|late| {
            let (mean, half) = estimate(control, Duration::from_micros(late), 40);
            format!("{mean:.3} ± {half:.3}")
        });
        println!("| {control} | {} |", cells.join(" | "));
    }
}

/// Returns the connection after its first 10 s, with packets of 1500 bytes.
fn after_ten_seconds(kind: Kind, control: &str, late: Duration, seed: u64) -> Pair {
    let factory = Factory::named(control).expect(control);
    under(Arc::new(factory), kind, late, seed)
}

/// The same, under a control of this factory.
fn under(
    factory: Arc<dyn ControllerFactory + Send + Sync>,
    kind: Kind,
    late: Duration,
    seed: u64,
) -> Pair {
    let mut pair = Pair::with_mtu(factory, 1472);
    let mut path = Path::new(kind, seed, late);
    pair.link.carrier = Some(Box::new(move |there, now, size| {
        path.carry(there, now, size)
    }));
    pair.transfer(64_000_000, Duration::from_secs(10), |_| {});
    pair
}

/// Returns the goodput of the first 10 s, in Mb/s.
fn in_ten_seconds(kind: Kind, control: &str, seed: u64) -> f64 {
    after_ten_seconds(kind, control, Duration::ZERO, seed).received as f64 * 8e-7
}

/// Why quinn's NewReno is faster than the simulated Reno, the more the smaller windows are: it keeps the count of what is
/// acknowledged towards its next packet over a cut, while the window is halved, so that it grows soon after; and the ACK that
/// reveals a loss adds to window and count before the cut. A Reno that does both receives the very same bytes, and one that
/// does neither those of Dumbbell's. `cargo test --release -p dumbbell-quinn --test virtual_time -- --nocapture count`
/// prints the means.
#[test]
fn what_quinns_newreno_gains_is_a_count_that_it_keeps_over_cuts_and_the_ack_that_reveals_a_loss() {
    let mut config = NewRenoConfig::default();
    config.initial_window(INITIAL);
    let theirs = on_lossy(Arc::new(config), 8);
    let ours = Arc::new(Factory::named("reno").expect("quinn can run it"));
    let ours = on_lossy(ours, 8);
    let [kept, scaled, dropped, neither] = Whole::STEPS.map(|whole| on_lossy(Arc::new(whole), 8));
    let means = [&theirs, &kept, &scaled, &dropped, &neither, &ours].map(|runs| mean(runs));
    println!("quinn's, as quinn's, a quarter kept, nothing kept, as ours, ours: {means:.3?}");
    assert_eq!(theirs, kept);
    assert_eq!(neither, ours);
    assert!(mean(&theirs) > 1.1 * mean(&ours), "{means:?}");
}

/// The same with more runs: `cargo test --release -p dumbbell-quinn --test virtual_time -- --ignored --nocapture newreno`.
#[test]
#[ignore = "it prints a row, in half a minute"]
fn what_each_part_of_quinns_newreno_gains() {
    let all = Whole::STEPS.map(|whole| on_lossy(Arc::new(whole), 100));
    let ours = Factory::named("reno").expect("quinn can run it");
    let ours = on_lossy(Arc::new(ours), 100);
    let different = ours.iter().zip(&all[3]).filter(|(a, b)| a != b).count();
    println!("{:.3?}", all.each_ref().map(|runs| mean(runs)));
    println!(
        "ours: {:.3}, {different} of 100 are not as the last",
        mean(&ours)
    );
}

/// Why quinn's CUBIC is faster where windows are small: its time begins with the loss, and ours with the first ACK after the
/// recovery, a round trip later. With that it has no more than ours.
#[test]
fn what_quinns_cubic_gains_is_the_round_trip_of_the_recovery() {
    let theirs = on_lossy(Arc::new(CubicConfig::default()), 8);
    let later = on_lossy(Arc::new(Later(Arc::new(CubicConfig::default()))), 8);
    let ours = Factory::named("cubic").expect("quinn can run it");
    let ours = on_lossy(Arc::new(ours), 8);
    let means = [&theirs, &later, &ours].map(|runs| mean(runs));
    println!("quinn's, a round trip later, ours: {means:.3?}");
    let [theirs, later, ours] = means;
    assert!(theirs > 1.05 * ours, "{means:?}");
    assert!((later / ours - 1.0).abs() < 0.05, "{means:?}");
}

/// Returns the bytes that runs of 10 s receive on the path *lossy*.
fn on_lossy(factory: Arc<dyn ControllerFactory + Send + Sync>, runs: u64) -> Vec<u64> {
    let one = |seed| under(Arc::clone(&factory), LOSSY, Duration::ZERO, seed).received;
    (1..=runs).map(one).collect()
}

/// Returns the mean goodput of such runs in Mb/s.
fn mean(runs: &[u64]) -> f64 {
    runs.iter().sum::<u64>() as f64 * 8e-7 / runs.len() as f64
}

/// Where nothing is lost at random, one run says all. The simulator has these goodputs on the path *shallow* (10 s, payload
/// 1439 bytes, `stack = "quic"`, `below_window = true`). With samples of the handshake, westwood+ has 3.594, and vegas 3.709.
#[test]
fn the_handshake_does_not_change_what_controls_measure() {
    let [.., shallow] = path::ALL;
    for (control, simulated) in [("reno", 4.038), ("westwood+", 3.921), ("vegas", 3.115)] {
        let found = in_ten_seconds(shallow, control, 1);
        let distance = (found / simulated - 1.0).abs();
        assert!(distance < 0.05, "{control}: {found}");
    }
}

/// `cargo test --release -p dumbbell-quinn --test virtual_time -- --ignored --nocapture six` prints it.
#[test]
#[ignore = "it prints a table, in some minutes"]
fn the_six_paths() {
    for kind in path::ALL {
        for control in ["reno", "veno", "venodb", "westwood+", "cubic", "vegas"] {
            let all: Vec<f64> = (1..=12)
                .map(|seed| in_ten_seconds(kind, control, seed))
                .collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            println!("| {}, {control} | {mean:.3} |", kind.name);
        }
    }
}

/// `cargo test --release -p dumbbell-quinn --test virtual_time -- --ignored --nocapture lost` prints it: the packets of 10 s
/// on the path *shallow*, and how many of them were lost, with ends that are late by so many microseconds.
#[test]
#[ignore = "it prints a table"]
fn lost_on_the_shallow_path() {
    let [.., shallow] = path::ALL;
    for control in ["reno", "veno", "westwood+", "cubic", "vegas"] {
        let cells = [0, 20, 100, 500].map(|late| {
            let mut pair = after_ten_seconds(shallow, control, Duration::from_micros(late), 1);
            let stats = pair.client().stats().path;
            format!("{} of {}", stats.lost_packets, stats.sent_packets)
        });
        println!("| {control} | {} |", cells.join(" | "));
    }
}
