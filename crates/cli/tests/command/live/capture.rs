//! `emulate --pcap`: what the hosts send and receive, and what the network does not deliver.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{LOSSY, is_allowed, text};
use crate::{dumbbell, file, folder, names};

/// A packet of a pcapng file.
#[derive(Debug)]
struct Packet {
    interface: u32,
    at: u64,
    number: u64,
    comment: String,
    bytes: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Reads the packets of a file, by draft-ietf-opsawg-pcapng. Fails if a block is cut off.
fn read(capture: &Path) -> Vec<Packet> {
    let all = fs::read(capture).unwrap();
    let (mut rest, mut packets) = (&all[..], Vec::new());
    while !rest.is_empty() {
        let (block, after) = rest.split_at(word(rest, 4) as usize);
        assert_eq!(word(block, block.len() - 4) as usize, block.len());
        rest = after;
        if word(block, 0) != 6 {
            continue;
        }
        let stored = word(block, 20) as usize;
        let mut packet = Packet {
            interface: word(block, 8),
            at: u64::from(word(block, 12)) << 32 | u64::from(word(block, 16)),
            number: u64::MAX,
            comment: String::new(),
            bytes: block[28..28 + stored].to_vec(),
        };
        let mut options = &block[28 + stored.next_multiple_of(4)..];
        while let [code, _, length, high, value @ ..] = options
            && *code != 0
        {
            let length = usize::from(*length) + 256 * usize::from(*high);
            match code {
                1 => packet.comment = text(&value[..length]),
                5 => packet.number = u64::from_le_bytes(value[..8].try_into().unwrap()),
                _ => {}
            }
            options = &value[length.next_multiple_of(4)..];
        }
        packets.push(packet);
    }
    packets
}

const SENDER: u32 = 0;
const RECEIVER: u32 = 1;
const NETWORK: u32 = 2;

/// Every packet that one host sends is received by the other, is lost with a reason, or is still under way at the end,
/// and the links' own counters agree.
#[test]
fn every_packet_is_followed_from_its_host_to_its_end() {
    if !is_allowed() {
        return;
    }
    let folder = folder("emulate-pcapng");
    let path = file(&folder, &LOSSY.replace("0.02", "0.3"));
    let (capture, report) = (folder.join("out.pcapng"), folder.join("report.json"));
    // 100 datagrams, of 2 ms each, overflow a queue of 20 also if the loop is slow.
    let send = "for i in $(seq 100); do printf %500d $i > /dev/udp/$DUMBBELL_PEER/9; done; sleep 1";
    let done = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(["--set", "bottleneck.queue.droptail=20", "--pcap"])
        .arg(&capture)
        .arg("--report")
        .arg(&report)
        .args(["--", "bash", "-c", send])
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
    let report = fs::read_to_string(report).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let packets = read(&capture);
    assert!(packets.is_sorted_by_key(|packet| packet.at));
    assert_eq!(report["capture"]["packets"], packets.len());
    assert_eq!(report["capture"]["missing"], 0);
    let datagram = |packet: &&Packet| packet.bytes[9] == 17;
    let at = |interface| {
        let there = packets.iter().filter(move |it| it.interface == interface);
        there.map(|it| (it.number, it)).collect::<BTreeMap<_, _>>()
    };
    let (sent, received, gone) = (at(SENDER), at(RECEIVER), at(NETWORK));
    let datagrams = sent.values().copied().filter(datagram).count();
    assert_eq!(datagrams, 100);
    for (number, packet) in received.iter().chain(&gone) {
        // What the receiver's host sends, and what is lost of it, comes from the other end.
        let from = if packet.bytes[15] == 1 {
            &sent
        } else {
            &received
        };
        assert_eq!(packet.bytes, from[number].bytes, "{number}");
        assert!(packet.at >= from[number].at);
    }
    for (number, packet) in sent.iter().filter(|(_, it)| it.bytes[15] == 1) {
        let fates = [&received, &gone].map(|fates| fates.contains_key(number));
        assert_ne!(fates[0], fates[1], "{packet:?}");
    }
    let link = &report["network"]["links"][0];
    let because = |why: &str| gone.values().filter(|it| it.comment == why).count();
    assert_eq!(link["lost"], because("lost by a link"));
    assert_eq!(link["dropped"], because("dropped by a queue"));
    assert!(because("lost by a link") > 3 && because("dropped by a queue") > 3);
    shark(&capture);
}

/// tshark, which others have written, sees the same places and comments.
fn shark(capture: &Path) {
    let fields = ["frame.interface_name", "frame.comment"];
    let tried = Command::new("tshark")
        .arg("-r")
        .arg(capture)
        .args(["-Tfields", "-Eseparator=|"])
        .args(fields.map(|field| format!("-e{field}")))
        .output();
    let Ok(tried) = tried else {
        return println!("skipped: install tshark");
    };
    assert!(tried.status.success(), "{}", text(&tried.stderr));
    let name = ["sender", "receiver", "network"];
    let packets = read(capture);
    let expected = packets.iter().map(|packet| {
        let name = name[packet.interface as usize];
        format!("{name}|{}", packet.comment)
    });
    let seen = text(&tried.stdout);
    assert!(seen.lines().eq(expected), "{seen}");
}

/// As a capture of `dumbbell run`, a pcap file has the sender's side of a connection.
#[test]
fn a_pcap_file_has_the_senders_side() {
    if !is_allowed() {
        return;
    }
    let folder = folder("emulate-pcap");
    let path = file(&folder, &LOSSY.replace("bernoulli = 0.02", "bernoulli = 0"));
    let capture = folder.join("out.pcap");
    let done = dumbbell()
        .arg("emulate")
        .arg(path)
        .arg("--pcap")
        .arg(&capture)
        .args(["--", "bash", "-c", "echo > /dev/tcp/$DUMBBELL_PEER/9"])
        .output()
        .unwrap();
    // Nobody listens: a SYN leaves, and a RST comes back after 60 ms.
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
    let bytes = fs::read(capture).unwrap();
    let (header, mut rest) = bytes.split_at(24);
    assert_eq!((word(header, 0), word(header, 20)), (0xa1b2_3c4d, 101));
    let mut seen = Vec::new();
    while !rest.is_empty() {
        let (packet, after) = rest[16..].split_at(word(rest, 8) as usize);
        let nanos = u64::from(word(rest, 0)) * 1_000_000_000 + u64::from(word(rest, 4));
        seen.push((nanos, packet[15], packet[20 + 13]));
        rest = after;
    }
    // Times, hosts, flags of TCP.
    let [(left, 1, 2), (came, 2, 0x14)] = seen[..] else {
        panic!("{seen:?}");
    };
    // Not earlier, and on a busy machine a little later.
    assert!(
        (60_000_000..120_000_000).contains(&(came - left)),
        "{seen:?}"
    );
}

#[test]
fn the_file_names_that_cannot_be_are_refused() {
    let folder = folder("emulate-pcap-names");
    let path = file(&folder, LOSSY);
    let other = folder.join("other.pcapng");
    for (name, said) in [
        (folder.join("out.txt"), "should end in .pcap or .pcapng"),
        (folder.join("none/out.pcap"), "there is no folder"),
        (other.clone(), "two outputs have the same path"),
    ] {
        let done = dumbbell()
            .arg("emulate")
            .arg(&path)
            .arg("--pcap")
            .arg(name)
            .arg("--report")
            .arg(&other)
            .args(["--", "true"])
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(2));
        assert!(text(&done.stderr).contains(said), "{}", text(&done.stderr));
    }
    assert_eq!(names(&folder), ["my.toml"]);
}

