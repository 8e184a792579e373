//! RoVegas in the kernel on a path whose queue never empties.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd as _;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::error::Error;
use dumbbell_live::kernel::{Kind, Loaded, Trace};
use nix::sys::socket::sockopt::{SendTimeout, TcpCongestion};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrIn, connect, setsockopt, socket,
};
use nix::sys::time::{TimeVal, TimeValLike as _};

use crate::network::{Network, RECEIVER};
use crate::probe;

const PORT: u16 = 5004;
/// The datagrams in the queue: 120,000 bytes, 480 ms at 2 Mb/s.
const DATAGRAMS: u64 = 100;
/// How many ACKs of data a run needs: those of some round-trip times.
const ACKS: usize = 30;
const LONGEST: Duration = Duration::from_secs(60);

/// What a control measured, in milliseconds.
#[derive(Debug)]
pub struct Seen {
    pub least_rtt: f64,
    pub base_rtt: f64,
    pub acks: usize,
}

/// Sends with a control while datagrams keep the data queue full.
pub fn run(network: &Network, control: &Loaded) -> Seen {
    let (over, arrived) = (AtomicBool::new(false), AtomicU64::new(0));
    let listen = || Ok(TcpListener::bind((RECEIVER, PORT)).expect("free"));
    let listener = network.receiver.run(listen).expect("the receiver");
    thread::scope(|scope| {
        scope.spawn(|| probe::receive(&listener));
        scope.spawn(|| network.receiver.run(|| count(&arrived, &over)));
        scope.spawn(|| network.sender.run(|| fill(&arrived, &over)));
        // As the last of the first datagrams arrives, all places are taken.
        while arrived.load(Ordering::Relaxed) < DATAGRAMS {
            thread::sleep(Duration::from_millis(1));
        }
        let seen = network.sender.run(|| Ok(send(control)));
        over.store(true, Ordering::Relaxed);
        seen.expect("the sender")
    })
}

/// Keeps as many numbered datagrams on their way. What arrives makes room for the next, so the queue neither empties
/// nor overflows: segments wait, but are not lost.
fn fill(arrived: &AtomicU64, over: &AtomicBool) -> Result<(), Error> {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("free");
    let (mut sent, mut datagram) = (0, [0; 1158]);
    while !over.load(Ordering::Relaxed) {
        while sent < arrived.load(Ordering::Relaxed) + DATAGRAMS {
            sent += 1;
            datagram[..8].copy_from_slice(&u64::to_be_bytes(sent));
            let _ = socket.send_to(&datagram, (RECEIVER, probe::SINK));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Tells the number of the last datagram that arrived.
fn count(arrived: &AtomicU64, over: &AtomicBool) -> Result<(), Error> {
    let socket = UdpSocket::bind((RECEIVER, probe::SINK)).expect("free");
    let wait = Some(Duration::from_millis(20));
    socket.set_read_timeout(wait).expect("an option of sockets");
    let mut number = [0; 8];
    while !over.load(Ordering::Relaxed) {
        // What does not fit into the buffer is discarded.
        if socket.recv(&mut number).is_ok() {
            arrived.store(u64::from_be_bytes(number), Ordering::Relaxed);
        }
    }
    Ok(())
}

fn send(control: &Loaded) -> Seen {
    let mut trace = Trace::of(control).expect("it is ours");
    let mut stream = dial(control.name());
    let (begin, mut told) = (Instant::now(), Vec::new());
    while told.len() < ACKS && begin.elapsed() < LONGEST {
        // Writes as much as the buffer can take; a full queue may stop it.
        let _ = stream.write(&[7; 10_000]);
        let events = trace.poll(Duration::from_millis(20)).expect("it is ours");
        let acks = events.into_iter();
        let acks = acks.filter(|event| matches!(event.kind, Kind::Ack | Kind::Sample));
        told.extend(acks.filter_map(|event| Some((event.rtt?, event.base_rtt?))));
    }
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let least = told.iter().map(|(rtt, _)| millis(*rtt));
    Seen {
        least_rtt: least.fold(f64::MAX, f64::min),
        base_rtt: told.last().map_or(f64::MAX, |(_, base)| millis(*base)),
        acks: told.len(),
    }
}

/// Selects the control before the connection is opened, so that segments have space for the option.
fn dial(control: &str) -> TcpStream {
    let inet = AddressFamily::Inet;
    let socket: OwnedFd =
        socket(inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).expect("a socket");
    setsockopt(&socket, TcpCongestion, &control.into()).expect("it is loaded");
    setsockopt(&socket, SendTimeout, &TimeVal::milliseconds(100)).expect("an option of sockets");
    let [a, b, c, d] = RECEIVER
        .parse::<std::net::Ipv4Addr>()
        .expect("one")
        .octets();
    let place = SockaddrIn::new(a, b, c, d, PORT);
    // The SYN may be lost in the full queue: both the kernel and this loop try again.
    let begin = Instant::now();
    while connect(std::os::fd::AsRawFd::as_raw_fd(&socket.as_fd()), &place).is_err() {
        assert!(begin.elapsed() < Duration::from_secs(10), "no connection");
        thread::sleep(Duration::from_millis(10));
    }
    socket.into()
}
