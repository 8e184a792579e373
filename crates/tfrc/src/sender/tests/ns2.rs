use super::*;

fn ns2() -> Story {
    Story::new(SenderConfig::ns2(1000))
}

#[test]
fn ns2_begins_slowly_and_sends_at_each_feedback_in_slow_start() {
    let mut story = ns2();
    story.until(100);
    assert_eq!((story.sent.len(), story.x()), (1, 300.0));
    assert_eq!(story.hear(100, 100, 0.0, 0.0).x, 40_000.0);
    assert_eq!(story.sent.len(), 2);
    // The second report also leaves the initial rate unchanged; the third doubles it.
    assert_eq!(story.hear(200, 100, 40_000.0, 0.0).x, 40_000.0);
    let state = story.hear(301, 101, 40_000.0, 0.0);
    assert_eq!(state.x, 80_000.0);
    // The doubling is spread over the packets of the new rate.
    assert!(state.x_inst < 50_000.0, "{}", state.x_inst);
    story.until(400);
    let halfway = story.sender.state().x_inst;
    assert!(halfway > 50_000.0 && halfway < 80_000.0, "{halfway}");
}

#[test]
fn ns2_adds_a_packet_per_round_trip_and_falls_at_once() {
    let mut story = ns2();
    story.hear(100, 100, 0.0, 0.0);
    story.hear(200, 100, 40_000.0, 0.0);
    // After the first loss the rate is that of the equation at once, whatever the receive rate. T0 is
    // srtt + 4 var of one tick.
    let state = story.hear(300, 100, 40_000.0, 0.05);
    assert_eq!(state.x_calc, Some(state.x));
    let before = state.x;
    // It rises by one packet per round-trip time: 10,000 B/s each, up to twice the receive rate.
    let state = story.hear(400, 100, 40_000.0, 0.01);
    assert_close(state.x, before + 20_000.0);
    let state = story.hear(500, 100, 40_000.0, 0.01);
    assert_close(state.x, (before + 30_000.0).min(80_000.0));
    let state = story.hear(600, 100, 5_000.0, 0.01);
    assert_close(state.x, 10_000.0);
}

#[test]
fn ns2_halves_without_feedback_and_requests_some() {
    let mut story = ns2();
    story.hear(100, 100, 0.0, 0.0);
    story.hear(200, 100, 40_000.0, 0.0);
    let round = story.sent.last().unwrap().round;
    story.sent.clear();
    story.until(400);
    assert_eq!(story.x(), 20_000.0);
    let last = story.sent.last().unwrap();
    assert!(last.urgent && last.sent_at == ms(400));
    assert_eq!(last.round, round + 1);
}
