//! The timers, bursts and pacing of Linux, step by step: `ack_samples`, `timer_tick`, `tso`, `pacing` and
//! `pacing_credit` of a scenario.

use dumbbell_control::units::{Duration, Segments};
use dumbbell_tcp::config::{SenderConfig, Stamping, Tick, TimerConfig};
use dumbbell_tcp::recovery::{Any, Rack};

use crate::story::{Story, plain};

fn rack(probes: bool) -> Any {
    Any::Rack(Box::new(Rack::new(None, probes)))
}

fn each_ack() -> SenderConfig {
    let timer = TimerConfig {
        each_ack: true,
        min_variance: true,
        ..TimerConfig::default()
    };
    SenderConfig { timer, ..plain() }
}

fn srtt_us(story: &Story) -> u64 {
    story.sender.srtt().expect("a sample").as_nanos() / 1_000
}

fn timeout_ms(story: &Story) -> u64 {
    story.sender.timeout().as_nanos() / 1_000_000
}

/// Segments 0 to 3 leave at 0 ms, and 4 at 100 ms. The ACK of 0 gives 100 ms. The ACK of 1 to 4 at 140 ms gives the time of
/// segment 1, 140 ms: SRTT = 100 + 40 / 8 = 105 ms. That of the newest, 4, would be 40 ms.
#[test]
fn the_earliest_segment_that_an_ack_reports_is_timed() {
    let mut story = Story::new(rack(false), 4, each_ack());
    assert_eq!(story.sent(), [0, 1, 2, 3]);
    assert_eq!(story.wait(100).ack(1), [4]);
    assert_eq!(srtt_us(&story), 100_000);
    let _ = story.wait(40).ack(5);
    assert_eq!(srtt_us(&story), 105_000);
}

/// A SACK of segments 2 and 3 at 140 ms gives 140 ms, and the same SACK again nothing. The ACK of a segment that was sent
/// again gives nothing either.
#[test]
fn a_sack_gives_a_sample_and_a_retransmission_none() {
    let mut story = Story::new(rack(false), 6, each_ack());
    let _ = story.wait(100).ack(1);
    let _ = story.wait(40).ack_by(1, 3, &[(2, 4)]);
    assert_eq!(srtt_us(&story), 105_000);
    let _ = story.wait(40).ack_by(1, 3, &[(2, 4)]);
    assert_eq!(srtt_us(&story), 105_000);
    // 5 SACKed at 180 ms: 105 + 75 / 8 = 114.375 ms. Segment 1 is lost, and sent again.
    let again = story.ack_by(1, 5, &[(5, 6), (2, 4)]);
    assert!(again.contains(&1), "{again:?}");
    assert_eq!(srtt_us(&story), 114_375);
    let _ = story.wait(500).ack(2);
    assert_eq!(srtt_us(&story), 114_375);
}

/// Two segments leave at 1,000 ms. The ACK of the first at 1,100 ms gives 100 ms: the timeout is 100 + 200 ms. The timer fires
/// at 1,400 ms, doubles it, and sends segment 1 again.
fn sent_again(stamping: Stamping) -> Story {
    let config = SenderConfig {
        stamping,
        ..each_ack()
    };
    let mut story = Story::new(rack(false), 2, config);
    assert_eq!(story.sent(), [0, 1]);
    assert_eq!(story.wait(100).stamped(1, 1_000, &[]), [2]);
    assert_eq!(timeout_ms(&story), 300);
    assert_eq!(story.expire(), [1]);
    assert_eq!(timeout_ms(&story), 600);
    story
}

