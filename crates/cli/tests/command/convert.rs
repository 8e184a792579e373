//! `dumbbell convert`, on made-up files in the formats of others.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{dumbbell, folder, names, output, success};

/// A folder with a file in each format.
fn recordings(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("ours");
    let trace = |every: u32| {
        (1..=500)
            .map(|n| format!("{}\n", n * every))
            .collect::<String>()
    };
    write("cell.down", &trace(4));
    write("cell.up", &trace(20));
    let mut irtt = "timestamp,rtt,uplink,downlink\n".to_owned();
    let mut pings = String::new();
    let mut rates = "timestamp_start,timestamp_end,download,upload\n".to_owned();
    for n in 0..40 {
        let at = 1_705_744_800 + n;
        let rtt = 40 + n % 15;
        let _ = writeln!(irtt, "{at}000000000,{rtt},{},15", rtt - 15);
        // Every tenth packet is lost.
        if n % 10 != 9 {
            let _ = writeln!(
                pings,
                "[{at}.5] 64 bytes from 192.0.2.1: icmp_seq={n} ttl=63 time={rtt} ms"
            );
        }
        let (start, end) = (n, n + 1);
        let _ = writeln!(
            rates,
            "2023-10-13T10:00:{start:02},2023-10-13T10:00:{end:02},{rtt}000000,5000000"
        );
    }
    write("irtt.csv", &irtt);
    write("ping.txt", &pings);
    write("net_iperf.csv", &rates);
    write(
        "net_ping.csv",
        "timestamp_start,packet_loss,packets_send,ping_avg\n2023-10-13T10:01:00,0.5,1000,42.5\n",
    );
    folder
}

fn convert(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    output(
        dumbbell()
            .current_dir(folder)
            .arg("convert")
            .args(arguments),
    )
}

/// Runs a scenario, and returns its results.
fn run(folder: &Path, scenario: &str) -> Value {
    let mut command = dumbbell();
    let json = success(
        command
            .current_dir(folder)
            .args(["run", scenario, "--json"]),
    );
    serde_json::from_str(&json).expect("JSON")
}

fn goodput(results: &Value) -> f64 {
    results["flows"][0]["goodput_bps"]
        .as_f64()
        .expect("a number")
}

#[test]
fn every_format_becomes_a_scenario_that_runs() {
    let folder = recordings("convert-formats");
    let trace = folder.join("made.toml");
    let made = success(dumbbell().args(["new", "--kind", "dsl"]));
    fs::write(&trace, made.replace("60 s", "10 s")).expect("ours");
    let mut run_traced = dumbbell();
    run_traced.current_dir(&folder);
    success(run_traced.args(["run", "made.toml", "--json", "--trace", "made.pcap"]));
    for (arguments, least, most) in [
        // 1500 bytes every 4 ms are 3 Mb/s.
        (
            &["mahimahi", "cell.down", "--reverse", "cell.up"][..],
            2.5e6,
            3.0e6,
        ),
        (&["mahimahi", "cell.down", "--scale", "0.5"], 1.0e6, 1.5e6),
        (&["lens", "irtt.csv"], 10e6, 100e6),
        (&["lens", "irtt.csv", "--one-way"], 10e6, 100e6),
        (&["lens", "ping.txt", "--take", "min"], 0.1e6, 10e6),
        // 40 to 54 Mb/s.
        (&["wetlinks", "net_iperf.csv"], 35e6, 54e6),
        (
            &[
                "wetlinks",
                "net_iperf.csv",
                "--ping",
                "net_ping.csv",
                "--from",
                "1s",
            ],
            0.5e6,
            54e6,
        ),
        (&["pcap", "made.pcap"], 15e6, 30e6),
        (
            &["pcap", "made.pcap", "--source", "10.0.0.1", "--losses"],
            0.2e6,
            30e6,
        ),
    ] {
        let (code, out, err) = convert(
            &folder,
            &[arguments, &["-o", "my.toml", "--force"]].concat(),
        );
        assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}");
        assert!(out.ends_with("try:     dumbbell run my.toml\n"), "{out}");
        let results = run(&folder, "my.toml");
        let goodput = goodput(&results);
        assert!(
            (least..=most).contains(&goodput),
            "{arguments:?}: {goodput}"
        );
        // The same without files of its own.
        let (code, whole, err) = convert(&folder, arguments);
        assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}");
        fs::write(folder.join("whole.toml"), whole).expect("ours");
        assert_eq!(
            run(&folder, "whole.toml")["flows"],
            results["flows"],
            "{arguments:?}"
        );
    }
}

