//! One measured TCP transfer between the two hosts of an emulated path.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_run::End;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrIn, connect, setsockopt, socket, sockopt,
};
use nix::sys::time::TimeSpec;
use serde::Serialize;

use crate::counters;
use crate::emulator::Emulator;
use crate::error::Error;
use crate::limited::limits;
pub use crate::limited::{Limit, Limited};
use crate::namespace;
use crate::system::{self, TcpInfo};

/// The transfer to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The kernel's name of the congestion control.
    pub control: String,
    /// Its duration.
    pub duration: Duration,
    /// The sampling interval.
    pub interval: Duration,
    /// Explicit congestion notification (RFC 3168), at both ends.
    pub ecn: bool,
    /// Whether the receiver has the control, too: DCTCP's echoes marks in its own way.
    pub at_both_ends: bool,
    /// The receiver's port.
    pub port: u16,
}

/// The results of a transfer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// The rate at which the receiver's program read, in bit/s over the whole time.
    pub goodput_bps: f64,
    /// Data segments sent, retransmissions included.
    pub segments: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// How often the window was cut for losses: loss episodes, tails that a probe has repaired, and expiries of the
    /// retransmission timer.
    pub cuts: u64,
    /// Mean of the smoothed round-trip times of all samples, which is one over time, in seconds; `None` without a
    /// sample.
    pub rtt_mean_s: Option<f64>,
    /// Smallest round-trip time, in seconds; `None` if the kernel has none.
    pub rtt_min_s: Option<f64>,
    /// Payload of a full segment, in bytes.
    pub payload: u32,
    /// The actual duration, in seconds.
    pub elapsed_s: f64,
    /// What limited it beside the network and its control, for more of the time than is tolerable; empty if its results
    /// can be trusted.
    pub limits: Vec<Limited>,
    /// The samples, in the order of time.
    pub samples: Vec<Sample>,
}

/// The state of a connection at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Seconds from the start of the transfer.
    pub at_s: f64,
    /// Congestion window in segments.
    pub cwnd: u32,
    /// Slow-start threshold in segments; `None` while there is none.
    pub ssthresh: Option<u32>,
    /// Smoothed round-trip time in seconds.
    pub rtt_s: f64,
    /// Bytes that the receiver's program has read.
    pub bytes: u64,
}

/// The usual port of the receiver.
pub const PORT: u16 = 5001;
/// How long a network runs before the connection is opened, so that flows that begin with it are always ahead.
pub const HEAD_START: Duration = Duration::from_millis(1);
/// The kernel's value for no threshold.
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;
const BLOCK: usize = 1 << 16;

impl Transfer {
    /// Transfers as much as the connection can carry. A connection that does not open in all that
    /// time transfers nothing.
    ///
    /// # Errors
    /// If the kernel has no such control, or the connection is refused or reset.
    pub fn run(&self, path: &Emulator, interrupted: &AtomicBool) -> Result<Measured, Error> {
        self.run_to(self.listen(path)?, path, interrupted)
    }

    /// As [`run`](Self::run), on a network whose time has not begun: it begins now, and the connection is opened
    /// [`HEAD_START`] later.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the network cannot begin.
    pub fn run_with_network(
        &self,
        path: &mut Emulator,
        interrupted: &AtomicBool,
    ) -> Result<Measured, Error> {
        let listener = self.listen(path)?;
        path.begin()?;
        thread::sleep(HEAD_START);
        self.run_to(listener, path, interrupted)
    }

    /// The receiver's end.
    fn address(&self) -> SocketAddrV4 {
        SocketAddrV4::new(Emulator::address(End::Receiver), self.port)
    }

    /// Waits for connections at the receiver.
    fn listen(&self, path: &Emulator) -> Result<TcpListener, Error> {
        path.host(End::Receiver).run(|| {
            self.set_ecn()?;
            let listener = TcpListener::bind(self.address())
                .map_err(|reason| Error::system("listen", reason))?;
            if self.at_both_ends {
                choose(&listener, &self.control)?;
            }
            Ok(listener)
        })
    }

