//! Small networks whose results are worked out by hand.
//!
//! The path of most tests: access links of 10 Mb/s and 10 ms around a bottleneck of 2 Mb/s and
//! 10 ms. A segment of 1040 bytes takes 0.832 ms on an access link and 4.16 ms on the
//! bottleneck, an ACK of 40 bytes 0.032 ms and 0.16 ms. Without queues, the round-trip time is
//! 0.832 + 4.16 + 0.832 + 0.032 + 0.16 + 0.032 + 6 x 10 = 66.048 ms: 15.9 segments fill the path.

use dumbbell_run::Run;
use dumbbell_run::outcome::{LinkOutcome, Outcome};
use dumbbell_run::statistics::jain;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

fn run(text: &str) -> Outcome {
    let scenario = Scenario::parse("paths.toml", text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"));
    Run::new(&scenario)
        .seed(1)
        .go()
        .expect("nothing interrupts it")
        .outcome
}

/// A Reno flow without a handshake on the path above.
fn flow(duration: &str, lines: &str) -> Outcome {
    run(&format!(
        r#"
        duration = "{duration}"
        [dumbbell]
        access = {{ rate = "10 Mb/s", delay = "10 ms" }}
        bottleneck = {{ rate = "2 Mb/s", delay = "10 ms", queue = {{ droptail = 60 }} }}
        [[flow]]
        control = "reno"
        {lines}
        "#
    ))
}

fn link<'a>(outcome: &'a Outcome, name: &str) -> &'a LinkOutcome {
    let found = outcome.links.iter().find(|link| link.name == name);
    found.unwrap_or_else(|| panic!("no link {name}"))
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} instead of {expected}"
    );
}

/// Five segments per round trip, from the start. Segment j of round k (from 0) arrives at 35.824 +
/// 4.16 j + 66.048 k ms, so in 100 s all segments of round 1513 arrive (the last at 99983.088 ms),
/// and no more.
#[test]
fn a_small_window_paces_a_flow() {
    let outcome = flow(
        "100 s",
        "receiver_window = 5\ninitial_window = 5\nhandshake = false",
    );
    let flow = &outcome.flows[0];
    assert_eq!(flow.goodput_bps, 1514.0 * 5.0 * 8000.0 / 100.0);
    assert_eq!(flow.throughput_bps, flow.goodput_bps);
    // ACKs arrived until 99996.672 ms: 1513 rounds, and one segment after them.
    assert_eq!((flow.sent, outcome.packets), (5 + 1513 * 5 + 1, 7570));
    assert_eq!(flow.cwnd_mean, Some(5.0));
    // The segments of the first burst waited 0, 4.16, ... 16.64 ms behind one another.
    assert_near(flow.rtt_mean_s.unwrap(), 0.066048 + 0.0416 / 7566.0, 1e-9);
    assert_near(flow.rtt_p95_s.unwrap(), 0.066048, 0.066048 * 0.016);
}

/// 20 segments are more than the path holds. At 4.16 ms each, a round trip takes 83.2 ms, of which
/// 83.2 - 66.048 + 4.16 = 21.312 ms are spent at the bottleneck, with 5.123 segments there on
/// average.
#[test]
fn a_window_larger_than_the_path_holds_builds_a_queue() {
    let outcome = flow("400 s", "receiver_window = 20\ninitial_window = 20");
    let flow = &outcome.flows[0];
    assert_near(flow.goodput_bps, 8000.0 / 0.004_16, 1000.0);
    assert_near(flow.rtt_mean_s.unwrap(), 0.0832, 1e-4);
    let bottleneck = link(&outcome, "bottleneck");
    assert_near(bottleneck.queue_mean, 5.123, 0.005);
    // Without the 4.16 ms of its own transmission, a segment waits 17.152 ms.
    assert_near(bottleneck.wait_mean_s.unwrap(), 0.017_152, 2e-5);
    assert_near(bottleneck.utilisation, 1.0, 1e-3);
    assert_eq!((bottleneck.dropped, bottleneck.lost), (0, 0));
}

/// The handshake takes 2 x (0.032 + 0.16 + 0.032 + 30) = 60.448 ms. Rounds of 2, 4 and 8 segments
/// follow, 66.048 ms each, and the last ACK is 7 x 4.16 ms behind the first of its round.
#[test]
fn slow_start_doubles_every_round() {
    let outcome = flow("10 s", "size = \"14 segments\"");
    let flow = &outcome.flows[0];
    assert_eq!(flow.finish_s, Some(0.287712));
    assert_eq!((flow.sent, flow.retransmits), (14, 0));
    assert_near(flow.goodput_bps, 14.0 * 8000.0 / 0.287712, 1e-6);
}

