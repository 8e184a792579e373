//! The receiver's command: the other command waits for it, and its failure is one.

use std::env;
use std::fs;

use super::{LOSSY, is_allowed, run, text};
use crate::{dumbbell, file, folder};

#[test]
fn a_receiver_that_fails_by_itself_is_a_failure() {
    if !is_allowed() {
        return;
    }
    let failing = ["emulate", "--receiver", "exit 7", "--", "sleep", "0.1"];
    let done = run("receiver-fails", &failing);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(3), "{said}");
    assert!(said.contains("`exit 7`, ended with code 7"), "{said}");
    // One that is ended after the command has not failed, and the command's own code comes first.
    let ended = ["emulate", "--receiver", "sleep 60", "--", "true"];
    assert_eq!(run("receiver-ended", &ended).status.code(), Some(0));
    let both = [
        "emulate",
        "--receiver",
        "exit 7",
        "--",
        "sh",
        "-c",
        "exit 5",
    ];
    assert_eq!(run("receiver-both", &both).status.code(), Some(5));
}

/// The receiver listens after two seconds. Neither the command nor the simulated flow begins before.
#[test]
fn the_command_and_the_simulated_flows_begin_when_the_receiver_listens() {
    if !is_allowed() {
        return;
    }
    let load = "[[flow]]\nname = \"load\"\nsource = { cbr = \"1 Mb/s\" }\npacket = \"1000 B\"\nstart = \"0 s\"\n";
    let folder = folder("receiver-ready");
    let path = file(&folder, &format!("{LOSSY}{load}"));
    let report = folder.join("report.json");
    let this = env::current_exe().unwrap();
    let listens = "live::stalls::receives";
    let receiver = format!(
        "sleep 2; exec {} --exact {listens} --ignored",
        this.display()
    );
    let done = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(["--ready", "5003", "--receiver", &receiver, "--report"])
        .arg(&report)
        .args(["--", "bash", "-c", "echo > /dev/tcp/$DUMBBELL_PEER/5003"])
        .output()
        .unwrap();
    let said = text(&done.stderr);
    assert!(done.status.success(), "{said}");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
    let elapsed = report["elapsed_s"].as_f64().unwrap();
    assert!(elapsed < 1.9, "{elapsed}");
    let early = [
        "emulate",
        "--ready",
        "5003",
        "--receiver",
        "true",
        "--",
        "true",
    ];
    let early = run("receiver-early", &early);
    assert_eq!(early.status.code(), Some(3));
    assert!(text(&early.stderr).contains("ended before it listened at port 5003"));
    let ready = ["emulate", "--ready", "5003", "--", "true"];
    assert_eq!(run("receiver-none", &ready).status.code(), Some(2));
}