/// The ACK of segment 1 echoes the stamp of the retransmission, after 100 ms: that is a sample, and the backoff ends. If it
/// echoes that of the original, it gives the 500 ms since then: SRTT = 100 + 400 / 8 = 150 ms, and 4 RTTVAR = 200 - 50 + 400 =
/// 550 ms, so 700 ms in all. The tick of the retransmission itself counts as 1 ms: SRTT = 100 - 99 / 8 = 87.625 ms, and 4 RTTVAR
/// = 200 + (99 - 50) / 8 = 206.125 ms.
#[test]
fn the_stamp_that_the_ack_of_a_retransmission_echoes_is_a_sample() {
    let millis = Stamping::Option {
        granularity: Duration::from_millis(1),
    };
    for (wait, echo, srtt, timeout) in [
        (100, 1_400, 100_000, 300),
        (100, 1_000, 150_000, 700),
        (0, 1_400, 87_625, 293),
    ] {
        let mut story = sent_again(millis);
        let _ = story.wait(wait).stamped(2, echo, &[]);
        assert_eq!((srtt_us(&story), timeout_ms(&story)), (srtt, timeout));
    }
    // What covers nothing echoes an old stamp.
    let mut story = sent_again(millis);
    let _ = story.wait(100).stamped(1, 1_000, &[]);
    assert_eq!((srtt_us(&story), timeout_ms(&story)), (100_000, 600));
}

/// Four segments leave at 1,000 ms, and the ACK of the first comes 100.7 ms later, when the clock of the stamps says 1,100. Linux
/// tells its control 100.7 ms; where only the stamps time, it is 100 ms. Of a segment that was sent twice it is told nothing here.
#[test]
fn the_control_is_told_times_that_are_finer_than_the_stamps() {
    let stamping = Stamping::Option {
        granularity: Duration::from_millis(1),
    };
    for (base, told) in [(each_ack(), 100_700), (plain(), 100_000)] {
        let config = SenderConfig { stamping, ..base };
        let mut story = Story::new(rack(false), 4, config);
        story.now = story.now + Duration::from_micros(700);
        let _ = story.wait(100).stamped(1, 1_000, &[]);
        let last = story.sender.last_rtt();
        assert_eq!(last.as_nanos(), told * 1_000);
    }
    let mut story = sent_again(stamping);
    let before = story.sender.rtt_samples();
    let _ = story.wait(100).stamped(2, 1_400, &[]);
    assert_eq!(story.sender.rtt_samples(), before);
}

/// The first ACK comes after 100.4 ms, so the timeout is 100.4 + 200.8 ms, and segment 1 leaves again 0.6 ms after a tick. Linux tells
/// the control what its stamp says: 100 ms of an ACK that comes 100.3 ms later, and 101 ms of one that comes 100.5 ms later.
#[test]
fn the_control_is_told_of_a_retransmission_by_its_stamp() {
    let stamping = Stamping::Option {
        granularity: Duration::from_millis(1),
    };
    for (after_us, told_us) in [(300, 100_000), (500, 101_000)] {
        let config = SenderConfig {
            stamping,
            repair_samples: true,
            ..each_ack()
        };
        let mut story = Story::new(rack(false), 2, config);
        story.now = story.now + Duration::from_micros(400);
        let _ = story.wait(100).stamped(1, 1_000, &[]);
        assert_eq!(story.sender.last_rtt().as_nanos(), 100_400_000);
        assert_eq!(story.expire(), [1]);
        assert_eq!(story.now.as_nanos(), 1_401_600_000);
        story.now = story.now + Duration::from_micros(after_us);
        let _ = story.wait(100).stamped(2, 1_401, &[]);
        assert_eq!(story.sender.last_rtt().as_nanos(), told_us * 1_000);
    }
}

/// Segment 0 of six is lost, and leaves again at 1,100 ms. The ACK at 1,200 ms covers it, and 1 to 3, which were SACKed 100 ms before:
/// they left 200 ms ago, but that is no round-trip time. The stamp says 100 ms. If the ACK SACKs segment 5 first, that one counts:
/// 200 ms.
#[test]
fn what_was_reported_before_is_no_round_trip() {
    let stamping = Stamping::Option {
        granularity: Duration::from_millis(1),
    };
    for (repair_samples, blocks, told_ms) in [
        (false, &[][..], 200),
        (true, &[][..], 100),
        (true, &[(5, 6)][..], 200),
    ] {
        let config = SenderConfig {
            stamping,
            repair_samples,
            ..each_ack()
        };
        let mut story = Story::new(rack(false), 6, config);
        assert_eq!(story.wait(100).stamped(0, 1_000, &[(1, 4)])[0], 0);
        let _ = story.wait(100).stamped(4, 1_100, blocks);
        assert_eq!(story.sender.last_rtt().as_nanos(), told_ms * 1_000_000);
    }
}

