//! A connection that sends one segment at a time, between bursts of other traffic.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd as _;
use std::os::linux::net::TcpStreamExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::error::Error;
use dumbbell_live::kernel::aqt::Aqt;
use dumbbell_live::system::tcp_info;

use crate::network::{Network, RECEIVER, SENDER};

const PORT: u16 = 5001;
pub const SINK: u16 = 5002;
const SEGMENT: usize = 1000;
const LASTS: Duration = Duration::from_secs(5);

/// One segment and its ACK.
pub struct Probe {
    /// The time from writing it to the kernel until its ACK.
    pub rtt_us: f64,
    /// The routers' reports of how long the segment waited, and how long its ACK waited.
    pub forward_us: f64,
    pub backward_us: f64,
}

pub fn run(network: &Network, programs: &Aqt) -> Vec<Probe> {
    let over = AtomicBool::new(false);
    let listener = network
        .receiver
        .run(|| Ok(TcpListener::bind((RECEIVER, PORT)).expect("free")));
    let listener = listener.expect("the receiver");
    thread::scope(|scope| {
        scope.spawn(|| receive(&listener));
        scope.spawn(|| network.sender.run(|| bursts(RECEIVER, 1, &over)));
        scope.spawn(|| network.receiver.run(|| bursts(SENDER, 2, &over)));
        let probes = network.sender.run(|| Ok(send(programs)));
        over.store(true, Ordering::Relaxed);
        probes.expect("the sender")
    })
}

fn send(programs: &Aqt) -> Vec<Probe> {
    let mut stream = TcpStream::connect((RECEIVER, PORT)).expect("a route there");
    stream.set_nodelay(true).expect("an option of TCP");
    let report = || programs.report(stream.as_fd()).expect("a socket of ours");
    let (begin, mut probes) = (Instant::now(), Vec::new());
    let (mut count, mut retransmits) = (0, 0);
    while begin.elapsed() < LASTS {
        let sent = Instant::now();
        (&stream).write_all(&[7; SEGMENT]).expect("sent");
        while sent.elapsed() < Duration::from_secs(1) {
            let Some(told) = report().filter(|told| told.count != count) else {
                thread::sleep(Duration::from_micros(20));
                continue;
            };
            // A retransmitted segment is not a valid sample.
            let again = tcp_info(&stream).expect("it is TCP").retransmits;
            if told.count == count + 1 && again == retransmits {
                probes.push(Probe {
                    rtt_us: sent.elapsed().as_secs_f64() * 1e6,
                    forward_us: told.forward_us.into(),
                    backward_us: told.backward_us.into(),
                });
            }
            (count, retransmits) = (told.count, again);
            break;
        }
        thread::sleep(Duration::from_millis(3));
    }
    stream.flush().expect("nothing is kept");
    probes
}

/// Receives data, with immediate ACKs.
pub fn receive(listener: &TcpListener) {
    let (mut stream, _) = listener.accept().expect("the sender comes");
    let mut buffer = [0; SEGMENT];
    loop {
        stream.set_quickack(true).expect("an option of TCP");
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

/// Sends datagrams that are not read, up to 39 at once: 37 ms of the data queue, 47 ms of the
/// other.
fn bursts(to: &str, seed: u32, over: &AtomicBool) -> Result<(), Error> {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("free");
    let mut random = seed;
    while !over.load(Ordering::Relaxed) {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        for _ in 0..(random >> 16) % 40 {
            // Without a listener, the kernel may return an error.
            let _ = socket.send_to(&[0; 1158], (to, SINK));
        }
        thread::sleep(Duration::from_millis(u64::from(random >> 26)));
    }
    Ok(())
}
