use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::segment::SackBlock;

use super::boards::Written;
use super::*;

#[test]
fn numbers_are_restored_from_their_low_half() {
    for (near, number) in [
        (0, 0),
        (0, 5),
        (5, 0),
        (1 << 32, (1 << 32) - 1),
        ((1 << 40) - 3, (1 << 40) + 9),
    ] {
        assert_eq!(widen(near, number as u32), number);
    }
}

#[test]
fn a_payload_takes_20_bytes_with_an_alignment_of_4_at_most() {
    assert_eq!((size_of::<Payload>(), align_of::<Payload>()), (20, 4));
}

#[test]
fn an_ack_arrives_unchanged() {
    let blocks = [
        SackBlock { start: 9, end: 11 },
        SackBlock { start: 5, end: 7 },
    ];
    let ack = AckSegment {
        ack: (1 << 33) + 3,
        echo: Echo::Exact {
            trigger: (1 << 33) + 10,
            received_at: Instant::from_nanos(1 << 41),
        },
        blocks: &blocks,
        ece: true,
        marks: Some(1 << 40),
        aqt: Some(Aqt {
            queueing: 0,
            echo: 77,
        }),
        marked: false,
    };
    let mut boards = Boards::default();
    let write = |boards: &mut Boards| {
        boards.room()[..2].copy_from_slice(&blocks);
        boards.write(Content::of(&ack))
    };
    let Written {
        payload,
        number,
        probe,
        pure,
    } = write(&mut boards);
    assert_eq!((number, probe, pure), (ack.ack, true, false));
    assert_eq!(
        payload.as_ack((1 << 33) - 1, Stamp::Received),
        (ack.ack, ack.echo)
    );
    assert!(payload.ece() && !payload.is_opening() && payload.segment_of().is_none());
    let board = boards.take(payload.board().expect("it has blocks"));
    assert_eq!(board.blocks(), blocks);
    assert_eq!(board.marks(), ack.marks);
    let aqt = Aqt {
        queueing: 5,
        echo: 77,
    };
    assert_eq!(board.aqt(Some(5)), Some(aqt));
    let again = write(&mut boards).payload;
    assert_eq!(again.board(), Some(0), "places are used again");
}

#[test]
fn a_plain_ack_takes_no_slot_and_a_later_one_makes_it_redundant() {
    let mut ack = AckSegment {
        ack: 9,
        echo: Echo::Timestamps { value: 1, echo: 2 },
        blocks: &[],
        ece: false,
        marks: None,
        aqt: None,
        marked: false,
    };
    let mut boards = Boards::default();
    let plain = boards.write(Content::of(&ack));
    assert!(plain.pure && !plain.probe && plain.payload.board().is_none());
    ack.ece = true;
    let echo = boards.write(Content::of(&ack));
    assert!(!echo.pure && echo.payload.board().is_none() && echo.payload.ece());
    assert!(!echo.payload.is_opening());
}

#[test]
fn a_segment_arrives_unchanged() {
    // 80 minutes, which is more than 2^32 microseconds.
    let heard = Instant::from_nanos(4_800_000_000_123);
    let sent_at = Instant::from_nanos(4_800_050_000_001);
    let segment = Segment {
        seq: (1 << 32) + 7,
        retransmission: false,
        sent_at,
        probe: true,
        ect: true,
        l4s: false,
        cwr: true,
        push: true,
        feedback: Some(Feedback {
            marked: true,
            sendable: 20,
            heard,
        }),
    };
    let mut packet = Arrived {
        payload: Payload::data(&segment, 5, 3),
        bytes: 1052,
        kind: DATA,
        corrupt: false,
        marked: true,
        queueing: None,
    };
    assert_eq!(packet.payload.segment_of(), Some((3, 7)));
    assert_eq!(
        (packet.payload.board(), packet.payload.is_opening()),
        (None, false)
    );
    let now = Time::from_nanos(4_800_100_000_000);
    let stamping = Stamping::Option {
        granularity: Duration::from_millis(10),
    };
    let arrived = arrival(&packet, (1 << 32) + 7, now, stamping);
    let expected = Arrival {
        seq: (1 << 32) + 7,
        // From the time at which it was sent, because it carries feedback.
        ts_value: 480_005,
        sent_at,
        queueing: Some(0),
        marked: true,
        cwr: true,
        push: true,
        feedback: Some(Feedback {
            marked: true,
            sendable: 20,
            // Rounded up to a whole microsecond.
            heard: Instant::from_nanos(4_800_000_001_000),
        }),
    };
    assert_eq!(arrived, expected);
    assert_eq!(packet.payload.age(now), Duration::from_nanos(49_999_999));
    packet.queueing = Some(12);
    assert_eq!(arrival(&packet, 0, now, stamping).queueing, Some(12));
    let datagram = Payload::datagram(99_999, now);
    assert_eq!(datagram.source_of(), Some(99_999));
    assert_eq!(datagram.age(now), Duration::ZERO);
    assert_eq!(packet.payload.source_of(), None);
    for other in [datagram, Payload::OPENING] {
        assert!(!other.pushes());
        assert!(!other.probes() && !other.cwr() && other.segment_of().is_none());
        assert_eq!(other.board(), None);
    }
}
