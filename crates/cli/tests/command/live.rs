//! `emulate` and `compare` on the real machine, as root. Their traffic stays in separate namespaces.
#![cfg(target_os = "linux")]

mod between;
mod capture;
mod hosts;
mod killed;
mod orphans;
mod receiver;
mod running;
mod stalls;
mod together;

use std::fs;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{dumbbell, file, folder};

/// 2 Mb/s, 60 ms, 2 % loss.
const LOSSY: &str = r#"duration = "3 s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "0 ms" }
bottleneck = { rate = "2 Mb/s", delay = "30 ms", queue = { droptail = 60 }, loss = { bernoulli = 0.02 } }
[[flow]]
control  = "reno"
recovery = "sack"
payload  = "1460 B"
"#;

/// Returns whether this machine permits the test.
fn is_allowed() -> bool {
    // A separate folder for each test, because they run in parallel.
    let thread = format!("live-allowed-{:?}", thread::current().id());
    let path = file(&folder(&thread), LOSSY);
    let tried = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(["--", "true"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&tried.stderr);
    if tried.status.success() {
        return true;
    }
    skip(&said);
    false
}

/// Prints why a test is skipped. With DUMBBELL_REQUIRE_LIVE=1 it fails instead.
fn skip(why: &str) {
    let required = std::env::var_os("DUMBBELL_REQUIRE_LIVE").is_some_and(|value| value == "1");
    assert!(!required, "DUMBBELL_REQUIRE_LIVE=1, but {why}");
    println!("skipped: {why}");
}

fn run(name: &str, args: &[&str]) -> Output {
    let path = file(&folder(name), LOSSY);
    let (command, rest) = args.split_first().unwrap();
    dumbbell()
        .arg(command)
        .arg(path)
        .args(rest)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_keeps_its_output_and_its_exit_code() {
    if !is_allowed() {
        return;
    }
    let script = "echo $DUMBBELL_HERE $DUMBBELL_PEER; exit 7";
    let done = run("emulate-code", &["emulate", "--", "sh", "-c", script]);
    assert_eq!(done.status.code(), Some(7));
    assert_eq!(text(&done.stdout), "10.11.12.1 10.11.12.2\n");
    assert!(
        text(&done.stderr).contains("bottleneck"),
        "{}",
        text(&done.stderr)
    );
    let quiet = run("emulate-quiet", &["emulate", "--quiet", "--", "true"]);
    assert_eq!(text(&quiet.stderr), "");
}

/// In a user namespace, a process is root only over the namespaces that it creates.
#[test]
fn it_needs_no_privileges_outside_a_user_namespace() {
    if !is_allowed() {
        return;
    }
    let path = file(&folder("emulate-user"), LOSSY);
    let done = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            env!("CARGO_BIN_EXE_dumbbell"),
            "emulate",
        ])
        .arg(path)
        .args(["--", "echo", "there"])
        .output()
        .unwrap();
    let said = text(&done.stderr);
    if said.contains("unshare failed") {
        return skip(&format!("no user namespaces: {said}"));
    }
    assert!(done.status.success(), "{said}");
    assert_eq!(text(&done.stdout), "there\n");
}

#[test]
fn each_host_has_only_its_own_network() {
    if !is_allowed() {
        return;
    }
    let folder = folder("emulate-hosts");
    let path = file(&folder, LOSSY);
    let there = folder.join("there");
    let receiver = format!("cat /proc/net/dev > {}; sleep 60", there.display());
    let done = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(["--receiver", &receiver, "--", "cat", "/proc/net/dev"])
        .output()
        .unwrap();
    let interfaces = |text: &str| {
        let names = text.lines().filter_map(|line| line.split_once(':'));
        let mut names: Vec<String> = names.map(|(name, _)| name.trim().to_owned()).collect();
        names.sort();
        // A kernel may create tunnel devices in every namespace.
        names.retain(|name| name == "lo" || name.starts_with("dumb") || name.starts_with("eth"));
        names
    };
    assert_eq!(interfaces(&text(&done.stdout)), ["dumbbell0", "lo"]);
    assert_eq!(
        interfaces(&fs::read_to_string(there).unwrap()),
        ["dumbbell0", "lo"]
    );
}