/// The last segment carries 500 bytes: it takes 2.16 ms at the bottleneck and 0.432 ms after it.
#[test]
fn the_last_segment_may_be_short() {
    let outcome = flow("10 s", "size = \"13500 B\"");
    let flow = &outcome.flows[0];
    assert_eq!(flow.finish_s, Some(0.285312));
    assert_near(flow.goodput_bps, 13500.0 * 8.0 / 0.285312, 1e-6);
    assert_eq!(flow.throughput_bps, flow.goodput_bps);
}

/// With one segment per round trip, ten segments take ten round trips.
#[test]
fn bytes_on_the_wire_take_time() {
    let one = "receiver_window = 1\ninitial_window = 1\nhandshake = false\nsize = \"10 segments\"";
    let finish = |lines: &str| flow("10 s", &format!("{one}\n{lines}")).flows[0].finish_s;
    assert_eq!(finish(""), Some(0.66048));
    // 1020 bytes: 0.816 + 4.08 + 0.816 ms. 100 bytes: 0.08 + 0.4 + 0.08 ms.
    assert_eq!(finish("header = \"20 B\"\nack = \"100 B\""), Some(0.66272));
    // 12 bytes more in each packet: 1052 bytes take 0.8416 + 4.208 + 0.8416 ms, 52 take 0.0416 +
    // 0.208 + 0.0416 ms.
    assert_eq!(
        finish("timestamps = { granularity = \"1 ms\" }"),
        Some(0.661824)
    );
    // 540 bytes: 0.432 + 2.16 + 0.432 ms.
    assert_eq!(finish("payload = \"500 B\""), Some(0.63248));
}

/// A probing segment is 12 bytes longer, which takes 0.0096 ms on each access link and 0.048 ms on
/// the bottleneck, and so is its ACK: 66.048 + 2 x 0.0672 = 66.1824 ms.
#[test]
fn probes_and_their_acks_are_longer() {
    let rtt = |lines: &str| {
        let lines = format!(
            "size = \"10 segments\"\nreceiver_window = 1\ninitial_window = 1\nhandshake = false\n{lines}"
        );
        let outcome = flow("10 s", &lines);
        let flow = &outcome.flows[0];
        assert_eq!(
            flow.goodput_bps, flow.throughput_bps,
            "the option is no payload"
        );
        flow.rtt_mean_s.expect("ten samples")
    };
    assert_near(rtt(""), 0.066_048, 1e-9);
    assert_near(rtt("probe_every = 1"), 0.066_182_4, 1e-9);
    assert_near(rtt("probe_every = 2"), 0.066_115_2, 1e-9);
    // Of ten segments, the first, the fifth and the ninth are probes.
    assert_near(rtt("probe_every = 4"), 0.066_088_32, 1e-9);
    let delayed = "delayed_ack = true\nprobe_every = 1";
    assert_near(rtt(delayed), 0.066_182_4, 1e-9);
}

/// Without marks every segment has its own ACK, because the delayed-ACK factor stays 1.
#[test]
fn ack_control_without_marks_changes_nothing() {
    let run = |lines: &str| {
        let lines =
            format!("size = \"500 segments\"\nreceiver_window = 10\nadaptation = false\n{lines}");
        let outcome = flow("100 s", &lines);
        let acks = link(&outcome, "bottleneck.reverse").sent;
        (acks, outcome.flows[0].finish_s)
    };
    let controlled = run("ack_control = true");
    assert_eq!(controlled, run(""));
    assert_eq!(
        controlled.0, 501,
        "and the answer to the segment that opened"
    );
}

#[test]
fn a_delayed_ack_covers_two_segments() {
    let window = "receiver_window = 6\ninitial_window = 6\nhandshake = false";
    let acks = |lines: &str| {
        let outcome = flow("100 s", &format!("{window}\n{lines}"));
        assert_eq!(outcome.flows[0].retransmits, 0);
        let acks = link(&outcome, "bottleneck.reverse").delivered;
        (acks, outcome.flows[0].finish_s.expect("it finishes"))
    };
    assert_eq!(acks("size = \"1000 segments\"").0, 1000);
    assert_eq!(acks("size = \"1000 segments\"\ndelayed_ack = true").0, 500);
    // With an odd number, the last segment waits for the timer: 100 or 50 ms.
    let (odd, finish) = acks("size = \"1001 segments\"\ndelayed_ack = true");
    let (also_odd, earlier) = acks("size = \"1001 segments\"\ndelayed_ack = \"50 ms\"");
    assert_eq!((odd, also_odd), (501, 501));
    assert_near(finish - earlier, 0.05, 1e-9);
}

