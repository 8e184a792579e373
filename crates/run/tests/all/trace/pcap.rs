//! The contents of a capture.

use std::collections::BTreeMap;

use dumbbell_run::trace::Format;
use dumbbell_scenario::{Scenario, Size, Tcp, Traffic};
use dumbbell_tcp::option::Aqt;
use etherparse::IpEcn;
use etherparse::TcpOptionElement::{self, *};
use proptest::prelude::*;

use super::read::{self, Frame, Row};
use super::{STORY, parse, rows, traced};
use crate::small;

fn options(frame: &Frame) -> Vec<TcpOptionElement> {
    let all = frame.tcp().to_header();
    all.options_iterator()
        .map(|option| option.expect("a known option"))
        .filter(|option| *option != Noop)
        .collect()
}

#[test]
fn a_short_story() {
    let (_, capture) = traced(&parse(STORY), 1, Format::Pcap, &[]);
    let frames = read::frames(&capture);
    let found: Vec<_> = frames
        .iter()
        .map(|frame| {
            let tcp = frame.tcp();
            let flags: String = [
                (tcp.syn(), 'S'),
                (tcp.fin(), 'F'),
                (tcp.psh(), 'P'),
                (tcp.ack(), 'A'),
            ]
            .iter()
            .filter_map(|(set, letter)| set.then_some(*letter))
            .collect();
            let numbers = (tcp.sequence_number(), tcp.acknowledgment_number());
            (
                frame.time / 1000,
                flags,
                numbers,
                frame.payload(),
                frame.length,
            )
        })
        .collect();
    // The SYN has 8 bytes of options, which the simulation does not model.
    let expected = [
        (0, "S", (0, 0), 0, 48),
        (24_800, "SA", (0, 1), 0, 48),
        (24_800, "A", (1, 1), 960, 1000),
        (24_800, "FPA", (961, 1), 540, 580),
        (59_200, "A", (1, 961), 0, 40),
        (63_420, "A", (1, 1502), 0, 40),
    ]
    .map(|(time, flags, numbers, payload, length)| {
        (time, flags.to_owned(), numbers, payload, length)
    });
    assert_eq!(found, expected);
    assert_eq!(
        options(&frames[0]),
        [MaximumSegmentSize(960), WindowScale(0)]
    );
    assert_eq!(
        options(&frames[1]),
        [MaximumSegmentSize(960), WindowScale(14)]
    );
    for frame in &frames {
        let ends = [([10, 0, 0, 1], 49152), ([10, 128, 0, 1], 9)];
        let (ip, tcp) = (frame.ip(), frame.tcp());
        let found = [
            (ip.source(), tcp.source_port()),
            (ip.destination(), tcp.destination_port()),
        ];
        let expected = if frame.leaves() {
            ends
        } else {
            [ends[1], ends[0]]
        };
        assert_eq!(found, expected);
        assert_eq!(tcp.window_size(), 65_535);
    }
}

#[test]
fn a_limited_window_is_written_with_its_scale() {
    // 300 x 1000 bytes are 37,500 units of 8 bytes.
    for (segments, field, scale) in [
        (1, 1000, 0),
        (65, 65_000, 0),
        (66, 33_000, 1),
        (300, 37_500, 3),
    ] {
        let window = format!("{STORY}receiver_window = {segments}\n").replace("960 B", "1000 B");
        let (_, capture) = traced(&parse(&window), 1, Format::Pcap, &[]);
        for frame in read::frames(&capture) {
            if frame.leaves() {
                continue;
            }
            assert_eq!(frame.tcp().window_size(), field);
            if frame.tcp().syn() {
                assert_eq!(options(&frame)[1], WindowScale(scale));
            }
        }
    }
}