/// Segments 0 to 3 leave at 1,000 ms, and 4 at 1,050 ms. An ACK at 1,110 ms that reports 3 and 4 for the first time, by its
/// blocks or because it covers them, tells the control of the newer one: 60 ms.
#[test]
fn of_what_an_ack_reports_the_newest_is_timed() {
    for (ack, blocks) in [(2, &[(3, 5)][..]), (5, &[][..])] {
        let config = SenderConfig {
            repair_samples: true,
            ..each_ack()
        };
        let mut story = Story::new(rack(false), 4, config);
        let _ = story.sent();
        assert_eq!(story.wait(50).ack(1)[0], 4);
        let _ = story.wait(60).ack_by(ack, 4, blocks);
        assert_eq!(story.sender.last_rtt().as_nanos(), 60_000_000);
    }
}

/// Ten segments leave at 0 ms. At 100 ms three of them are SACKed: SRTT = 100 ms, 4 RTTVAR = 200 ms, segment 0 is sent again,
/// and the timer fires at 100 + 300 ms. At 150 ms the other six originals are SACKed, which were sent before that: SRTT =
/// 100 + 50 / 8 = 106.25 ms, the deviation is still 200 ms, and the timer fires at 150 + 306.25 ms. Four new segments
/// leave with that ACK. At 250 ms the first of them is SACKed, so the retransmission is lost: SRTT = 106.25 - 6.25 / 8 =
/// 105.46875 ms, segment 0 is sent a third time, and the timer fires at 250 + 305.46875 ms.
#[test]
fn what_was_sent_before_a_retransmission_puts_the_timer_off() {
    let mut story = Story::new(rack(false), 10, each_ack());
    let due = |story: &Story| {
        let at = story.sender.deadline().expect("a timer");
        at.as_nanos() / 10 - 100_000_000
    };
    let _ = story.sent();
    assert_eq!(story.wait(100).ack_by(0, 3, &[(1, 4)]), [0]);
    assert_eq!(due(&story), 40_000_000);
    assert_eq!(story.wait(50).ack_by(0, 9, &[(1, 10)]), [10, 11, 12, 13]);
    assert_eq!(due(&story), 45_625_000);
    assert_eq!(story.wait(0).ack_by(0, 9, &[(1, 10)]), [], "no news");
    assert_eq!(due(&story), 45_625_000);
    assert_eq!(story.wait(100).ack_by(0, 10, &[(1, 11)]), [0, 14]);
    assert_eq!(due(&story), 55_546_875);
}

/// The same events without that switch: the timer runs from the retransmission on, and is not touched by SACKs.
#[test]
fn by_the_rfc_sacks_do_not_put_the_timer_off() {
    let mut story = Story::new(rack(false), 10, plain());
    let _ = story.sent();
    assert_eq!(story.wait(100).ack_by(0, 3, &[(1, 4)]), [0]);
    let due = story.sender.deadline();
    let _ = story.wait(50).ack_by(0, 9, &[(1, 10)]);
    assert_eq!(story.sender.deadline(), due);
    let again = story.wait(100).ack_by(0, 10, &[(1, 11)]);
    assert!(again.contains(&0), "{again:?}");
    assert_eq!(story.sender.deadline(), due);
}

/// With a tick of 4 ms, a connection that begins at 1,000 ms has its first timeout of 1 s, 250 ticks, in the coarser part of
/// the wheel: 250 + 250 = 500, so at the 504th tick, 2,016 ms. After a sample of 100 ms, the timeout is 100 + 200 ms:
/// from tick 275 on 75 ticks, 350, so at tick 352: 1,408 ms.
#[test]
fn the_retransmission_timer_fires_at_a_tick() {
    let mut config = each_ack();
    config.timer.firing = Some(Tick::new(Duration::from_millis(4)));
    let mut story = Story::new(rack(false), 2, config);
    let due = |story: &Story| story.sender.deadline().map(|at| at.as_nanos() / 1_000_000);
    assert_eq!(due(&story), Some(2_016));
    let _ = story.wait(100).ack(1);
    assert_eq!(due(&story), Some(1_408));
}

