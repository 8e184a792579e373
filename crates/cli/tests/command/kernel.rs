//! `dumbbell kernel`. The names of loaded controls are unique to this process, and pins are in separate file
//! systems.
#![cfg(target_os = "linux")]

#[cfg(feature = "kernel")]
#[path = "../../../live/tests/kernel_log/mod.rs"]
mod kernel_log;
#[cfg(feature = "kernel")]
mod loaded;
#[cfg(feature = "kernel")]
mod rovegas;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::Value;

use crate::{dumbbell, folder, output, success};

#[test]
fn every_subcommand_has_examples() {
    for part in ["load", "unload", "list", "trace", "doctor"] {
        let help = success(dumbbell().args(["kernel", part, "--help"]));
        let examples = format!("Examples:\n  dumbbell kernel {part}");
        assert!(help.contains(&examples), "{help}");
    }
}

#[test]
fn the_doctor_gives_a_remedy_for_everything_that_is_missing() {
    let (code, out, err) = output(dumbbell().args(["kernel", "doctor", "--json"]));
    assert_eq!(err, "");
    let checks: Value = serde_json::from_str(&out).expect("JSON");
    let checks = checks.as_array().expect("an array");
    let mut lacking = false;
    for check in checks {
        let ok = check["state"] == "ok";
        assert_eq!(check.get("remedy").is_none(), ok, "{check}");
        lacking |= check["state"] == "missing" && check["needed"] == true;
    }
    assert_eq!(code, i32::from(lacking), "{out}");
    let program = checks.iter().find(|check| check["name"] == "this program");
    let built = program.expect("it looks at itself")["state"] == "ok";
    assert_eq!(built, cfg!(feature = "kernel"));
    let (again, text, _) = output(dumbbell().args(["kernel", "doctor"]));
    assert_eq!(again, code);
    assert!(
        text.contains("TUN devices: ") && !text.contains('\x1b'),
        "{text}"
    );
}

/// Whether a busy machine is good enough is open; what was measured is not.
#[test]
fn the_doctor_measures_the_timing_if_asked() {
    let (_, out, err) = output(dumbbell().args(["kernel", "doctor", "--timing", "--json"]));
    assert_eq!(err, "");
    let checks: Value = serde_json::from_str(&out).expect("JSON");
    let checks = checks.as_array().expect("an array");
    let (last, others) = checks.split_last().expect("checks");
    assert!(others.iter().all(|check| check.get("timing").is_none()));
    assert_eq!(last["name"], "timing");
    let (timing, wakes) = (&last["timing"], &last["timing"]["wakes"]);
    let count = wakes["count"].as_u64().expect("a number");
    assert!((1..=3000).contains(&count), "{count}");
    let late = ["median_s", "p99_s", "p999_s", "most_s"].map(|it| wakes[it].as_f64());
    assert!(late[0] > Some(0.0) && late.is_sorted(), "{wakes}");
    let rates = timing["rates"].as_array().expect("an array");
    assert_ne!(
        rates.is_empty(),
        timing.get("untried").is_none(),
        "{timing}"
    );
    for rate in rates {
        // Headers and the opening of the connection take the rest.
        let part = rate["goodput_bps"].as_f64() < rate["rate_bps"].as_f64();
        assert!(part && rate["goodput_bps"].as_f64() > Some(0.0), "{rate}");
    }
}

/// A connection on loopback with both ends in this process.
struct Pair {
    client: TcpStream,
    server: TcpStream,
}

impl Pair {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let place = listener.local_addr().expect("bound");
        let client = TcpStream::connect(place).expect("it listens");
        let (server, _) = listener.accept().expect("it came");
        Self { client, server }
    }

    /// Sends this number of bytes.
    fn send(&mut self, bytes: usize) {
        let mut client = &self.client;
        thread::scope(|scope| {
            scope.spawn(move || client.write_all(&vec![7; bytes]).expect("it goes"));
            let mut received = vec![0; bytes];
            self.server.read_exact(&mut received).expect("it comes");
        });
    }
}

