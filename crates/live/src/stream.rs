//! A real stream of datagrams at a constant rate, between the two hosts of an emulated path.

use std::io;
use std::net::{SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_run::End;
use nix::sys::prctl::set_timerslack;
use serde::Serialize;

use crate::emulator::Emulator;
use crate::error::Error;

/// The stream to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// Its rate in bit/s. All bytes of its packets count, as in a scenario.
    pub rate_bps: f64,
    /// The size of a packet with its headers, in bytes: at least [`LEAST_PACKET`].
    pub packet: u16,
    /// Its duration.
    pub duration: Duration,
    /// The receiver's port.
    pub port: u16,
}

/// What has become of a stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Streamed {
    /// The rate at which packets arrived, in bit/s over the whole time, with their headers.
    pub goodput_bps: f64,
    /// Packets sent.
    pub sent: u64,
    /// Packets that had arrived at its end.
    pub received: u64,
    /// Mean time from one program to the other, in seconds; `None` if nothing arrived.
    pub delay_mean_s: Option<f64>,
    /// The actual duration, in seconds.
    pub elapsed_s: f64,
}

/// Bytes of the headers of IPv4 and UDP.
const HEADERS: u16 = 28;
/// The bytes of a packet that carry the time at which it was sent.
const STAMP: usize = 8;
/// The smallest packet.
pub const LEAST_PACKET: u16 = HEADERS + STAMP as u16;
/// The longest sleep, so that an interruption is noticed.
const NAP: Duration = Duration::from_millis(50);

/// What the receiver counts.
#[derive(Clone, Copy, Debug, Default)]
struct Received {
    packets: u64,
    delays: Duration,
}

impl Stream {
    /// Sends for all its time, or until it is interrupted. A packet that is late is sent at once, so the rate holds.
    ///
    /// # Errors
    /// If its packets are too small, or the system refuses a socket.
    pub fn run(&self, path: &Emulator, interrupted: &AtomicBool) -> Result<Streamed, Error> {
        if self.packet < LEAST_PACKET {
            return Err(Error::Refused(format!(
                "a stream needs packets of {LEAST_PACKET} bytes or more, not of {}",
                self.packet
            )));
        }
        let failed = |reason| Error::system("send datagrams over the emulated path", reason);
        let to = SocketAddrV4::new(Emulator::address(End::Receiver), self.port);
        let from = SocketAddrV4::new(Emulator::address(End::Sender), 0);
        let receiver = path
            .host(End::Receiver)
            .run(|| UdpSocket::bind(to).map_err(failed))?;
        let sender = path.host(End::Sender).run(|| {
            let socket = UdpSocket::bind(from).map_err(failed)?;
            socket.connect(to).map_err(failed)?;
            Ok(socket)
        })?;
        receiver.set_read_timeout(Some(NAP)).map_err(failed)?;
        let start = Instant::now();
        let stop = Arc::new(AtomicBool::new(false));
        let sink = {
            let stop = Arc::clone(&stop);
            thread::spawn(move || count(&receiver, start, &stop))
        };
        let sent = self.send(&sender, start, interrupted);
        let elapsed_s = start.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        let received = sink
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let packets = received.packets;
        Ok(Streamed {
            goodput_bps: packets as f64 * 8.0 * f64::from(self.packet) / elapsed_s,
            sent: sent.map_err(failed)?,
            received: packets,
            delay_mean_s: (packets > 0).then(|| received.delays.as_secs_f64() / packets as f64),
            elapsed_s,
        })
    }

    /// Returns the number of packets sent.
    fn send(
        &self,
        socket: &UdpSocket,
        start: Instant,
        interrupted: &AtomicBool,
    ) -> io::Result<u64> {
        // If it cannot be set, sleeps are 50 us late.
        let _ = set_timerslack(1);
        let gap_s = f64::from(self.packet) * 8.0 / self.rate_bps;
        let mut packet = vec![0x55; usize::from(self.packet - HEADERS)];
        let mut sent = 0u64;
        while !interrupted.load(Ordering::Relaxed) {
            let now = start.elapsed();
            let due = Duration::try_from_secs_f64(sent as f64 * gap_s).unwrap_or(Duration::MAX);
            if due.min(now) >= self.duration {
                break;
            }
            if due > now {
                let end = self.duration.saturating_sub(now);
                thread::sleep((due - now).min(end).min(NAP));
                continue;
            }
            packet[..STAMP].copy_from_slice(&nanos(now).to_be_bytes());
            match socket.send(&packet) {
                Ok(_) => sent += 1,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(sent)
    }
}

/// Counts packets until it is stopped.
fn count(socket: &UdpSocket, start: Instant, stop: &AtomicBool) -> Received {
    let mut received = Received::default();
    let mut packet = [0; STAMP];
    while !stop.load(Ordering::Relaxed) {
        // Bytes beyond the buffer are left out.
        if let Ok(length) = socket.recv(&mut packet)
            && length == STAMP
        {
            let sent = Duration::from_nanos(u64::from_be_bytes(packet));
            received.delays += start.elapsed().saturating_sub(sent);
            received.packets += 1;
        }
    }
    received
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
