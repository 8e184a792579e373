//! What DCTCP's receiver echoes: figure 1 of RFC 8257.

use crate::program::{GLUE, Record, glue, record};

/// A segment arrives, after which the receiver expects `expected`, while an ACK is delayed or not.
fn arrive(marked: bool, expected: u64, delayed: bool) -> Record {
    record([14, marked.into(), expected, delayed.into()])
}

/// What is known after it: ACKs have ECE, one must be sent at once, what an ACK sent meanwhile acknowledges, and
/// whether that had ECE.
fn told(answer: &[u64; GLUE]) -> (bool, bool, Option<(u64, bool)>) {
    let [ece, now, acked, with] = answer[GLUE - 4..].try_into().unwrap();
    (
        ece == 1,
        now == 1,
        (acked > 0).then_some((acked, with == 1)),
    )
}

#[test]
fn acks_say_whether_what_they_cover_was_marked() {
    let begin = record([0, 1448, 10, 0x7fff_ffff, u64::from(u32::MAX), 1]);
    let records = [
        begin,
        arrive(false, 1000, false),
        arrive(true, 2000, true),
        arrive(true, 3000, false),
        arrive(false, 4000, true),
        arrive(true, 5000, false),
        arrive(true, 6000, true),
    ];
    let Some(answers) = glue("dctcp", &records) else {
        return;
    };
    let known: Vec<_> = answers[1..].iter().map(told).collect();
    assert_eq!(
        known,
        [
            (false, false, None),
            // The first segment waited for its ACK, which says: not marked.
            (true, true, Some((1000, false))),
            (true, false, None),
            (false, true, Some((3000, true))),
            // A change with nothing delayed: only the next ACK is sent at once.
            (true, true, None),
            (true, false, None),
        ]
    );
}
