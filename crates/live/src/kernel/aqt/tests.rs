//! The programs themselves, run in the kernel on test packets (BPF_PROG_RUN).

use std::cell::RefCell;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd as _;

use dumbbell_tcp::option;
use etherparse::{Ipv4Options, PacketBuilder, SlicedPacket, TcpOptionElement, TransportSlice};
use libbpf_rs::ProgramInput;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::namespace::Namespace;

/// Returns whether the programs can be loaded here; prints the reason if not.
fn ready() -> bool {
    let missing = machine::missing_capabilities();
    if missing.is_empty() {
        return true;
    }
    let required = std::env::var_os("DUMBBELL_REQUIRE_LIVE").is_some_and(|value| value == "1");
    assert!(
        !required,
        "it lacks {missing:?}, and DUMBBELL_REQUIRE_LIVE=1"
    );
    println!("skipped: it lacks {missing:?}");
    false
}

const PROGRAMS: [&str; 7] = [
    "aqt_sender_in",
    "aqt_sender_out",
    "aqt_receiver_in",
    "aqt_receiver_out",
    "aqt_arrive",
    "aqt_depart",
    "aqt_depart_below",
];
/// The verdict that continues with the next program: TCX_NEXT, -1.
const NEXT: u32 = u32::MAX;
const HERE: [u8; 4] = [127, 0, 0, 1];

/// Returns the packet after a program has processed it, with its Ethernet header.
fn run(aqt: &mut Aqt, name: &str, packet: &[u8]) -> Vec<u8> {
    let mut programs = aqt.object.progs_mut();
    let program = programs.find(|one| one.name() == name);
    let mut room = vec![0; packet.len() + 256];
    let output = program.expect("it has them all").test_run(ProgramInput {
        data_in: Some(packet),
        data_out: Some(&mut room),
        ..ProgramInput::default()
    });
    let output = output.expect("the kernel runs it");
    assert_eq!(output.return_value, NEXT);
    output.data.expect("a packet stays a packet").to_vec()
}

fn in_a_namespace(work: impl FnOnce() + Send) {
    let namespace = Namespace::new().expect("a network namespace");
    let worked = namespace.run(|| {
        work();
        Ok(())
    });
    worked.expect("it is entered");
}

/// Returns a TCP packet on loopback with IP options and TCP options.
fn packet(ports: (u16, u16), ip: &[u8], tcp: &[u8], syn: bool, payload: &[u8]) -> Vec<u8> {
    let mut header = etherparse::Ipv4Header::new(0, 64, etherparse::IpNumber::TCP, HERE, HERE)
        .expect("no payload yet");
    header.options = Ipv4Options::try_from(ip).expect("a multiple of 4, at most 40");
    let headers = etherparse::IpHeaders::Ipv4(header, etherparse::Ipv4Extensions::default());
    let builder = PacketBuilder::ethernet2([2; 6], [4; 6]).ip(headers);
    let builder = builder.tcp(ports.0, ports.1, 1_000, 64_000);
    let builder = if syn {
        builder.syn()
    } else {
        builder.ack(2_000)
    };
    let builder = builder.options_raw(tcp).expect("at most 40");
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).expect("memory");
    bytes
}

