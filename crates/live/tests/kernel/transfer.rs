//! Transfers under a control: over the loopback of a network namespace, and over an emulated path.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::default_control;
use dumbbell_live::emulator::{Emulator, Options};
use dumbbell_live::namespace::Namespace;
use dumbbell_live::system;
use dumbbell_live::transfer::{self, Measured, Transfer};
use dumbbell_run::End;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use nix::sys::socket::sockopt::{Linger, TcpCongestion};
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrStorage, bind, connect, getsockopt, listen,
    setsockopt, socket,
};

/// A path with a capacity of 35 segments.
pub const LONG: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "10 Mb/s", delay = "19 ms", queue = { droptail = 60 } }
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
"#;

const PATIENCE: Duration = Duration::from_secs(20);

/// Sends this number of bytes over loopback, and returns the observed congestion windows, the first from
/// before the first byte.
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
    let seen = pump(dial(control, address), bytes);
    assert_eq!(receiver.join().expect("the receiver"), bytes);
    seen
}

fn pump(mut stream: TcpStream, bytes: usize) -> Vec<u32> {
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
    // The receiver closes when it has received everything, so nothing remains to linger.
    let mut end = [0];
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    assert_eq!(stream.read(&mut end).expect("the other end"), 0);
    seen.push(window(&stream));
    seen
}

/// Connects while the listener's queue is full, so that the first SYN is dropped and the timer fires before
/// the connection is open. Then as [`windows`].
pub fn after_a_lost_syn(control: &str, bytes: usize) -> Vec<u32> {
    let namespace = Namespace::new().expect("a network namespace");
    let crowded = || {
        let listener = crowded_listener();
        let address = listener.local_addr().expect("its number");
        let _first = TcpStream::connect(address).expect("it fills the queue");
        thread::scope(|scope| {
            let receiver = scope.spawn(|| {
                // The kernel sends another SYN after a second.
                thread::sleep(Duration::from_millis(1500));
                drop(listener.accept().expect("the first"));
                receive(&listener)
            });
            let began = Instant::now();
            let stream = dial(control, address);
            assert!(
                began.elapsed() > Duration::from_millis(900),
                "no SYN was lost"
            );
            let seen = pump(stream, bytes);
            assert_eq!(receiver.join().expect("the receiver"), bytes);
            Ok(seen)
        })
    };
    namespace.run(crowded).expect("it is entered")
}

/// Returns a listener whose queue is full after one connection, until that is accepted.
fn crowded_listener() -> TcpListener {
    let made = socket(
        AddressFamily::Inet,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    );
    let made: OwnedFd = made.expect("a socket");
    let any = SockaddrStorage::from(SocketAddr::from(([127, 0, 0, 1], 0)));
    bind(made.as_raw_fd(), &any).expect("a port");
    listen(&made, Backlog::new(0).expect("none")).expect("a listener");
    TcpListener::from(made)
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
    fill(&path(scenario), control, seconds, false, false)
}

/// As [`over`], with ECN at both hosts.
pub fn with_marks(scenario: &str, control: &str, seconds: f64) {
    fill(&path(scenario), control, seconds, true, false);
}

/// As [`over`], with the control at both hosts.
pub fn at_both_ends(scenario: &str, control: &str, seconds: f64) -> Measured {
    fill(&path(scenario), control, seconds, false, true)
}

/// Fills an emulated path, and switches between two controls some thirty times per second. Returns how often
/// the first was selected.
pub fn switching(scenario: &str, control: &str, other: &str, seconds: f64) -> usize {
    let path = path(scenario);
    let address = SocketAddr::from((Emulator::address(End::Receiver), 5002));
    let listen = || Ok(TcpListener::bind(address).expect("a port"));
    let listener = path.host(End::Receiver).run(listen).expect("the receiver");
    let dialled = path.host(End::Sender).run(|| Ok(dial(control, address)));
    let mut stream = dialled.expect("the sender");
    let (mut end, _) = listener.accept().expect("it came");
    let sink = thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while end.read(&mut buffer).is_ok_and(|n| n > 0) {}
    });
    stream.set_nonblocking(true).expect("a flag");
    let (began, data) = (Instant::now(), vec![7; 1 << 16]);
    let (mut chosen, mut turns) = (1, 1);
    while began.elapsed().as_secs_f64() < seconds {
        if began.elapsed() > Duration::from_millis(37) * turns {
            turns += 1;
            let next = if turns % 2 == 1 { control } else { other };
            setsockopt(&stream, TcpCongestion, &next.into()).expect("it is there");
            chosen += (turns % 2) as usize;
        }
        match stream.write(&data) {
            Err(e) if e.kind() != std::io::ErrorKind::WouldBlock => panic!("{e}"),
            Err(_) => thread::sleep(Duration::from_millis(1)),
            Ok(_) => {}
        }
    }
    // Closes with a reset, so that nothing lingers.
    let linger = nix::libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    setsockopt(&stream, Linger, &linger).expect("a flag");
    drop(stream);
    sink.join().expect("the receiver");
    path.stop().expect("its end");
    chosen
}

/// Opens a connection over a path whose hosts have this default, which it gets.
pub fn by_the_hosts_default(control: &str) {
    let (path, scenario) = (path(LONG), scenario(LONG));
    let _chosen = default_control::choose(&path, control, &scenario).expect("it is chosen");
    let address = SocketAddr::from((Emulator::address(End::Receiver), 5006));
    let bind = || Ok(TcpListener::bind(address).expect("a port"));
    let _listener = path.host(End::Receiver).run(bind).expect("the receiver");
    let connect = || Ok(TcpStream::connect(address).expect("connected"));
    let stream = path.host(End::Sender).run(connect).expect("the sender");
    let found = getsockopt(&stream, TcpCongestion).expect("its control");
    assert_eq!(found.to_string_lossy().trim_end_matches('\0'), control);
}

fn scenario(text: &str) -> Scenario {
    Scenario::parse("test", text, &Controls::builtin()).expect("a scenario")
}

fn path(text: &str) -> Emulator {
    let scenario = scenario(text);
    let options = Options {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    Emulator::start(&scenario, options).expect("a path")
}

fn fill(path: &Emulator, control: &str, seconds: f64, ecn: bool, at_both_ends: bool) -> Measured {
    let transfer = Transfer {
        control: control.to_owned(),
        duration: Duration::from_secs_f64(seconds),
        interval: Duration::from_millis(10),
        ecn,
        at_both_ends,
        port: transfer::PORT,
    };
    let measured = transfer.run(path, &AtomicBool::new(false));
    measured.expect("a transfer")
}
