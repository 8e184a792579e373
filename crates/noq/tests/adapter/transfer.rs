//! Whole transfers: noq uses the control's window and rate, losses cut the window by the control's rules, and a loss
//! that was none is undone.

use std::sync::Arc;
use std::time::Duration;

use dumbbell_control::controller::{Controller as _, Value};
use dumbbell_control::units::{Ratio, Segments};
use dumbbell_noq::dumbbell_quic::{Choice, Unusable};
use dumbbell_noq::{Adapter, Factory, SIGNALS};
use noq_proto::congestion::Controller;

use crate::pair::Pair;
use crate::stack;

const SIZE: usize = 100_000;

/// A copy of the adapter behind noq's trait object.
fn adapter(controller: &dyn Controller) -> Adapter {
    let any = controller.clone_box().into_any();
    *any.downcast().expect("it is an adapter")
}

/// A number that the control explains.
fn number(adapter: &Adapter, wanted: &str) -> Option<f64> {
    let mut found = None;
    adapter.path().control().explain(&mut |name, value: Value| {
        if name == wanted {
            found = value.number();
        }
    });
    found
}

/// Transfers so many bytes with this control, and returns its window after each event of the client.
fn transfer(name: &str, size: usize, prepare: impl FnOnce(&mut Pair)) -> (Vec<Segments>, Adapter) {
    let factory = Factory::named(name).expect("noq gives all that it needs");
    let mut pair = Pair::new(Arc::new(factory));
    prepare(&mut pair);
    let mut windows = Vec::new();
    let mut last = None;
    pair.transfer(size, Duration::from_secs(60), |connection| {
        let next = adapter(stack::control(connection));
        windows.push(next.path().control().window().cwnd);
        last = Some(next);
    });
    assert!(pair.finished, "{name}");
    assert_eq!(pair.received, size as u64, "{name}");
    (windows, last.expect("an event"))
}

#[test]
fn every_control_runs_or_says_why_not() {
    let mut refused = Vec::new();
    for (name, choice) in Choice::all(SIGNALS) {
        match choice {
            Ok(_) => drop(transfer(name, SIZE, |pair| pair.link.lost = vec![30])),
            Err(Unusable::Lacking(lacking)) => refused.push((name, lacking.signal)),
            Err(unknown) => panic!("{unknown}"),
        }
    }
    let expected = [
        ("rovegas", "reports of queueing times from routers"),
        ("sarbe", "the receiver's arrival timestamps"),
        ("dctcp", "counts of ECN marks"),
        ("prague", "counts of ECN marks"),
    ];
    assert_eq!(refused, expected);
}

#[test]
fn a_random_loss_leaves_four_fifths_of_the_window() {
    let (windows, _) = transfer("veno", SIZE, |pair| pair.link.lost = vec![30]);
    let cuts: Vec<_> = windows
        .windows(2)
        .filter(|pair| pair[1] < pair[0])
        .collect();
    let [cut] = cuts[..] else { panic!("{cuts:?}") };
    assert_eq!(cut[1], cut[0].scaled(Ratio::from_millionths(800_000)));
}

/// A datagram that comes 20 ms late is declared lost, and acknowledged after all.
#[test]
fn a_loss_that_was_none_is_undone() {
    let (windows, _) = transfer("reno", SIZE, |pair| {
        pair.link.late = vec![30];
        pair.link.detour = Duration::from_millis(20);
    });
    let cut = windows.windows(2).position(|pair| pair[1] < pair[0]);
    let before = windows[cut.expect("it was declared lost")];
    let restored = windows.iter().skip(cut.unwrap_or(0) + 1);
    assert!(
        restored.clone().any(|window| *window >= before),
        "{windows:?}"
    );
    // A real loss stays.
    let (windows, _) = transfer("reno", SIZE, |pair| pair.link.lost = vec![30]);
    let cut = windows.windows(2).position(|pair| pair[1] < pair[0]);
    let before = windows[cut.expect("it was lost")];
    let after = windows[cut.unwrap_or(0) + 1..].iter().max();
    assert!(after < Some(&before), "{windows:?}");
}

/// A datagram of 1,200 bytes takes 2 ms: 4.8 Mb/s. noq sends at the rate that BBR measures.
#[test]
fn bbr_finds_the_rate_of_the_path() {
    for (name, estimate) in [("bbr", "max_bw"), ("bbr1", "bwe")] {
        let (windows, last) = transfer(name, 1_200_000, |pair| {
            pair.link.transmission = Duration::from_millis(2);
        });
        let rate = number(&last, estimate).expect(name);
        assert!((rate / 4.8e6 - 1.0).abs() < 0.05, "{name}: {rate}");
        assert!(last.metrics().pacing_rate.is_some(), "{name}");
        // Two times what is under way without a queue, 42 ms of it, is 42 packets.
        let last = windows.last().map_or(0, |window| window.floor());
        assert!((4..=60).contains(&last), "{name}: {last}");
    }
}
