//! The record that a sender keeps of each segment in flight.

use std::ops::Range;

use dumbbell_control::units::Instant;

/// A segment that has been sent and is not yet acknowledged, in 12 bytes: with many connections, they take
/// most of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The two halves of the time at which it was last sent.
    sent_at: [u32; 2],
    /// How often it has been sent and, in the top bits, whether the receiver has it, and whether it is lost.
    sends: u32,
}

const SACKED: u32 = 1 << 31;
const LOST: u32 = 1 << 30;
const SENDS: u32 = LOST - 1;

impl Record {
    /// A segment that is sent for the first time.
    fn first(sent_at: Instant) -> Self {
        Self {
            sent_at: halves(sent_at),
            sends: 1,
        }
    }

    /// When it was last sent.
    #[inline]
    pub fn sent_at(&self) -> Instant {
        let [low, high] = self.sent_at;
        Instant::from_nanos(u64::from(high) << 32 | u64::from(low))
    }

    /// How often it has been sent.
    #[inline]
    pub fn transmissions(&self) -> u32 {
        self.sends & SENDS
    }

    /// Whether the receiver has reported it in a SACK block.
    #[inline]
    pub fn sacked(&self) -> bool {
        self.sends & SACKED != 0
    }

    /// Sets whether the receiver has reported it in a SACK block.
    #[inline]
    pub fn set_sacked(&mut self, sacked: bool) {
        self.sends = self.sends & !SACKED | if sacked { SACKED } else { 0 };
    }

    /// Whether it is lost and has not been sent again since; only [`Rack`](crate::recovery::Rack) sets it.
    #[inline]
    pub fn lost(&self) -> bool {
        self.sends & LOST != 0
    }

    /// Sets whether it is lost.
    #[inline]
    pub fn set_lost(&mut self, lost: bool) {
        self.sends = self.sends & !LOST | if lost { LOST } else { 0 };
    }

    /// Counts one more transmission.
    #[inline]
    pub(crate) fn send_again(&mut self, sent_at: Instant) {
        self.sent_at = halves(sent_at);
        self.sends += 1;
    }
}

fn halves(time: Instant) -> [u32; 2] {
    let nanos = time.as_nanos();
    [nanos as u32, (nanos >> 32) as u32]
}

/// The records of consecutive segments, in a ring that grows with the flight, and shrinks after a loss
/// episode that has left a much smaller one.
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
            self.resize(una..seq, (seq - una + 1) as usize);
        }
        *self.at_mut(seq) = Record::first(sent_at);
    }

    /// Returns memory if the segments in flight need less than a quarter of it.
    #[cold]
    pub(crate) fn trim(&mut self, flight: Range<u64>) {
        let room = 2 * (flight.end - flight.start).max(8) as usize;
        if self.ring.len() > 2 * room {
            self.resize(flight, room);
        }
    }

    #[cold]
    fn resize(&mut self, flight: Range<u64>, room: usize) {
        let capacity = room.next_power_of_two();
        let mut ring = vec![Record::default(); capacity].into_boxed_slice();
        for seq in flight {
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
        records.at_mut(107).send_again(Instant::from_nanos(107));
        for seq in 116..150 {
            records.start(105, seq, Instant::from_nanos(seq));
        }
        for seq in 105..150 {
            assert_eq!(records.at(seq).sent_at(), Instant::from_nanos(seq));
        }
        assert_eq!(records.at(107).transmissions(), 2);
    }

    #[test]
    fn a_record_keeps_both_halves_of_its_time_and_its_count_beside_the_sack() {
        let mut record = Record::first(Instant::from_nanos(7));
        let late = Instant::from_nanos(u64::MAX - 1);
        record.set_sacked(true);
        record.send_again(late);
        assert_eq!(
            (record.sent_at(), record.transmissions(), record.sacked()),
            (late, 2, true)
        );
        record.set_sacked(false);
        assert_eq!((record.transmissions(), record.sacked()), (2, false));
    }

    #[test]
    fn trimming_keeps_the_flight_and_returns_memory_only_if_much_is_unused() {
        let mut records = Records::new();
        for seq in 0..1_000 {
            records.start(0, seq, Instant::from_nanos(seq));
        }
        records.trim(0..300);
        assert_eq!(records.ring.len(), 1_024);
        records.trim(980..1_000);
        assert_eq!(records.ring.len(), 64);
        assert!((980..1_000).all(|seq| records.at(seq).sent_at().as_nanos() == seq));
    }
}
