//! The contents of a trace in qlog.

use std::collections::BTreeSet;

use dumbbell_run::outcome::QUIC;
use dumbbell_run::trace::Format;
use dumbbell_scenario::Traffic;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{STORY, parse, traced};
use crate::small;

fn read(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

#[test]
fn a_short_story() {
    let (_, bytes) = traced(&parse(STORY), 1, Format::Qlog, &[]);
    let sent = |number: u64, bytes: u64, stream: Value| json!({"header": {"packet_type": "1RTT", "packet_number": number}, "raw": {"length": bytes}, "frames": [stream]});
    let received = |number: u64, ranges: Value| json!({"header": {"packet_type": "1RTT", "packet_number": number}, "raw": {"length": 40}, "frames": [{"frame_type": "ack", "acked_ranges": ranges}]});
    let stream = |offset: u64, length: u64| json!({"frame_type": "stream", "stream_id": 0, "offset": offset, "length": length});
    let mut last = stream(960, 540);
    last["fin"] = true.into();
    let event =
        |time: f64, name: &str, data: Value| json!({"time": time, "name": name, "data": data});
    let metrics = "recovery:metrics_updated";
    let expected = json!({
        "qlog_version": "0.3",
        "qlog_format": "JSON",
        "title": "a run of Dumbbell",
        "traces": [{
            "title": "reno",
            "description": "reno (reno)",
            "vantage_point": {"name": "sender", "type": "client"},
            "common_fields": {"group_id": "reno", "protocol_type": ["TCP"], "time_format": "relative", "reference_time": 0},
            "events": [
                event(0.0, "connectivity:connection_started", json!({
                    "ip_version": "v4", "src_ip": "10.0.0.1", "dst_ip": "10.128.0.1", "protocol": "TCP", "src_port": 49152, "dst_port": 9,
                })),
                event(0.0, "recovery:parameters_set", json!({
                    "reordering_threshold": 3, "max_datagram_size": 960, "initial_congestion_window": 1920,
                })),
                event(0.0, metrics, json!({"congestion_window": 1920, "bytes_in_flight": 0, "packets_in_flight": 0})),
                event(0.0, "recovery:congestion_state_updated", json!({"new": "slow_start"})),
                event(24.8, metrics, json!({"smoothed_rtt": 24.8, "bytes_in_flight": 1920, "packets_in_flight": 2})),
                event(24.8, "transport:packet_sent", sent(0, 1000, stream(0, 960))),
                event(24.8, "transport:packet_sent", sent(1, 580, last)),
                event(59.2, "transport:packet_received", received(0, json!([[0, 0]]))),
                event(59.2, metrics, json!({"min_rtt": 34.4, "smoothed_rtt": 26.0, "latest_rtt": 34.4, "bytes_in_flight": 960, "packets_in_flight": 1})),
                event(63.42, "transport:packet_received", received(1, json!([[1, 1]]))),
                event(63.42, metrics, json!({"latest_rtt": 38.62, "bytes_in_flight": 0, "packets_in_flight": 0})),
            ],
        }],
    });
    assert_eq!(read(&bytes), expected);
}

fn numbers(event: &Value) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    for frame in event["data"]["frames"].as_array().expect("frames") {
        for range in frame["acked_ranges"].as_array().into_iter().flatten() {
            let [first, last] = [0, 1].map(|i| range[i].as_u64().expect("a number"));
            assert!(first <= last);
            for number in first..=last {
                assert!(numbers.insert(number), "once");
            }
        }
    }
    numbers
}

/// Checks the required fields, and that packets are sent before they are acknowledged or lost.
fn check(trace: &Value) {
    assert!(trace["vantage_point"]["type"].is_string());
    assert_eq!(trace["common_fields"]["time_format"], "relative");
    let events = trace["events"].as_array().expect("events");
    assert!(
        !events.is_empty(),
        "viewers trip over a trace without events"
    );
    let (mut time, mut sent, mut received) = (0.0, 0, 0);
    let mut acknowledged = BTreeSet::new();
    let mut lost = BTreeSet::new();
    for event in events {
        let now = event["time"].as_f64().expect("a time");
        assert!(now >= time);
        time = now;
        let number = event["data"]["header"]["packet_number"].as_u64();
        match event["name"].as_str().expect("a name") {
            "transport:packet_sent" => {
                assert_eq!(number, Some(sent));
                sent += 1;
                assert!(event["data"]["raw"]["length"].as_u64() > Some(0));
            }
            "transport:packet_received" => {
                assert_eq!(number, Some(received));
                received += 1;
                for number in numbers(event) {
                    assert!(
                        number < sent && acknowledged.insert(number),
                        "once, and after it was sent"
                    );
                }
            }
            "recovery:packet_lost" => {
                let number = number.expect("a number");
                assert!(
                    number < sent && lost.insert(number),
                    "once, and after it was sent"
                );
            }
            "recovery:metrics_updated" => {
                let data = event["data"].as_object().expect("an object");
                assert!(!data.is_empty() && data.values().all(Value::is_number));
            }
            name => assert!(
                [
                    "connectivity:connection_started",
                    "recovery:parameters_set",
                    "recovery:congestion_state_updated",
                    "recovery:loss_timer_updated",
                    "transport:datagrams_sent",
                ]
                .contains(&name),
                "{name}"
            ),
        }
    }
}

fn count(trace: &Value, name: &str) -> u64 {
    let events = trace["events"].as_array().expect("events");
    events.iter().filter(|event| event["name"] == name).count() as u64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn traces_are_well_formed_and_their_counts_are_consistent(text in small::scenario(), seed: u64) {
        let scenario = parse(&text);
        let (outcome, bytes) = traced(&scenario, seed, Format::Qlog, &[]);
        let found = read(&bytes);
        let mut traces = found["traces"].as_array().expect("traces").iter();
        let copies = scenario.flows.iter().flat_map(|flow| std::iter::repeat_n(flow, flow.count as usize));
        for (flow, kind) in outcome.flows.iter().zip(copies) {
            // A relay may never have anything to send.
            let opens = matches!(&kind.traffic, Traffic::Tcp(tcp) if tcp.handshake && !tcp.is_quic());
            let begun = flow.sent > 0 || opens;
            if !begun {
                continue;
            }
            let trace = traces.next().expect("a trace a flow");
            prop_assert_eq!(&trace["title"], &Value::from(flow.name.as_str()));
            check(trace);
            if flow.recovery.is_some_and(|recovery| recovery != QUIC) {
                prop_assert_eq!(count(trace, "transport:packet_sent"), flow.sent);
                prop_assert_eq!(count(trace, "recovery:packet_lost"), flow.retransmits);
                prop_assert_eq!(count(trace, "recovery:loss_timer_updated"), flow.timeouts);
            } else {
                prop_assert_eq!(count(trace, "transport:datagrams_sent"), flow.sent);
            }
        }
        prop_assert!(traces.next().is_none());
    }
}
