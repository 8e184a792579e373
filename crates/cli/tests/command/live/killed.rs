//! Commands that are killed at any moment leave nothing behind.

use std::env;
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::is_allowed;
use super::stalls::FAST;
use crate::{dumbbell, file, folder};

/// A variable in the environment of a command, and so of everything that it starts.
const MARK: &str = "DUMBBELL_TEST_KILLED";
const PATIENCE: Duration = Duration::from_secs(20);
/// A command is killed within this time after it was started.
const LONGEST_MS: u64 = 2500;

/// The number of times that each command is killed: a few, or DUMBBELL_KILLS.
fn times() -> u64 {
    let given = env::var("DUMBBELL_KILLS");
    given.map_or(3, |it| it.parse().expect("a number"))
}

/// Returns the processes with this mark.
fn processes(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}");
    let has = |process: &u32| {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|one| one == wanted.as_bytes())
    };
    let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(has).collect()
}

/// Returns what there still is of a command that had this number.
fn remains(process: u32, mark: &str) -> Vec<String> {
    let lines = |place: &str| fs::read_to_string(place).unwrap_or_default();
    let mut found: Vec<String> = processes(mark)
        .iter()
        .map(|left| format!("process {left}"))
        .collect();
    let socket = format!("@dumbbell-emulate-{process}");
    let sockets = lines("/proc/net/unix");
    found.extend(
        sockets
            .lines()
            .filter(|it| it.ends_with(&socket))
            .map(str::to_owned),
    );
    let control = format!("dbc{process}_");
    let controls = lines("/proc/sys/net/ipv4/tcp_available_congestion_control");
    let controls = controls.split_whitespace();
    found.extend(
        controls
            .filter(|it| it.starts_with(&control))
            .map(str::to_owned),
    );
    found
}

/// Starts the command again and again, and kills it at moments that are spread over its first seconds.
fn kill_at_any_moment(name: &str, args: &[&str]) {
    if !is_allowed() {
        return;
    }
    let path = file(&folder(&format!("killed-{name}")), FAST);
    let (command, rest) = args.split_first().unwrap();
    let times = times();
    for time in 0..times {
        let mark = format!("{}-{name}-{time}", std::process::id());
        let mut child = dumbbell()
            .arg(command)
            .arg(&path)
            .args(rest)
            .env(MARK, &mark)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let process = child.id();
        // The middle of each part of the time, the longest first.
        let moment = LONGEST_MS * (2 * (times - time) - 1) / (2 * times);
        thread::sleep(Duration::from_millis(moment));
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        child.kill().unwrap();
        child.wait().unwrap();
        let killed = Instant::now();
        loop {
            let left = remains(process, &mark);
            if left.is_empty() {
                break;
            }
            let late = killed.elapsed() > PATIENCE;
            assert!(!late, "killed after {moment} ms: {left:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn an_emulation_that_is_killed_at_any_moment_leaves_nothing() {
    let receiver = ["--receiver", "sleep 100 & sleep 100"];
    let command = ["--", "sh", "-c", "setsid sleep 100 & sleep 100"];
    kill_at_any_moment("emulate", &[&["emulate"], &receiver[..], &command].concat());
}

#[test]
fn a_comparison_that_is_killed_at_any_moment_leaves_nothing() {
    // In a build without controls for the kernel, Linux's own.
    let controls = match cfg!(feature = "kernel") {
        true => "veno,vegas,cubic",
        false => "reno,cubic",
    };
    let seconds = ["--repeat", "2", "--for", "2 s", "--controls", controls];
    kill_at_any_moment("compare", &[&["compare"], &seconds[..]].concat());
}
