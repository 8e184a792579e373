//! The kernel hands on several segments at once, and the network carries each as the packet that it would be on a wire.

use std::fs;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use dumbbell_live::emulator::{Emulator, Format, Options};
use dumbbell_run::End;

use crate::hosts;

const FAST: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "1 Gb/s", delay = "0 ms" }
bottleneck = { rate = "100 Mb/s", delay = "5 ms", queue = { droptail = 200 } }
[[flow]]
control = "reno"
payload = "1460 B"
"#;

/// Bytes that two threads share.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the packets of a pcap file: when, how many bytes, and those that are stored.
fn packets(file: &[u8]) -> Vec<((u32, u32), usize, &[u8])> {
    let word = |at: usize| u32::from_ne_bytes(*file[at..].first_chunk().unwrap());
    let (mut at, mut found) = (24, Vec::new());
    while at + 16 <= file.len() {
        let stored = word(at + 8) as usize;
        let bytes = &file[at + 16..at + 16 + stored];
        found.push(((word(at), word(at + 4)), word(at + 12) as usize, bytes));
        at += 16 + stored;
    }
    found
}

/// Returns how many segments with a wrong checksum the calling thread's namespace has received.
fn wrong_checksums() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/net/snmp").unwrap();
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp: "));
    let place = lines.next().unwrap().split(' ');
    let place = place.into_iter().position(|name| name == "InCsumErrors");
    let values = lines.next().unwrap().split(' ').nth(place.unwrap());
    values.unwrap().parse().unwrap()
}

#[test]
fn segments_that_come_together_are_packets_of_their_own() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let options = Options {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let mut path = Emulator::prepare(&hosts::scenario(FAST), options).unwrap();
    let file = Shared::default();
    path.capture(Format::Pcap, file.clone()).unwrap();
    path.begin().unwrap();
    let measured = hosts::transfer_over(&path, "reno", 1.0).unwrap();
    assert!(measured.segments > 1000, "{}", measured.segments);
    for end in [End::Sender, End::Receiver] {
        let wrong = path.host(end).run(|| Ok(wrong_checksums())).unwrap();
        assert_eq!(wrong, 0, "{end:?}");
    }
    path.stop().unwrap();
    let file = file.0.lock().unwrap();
    let sent: Vec<_> = packets(&file)
        .into_iter()
        .filter(|(_, _, bytes)| bytes[12..16] == [10, 11, 12, 1])
        .collect();
    assert!(sent.len() > 1000, "{}", sent.len());
    for (_, length, bytes) in &sent {
        let total = usize::from(u16::from_be_bytes([bytes[2], bytes[3]]));
        assert!(*length <= 1500 && *length == total, "{length} {total}");
    }
    // Linux sends segments in groups of a millisecond; each group has been read at once.
    let together = sent.windows(2).filter(|two| two[0].0 == two[1].0).count();
    assert!(4 * together > sent.len(), "{together} of {}", sent.len());
}
