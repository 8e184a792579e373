//! Bytes that are valid outcomes, and bytes that are not.

use dumbbell_run::{Reading, Series, Subject};
use proptest::prelude::*;

use super::*;
use crate::{schema, series};
use dumbbell_run::outcome::{
    LinkOutcome, MediaOutcome, Sojourn, TransferOutcome, TransfersOutcome, VideoOutcome,
    WorkloadOutcome,
};

/// Frames with a value in every field.
fn media() -> MediaOutcome {
    MediaOutcome {
        made: 1801,
        shown: 1553,
        shown_late: 227,
        late: 3,
        undecodable: 203,
        lost: 39,
        discarded: 4,
        requests: 38,
        encoded_bps: 874_151.25,
        shown_bps: 753_386.5,
        shown_variation: Some(0.25),
        startup_s: Some(0.75),
        played_s: 50.25,
        frozen_s: 9.0,
        freezes: 32,
        delay_mean_s: Some(0.2),
        delay_p50_s: Some(0.19),
        delay_p95_s: Some(0.26),
        delay_p99_s: Some(0.58),
        delay_max_s: None,
        waiting_mean_s: Some(0.05),
        waiting_max_s: 0.5,
    }
}

/// An outcome with a value in every field.
fn outcome() -> Outcome {
    let flow = |index: u32, recovery: Option<&'static str>| FlowOutcome {
        name: format!("flow.{index}"),
        group: "flow".to_owned(),
        control: "veno".to_owned(),
        reconstructed: index == 1,
        recovery,
        goodput_bps: 1e6 / f64::from(index),
        throughput_bps: 1_000_000.5,
        share: Some(0.5 / f64::from(index)),
        sent: 1000 + u64::from(index),
        dropped: 11,
        lost: 6,
        retransmits: 17,
        timeouts: 3,
        fast_recoveries: 14,
        ecn_cuts: 2,
        marks: 5,
        classified: vec![
            Scores {
                classifier: "veno".to_owned(),
                dropped_as_congestion: 1,
                dropped_as_random: 2,
                lost_as_congestion: 3,
                lost_as_random: 4,
                spurious: u64::MAX,
            };
            index as usize
        ],
        start_s: 0.123_456_789,
        finish_s: None,
        rtt_mean_s: Some(0.1 / f64::from(index)),
        rtt_p50_s: Some(0.09),
        rtt_p95_s: Some(0.25),
        rtt_p99_s: Some(0.375),
        rtt_max_s: Some(0.4),
        queueing_mean_s: Some(0.05 / f64::from(index)),
        queueing_p50_s: Some(0.03),
        queueing_p95_s: Some(0.06),
        queueing_p99_s: Some(0.07),
        queueing_max_s: recovery.map(|_| 0.08),
        cwnd_mean: recovery.map(|_| 10.0 / 3.0),
        sending_variation: Some(f64::NAN),
        media: (index == 2).then(|| Box::new(media())),
    };
    let link = |name: &str, wait_mean_s| LinkOutcome {
        name: name.to_owned(),
        sent: 2000,
        delivered: 1990,
        dropped: 6,
        lost: 4,
        early: 1,
        policed: 1,
        marked: 8,
        filtered: 0,
        retransmitted: 0,
        duplicated: 0,
        corrupted: 0,
        utilisation: 0.9,
        queue_mean: 0.9,
        wait_mean_s,
        sojourn: wait_mean_s.map(|mean_s| {
            Box::new(Sojourn {
                mean_s,
                p50_s: 0.01,
                p95_s: 0.02,
                p99_s: 0.03,
                max_s: 0.04,
            })
        }),
        l4s_sojourn: None,
    };
    let group = |name: &str, flows: u64| {
        let time = |ms: f64| (flows > 0).then_some(ms / 1e3);
        GroupOutcome {
            name: name.to_owned(),
            flows,
            goodput_bps: 250e3,
            throughput_bps: 260e3,
            share: (flows > 0).then_some(0.25),
            rtt_mean_s: time(100.0),
            rtt_p50_s: time(95.0),
            rtt_p95_s: time(250.0),
            rtt_p99_s: time(375.0),
            rtt_max_s: time(400.0),
            queueing_mean_s: time(50.0),
            queueing_p50_s: time(45.0),
            queueing_p95_s: time(200.0),
            queueing_p99_s: time(325.0),
            queueing_max_s: time(350.0),
        }
    };
    let class = |from_bytes: u64, below_bytes| TransfersOutcome {
        from_bytes,
        below_bytes,
        started: 20_000,
        finished: 19_990,
        alive: 10,
        bytes: 1_234_567_890,
        completion_mean_s: Some(0.5),
        completion_p50_s: Some(0.25),
        completion_p95_s: Some(1.5),
        completion_p99_s: Some(2.5),
        completion_max_s: Some(9.0),
        slowdown_mean: Some(1.75),
        slowdown_p50: Some(1.25),
        slowdown_p95: Some(4.0),
        slowdown_p99: Some(8.0),
        slowdown_max: below_bytes.map(|_| 100.0),
    };
    let transfer = |start_s, completion_s| TransferOutcome {
        start_s,
        bytes: 4_000,
        completion_s,
    };
    let workload = |name: &str, video: bool| WorkloadOutcome {
        name: name.to_owned(),
        application: "transfers".to_owned(),
        offered_load: (!video).then_some(0.6),
        refused: 3,
        most_alive: 44,
        all: class(0, None),
        classes: vec![class(0, Some(10_000)), class(10_000, None)],
        video: video.then_some(VideoOutcome {
            clients: 2,
            playing: 1,
            startup_mean_s: Some(0.75),
            startup_max_s: None,
            stalls: 5,
            stalled_s: 1.5,
            played_s: 60.0,
            rate_mean_bps: Some(2.5e6),
            switches: 7,
        }),
        list: vec![transfer(0.5, Some(0.25)), transfer(1.5, None)],
    };
    Outcome {
        flows: vec![
            flow(1, Some("newreno")),
            flow(2, None),
            flow(3, Some("sack")),
        ],
        links: vec![
            link("bottleneck", Some(1e-3)),
            link("bottleneck.reverse", None),
        ],
        groups: vec![group("flow", 3), group("none", 0)],
        workloads: vec![workload("web", false), workload("film", true)],
        packets: 1990,
        events: 12_345,
        seed: 7,
        version: "0.1.0".into(),
    }
}

