//! Transfers under a control: over the loopback of a network namespace, and over an emulated path.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use dumbbell_lab::controls::Controls;
use dumbbell_lab::scenario::Scenario;
use dumbbell_live::emulator::{Emulator, Options};
use dumbbell_live::namespace::Namespace;
use dumbbell_live::system;
use dumbbell_live::transfer::{Measured, Transfer};
use nix::sys::socket::sockopt::{Linger, TcpCongestion};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, connect, setsockopt, socket,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// Sends so many bytes over loopback; the congestion windows that were seen, the first before the
/// first byte.
pub fn windows(control: &str, bytes: usize) -> Vec<u32> {
    let namespace = Namespace::new().expect("a network namespace");
    namespace
        .run(|| Ok(send(control, bytes)))
        .expect("it is entered")
}

fn send(control: &str, bytes: usize) -> Vec<u32> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its number");
    let receiver = thread::spawn(move || receive(&listener));
    let mut stream = dial(control, address);
    stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    let window = |stream: &TcpStream| system::tcp_info(stream).expect("TCP_INFO").cwnd;
    let mut seen = vec![window(&stream)];
    let data = vec![7; 1 << 16];
    let mut left = bytes;
    while left > 0 {
        let part = left.min(data.len());
        stream.write_all(&data[..part]).expect("sent");
        left -= part;
        seen.push(window(&stream));
    }
    stream.shutdown(Shutdown::Write).expect("the end");
    assert_eq!(receiver.join().expect("the receiver"), bytes);
    seen.push(window(&stream));
    // A socket that lingers would hold the control.
    let at_once = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    setsockopt(&stream, Linger, &at_once).expect("no lingering");
    seen
}

fn receive(listener: &TcpListener) -> usize {
    let (mut stream, _) = listener.accept().expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let (mut all, mut buffer) = (0, vec![0; 1 << 16]);
    loop {
        match stream.read(&mut buffer).expect("data") {
            0 => break all,
            n => all += n,
        }
    }
}

fn dial(control: &str, to: SocketAddr) -> TcpStream {
    let made = socket(
        AddressFamily::Inet,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    );
    let made: OwnedFd = made.expect("a socket");
    setsockopt(&made, TcpCongestion, &control.into()).expect("the control is chosen");
    connect(made.as_raw_fd(), &SockaddrStorage::from(to)).expect("connected");
    TcpStream::from(made)
}

/// Fills an emulated path for some seconds.
pub fn over(scenario: &str, control: &str, seconds: f64) -> Measured {
    let scenario = Scenario::parse("test", scenario, &Controls::builtin()).expect("a scenario");
    let options = Options {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let path = Emulator::start(&scenario, options).expect("a path");
    let transfer = Transfer {
        control: control.to_owned(),
        duration: Duration::from_secs_f64(seconds),
        interval: Duration::from_millis(10),
    };
    let measured = transfer.run(&path, &AtomicBool::new(false));
    path.stop().expect("its end");
    measured.expect("a transfer")
}
