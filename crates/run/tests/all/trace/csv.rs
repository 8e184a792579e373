//! The contents of a trace in CSV.

use std::collections::{BTreeMap, BTreeSet};

use dumbbell_run::outcome::{FlowOutcome, Outcome, QUIC};
use dumbbell_run::trace::Format;
use proptest::prelude::*;

use super::read::Row;
use super::{STORY, parse, rows, traced};
use crate::small;

#[test]
fn a_short_story() {
    let (_, text) = traced(&parse(STORY), 1, Format::Csv, &[]);
    // The timer's first sample is 24.8 ms, the second 34.4 ms: SRTT = 24.8 + 9.6 / 8 = 26 ms. The
    // next sample is of the same round. The timeout is at its minimum. There is nothing left to
    // send, so the window stays.
    let expected = "\
time_s,flow,event,packet,seq,ack,sack,bytes,rtt_s,cwnd,inflation,ssthresh,flight,phase,srtt_s,rto_s,marks,aqt_us,aqt_echo_us
0.000000000,reno,syn,,,,,40,,2,0,,0,open,,1.000000000,,,
0.024800000,reno,synack,,,,,40,,2,0,,2,open,0.024800000,0.200000000,,,
0.024800000,reno,send,0,0,,,1000,,2,0,,2,open,0.024800000,0.200000000,,,
0.024800000,reno,send,1,1,,,580,,2,0,,2,open,0.024800000,0.200000000,,,
0.059200000,reno,ack,,,1,,40,0.034400000,2,0,,1,open,0.026000000,0.200000000,,,
0.063420000,reno,ack,,,2,,40,0.038620000,2,0,,0,open,0.026000000,0.200000000,,,
";
    assert_eq!(String::from_utf8(text).expect("text"), expected);
}

/// The lines of a flow, and the number of lines for each event.
struct Lines<'a> {
    rows: Vec<&'a Row>,
    counts: BTreeMap<&'a str, u64>,
}

impl<'a> Lines<'a> {
    fn of(flow: &FlowOutcome, rows: &'a [Row]) -> Self {
        let rows: Vec<_> = rows
            .iter()
            .filter(|row| row.text("flow") == flow.name)
            .collect();
        let mut counts = BTreeMap::new();
        for row in &rows {
            *counts.entry(row.text("event")).or_default() += 1;
        }
        Self { rows, counts }
    }

    fn count(&self, event: &str) -> u64 {
        self.counts.get(event).copied().unwrap_or_default()
    }
}

/// Checks that the trace and the results have the same counts.
fn check_counts(flow: &FlowOutcome, lines: &Lines<'_>) {
    // The packets of QUIC are recorded as datagrams.
    let Some(recovery) = flow.recovery.filter(|recovery| *recovery != QUIC) else {
        assert_eq!(lines.count("datagram"), flow.sent);
        assert_eq!(
            lines.count("datagram") + lines.count("lost"),
            lines.rows.len() as u64
        );
        return;
    };
    assert_eq!(
        lines.count("send") + lines.count("retransmit"),
        flow.sent,
        "{flow:?}"
    );
    assert_eq!(lines.count("retransmit"), flow.retransmits);
    assert_eq!(lines.count("timeout"), flow.timeouts);
    assert_eq!(lines.count("ecn_cut"), flow.ecn_cuts);
    let episodes = lines.count("recovery");
    assert!(
        episodes == flow.fast_recoveries || recovery == "vegas" && episodes > flow.fast_recoveries,
        "{flow:?}"
    );
    assert!(lines.count("recovered") <= lines.count("timeout") + episodes);
    let times: Vec<_> = lines
        .rows
        .iter()
        .filter_map(|row| row.nanos("rtt_s"))
        .collect();
    let mean = times.iter().sum::<u64>() as f64 / times.len() as f64 / 1e9;
    match flow.rtt_mean_s {
        Some(expected) => assert!((mean - expected).abs() < 1e-12, "{mean} {expected}"),
        None => assert!(times.is_empty()),
    }
}

/// Checks that transmissions are numbered, that new segments are sent in order, and that only
/// segments that were sent before are retransmitted.
fn check_transmissions(lines: &Lines<'_>) {
    let (mut packets, mut high) = (0, 0);
    let mut lost = BTreeSet::new();
    for row in &lines.rows {
        match row.text("event") {
            event @ ("send" | "retransmit" | "datagram") => {
                assert_eq!(row.number::<u64>("packet"), packets);
                packets += 1;
                if event == "send" {
                    assert_eq!(row.number::<u64>("seq"), high);
                    high += 1;
                } else if event == "retransmit" {
                    assert!(row.number::<u64>("seq") < high);
                }
            }
            "lost" => {
                let packet: u64 = row.number("packet");
                assert!(
                    packet < packets && lost.insert(packet),
                    "once, and after it was sent"
                );
            }
            "ack" | "dupack" | "stale" => assert!(row.number::<u64>("ack") <= high),
            _ => {}
        }
    }
}