fn samples() -> Vec<Series> {
    let series = |subject, quantity: &str, reading: fn(u32) -> Reading| Series {
        subject,
        quantity: quantity.to_owned(),
        points: (1..100)
            .map(|i| (f64::from(i) / 10.0, reading(i)))
            .collect(),
    };
    let word = |i| Reading::Word(if i % 10 < 5 { "slow start" } else { "growth" });
    vec![
        series(Subject::Flow(0), "cwnd", |i| {
            Reading::Number(2.0 + f64::from(i) / 1024.0)
        }),
        series(Subject::Flow(0), "explain.phase", word),
        series(Subject::Flow(0), "rtt", |i| {
            Reading::Number(f64::from(i).sqrt())
        }),
        series(Subject::Link(1), "queue", |i| {
            Reading::Number(f64::from(i % 7))
        }),
    ]
}

#[test]
fn the_encoding_is_that_of_the_version() {
    let parts = encode(&outcome());
    let all = [parts.words, parts.numbers, series::encode(&samples())];
    let hashes = all.map(|bytes| blake3::hash(&bytes).to_hex()[..16].to_owned());
    // If this fails, the encoding has changed without a new version: increase the version.
    assert_eq!(schema::VERSION, 5);
    assert_eq!(
        hashes,
        ["185dbcbcd8bdd916", "c0544b7056271a9d", "2e1b85c4cde06b16"]
    );
}

#[test]
fn an_outcome_is_restored_and_no_part_of_it_is_valid() {
    let parts = encode(&outcome());
    let found = decode(&parts.words, &parts.numbers).unwrap();
    assert_eq!(format!("{found:?}"), format!("{:?}", outcome()));
    for end in 0..parts.words.len() {
        assert!(decode(&parts.words[..end], &parts.numbers).is_none());
    }
    for end in 0..parts.numbers.len() {
        assert!(decode(&parts.words, &parts.numbers[..end]).is_none());
    }
    let longer = |bytes: &[u8]| [bytes, &[0]].concat();
    assert!(decode(&longer(&parts.words), &parts.numbers).is_none());
    assert!(decode(&parts.words, &longer(&parts.numbers)).is_none());
    // Words of one outcome with the numbers of another are not valid either.
    let mut fewer = outcome();
    fewer.flows.pop();
    assert!(decode(&encode(&fewer).words, &parts.numbers).is_none());
}

#[test]
fn names_are_not_part_of_the_numbers() {
    let mut renamed = outcome();
    renamed.flows[0].name = "another".to_owned();
    renamed.flows[1].group = "another".to_owned();
    renamed.links[1].name = "another".to_owned();
    renamed.groups[0].name = "another".to_owned();
    renamed.flows[1].classified[0].classifier = "another".to_owned();
    let (parts, others) = (encode(&outcome()), encode(&renamed));
    assert_ne!(parts.words, others.words);
    assert_eq!(parts.numbers, others.numbers);
    // Another seed with other results has the same words.
    let mut again = outcome();
    again.seed = 8;
    again.flows[0].sent += 1;
    again.links[0].wait_mean_s = None;
    assert_eq!(encode(&again).words, parts.words);
}

#[test]
fn a_huge_count_takes_no_memory() {
    let huge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
    // 2^63 flows; no flows and 2^63 links; a flow with 2^63 classifiers.
    let flow = [1, 1, b'a', 1, b'b', 1, b'c', 0, 0];
    for words in [
        &[&[0][..], &huge][..],
        &[&[0, 0], &huge],
        &[&[0], &flow, &huge],
    ] {
        assert!(decode(&words.concat(), &[0; 200]).is_none());
    }
}

#[test]
fn an_optional_number_that_does_not_exist_is_refused() {
    let line = Line {
        wholes: [],
        numbers: [],
        options: [None, Some(1.0)],
    };
    let mut out = Writer::default();
    write::<0, 0, 2>(&[line], &mut out);
    assert!(read::<0, 0, 2>(&mut Reader::new(&out.bytes), 1).is_some());
    // A second optional number in lines that have only one.
    assert!(read::<0, 0, 1>(&mut Reader::new(&out.bytes), 1).is_none());
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(
        words in prop::collection::vec(prop_oneof![0..5_u8, any::<u8>()], 0..100),
        numbers in prop::collection::vec(prop_oneof![0..5_u8, any::<u8>()], 0..300),
    ) {
        let _ = decode(&words, &numbers);
    }

    #[test]
    fn bytes_with_one_error_never_panic(place: prop::sample::Index, wrong: u8, in_words: bool) {
        let mut parts = encode(&outcome());
        let bytes = if in_words { &mut parts.words } else { &mut parts.numbers };
        let place = place.index(bytes.len());
        bytes[place] = wrong;
        let _ = decode(&parts.words, &parts.numbers);
        let mut bytes = series::encode(&samples());
        let place = place % bytes.len();
        bytes[place] = wrong;
        let _ = series::decode(&bytes);
    }
}
