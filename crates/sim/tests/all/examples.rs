//! Checks that the example shows what it is meant to show.

use dumbbell_sim::Time;

#[expect(dead_code, reason = "its `main` prints; the test calls what it runs")]
#[path = "../../examples/ping.rs"]
mod ping;

/// The k-th ping of a burst, counted from 0, waits for k transmissions of 8 ms on the way there. It does not
/// wait on the way back, where packets arrive 8 ms apart. The queue of four drops the fifth ping.
#[test]
fn each_ping_waits_for_those_before_it() {
    let (answers, dropped) = ping::ping().expect("the topology is sound");
    assert_eq!(dropped, 1);
    let mut found = answers.iter();
    for burst in 1..=5 {
        for place in 0..burst.min(4) {
            let answer = found.next().expect("an answer");
            assert_eq!(answer.sent_at, Time::from_millis(100 * burst));
            assert_eq!(answer.round_trip, Time::from_millis(36 + 8 * place));
        }
    }
    assert!(found.next().is_none());
    assert_eq!(answers.last().map(|answer| answer.number), Some(13));
}