#[test]
fn data_to_the_left_loads_the_reverse_link() {
    let outcome = flow(
        "100 s",
        "receiver_window = 5\ninitial_window = 5\nhandshake = false\ndirection = \"left\"",
    );
    assert_eq!(outcome.flows[0].goodput_bps, 605_600.0);
    assert_eq!(outcome.packets, 0, "no data went forwards");
    // Counts segments that have reached the bottleneck's far end, 10 + 0.832 ms before they arrive.
    assert_eq!(link(&outcome, "bottleneck.reverse").delivered, 7570);
    // 7571 segments have been sent, and the newest has not reached the bottleneck.
    assert_near(
        link(&outcome, "bottleneck.reverse").utilisation,
        7570.0 * 4.16e-3 / 100.0,
        1e-9,
    );
}

/// Nothing arrives: two segments at the start, then one at 1, 3, 7, 15, 31 and 63 s; the next
/// would be at 123 s.
#[test]
fn the_timer_backs_off_on_a_dead_link() {
    let outcome = run(r#"
        duration = "100 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "10 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 60 }, loss = { bernoulli = 1 } }
        [[flow]]
        control = "reno"
        handshake = false
        "#);
    let flow = &outcome.flows[0];
    assert_eq!((flow.sent, flow.retransmits, flow.timeouts), (8, 6, 6));
    assert_eq!((flow.goodput_bps, flow.rtt_mean_s), (0.0, None));
    let bottleneck = link(&outcome, "bottleneck");
    assert_eq!((bottleneck.lost, bottleneck.delivered), (8, 0));
}