/// Arbitrary bytes: headers with wrong lengths, invalid options, truncated packets.
#[test]
fn hostile_packets_pass_unchanged() {
    if !ready() {
        return;
    }
    in_a_namespace(|| {
        let aqt = Aqt::load("", None).expect("the verifier takes them");
        let aqt = RefCell::new(aqt);
        let option = option::Aqt {
            queueing: 7,
            echo: 9,
        }
        .encode();
        let valid = packet((1, 2), &option, &[2, 4, 5, 0xb4], false, &[0; 40]);
        let changes = prop::collection::vec((14..valid.len(), any::<u8>()), 0..6);
        let cut = 34..=valid.len();
        let kind = prop_oneof![8 => Just(0x0800u16), 1 => Just(0x86dd), 1 => any::<u16>()];
        let mut runner = TestRunner::new(ProptestConfig {
            cases: 2_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let checked = runner.run(&(changes, cut, kind), |(changes, cut, kind)| {
            let mut hostile = valid.clone();
            hostile[12..14].copy_from_slice(&kind.to_be_bytes());
            for (place, byte) in changes {
                hostile[place] = byte;
            }
            // The kernel itself refuses to run a program on an IPv6 packet without its header.
            hostile.truncate(if kind == 0x86dd { cut.max(54) } else { cut });
            for name in PROGRAMS {
                let after = run(&mut aqt.borrow_mut(), name, &hostile);
                prop_assert_eq!(&after, &hostile, "{}", name);
            }
            Ok(())
        });
        checked.expect("they pass unchanged");
    });
}

/// The MSS is 12 bytes smaller, wherever the option is, and the checksum is correct.
#[test]
fn a_syn_for_a_listener_gets_a_smaller_mss() {
    if !ready() {
        return;
    }
    in_a_namespace(|| {
        let mut aqt = Aqt::load("", None).expect("the verifier takes them");
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let port = listener.local_addr().expect("bound").port();
        let lists: [&[u8]; 4] = [
            &[
                2, 4, 0x05, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7,
            ],
            // At an odd offset, where it crosses the words of the checksum.
            &[1, 2, 4, 0x05, 0xb4, 1, 1, 1],
            &[8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 2, 4, 0x05, 0xb4, 0, 0],
            &[1, 1, 1, 2, 4, 0x05, 0xb4, 0],
        ];
        for list in lists {
            let before = packet((4_000, port), &[], list, true, &[]);
            let after = run(&mut aqt, "aqt_sender_in", &before);
            let sliced = SlicedPacket::from_ethernet(&after).expect("a packet");
            let Some(TransportSlice::Tcp(tcp)) = sliced.transport else {
                panic!("{after:?}");
            };
            let header = tcp.to_header();
            let sum = header
                .calc_checksum_ipv4_raw(HERE, HERE, &[])
                .expect("short");
            assert_eq!(header.checksum, sum, "{list:?}");
            let size = tcp.options_iterator().find_map(|element| match element {
                Ok(TcpOptionElement::MaximumSegmentSize(size)) => Some(size),
                _ => None,
            });
            assert_eq!(size, Some(1_448), "{list:?}");
            assert_eq!(after.len(), before.len());
        }
        // No socket listens on the first port, and the second packet has no MSS.
        for (port, list) in [(port ^ 1, lists[0]), (port, &[4, 2, 0, 0][..])] {
            let before = packet((4_000, port), &[], list, true, &[]);
            assert_eq!(run(&mut aqt, "aqt_sender_in", &before), before);
        }
    });
}

#[test]
fn reports_are_found_behind_other_options_and_only_in_complete_acks() {
    if !ready() {
        return;
    }
    in_a_namespace(|| {
        let mut aqt = Aqt::load("", None).expect("the verifier takes them");
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let client =
            TcpStream::connect(listener.local_addr().expect("bound")).expect("it is there");
        let ports = (
            client.peer_addr().expect("connected").port(),
            client.local_addr().expect("connected").port(),
        );
        let sender_in = |aqt: &mut Aqt, packet: &[u8]| {
            assert_eq!(run(aqt, "aqt_sender_in", packet), packet);
            aqt.report(client.as_fd()).expect("a socket")
        };
        let option = option::Aqt {
            queueing: 70_000,
            echo: 3,
        }
        .encode();
        // A router alert (RFC 2113) before the option; the report is not counted twice.
        let behind = [&[148, 4, 0, 0, 1, 1][..], &option[..10]].concat();
        let ack = packet(ports, &behind, &[], false, &[]);

        let (mut fragment, mut datagram) = (ack.clone(), ack.clone());
        fragment[14 + 6] |= 0x20;
        datagram[14 + 9] = 17;
        let reset = {
            let mut reset = ack.clone();
            let flags = 14 + 36 + 13;
            reset[flags] |= 4;
            reset
        };
        let data = packet(ports, &behind, &[], false, &[1]);
        let none = packet(ports, &[148, 4, 0, 0], &[], false, &[]);
        for other in [fragment, datagram, reset, data, none] {
            assert_eq!(sender_in(&mut aqt, &other), None, "{other:?}");
        }
        for count in 1..=2 {
            let expected = Report {
                backward_us: 70_000,
                forward_us: 3,
                count,
            };
            assert_eq!(sender_in(&mut aqt, &ack), Some(expected));
        }
    });
}
