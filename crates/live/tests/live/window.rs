//! The receiver's window is as large as the path needs, and a connection that it limits is told.

use std::fs;

use dumbbell_live::namespace;
use dumbbell_live::transfer::{Limit, Measured};
use dumbbell_run::End;

use crate::hosts;

/// 100 Mb/s, 20 ms and 200 packets: half a megabyte.
const FAST: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "1 Gb/s", delay = "0 ms" }
bottleneck = { rate = "100 Mb/s", delay = "10 ms", queue = { droptail = 200 } }
[[flow]]
control = "reno"
payload = "1460 B"
"#;

/// Runs a transfer of a second, with these receive buffers if they are given. Returns it with the size that a buffer
/// has at first.
fn transfer(buffers: Option<&str>) -> (Measured, u64) {
    let path = hosts::start(&hosts::scenario(FAST), 1);
    let first = path.host(End::Receiver).run(|| {
        if let Some(buffers) = buffers {
            namespace::set("ipv4/tcp_rmem", buffers)?;
        }
        let set = fs::read_to_string("/proc/sys/net/ipv4/tcp_rmem").unwrap();
        let first = set.split_whitespace().nth(1).unwrap();
        Ok(first.parse().unwrap())
    });
    let measured = hosts::transfer_over(&path, "reno", 1.0).unwrap();
    (measured, first.unwrap())
}

#[test]
fn hosts_have_room_for_what_the_path_holds() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let (measured, first) = transfer(None);
    assert!(first > 2 * 550_000, "{first}");
    let by_window = measured
        .limits
        .iter()
        .find(|it| it.by == Limit::ReceiverWindow);
    assert_eq!(by_window, None);
}

/// 30 kB each 20 ms are 12 Mb/s.
#[test]
fn a_connection_that_the_receivers_window_limits_is_told() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let (measured, _) = transfer(Some("4096 65536 65536"));
    assert!(measured.goodput_bps < 40e6, "{}", measured.goodput_bps);
    let limited = measured.limits[0];
    assert_eq!(limited.by, Limit::ReceiverWindow);
    assert!(limited.share > 0.5, "{}", limited.share);
}