/// Datagrams every 8000/3.7 = 2.162 ms, on a link that takes 4 ms for each and holds 10.
///
/// They reach the bottleneck 1.8 ms after they were sent. It is busy from 1.8 ms on, so it has sent
/// n of them by 1.8 + 4 n ms.
#[test]
fn an_overloaded_queue_drops_the_rest() {
    let outcome = run(r#"
        duration = "9.999 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 10 } }
        [[flow]]
        source = { cbr = "3.7 Mb/s" }
        "#);
    let flow = &outcome.flows[0];
    let bottleneck = link(&outcome, "bottleneck");
    // Packet 4624 was sent at 9997.84 ms and is still on the access link.
    assert_eq!((flow.sent, bottleneck.sent), (4625, 4624));
    // A datagram is delivered at 1.8 + 4 n + 10 ms, the 10 ms being the link's delay; this counts
    // those until 9999 ms.
    assert_eq!(bottleneck.delivered, 2496);
    // The last datagram, at 9997.48 ms, found the queue full; 2499 had left by 9997.8 ms, and 9
    // were still in the queue at the end.
    assert_eq!((bottleneck.dropped, bottleneck.lost), (4624 - 2499 - 9, 0));
    // The last link takes another 1.8 ms.
    assert_near(flow.goodput_bps, 2496.0 * 8000.0 / 9.999, 1e-6);
    assert_near(bottleneck.utilisation, 9997.2 / 9999.0, 1e-9);
    // One slot of the queue is free for 1.08 of every 4 ms on average, and it takes the first 47 ms
    // to fill the queue.
    assert_near(bottleneck.queue_mean, 9.708, 0.02);
}

/// 1.05 datagrams per millisecond, 1 ms each, at a RED queue. ns-2 (`validation/ns2/red.tcl
/// steady`) drops 9990 to 9993 of them with five seeds, while 7.87 to 7.90 wait and one is in
/// transmission.
#[test]
fn a_red_queue_drops_early() {
    let outcome = run(r#"
        duration = "200 s"
        [dumbbell]
        access = { rate = "100 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "8 Mb/s", delay = "10 ms", queue = { red = { limit = 60, mean_packet = "1000 B" } } }
        [[flow]]
        source = { cbr = "8.4 Mb/s" }
        "#);
    let bottleneck = link(&outcome, "bottleneck");
    assert_near(bottleneck.dropped as f64, 9_991.0, 50.0);
    assert_near(bottleneck.queue_mean - bottleneck.utilisation, 7.886, 0.16);
    // The queue is full only while the average rises, for less than a second.
    let forced = bottleneck.dropped - bottleneck.early;
    assert!(forced < 50, "{bottleneck:?}");
    assert_eq!((bottleneck.marked, bottleneck.filtered), (0, 0));
}

/// The reverse path carries 50 ACKs per second, a tenth of what the data needs. With an ACK filter
/// its queue holds one ACK of the flow, so the round-trip time is shorter by nine transmissions of
/// 20 ms.
#[test]
fn an_ack_filter_shortens_the_queue_of_a_narrow_reverse_link() {
    let flow = |filter: bool| {
        run(&format!(
            r#"
            duration = "60 s"
            [dumbbell]
            access = {{ rate = "100 Mb/s", delay = "1 ms" }}
            bottleneck = {{ rate = "8 Mb/s", delay = "15 ms", queue = {{ droptail = 60 }} }}
            reverse = {{ rate = "16 kb/s", queue = {{ droptail = 10, ack_filter = {filter} }} }}
            [[flow]]
            control = "newreno"
            "#
        ))
    };
    let [plain, filtered] = [false, true].map(flow);
    let [wide, narrow] = [&plain, &filtered].map(|outcome| link(outcome, "bottleneck.reverse"));
    assert_eq!(wide.filtered, 0);
    assert!(narrow.filtered > 10_000, "{narrow:?}");
    // One ACK in transmission, and one that waits.
    assert!(
        wide.queue_mean > 8.0 && narrow.queue_mean <= 2.2,
        "{narrow:?}"
    );
    let gone = narrow.delivered + narrow.dropped + narrow.lost + narrow.filtered;
    assert!(narrow.sent - gone <= 11, "{narrow:?}");
    let [slow, fast] = [&plain, &filtered].map(|outcome| outcome.flows[0].goodput_bps);
    assert!(fast > 1.5 * slow, "{fast} {slow}");
}

/// Ten datagrams, sent 8 ms apart, take 16 ms each at the bottleneck. The last arrives 1.8 + 160 +
/// 10 + 1.8 ms after the start, long after the source has stopped.
#[test]
fn packets_that_arrive_after_a_stop_count_with_their_time() {
    let outcome = run(r#"
        duration = "10 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "500 kb/s", delay = "10 ms", queue = { droptail = 20 } }
        [[flow]]
        source = { cbr = "1 Mb/s" }
        stop = "79 ms"
        "#);
    let flow = &outcome.flows[0];
    assert_eq!((flow.sent, flow.finish_s), (10, Some(0.079)));
    assert_near(flow.goodput_bps, 80_000.0 / 0.1736, 1e-6);
}

/// A transfer through two hops of a parking lot and its mirror image in a graph.
#[test]
fn the_same_path_gives_the_same_times_in_any_topology() {
    let flow = "control = \"reno\"\nsize = \"14 segments\"";
    let lot = run(&format!(
        r#"
        duration = "10 s"
        [parking_lot]
        access = {{ rate = "10 Mb/s", delay = "10 ms" }}
        hops = [{{ rate = "2 Mb/s", delay = "10 ms", queue = {{ droptail = 60 }} }}]
        [[flow]]
        {flow}
        "#
    ));
    let graph = run(&format!(
        r#"
        duration = "10 s"
        [graph]
        link = [
            {{ from = "a", to = "b", rate = "10 Mb/s", delay = "10 ms" }},
            {{ from = "b", to = "c", rate = "2 Mb/s", delay = "10 ms", queue = {{ droptail = 60 }} }},
            {{ from = "c", to = "d", rate = "10 Mb/s", delay = "10 ms" }},
        ]
        [[flow]]
        from = "a"
        to = "d"
        {flow}
        "#
    ));
    assert_eq!(lot.flows[0].finish_s, Some(0.287712));
    assert_eq!(graph.flows[0].finish_s, Some(0.287712));
}

#[test]
fn equal_flows_share_a_link() {
    let outcome = run(r#"
        duration = "400 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "10 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 20 } }
        [[flow]]
        control = "sack"
        count = 2
        "#);
    let goodputs: Vec<_> = outcome.flows.iter().map(|flow| flow.goodput_bps).collect();
    // 1000 of 1040 bytes are payload.
    let capacity = 2e6 / 1.04;
    let sum: f64 = goodputs.iter().sum();
    assert!(sum > 0.97 * capacity && sum <= capacity, "{goodputs:?}");
    assert!(jain(&goodputs).expect("two flows") > 0.97, "{goodputs:?}");
    assert!(link(&outcome, "bottleneck").dropped > 20);
}
