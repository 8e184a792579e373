//! Connections that a killed emulation leaves behind.

use std::env;
use std::fs::{self, File};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, setns};

use super::is_allowed;
use super::stalls::FAST;
use crate::{dumbbell, file, folder};

/// Returns the network namespaces of a process's descendants, apart from its own.
fn namespaces(process: u32) -> Vec<File> {
    let own = fs::read_link("/proc/self/ns/net").unwrap();
    let mut found: Vec<(_, File)> = Vec::new();
    let mut below = vec![process];
    while let Some(process) = below.pop() {
        let place = format!("/proc/{process}/ns/net");
        let known = fs::read_link(&place).ok().zip(File::open(&place).ok());
        if let Some((name, net)) = known
            && name != own
            && found.iter().all(|(other, _)| *other != name)
        {
            found.push((name, net));
        }
        let threads = fs::read_dir(format!("/proc/{process}/task"));
        for thread in threads.into_iter().flatten().filter_map(Result::ok) {
            let children = fs::read_to_string(thread.path().join("children"));
            let children = children.unwrap_or_default();
            below.extend(
                children
                    .split_whitespace()
                    .filter_map(|it| it.parse::<u32>().ok()),
            );
        }
    }
    found.into_iter().map(|(_, net)| net).collect()
}

/// Returns the number of TCP sockets in a network namespace.
fn sockets(net: &File) -> usize {
    let count = || {
        setns(net, CloneFlags::CLONE_NEWNET).unwrap();
        let table = fs::read_to_string("/proc/thread-self/net/tcp").unwrap();
        table.lines().count() - 1
    };
    thread::scope(|scope| scope.spawn(count).join().unwrap())
}

/// The sockets of killed programs try to send what their buffers hold, to an interface that is gone.
#[test]
fn a_killed_emulation_leaves_no_connection_for_minutes() {
    if !is_allowed() {
        return;
    }
    let path = file(&folder("orphans"), FAST);
    let this = env::current_exe().unwrap();
    let this = this.to_str().unwrap();
    let part = |name: &str| format!("live::stalls::{name}");
    let receiver = format!("{this} --exact {} --ignored", part("receives"));
    let mut child = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(["--receiver", &receiver, "--", this])
        .args(["--exact", &part("sends"), "--ignored"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_secs(3));
    let hosts = namespaces(child.id());
    assert_eq!(hosts.len(), 2);
    assert!(hosts.iter().all(|host| sockets(host) > 0));
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = Instant::now();
    while hosts.iter().any(|host| sockets(host) > 0) {
        assert!(killed.elapsed() < Duration::from_secs(40), "they stay");
        thread::sleep(Duration::from_millis(100));
    }
    println!("the last is gone after {:?}", killed.elapsed());
}
