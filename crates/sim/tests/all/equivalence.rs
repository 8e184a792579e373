//! The results of a simulation do not depend on how it is run: with or without merged hops, with or
//! without shared lanes, with a tree or with wheels of any size.

use dumbbell_sim::{LinkStatistics, Options, SchedulerChoice, Sharing, Time};
use proptest::prelude::*;

use crate::scenario::{Fate, Log, Scenario};
use Sharing::{Always, Automatic, Never};

const TREE: SchedulerChoice = SchedulerChoice::Tree;

const WHEELS: [SchedulerChoice; 5] = [
    wheel(6, 0),
    wheel(6, 12),
    wheel(10, 9),
    wheel(17, 10),
    wheel(18, 30),
];

const fn wheel(buckets: u32, width: u32) -> SchedulerChoice {
    SchedulerChoice::Wheel { buckets, width }
}

/// All results of a run.
#[derive(Debug, PartialEq)]
struct Outcome {
    log: Log,
    fates: Vec<Fate>,
    links: Vec<LinkStatistics>,
}

fn outcome(
    scenario: &Scenario,
    merge: bool,
    sharing: Sharing,
    scheduler: SchedulerChoice,
) -> Outcome {
    let mut simulation = scenario.simulation(Options {
        merge,
        sharing,
        scheduler,
    });
    simulation.run();
    let links = simulation.links();
    let host = simulation.into_host();
    Outcome {
        log: host.log,
        fates: host.fates,
        links,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn small_networks_run_alike_with_all_options(seed: u64) {
        // At most 36 links and 12 timers.
        let scenario = Scenario::random(seed, 6, true);
        let plain = outcome(&scenario, false, Never, TREE);
        for (merge, sharing) in [(true, Never), (true, Always), (false, Always)] {
            prop_assert_eq!(&outcome(&scenario, merge, sharing, TREE), &plain);
        }
        for wheel in WHEELS {
            for (merge, sharing) in [(false, Never), (true, Never), (true, Always)] {
                prop_assert_eq!(&outcome(&scenario, merge, sharing, wheel), &plain);
            }
        }
    }

    #[test]
    fn large_networks_run_alike_with_all_options(seed: u64) {
        let scenario = Scenario::random(seed, 60, true);
        let plain = outcome(&scenario, false, Never, SchedulerChoice::Automatic);
        for sharing in [Never, Automatic, Always] {
            let merged = outcome(&scenario, true, sharing, SchedulerChoice::Automatic);
            prop_assert_eq!(&merged, &plain);
        }
        for wheel in WHEELS {
            prop_assert_eq!(&outcome(&scenario, true, Always, wheel), &plain);
        }
    }

    /// Pauses at any time change nothing.
    #[test]
    fn pauses_change_nothing(seed: u64, pauses in proptest::collection::vec(0_u64..60_000_000, 0..6)) {
        let scenario = Scenario::random(seed, 6, true);
        let plain = outcome(&scenario, false, Never, TREE);
        for scheduler in [TREE, wheel(6, 4)] {
            let options = Options { merge: true, sharing: Always, scheduler };
            let mut simulation = scenario.simulation(options);
            let mut pauses = pauses.clone();
            pauses.sort_unstable();
            for pause in pauses {
                simulation.run_until(Time::from_nanos(pause));
            }
            simulation.step();
            simulation.run();
            prop_assert_eq!(&simulation.links(), &plain.links);
            prop_assert_eq!(&simulation.host().log, &plain.log);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The counters at an expected reading are those of a run that ends at that moment, and later ones
    /// are not changed by it.
    #[test]
    fn a_reading_is_as_exact_as_the_end(seed: u64, at in 1_u64..60_000_000) {
        let scenario = Scenario::random(seed, 6, true);
        let at = Time::from_nanos(at % scenario.end.as_nanos());
        prop_assume!(at > Time::ZERO);
        let whole = outcome(&scenario, true, Always, TREE);
        let mut short = Scenario::random(seed, 6, true);
        short.end = at;
        let ended = outcome(&short, true, Always, TREE);
        for (merge, scheduler) in [(true, TREE), (false, TREE), (true, wheel(6, 4))] {
            let mut simulation = scenario.simulation(Options { merge, sharing: Always, scheduler });
            simulation.expect_reading(at);
            simulation.run_until(at);
            let read = simulation.links();
            prop_assert_eq!(&read, &ended.links);
            simulation.run();
            prop_assert_eq!(&simulation.links(), &whole.links);
            prop_assert_eq!(&simulation.host().log, &whole.log);
            for (end, read) in simulation.links().iter().zip(&read) {
                let rest = end.since(read);
                prop_assert_eq!(rest.sent + read.sent, end.sent);
                prop_assert_eq!(rest.duration, scenario.end - at);
            }
        }
    }
}

/// On networks without events the tests above would prove nothing.
#[test]
fn the_scenarios_are_eventful() {
    let mut fewer_events = 0;
    let (mut losses, mut under_way, mut packets, mut waited) = (0, 0, 0, 0);
    let (mut early, mut policed, mut forced, mut marked, mut filtered) = (0, 0, 0, 0, 0);
    let (mut corrupted, mut duplicated, mut retransmitted) = (0, 0, 0);
    for seed in 0..120 {
        let scenario = Scenario::random(seed, 6, true);
        let [plain, merged] = [false, true].map(|merge| {
            let mut simulation = scenario.simulation(Options {
                merge,
                sharing: Never,
                scheduler: TREE,
            });
            simulation.run();
            simulation
        });
        fewer_events += u32::from(merged.events() < plain.events());
        for link in plain.links() {
            losses += link.lost;
            early += link.early;
            policed += link.policed;
            forced += link.forced();
            marked += link.marked;
            filtered += link.filtered;
            corrupted += link.corrupted;
            duplicated += link.duplicated;
            retransmitted += link.retransmitted;
        }
        under_way += plain.host().count(Fate::UnderWay);
        packets += plain.host().fates.len();
        waited += plain.host().waited;
    }
    assert!(fewer_events > 20, "{fewer_events}");
    assert!(packets > 20_000, "{packets}");
    assert!(forced > 1_000, "{forced}");
    assert!(early > 100, "{early}");
    assert!(policed > 100, "{policed}");
    assert!(marked > 50, "{marked}");
    assert!(filtered > 100, "{filtered}");
    assert!(retransmitted > 100, "{retransmitted}");
    assert!(
        corrupted > 50 && duplicated > 50,
        "{corrupted} {duplicated}"
    );
    assert!(losses > 500, "{losses}");
    assert!(under_way > 500, "{under_way}");
    assert!(waited > 1_000_000, "{waited}");
}
