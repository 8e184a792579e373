//! Captures of our own, packet by packet.

use etherparse::{PacketBuilder, TcpOptionElement};

use super::*;

const MS: u64 = 1_000_000;
const SERVER: [u8; 4] = [192, 0, 2, 1];
const CLIENT: [u8; 4] = [192, 0, 2, 2];

/// A frame of Ethernet with a segment of TCP.
fn segment(
    from: [u8; 4],
    to: [u8; 4],
    sequence: u32,
    length: usize,
    stamps: (u32, u32),
) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2([0; 6], [1; 6])
        .ipv4(from, to, 64)
        .tcp(80, 80, sequence, 1000)
        .ack(1)
        .options(&[TcpOptionElement::Timestamp(stamps.0, stamps.1)])
        .unwrap();
    let mut frame = Vec::new();
    builder.write(&mut frame, &vec![0; length]).unwrap();
    frame
}

/// Data that fill 1500 bytes: 20 bytes of IP, and 32 of TCP.
fn data(sequence: u32, stamp: u32) -> Vec<u8> {
    segment(SERVER, CLIENT, sequence, 1448, (stamp, 0))
}

fn ack(echo: u32) -> Vec<u8> {
    segment(CLIENT, SERVER, 1, 0, (0, echo))
}

/// A file of tcpdump: little-endian, in microseconds.
fn classic(packets: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(0xa1b2_c3d4_u32.to_le_bytes());
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(65_535_u32.to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    for (at, frame) in packets {
        let at = at + 1_700_000_000_000_000;
        for word in [
            at / 1_000_000,
            at % 1_000_000,
            frame.len() as u64,
            frame.len() as u64,
        ] {
            file.extend((word as u32).to_le_bytes());
        }
        file.extend(frame);
    }
    file
}

/// The same in the other order of bytes, and in nanoseconds.
fn classic_reversed(packets: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(0xa1b2_3c4d_u32.to_be_bytes());
    file.extend([0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(65_535_u32.to_be_bytes());
    file.extend(1_u32.to_be_bytes());
    for (at, frame) in packets {
        let at = at * 1000 + 1_700_000_000_000_000_000;
        for word in [
            at / 1_000_000_000,
            at % 1_000_000_000,
            frame.len() as u64,
            frame.len() as u64,
        ] {
            file.extend((word as u32).to_be_bytes());
        }
        file.extend(frame);
    }
    file
}

/// A file of Wireshark, in nanoseconds by its option `if_tsresol`.
fn next_generation(packets: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let length = (body.len() + 12) as u32;
        let mut block = kind.to_le_bytes().to_vec();
        block.extend(length.to_le_bytes());
        block.extend(body);
        block.extend(length.to_le_bytes());
        block
    };
    let mut section = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
    section.extend([1, 0, 0, 0]);
    section.extend([0xff; 8]);
    let mut file = block(0x0a0d_0d0a, &section);
    // Ethernet; the option 9 of one byte, 9: 10^-9 s; the end of the options.
    let interface = [1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0];
    file.extend(block(1, &interface));
    for (at, frame) in packets {
        let at = at * 1000 + 1_700_000_000_000_000_000;
        let mut body = 0_u32.to_le_bytes().to_vec();
        for word in [
            at >> 32,
            at & 0xffff_ffff,
            frame.len() as u64,
            frame.len() as u64,
        ] {
            body.extend((word as u32).to_le_bytes());
        }
        body.extend(frame);
        body.resize(body.len().next_multiple_of(4), 0);
        file.extend(block(6, &body));
    }
    file
}

/// Four full packets at 0, 4, 4.2 and 9.5 ms; ACKs of the first two after 20 and 24 ms.
fn sample() -> Vec<(u64, Vec<u8>)> {
    vec![
        (0, data(0, 100)),
        (4000, data(1448, 101)),
        (4200, data(2 * 1448, 101)),
        (9500, data(3 * 1448, 102)),
        (20_000, ack(100)),
        (28_000, ack(101)),
    ]
}

/// A capture in each kind of file.
pub(in crate::recording) fn samples() -> [Vec<u8>; 3] {
    [classic, classic_reversed, next_generation].map(|file| file(&sample()))
}

fn times(recording: &Recording) -> Vec<u64> {
    match &recording.forward.rate {
        Some(Rate::Opportunities(all)) => all.milliseconds().collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn full_packets_are_opportunities_in_every_kind_of_file() {
    for file in [classic, classic_reversed, next_generation] {
        let recording = convert(&file(&sample()), &Options::default()).unwrap();
        assert_eq!(times(&recording), [0, 4, 5, 10]);
        let delay = recording.forward.delay.as_ref().unwrap();
        // 20 ms from the first packet to its ACK, and 24 ms from the second.
        assert_eq!(delay.steps(), [(0, 10 * MS)]);
        assert_eq!(recording.forward.losses, None);
        assert_eq!(recording.length, Duration::from_millis(28));
    }
}

#[test]
fn small_packets_share_an_opportunity() {
    // 800 bytes each with the headers: 1500 are full at the second, the fourth and the sixth.
    let packet = |n: u32| segment(SERVER, CLIENT, n * 748, 748, (n, 0));
    let packets: Vec<_> = (0..6).map(|n| (u64::from(n) * 1000, packet(n))).collect();
    let recording = convert(&classic(&packets), &Options::default()).unwrap();
    assert_eq!(times(&recording), [1, 3, 5]);
}

#[test]
fn the_delay_may_change_in_steps() {
    let options = Options {
        step: Some(Duration::from_millis(25)),
        ..Options::default()
    };
    let recording = convert(&classic(&sample()), &options).unwrap();
    let delay = recording.forward.delay.unwrap();
    assert_eq!(delay.steps(), [(0, 10 * MS), (25 * MS, 12 * MS)]);
}

#[test]
fn the_direction_and_the_part_can_be_named() {
    let options = Options {
        source: Some(CLIENT.into()),
        ..Options::default()
    };
    // Two ACKs of 52 bytes are no opportunity.
    let wrong = convert(&classic(&sample()), &options).unwrap_err();
    assert_eq!(wrong.what, "there is no delivery opportunity");
    let options = Options {
        destination: Some([192, 0, 2, 9].into()),
        ..Options::default()
    };
    let wrong = convert(&classic(&sample()), &options).unwrap_err();
    assert_eq!(wrong.what, "no packet is from any host to 192.0.2.9");
    let options = Options {
        cut: Cut {
            from: Duration::from_millis(4),
            to: Some(Duration::from_millis(10)),
        },
        ..Options::default()
    };
    let recording = convert(&classic(&sample()), &options).unwrap();
    assert_eq!(times(&recording), [0, 1, 6]);
    assert_eq!(recording.length, Duration::from_millis(6));
}

#[test]
fn gaps_and_repetitions_are_losses() {
    let packets = [0, 1, 4, 2, 3, 1, 5].map(|n| data(n * 1448, n));
    let packets: Vec<_> = (0..).map(|n| n * 1000).zip(packets).collect();
    let options = Options {
        losses: true,
        ..Options::default()
    };
    let recording = convert(&classic(&packets), &options).unwrap();
    let losses = recording.forward.losses.unwrap();
    // 2 and 3 were missing when 4 came; 1 came again.
    assert_eq!((losses.sent, losses.lost, losses.runs), (9, 3, 2));
    let said = recording.remarks.join("\n");
    assert!(
        said.contains("Of 9 segments of TCP, 2 were missing and 1 came again."),
        "{said}"
    );
    let recording = convert(&classic(&packets), &Options::default()).unwrap();
    assert_eq!(recording.forward.losses, None);
    assert!(recording.remarks.join("\n").contains("--losses sets them"));
}

#[test]
fn sequence_numbers_start_over() {
    let first = u32::MAX - 1000;
    let packets = [0, 1, 3].map(|n: u32| data(first.wrapping_add(n * 1448), n));
    let packets: Vec<_> = (0..).map(|n| n * 1000).zip(packets).collect();
    let options = Options {
        losses: true,
        ..Options::default()
    };
    let recording = convert(&classic(&packets), &options).unwrap();
    assert_eq!(recording.forward.losses.unwrap().lost, 1);
}

#[test]
fn other_links_are_read() {
    let frame = data(0, 1);
    let ip = &frame[14..];
    let with = |link: u32, head: &[u8]| {
        let packets = vec![(0, [head, ip].concat()), (2000, [head, ip].concat())];
        let mut file = classic(&packets);
        file[20..24].copy_from_slice(&link.to_le_bytes());
        convert(&file, &Options::default()).map(|recording| times(&recording))
    };
    let cooked = [&[0; 14][..], &[8, 0]].concat();
    let cooked2 = [&[8, 0][..], &[0; 18]].concat();
    let tagged = [&[0; 12][..], &[0x81, 0, 0, 1, 8, 0]].concat();
    for (link, head) in [
        (101, &[][..]),
        (113, &cooked),
        (276, &cooked2),
        (0, &[2, 0, 0, 0]),
        (1, &tagged),
    ] {
        assert_eq!(with(link, head).unwrap(), [0, 2], "{link}");
    }
    let wrong = with(105, &[]).unwrap_err();
    assert_eq!(wrong.what, "packets of link type 105 are not read");
}

#[test]
fn damaged_captures_are_refused() {
    let fault = |bytes: &[u8]| {
        let wrong = convert(bytes, &Options::default()).unwrap_err();
        assert!(!wrong.help.is_empty());
        wrong.in_file("a").lines().next().unwrap().to_owned()
    };
    assert_eq!(fault(b""), "a: it is not a capture of packets");
    assert_eq!(
        fault(b"no capture at all, but a text"),
        "a: it is not a capture of packets"
    );
    let whole = classic(&sample());
    assert_eq!(
        fault(&whole[..24]),
        "a: there is no packet of IP in the capture"
    );
    assert_eq!(
        fault(&whole[..whole.len() - 1]),
        "a, packet 6: the file ends within it"
    );
    let next = next_generation(&sample());
    assert_eq!(
        fault(&next[..next.len() - 1]),
        "a, packet 6: the file ends within it"
    );
    let mut backwards = sample();
    backwards.swap(1, 2);
    assert_eq!(
        fault(&classic(&backwards)),
        "a, packet 3: the time goes back"
    );
    let short = classic(&sample()[..1]);
    assert_eq!(fault(&short), "a: all delivery opportunities are at 0 ms");
}
