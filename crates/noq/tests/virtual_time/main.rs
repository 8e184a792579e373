//! BBR behind noq in virtual time: ours and noq's own, on a path with losses at random.

#[path = "../../../quinn/tests/adapter/pair.rs"]
#[allow(dead_code)]
mod pair;
#[path = "../../../quinn/tests/virtual_time/path.rs"]
#[allow(dead_code)]
mod path;
#[path = "../adapter/stack.rs"]
#[allow(dead_code)]
mod stack;

use std::sync::Arc;
use std::time::Duration;

use dumbbell_noq::Factory;
use noq_proto::congestion::{Bbr3Config, ControllerFactory};
use pair::Pair;
use path::{Kind, Path};

/// The time of most runs.
const USUAL: Duration = Duration::from_secs(8);

/// Returns the goodput of the time from the start on, in Mb/s, with packets of 1500 bytes, and its interval by twice the standard
/// error.
fn goodput(
    kind: Kind,
    factory: &Arc<dyn ControllerFactory + Send + Sync>,
    late: Duration,
    time: Duration,
) -> (f64, f64) {
    const RUNS: u64 = 8;
    let one = |seed| {
        let mut pair = Pair::with_mtu(Arc::clone(factory), 1472);
        let mut path = Path::new(kind, seed, late);
        pair.link.carrier = Some(Box::new(move |there, now, size| {
            path.carry(there, now, size)
        }));
        pair.transfer(64_000_000, time, |_| {});
        pair.received as f64 * 8e-6 / time.as_secs_f64()
    };
    let all: Vec<f64> = (1..=RUNS).map(one).collect();
    let mean = all.iter().sum::<f64>() / RUNS as f64;
    let squares: f64 = all.iter().map(|it| (it - mean).powi(2)).sum();
    (mean, 2.0 * (squares / (RUNS * (RUNS - 1)) as f64).sqrt())
}

/// `cargo test --release -p dumbbell-noq --test virtual_time -- --ignored --nocapture` prints it.
#[test]
#[ignore = "it prints a table, in a minute"]
fn bbr_of_either_kind() {
    for kind in path::ALL {
        let ours = Factory::named("bbr").expect("noq gives all that it needs");
        let ours = goodput(kind, &(Arc::new(ours) as _), Duration::ZERO, USUAL);
        let theirs = Arc::new(Bbr3Config::default()) as _;
        let theirs = goodput(kind, &theirs, Duration::ZERO, USUAL);
        println!(
            "| {} | {:.3} ± {:.3} | {:.3} ± {:.3} |",
            kind.name, ours.0, ours.1, theirs.0, theirs.1
        );
    }
}

/// `cargo test --release -p dumbbell-noq --test virtual_time -- --ignored --nocapture late` prints it: noq's own BBR, where
/// both ends are late by so many microseconds on average.
#[test]
#[ignore = "it prints a table, in some minutes"]
fn ends_that_are_late_change_bbr() {
    for kind in path::ALL {
        let cells = [0, 100, 500, 2000].map(|late| {
            let theirs = Arc::new(Bbr3Config::default()) as _;
            let (mean, half) = goodput(kind, &theirs, Duration::from_micros(late), USUAL);
            format!("{mean:.3} ± {half:.3}")
        });
        println!("| {} | {} |", kind.name, cells.join(" | "));
    }
}

/// `cargo test --release -p dumbbell-noq --test virtual_time -- --ignored --nocapture longer` prints it: both kinds on *slow* for as
/// long as the runs of docs/parity.md.
#[test]
#[ignore = "it prints a row"]
fn longer_runs_on_slow() {
    let kind = path::ALL[2];
    let ours = Arc::new(Factory::named("bbr").expect("noq gives all that it needs")) as _;
    let theirs = Arc::new(Bbr3Config::default()) as _;
    let [ours, theirs] = [ours, theirs].map(|factory| {
        let (mean, half) = goodput(kind, &factory, Duration::ZERO, Duration::from_secs(20));
        format!("{mean:.3} ± {half:.3}")
    });
    println!("| {} | {ours} | {theirs} |", kind.name);
}

/// `cargo test --release -p dumbbell-noq --test virtual_time -- --ignored --nocapture losses` prints it: both kinds on *slow* for
/// 20 s with other shares of losses. noq's is below ours with any, and without.
#[test]
#[ignore = "it prints a table, in half a minute"]
fn losses_on_slow() {
    for loss in [0.0, 0.01, 0.02, 0.03] {
        let kind = Kind {
            loss,
            ..path::ALL[2]
        };
        let ours = Arc::new(Factory::named("bbr").expect("noq gives all that it needs")) as _;
        let theirs = Arc::new(Bbr3Config::default()) as _;
        let [ours, theirs] = [ours, theirs].map(|factory| {
            let (mean, half) = goodput(kind, &factory, Duration::ZERO, Duration::from_secs(20));
            format!("{mean:.3} ± {half:.3}")
        });
        println!("| {:.0} % | {ours} | {theirs} |", loss * 100.0);
    }
}
