//! The record that a sender keeps of each segment in flight.

use dumbbell_control::units::Instant;

/// A segment that has been sent and is not yet acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// When it was last sent.
    pub sent_at: Instant,
    /// How often it has been sent.
    pub transmissions: u32,
    /// Whether the receiver has reported it in a SACK block.
    pub sacked: bool,
}

/// The records of consecutive segments, in a ring that grows with the largest flight.
#[derive(Clone, Debug)]
pub struct Records {
    ring: Box<[Record]>,
}

impl Records {
    /// An empty ring.
    pub fn new() -> Self {
        Self {
            ring: vec![Record::default(); 2].into_boxed_slice(),
        }
    }

    /// The record of a segment in flight.
    #[inline]
    pub fn at(&self, seq: u64) -> &Record {
        &self.ring[seq as usize & (self.ring.len() - 1)]
    }

    /// The record of a segment in flight, mutably.
    #[inline]
    pub fn at_mut(&mut self, seq: u64) -> &mut Record {
        let mask = self.ring.len() - 1;
        &mut self.ring[seq as usize & mask]
    }

    /// Starts the record of segment `seq`, sent for the first time while `una` is the oldest in flight.
    #[inline]
    pub fn start(&mut self, una: u64, seq: u64, sent_at: Instant) {
        if seq - una >= self.ring.len() as u64 {
            self.grow(una, seq);
        }
        *self.at_mut(seq) = Record {
            sent_at,
            transmissions: 1,
            sacked: false,
        };
    }

    #[cold]
    fn grow(&mut self, una: u64, end: u64) {
        let capacity = ((end - una + 1) as usize).next_power_of_two();
        let mut ring = vec![Record::default(); capacity].into_boxed_slice();
        for seq in una..end {
            ring[seq as usize & (capacity - 1)] = *self.at(seq);
        }
        self.ring = ring;
    }
}

impl Default for Records {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_keeps_the_records_in_flight() {
        let mut records = Records::new();
        for seq in 100..116 {
            records.start(100, seq, Instant::from_nanos(seq));
        }
        records.at_mut(107).transmissions = 3;
        for seq in 116..150 {
            records.start(105, seq, Instant::from_nanos(seq));
        }
        for seq in 105..150 {
            assert_eq!(records.at(seq).sent_at, Instant::from_nanos(seq));
        }
        assert_eq!(records.at(107).transmissions, 3);
    }
}
