//! Packets are conserved: sent + duplicated = delivered + dropped + lost + filtered + in flight, on every link,
//! after every event.

use dumbbell_sim::{Cause, Options, Sharing, Simulation};
use proptest::prelude::*;

use crate::scenario::{Fate, Restless, Scenario};

/// Checks the conservation law on every link. The packets in flight on all links together must be those
/// that the host has sent and that have neither arrived nor been discarded. The host must have been told
/// the right cause and the right link for each discarded packet.
fn check(simulation: &Simulation<Restless>) -> Result<(), TestCaseError> {
    let mut in_flight = 0;
    let host = simulation.host();
    // Counted at once: a run has many packets and many events.
    let mut told = vec![[0; 3]; simulation.link_count()];
    let mut under_way = 0;
    for fate in &host.fates {
        match *fate {
            Fate::Discarded(cause, link) => told[link.index()][cause as usize] += 1,
            Fate::UnderWay => under_way += 1,
            Fate::Arrived => {}
        }
    }
    for (index, link) in simulation.links().into_iter().enumerate() {
        let gone = link.dropped + link.lost + link.filtered;
        let accounted = link.delivered + gone + link.in_flight;
        prop_assert_eq!(link.sent + link.duplicated, accounted, "{:?}", link);
        prop_assert!(link.early <= link.dropped);
        in_flight += link.in_flight;
        let causes = [
            (Cause::Dropped, link.dropped),
            (Cause::Lost, link.lost),
            (Cause::Filtered, link.filtered),
        ];
        for (cause, count) in causes {
            prop_assert_eq!(told[index][cause as usize], count, "{:?}", cause);
        }
    }
    prop_assert_eq!(in_flight, under_way);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn packets_are_conserved_after_every_event(seed: u64, merge: bool) {
        let scenario = Scenario::random(seed, 6, true);
        let options = Options { merge, sharing: Sharing::Always, ..Options::default() };
        let mut simulation = scenario.simulation(options);
        let mut last = simulation.now();
        while let Some(time) = simulation.step() {
            prop_assert!(time >= last && time <= scenario.end);
            last = time;
            check(&simulation)?;
        }
        check(&simulation)?;
        prop_assert_eq!(simulation.now(), scenario.end);
    }
}
