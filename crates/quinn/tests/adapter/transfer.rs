//! Whole transfers: quinn uses the control's window, and losses cut it by the control's rules.

use std::sync::Arc;
use std::time::Duration;

use dumbbell_control::controller::Controller as _;
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Ratio, Segments};
use dumbbell_quinn::{Adapter, Factory};

use crate::pair::Pair;
use crate::stack;
use crate::{adapter, branch, named, venodb_by_acks};

const SIZE: usize = 100_000;
const MTU: u64 = 1200;

/// A cut of the window: the rule's branch, and the windows before and after.
type Cut = (&'static str, Segments, Segments);

/// Transfers [`SIZE`] bytes, and returns all cuts and the largest window.
fn transfer(config: AnyConfig, prepare: impl FnOnce(&mut Pair)) -> (Vec<Cut>, Segments) {
    let factory = Factory::new(config).expect("quinn gives all that it needs");
    let mut pair = Pair::new(Arc::new(factory));
    prepare(&mut pair);
    let mut last: Adapter = adapter(stack::control(pair.client()));
    let (mut cuts, mut largest) = (Vec::new(), Segments::ZERO);
    pair.transfer(SIZE, Duration::from_secs(20), |connection| {
        let next = adapter(stack::control(connection));
        let [before, after] = [&last, &next].map(|adapter| adapter.path().control().window().cwnd);
        let bytes = (u128::from(after.raw()) * u128::from(MTU)) >> 32;
        assert_eq!(stack::control(connection).window(), bytes as u64);
        largest = largest.max(after);
        if after < before {
            cuts.push((branch(&next), before, after));
        }
        last = next;
    });
    assert!(pair.finished);
    assert_eq!(pair.received, SIZE as u64);
    assert_eq!(stack::lost(pair.client()), pair.link.lost.len() as u64);
    (cuts, largest)
}

#[test]
fn without_losses_the_window_only_grows() {
    for config in [
        named("veno"),
        venodb_by_acks(),
        named("cubic"),
        named("westwood"),
    ] {
        let (cuts, largest) = transfer(config, |_| {});
        assert_eq!(cuts, [], "{}", config.name());
        assert!(largest > Segments::whole(20), "{}", config.name());
    }
}

#[test]
fn a_random_loss_leaves_four_fifths_of_the_window() {
    for config in [named("veno"), venodb_by_acks()] {
        // Two losses in one round, and one in a later round.
        let (cuts, _) = transfer(config, |pair| pair.link.lost = vec![30, 32, 78]);
        assert_eq!(cuts.len(), 2, "{}: {cuts:?}", config.name());
        for (branch, before, after) in cuts {
            assert_eq!(branch, "random loss", "{}", config.name());
            assert_eq!(after, before.scaled(Ratio::from_millionths(800_000)));
        }
    }
}

#[test]
fn a_loss_with_a_queue_halves_the_window() {
    for config in [named("veno"), venodb_by_acks()] {
        let (cuts, _) = transfer(config, |pair| {
            pair.link.transmission = Duration::from_millis(2);
            pair.link.lost = vec![65];
        });
        let [(branch, before, after)] = cuts[..] else {
            panic!("{}: {cuts:?}", config.name())
        };
        assert_eq!(branch, "congestion", "{}", config.name());
        assert_eq!(after, before.scaled(Ratio::HALF));
    }
}
