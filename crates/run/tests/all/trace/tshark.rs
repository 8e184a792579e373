//! tshark reads the captures without complaints, and finds in them the events of the simulation.
//!
//! If tshark is missing, these tests print a message and pass, unless `DUMBBELL_REQUIRE_TSHARK=1`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use dumbbell_run::outcome::Outcome;
use dumbbell_run::trace::Format;

use super::read::{self, Row};
use super::{parse, traced};

/// tshark's analysis flags for a segment that was sent before.
const MARKS: [&str; 4] = [
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
];
/// Flags that must not occur: the captures are complete and the hosts have no faults.
const COMPLAINTS: [&str; 8] = [
    "_ws.malformed",
    "_ws.short",
    "tcp.analysis.lost_segment",
    "tcp.analysis.ack_lost_segment",
    "tcp.analysis.keep_alive",
    "tcp.analysis.window_update",
    "tcp.analysis.zero_window",
    "tcp.analysis.reused_ports",
];
/// tshark's status for a valid checksum.
const GOOD: &str = "1";
const CHECKSUMS: [&str; 3] = [
    "ip.checksum.status",
    "tcp.checksum.status",
    "udp.checksum.status",
];

/// Whether tshark is installed. A test that needs it returns if not.
fn there() -> bool {
    let found = Command::new("tshark").arg("--version").output();
    let found = found.is_ok_and(|output| output.status.success());
    let required = env::var_os("DUMBBELL_REQUIRE_TSHARK").is_some_and(|value| value == "1");
    assert!(
        found || !required,
        "no tshark, and DUMBBELL_REQUIRE_TSHARK=1"
    );
    if !found {
        println!("skipped: install tshark");
    }
    found
}

/// A packet by the names of tshark's fields; those without a value are empty.
type Packet = BTreeMap<&'static str, String>;

