//! Whatever the kernel's structs hold, it gets a window: 1 to 2^31 - 1. It reads windows as signed numbers, and
//! warns about others. And a control that takes over a connection believes no more than there can have been.

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

/// Where the control's window is in a reply, in segments << 32: after snd_cwnd and snd_ssthresh.
const CWND: usize = 2;
const INFINITE: u64 = 0x7fff_ffff;
const OPEN: u64 = 0;
const CWR: u64 = 2;
const RECOVERY: u64 = 3;
const LOSS: u64 = 4;

/// snd_cwnd and the window of a control that takes over from another, which has left this window and threshold, in this
/// state, with 30 segments outstanding and 200 delivered.
fn taken_over(control: &str, cwnd: u64, ssthresh: u64, state: u64) -> Option<(u64, u64)> {
    let begin = [
        0,
        1448,
        cwnd,
        ssthresh,
        u64::from(u32::MAX),
        1,
        1,
        state,
        30,
        200,
    ];
    let answers = glue(control, &[begin])?;
    Some((answers[0][0], answers[0][CWND] >> 32))
}

#[test]
fn a_window_larger_than_what_was_sent_is_not_taken_over() {
    // 200 delivered and 30 outstanding, and the first 10.
    let most = 240;
    for control in CONTROLS {
        for (cwnd, ssthresh, state, wanted) in [
            (25, INFINITE, OPEN, (25, 25)),
            (240, 100, OPEN, (240, 240)),
            (241, 100, OPEN, (most, most)),
            // A window that CUBIC once left in a recovery.
            (1_381_241_802, INFINITE, RECOVERY, (most, most)),
            (1_381_241_802, 1_381_241_802, RECOVERY, (most, most)),
            (1_381_241_802, 18, RECOVERY, (most, 18)),
            (0xffff_ffff, INFINITE, LOSS, (most, most)),
            (2, 18, LOSS, (2, 2)),
            // On the way to the threshold, from above and from below.
            (28, 18, RECOVERY, (28, 18)),
            (11, 18, CWR, (11, 18)),
        ] {
            let Some(found) = taken_over(control, cwnd, ssthresh, state) else {
                return;
            };
            assert_eq!(found, wanted, "{control}: {cwnd}, {ssthresh}, {state}");
        }
    }
}

#[test]
fn the_first_window_of_a_connection_is_the_kernels() {
    for control in CONTROLS {
        // A route may set any initial window.
        let begin = record([0, 1448, 5000, INFINITE, u64::from(u32::MAX), 1]);
        let Some(answers) = glue(control, &[begin]) else {
            return;
        };
        assert_eq!(
            (answers[0][0], answers[0][CWND] >> 32),
            (5000, 5000),
            "{control}"
        );
    }
}

/// A kernel that skips a program takes an address on its stack for the threshold, and in a recovery a part of that for the
/// window. The next callback replaces both.
#[test]
fn what_a_skipped_program_has_left_is_replaced() {
    for control in CONTROLS {
        let begin = record([0, 1448, 20, INFINITE, u64::from(u32::MAX), 1]);
        // A twentieth of the address, and the flight.
        let window = record([5, 109_157_887]);
        let threshold = record([7, 0x8220_5665]);
        let records = [begin, window, threshold, record([11])];
        let Some(answers) = glue(control, &records) else {
            return;
        };
        assert_eq!(answers[2][..2], [109_157_887, 0x8220_5665], "{control}");
        assert_eq!(answers[3][..2], [20, INFINITE], "{control}");
    }
}
