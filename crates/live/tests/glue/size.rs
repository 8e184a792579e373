//! Small segments take less time to transmit than full ones, so they are not timed beside them.

use crate::program::{Record, glue, record};

/// Where BaseRTT is in a reply: after the window, the threshold, and the five words of growth.
const BASE: usize = 2 + 5;
const MSS: u64 = 1448;

fn begin() -> Record {
    record([0, MSS, 10, 0x7fff_ffff, u64::from(u32::MAX), 0])
}

/// An ACK of one full segment.
fn full(rtt_us: u64) -> Record {
    record([1, 40_000, 1, 1, rtt_us, 0, 0, 4, 1 | 1 << 63])
}

/// An ACK of a segment of this many bytes.
fn small(bytes: u64, rtt_us: u64) -> Record {
    record([13, 40_000, bytes, rtt_us])
}

#[test]
fn base_rtt_is_that_of_full_segments() {
    // The first bytes of iperf3 are 37; at 20 Mb/s, a full segment takes 0.6 ms longer.
    let records = [
        begin(),
        small(37, 40_030),
        full(40_600),
        small(MSS - 1, 40_590),
        full(40_700),
    ];
    let Some(answers) = glue("vegas", &records) else {
        return;
    };
    let bases: Vec<u64> = answers.iter().map(|answer| answer[BASE] / 1_000).collect();
    assert_eq!(bases, [0, 0, 40_600, 40_600, 40_600]);
}

#[test]
fn a_program_that_sends_only_small_segments_is_timed_by_them() {
    let mut records = vec![begin()];
    records.extend((0..40).map(|_| small(100, 40_030)));
    let Some(answers) = glue("vegas", &records) else {
        return;
    };
    assert_eq!(answers[4][BASE], 0);
    assert_eq!(answers[5][BASE], 40_030_000);
}
