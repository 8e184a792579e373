//! `dumbbell run --trace`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{ENDLESS, SAMPLE, dumbbell, file, folder, names, output, success};

/// Returns a command that runs the sample with JSON output, and writes traces to a folder.
fn run(folder: &Path, traces: &[&str], arguments: &[&str]) -> Command {
    let mut command = dumbbell();
    command.arg("run").arg(file(folder, SAMPLE)).arg("--json");
    for trace in traces {
        command.arg("--trace").arg(folder.join(trace));
    }
    command.args(arguments);
    command
}

/// Returns the only flow of the first run.
fn flow(lines: &str) -> Value {
    let first = lines.lines().next().expect("a run");
    let run: Value = serde_json::from_str(first).expect("JSON");
    run["flows"][0].clone()
}

/// Counts the lines of a CSV trace that have this event.
fn count(csv: &str, event: &str) -> usize {
    csv.lines()
        .filter(|line| line.split(',').nth(2) == Some(event))
        .count()
}

#[test]
fn a_run_can_be_traced_in_every_format() {
    let folder = folder("traces");
    let plain = flow(&success(&mut run(&folder, &[], &[])));
    let traces = ["a.csv", "b.pcap", "c.QLOG"];
    let traced = flow(&success(&mut run(&folder, &traces, &[])));
    assert_eq!(traced, plain);
    assert_eq!(names(&folder), ["a.csv", "b.pcap", "c.QLOG", "my.toml"]);
    let csv = fs::read_to_string(folder.join("a.csv")).expect("written");
    assert!(csv.starts_with("time_s,flow,event,"));
    assert_eq!(traced["retransmits"], count(&csv, "retransmit"));
    assert_eq!(
        traced["sent"],
        count(&csv, "send") + count(&csv, "retransmit")
    );
    let pcap = fs::read(folder.join("b.pcap")).expect("written");
    assert_eq!(pcap[..4], 0xa1b2_3c4d_u32.to_le_bytes());
    let qlog = fs::read(folder.join("c.QLOG")).expect("written");
    let qlog: Value = serde_json::from_slice(&qlog).expect("JSON");
    assert_eq!(qlog["traces"][0]["title"], "venodb");
    // It also works without --json, and replaces a file of an earlier run.
    fs::write(folder.join("a.csv"), "old").expect("ours");
    let path = folder.join("my.toml");
    let out = success(
        dumbbell()
            .arg("run")
            .arg(path)
            .arg("--trace")
            .arg(folder.join("a.csv")),
    );
    assert!(out.contains("window in segments over time"), "{out}");
    assert!(csv == fs::read_to_string(folder.join("a.csv")).expect("written"));
}

#[test]
fn the_first_of_several_runs_is_traced() {
    let folder = folder("trace-repeat");
    let _ = success(&mut run(&folder, &["one.csv"], &["--seed", "5"]));
    let _ = success(&mut run(
        &folder,
        &["many.csv"],
        &["--seed", "5", "--repeat", "6", "--jobs", "3"],
    ));
    let [one, many] =
        ["one.csv", "many.csv"].map(|name| fs::read(folder.join(name)).expect("written"));
    assert!(one == many);
    let _ = success(&mut run(&folder, &["other.csv"], &["--seed", "6"]));
    assert!(one != fs::read(folder.join("other.csv")).expect("written"));
}