/// Counts the processes of a command that sleeps for this number of seconds.
fn sleepers(seconds: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok());
    let wanted = format!("sleep\0{seconds}\0");
    lines.filter(|line| *line == wanted.as_bytes()).count()
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(10), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// After SIGKILL, SIGINT or SIGTERM, neither the command nor its children are left running.
#[test]
fn no_process_is_left_however_it_ends() {
    if !is_allowed() {
        return;
    }
    for (signal, seconds) in [("KILL", "91.25"), ("INT", "91.5"), ("TERM", "91.75")] {
        let path = file(&folder(&format!("emulate-{signal}")), LOSSY);
        // A grandchild that its parent does not wait for.
        let script = format!("(sleep {seconds} &) ; sleep {seconds}; true");
        let mut child = dumbbell()
            .arg("emulate")
            .arg(path)
            .args([
                "--receiver",
                &format!("sleep {seconds}"),
                "--",
                "sh",
                "-c",
                &script,
            ])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("three sleep", || sleepers(seconds) == 3);
        let number = child.id().to_string();
        let killed = Command::new("kill")
            .args(["-s", signal, &number])
            .status()
            .unwrap();
        assert!(killed.success());
        let status = child.wait().unwrap();
        assert!(!status.success());
        wait_until("none stays", || sleepers(seconds) == 0);
    }
}

/// Returns whether another process has started child processes.
fn has_children(process: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return false;
    };
    let children = threads
        .filter_map(Result::ok)
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    children.into_iter().any(|list| !list.trim().is_empty())
}

/// Kills the emulator while it starts the command, in steps of 40 us from the first child process on.
#[test]
fn no_process_is_left_if_it_is_killed_while_it_starts() {
    if !is_allowed() {
        return;
    }
    let path = file(&folder("emulate-early"), LOSSY);
    for step in 0..75 {
        let mut child = dumbbell()
            .arg("emulate")
            .arg(&path)
            .args(["--", "sleep", "92.25"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while !has_children(child.id()) {
            assert!(begun.elapsed() < Duration::from_secs(10));
        }
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(40 * step) {}
        child.kill().unwrap();
        child.wait().unwrap();
    }
    wait_until("none stays", || sleepers("92.25") == 0);
}

#[test]
fn the_report_has_the_counters_of_the_network() {
    if !is_allowed() {
        return;
    }
    let out = folder("emulate-report").join("out.json");
    let out = out.to_str().unwrap();
    let done = run(
        "emulate-report-run",
        &["emulate", "--report", out, "--", "sleep", "0.2"],
    );
    assert!(done.status.success(), "{}", text(&done.stderr));
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out).unwrap()).unwrap();
    assert!(report["elapsed_s"].as_f64().unwrap() > 0.2);
    assert_eq!(report["network"]["links"][0]["name"], "bottleneck");
    assert!(report["faults"].is_array());
}

/// An emulator that is stopped for a while reports it: of two seconds of packets, a sixth is late.
#[test]
fn a_machine_that_is_too_slow_is_reported() {
    if !is_allowed() {
        return;
    }
    let path = file(&folder("emulate-slow"), LOSSY);
    let script = "for i in $(seq 200); do echo > /dev/udp/$DUMBBELL_PEER/9; sleep 0.01; done 2>&-";
    let child = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(["--strict", "--", "bash", "-c", script])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let number = child.id().to_string();
    let send = |signal| {
        let sent = Command::new("kill").args(["-s", signal, &number]).status();
        assert!(sent.unwrap().success());
    };
    thread::sleep(Duration::from_millis(900));
    send("STOP");
    thread::sleep(Duration::from_millis(350));
    send("CONT");
    let done = child.wait_with_output().unwrap();
    let said = text(&done.stderr);
    assert!(said.contains("NOT TO BE BELIEVED"), "{said}");
    assert_eq!(done.status.code(), Some(3), "{said}");
}

#[test]
fn scenarios_that_cannot_be_emulated_are_refused() {
    let nobody = run(
        "emulate-nobody",
        &["emulate", "--flow", "nobody", "--", "true"],
    );
    assert_eq!(nobody.status.code(), Some(2));
    assert!(text(&nobody.stderr).contains("there is no flow nobody; the scenario has reno"));
    let small = run("emulate-small", &["emulate", "--mtu", "60", "--", "true"]);
    assert_eq!(small.status.code(), Some(2));
    let without = dumbbell()
        .arg("emulate")
        .arg(file(&folder("emulate-without"), LOSSY))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(without.status.code(), Some(2));
    assert!(text(&without.stderr).contains("no command"));
}

#[test]
fn a_missing_program_is_named() {
    if !is_allowed() {
        return;
    }
    let done = run("emulate-missing", &["emulate", "--", "no-such-program"]);
    assert_eq!(done.status.code(), Some(3));
    assert!(text(&done.stderr).contains("no-such-program"));
}

