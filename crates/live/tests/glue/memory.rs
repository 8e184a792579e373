//! A connection for which the kernel has no memory uses the kernel's Reno.

use crate::program::{glue, record};

#[test]
fn without_memory_the_kernels_reno_is_used() {
    let begin = record([0, 1448, 10, 0x7fff_ffff, u64::from(u32::MAX), 1]);
    let ack = record([1, 1000, 1, 1, 500, 7, 7, 4, 1 | 1 << 63]);
    let recover = record([2, 3, 1]);
    let undo = record([7]);
    let release = record([12]);
    let records = [begin, ack, release, begin, ack, recover, undo, release];
    for control in ["veno", "venodb"] {
        let Some(answers) = glue(control, &records) else {
            return;
        };
        let windows: Vec<_> = answers.iter().map(|answer| answer[0]).collect();
        // With memory, an ACK grows the window from 10 to 11; the host's Reno stub returns 1000 +
        // 1, 1001 and 1002.
        assert_eq!(windows[..2], [10, 11], "{control}");
        assert_eq!(windows[4], 1001, "{control}");
        assert_eq!(answers[5][1], 1001, "{control}");
        assert_eq!(windows[6], 1002, "{control}");
    }
}
