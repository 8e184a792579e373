//! Stories of segments that arrive, worked out by hand.

use super::*;
use dumbbell_control::units::Duration;

fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// The time in ms, the number and the SACK blocks of every ACK.
type Acks = Vec<(u64, u64, Vec<(u64, u64)>)>;

/// The ACKs for segments that arrive at the given milliseconds.
fn arrivals(config: ReceiverConfig, segments: &[(u64, u64)], until_ms: u64) -> Acks {
    let mut receiver = Receiver::new(config);
    let mut acks = Vec::new();
    let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
    for ms in 0..=until_ms {
        let mut responses = Vec::new();
        for &(_, seq) in segments.iter().filter(|(at, _)| *at == ms) {
            responses.push(receiver.on_segment(at_ms(ms), &Arrival::plain(seq, ms as u32)));
        }
        responses.push(receiver.on_deadline(at_ms(ms)));
        for response in responses {
            if response == Response::Ack {
                let ack = receiver.ack(at_ms(ms), &mut blocks);
                acks.push((
                    ms,
                    ack.ack,
                    ack.blocks.iter().map(|b| (b.start, b.end)).collect(),
                ));
            }
        }
    }
    acks
}

fn delayed() -> ReceiverConfig {
    ReceiverConfig {
        delayed_ack: Some(Duration::from_millis(100)),
        ..ReceiverConfig::default()
    }
}

fn numbers(acks: &Acks) -> Vec<(u64, u64)> {
    acks.iter().map(|(ms, ack, _)| (*ms, *ack)).collect()
}

#[test]
fn a_second_segment_ends_the_delay_of_an_ack() {
    assert_eq!(
        numbers(&arrivals(delayed(), &[(0, 0), (10, 1)], 200)),
        [(10, 2)]
    );
}

/// The first three ACKs are quick, then each second segment has one. Segment 2 arrives again at 60 ms,
/// and the ACK of that copy and the next two are quick.
#[test]
fn quick_acks_come_first_and_again_after_a_segment_that_had_already_arrived() {
    let config = ReceiverConfig {
        delayed_ack: Some(Duration::from_millis(15)),
        quick_acks: 3,
        ..ReceiverConfig::default()
    };
    let first = [(0, 0), (10, 1), (20, 2), (30, 3), (40, 4)];
    let again = [(60, 2), (61, 5), (62, 6), (63, 7), (64, 8), (65, 9)];
    let found = arrivals(config, &[&first[..], &again].concat(), 90);
    let expected = [
        (0, 1),
        (10, 2),
        (20, 3),
        (40, 5),
        (60, 5),
        (61, 6),
        (62, 7),
        (64, 9),
        (80, 10),
    ];
    assert_eq!(numbers(&found), expected);
}

/// ACKs of segments above a hole are sent at once, and count.
#[test]
fn acks_of_segments_out_of_order_use_up_quick_acks() {
    let config = ReceiverConfig {
        quick_acks: 3,
        ..delayed()
    };
    let segments = [(0, 0), (1, 2), (2, 3), (3, 1), (4, 4)];
    let found = numbers(&arrivals(config, &segments, 110));
    assert_eq!(found, [(0, 1), (1, 1), (2, 1), (3, 4), (104, 5)]);
}

#[test]
fn the_timer_ends_the_delay_of_an_ack() {
    assert_eq!(numbers(&arrivals(delayed(), &[(0, 0)], 200)), [(100, 1)]);
}

/// RFC 5681, section 4.2: out-of-order segments, and one that fills a hole.
#[test]
fn segments_out_of_order_are_acknowledged_at_once() {
    let found = arrivals(delayed(), &[(0, 0), (1, 1), (2, 3), (3, 4), (4, 2)], 200);
    assert_eq!(numbers(&found), [(1, 2), (2, 2), (3, 2), (4, 5)]);
}

#[test]
fn the_newest_block_comes_first_and_holes_merge() {
    let config = ReceiverConfig {
        sack: true,
        ..ReceiverConfig::default()
    };
    let segments = [
        (0, 0),
        (1, 2),
        (2, 4),
        (3, 6),
        (4, 3),
        (5, 8),
        (6, 10),
        (7, 1),
    ];
    let found = arrivals(config, &segments, 10);
    let blocks: Vec<_> = found
        .into_iter()
        .map(|(_, ack, blocks)| (ack, blocks))
        .collect();
    assert_eq!(
        blocks,
        [
            (1, vec![]),
            (1, vec![(2, 3)]),
            (1, vec![(4, 5), (2, 3)]),
            (1, vec![(6, 7), (4, 5), (2, 3)]),
            (1, vec![(2, 5), (6, 7)]),
            (1, vec![(8, 9), (2, 5), (6, 7)]),
            (1, vec![(10, 11), (8, 9), (2, 5), (6, 7)]),
            (5, vec![(10, 11), (8, 9), (6, 7)]),
        ]
    );
}

