//! Three hosts in network namespaces: a sender, a router with one queue per direction, a receiver.
//!
//! ```text
//! sender s0 --- r0 router r1 --- d0 receiver
//!                 |     ^
//!                 f0 -> f1      data, through f0's queue
//!                 |     ^
//!                 b1 <- b0      ACKs, through b0's queue
//! ```

use std::os::fd::{AsFd as _, AsRawFd as _};
use std::process::Command;

use dumbbell_live::error::Error;
use dumbbell_live::namespace::{self, Namespace};

pub const SENDER: &str = "10.1.0.1";
pub const RECEIVER: &str = "10.2.0.1";

/// The hosts.
pub struct Network {
    pub sender: Namespace,
    pub router: Namespace,
    pub receiver: Namespace,
}

/// Queues of the two directions, as arguments of `tc qdisc`.
pub struct Queues<'a> {
    pub data: &'a str,
    pub acks: &'a str,
}

impl Network {
    pub fn new(queues: &Queues<'_>) -> Result<Self, Error> {
        let network = Self {
            sender: Namespace::new()?,
            router: Namespace::new()?,
            receiver: Namespace::new()?,
        };
        network.connect("r0", &network.sender, "s0")?;
        network.connect("r1", &network.receiver, "d0")?;
        network.sender.run(|| {
            ip("addr add 10.1.0.1/24 dev s0")?;
            ip("link set s0 up")?;
            ip("route add default via 10.1.0.2")
        })?;
        network.receiver.run(|| {
            ip("addr add 10.2.0.1/24 dev d0")?;
            ip("link set d0 up")?;
            ip("route add default via 10.2.0.2")
        })?;
        network.router.run(|| route(queues))?;
        Ok(network)
    }

    /// Connects the router to a host with a veth.
    fn connect(&self, here: &str, host: &Namespace, there: &str) -> Result<(), Error> {
        let host = host.as_fd().as_raw_fd();
        let us = std::process::id();
        self.router.run(|| {
            ip(&format!(
                "link add {here} type veth peer name {there} netns /proc/{us}/fd/{host}"
            ))
        })
    }
}

fn route(queues: &Queues<'_>) -> Result<(), Error> {
    ip("addr add 10.1.0.2/24 dev r0")?;
    ip("addr add 10.2.0.2/24 dev r1")?;
    ip("link set r0 up")?;
    ip("link set r1 up")?;
    pair("f", 3, "10.2.0.0/24", "r1", queues.data)?;
    pair("b", 4, "10.1.0.0/24", "r0", queues.acks)?;
    namespace::set("ipv4/ip_forward", "1")
}

/// Creates a veth whose first end has a queue; packets that leave the second end go on to the real
/// device.
fn pair(name: &str, number: u8, to: &str, device: &str, queue: &str) -> Result<(), Error> {
    let (first, second) = (format!("{name}0"), format!("{name}1"));
    let hardware = format!("02:00:00:00:{number:02x}:01");
    ip(&format!(
        "link add {first} type veth peer name {second} address {hardware}"
    ))?;
    ip(&format!("addr add 10.{number}.0.1/24 dev {first}"))?;
    ip(&format!("link set {first} up"))?;
    ip(&format!("link set {second} up"))?;
    ip(&format!(
        "neigh add 10.{number}.0.2 lladdr {hardware} dev {first} nud permanent"
    ))?;
    // Packets from outside go through the queue; packets that come out of it do not enter it again.
    let from = if device == "r1" { "r0" } else { "r1" };
    ip(&format!("rule add iif {from} lookup 10{number}"))?;
    ip(&format!(
        "route add {to} via 10.{number}.0.2 dev {first} table 10{number}"
    ))?;
    run("tc", &format!("qdisc add dev {first} root {queue}"))
}

pub fn ip(arguments: &str) -> Result<(), Error> {
    run("ip", arguments)
}

pub fn run(program: &str, arguments: &str) -> Result<(), Error> {
    let output = Command::new(program)
        .args(arguments.split_whitespace())
        .output()
        .map_err(|reason| Error::system(format!("run {program}"), reason))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::Refused(format!(
            "{program} {arguments}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}