/// A probe waits for two round trips of 10 ms and 2 ms: 22 ms, from 1,010 ms on. That is tick 252, and 6 ticks: it fires
/// at tick 259, 1,036 ms.
#[test]
fn a_probe_waits_for_two_milliseconds_more() {
    let mut config = each_ack();
    config.timer.firing = Some(Tick::new(Duration::from_millis(4)));
    let mut story = Story::new(rack(true), 4, config);
    let _ = story.wait(10).ack(1);
    let due = story.sender.deadline().map(|at| at.as_nanos() / 1_000_000);
    assert_eq!(due, Some(1_036));
}

fn bursts() -> SenderConfig {
    SenderConfig {
        tso: true,
        ..each_ack()
    }
}

/// A round trip of 2 ms adds 65,536 >> 3 = 8,192 bytes to a piece: with segments of 1000 bytes and a window of 24, whose
/// rate is 1.2 * 24,000 / 2 ms = 14.4 MB/s, 14,062 bytes in 2^-10 s, a piece is 22 segments, but at most half of the
/// window: 12. A third of the window is 8. ACKs of one segment each release nothing until 8 have room; after 1 ms
/// without a segment, what has room leaves.
#[test]
fn segments_wait_for_a_third_of_the_window() {
    let mut story = Story::new(rack(false), 24, bursts());
    assert_eq!(story.sent().len(), 24);
    // The first ACK gives SRTT and the least round-trip time. Nothing was sent for 2 ms, so what has room leaves.
    assert_eq!(story.wait(2).ack(1), [24]);
    for ack in 2..=8 {
        assert_eq!(story.ack(ack), [], "{ack}");
    }
    assert_eq!(story.ack(9), (25..33).collect::<Vec<u64>>());
    assert_eq!(story.ack(10), []);
    assert_eq!(story.wait(2).ack(11), [33, 34]);
}

/// The same with PSH at the end of each piece: the eight end one, as do the two, and the one that leaves alone does not. While
/// no round-trip time is known, pieces have two segments. What is sent again ends none.
#[test]
fn the_last_segment_of_a_piece_is_pushed() {
    let config = SenderConfig {
        push_pieces: true,
        ..bursts()
    };
    let mut story = Story::new(rack(false), 24, config);
    let pushed = |story: &mut Story| {
        story.wire.sent.clear();
        let segments = std::mem::take(&mut story.wire.segments);
        let pushed = segments.iter().filter(|segment| segment.push);
        pushed.map(|segment| segment.seq).collect::<Vec<_>>()
    };
    let second: Vec<u64> = (0..12).map(|piece| 2 * piece + 1).collect();
    assert_eq!(pushed(&mut story), second);
    assert_eq!(story.wait(2).ack(1), [24]);
    assert_eq!(pushed(&mut story), []);
    for ack in 2..=9 {
        let _ = story.ack(ack);
    }
    assert_eq!(pushed(&mut story), [32]);
    assert_eq!(story.wait(2).ack(11), [33, 34]);
    assert_eq!(pushed(&mut story), [34]);
    assert_eq!(story.ack_by(11, 14, &[(12, 15)]), [11]);
    assert_eq!(pushed(&mut story), []);
}

/// In an episode segments do not wait.
#[test]
fn a_loss_ends_the_wait() {
    let mut story = Story::new(rack(false), 24, bursts());
    let _ = story.wait(2).ack(1);
    assert_eq!(story.ack(2), []);
    // 2 is lost when three above it are SACKed: the window becomes 12, and 20 are in the network.
    let sent = story.ack_by(2, 5, &[(3, 6)]);
    assert_eq!(sent, [2]);
    let sent = story.ack_by(2, 16, &[(3, 17)]);
    assert_eq!(sent, [25, 26, 27], "12 - 9");
}

