//! A short transfer over the loopback of a network namespace of its own.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use dumbbell_live::namespace::Namespace;
use dumbbell_live::system;
use nix::sys::socket::sockopt::{Linger, TcpCongestion};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, connect, setsockopt, socket,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// Sends so many bytes under a control over an ideal path; the congestion windows that were seen, the
/// first before the first byte.
pub fn windows(control: &str, bytes: usize) -> Vec<u32> {
    let control = control.to_owned();
    in_namespace(move || send(&control, bytes, bytes))
}

fn in_namespace<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let namespace = Namespace::new().expect("a network namespace");
    namespace
        .run(|| {
            system::set_up("lo").expect("the loopback");
            Ok(work())
        })
        .expect("it is entered")
}

/// The receiver reads at most `window` bytes at once.
fn send(control: &str, bytes: usize, chunk: usize) -> Vec<u32> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its number");
    let receiver = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let (mut all, mut buffer) = (0, vec![0; 1 << 16]);
        loop {
            match stream.read(&mut buffer).expect("data") {
                0 => break all,
                n => all += n,
            }
        }
    });
    let mut stream = dial(control, address);
    stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    let mut seen = vec![window(&stream)];
    let data = vec![7; chunk.min(1 << 16)];
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

fn dial(control: &str, to: SocketAddr) -> TcpStream {
    let made = socket(
        AddressFamily::Inet,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    );
    let made: OwnedFd = made.expect("a socket");
    setsockopt(&made, TcpCongestion, &control.into()).expect("the control is chosen");
    use std::os::fd::AsRawFd as _;
    connect(made.as_raw_fd(), &SockaddrStorage::from(to)).expect("connected");
    TcpStream::from(made)
}

fn window(stream: &TcpStream) -> u32 {
    system::tcp_info(stream.as_fd()).expect("TCP_INFO").cwnd
}