/// RFC 2883, section 4: a segment below the cumulative ACK, one that is the second block, and one
/// inside it. The block of the run that contains it follows.
#[test]
fn a_segment_that_had_already_arrived_is_the_first_block() {
    let config = ReceiverConfig {
        sack: true,
        dsack: true,
        ..ReceiverConfig::default()
    };
    let order = [0, 2, 3, 5, 0, 5, 3, 1, 1, 4, 2];
    let segments: Vec<_> = (0..).zip(order).collect();
    let found = arrivals(config, &segments, 20);
    let blocks: Vec<_> = found
        .into_iter()
        .map(|(_, ack, blocks)| (ack, blocks))
        .collect();
    assert_eq!(
        blocks[4..],
        [
            (1, vec![(0, 1), (5, 6), (2, 4)]),
            (1, vec![(5, 6), (5, 6), (2, 4)]),
            (1, vec![(3, 4), (2, 4), (5, 6)]),
            (4, vec![(5, 6)]),
            (4, vec![(1, 2), (5, 6)]),
            (6, vec![]),
            (6, vec![(2, 3)]),
        ]
    );
}

fn stamped() -> Receiver {
    Receiver::new(ReceiverConfig {
        stamping: Stamping::Option {
            granularity: Duration::from_millis(1),
        },
        ..delayed()
    })
}

fn echo(receiver: &mut Receiver) -> (u64, u32) {
    let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
    let ack = receiver.ack(at_ms(0), &mut blocks);
    let Echo::Timestamps { echo, .. } = ack.echo else {
        panic!("the option is in use")
    };
    (ack.ack, echo)
}

#[test]
fn the_first_stamp_is_taken_whatever_the_clock_says() {
    let mut receiver = stamped();
    let _ = receiver.on_segment(at_ms(0), &Arrival::plain(0, 3_000_000_000));
    assert_eq!(echo(&mut receiver), (1, 3_000_000_000));
    let _ = receiver.on_segment(at_ms(0), &Arrival::plain(1, 2_999_999_999));
    assert_eq!(
        echo(&mut receiver),
        (2, 3_000_000_000),
        "older than TS.Recent"
    );
}

/// RFC 7323, section 4.3.
#[test]
fn the_echoed_stamp_is_that_of_the_earliest_segment_acknowledged() {
    let mut receiver = stamped();
    for seq in 0..5 {
        let _ = receiver.on_segment(at_ms(0), &Arrival::plain(seq, 100));
    }
    assert_eq!(echo(&mut receiver), (5, 100));
    let _ = receiver.on_segment(at_ms(0), &Arrival::plain(6, 120));
    assert_eq!(echo(&mut receiver), (5, 100));
    assert_eq!(
        receiver.on_segment(at_ms(0), &Arrival::plain(7, 130)),
        Response::Ack
    );
    assert_eq!(
        echo(&mut receiver),
        (5, 100),
        "a segment above a hole leaves TS.Recent"
    );
    assert_eq!(
        receiver.on_segment(at_ms(0), &Arrival::plain(5, 150)),
        Response::Ack
    );
    assert_eq!(echo(&mut receiver), (8, 150));
    assert_eq!(
        receiver.on_segment(at_ms(0), &Arrival::plain(8, 160)),
        Response::Wait
    );
    assert_eq!(
        receiver.on_segment(at_ms(0), &Arrival::plain(9, 170)),
        Response::Ack
    );
    assert_eq!(
        echo(&mut receiver),
        (10, 160),
        "a delayed ACK echoes the earliest"
    );
}

/// A receiver with compressed SACKs to which a segment takes this long, in microseconds. Returns what it answers to segments
/// that arrive at these times: the time, the cumulative ACK and the blocks of each ACK.
fn compressed(transit: u64, segments: &[(u64, u64)], until: u64) -> Acks {
    compressed_by(ReceiverConfig::default(), transit, segments, until)
}

