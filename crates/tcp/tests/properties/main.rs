//! Properties of every control with each of its recoveries, over random paths and under hostile ACKs.

mod channel;
mod choices;
mod hostile;
mod recorder;
mod session;

use proptest::prelude::*;

use choices::{Setup, pairs, setup};
use dumbbell_tcp::recovery::Kind;
use session::Session;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a network does to packets, the rules hold after every event. A finite transfer is
    /// completed if the path stops misbehaving in the end.
    #[test]
    fn the_rules_hold_over_any_path(setup in setup()) {
        for pair in pairs() {
            Session::new(&pair, &setup).run();
        }
    }

    /// Everything is lost for a while, and the transfer still ends.
    #[test]
    fn a_transfer_survives_an_outage(mut setup in setup(), size in 1_u64..100) {
        setup.channel.loss = 1000;
        setup.size = Some(size);
        for pair in pairs() {
            Session::new(&pair, &setup).run();
        }
    }

    /// A sender that forgets when it sent segments, because ACKs say it, sends the same at the same times, whatever
    /// arrives late, twice or never.
    #[test]
    fn a_sender_may_forget_when_it_sent(setup in setup()) {
        let setup = setup.plain();
        for pair in pairs().into_iter().filter(|pair| !pair.control.asks_when_sent()) {
            let mut remembers = Session::new(&pair, &setup);
            let mut forgets = Session::new(&pair, &Setup { forgets: true, ..setup.clone() });
            let resends_in_order = matches!(pair.kind, Kind::Tahoe | Kind::Reno | Kind::NewReno);
            assert_eq!((remembers.forgets(), forgets.forgets()), (false, resends_in_order));
            remembers.run();
            forgets.run();
            assert_eq!(remembers.log(), forgets.log());
        }
    }

    /// Segments that become available over time are not sent before, and all of them arrive.
    #[test]
    fn data_offered_over_time_arrives(mut setup in setup(), size in 1_u64..200, apart in 1_u64..100_000) {
        setup.size = Some(size);
        setup.supply = Some(apart);
        for pair in pairs() {
            Session::new(&pair, &setup).run();
        }
    }
}

/// The same events give the same segments.
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
