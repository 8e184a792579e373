//! Whatever the kernel's structs hold, it gets a window: 1 to 2^31 - 1. It reads windows as signed numbers, and
//! warns about others.

use crate::program::{Record, glue, record};

const CONTROLS: [&str; 8] = [
    "dctcp",
    "veno",
    "venodb",
    "vegas",
    "rovegas",
    "westwood",
    "westwood+",
    "sarbe",
];
/// Windows, thresholds and clamps at the borders of what fits.
const BORDERS: [u64; 6] = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/// A connection with these values: an ACK, a loss that is undone, an undo outside an episode, a timeout that is
/// undone. The window may be changed by others in between.
fn story(cwnd: u64, clamp: u64) -> Vec<Record> {
    let begin = record([0, 1448, cwnd, 0x7fff_ffff, clamp, 1]);
    let ack = record([1, 1000, 1, 1, 500, 7, 7, 4, 1 | 1 << 63]);
    let recover = record([2, 3, 1]);
    let lower = record([5, cwnd]);
    let undo = record([7, 0]);
    let time_out = record([4, 1000, 1]);
    vec![
        begin, ack, recover, undo, lower, undo, ack, time_out, undo, ack, recover, undo,
    ]
}

#[test]
fn the_kernel_always_gets_a_window() {
    for control in CONTROLS {
        for cwnd in BORDERS {
            for clamp in BORDERS {
                let records = story(cwnd, clamp);
                let Some(answers) = glue(control, &records) else {
                    return;
                };
                // The kernel's own writes, the first window and those of `lower`, are not ours.
                let ours = records
                    .iter()
                    .zip(answers)
                    .filter(|(it, _)| it[0] == 7 || it[0] == 1);
                for (record, answer) in ours {
                    let window = answer[0];
                    assert!(
                        (1..=0x7fff_ffff).contains(&window),
                        "{control}: {window} after {record:?}, with a window of {cwnd} and a clamp of {clamp}"
                    );
                }
            }
        }
    }
}
