//! The transmitter behind a queue that holds its packets until they depart.

use super::Admitted;
use crate::topology::Link;
use crate::transmitter::Transmitter;

/// A transmitter, and whether it always sends at the same rate.
#[derive(Clone, Debug)]
pub(crate) struct Server {
<<<<<<< HEAD
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
=======
    transmitter: Transmitter,
    steady: bool,
>>>>>>> work-t
}

impl Server {
    pub fn new(link: &Link) -> Self {
<<<<<<< HEAD
        let means = match &link.opportunities {
            None => Means::Rate(link.rate),
            Some(schedule) => Means::Opportunities(Transmitter::new(schedule.clone())),
        };
        Self {
            means,
            free_at: 0,
            bytes: 0,
=======
        Self {
            transmitter: Transmitter::new(link),
            steady: link.is_steady(),
>>>>>>> work-t
        }
    }

    /// Returns when the next packet starts if packets have been waiting since this moment. A packet that then
    /// waits for the tokens of a shaper counts as in transmission.
    pub fn start(&self, since: u64) -> u64 {
        self.transmitter.start(0, since)
    }

    /// Sends a packet of this size, if packets have been waiting since this moment.
    pub fn send(&mut self, bytes: u32, since: u64) -> Admitted {
<<<<<<< HEAD
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
=======
        self.transmitter.send(bytes, since)
    }

    /// Lets nothing start before this moment.
    pub fn hold(&mut self, until: u64) {
        self.transmitter.hold(until);
>>>>>>> work-t
    }

    /// Returns whether a packet is in transmission at this moment.
    pub fn is_busy(&self, now: u64) -> bool {
        self.transmitter.free_at() > now
    }

<<<<<<< HEAD
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
=======
    /// Returns the nanoseconds or, if the rate varies, the bytes that the transmitter has offered since it
    /// became free; `None` while a packet is in transmission.
>>>>>>> work-t
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
<<<<<<< HEAD
        Self {
            means: Means::Rate(rate),
            free_at: 0,
            bytes: 0,
        }
=======
        let mut topology = crate::topology::Topology::new();
        let (a, b) = (topology.node(), topology.node());
        Self::new(&Link::new("l", a, b, rate, crate::time::Time::ZERO))
>>>>>>> work-t
    }
}