/// Extracts these fields of every packet of a capture.
fn dissect(capture: &Path, fields: &[&'static str]) -> Vec<Packet> {
    let output = Command::new("tshark")
        .arg("-r")
        .arg(capture)
        .args(["ip", "tcp", "udp"].map(|layer| format!("-o{layer}.check_checksum:TRUE")))
        .args(["-n", "-Tfields", "-Eseparator=|", "-Eoccurrence=f"])
        .args(fields.iter().map(|field| format!("-e{field}")))
        .output()
        .expect("tshark starts");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{complaint}");
    let text = String::from_utf8(output.stdout).expect("text");
    let packet = |line: &str| {
        let values: Vec<_> = line.split('|').map(str::to_owned).collect();
        assert_eq!(values.len(), fields.len(), "{line}");
        fields.iter().copied().zip(values).collect()
    };
    text.lines().map(packet).collect()
}

/// A run with both of its traces.
struct Run {
    outcome: Outcome,
    rows: Vec<Row>,
    capture: PathBuf,
    packets: usize,
}

impl Run {
    fn new(name: &str, text: &str, seed: u64) -> Self {
        let scenario = parse(text);
        let (outcome, csv) = traced(&scenario, seed, Format::Csv, &[]);
        let (_, capture) = traced(&scenario, seed, Format::Pcap, &[]);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pcap"));
        fs::write(&path, &capture).expect("the folder is ours");
        Self {
            outcome,
            rows: read::rows(&csv),
            capture: path,
            packets: read::frames(&capture).len(),
        }
    }

    /// The position of the flow that a packet belongs to.
    fn flow(packet: &Packet) -> usize {
        let host = [&packet["ip.src"], &packet["ip.dst"]]
            .into_iter()
            .find(|host| host.starts_with("10.0."))
            .expect("fewer than 65,536 flows");
        let bytes: Vec<usize> = host
            .split('.')
            .map(|n| n.parse().expect("a byte"))
            .collect();
        bytes[2] * 256 + bytes[3] - 1
    }

    /// The number of ACKs of a flow that repeat the previous one; the reply to the opening segment
    /// counts as the first.
    fn duplicates(&self, name: &str) -> u64 {
        let (mut last, mut count) = (None, 0);
        for row in self.rows.iter().filter(|row| row.text("flow") == name) {
            match row.text("event") {
                "synack" => last = last.or(Some(0)),
                "ack" | "dupack" | "stale" => {
                    let ack = row.number("ack");
                    count += u64::from(last == Some(ack));
                    last = Some(ack);
                }
                _ => {}
            }
        }
        count
    }

    /// Compares what tshark finds with the simulation. Returns the number of retransmissions.
    fn check(&self) -> u64 {
        let mut fields = vec!["ip.src", "ip.dst", "tcp.len", "tcp.analysis.duplicate_ack"];
        fields.extend(MARKS.into_iter().chain(COMPLAINTS).chain(CHECKSUMS));
        let packets = dissect(&self.capture, &fields);
        assert_eq!(packets.len(), self.packets);
        let flows = self.outcome.flows.len();
        let (mut marks, mut duplicates) = (vec![0; flows], vec![0; flows]);
        for packet in &packets {
            let is = |field: &str| !packet[field].is_empty();
            for complaint in COMPLAINTS {
                assert!(!is(complaint), "{packet:?}");
            }
            for checksum in CHECKSUMS {
                // tshark cannot verify the checksum of a segment whose payload is not stored.
                assert!(
                    ["", GOOD, "2"].contains(&packet[checksum].as_str()),
                    "{packet:?}"
                );
            }
            let data = is("tcp.len") && packet["tcp.len"] != "0";
            if data && MARKS.into_iter().any(is) {
                marks[Self::flow(packet)] += 1;
            }
            if is("tcp.analysis.duplicate_ack") {
                duplicates[Self::flow(packet)] += 1;
            }
        }
        for (place, flow) in self.outcome.flows.iter().enumerate() {
            assert_eq!(marks[place], flow.retransmits, "{flow:?}");
            assert_eq!(duplicates[place], self.duplicates(&flow.name), "{flow:?}");
        }
        marks.iter().sum()
    }
}

/// The beginning of scenarios with a bottleneck of 2 Mb/s.
fn path(queue: u32, loss: &str, reverse: &str) -> String {
    format!(
        r#"
        duration = "30 s"
        [dumbbell]
        access     = {{ rate = "10 Mb/s", delay = "2 ms" }}
        bottleneck = {{ rate = "2 Mb/s", delay = "20 ms", queue = {{ droptail = {queue} }}{loss} }}
        reverse    = {{ {reverse} }}
        "#
    )
}

const RECOVERIES: [&str; 5] = [
    "control = \"tahoe\"\n",
    "control = \"reno\"\n",
    "control = \"newreno\"\n",
    "control = \"sack\"\n",
    "control = \"vegas\"\n",
];

/// Every recovery, each with additional lines.
fn every_recovery(lines: &str) -> String {
    RECOVERIES
        .map(|control| format!("[[flow]]\n{control}{lines}"))
        .concat()
}

#[test]
fn every_recovery_with_a_short_queue() {
    if !there() {
        return;
    }
    for (i, recovery) in RECOVERIES.into_iter().enumerate() {
        let text = path(12, ", loss = { bernoulli = 0.01 }", "") + "[[flow]]\n" + recovery;
        let run = Run::new(&format!("recovery-{i}"), &text, 1);
        assert!(run.check() > 20, "{recovery}");
    }
}

#[test]
fn every_recovery_side_by_side_with_stamps_and_delayed_acks() {
    if !there() {
        return;
    }
    for (i, lines) in [
        "timestamps = { granularity = \"1 ms\" }\n",
        "delayed_ack = true\n",
        "timestamps = { granularity = \"10 ms\" }\ndelayed_ack = \"200 ms\"\nlimited_transmit = false\n",
        "handshake = false\nreceiver_window = 20\n",
    ]
    .into_iter()
    .enumerate()
    {
        let text = path(30, ", loss = { bernoulli = 0.02 }", "") + &every_recovery(lines);
        let run = Run::new(&format!("side-by-side-{i}"), &text, 2);
        assert!(run.check() > 100, "{lines}");
    }
}

#[test]
fn timeouts_on_a_path_with_losses_in_both_directions() {
    if !there() {
        return;
    }
    let loss =
        ", loss = { gilbert_elliott = { to_bad = 0.02, to_good = 0.2, bad = 0.8 }, on = \"all\" }";
    let reverse = "loss = { bernoulli = 0.2, on = \"all\" }";
    let text = path(60, loss, reverse)
        + &every_recovery("min_rto = \"20 ms\"\n")
        + &every_recovery("timestamps = { granularity = \"1 ms\" }\n");
    let run = Run::new("timeouts", &text, 3);
    assert!(
        run.outcome
            .flows
            .iter()
            .map(|flow| flow.timeouts)
            .sum::<u64>()
            > 100
    );
    assert!(run.check() > 300);
}

#[test]
fn traffic_in_both_directions_with_datagrams() {
    if !there() {
        return;
    }
    let back = every_recovery("direction = \"left\"\npayload = \"536 B\"\n");
    let datagrams = [1, 28, 29, 40, 1000].map(|bytes| {
        format!("[[flow]]\nsource = {{ cbr = \"20 kb/s\" }}\npacket = \"{bytes} B\"\n")
    });
    let text =
        path(20, "", "") + &every_recovery("header = \"58 B\"\n") + &back + &datagrams.concat();
    let run = Run::new("two-ways", &text, 4);
    assert!(run.check() > 100);
}

#[test]
fn finite_transfers() {
    if !there() {
        return;
    }
    let loss = ", loss = { bernoulli = 0.1, on = \"all\" }";
    let sizes = [
        "1 B",
        "1000 B",
        "1001 B",
        "30001 B",
        "45678 B",
        "40 segments",
    ];
    let flows = sizes.map(|size| every_recovery(&format!("count = 3\nsize = \"{size}\"\n")));
    let run = Run::new("ends", &(path(30, loss, "") + &flows.concat()), 5);
    assert!(run.check() > 100);
    let finished = run
        .outcome
        .flows
        .iter()
        .filter(|flow| flow.finish_s.is_some())
        .count();
    assert!(finished > 60, "{finished} of 90");
}

/// Without losses, tshark's round-trip times are those of the simulation to the nanosecond.
#[test]
fn round_trip_times_are_the_same() {
    if !there() {
        return;
    }
    for (name, lines) in [
        ("rtt", "receiver_window = 25\n"),
        ("rtt-delayed", "receiver_window = 100\ndelayed_ack = true\n"),
    ] {
        let text = path(200, "", "") + "[[flow]]\ncontrol = \"reno\"\n" + lines;
        let run = Run::new(name, &text, 1);
        assert_eq!(run.check(), 0);
        let fields = [
            "ip.src",
            "tcp.flags.syn",
            "tcp.analysis.ack_rtt",
            "tcp.analysis.initial_rtt",
        ];
        let nanos = |seconds: &str| {
            let (seconds, nanos) = seconds.split_once('.').expect("a decimal");
            let [seconds, nanos]: [u64; 2] = [seconds, nanos].map(|n| n.parse().expect("digits"));
            seconds * 1_000_000_000 + nanos
        };
        let packets = dissect(&run.capture, &fields);
        let found: Vec<_> = packets
            .iter()
            .filter(|packet| packet["ip.src"] == "10.128.0.1" && packet["tcp.flags.syn"] == "0")
            .map(|packet| nanos(&packet["tcp.analysis.ack_rtt"]))
            .collect();
        let acks = run.rows.iter().filter(|row| row.text("event") == "ack");
        let expected: Vec<_> = acks.filter_map(|row| row.nanos("rtt_s")).collect();
        assert!(found.len() > 1000);
        assert_eq!(found, expected);
        let opening = run.rows.iter().find(|row| row.text("event") == "synack");
        let opening = opening.expect("it opens").time();
        let last = packets.last().expect("packets");
        assert_eq!(nanos(&last["tcp.analysis.initial_rtt"]), opening);
    }
}

/// With the payload, which is all zeros, every checksum is valid.
#[test]
fn checksums_are_right_for_the_payload() {
    if !there() {
        return;
    }
    let datagrams = "[[flow]]\nsource = { cbr = \"100 kb/s\" }\n";
    let flows = every_recovery("size = \"99999 B\"\ntimestamps = { granularity = \"1 ms\" }\n");
    let text = path(12, "", "") + &flows + datagrams;
    let run = Run::new("whole", &text, 6);
    assert!(run.check() > 0);
    let capture = fs::read(&run.capture).expect("written");
    let mut whole = capture[..24].to_vec();
    whole[16..20].copy_from_slice(&65_535_u32.to_le_bytes());
    for frame in read::frames(&capture) {
        let seconds = (frame.time / 1_000_000_000) as u32;
        let nanos = (frame.time % 1_000_000_000) as u32;
        let length = frame.bytes.len() as u32;
        for word in [seconds, nanos, length, length] {
            whole.extend(word.to_le_bytes());
        }
        whole.extend(&frame.bytes);
    }
    fs::write(&run.capture, whole).expect("the folder is ours");
    let packets = dissect(&run.capture, &CHECKSUMS);
    assert_eq!(packets.len(), run.packets);
    for packet in &packets {
        let [ip, tcp, udp] = CHECKSUMS.map(|checksum| packet[checksum].as_str());
        assert!(
            ip == GOOD && [(GOOD, ""), ("", GOOD)].contains(&(tcp, udp)),
            "{packet:?}"
        );
    }
}
