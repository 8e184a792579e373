//! Checks that the example shows what it is meant to show.

#[expect(dead_code, reason = "its `main` prints; the test calls what it runs")]
#[path = "../examples/rate.rs"]
mod rate;

#[test]
fn the_rate_follows_the_losses_by_the_equation() {
    let seconds = rate::story();
    assert_eq!(seconds.len(), 20);
    for (second, p) in [(&seconds[9], 0.01), (&seconds[19], 0.04)] {
        // A round-trip time has fewer packets than there are between losses, so each loss begins an event.
        assert!((second.p / p - 1.0).abs() < 0.05, "{}", second.p);
        assert!((second.x / second.equation - 1.0).abs() < 0.05);
        let sent = second.sent as f64 * 1000.0;
        assert!((sent / second.x - 1.0).abs() < 0.1, "{sent} {}", second.x);
    }
    assert!(seconds[9].x > 2.0 * seconds[19].x);
}