/// The same with this configuration beside.
fn compressed_by(
    config: ReceiverConfig,
    transit: u64,
    segments: &[(u64, u64)],
    until: u64,
) -> Acks {
    let us = |n| Instant::ZERO + Duration::from_micros(n);
    let mut receiver = Receiver::new(ReceiverConfig {
        sack: true,
        sack_compression: true,
        ..config
    });
    let mut acks = Vec::new();
    let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
    for at in 0..=until {
        let now = us(1_000_000 + at);
        for &(_, seq) in segments.iter().filter(|(time, _)| *time == at) {
            let mut arrival = Arrival::plain(seq, 0);
            arrival.sent_at = us(1_000_000 + at - transit);
            let due = receiver.on_segment(now, &arrival) == Response::Ack;
            if due || receiver.on_deadline(now) == Response::Ack {
                let ack = receiver.ack(now, &mut blocks);
                acks.push((
                    at,
                    ack.ack,
                    ack.blocks.iter().map(|b| (b.start, b.end)).collect(),
                ));
            }
        }
        if receiver.on_deadline(now) == Response::Ack {
            let ack = receiver.ack(now, &mut blocks);
            let blocks = ack.blocks.iter().map(|b| (b.start, b.end)).collect();
            acks.push((at, ack.ack, blocks));
        }
    }
    acks
}

/// Segment 1 is missing. The first three above it are answered at once. The fourth, at 4 ms, waits: a twentieth of 40 ms are
/// 2 ms, so 1 ms and the slack, and the fifth comes meanwhile. The sixth, at 6 ms, waits for 7.1 ms, but 1 arrives before.
#[test]
fn sacks_after_the_first_three_are_gathered_for_a_millisecond() {
    let segments = [
        (0, 0),
        (1_000, 2),
        (2_000, 3),
        (3_000, 4),
        (4_000, 5),
        (4_500, 6),
        (6_000, 7),
        (6_500, 1),
        (7_000, 8),
    ];
    let expected = [
        (0, 1, vec![]),
        (1_000, 1, vec![(2, 3)]),
        (2_000, 1, vec![(2, 4)]),
        (3_000, 1, vec![(2, 5)]),
        (5_100, 1, vec![(2, 7)]),
        (6_500, 8, vec![]),
        (7_000, 9, vec![]),
    ];
    assert_eq!(compressed(20_000, &segments, 9_000), expected);
}

/// A round trip of 4 ms: a twentieth of it, 0.2 ms, and the slack.
#[test]
fn sacks_wait_for_a_twentieth_of_a_short_round_trip() {
    let segments = [(0, 0), (100, 2), (200, 3), (300, 4), (400, 5)];
    let acks = compressed(2_000, &segments, 1_000);
    assert_eq!(acks.last(), Some(&(700, 1, vec![(2, 6)])));
    assert_eq!(acks.len(), 5);
}

/// The opening segment was under way for 1 ms, data for 20 ms: a twentieth of 2 ms, and the slack. Without it, 1.1 ms.
#[test]
fn sacks_wait_for_a_twentieth_of_the_handshake_if_that_counts() {
    for (counts, wait) in [(true, 200), (false, 1_100)] {
        let mut receiver = Receiver::new(ReceiverConfig {
            sack: true,
            sack_compression: true,
            handshake_rtt: counts,
            ..ReceiverConfig::default()
        });
        let us = |n: u64| Instant::ZERO + Duration::from_micros(n);
        receiver.on_open(us(1_000), Instant::ZERO);
        let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
        for (at, seq) in [(0, 0), (100, 2), (200, 3), (300, 4)] {
            let mut arrival = Arrival::plain(seq, 0);
            arrival.sent_at = us(10_000 + at);
            assert_eq!(
                receiver.on_segment(us(30_000 + at), &arrival),
                Response::Ack
            );
            let _ = receiver.ack(us(30_000 + at), &mut blocks);
        }
        let mut arrival = Arrival::plain(5, 0);
        arrival.sent_at = us(10_400);
        assert_eq!(receiver.on_segment(us(30_400), &arrival), Response::Wait);
        assert_eq!(receiver.deadline(), Some(us(30_400 + wait)));
    }
}

/// Segments 1, 4 and 7 are missing. When 1 arrives, 2 and 3 are no longer above the hole: the next three are answered at
/// once again. Segment 8 begins a third run while one waits.
#[test]
fn three_sacks_leave_at_once_after_each_move_and_a_third_run_is_told() {
    let segments = [
        (0, 0),
        (100, 2),
        (200, 3),
        (300, 5),
        (400, 6),
        (500, 8),
        (600, 9),
        (700, 1),
        (800, 10),
        (900, 11),
        (1_000, 12),
    ];
    let acks = compressed(20_000, &segments, 3_000);
    let times: Vec<(u64, u64)> = acks.iter().map(|(at, ack, _)| (*at, *ack)).collect();
    assert_eq!(
        times,
        [
            (0, 1),
            (100, 1),
            (200, 1),
            (300, 1),
            // 400: gathered; 500: a third run; 600: gathered until 700.
            (500, 1),
            (700, 4),
            (800, 4),
            (900, 4),
            (1_000, 4),
        ]
    );
}