#[test]
fn controls_are_compared_and_the_report_is_complete() {
    if !is_allowed() {
        return;
    }
    let out = folder("compare-out");
    let arguments = [
        "--controls",
        "reno,cubic",
        "--repeat",
        "2",
        "--for",
        "2 s",
        "--out",
    ];
    let path = file(&folder("compare"), LOSSY);
    let done = dumbbell()
        .arg("compare")
        .arg(path)
        .args(arguments)
        .arg(&out)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
    let table = text(&done.stdout);
    // The heading "against reno %" has two lines.
    let heads: Vec<&str> = table.lines().skip(2).take(2).collect();
    assert!(
        heads[0].contains("against") && heads[1].contains("reno %"),
        "{table}"
    );
    // Warnings are sentences, and have no frame.
    let rows = table.lines().filter(|line| line.starts_with('│'));
    let widest = rows.map(|line| line.chars().count()).max();
    assert!(
        widest.is_some_and(|wide| wide <= 100),
        "{widest:?}\n{table}"
    );
    let runs = fs::read_to_string(out.join("runs.csv")).unwrap();
    let of = |control: &str, host: &str| {
        let start = format!("{control},{host},");
        let lines = runs.lines().filter(|line| line.starts_with(&start));
        let goodputs = lines.map(|line| line.split(',').nth(3).unwrap().parse().unwrap());
        goodputs.collect::<Vec<f64>>()
    };
    for control in ["reno", "cubic"] {
        for host in ["kernel", "simulator"] {
            let goodputs = of(control, host);
            assert_eq!(goodputs.len(), 2, "{control} {host}");
            assert!(
                goodputs.iter().all(|it| (0.1e6..2e6).contains(it)),
                "{goodputs:?}"
            );
        }
    }
    for name in [
        "compare.html",
        "compare.json",
        "goodput.svg",
        "window-reno.svg",
        "scenario.toml",
    ] {
        assert!(out.join(name).exists(), "{name}");
    }
    let page = fs::read_to_string(out.join("compare.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("{{"));
    // Up to which rate this machine is to be believed.
    assert!(page.contains("to be trusted with") && page.contains("stolen"));
}

/// Ctrl-C in the second of four runs: only the first run counts, compared with the simulator's run of the
/// same seed, and the report says that it is incomplete. Ctrl-C in the first run leaves nothing to
/// report.
#[test]
fn an_interrupted_comparison_is_reported_as_such() {
    if !is_allowed() {
        return;
    }
    let path = file(&folder("compare-interrupted"), LOSSY);
    let run = |name: &str, seconds: f64| {
        let out = folder(name);
        let child = dumbbell()
            .arg("compare")
            .arg(&path)
            .args(["--controls", "reno", "--repeat", "4", "--jobs", "1"])
            .args(["--again", "0", "--for", "2 s", "--out"])
            .arg(&out)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_secs_f64(seconds));
        let sent = Command::new("kill")
            .args(["-s", "INT", &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(130));
        (text(&done.stdout), out)
    };
    let (told, out) = run("compare-partly", 3.5);
    assert!(told.contains("INTERRUPTED: 1 of 4 runs"), "{told}");
    let page = fs::read_to_string(out.join("compare.html")).unwrap();
    assert!(page.contains("INTERRUPTED: 1 of 4 runs"));
    let json = fs::read_to_string(out.join("compare.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["planned"], 4);
    assert_eq!(json["rows"][0]["runs"].as_array().unwrap().len(), 1);
    assert_eq!(json["rows"][0]["predicted"].as_array().unwrap().len(), 1);
    let (told, out) = run("compare-at-once", 1.0);
    assert_eq!(told, "");
    assert_eq!(fs::read_dir(out).unwrap().count(), 0);
}

/// The real connection always has data to send, so it cannot represent a flow with a `size`.
#[test]
fn flows_with_a_size_are_not_compared() {
    let short = format!("{LOSSY}size = \"50 kB\"\n");
    let path = file(&folder("compare-size"), &short);
    let done = dumbbell().arg("compare").arg(path).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("no `size`"));
}

#[test]
fn unknown_controls_are_refused_before_any_run() {
    if !is_allowed() {
        return;
    }
    let done = run(
        "compare-unknown",
        &["compare", "--controls", "reno,nonsense"],
    );
    assert_eq!(done.status.code(), Some(2));
    let said = text(&done.stderr);
    assert!(
        said.contains("nonsense") && said.contains("cubic"),
        "{said}"
    );
    let zero = run("compare-zero", &["compare", "--for", "0 s"]);
    assert_eq!(zero.status.code(), Some(2));
}
