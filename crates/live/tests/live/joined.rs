//! A network between two namespaces that exist.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};

use dumbbell_live::Error;
use dumbbell_live::device::Device;
use dumbbell_live::emulator::{Emulator, INTERFACE, Options, Place};
use dumbbell_live::namespace::Namespace;
use dumbbell_run::End;

use crate::hosts;

const PATH: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "0 ms" }
bottleneck = { rate = "10 Mb/s", delay = "5 ms", queue = { droptail = 60 } }
[[flow]]
control = "reno"
payload = "1460 B"
"#;

fn join(hosts: [&Namespace; 2]) -> Result<Emulator, Error> {
    let hosts = Place::Join([hosts[0].try_clone()?, hosts[1].try_clone()?]);
    let options = Options {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let mut path = Emulator::at(hosts, &hosts::scenario(PATH), options)?;
    path.begin()?;
    Ok(path)
}

/// Opens a connection from one host to an address of the other.
fn connect(from: &Namespace, to: &Namespace, address: Ipv4Addr) -> (TcpStream, TcpStream) {
    let failed = |reason| Error::system("connect", reason);
    let bind = || TcpListener::bind((address, 7200)).map_err(failed);
    let listener = to.run(bind).unwrap();
    let stream = from.run(|| TcpStream::connect((address, 7200)).map_err(failed));
    let (accepted, _) = listener.accept().unwrap();
    (stream.unwrap(), accepted)
}

/// Afterwards the hosts have what they had before, and their other connections live.
#[test]
fn hosts_that_exist_get_a_network_and_lose_only_that() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let [left, right] = [(); 2].map(|()| Namespace::new().unwrap());
    let (mut own, mut other) = connect(&left, &left, Ipv4Addr::LOCALHOST);
    let path = join([&left, &right]).unwrap();
    assert!(
        join([&left, &right])
            .unwrap_err()
            .to_string()
            .contains("already")
    );
    let (mut stream, mut accepted) = connect(&left, &right, Emulator::address(End::Receiver));
    stream.write_all(b"across").unwrap();
    let mut got = [0; 6];
    accepted.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"across");
    let report = path.stop().unwrap();
    assert!(report.from_sender >= 3 && report.base_rtt_s.unwrap() > 0.010);
    for host in [&left, &right] {
        assert!(host.run(|| Device::named(INTERFACE)).is_err());
    }
    own.write_all(b"within").unwrap();
    other.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"within");
    // Those over the network have ended with it.
    assert!(stream.read(&mut got).is_err());
}

#[test]
fn a_process_stands_for_its_namespace() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let mut sleeper = Command::new("unshare")
        .args(["--net", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It has its namespace when it answers.
    sleeper.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    sleeper
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut [0])
        .unwrap();
    let found = Namespace::existing(&sleeper.id().to_string()).unwrap();
    let here = Namespace::current().unwrap();
    let own = Namespace::existing(&std::process::id().to_string()).unwrap();
    assert!(own.is(&here).unwrap());
    assert!(!found.is(&here).unwrap());
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    let said = join([&found, &found]).unwrap_err().to_string();
    assert!(said.contains("the same"), "{said}");
    for (name, what) in [
        ("no-such-netns", "ip netns list"),
        ("../net", "ip netns list"),
        ("4194304", "there is no process 4194304"),
    ] {
        let said = Namespace::existing(name).unwrap_err().to_string();
        assert!(said.contains(what), "{said}");
    }
}
