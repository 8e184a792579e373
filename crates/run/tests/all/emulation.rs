//! Networks with packets from outside, advanced by hand.

use dumbbell_run::{Emulation, End, Event, Label, Sort, Why};
use dumbbell_scenario::Duration;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use proptest::prelude::*;

/// 1000 bytes take 80 us on an access link, and 4 ms on the bottleneck.
const PATH: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "2 Mb/s", delay = "18 ms", queue = { droptail = 3 } }
aqt = "all"
[[flow]]
control = "reno"
"#;

fn emulation(text: &str, seed: u64) -> Emulation {
    let controls = Controls::builtin();
    let scenario =
        Scenario::parse("test.toml", text, &controls).unwrap_or_else(|it| panic!("{it}"));
    Emulation::new(&scenario, 0, seed).unwrap()
}

fn micros(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Everything that arrives until a time: end, time in microseconds, first byte, and queueing delay.
fn until(emulation: &mut Emulation, us: u64) -> Vec<(End, u64, u8, Option<u32>)> {
    let mut seen = Vec::new();
    emulation.advance(micros(us), |through, bytes| {
        assert_eq!(through.due.as_nanos() % 1000, 0);
        let due = through.due.as_nanos() / 1000;
        seen.push((through.end, due, bytes[0], through.queueing));
    });
    seen
}

/// A packet takes 80 us + 1 ms + 4 ms + 18 ms + 80 us + 1 ms, and the next arrives 4 ms after it.
/// Of five packets at once the queue holds three, including the one in transmission.
#[test]
fn packets_arrive_after_the_delays_of_the_links() {
    let mut path = emulation(PATH, 1);
    let probe = Label {
        probe: true,
        ..Label::NONE
    };
    until(&mut path, 1_000);
    for number in 0..5 {
        path.offer(End::Sender, &[number; 1000], Sort::Data, probe);
    }
    path.offer(End::Receiver, &[9; 100], Sort::Ack, Label::NONE);
    let next = path.next_event().unwrap().as_nanos() / 1000;
    let through = until(&mut path, 100_000);
    let first = 1_000 + 80 + 1_000 + 4_000 + 18_000 + 80 + 1_000;
    // 100 bytes in the other direction: 8 us, 400 us, 8 us.
    let back = 1_000 + 8 + 1_000 + 400 + 18_000 + 8 + 1_000;
    assert!(next <= back, "{next}");
    assert_eq!(
        through,
        [
            (End::Sender, back, 9, None),
            (End::Receiver, first, 0, Some(0)),
            (End::Receiver, first + 4_000, 1, Some(4_000 - 80)),
            (End::Receiver, first + 8_000, 2, Some(8_000 - 160)),
        ]
    );
    assert_eq!(path.in_flight(), 0);
    let outcome = path.outcome();
    assert_eq!(outcome.links[0].dropped, 2);
    assert!(outcome.flows.is_empty());
}

/// With opportunities at 5, 12 and 30 ms: packet 0 leaves at 5 ms, together with 500 bytes of the
/// next one. The rest of packet 1 leaves at 12 ms, and packet 2 behind it, so packet 2 then waits
/// for 80 us at the access link. Packet k reaches the queue at 2.08 ms + k * 80 us.
#[test]
fn packets_leave_at_opportunities() {
    let recorded = "rate = { opportunities = [5, 12, 30] }";
    let mut path = emulation(&PATH.replace("rate = \"2 Mb/s\"", recorded), 1);
    let probe = Label {
        probe: true,
        ..Label::NONE
    };
    until(&mut path, 1_000);
    for number in 0..5 {
        path.offer(End::Sender, &[number; 1000], Sort::Data, probe);
    }
    let last = 18_000 + 80 + 1_000;
    assert_eq!(
        until(&mut path, 100_000),
        [
            (End::Receiver, 5_000 + last, 0, Some(2_920)),
            (End::Receiver, 12_000 + last, 1, Some(2_840)),
            (End::Receiver, 12_000 + last + 80, 2, Some(9_760 + 80)),
        ]
    );
    let link = &path.outcome().links[0];
    assert_eq!((link.sent, link.dropped), (5, 2));
}

/// The owner controls the network's time: looking later does not change what happens.
#[test]
fn advancing_late_changes_nothing() {
    let run = |steps: &[u64]| {
        let mut path = emulation(PATH, 1);
        let mut seen = Vec::new();
        until(&mut path, 1_000);
        path.offer(End::Sender, &[1; 1000], Sort::Data, Label::NONE);
        for step in steps {
            seen.extend(until(&mut path, *step));
        }
        seen
    };
    assert_eq!(
        run(&[2_000, 5_000, 24_159, 24_160, 24_161, 30_000]),
        run(&[90_000])
    );
}

/// A cut bottleneck of 2 Mb/s with a simulated source of 1 Mb/s, which sends 125 packets of 1000
/// bytes per second.
#[test]
fn other_flows_are_simulated() {
    let text = format!(
        "{PATH}[[flow]]\nname = \"load\"\nsource = {{ cbr = \"1 Mb/s\" }}\npacket = \"1000 B\"\nstart = \"0 s\"\n"
    );
    let mut path = emulation(&text, 1);
    assert!(until(&mut path, 2_000_000).is_empty());
    let outcome = path.outcome();
    assert_eq!(outcome.flows.len(), 1);
    assert_eq!(outcome.flows[0].name, "load");
    assert!(
        (249..=251).contains(&outcome.flows[0].sent),
        "{}",
        outcome.flows[0].sent
    );
}

/// A queue of 300 packets that take 4 ms each is filled at once and inspected after a tenth of a
/// second.
#[test]
fn the_utilisation_never_exceeds_one() {
    let mut path = emulation(&PATH.replace("droptail = 3 }", "droptail = 300 }"), 1);
    for _ in 0..300 {
        path.offer(End::Sender, &[0; 1000], Sort::Data, Label::NONE);
    }
    until(&mut path, 100_000);
    let link = &path.outcome().links[0];
    assert!(
        (0.97..=1.0).contains(&link.utilisation),
        "{}",
        link.utilisation
    );
}

/// A loss model that acts only on data spares ACKs.
#[test]
fn loss_models_distinguish_the_sorts_of_packets() {
    let text = PATH.replace(
        "droptail = 3 }",
        "droptail = 300 }, loss = { bernoulli = 1.0 }",
    );
    let mut path = emulation(&text, 1);
    for sort in [Sort::Data, Sort::Ack, Sort::Datagram] {
        path.offer(End::Sender, &[sort as u8; 100], sort, Label::NONE);
    }
    let through = until(&mut path, 1_000_000);
    let [(End::Receiver, _, number, _)] = through[..] else {
        panic!("{through:?}");
    };
    assert_eq!(number, Sort::Ack as u8);
    assert_eq!(path.in_flight(), 0);
}

/// Two flows over access links of 1 ms and of 11 ms: their packets arrive 20 ms apart, as each crosses two of its
/// own. The simulated flow between them is the only one with results.
#[test]
fn each_flow_that_is_outside_has_its_own_place() {
    let near = PATH.replace("[[flow]]\ncontrol = \"reno\"\n", "");
    let text = format!(
        "{near}[[flow]]\ncontrol = \"reno\"\n[[flow]]\nname = \"inside\"\ncontrol = \"veno\"\nstart = \"900 ms\"\n\
         [[flow]]\nname = \"far\"\ncontrol = \"reno\"\naccess = {{ delay = \"11 ms\" }}\n"
    );
    let controls = Controls::builtin();
    let scenario = Scenario::parse("test.toml", &text, &controls);
    let scenario = scenario.unwrap_or_else(|it| panic!("{it}"));
    let mut path = Emulation::of(&scenario, &[0, 2], 1).unwrap();
    let at = [0, 1].map(|flow| {
        let start = path.now().as_nanos() / 1000;
        path.offer_of(
            flow,
            End::Sender,
            &[flow as u8; 1000],
            Sort::Data,
            Label::NONE,
        );
        let through = until(&mut path, start + 100_000);
        let [(End::Receiver, at, number, _)] = through[..] else {
            panic!("{through:?}");
        };
        assert_eq!(usize::from(number), flow);
        at - start
    });
    let crossing = 80 + 1_000 + 4_000 + 18_000 + 80 + 1_000;
    assert_eq!(at, [crossing, crossing + 20_000]);
    // There is no third flow outside.
    assert_eq!(
        path.offer_of(2, End::Sender, &[0; 9], Sort::Data, Label::NONE),
        None
    );
    let names: Vec<String> = path.outcome().flows.into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["inside"]);
    let refused = |flows: &[usize]| Emulation::of(&scenario, flows, 1).err().unwrap();
    assert!(refused(&[2, 0, 2]).contains("twice"));
    assert!(refused(&[]).contains("needs a flow"));
    assert!(refused(&[0, 3]).contains("no flow 4"));
}

