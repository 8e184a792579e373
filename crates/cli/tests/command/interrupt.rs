//! Closed pipes, and Ctrl-C.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{ENDLESS, SAMPLE, dumbbell, file, folder};

fn spawn(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Waits for the end of the process, for a limited time.
fn end(mut child: Child) -> (Option<i32>, String) {
    let begun = Instant::now();
    while child.try_wait().expect("it is ours").is_none() {
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().expect("it is ours");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let code = child.wait().expect("it has ended").code();
    let mut text = String::new();
    let mut stderr = child.stderr.take().expect("piped");
    stderr.read_to_string(&mut text).expect("UTF-8");
    (code, text)
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let done = Command::new("kill").args(["-INT", &id]).status();
    assert!(done.expect("kill is there").success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_long_run_at_once() {
    let folder = folder("long");
    let path = file(&folder, ENDLESS);
    for json in [false, true] {
        let child = spawn(
            dumbbell()
                .arg("run")
                .arg(&path)
                .args(json.then_some("--json")),
        );
        std::thread::sleep(Duration::from_millis(700));
        interrupt(&child);
        let begun = Instant::now();
        assert_eq!(end(child), (Some(130), "interrupted\n".to_owned()));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_finished_runs() {
    let folder = folder("many");
    let path = file(&folder, SAMPLE);
    let mut child = spawn(
        dumbbell()
            .arg("run")
            .arg(&path)
            .args(["--json", "--repeat", "1000000"]),
    );
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    for seed in 1..=3 {
        let line = lines.next().expect("a line").expect("UTF-8");
        let run: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(run["seed"], seed);
    }
    interrupt(&child);
    for line in lines {
        let line = line.expect("UTF-8");
        let _: serde_json::Value = serde_json::from_str(&line).expect("whole lines only");
    }
    assert_eq!(end(child), (Some(130), "interrupted\n".to_owned()));
}

#[test]
fn a_reader_may_close_the_pipe() {
    let folder = folder("head");
    let path = file(&folder, SAMPLE);
    let mut child = spawn(
        dumbbell()
            .arg("run")
            .arg(&path)
            .args(["--json", "--repeat", "1000000"]),
    );
    let mut reader = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("UTF-8");
    assert!(line.starts_with('{') && line.ends_with("}\n"));
    drop(reader);
    assert_eq!(end(child), (Some(0), String::new()));
}

#[test]
fn standard_error_may_be_closed() {
    let folder = folder("deaf");
    let mut child = spawn(dumbbell().arg("run").arg(file(&folder, SAMPLE)));
    drop(child.stdout.take());
    assert_eq!(end(child), (Some(0), String::new()));
    let mut child = spawn(dumbbell().arg("run").arg(folder.join("missing.toml")));
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("it is ours").code(), Some(2));
}
