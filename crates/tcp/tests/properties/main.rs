//! Properties of every control with every recovery that goes with it, over random paths and
//! under hostile ACKs.

mod channel;
mod choices;
mod hostile;
mod recorder;
mod session;

use proptest::prelude::*;

use choices::{Setup, pairs, setup};
use session::Session;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a network does to packets, the rules hold after every event, and a finite
    /// transfer over a path that behaves in the end is completed.
    #[test]
    fn the_rules_hold_over_any_path(setup in setup()) {
        for pair in pairs() {
            Session::new(&pair, &setup).run();
        }
    }

    /// Everything is lost for a while: the transfer still ends.
    #[test]
    fn an_outage_is_survived(mut setup in setup(), size in 1_u64..100) {
        setup.channel.loss = 1000;
        setup.size = Some(size);
        for pair in pairs() {
            Session::new(&pair, &setup).run();
        }
    }

    /// What comes over time is sent when it is there, and all of it arrives.
    #[test]
    fn what_comes_over_time_arrives(mut setup in setup(), size in 1_u64..200, apart in 1_u64..100_000) {
        setup.size = Some(size);
        setup.supply = Some(apart);
        for pair in pairs() {
            Session::new(&pair, &setup).run();
        }
    }
}

/// The same events give the same segments: nothing but its events decides what a sender does.
#[test]
fn a_connection_is_a_function_of_its_events() {
    for pair in pairs() {
        let setup = Setup::lossy(500);
        let (mut one, mut other) = (Session::new(&pair, &setup), Session::new(&pair, &setup));
        one.run();
        other.run();
        assert!(one.log().len() > 500);
        assert_eq!(one.log(), other.log());
    }
}