#[test]
fn the_manifest_names_what_was_read_and_written() {
    let folder = recordings("convert-manifest");
    let given = [
        "mahimahi",
        "cell.down",
        "--reverse",
        "cell.up",
        "--from",
        "100ms",
        "--to",
        "1s",
    ];
    let more = ["--licence", "CC0", "-o", "my.toml", "--json"];
    let (code, out, err) = convert(&folder, &[&given[..], &more].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    let told: Value = serde_json::from_str(&out).expect("JSON");
    // 1500 bytes in 4 ms; the first and the last of the part count.
    let rate = told["forward"]["mean_rate_bps"].as_u64().expect("a number");
    assert_eq!(rate, 226 * 12_000 * 10 / 9);
    assert_eq!(told["length_s"], 0.9);
    let files = [
        "my.forward.trace",
        "my.reverse.trace",
        "my.toml",
        "my.manifest.toml",
    ];
    assert_eq!(told["written"], serde_json::json!(files));
    let text = fs::read_to_string(folder.join("my.manifest.toml")).expect("written");
    let manifest: toml::Table = text.parse().expect("TOML");
    assert_eq!(manifest["licence"].as_str(), Some("CC0"));
    let options = manifest["options"].as_table().expect("a table");
    assert_eq!(options["from"].as_str(), Some("100 ms"));
    assert_eq!(options["to"].as_str(), Some("1 s"));
    let entries = |key: &str| {
        let all = manifest[key].as_array().expect("an array").iter();
        let entry = |it: &toml::Value| {
            let file = it["file"].as_str().expect("a name").to_owned();
            (
                file,
                it["bytes"].as_integer().expect("a size"),
                it["sha256"].as_str().expect("a hash").to_owned(),
            )
        };
        all.map(entry).collect::<Vec<_>>()
    };
    let all = [entries("source"), entries("output")].concat();
    let listed: Vec<&str> = all.iter().map(|(file, ..)| file.as_str()).collect();
    assert_eq!(
        listed,
        ["cell.down", "cell.up", files[0], files[1], files[2]]
    );
    for (file, bytes, hash) in all {
        let contents = fs::read(folder.join(&file)).expect("there");
        assert_eq!(contents.len() as i64, bytes, "{file}");
        // Another implementation; skipped where there is none.
        let summed = std::process::Command::new("sha256sum")
            .arg(folder.join(&file))
            .output();
        if let Ok(summed) = summed {
            let summed = String::from_utf8_lossy(&summed.stdout).into_owned();
            assert!(summed.starts_with(&hash), "{file}: {summed}");
        }
    }
}

#[test]
fn mistakes_name_the_file_and_the_line_and_nothing_is_written() {
    let folder = folder("convert-mistakes");
    let write = |name: &str, text: &[u8]| fs::write(folder.join(name), text).expect("ours");
    write("back", b"5\n9\n7\n");
    write("nan.csv", b"timestamp,rtt\n5,nan\n");
    write(
        "rates.csv",
        b"timestamp_start,timestamp_end,download,upload\nx,y,1,1\n",
    );
    write("text.pcap", b"this is no capture of packets");
    write("binary", &[0xff; 100]);
    write("empty", b"");
    let before = names(&folder);
    for (arguments, what) in [
        (&["mahimahi", "back"][..], "back:3: 7 comes after 9"),
        (&["mahimahi", "binary"], "binary:1: "),
        (
            &["mahimahi", "empty"],
            "empty: there is no delivery opportunity",
        ),
        (
            &["mahimahi", "missing"],
            "cannot read missing: No such file",
        ),
        (&["mahimahi", "."], "cannot read .: it is not a file"),
        (
            &["mahimahi", "back", "--scale", "0"],
            "from 0.000001 to 1000",
        ),
        (
            &["lens", "nan.csv"],
            "nan.csv:2: `nan` is not a number of milliseconds",
        ),
        (&["lens", "empty"], "empty: the file is empty"),
        (&["lens", "binary"], "binary:1: the columns are"),
        (&["lens", "nan.csv", "--step", "5"], "`5` has no unit"),
        (
            &["wetlinks", "rates.csv"],
            "rates.csv:2: `timestamp_start`: `x` is not a time",
        ),
        (&["wetlinks", "empty"], "empty:1: there is no column"),
        (
            &["pcap", "text.pcap"],
            "text.pcap: it is not a capture of packets",
        ),
        (&["pcap", "empty"], "empty: it is not a capture of packets"),
        (&["pcap", "empty", "--source", "here"], "invalid IP address"),
        (&["tcpdump", "empty"], "unrecognized subcommand"),
    ] {
        for out in [&[][..], &["-o", "my.toml"]] {
            let (code, printed, err) = convert(&folder, &[arguments, out].concat());
            assert_eq!((code, printed.as_str()), (2, ""), "{arguments:?}: {err}");
            assert!(
                err.starts_with("error: ") && err.contains(what),
                "{arguments:?}: {err}"
            );
            assert_eq!(names(&folder), before);
        }
    }
}

#[test]
fn files_are_replaced_only_with_force_and_sources_never() {
    let folder = recordings("convert-force");
    let before = names(&folder);
    fs::write(folder.join("my.manifest.toml"), "mine").expect("ours");
    let to = |out: &'static str, more: &[&'static str]| {
        convert(
            &folder,
            &[&["mahimahi", "cell.down", "-o", out], more].concat(),
        )
    };
    let (code, _, err) = to("my.toml", &[]);
    assert_eq!(code, 2);
    assert!(
        err.contains("my.manifest.toml already exists") && err.contains("--force"),
        "{err}"
    );
    assert_eq!(to("my.toml", &["--force"]).0, 0);
    assert_ne!(
        fs::read_to_string(folder.join("my.manifest.toml")).expect("there"),
        "mine"
    );
    let (code, _, err) = to("my.txt", &[]);
    assert_eq!(code, 2);
    assert!(err.contains("ends with .toml"), "{err}");
    let (code, _, err) = to("no/my.toml", &[]);
    assert_eq!(code, 2);
    assert!(err.contains("there is no folder"), "{err}");
    fs::copy(folder.join("cell.down"), folder.join("cell.toml")).expect("ours");
    let (code, _, err) = convert(
        &folder,
        &["mahimahi", "cell.toml", "-o", "./cell.toml", "--force"],
    );
    assert_eq!(code, 2);
    assert!(err.contains("is the file of the recording"), "{err}");
    let added = [
        "cell.toml",
        "my.forward.trace",
        "my.manifest.toml",
        "my.toml",
    ];
    let mut all: Vec<String> = added.map(str::to_owned).to_vec();
    all.extend(before);
    all.sort();
    assert_eq!(names(&folder), all);
}

#[test]
fn every_format_has_examples_in_its_help() {
    let help =
        |arguments: &[&str]| success(dumbbell().arg("convert").args(arguments).arg("--help"));
    assert!(help(&[]).contains("Examples:\n  dumbbell convert mahimahi"));
    for format in ["mahimahi", "lens", "wetlinks", "pcap"] {
        let text = help(&[format]);
        let example = format!("\n  dumbbell convert {format}");
        assert!(
            text.contains("Examples:\n") && text.contains(&example),
            "{text}"
        );
    }
    let shown = success(dumbbell().args(["convert", "help", "lens"]));
    assert_eq!(shown, help(&["lens"]));
}