#[test]
fn a_flow_that_relays_cannot_be_outside() {
    let text = format!(
        "{PATH}name = \"first\"\n[[flow]]\ncontrol = \"reno\"\nrelays = \"first\"\ndirection = \"left\"\n"
    );
    let controls = Controls::builtin();
    let scenario = Scenario::parse("test.toml", &text, &controls);
    let scenario = scenario.unwrap_or_else(|it| panic!("{it}"));
    for flow in [0, 1] {
        let refusal = Emulation::new(&scenario, flow, 1).err().unwrap();
        assert!(refusal.contains("relay"), "{refusal}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Every packet that is handed in arrives, is dropped, is lost, or is still in the network.
    /// Packets arrive in order, and not before their time.
    #[test]
    fn packets_from_outside_are_conserved(
        steps in prop::collection::vec((0u64..20_000, 1usize..1500, any::<bool>(), 0u8..3), 1..200),
        seed in any::<u64>(),
    ) {
        let text = PATH.replace("droptail = 3 }", "droptail = 9 }, loss = { bernoulli = 0.2, on = \"all\" }");
        let text = format!("{text}[[flow]]\ncontrol = \"veno\"\ndirection = \"left\"\n");
        let mut path = emulation(&text, seed);
        let (mut now, mut offered, mut through) = (0, 0u64, 0u64);
        let mut last = [0; 2];
        for (pause, length, forward, sort) in steps {
            now += pause;
            path.advance(micros(now), |it, _| {
                let end = usize::from(it.end == End::Receiver);
                assert!(it.due.as_nanos() >= last[end] && it.due.as_nanos() <= now * 1000);
                assert!(it.due.as_nanos() >= it.entered.as_nanos() + 20_000_000);
                last[end] = it.due.as_nanos();
                through += 1;
            });
            let sort = [Sort::Data, Sort::Ack, Sort::Datagram][usize::from(sort)];
            let from = if forward { End::Sender } else { End::Receiver };
            path.offer(from, &vec![0; length], sort, Label::NONE);
            offered += 1;
        }
        let there = path.in_flight() as u64;
        path.advance(micros(now + 60_000_000), |_, _| through += 1);
        prop_assert_eq!(path.in_flight(), 0);
        prop_assert!(through <= offered);
        prop_assert!(there <= offered);
        let outcome = path.outcome();
        let gone: u64 = outcome.links.iter().map(|link| link.dropped + link.lost).sum();
        // Packets of the simulated flow are lost, too.
        prop_assert!(offered - through <= gone);
    }
}

/// Every packet of 1000 bytes is copied on the bottleneck: it arrives twice there, and its copy behind it, 80 us later.
/// A copy has all bytes of its original.
#[test]
fn copies_are_packets_of_their_own() {
    let text = PATH.replace("droptail = 3 }", "droptail = 3 }, duplicate = 1");
    let mut path = emulation(&text, 1);
    until(&mut path, 1_000);
    for number in 0..2 {
        path.offer(End::Sender, &[number; 1000], Sort::Data, Label::NONE);
    }
    let mut seen = Vec::new();
    path.advance(micros(100_000), |through, bytes| {
        assert_eq!(bytes, [bytes[0]; 1000]);
        seen.push((through.due.as_nanos() / 1000, bytes[0]));
    });
    let first = 1_000 + 80 + 1_000 + 4_000 + 18_000 + 80 + 1_000;
    assert_eq!(
        seen,
        [
            (first, 0),
            (first + 80, 0),
            (first + 4_000, 1),
            (first + 4_080, 1),
        ]
    );
    assert_eq!(path.in_flight(), 0);
    let outcome = path.outcome();
    assert_eq!(
        (outcome.links[0].duplicated, outcome.links[0].delivered),
        (2, 4)
    );
}

/// A damaged packet takes its time on all links, and does not leave the network. Packets of the other direction are
/// not damaged.
#[test]
fn damaged_packets_do_not_come_out() {
    let text = PATH.replace("droptail = 3 }", "droptail = 3 }, corrupt = 1");
    let mut path = emulation(&text, 1);
    for number in 0..2 {
        path.offer(End::Sender, &[number; 1000], Sort::Data, Label::NONE);
    }
    path.offer(End::Receiver, &[9; 100], Sort::Ack, Label::NONE);
    let through = until(&mut path, 100_000);
    assert_eq!(through.iter().map(|it| it.2).collect::<Vec<_>>(), [9]);
    assert_eq!(path.in_flight(), 0);
    let outcome = path.outcome();
    assert_eq!((outcome.links[0].corrupted, outcome.links[0].lost), (2, 0));
    let last = outcome
        .links
        .iter()
        .find(|link| link.name.ends_with(".receiver"));
    assert_eq!(last.unwrap().delivered, 2);
}

/// The bucket of the policer has room for two packets of 1000 bytes, and gets hardly more.
#[test]
fn a_policer_drops_packets_from_outside() {
    let text = PATH.replace(
        "droptail = 3 }",
        "droptail = 3 }, policer = { rate = \"1 kb/s\", burst = \"2000 B\" }",
    );
    let mut path = emulation(&text, 1);
    for number in 0..5 {
        path.offer(End::Sender, &[number; 1000], Sort::Data, Label::NONE);
    }
    let through = until(&mut path, 100_000);
    assert_eq!(through.iter().map(|it| it.2).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(path.in_flight(), 0);
    let outcome = path.outcome();
    assert_eq!((outcome.links[0].dropped, outcome.links[0].policed), (3, 3));
}

/// What became of packets until a time: the time in microseconds, the number, and the reason if it never arrives.
fn followed(emulation: &mut Emulation, us: u64) -> Vec<(u64, u64, Option<Why>)> {
    let mut seen = Vec::new();
    emulation.follow(micros(us), |event| {
        let (at, number, why, bytes) = match event {
            Event::Through(it, bytes) => (it.due, it.number, None, &*bytes),
            Event::Gone(it, bytes) => (it.at, it.number, Some(it.why), bytes),
        };
        assert_eq!(u64::from(bytes[0]), number);
        seen.push((at.as_nanos() / 1000, number, why));
    });
    seen
}

/// Packet k reaches the queue, which holds three, at 2 ms + (k + 1) * 80 us. The network knows of a drop at once, and
/// tells of it when its time has come, among the packets that arrive.
#[test]
fn the_end_of_a_packet_is_told_at_its_time() {
    let mut path = emulation(PATH, 1);
    until(&mut path, 1_000);
    for number in 0..5 {
        assert_eq!(
            path.offer(End::Sender, &[number; 1000], Sort::Data, Label::NONE),
            Some(u64::from(number))
        );
    }
    assert_eq!(followed(&mut path, 2_000 + 4 * 80 - 1), []);
    let first = 1_000 + 80 + 1_000 + 4_000 + 18_000 + 80 + 1_000;
    assert_eq!(
        followed(&mut path, 100_000),
        [
            (2_000 + 4 * 80, 3, Some(Why::Dropped)),
            (2_000 + 5 * 80, 4, Some(Why::Dropped)),
            (first, 0, None),
            (first + 4_000, 1, None),
            (first + 8_000, 2, None),
        ]
    );
    assert_eq!(path.in_flight(), 0);
}

/// A link that loses, one that damages, and one that keeps only the newest ACK: the last of three supersedes the one
/// that waits behind the first.
#[test]
fn the_reason_of_an_end_is_told() {
    let reasons = |with: &str, sort, label: fn(u64) -> Label| {
        let text = PATH.replace("droptail = 3 }", &format!("droptail = 3{with}"));
        let mut path = emulation(&text, 1);
        for number in 0..3 {
            path.offer(End::Sender, &[number; 100], sort, label(u64::from(number)));
        }
        let seen = followed(&mut path, 1_000_000);
        assert_eq!(path.in_flight(), 0);
        let times = seen.iter().map(|it| it.0);
        assert!(times.is_sorted(), "{seen:?}");
        let reasons = seen.iter().filter_map(|it| Some((it.1, it.2?)));
        reasons.collect::<Vec<_>>()
    };
    let plain = |_| Label::NONE;
    let all = |why| [(0, why), (1, why), (2, why)];
    let (lose, damage) = (" }, loss = { bernoulli = 1 }", " }, corrupt = 1");
    assert_eq!(reasons(lose, Sort::Data, plain), all(Why::Lost));
    assert_eq!(reasons(damage, Sort::Data, plain), all(Why::Damaged));
    let acks = |number| Label {
        supersedes: Some((7, number)),
        ..Label::NONE
    };
    let filtered = [(1, Why::Filtered)];
    assert_eq!(reasons(", ack_filter = true }", Sort::Ack, acks), filtered);
}