/// A window of 10 and an SRTT of 100 ms: in congestion avoidance 120 segments a second, one every 8,333,333 ns.
#[test]
fn a_window_is_spread_over_a_round_trip() {
    let config = SenderConfig {
        pacing: true,
        ..each_ack()
    };
    let mut story = Story::below(Segments::ONE, "reno", rack(false), 10, config);
    assert_eq!(story.sent().len(), 10, "no round-trip time is known");
    let _ = story.wait(100);
    assert_eq!(story.ack(5), [10]);
    let start = story.now;
    let mut sent = Vec::new();
    while sent.len() < 4 {
        let at = story.sender.deadline().expect("segments wait");
        let segments = story.expire();
        sent.extend(segments.iter().map(|_| at.since(start).as_nanos() / 1_000));
    }
    assert_eq!(sent, [8_333, 16_666, 24_999, 33_333]);
}

/// The same with pieces of two segments. The ACK at 104 ms makes SRTT 100.5 ms, so that the next segment is due 8.375 ms
/// after the last. But the ACK of the oldest is overdue, so it waits for that, and leaves with another.
#[test]
fn a_paced_piece_that_has_just_become_due_waits_for_an_ack_that_is_near() {
    let config = SenderConfig {
        pacing: true,
        ..bursts()
    };
    let mut story = Story::below(Segments::ONE, "reno", rack(false), 10, config);
    assert_eq!(story.sent().len(), 10);
    assert_eq!(story.wait(100).ack(1), [10]);
    assert_eq!(story.wait(4).ack(2), [], "it is not due");
    assert_eq!(story.expire(), [], "its ACK is near");
    assert_eq!(story.now.as_nanos() / 1_000, 1_108_375);
    assert_eq!(story.wait(1).ack(3), [11, 12]);
}

/// BBR sends ten segments at once, and two more on the first ACK, after 100 ms. Its rate is then 0.99 * 2.887 * 10 segments in
/// 100 ms, so one segment takes 3.499 ms; the two wait for half of it each, because the last was late. `lost` are lost.
fn paced_repair(blocks: &[(u64, u64)]) -> (Vec<u64>, Story) {
    let config = SenderConfig {
        deliveries: true,
        pacing_credit: true,
        ..each_ack()
    };
    let mut story = Story::with_control("bbr1", rack(false), 10, config);
    assert_eq!(story.sent().len(), 10);
    assert_eq!(story.wait(100).ack(1), [10, 11]);
    let newest = blocks[0].1 - 1;
    let sent = story.wait(1).ack_by(1, newest, blocks);
    (sent, story)
}

#[test]
fn a_paced_retransmission_waits_until_it_is_due() {
    let (sent, mut story) = paced_repair(&[(2, 5)]);
    assert_eq!(story.sender.counters().fast_recoveries, 1);
    assert_eq!(sent, []);
    assert_eq!(story.expire(), [1], "and no new segment with it");
    assert_eq!(story.now.as_nanos() / 1_000, 1_103_499);
}

/// Two that left at once leave at once again, and others one by one.
#[test]
fn retransmissions_leave_as_the_pieces_that_they_were() {
    let (sent, mut story) = paced_repair(&[(3, 6)]);
    assert_eq!(sent, []);
    assert_eq!(story.expire(), [1, 2]);
    let (sent, mut story) = paced_repair(&[(4, 7), (2, 3)]);
    assert_eq!(sent, []);
    assert_eq!(story.expire(), [1]);
    let first = story.now;
    assert_eq!(story.expire(), [3]);
    assert_eq!(story.now.since(first).as_nanos() / 1_000, 3_499);
}

/// The last segment of each write is pushed.
#[test]
fn the_last_segment_that_there_is_to_send_is_pushed() {
    let config = SenderConfig {
        push: true,
        size: Some(3),
        relays: true,
        ..plain()
    };
    let mut story = Story::new(rack(false), 10, config);
    let pushed = |story: &mut Story| {
        let segments = std::mem::take(&mut story.wire.segments);
        segments
            .iter()
            .map(|segment| segment.push)
            .collect::<Vec<_>>()
    };
    assert_eq!(pushed(&mut story), [false, false, true]);
    let _ = story.offer(5);
    assert_eq!(pushed(&mut story), [false, true]);
    let _ = story.offer(6);
    assert_eq!(pushed(&mut story), [true]);
}