/// Segment 1 is missing, and the others arrive 10 us apart. Three are answered at once, 44 gathered, and the 45th after
/// them answered at once, at 480 us. The next one waits for 1.1 ms again.
#[test]
fn no_more_than_44_sacks_are_gathered() {
    let later = (1..=49).map(|number| (10 * number, number + 1));
    let segments: Vec<(u64, u64)> = std::iter::once((0, 0)).chain(later).collect();
    let acks = compressed(20_000, &segments, 3_000);
    let times: Vec<u64> = acks.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [0, 10, 20, 30, 480, 1_590]);
    assert_eq!(acks[4].2, [(2, 50)]);
}

/// Segment 1 is missing. The first five ACKs are quick, those of 0 and of 2 to 5; of the others three more leave at once.
#[test]
fn no_sacks_are_gathered_while_acks_are_quick() {
    let config = ReceiverConfig {
        quick_acks: 5,
        ..delayed()
    };
    let later = (1..=9).map(|number| (100 * number, number + 1));
    let segments: Vec<(u64, u64)> = std::iter::once((0, 0)).chain(later).collect();
    let acks = compressed_by(config, 20_000, &segments, 3_000);
    let times: Vec<u64> = acks.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [0, 100, 200, 300, 400, 500, 600, 700, 1_900]);
}

/// Segments 50 ms apart, 100 ms under way, from 1000 ms on; the first ACK is quick.
fn fifty_apart(adaptive_delay: bool, push: bool) -> Vec<(u64, u64)> {
    let mut receiver = Receiver::new(ReceiverConfig {
        delayed_ack: Some(Duration::from_millis(40)),
        adaptive_delay,
        quick_acks: 1,
        ..ReceiverConfig::default()
    });
    let mut acks = Vec::new();
    let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
    for ms in 1000..1300 {
        let mut response = receiver.on_deadline(at_ms(ms));
        if ms % 50 == 0 {
            let arrival = Arrival {
                sent_at: at_ms(ms - 100),
                push,
                ..Arrival::plain((ms - 1000) / 50, 0)
            };
            response = receiver.on_segment(at_ms(ms), &arrival);
        }
        if response == Response::Ack {
            acks.push((ms, receiver.ack(at_ms(ms), &mut blocks).ack));
        }
    }
    acks
}

/// The second ACK waits for 40 ms in vain, and the wait is 80 ms from then on: 40 + 50 = 90 ms when the third segment
/// arrives, so its ACK is that of the fourth.
#[test]
fn a_delay_that_adapts_is_long_enough_for_the_next_segment() {
    let fixed = [
        (1000, 1),
        (1090, 2),
        (1140, 3),
        (1190, 4),
        (1240, 5),
        (1290, 6),
    ];
    assert_eq!(fifty_apart(false, false), fixed);
    let adapted = [(1000, 1), (1090, 2), (1150, 4), (1250, 6)];
    assert_eq!(fifty_apart(true, false), adapted);
}

#[test]
fn a_segment_that_ends_a_write_is_acknowledged_at_once() {
    let expected: Vec<_> = (0..6).map(|i| (1000 + 50 * i, i + 1)).collect();
    assert_eq!(fifty_apart(true, true), expected);
}

/// The first three ACKs are quick, then each second segment has one. After 211 ms, more than RTO on a short path, three
/// are quick again.
#[test]
fn acks_are_quick_again_after_a_long_silence() {
    let config = ReceiverConfig {
        delayed_ack: Some(Duration::from_millis(40)),
        adaptive_delay: true,
        quick_acks: 3,
        ..ReceiverConfig::default()
    };
    let mut receiver = Receiver::new(config);
    let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
    let mut quick = |ms: u64, seq| {
        let arrival = Arrival {
            sent_at: at_ms(ms - 5),
            ..Arrival::plain(seq, 0)
        };
        let response = receiver.on_segment(at_ms(ms), &arrival);
        if response == Response::Ack {
            let _ = receiver.ack(at_ms(ms), &mut blocks);
        }
        response == Response::Ack
    };
    assert_eq!(
        [5, 6, 7, 8, 9].map(|ms| quick(ms, ms - 5)),
        [true, true, true, false, true]
    );
    assert_eq!(
        [220, 221, 222, 223].map(|ms| quick(ms, ms - 215)),
        [true, true, true, false]
    );
}
