//! The transmitter behind a queue that holds its packets until they depart.

use super::Admitted;
use crate::transmitter::{Drive, Transmitter};

/// A transmitter, and whether it always sends at the same rate.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    transmitter: Transmitter,
    steady: bool,
    /// The size of that packet.
    bytes: u32,
}

impl Server {
    pub fn new(drive: Drive<'_>) -> Self {
        Self {
            transmitter: Transmitter::new(drive),
            steady: drive.is_steady(),
            bytes: 0,
        }
    }

    /// Returns when the next packet starts if packets have been waiting since this moment. A packet that then
    /// waits for the tokens of a shaper counts as in transmission.
    #[inline]
    pub fn start(&self, since: u64) -> u64 {
        self.transmitter.start(0, since)
    }

    /// Sends a packet of this size, if packets have been waiting since this moment.
    #[inline(always)]
    pub fn send(&mut self, bytes: u32, since: u64) -> Admitted {
        let admitted = self.transmitter.send(bytes, since);
        self.bytes = bytes;
        admitted
    }

    /// Lets nothing start before this moment.
    pub fn hold(&mut self, until: u64) {
        self.transmitter.hold(until);
    }

    /// Returns whether a packet is in transmission at this moment.
    #[inline]
    pub fn is_busy(&self, now: u64) -> bool {
        self.transmitter.free_at() > now
    }

    /// Returns the size of the packet that is in transmission at this moment; zero if there is none.
    pub fn bytes_in_transmission(&self, now: u64) -> u64 {
        match self.is_busy(now) {
            true => u64::from(self.bytes),
            false => 0,
        }
    }

    /// Returns the rate of this moment in bits per second; the mean rate of opportunities.
    pub fn rate(&self, now: u64) -> u64 {
        self.transmitter.rate(now)
    }

    /// Returns the nanoseconds or, if the rate varies, the bytes that the transmitter has offered since it
    /// became free; `None` while a packet is in transmission.
    pub fn idle(&self, now: u64) -> Option<u64> {
        let free_at = self.transmitter.free_at();
        let idle = now.checked_sub(free_at)?;
        Some(match self.steady {
            true => idle,
            false => self.transmitter.offered(free_at, now),
        })
    }

    /// Returns the bytes that the transmitter has offered up to a moment; `None` if its rate is constant.
    pub fn offered(&self, until: u64) -> Option<u64> {
        (!self.steady).then(|| self.transmitter.offered(0, until))
    }
}

#[cfg(test)]
impl Server {
    /// A transmitter with this rate, in bits per second.
    pub fn with_rate(rate: u64) -> Self {
        Self::new(Drive::at(rate))
    }
}