/// Checks that all lines with the same time show the same state of the sender. `probes` is whether senders probe
/// for lost tails: what such a probe repaired is a cut without an episode.
fn check_states(lines: &Lines<'_>, probes: bool) {
    const STATE: [&str; 7] = [
        "cwnd",
        "inflation",
        "ssthresh",
        "flight",
        "phase",
        "srtt_s",
        "rto_s",
    ];
    let mut una = 0_u64;
    for row in &lines.rows {
        let event = row.text("event");
        if ["lost", "ack_lost", "datagram"].contains(&event) {
            assert!(STATE.iter().all(|column| row.text(column).is_empty()));
            continue;
        }
        assert!(row.number::<f64>("cwnd") >= 1.0);
        match row.find::<u64>("ack") {
            Some(ack) if event == "ack" => {
                assert!(ack > una);
                una = ack;
            }
            Some(ack) if event == "dupack" => assert_eq!(ack, una),
            _ => {}
        }
        for (start, end) in row.sack() {
            assert!(start < end);
        }
        let phase = row.text("phase");
        match event {
            "timeout" => assert_eq!(phase, "loss"),
            "recovered" => assert_eq!(phase, "open"),
            "recovery" => assert!(phase != "open" || probes),
            _ => {}
        }
        if phase == "open" {
            assert_eq!(row.text("inflation"), "0", "{:?}", row.text("time_s"));
        }
    }
}

/// Checks that every packet reported as lost was lost by a link.
fn check_losses(outcome: &Outcome, rows: &[Row]) {
    let told = rows
        .iter()
        .filter(|row| ["lost", "ack_lost"].contains(&row.text("event")))
        .count() as u64;
    let gone: u64 = outcome.links.iter().map(|l| l.dropped + l.lost).sum();
    assert!(told <= gone, "{told} {gone}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_counts_of_a_trace_are_consistent(text in small::scenario(), seed: u64) {
        let scenario = parse(&text);
        let (outcome, rows) = rows(&scenario, seed);
        prop_assert!(rows.windows(2).all(|pair| pair[0].time() <= pair[1].time()));
        prop_assert!(rows.iter().all(|row| row.time() <= scenario.duration.as_nanos()));
        check_losses(&outcome, &rows);
        for flow in &outcome.flows {
            let lines = Lines::of(flow, &rows);
            check_counts(flow, &lines);
            check_transmissions(&lines);
            check_states(&lines, text.contains("tlp = true"));
        }
    }
}

/// Every transmission arrives or is reported as lost, if a later one arrives.
#[test]
fn every_loss_is_reported() {
    let scenario = parse(
        r#"
        duration = "30 s"
        [dumbbell]
        access     = { rate = "10 Mb/s", delay = "2 ms" }
        bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 10 }, loss = { bernoulli = 0.1 } }
        [[flow]]
        source = { exponential = { rate = "4 Mb/s", on = "50 ms", off = "200 ms" } }
        stop   = "20 s"
        [[flow]]
        control   = "newreno"
        size      = "400 kB"
        handshake = false
        "#,
    );
    // In this run the last transmission of both flows arrives.
    let (outcome, rows) = rows(&scenario, 2);
    for flow in &outcome.flows {
        let link = format!("{}.receiver", flow.name);
        let link = outcome.links.iter().find(|l| l.name == link);
        let arrived = link.expect("each flow has one").delivered;
        let lines = Lines::of(flow, &rows);
        assert!(flow.finish_s.is_some() && lines.count("lost") > 20);
        assert_eq!(lines.count("lost"), flow.sent - arrived, "{}", flow.name);
    }
}

/// Every column and every event is described in the reference.
#[test]
fn every_column_and_event_is_in_the_reference() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/traces.md");
    let text = std::fs::read_to_string(path).expect("the reference is there");
    let (_, trace) = traced(&parse(STORY), 1, Format::Csv, &[]);
    let trace = String::from_utf8(trace).expect("text");
    let columns = trace.lines().next().expect("a header").split(',');
    for column in columns {
        assert!(text.contains(&format!("| `{column}` |")), "no {column}");
    }
    let busy = parse(
        r#"
        duration = "60 s"
        [dumbbell]
        access     = { rate = "10 Mb/s", delay = "2 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "20 ms", queue = { droptail = 12 }, loss = { bernoulli = 0.05, on = "all" } }
        reverse    = { loss = { bernoulli = 0.2, on = "all" } }
        [[flow]]
        control = "newreno"
        size    = "300 kB"
        count   = 5
        [[flow]]
        # Too impatient: both copies of its segment are acknowledged.
        control     = "tahoe"
        size        = "1 segments"
        handshake   = false
        min_rto     = "30 ms"
        initial_rto = "30 ms"
        count       = 5
        [[flow]]
        source = { cbr = "100 kb/s" }
        "#,
    );
    let (_, rows) = rows(&busy, 1);
    let events: BTreeSet<_> = rows.iter().map(|row| row.text("event")).collect();
    assert_eq!(events.len(), 13, "{events:?}");
    for event in events {
        assert!(text.contains(&format!("`{event}`")), "no {event}");
    }
}

/// A name may contain anything except a line break.
#[test]
fn names_are_quoted() {
    let text = format!("{STORY}name = 'a \"b\", c'\n");
    let (_, trace) = traced(&parse(&text), 1, Format::Csv, &[]);
    let trace = String::from_utf8(trace).expect("text");
    let line = trace.lines().nth(1).expect("a line");
    assert!(
        line.starts_with("0.000000000,\"a \"\"b\"\", c\",syn,"),
        "{line}"
    );
}
