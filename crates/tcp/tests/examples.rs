//! Checks that the example shows what it is meant to show.

#[expect(dead_code, reason = "its `main` prints; the test calls what it runs")]
#[path = "../examples/story.rs"]
mod story;

#[test]
fn the_lost_segment_is_retransmitted_once_after_three_duplicate_acks() {
    let lines = story::story();
    let place = |wanted: &str| {
        let mut found = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line[7..] == *wanted);
        let (place, line) = found
            .next()
            .unwrap_or_else(|| panic!("{wanted}: {lines:#?}"));
        assert_eq!(found.next(), None, "{wanted}");
        (place, &line[..5])
    };
    assert_eq!(place("> open"), (0, "0.000"));
    assert_eq!(place("< opened"), (1, "0.100"));
    let (lost, _) = place("> data 6, which is lost");
    let (again, at) = place("> data 6 again");
    assert_eq!(at, "0.300");
    let acks = lines[lost..again]
        .iter()
        .filter(|line| line.ends_with("< ack 6"));
    assert_eq!(acks.count(), 4, "one ACK and three duplicates");
    // There is no queue, so Veno treats the loss as random.
    let (cut, _) = place("- cwnd 10.00 -> 8.00, recovery");
    assert_eq!(cut, again + 1);
    let (last, at) = place("< ack 20");
    assert_eq!((last, at), (lines.len() - 1, "0.500"));
    assert!(lines.iter().all(|line| !line.contains("timer")));
}
