//! What the two hosts have: addresses, congestion controls, the flow that they replace.

use std::env;
use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};

use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::TcpCongestion;

use super::{LOSSY, is_allowed, run, text};
use crate::{dumbbell, file, folder, success};

const HERE: &str = "DUMBBELL_HERE";

/// Not a test: the program on the receiver's host, which waits for two connections.
#[test]
#[ignore = "run by connections_of_both_kinds_have_the_chosen_control"]
fn listens() {
    if env::var_os(HERE).is_none() {
        return;
    }
    let listener = TcpListener::bind(("::", 5005)).unwrap();
    for _ in 0..2 {
        let (stream, _) = listener.accept().unwrap();
        let control: OsString = getsockopt(&stream, TcpCongestion).unwrap();
        println!("accepted {}", name(&control));
    }
}

fn name(control: &OsString) -> String {
    let control = control.to_string_lossy();
    control.trim_end_matches('\0').to_owned()
}

/// Not a test: the program on the sender's host.
#[test]
#[ignore = "run by connections_of_both_kinds_have_the_chosen_control"]
fn connects() {
    if env::var_os(HERE).is_none() {
        return;
    }
    for peer in ["DUMBBELL_PEER", "DUMBBELL_PEER6"] {
        let peer: IpAddr = env::var(peer).unwrap().parse().unwrap();
        let stream = TcpStream::connect(SocketAddr::new(peer, 5005)).unwrap();
        let control: OsString = getsockopt(&stream, TcpCongestion).unwrap();
        println!("to {peer}: {}", name(&control));
    }
}

/// cubic may not be the default of a namespace unless the machine's administrator allows it.
#[test]
fn connections_of_both_kinds_have_the_chosen_control() {
    if !is_allowed() {
        return;
    }
    let this = env::current_exe().unwrap();
    let this = this.to_str().unwrap();
    let part = |name: &str| format!("live::hosts::{name}");
    let receiver = format!("{this} --exact {} --ignored --nocapture", part("listens"));
    for control in ["cubic", "reno"] {
        let path = file(&folder(&format!("hosts-{control}")), LOSSY);
        let said = success(
            dumbbell()
                .arg("emulate")
                .arg(path)
                .args(["--quiet", "--control", control, "--ready", "5005"])
                .args(["--receiver", &receiver, "--", this, "--exact"])
                .args([&part("connects"), "--ignored", "--nocapture"]),
        );
        for line in [
            format!("to 10.11.12.2: {control}"),
            format!("to fd10:11:12::2: {control}"),
            format!("accepted {control}"),
        ] {
            assert!(said.contains(&line), "{said}");
        }
    }
    let unknown = ["emulate", "--control", "nonsense", "--", "true"];
    let unknown = run("hosts-unknown", &unknown);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("nonsense"));
}

/// Packets of less than 1280 bytes are too small for IPv6, and nothing else is wrong with them. A variable with an
/// address that the host does not have would mislead a command.
#[test]
fn a_path_of_small_packets_has_no_ipv6() {
    if !is_allowed() {
        return;
    }
    let script =
        "grep -c ^fd10 /proc/net/if_inet6; echo ${DUMBBELL_HERE6-none} ${DUMBBELL_PEER6-none}";
    let told = |mtu: &str| {
        let done = run(
            &format!("hosts-mtu-{mtu}"),
            &["emulate", "--mtu", mtu, "--", "sh", "-c", script],
        );
        text(&done.stdout)
    };
    assert_eq!(told("1279"), "0\nnone none\n");
    assert_eq!(told("1280"), "1\nfd10:11:12::1 fd10:11:12::2\n");
}
