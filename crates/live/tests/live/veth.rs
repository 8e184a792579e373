//! Two hosts and a box between them, connected by veth pairs, as by two real links.

use std::process::Command;

use dumbbell_live::Error;
use dumbbell_live::namespace::Namespace;

use std::os::fd::{AsFd as _, AsRawFd as _};

/// A sender, whose link ends at `m0` of the box, and a receiver, whose link ends at its `m1`.
pub struct Links {
    pub sender: Namespace,
    pub middle: Namespace,
    pub receiver: Namespace,
}

pub const SENDER: &str = "10.9.0.1";
pub const RECEIVER: &str = "10.9.0.2";
pub const RECEIVER6: &str = "fd09::2";

impl Links {
    pub fn new() -> Self {
        let new = || Namespace::new().expect("a namespace");
        let links = Self {
            sender: new(),
            middle: new(),
            receiver: new(),
        };
        links.connect("m0", &links.sender, [SENDER, "fd09::1"]);
        links.connect("m1", &links.receiver, [RECEIVER, RECEIVER6]);
        links
    }

    fn connect(&self, end: &str, host: &Namespace, [four, six]: [&str; 2]) {
        let (us, net) = (std::process::id(), host.as_fd().as_raw_fd());
        inside(
            &self.middle,
            &[
                &format!("ip link add {end} type veth peer name h0 netns /proc/{us}/fd/{net}"),
                &format!("ip link set {end} up"),
            ],
        );
        inside(
            host,
            &[
                &format!("ip addr add {four}/24 dev h0"),
                &format!("ip addr add {six}/64 dev h0 nodad"),
                "ip link set h0 up",
            ],
        );
    }
}

/// Runs commands on a host, and returns their output.
pub fn inside(host: &Namespace, commands: &[&str]) -> String {
    let run = || {
        let outputs = commands.iter().map(|command| {
            let mut words = command.split_whitespace();
            let output = Command::new(words.next().expect("a program"))
                .args(words)
                .output()
                .unwrap_or_else(|reason| panic!("{command}: {reason}"));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command}: {said}");
            String::from_utf8_lossy(&output.stdout).into_owned()
        });
        Ok::<String, Error>(outputs.collect())
    };
    host.run(run).expect("it is entered")
}
