//! Sessions over UDP sockets, in real time.

use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::source::Uniform;

use crate::arrival::Inlet;
use crate::drive::{self, Arrived, Gone, LOOK, ROOM};
use crate::receiving::Receiving;
use crate::sending::Sending;

pub use crate::drive::Clock;

/// The largest packet that is read.
const LARGEST: usize = 65_535;

/// Runs a sending session with the peer to which the socket is connected, until it is over; `each` is called a few times
/// a second, and ends it by returning false.
///
/// # Errors
/// If the socket fails.
pub fn send<R: Uniform>(
    socket: UdpSocket,
    clock: Clock,
    session: &mut Sending<R>,
    each: impl FnMut(&Sending<R>, Instant) -> bool,
) -> io::Result<()> {
    let (socket, packets) = read(socket, clock)?;
    let mut out = |bytes: &[u8]| lose(socket.send(bytes));
    drive::send(&packets, clock, session, &mut out, each).map_err(broken)
}

/// Runs a receiving session with the first sender that says hello, until it is over; `each` is called a few times a second,
/// and ends it by returning false.
///
/// # Errors
/// If the socket fails.
pub fn receive(
    socket: UdpSocket,
    clock: Clock,
    session: &mut Receiving,
    each: impl FnMut(&Receiving, Instant) -> bool,
) -> io::Result<()> {
    let (socket, packets) = read(socket, clock)?;
    let mut out = |to, bytes: &[u8]| lose(socket.send_to(bytes, to));
    drive::receive(&packets, clock, session, &mut out, each).map_err(broken)
}

fn broken(_: Gone) -> io::Error {
    ErrorKind::BrokenPipe.into()
}

/// A packet that cannot be sent now is lost, as on the way: a full buffer, or a peer that is not there yet.
fn lose(sent: io::Result<usize>) {
    drop(sent);
}

/// Starts a thread that reads the socket; it ends when nobody takes its packets.
fn read(socket: UdpSocket, clock: Clock) -> io::Result<(Arc<UdpSocket>, Receiver<Arrived>)> {
    socket.set_read_timeout(Some(LOOK))?;
    let mut inlet = Inlet::of(&socket);
    let socket = Arc::new(socket);
    let (to, packets) = sync_channel(ROOM);
    // The thread notices that nobody listens when the channel is closed.
    let alive = Arc::downgrade(&socket);
    thread::Builder::new()
        .name("stream".to_owned())
        .spawn(move || {
            let mut buffer = vec![0; LARGEST];
            while let Some(socket) = alive.upgrade() {
                if !forward(&socket, &mut inlet, clock, &mut buffer, &to) {
                    break;
                }
            }
        })?;
    Ok((socket, packets))
}

/// Reads one packet, if there is one; returns whether to go on.
fn forward(
    socket: &UdpSocket,
    inlet: &mut Inlet,
    clock: Clock,
    buffer: &mut [u8],
    to: &SyncSender<Arrived>,
) -> bool {
    match inlet.read(socket, buffer) {
        Ok((length, from, age)) => {
            let at = clock.now() - Duration::from_nanos(age.as_nanos() as u64);
            // With a full channel, the packet is dropped.
            !matches!(
                to.try_send((from, at, buffer[..length].to_vec())),
                Err(std::sync::mpsc::TrySendError::Disconnected(_))
            )
        }
        // A connected socket reports that nobody listens at the other end; somebody may later.
        Err(error) => matches!(
            error.kind(),
            ErrorKind::WouldBlock
                | ErrorKind::TimedOut
                | ErrorKind::Interrupted
                | ErrorKind::ConnectionRefused
                | ErrorKind::ConnectionReset
        ),
    }
}