#[test]
fn stamps_are_those_of_the_simulation() {
    let text = format!("{STORY}timestamps = {{ granularity = \"1 ms\" }}\n");
    let (_, capture) = traced(&parse(&text), 1, Format::Pcap, &[]);
    let stamps: Vec<_> = read::frames(&capture)
        .iter()
        .map(|frame| {
            let stamp = options(frame).into_iter().find_map(|option| match option {
                Timestamp(value, echo) => Some((value, echo)),
                _ => None,
            });
            (stamp.expect("every segment has it"), frame.length)
        })
        .collect();
    // An empty segment of 52 bytes takes 0.52 ms for transmission and 12 ms for propagation: 12.52
    // ms. A full segment of 1012 bytes takes 1.012 + 8.096 + 1.012 + 12 = 22.12 ms: from 25.04 ms
    // to 47.16 ms, and its ACK arrives at 59.68 ms. The second, of 592 bytes, arrives 4.736 - 0.42
    // = 4.316 ms later, at 51.476 ms.
    assert_eq!(
        stamps,
        [
            ((0, 0), 60),
            ((12, 0), 60),
            ((25, 12), 1012),
            ((25, 12), 592),
            ((47, 25), 52),
            ((51, 25), 52),
        ]
    );
}

#[test]
fn a_probe_and_its_ack_carry_the_aqt_option() {
    let text = format!("{STORY}probe_every = 2\nhandshake = false\n");
    let (_, capture) = traced(&parse(&text), 1, Format::Pcap, &[]);
    let frames = read::frames(&capture);
    let found: Vec<_> = frames
        .iter()
        .map(|frame| (frame.ip().options().to_vec(), frame.length))
        .collect();
    let option = [0x5e, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].to_vec();
    let expected = [
        (option.clone(), 1012),
        (vec![], 580),
        (option, 52),
        (vec![], 40),
    ];
    assert_eq!(found, expected, "no router of this path reports");
}

#[test]
fn header_sizes_affect_the_length_if_they_exceed_the_minimum() {
    for (header, length) in [("0 B", 1000), ("40 B", 1000), ("58 B", 1018)] {
        let text = format!("{STORY}header = \"{header}\"\n");
        let (_, capture) = traced(&parse(&text), 1, Format::Pcap, &[]);
        let frame = &read::frames(&capture)[2];
        assert_eq!((frame.payload(), frame.length), (960, length));
        assert_eq!(frame.ip().total_len(), 1000);
    }
}

/// For each flow, expanded by its count, its connection, if it has one.
fn connections(scenario: &Scenario) -> Vec<Option<&Tcp>> {
    let copies = scenario
        .flows
        .iter()
        .flat_map(|flow| std::iter::repeat_n(flow, flow.count as usize));
    copies
        .map(|flow| match &flow.traffic {
            Traffic::Tcp(tcp) if !tcp.is_quic() => Some(&**tcp),
            Traffic::Tcp(_) | Traffic::Udp(_) | Traffic::Media(_) | Traffic::Workload(_) => None,
        })
        .collect()
}

/// The number of the flow that a packet belongs to.
fn flow(frame: &Frame) -> usize {
    let host = if frame.leaves() {
        frame.ip().source()
    } else {
        frame.ip().destination()
    };
    let [_, a, b, c] = host.map(usize::from);
    ((a & 127) << 16 | b << 8 | c) - 1
}

/// Converts a segment's number, including the FIN, into a sequence number.
fn number(tcp: &Tcp, seq: u64) -> u32 {
    let end = tcp.segments().is_some_and(|segments| seq >= segments);
    let bytes = match tcp.size {
        Size::Bytes(bytes) if end => bytes.0,
        _ => seq * tcp.payload.0,
    };
    (1 + bytes + u64::from(end)) as u32
}