#[test]
fn the_windows_of_a_connection_are_traced() {
    let mut pair = Pair::new();
    let from = pair.client.local_addr().expect("connected").to_string();
    let csv = folder("kernel-trace").join("windows.csv");
    let trace = [
        "kernel", "trace", "--for", "600ms", "--every", "200ms", "--json",
    ];
    let text = thread::scope(|scope| {
        let traced = scope.spawn(|| success(dumbbell().args(trace).arg("--csv").arg(&csv)));
        for _ in 0..20 {
            pair.send(100_000);
            thread::sleep(std::time::Duration::from_millis(25));
        }
        traced.join().expect("it ends")
    });
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .filter(|row: &Value| row["local"] == from.as_str())
        .collect();
    // Samples at 0, 200, 400 and 600 ms.
    assert_eq!(rows.len(), 4, "{text}");
    let times: Vec<_> = rows
        .iter()
        .map(|row| row["time_s"].as_f64().expect("a number"))
        .collect();
    assert!(times.is_sorted() && times[3] > 0.55, "{times:?}");
    // Linux begins with ten segments, and nothing is lost here.
    assert!(
        rows.iter().all(|row| row["cwnd"].as_u64() >= Some(10)),
        "{text}"
    );
    assert!(
        rows.iter()
            .any(|row| row["goodput_bps"].as_f64() > Some(1e6)),
        "{text}"
    );
    let table = std::fs::read_to_string(csv).expect("it was written");
    assert!(
        table.starts_with("time_s,local,remote,control,cwnd,ssthresh,"),
        "{table}"
    );
    let same = table
        .lines()
        .filter(|line| line.split(',').nth(1) == Some(&from));
    assert_eq!(same.count(), 4, "{table}");
}

#[test]
fn a_trace_of_one_control_shows_no_other() {
    let pair = Pair::new();
    let from = pair.client.local_addr().expect("connected").to_string();
    let usual = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control");
    let usual = usual.expect("Linux has it");
    let trace =
        |control: &str| success(dumbbell().args(["kernel", "trace", control, "--for", "1ms"]));
    assert!(trace(usual.trim()).contains(&format!("{from} -> ")));
    // Every kernel has Reno.
    let other = if usual.trim() == "reno" {
        "cubic"
    } else {
        "reno"
    };
    assert!(!trace(other).contains(&from));
}

#[test]
fn mistakes_are_reported() {
    let (code, out, err) = output(dumbbell().args(["kernel", "trace", "no_such_control"]));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.contains("there are reno") || err.contains(" reno"),
        "{err}"
    );
    for short in ["0ms", "1us", "0.9ms"] {
        let limited = ["kernel", "trace", "--every", short, "--for", "10ms"];
        let (code, _, err) = output(dumbbell().args(limited));
        assert_eq!(code, 2, "{short}: {err}");
        assert!(err.contains("at least 1 ms"), "{err}");
    }
}

/// A sample of this many connections takes longer than the interval, so most multiples of it pass.
#[test]
fn a_trace_ends_in_time_although_samples_take_longer_than_the_interval() {
    let _pairs: Vec<Pair> = (0..150).map(|_| Pair::new()).collect();
    let begun = std::time::Instant::now();
    success(dumbbell().args(["kernel", "trace", "--for", "1s", "--every", "1ms"]));
    let took = begun.elapsed();
    assert!(took < std::time::Duration::from_secs(4), "{took:?}");
}

#[cfg(not(feature = "kernel"))]
#[test]
fn without_the_feature_the_error_says_how_to_build_it() {
    for part in [&["load", "veno"][..], &["unload", "veno"], &["list"]] {
        let (code, out, err) = output(dumbbell().arg("kernel").args(part));
        assert_eq!((code, out.as_str()), (3, ""), "{part:?}");
        assert!(
            err.contains("cargo build --release --features kernel"),
            "{err}"
        );
        assert!(err.contains("apt-get install clang"), "{err}");
    }
}
