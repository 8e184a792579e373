//! An emulator that is stopped for a while says so, although a stalled connection has few late packets.

use std::env;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{is_allowed, text};
use crate::{dumbbell, file, folder};

/// 20 Mb/s, 20 ms.
pub(super) const FAST: &str = r#"duration = "3 s"
[dumbbell]
access     = { rate = "1 Gb/s", delay = "0 ms" }
bottleneck = { rate = "20 Mb/s", delay = "10 ms", queue = { droptail = 60 } }
[[flow]]
control  = "reno"
recovery = "sack"
payload  = "1460 B"
"#;

const PORT: u16 = 5003;
const SECONDS: u64 = 9;
const PEER: &str = "DUMBBELL_PEER";

/// Not a test: the program on the receiver's host.
#[test]
#[ignore = "run by stalls_of_the_emulator_are_reported"]
fn receives() {
    if env::var_os(PEER).is_none() {
        return;
    }
    let listener = TcpListener::bind(("0.0.0.0", PORT)).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let mut buffer = vec![0; 1 << 16];
    while stream.read(&mut buffer).is_ok_and(|length| length > 0) {}
}

/// Not a test: the program on the sender's host.
#[test]
#[ignore = "run by stalls_of_the_emulator_are_reported"]
fn sends() {
    let Ok(peer) = env::var(PEER) else {
        return;
    };
    let mut stream = loop {
        if let Ok(stream) = TcpStream::connect((peer.as_str(), PORT)) {
            break stream;
        }
    };
    let (begun, block) = (Instant::now(), vec![0x55; 1 << 14]);
    while begun.elapsed() < Duration::from_secs(SECONDS) {
        stream.write_all(&block).unwrap();
    }
}

/// Returns what the emulator says about a bulk transfer during which it is stopped several times for `stop`,
/// and its exit code.
fn stopped(name: &str, times: u32, stop: Duration) -> (String, Option<i32>) {
    let path = file(&folder(name), FAST);
    let this = env::current_exe().unwrap();
    let this = this.to_str().unwrap();
    let part = |name: &str| format!("live::stalls::{name}");
    let receiver = format!("{this} --exact {} --ignored", part("receives"));
    let child = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(["--strict", "--receiver", &receiver, "--", this])
        .args(["--exact", &part("sends"), "--ignored"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let number = child.id().to_string();
    let send = |signal| {
        let sent = Command::new("kill").args(["-s", signal, &number]).status();
        assert!(sent.unwrap().success());
    };
    thread::sleep(Duration::from_secs(2));
    for _ in 0..times {
        thread::sleep(Duration::from_secs(1));
        send("STOP");
        thread::sleep(stop);
        send("CONT");
    }
    let done = child.wait_with_output().unwrap();
    (text(&done.stderr), done.status.code())
}

/// Of the packets of nine seconds, fewer than one in a hundred is late.
#[test]
fn stalls_of_the_emulator_are_reported() {
    if !is_allowed() {
        return;
    }
    for (name, times, stop) in [("stalls-one", 1, 250), ("stalls-four", 4, 120)] {
        let (said, code) = stopped(name, times, Duration::from_millis(stop));
        assert!(said.contains("the emulator did nothing for"), "{said}");
        assert_eq!(code, Some(3), "{said}");
    }
}

/// Compares one run of reno.
fn comparison(name: &str, options: &[&str]) -> Command {
    let mut command = dumbbell();
    command
        .arg("compare")
        .arg(file(&folder(name), FAST))
        .args(["--controls", "reno", "--repeat", "1", "--for", "4s"])
        .arg("--strict")
        .args(options);
    command
}

/// Compares one run of reno, in whose first attempt the process is stopped for 300 ms.
fn compared(name: &str, options: &[&str]) -> Output {
    let child = comparison(name, options)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let number = child.id().to_string();
    let send = |signal| {
        let sent = Command::new("kill").args(["-s", signal, &number]).status();
        assert!(sent.unwrap().success());
    };
    thread::sleep(Duration::from_secs(2));
    send("STOP");
    thread::sleep(Duration::from_millis(300));
    send("CONT");
    child.wait_with_output().unwrap()
}

/// The one run is marked in the table and in the page's, and with --strict the comparison fails.
#[test]
fn a_doubtful_run_of_a_comparison_is_marked() {
    if !is_allowed() {
        return;
    }
    let done = compared("stalls-compare", &["--again", "0"]);
    let table = text(&done.stdout);
    assert!(table.contains("doubtful"), "{table}");
    assert!(table.contains("1 of 1"), "{table}");
    assert_eq!(done.status.code(), Some(3), "{}", text(&done.stderr));
}

/// The first attempt is doubted, and the run repeated until it is believed. On a machine that delays every attempt, it is
/// not; then a run that nobody stops is not believed, either.
#[test]
fn a_doubtful_run_of_a_comparison_is_repeated() {
    if !is_allowed() {
        return;
    }
    let done = compared("stalls-again", &["--json", "--again", "9"]);
    let found: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let run = &found["rows"][0]["runs"][0];
    let network = &run["network"];
    let repeated = run["repeated"].as_u64().unwrap();
    assert!((1..=9).contains(&repeated), "{repeated}: {network}");
    if !network["faults"].as_array().unwrap().is_empty() {
        assert_eq!((repeated, done.status.code()), (9, Some(3)), "{network}");
        let plain = comparison("stalls-plain", &["--again", "0"]).output();
        assert_eq!(plain.unwrap().status.code(), Some(3), "{network}");
        return;
    }
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
}