#[test]
fn one_flow_can_be_traced() {
    let folder = folder("trace-flow");
    let text =
        SAMPLE.replace("count    = 1", "count = 3") + "[[flow]]\nsource = { cbr = \"100 kb/s\" }\n";
    let path = file(&folder, &text);
    let flows = |chosen: &[&str]| {
        let csv = folder.join("some.csv");
        let mut command = dumbbell();
        command.arg("run").arg(&path).arg("--json").arg("--trace");
        command.arg(&csv);
        for flow in chosen {
            command.args(["--trace-flow", flow]);
        }
        let _ = success(&mut command);
        let csv = fs::read_to_string(csv).expect("written");
        let mut names: Vec<_> = csv
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').nth(1).map(str::to_owned))
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let all = ["cbr", "venodb.1", "venodb.2", "venodb.3"];
    assert_eq!(flows(&[]), all);
    assert_eq!(flows(&["2"]), ["venodb.2"]);
    assert_eq!(flows(&["venodb"]), all[1..]);
    assert_eq!(flows(&["cbr", "venodb.3"]), ["cbr", "venodb.3"]);
}

#[test]
fn mistakes_are_reported_before_the_run() {
    let folder = folder("trace-mistakes");
    let refused = |traces: &[&str], arguments: &[&str], parts: &[&str]| {
        let (code, out, err) = output(&mut run(&folder, traces, arguments));
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.starts_with("error: "), "{err}");
        for part in parts {
            assert!(err.contains(part), "no {part:?} in {err}");
        }
        assert_eq!(names(&folder), ["my.toml"]);
    };
    for name in ["a.txt", "csv", "a.pcapng", "a.csv.gz"] {
        refused(&["b.csv", name], &[], &[name, ".csv", ".pcap", ".qlog"]);
    }
    refused(
        &["nowhere/a.csv"],
        &[],
        &["cannot write", "there is no folder"],
    );
    refused(&["a.csv", "a.csv"], &[], &["two outputs", "a.csv"]);
    refused(
        &["a.csv"],
        &["--trace-flow", "reno"],
        &["no flow `reno`", "`venodb`", "number 1"],
    );
    refused(&[], &["--trace-flow", "1"], &["--trace"]);
    let samples = folder.join("a.csv");
    let samples = samples.to_str().expect("UTF-8");
    refused(&["a.csv"], &["--samples", samples], &["a.csv"]);
    fs::create_dir(folder.join("a.qlog")).expect("ours");
    let (code, _, err) = output(&mut run(&folder, &["a.qlog"], &[]));
    assert!(code == 2 && err.contains("it is a folder"), "{err}");
    let large = SAMPLE.replace("1000 B", "65535 B") + "header = \"0 B\"\n";
    let path = file(&folder, &large);
    let (code, _, err) = output(
        dumbbell()
            .arg("run")
            .arg(path)
            .arg("--trace")
            .arg(folder.join("a.pcap")),
    );
    assert!(code == 2 && err.contains("65495 B"), "{err}");
    assert_eq!(names(&folder), ["a.qlog", "my.toml"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_half_written() {
    use std::time::{Duration, Instant};

    let folder = folder("trace-interrupt");
    let path = file(&folder, ENDLESS);
    fs::write(folder.join("a.csv"), "of an earlier run").expect("ours");
    let mut child = dumbbell()
        .arg("run")
        .arg(&path)
        .args(["--json", "--trace"])
        .arg(folder.join("a.csv"))
        .arg("--trace")
        .arg(folder.join("a.qlog"))
        .arg("--trace")
        .arg(folder.join("a.pcap"))
        .spawn()
        .expect("it starts");
    let unfinished = folder.join("a.pcap.unfinished");
    let begun = Instant::now();
    // The trace is written during the run.
    while !fs::metadata(&unfinished).is_ok_and(|it| it.len() > 1_000_000) {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill is there").success());
    let begun = Instant::now();
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(names(&folder), ["a.csv", "my.toml"]);
    let kept = fs::read_to_string(folder.join("a.csv"));
    assert_eq!(kept.expect("still there"), "of an earlier run");
}

/// Returns a command with a file size limit, in `blocks` of 512 or 1024 bytes.
#[cfg(target_os = "linux")]
fn limited(command: &Command, blocks: u32) -> Command {
    let mut shell = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    shell
        .args(["-c", &script, "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    shell
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let folder = folder("trace-full");
    for name in ["a.csv", "a.pcap", "a.qlog"] {
        let (code, _, err) = output(&mut limited(&run(&folder, &[name], &[]), 200));
        assert_eq!(code, 3, "{err}");
        assert!(err.contains("cannot write") && err.contains(name), "{err}");
        assert_eq!(names(&folder), ["my.toml"]);
    }
    let full: PathBuf = folder.join("full.csv");
    std::os::unix::fs::symlink("/dev/full", &full).expect("ours");
    let (code, _, err) = output(&mut run(&folder, &["full.csv"], &["--repeat", "100000"]));
    assert!(code == 3 && err.contains("full.csv"), "{code} {err}");
    assert_eq!(names(&folder), ["full.csv", "my.toml"]);
}

#[cfg(unix)]
#[test]
fn a_trace_may_go_to_a_pipe() {
    let folder = folder("trace-pipe");
    let pipe = folder.join("pipe.csv");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read(pipe).expect("readable"))
    };
    let _ = success(&mut run(&folder, &["pipe.csv", "file.csv"], &[]));
    let read = reader.join().expect("it reads to the end");
    assert!(read == fs::read(folder.join("file.csv")).expect("written"));
    assert_eq!(names(&folder), ["file.csv", "my.toml", "pipe.csv"]);
}
