//! The transmitter behind a queue that holds its packets until they depart.

use super::Admitted;
use super::transmission;
use crate::opportunity::{Opportunities, Transmitter};
use crate::topology::Link;

/// A transmitter, and when it becomes free.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    means: Means,
    /// When the last packet that has started departs, in nanoseconds.
    free_at: u64,
    /// The size of that packet.
    bytes: u32,
}

/// What drives a transmitter.
#[derive(Clone, Debug)]
enum Means {
    /// In bits per second, not zero.
    Rate(u64),
    Opportunities(Transmitter),
}

impl Server {
    pub fn new(link: &Link) -> Self {
        let means = match &link.opportunities {
            None => Means::Rate(link.rate),
            Some(schedule) => Means::Opportunities(Transmitter::new(schedule.clone())),
        };
        Self {
            means,
            free_at: 0,
            bytes: 0,
        }
    }

    /// Returns when the next packet starts if packets have been waiting since this moment.
    pub fn start(&mut self, since: u64) -> u64 {
        match &mut self.means {
            Means::Rate(_) => self.free_at.max(since),
            Means::Opportunities(transmitter) => transmitter.start(since),
        }
    }

    /// Sends a packet of this size, if packets have been waiting since this moment.
    pub fn send(&mut self, bytes: u32, since: u64) -> Admitted {
        let admitted = match &mut self.means {
            Means::Rate(rate) => {
                let tx = transmission(bytes, *rate);
                let departure = self.free_at.max(since).saturating_add(tx);
                Admitted { departure, tx }
            }
            Means::Opportunities(transmitter) => transmitter.send(bytes, since),
        };
        self.free_at = admitted.departure;
        self.bytes = bytes;
        admitted
    }

    /// Returns whether a packet is in transmission at this moment.
    pub fn is_busy(&self, now: u64) -> bool {
        self.free_at > now
    }

    /// Returns the size of the packet that is in transmission at this moment; zero if there is none.
    pub fn bytes_in_transmission(&self, now: u64) -> u64 {
        match self.is_busy(now) {
            true => u64::from(self.bytes),
            false => 0,
        }
    }

    /// Returns the rate of this moment in bits per second; the mean rate of opportunities.
    pub fn rate(&self, _now: u64) -> u64 {
        match &self.means {
            Means::Rate(rate) => *rate,
            Means::Opportunities(transmitter) => transmitter.schedule().mean_rate(),
        }
    }

    /// Returns the nanoseconds or, if opportunities drive the transmitter, the bytes that it has offered
    /// since it became free; `None` while a packet is in transmission.
    pub fn idle(&self, now: u64) -> Option<u64> {
        let idle = now.checked_sub(self.free_at)?;
        Some(match &self.means {
            Means::Rate(_) => idle,
            Means::Opportunities(transmitter) => transmitter.offered(self.free_at, now),
        })
    }

    /// Returns the opportunities, if they drive the transmitter.
    pub fn schedule(&self) -> Option<&Opportunities> {
        match &self.means {
            Means::Rate(_) => None,
            Means::Opportunities(transmitter) => Some(transmitter.schedule()),
        }
    }
}

#[cfg(test)]
impl Server {
    /// A transmitter with this rate, in bits per second.
    pub fn with_rate(rate: u64) -> Self {
        Self {
            means: Means::Rate(rate),
            free_at: 0,
            bytes: 0,
        }
    }
}
