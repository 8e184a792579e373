//! Sessions in real time, over whatever carries their packets.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration as StdDuration, Instant as StdInstant};

use dumbbell_control::units::Instant;
use dumbbell_media::source::Uniform;

use crate::receiving::Receiving;
use crate::sending::{Phase, Sending};

/// The packets that may wait to be handled; more are dropped, as by a full queue.
pub(crate) const ROOM: usize = 1024;
/// The longest wait; what has to be looked at is looked at so often.
pub(crate) const LOOK: StdDuration = StdDuration::from_millis(100);

/// A packet, from whom and when it arrived.
pub(crate) type Arrived = (SocketAddr, Instant, Vec<u8>);

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

/// Whoever reads packets has ended.
#[derive(Debug)]
pub(crate) struct Gone;

/// Runs a sending session until it is over.
pub(crate) fn send<R: Uniform>(
    packets: &Receiver<Arrived>,
    clock: Clock,
    session: &mut Sending<R>,
    out: &mut dyn FnMut(&[u8]),
    mut each: impl FnMut(&Sending<R>, Instant) -> bool,
) -> Result<(), Gone> {
    while !matches!(session.phase(), Phase::Over | Phase::Alone) {
        if let Some((_, at, bytes)) = wait(packets, clock, session.deadline())? {
            let now = clock.now();
            session.on_waiting_packet(now, now.since(at), &bytes, out);
        }
        session.on_timer(clock.now(), out);
        if !each(session, clock.now()) {
            session.end(out);
        }
    }
    Ok(())
}

/// Runs a receiving session with the first peer that says hello, until it is over.
pub(crate) fn receive(
    packets: &Receiver<Arrived>,
    clock: Clock,
    session: &mut Receiving,
    out: &mut dyn FnMut(SocketAddr, &[u8]),
    mut each: impl FnMut(&Receiving, Instant) -> bool,
) -> Result<(), Gone> {
    let mut peer = None;
    while !session.is_over(clock.now()) {
        if let Some((from, at, bytes)) = wait(packets, clock, session.deadline())?
            && peer.is_none_or(|peer| peer == from)
        {
            let now = clock.now();
            let mut out = |bytes: &[u8]| out(from, bytes);
            session.on_waiting_packet(now, now.since(at), &bytes, &mut out);
            peer = peer.or(session.has_begun().then_some(from));
        }
        if let Some(peer) = peer {
            session.on_timer(clock.now(), &mut |bytes| out(peer, bytes));
        }
        if !each(session, clock.now()) {
            break;
        }
    }
    Ok(())
}

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
