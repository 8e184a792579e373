//! A box in the middle leaves its interfaces as they were, however it ends.

use std::process::{Command, Stdio};
use std::thread;

use nix::sched::{CloneFlags, unshare};

use super::stalls::FAST;
use super::{is_allowed, text, wait_until};
use crate::{dumbbell, file, folder, output};

/// Runs `ip` in the calling thread's namespace.
fn ip(arguments: &str) -> String {
    let words = arguments.split_whitespace();
    let done = Command::new("ip").args(words).output().unwrap();
    assert!(
        done.status.success(),
        "ip {arguments}: {}",
        text(&done.stderr)
    );
    text(&done.stdout)
}

fn settings() -> String {
    ip("-d link show m0") + &ip("-d link show m1")
}

/// In a namespace of its own, which ends with the thread.
fn apart(work: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let inside = || {
            unshare(CloneFlags::CLONE_NEWNET).unwrap();
            ip("link add m0 type veth peer name h0");
            ip("link add m1 type veth peer name h1");
            for device in ["m0", "m1", "h0", "h1"] {
                ip(&format!("link set {device} up"));
            }
            work();
        };
        scope.spawn(inside).join().unwrap();
    });
}

#[test]
fn interfaces_are_as_before_however_it_ends() {
    if !is_allowed() {
        return;
    }
    let path = file(&folder("between-ends"), FAST);
    apart(|| {
        let before = settings();
        let start = |options: &[&str]| {
            let mut command = dumbbell();
            command
                .arg("emulate")
                .arg(&path)
                .args(["--between", "m0", "m1"])
                .args(options)
                .stderr(Stdio::piped());
            command
        };
        for (signal, code) in [("INT", Some(130)), ("TERM", Some(130)), ("KILL", None)] {
            let child = start(&[]).spawn().unwrap();
            wait_until("it is there", || settings().contains("promiscuity 1"));
            let sent = Command::new("kill")
                .args(["-s", signal, &child.id().to_string()])
                .status();
            assert!(sent.unwrap().success());
            let done = child.wait_with_output().unwrap();
            assert_eq!(done.status.code(), code, "{}", text(&done.stderr));
            assert!(text(&done.stderr).contains("m0 <-> m1 through"));
            wait_until("all is as before", || settings() == before);
        }
        let (code, _, said) = output(&mut start(&["--for", "300 ms"]));
        assert_eq!(code, 0, "{said}");
        let script = "ip -d link show m0 | grep -c 'promiscuity 1'; exit 5";
        let (code, out, _) = output(&mut start(&["--quiet", "--", "sh", "-c", script]));
        assert_eq!((code, out.as_str()), (5, "1\n"));
        assert_eq!(settings(), before);
        // An interface that goes away ends it.
        let child = start(&[]).spawn().unwrap();
        wait_until("it is there", || settings().contains("promiscuity 1"));
        ip("link del m0");
        let done = child.wait_with_output().unwrap();
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(3), "{said}");
        assert!(said.contains("cannot carry packets"), "{said}");
    });
}

#[test]
fn options_of_hosts_are_refused() {
    let path = file(&folder("between-options"), FAST);
    for options in [
        &["--between", "a0"][..],
        &["--between", "a0", "b0", "--receiver", "true"],
        &["--between", "a0", "b0", "--join", "a", "b"],
        &["--between", "a0", "b0", "--control", "reno"],
        &["--for", "1 s", "--", "true"],
    ] {
        let mut command = dumbbell();
        command.arg("emulate").arg(&path).args(options);
        let (code, _, said) = output(&mut command);
        assert_eq!(code, 2, "{options:?}: {said}");
    }
    let mut unknown = dumbbell();
    unknown.arg("emulate").arg(&path);
    let (code, _, said) = output(unknown.args(["--join", "no-such", "neither", "--", "true"]));
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("ip netns add no-such"), "{said}");
}