    fn run_to(
        &self,
        listener: TcpListener,
        path: &Emulator,
        interrupted: &AtomicBool,
    ) -> Result<Measured, Error> {
        let received = Arc::new(AtomicU64::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let sink = {
            let (received, stop) = (Arc::clone(&received), Arc::clone(&stop));
            thread::spawn(move || swallow(&listener, &received, &stop))
        };
        let start = Instant::now();
        let stream = path.host(End::Sender).run(|| {
            self.set_ecn()?;
            open(self.address(), &self.control)
        });
        let measured = stream.and_then(|stream| {
            let measured = self.pump(&stream, start, &received, interrupted);
            let cuts = path.host(End::Sender).run(counters::cuts);
            abort(&stream);
            let cuts = cuts?;
            measured.map(|measured| Measured { cuts, ..measured })
        });
        stop.store(true, Ordering::Relaxed);
        if let Err(panic) = sink.join() {
            std::panic::resume_unwind(panic);
        }
        measured
    }

    /// Enables ECN if it is requested. Otherwise the kernel's default applies: it accepts ECN, but
    /// does not request it.
    fn set_ecn(&self) -> Result<(), Error> {
        if self.ecn {
            namespace::set("ipv4/tcp_ecn", "1")?;
        }
        Ok(())
    }

    /// Fills the connection, once it is open, and samples it from time to time.
    fn pump(
        &self,
        mut stream: &TcpStream,
        start: Instant,
        received: &AtomicU64,
        interrupted: &AtomicBool,
    ) -> Result<Measured, Error> {
        let broken = |reason: io::Error| Error::system("send over the emulated path", reason);
        let block = vec![0x55; BLOCK];
        let mut samples = Vec::new();
        let mut due = Duration::ZERO;
        let mut is_open = false;
        let mut info;
        loop {
            let now = start.elapsed();
            info = system::tcp_info(stream).map_err(broken)?;
            if now >= due {
                if is_open {
                    samples.push(sample(now, &info, received.load(Ordering::Relaxed)));
                }
                due = now + self.interval;
            }
            if now >= self.duration || interrupted.load(Ordering::Relaxed) {
                break;
            }
            loop {
                match stream.write(&block) {
                    Ok(_) if !is_open => {
                        is_open = true;
                        due = Duration::ZERO;
                    }
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(broken(error)),
                }
            }
            let mut poll = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
            let wait = due.min(self.duration).saturating_sub(start.elapsed());
            match ppoll(&mut poll, Some(TimeSpec::from_duration(wait)), None) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(broken(error.into())),
            }
        }
        let elapsed_s = start.elapsed().as_secs_f64();
        let rtts: Vec<f64> = samples
            .iter()
            .map(|it| it.rtt_s)
            .filter(|rtt| *rtt > 0.0)
            .collect();
        let mean = rtts.iter().sum::<f64>() / rtts.len().max(1) as f64;
        Ok(Measured {
            goodput_bps: received.load(Ordering::Relaxed) as f64 * 8.0 / elapsed_s,
            segments: info.segments_sent.into(),
            retransmits: info.retransmits.into(),
            cuts: 0,
            rtt_mean_s: (!rtts.is_empty()).then_some(mean),
            rtt_min_s: (info.min_rtt_us != u32::MAX && info.min_rtt_us > 0)
                .then_some(f64::from(info.min_rtt_us) / 1e6),
            payload: info.mss,
            elapsed_s,
            limits: limits(&info),
            samples,
        })
    }
}

/// Where the receiver listens.
fn sample(now: Duration, info: &TcpInfo, bytes: u64) -> Sample {
    Sample {
        at_s: now.as_secs_f64(),
        cwnd: info.cwnd,
        ssthresh: (info.ssthresh < INFINITE_SSTHRESH).then_some(info.ssthresh),
        rtt_s: f64::from(info.rtt_us) / 1e6,
        bytes,
    }
}

/// Checks that a socket can use a control.
///
/// # Errors
/// If it cannot; the error lists the available controls.
pub fn check(control: &str) -> Result<(), Error> {
    under(control).map(drop)
}

/// Returns a socket that uses a control.
fn under(control: &str) -> Result<OwnedFd, Error> {
    let flags = SockFlag::SOCK_CLOEXEC;
    let made = socket(AddressFamily::Inet, SockType::Stream, flags, None)
        .map_err(|reason| Error::system("make a socket", reason))?;
    choose(&made, control)?;
    Ok(made)
}

/// Gives a socket a control.
fn choose(socket: &impl AsFd, control: &str) -> Result<(), Error> {
    let chosen = setsockopt(socket, sockopt::TcpCongestion, &OsString::from(control));
    chosen.map_err(|reason| match reason {
        Errno::ENOENT => Error::Refused(format!(
            "the kernel has no congestion control `{control}`; it has {}",
            available()
        )),
        _ => Error::system(format!("use the congestion control {control}"), reason),
    })
}

/// Starts to open a connection with a control, from the calling thread's namespace.
fn open(to: SocketAddrV4, control: &str) -> Result<TcpStream, Error> {
    let failed = |reason: Errno| Error::system(format!("connect to {to}"), reason);
    let stream = TcpStream::from(under(control)?);
    // On a path with many losses, opening may take long, and a blocking call could not be
    // interrupted.
    let nonblocking = stream.set_nonblocking(true);
    nonblocking.map_err(|reason| Error::system(format!("connect to {to}"), reason))?;
    match connect(stream.as_raw_fd(), &SockaddrIn::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(stream),
        Err(reason) => Err(failed(reason)),
    }
}

/// Lists the kernel's controls for a message.
fn available() -> String {
    let file = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    std::fs::read_to_string(file).map_or_else(|_| "others".to_owned(), |it| it.trim().into())
}

/// Closes a connection at once: an orphan would keep its namespace, and its control, for minutes.
fn abort(stream: &TcpStream) {
    let linger = nix::libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    // If this fails, the connection ends later.
    let _ = setsockopt(stream, sockopt::Linger, &linger);
}

/// Accepts one connection, and counts the received bytes.
fn swallow(listener: &TcpListener, received: &AtomicU64, stop: &AtomicBool) {
    let Some(mut stream) = accept(listener, stop) else {
        return;
    };
    let mut buffer = vec![0; BLOCK];
    // With a timeout, so that it stops even if the end of the connection is lost.
    let nap = Some(Duration::from_millis(100));
    if stream.set_nonblocking(false).is_err() || stream.set_read_timeout(nap).is_err() {
        return;
    }
    while !stop.load(Ordering::Relaxed) {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                received.fetch_add(length as u64, Ordering::Relaxed);
            }
            Err(error) if is_passing(&error) => {}
            Err(_) => break,
        }
    }
    abort(&stream);
}

fn accept(listener: &TcpListener, stop: &AtomicBool) -> Option<TcpStream> {
    listener.set_nonblocking(true).ok()?;
    while !stop.load(Ordering::Relaxed) {
        let mut poll = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        let nap = TimeSpec::from_duration(Duration::from_millis(50));
        if ppoll(&mut poll, Some(nap), None).is_ok()
            && let Ok((stream, SocketAddr::V4(_))) = listener.accept()
        {
            return Some(stream);
        }
    }
    None
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}