/// An emulation that sends until it is ended.
struct Emulation(Child);

impl Drop for Emulation {
    fn drop(&mut self) {
        // A test that fails leaves nothing behind; one that does not has ended it before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts an emulation, and waits until its capture has some packets.
fn started(folder: &Path) -> (Emulation, PathBuf) {
    let path = file(folder, LOSSY);
    let capture = folder.join("out.pcapng");
    let send = "while :; do echo > /dev/udp/$DUMBBELL_PEER/9; sleep 0.01; done";
    let emulator = dumbbell()
        .arg("emulate")
        .arg(path)
        .arg("--pcap")
        .arg(&capture)
        .args(["--", "bash", "-c", send])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let emulator = Emulation(emulator);
    let unfinished = folder.join("out.pcapng.unfinished");
    let begun = Instant::now();
    while fs::metadata(&unfinished).map_or(0, |it| it.len()) < 2000 {
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing comes");
        thread::sleep(Duration::from_millis(20));
    }
    (emulator, capture)
}

fn signal(emulator: &Emulation, signal: nix::libc::c_int) {
    let signal = signal.to_string();
    let id = emulator.0.id().to_string();
    let sent = Command::new("kill")
        .args([format!("-{signal}"), id])
        .status();
    assert!(sent.unwrap().success());
}

/// Ctrl-C, and SIGTERM as from systemd, end an emulation; its capture is complete up to there.
#[test]
fn an_interrupted_capture_is_complete() {
    if !is_allowed() {
        return;
    }
    for (name, with) in [("int", nix::libc::SIGINT), ("term", nix::libc::SIGTERM)] {
        let folder = folder(&format!("emulate-pcap-{name}"));
        let (mut emulator, capture) = started(&folder);
        signal(&emulator, with);
        assert_eq!(emulator.0.wait().unwrap().code(), Some(130));
        assert_eq!(names(&folder), ["my.toml", "out.pcapng"]);
        let packets = read(&capture);
        let sent = packets.iter().filter(|it| it.interface == SENDER).count();
        assert!(sent > 10, "{packets:?}");
    }
}

/// Killed, it leaves what it has written under another name, and an earlier capture as it was.
#[test]
fn a_killed_capture_replaces_nothing() {
    if !is_allowed() {
        return;
    }
    let folder = folder("emulate-pcap-kill");
    fs::write(folder.join("out.pcapng"), "an earlier one").unwrap();
    let (mut emulator, capture) = started(&folder);
    signal(&emulator, nix::libc::SIGKILL);
    emulator.0.wait().unwrap();
    assert_eq!(fs::read_to_string(capture).unwrap(), "an earlier one");
    assert_eq!(
        names(&folder),
        ["my.toml", "out.pcapng", "out.pcapng.unfinished"]
    );
}

/// A full disk, as /dev/full plays it: the emulation runs on, and the command fails.
#[test]
fn a_capture_that_cannot_be_written_is_a_failure() {
    if !is_allowed() {
        return;
    }
    let path = file(&folder("emulate-pcap-full"), LOSSY);
    let done = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(["--pcap", "/dev/full", "--", "bash", "-c"])
        .arg("echo > /dev/udp/$DUMBBELL_PEER/9 && echo sent")
        .output()
        .unwrap();
    let said = text(&done.stderr);
    assert_eq!(text(&done.stdout), "sent\n", "{said}");
    assert_eq!(done.status.code(), Some(3), "{said}");
    assert!(said.contains("cannot write /dev/full"), "{said}");
}
