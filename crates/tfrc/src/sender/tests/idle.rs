//! Senders that have nothing to send.

use super::*;

/// A sender to which packets were offered up to 500 ms and then none.
fn idle(p: f64, x_recv: f64) -> Story {
    let mut story = Story::of(Sender::offered(SenderConfig::rfc5348(1000)));
    story.sender.offer(ms(0), 1, &mut story.sent);
    story.hear(100, 100, 0.0, 0.0);
    for now in [200, 300, 400, 500] {
        story.until(now);
        story.sender.offer(ms(now - 50), 1_000, &mut story.sent);
        story.hear(now, 100, x_recv, p);
    }
    story.sender.stop();
    story
}

#[test]
fn an_idle_sender_keeps_a_low_rate_and_reduces_a_high_one() {
    // The timer that was set while packets were sent expires at 900 ms; the sender was not idle all that
    // time. The next timer is set for an idle sender. W_init/R is 40,000 B/s.
    let mut low = idle(0.01, 30_000.0);
    low.until(900);
    let after = low.x();
    low.until(60_000);
    assert_eq!(low.x(), after);
    assert!(low.sender.counters().expiries > 100);

    let mut high = idle(0.0001, 1e6);
    high.until(900);
    let after = high.x();
    high.until(1_300);
    assert_close(high.x(), after / 2.0);
    // The rate does not fall below half of what an idle sender keeps.
    high.until(600_000);
    assert!(high.x() >= 20_000.0, "{}", high.x());
}

#[test]
fn an_idle_sender_in_slow_start_keeps_twice_the_initial_rate() {
    // W_init/R is 40,000 B/s; an idle sender halves a rate of 80,000 B/s or more, and keeps lower rates.
    for (x_recv, left) in [
        (39_000.0, 78_000.0),
        (40_000.0, 40_000.0),
        (70_000.0, 70_000.0),
    ] {
        let mut story = Story::of(Sender::offered(SenderConfig::rfc5348(1000)));
        story.sender.offer(ms(0), 1_000, &mut story.sent);
        for now in [100, 200, 300, 400, 500] {
            story.hear(now, 100, x_recv, 0.0);
        }
        let before = 2.0 * x_recv;
        assert_eq!(story.x(), before);
        story.sender.stop();
        story.hear(510, 110, x_recv, 0.0);
        story.until(60_000);
        assert_eq!(story.x(), left);
    }
}

#[test]
fn an_idle_sender_without_feedback_keeps_its_rate() {
    let mut story = Story::of(Sender::offered(SenderConfig::rfc5348(1000)));
    story.until(60_000);
    assert_eq!(story.x(), S);
    assert!(story.sent.is_empty());
}
