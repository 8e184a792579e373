//! Sessions over UDP sockets, in real time.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration as StdDuration, Instant as StdInstant};

use dumbbell_control::units::Instant;
use dumbbell_media::source::Uniform;

use crate::receiving::Receiving;
use crate::sending::{Phase, Sending};

/// The packets that may wait to be handled; more are dropped, as by a full queue.
const ROOM: usize = 1024;
/// The largest packet that is read.
const LARGEST: usize = 65_535;
/// How often the reader looks whether it is still needed.
const LOOK: StdDuration = StdDuration::from_millis(100);

type Arrived = (SocketAddr, Instant, Vec<u8>);

/// The clock of a session: the time since it was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock(StdInstant);

impl Clock {
    /// Starts a clock.
    pub fn start() -> Self {
        Self(StdInstant::now())
    }

    /// Returns the time since then.
    pub fn now(&self) -> Instant {
        Instant::from_nanos(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

/// Runs a sending session with the peer to which the socket is connected, until it is over; `each` is called a few times
/// a second, and ends it by returning false.
///
/// # Errors
/// If the socket fails.
pub fn send<R: Uniform>(
    socket: UdpSocket,
    clock: Clock,
    session: &mut Sending<R>,
    mut each: impl FnMut(&Sending<R>, Instant) -> bool,
) -> io::Result<()> {
    let (socket, packets) = read(socket, clock)?;
    let mut out = |bytes: &[u8]| lose(socket.send(bytes));
    while !matches!(session.phase(), Phase::Over | Phase::Alone) {
        match wait(&packets, clock, session.deadline()) {
            Ok(Some((_, at, bytes))) => session.on_packet(at, &bytes, &mut out),
            Ok(None) => {}
            Err(Gone) => return Err(ErrorKind::BrokenPipe.into()),
        }
        session.on_timer(clock.now(), &mut out);
        if !each(session, clock.now()) {
            session.end(&mut out);
        }
    }
    Ok(())
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
    mut each: impl FnMut(&Receiving, Instant) -> bool,
) -> io::Result<()> {
    let (socket, packets) = read(socket, clock)?;
    let mut peer = None;
    while !session.is_over(clock.now()) {
        match wait(&packets, clock, session.deadline()) {
            Ok(Some((from, at, bytes))) if peer.is_none_or(|peer| peer == from) => {
                session.on_packet(at, &bytes, &mut |bytes| lose(socket.send_to(bytes, from)));
                peer = peer.or(session.has_begun().then_some(from));
            }
            Ok(_) => {}
            Err(Gone) => return Err(ErrorKind::BrokenPipe.into()),
        }
        if let Some(peer) = peer {
            session.on_timer(clock.now(), &mut |bytes| lose(socket.send_to(bytes, peer)));
        }
        if !each(session, clock.now()) {
            break;
        }
    }
    Ok(())
}

/// A packet that cannot be sent now is lost, as on the way: a full buffer, or a peer that is not there yet.
fn lose(sent: io::Result<usize>) {
    drop(sent);
}

/// The reader has ended.
struct Gone;

/// Waits for a packet, no longer than up to the deadline or a tenth of a second.
fn wait(
    packets: &Receiver<Arrived>,
    clock: Clock,
    deadline: Option<Instant>,
) -> Result<Option<Arrived>, Gone> {
    let left = deadline.map_or(LOOK, |at| {
        StdDuration::from_nanos(at.since(clock.now()).as_nanos()).min(LOOK)
    });
    match packets.recv_timeout(left) {
        Ok(packet) => Ok(Some(packet)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(Gone),
    }
}

/// Starts a thread that reads the socket; it ends when nobody takes its packets.
fn read(socket: UdpSocket, clock: Clock) -> io::Result<(Arc<UdpSocket>, Receiver<Arrived>)> {
    socket.set_read_timeout(Some(LOOK))?;
    let socket = Arc::new(socket);
    let (to, packets) = sync_channel(ROOM);
    // The thread notices that nobody listens when the channel is closed.
    let alive = Arc::downgrade(&socket);
    thread::Builder::new()
        .name("stream".to_owned())
        .spawn(move || {
            let mut buffer = vec![0; LARGEST];
            while let Some(socket) = alive.upgrade() {
                if !forward(&socket, clock, &mut buffer, &to) {
                    break;
                }
            }
        })?;
    Ok((socket, packets))
}

/// Reads one packet, if there is one; returns whether to go on.
fn forward(socket: &UdpSocket, clock: Clock, buffer: &mut [u8], to: &SyncSender<Arrived>) -> bool {
    match socket.recv_from(buffer) {
        // With a full channel, the packet is dropped.
        Ok((length, from)) => !matches!(
            to.try_send((from, clock.now(), buffer[..length].to_vec())),
            Err(std::sync::mpsc::TrySendError::Disconnected(_))
        ),
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
