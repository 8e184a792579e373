//! The comparison of the engine with the straightforward simulator, on random networks.

use dumbbell_sim::{Options, Queue, Sharing, Sojourn};
use proptest::prelude::*;

use super::{Counters, Obvious};
use crate::scenario::Scenario;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_engine_matches_the_straightforward_simulator(seed: u64, merge: bool, many: bool) {
        let scenario = Scenario::random(seed, if many { 40 } else { 5 }, false);
        let (log, counters, waits) = Obvious::run(&scenario);
        let mut simulation = scenario.simulation(Options { merge, sharing: Sharing::Always, ..Options::default() });
        simulation.run();
        prop_assert_eq!(&simulation.host().log, &log);
        let of_engine = simulation.links().into_iter().map(|link| Counters {
            sent: link.sent,
            delivered: link.delivered,
            dropped: link.dropped,
            early: link.early,
            policed: link.policed,
            marked: link.marked,
            filtered: link.filtered,
            duplicated: link.duplicated,
            corrupted: link.corrupted,
            departed: link.departed,
            departed_bytes: link.departed_bytes,
            busy: link.busy.as_nanos(),
            offered: link.offered_bytes,
            queue_integral: link.queue_integral,
        });
        prop_assert_eq!(of_engine.collect::<Vec<_>>(), counters);
        let described = scenario.topology.links();
        for ((link, waits), described) in simulation.links().into_iter().zip(waits).zip(described) {
            let separate = matches!(described.queue, Queue::DualPi2(_));
            let some = separate && waits.iter().any(|(_, l4s)| *l4s);
            prop_assert_eq!(link.l4s_sojourn.is_some(), some);
            if let Some(sojourn) = link.sojourn {
                check_waits(sojourn, waits.iter().map(|&(wait, _)| wait).collect());
            }
            if let Some(sojourn) = link.l4s_sojourn {
                let apart = waits.iter().filter(|(_, l4s)| *l4s);
                check_waits(sojourn, apart.map(|&(wait, _)| wait).collect());
            }
        }
    }
}

/// Compares a summary with the times themselves.
fn check_waits(sojourn: Sojourn, mut waits: Vec<u64>) {
    waits.sort_unstable();
    let packets = waits.len();
    assert_eq!(sojourn.packets, packets as u64);
    assert_eq!(sojourn.max.as_nanos(), waits[packets - 1]);
    let mean = waits.iter().map(|&wait| wait as f64).sum::<f64>() / packets as f64 / 1e9;
    assert!((sojourn.mean - mean).abs() <= 1e-9 * mean);
    for (found, share) in [(sojourn.p50, 0.5), (sojourn.p95, 0.95), (sojourn.p99, 0.99)] {
        let exact = waits[(packets as f64 * share - 1e-9).floor() as usize] as f64;
        let off = (found.as_nanos() as f64 - exact).abs();
        assert!(off <= 0.008 * exact + 1.0, "{found:?} {exact}");
    }
}