/// Checks that marks and queueing delays are those of the CSV trace.
fn check_notices(frame: &Frame, row: &Row, tcp: &Tcp) {
    let ip = frame.ip().to_header();
    let (header, marks) = (frame.tcp().to_header(), row.text("marks"));
    let has = |word| marks.split(' ').any(|mark| mark == word);
    if header.syn {
        let ecn = tcp.ecn.is_on();
        let (leaves, counts) = (frame.leaves(), tcp.ecn.counts());
        assert_eq!(header.ns, counts && leaves);
        assert_eq!(header.ece, ecn && (leaves || !counts));
        assert_eq!(header.cwr, ecn && (leaves || counts));
        assert_eq!((ip.ecn, ip.options.len()), (IpEcn::NotEct, 0));
        return;
    }
    if !tcp.ecn.counts() {
        let found = (header.ns, header.cwr, header.ece);
        assert_eq!(found, (false, has("cwr"), has("ece")));
    } else if frame.leaves() {
        // Nothing has arrived at the sender: 5 (draft-ietf-tcpm-accurate-ecn, section 3.2).
        assert_eq!((header.ns, header.cwr, header.ece), (true, false, true));
    }
    let capable = if frame.leaves() {
        let first = row.text("event") == "send";
        tcp.ecn.is_on() && (first || tcp.ecn.counts())
    } else {
        tcp.ack_control.is_some()
    };
    let expected = match (capable, has("ce")) {
        (_, true) => IpEcn::CongestionExperienced,
        (true, false) if tcp.ecn.is_l4s() && frame.leaves() => IpEcn::Ect1,
        (true, false) => IpEcn::Ect0,
        (false, false) => IpEcn::NotEct,
    };
    assert_eq!(ip.ecn, expected);
    let aqt = row.find("aqt_us").map(|queueing| Aqt {
        queueing,
        echo: row.number("aqt_echo_us"),
    });
    assert_eq!(Aqt::find(ip.options.as_slice()), aqt);
    assert_eq!(ip.options.len(), if aqt.is_some() { 12 } else { 0 });
    assert!(aqt.is_none() || tcp.probe_every.is_some());
}

fn check(frame: &Frame, row: &Row, tcp: Option<&Tcp>) {
    assert_eq!(frame.time, row.time());
    let ip = frame.ip().to_header();
    assert_eq!(ip.header_checksum, ip.calc_header_checksum());
    assert!(frame.length >= row.number("bytes"));
    let Some(tcp) = tcp else {
        let udp = frame.udp().to_header();
        assert_eq!(
            Ok(udp.checksum),
            udp.calc_checksum_ipv4(&ip, &frame.bytes[28..])
        );
        assert_eq!(frame.length, row.number::<usize>("bytes").max(28));
        return;
    };
    let header = frame.tcp().to_header();
    let payload = &frame.bytes[ip.header_len() + header.header_len()..];
    check_notices(frame, row, tcp);
    assert_eq!(Ok(header.checksum), header.calc_checksum_ipv4(&ip, payload));
    match row.text("event") {
        "send" | "retransmit" => {
            let seq = row.number("seq");
            assert_eq!(header.sequence_number, number(tcp, seq));
            let last = tcp.segments() == Some(seq + 1);
            assert_eq!(header.fin, last);
            let bytes = number(tcp, seq + 1) - number(tcp, seq) - u32::from(last);
            assert_eq!(payload.len(), bytes as usize);
        }
        event @ ("ack" | "dupack" | "stale") => {
            assert_eq!(
                header.acknowledgment_number,
                number(tcp, row.number("ack")),
                "{event}"
            );
            let blocks = options(frame).into_iter().find_map(|option| match option {
                SelectiveAcknowledgement(first, others) => Some((first, others)),
                _ => None,
            });
            let blocks: Vec<_> = blocks
                .into_iter()
                .flat_map(|(first, others)| {
                    std::iter::once(first).chain(others.into_iter().flatten())
                })
                .collect();
            let expected: Vec<_> = row
                .sack()
                .iter()
                .map(|(start, end)| (number(tcp, *start), number(tcp, *end)))
                .collect();
            assert_eq!(blocks, expected);
        }
        _ => assert!(header.syn && payload.is_empty()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    /// The capture has a packet for every line of the CSV trace that is about one, with the same
    /// numbers.
    #[test]
    fn every_packet_is_one_of_the_simulation(text in small::scenario(), seed: u64) {
        let scenario = parse(&text);
        let (outcome, rows) = rows(&scenario, seed);
        let (_, capture) = traced(&scenario, seed, Format::Pcap, &[]);
        let frames = read::frames(&capture);
        let places: BTreeMap<_, _> = outcome.flows.iter().enumerate().map(|(i, flow)| (flow.name.as_str(), i)).collect();
        let connections = connections(&scenario);
        let packets: Vec<_> = rows
            .iter()
            .filter(|row| !["timeout", "recovery", "recovered", "lost", "ack_lost"].contains(&row.text("event")))
            .collect();
        prop_assert_eq!(frames.len(), packets.len());
        for (frame, row) in frames.iter().zip(packets) {
            let place = places[row.text("flow")];
            prop_assert_eq!(flow(frame), place);
            check(frame, row, connections[place]);
        }
    }
}
