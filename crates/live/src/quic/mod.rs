//! One measured transfer over QUIC between the two hosts of an emulated path: quinn's, or that of its fork noq.

mod bulk;
mod control;
mod counted;
mod noq;
mod quinn;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use dumbbell_quinn::{Factory, Times};
use dumbbell_run::End;
use nix::sys::socket::{setsockopt, sockopt};

pub use control::{OF_STACKS, QuicControl, Stack};

use crate::emulator::Emulator;
use crate::error::Error;
use crate::limited::{Limit, Limited};
use crate::transfer::Measured;
use control::Choice;

/// Bytes of a packet before its UDP payload: the headers of IPv4 and UDP.
pub const UDP_HEADERS: u16 = 28;
/// Bytes of a full packet that are not data: the headers of IPv4 and UDP, a short header with 8 bytes of connection ID
/// and 2 of packet number, a stream frame and the authentication tag.
pub const PAYLOAD_LESS: u16 = UDP_HEADERS + 33;
/// The smallest path MTU: QUIC needs datagrams of 1200 bytes (RFC 9000, section 14.1).
pub const LEAST_MTU: u16 = 1200 + UDP_HEADERS;

/// Bytes that a socket adds to a packet that tells when packets arrived.
pub const TIMES: u16 = dumbbell_quinn::TRAILER as u16;

const PORT: u16 = 4433;
/// The buffer of a socket in bytes, so that none of its datagrams is lost at the hosts.
const BUFFER: usize = 8 << 20;
/// What may be on its way and buffered at either end, in bytes: more than any path of the emulator holds.
const WINDOW: u32 = 64 << 20;
/// Datagrams lost at a socket, as a part of those that came: a smaller part is tolerable.
const TOLERABLE: f64 = 0.0;

/// The transfer to run.
#[derive(Clone, Debug)]
pub struct QuicTransfer {
    /// The control, and with it the stack.
    pub control: QuicControl,
    /// Its duration.
    pub duration: Duration,
    /// The sampling interval.
    pub interval: Duration,
}

/// What a sender and a receiver share.
#[derive(Debug, Default)]
struct Shared {
    received: AtomicU64,
    stop: AtomicBool,
}

/// What the two ends of a connection need beside the stack.
struct Job<'j> {
    transfer: &'j QuicTransfer,
    /// The largest UDP payload.
    payload: u16,
    certificate: rcgen::CertifiedKey<rcgen::KeyPair>,
    shared: Arc<Shared>,
    interrupted: &'j AtomicBool,
}

impl QuicTransfer {
    /// Transfers as much as the connection can carry, on a network whose time has not begun: it begins now, and the
    /// connection is opened [`HEAD_START`](crate::transfer::HEAD_START) later. Packets are as large as the path takes,
    /// from the first on.
    ///
    /// # Errors
    /// If the path takes no QUIC packets, or the connection breaks.
    pub fn run_with_network(
        &self,
        path: &mut Emulator,
        interrupted: &AtomicBool,
    ) -> Result<Measured, Error> {
        let least = LEAST_MTU + if self.control.is_timed() { TIMES } else { 0 };
        if path.mtu() < least {
            return Err(Error::Refused(format!(
                "QUIC needs packets of at least {least} bytes here, and the path takes {}",
                path.mtu()
            )));
        }
        let certificate = rcgen::generate_simple_self_signed([NAME.to_owned()])
            .map_err(|reason| Error::system("make a certificate", io::Error::other(reason)))?;
        let job = Job {
            transfer: self,
            payload: path.mtu() - UDP_HEADERS - if self.control.is_timed() { TIMES } else { 0 },
            certificate,
            shared: Arc::default(),
            interrupted,
        };
        let mut measured = match self.control.choice() {
            Choice::Quinn(factory) => quinn::run(&job, Arc::clone(factory), None, path)?,
            Choice::Timed(name) => {
                let times = Times::default();
                let factory = Factory::timed(name, times.clone())
                    .map_err(|why| Error::Refused(why.to_string()))?;
                quinn::run(&job, Arc::new(factory), Some(times), path)?
            }
            Choice::Noq(factory) => noq::run(&job, Arc::clone(factory), None, path)?,
        };
        measured.limits.extend(lost_at_sockets(path)?);
        Ok(measured)
    }
}

/// The name in the certificate.
const NAME: &str = "receiver";

/// Where the receiver listens.
fn receiver() -> SocketAddr {
    (Emulator::address(End::Receiver), PORT).into()
}

/// A socket with buffers that lose nothing.
fn socket(port: u16) -> Result<UdpSocket, Error> {
    let failed = |reason: io::Error| Error::system("open a UDP socket", reason);
    let any = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let socket = UdpSocket::bind((any, port)).map_err(failed)?;
    setsockopt(&socket, sockopt::RcvBufForce, &BUFFER).map_err(|reason| failed(reason.into()))?;
    setsockopt(&socket, sockopt::SndBuf, &BUFFER).map_err(|reason| failed(reason.into()))?;
    Ok(socket)
}

/// Whether the hosts lost datagrams that the network had delivered: a socket's buffer was full.
fn lost_at_sockets(path: &Emulator) -> Result<Option<Limited>, Error> {
    let (mut lost, mut came) = (0, 0);
    for end in [End::Sender, End::Receiver] {
        let (lost_here, came_here) = path.host(end).run(crate::counters::datagrams)?;
        lost += lost_here;
        came += came_here;
    }
    let share = lost as f64 / (came + lost).max(1) as f64;
    let by = Limit::SocketBuffer;
    Ok((share > TOLERABLE).then_some(Limited { by, share }))
}
