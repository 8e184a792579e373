//! What must hold after an event, whatever was before it.

use dumbbell_control::controller::{Facts, Window};
use dumbbell_control::parameter::Setting;
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Ratio, Segments};
use proptest::prelude::*;

use crate::events::Event;

/// Checks what must hold for every control after every event.
pub fn check(
    config: &AnyConfig,
    event: &Event,
    before: Window,
    after: Window,
) -> Result<(), TestCaseError> {
    let facts = config.facts();
    prop_assert!(after.cwnd >= Segments::ONE && after.cwnd <= Segments::CAP);
    let floor = floor_of(config, "min_ssthresh");
    let least = floor.max(floor_of(config, "min_cwnd"));
    if after.ssthresh != before.ssthresh {
        prop_assert!(after.ssthresh >= floor && after.ssthresh <= Segments::CAP);
    }
    // A control that measures deliveries counts whole segments, and may change its window when the sender was
    // idle.
    let by_delivery = config.needs().delivery;
    let counted = |window: Segments| match by_delivery {
        true => Segments::saturating_whole(window.floor()),
        false => window,
    };
    match event {
        Event::Sent(_) | Event::Delivery(_) | Event::Lost(_) if by_delivery => {}
        Event::Sent(_) | Event::Sample(_) | Event::Delivery(_) | Event::Lost(_) => {
            prop_assert_eq!(after, before);
        }
        Event::Ack(_) => {
            prop_assert!(facts.ack_lowers_window || after.cwnd >= before.cwnd);
            let moves = facts.ack_moves_ssthresh && before.cwnd < before.ssthresh;
            prop_assert!(moves || after.ssthresh == before.ssthresh);
        }
        Event::Loss(_) => prop_assert!(after.cwnd <= before.cwnd.max(least)),
        Event::Timeout(_) => {
            let restart = floor_of(config, "timeout_cwnd");
            prop_assert_eq!(after.cwnd, restart);
        }
        Event::Mss(change) => {
            let expected = counted(change.rescale(before.cwnd)).max(Segments::ONE);
            prop_assert_eq!(after.cwnd, expected);
            let limited = before.ssthresh < Segments::MAX;
            prop_assert_eq!(limited, after.ssthresh < Segments::MAX);
        }
        Event::Restrict(cwnd) => {
            prop_assert_eq!(
                after.cwnd,
                counted(before.cwnd.min(*cwnd)).max(Segments::ONE)
            );
            prop_assert_eq!(after.ssthresh, before.ssthresh);
        }
    }
    Ok(())
}

/// Checks the facts that an algorithm states about losses and timeouts, and that the threshold is at
/// least two segments after either.
pub fn check_cuts(
    facts: &Facts,
    event: &Event,
    before: Window,
    after: Window,
) -> Result<(), TestCaseError> {
    let two = Segments::whole(2);
    let left = |part: Ratio| before.cwnd.scaled(part);
    match (event, facts.loss_leaves, facts.timeout_leaves) {
        (Event::Loss(_), Some(part), _) if facts.loss_restarts => {
            prop_assert_eq!(after.cwnd, Segments::ONE);
            prop_assert!(after.ssthresh >= left(part).max(two));
        }
        (Event::Loss(_), Some(part), _) => {
            prop_assert!(after.cwnd >= left(part).min(before.cwnd));
            prop_assert!(after == before || after.ssthresh >= two);
        }
        (Event::Loss(_), None, _) => prop_assert!(after.ssthresh >= two),
        (Event::Timeout(timeout), _, Some(part)) if timeout.consecutive < 2 => {
            prop_assert_eq!(after.ssthresh, left(part).max(two));
        }
        (Event::Timeout(_), _, Some(_)) => prop_assert_eq!(after.ssthresh, before.ssthresh),
        (Event::Timeout(_), _, None) => prop_assert!(after.ssthresh >= two),
        _ => {}
    }
    Ok(())
}

fn floor_of(config: &AnyConfig, name: &str) -> Segments {
    match config.get(name) {
        Some(Setting::Count(segments)) => Segments::whole(segments),
        _ => Segments::ONE,
    }
}
