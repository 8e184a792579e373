//! Hosts that handle timers and packets late.

use super::*;

/// The times at which packets leave, if the host handles each timer so many ms late, from 100 to 490 ms. The rate is a packet in
/// 25 ms from 100 ms on.
fn sent_late(mut story: Story, late: u64) -> Vec<Instant> {
    story.hear(100, 100, 0.0, 0.0);
    story.sent.clear();
    while let Some(due) = story.sender.deadline() {
        let now = due + Duration::from_millis(late);
        if now > ms(490) {
            break;
        }
        story.sender.on_timer(now, &mut story.sent);
    }
    story.sent.iter().map(|data| data.sent_at).collect()
}

/// Nominal send times follow from each other (RFC 5348, section 4.6), whether a host is late or not.
#[test]
fn a_late_host_sends_as_much_as_one_on_time() {
    let nominal: Vec<u64> = (125..=475).step_by(25).collect();
    for late in [0, 3, 10] {
        let expected: Vec<_> = nominal.iter().map(|at| ms(at + late)).collect();
        assert_eq!(sent_late(story(), late), expected);
        let mut offered = Story::of(Sender::offered(SenderConfig::rfc5348(1000)));
        offered.sender.offer(ms(0), 100, &mut offered.sent);
        assert_eq!(sent_late(offered, late), expected);
    }
}

/// Of 200 ms, what is made up for are 50: the packet at 325 ms, whose turn was at 275, and two more at once.
#[test]
fn a_host_that_stood_still_makes_up_for_50_ms() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    story.sent.clear();
    story.sender.on_timer(ms(325), &mut story.sent);
    assert_eq!(story.sent.len(), 3);
    assert_eq!(story.sender.deadline(), Some(ms(350)));
}

/// Packets that were ready at 200 ms come to the sender at 240 ms: they leave as if they had come in time. Those that come at 240
/// ms begin then.
#[test]
fn packets_that_come_late_keep_their_times() {
    for (since, expected) in [(200, [240, 240, 250, 275]), (240, [240, 265, 290, 315])] {
        let mut story = Story::of(Sender::offered(SenderConfig::rfc5348(1000)));
        story.sender.offer(ms(0), 1, &mut story.sent);
        story.hear(100, 100, 0.0, 0.0);
        story.sent.clear();
        story
            .sender
            .offer_late(ms(240), ms(since), 4, &mut story.sent);
        story.until(400);
        let sent: Vec<_> = story.sent.iter().map(|data| data.sent_at).collect();
        assert_eq!(sent, expected.map(ms));
    }
}
