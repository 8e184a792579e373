//! The record that a sender keeps of each segment in flight.

use std::ops::Range;

use dumbbell_control::units::Instant;

/// A segment that has been sent and is not yet acknowledged, in 8 bytes: with many connections, they take
/// most of the memory.
///
/// The top 54 bits are the time at which it was last sent, in nanoseconds: 208 days. The next 8 count how
/// often it has been sent, up to 255. The last two say whether it is lost, and whether the receiver has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record(u64);

const SACKED: u64 = 1;
const LOST: u64 = 1 << 1;
const SENDS: u64 = 0b1111_1111 << 2;
const ONE_SEND: u64 = 1 << 2;
const TIME_SHIFT: u32 = 10;

impl Record {
    /// A segment that is sent for the first time.
    #[inline]
    fn first(sent_at: Instant) -> Self {
        Self(shifted(sent_at) | ONE_SEND)
    }

    /// When it was last sent.
    #[inline]
    pub fn sent_at(&self) -> Instant {
        Instant::from_nanos(self.0 >> TIME_SHIFT)
    }

    /// How often it has been sent, at most 255.
    #[inline]
    pub fn transmissions(&self) -> u32 {
        ((self.0 & SENDS) / ONE_SEND) as u32
    }

    /// Whether the receiver has reported it in a SACK block.
    #[inline]
    pub fn sacked(&self) -> bool {
        self.0 & SACKED != 0
    }

    /// Sets whether the receiver has reported it in a SACK block.
    #[inline]
    pub fn set_sacked(&mut self, sacked: bool) {
        self.0 = self.0 & !SACKED | u64::from(sacked);
    }

    /// Whether it is lost and has not been sent again since; only [`Rack`](crate::recovery::Rack) sets it.
    #[inline]
    pub fn lost(&self) -> bool {
        self.0 & LOST != 0
    }

    /// Sets whether it is lost.
    #[inline]
    pub fn set_lost(&mut self, lost: bool) {
        self.0 = self.0 & !LOST | if lost { LOST } else { 0 };
    }

    /// Counts one more transmission.
    #[inline]
    pub(crate) fn send_again(&mut self, sent_at: Instant) {
        let sends = ((self.0 & SENDS) + ONE_SEND).min(SENDS);
        self.0 = shifted(sent_at) | sends | self.0 & SACKED;
    }
}

#[inline]
fn shifted(time: Instant) -> u64 {
    let nanos = time.as_nanos();
    debug_assert!(nanos >> (u64::BITS - TIME_SHIFT) == 0, "beyond 208 days");
    nanos << TIME_SHIFT
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

    /// Returns memory if the segments in flight need a quarter of it or less.
    #[cold]
    pub(crate) fn trim(&mut self, flight: Range<u64>) {
        let room = (flight.end - flight.start).max(8) as usize;
        if self.ring.len() >= 4 * room {
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
    fn a_record_keeps_its_time_and_its_count_beside_the_sack() {
        let mut record = Record::first(Instant::from_nanos(7));
        let late = Instant::from_nanos((1 << 54) - 1);
        record.set_sacked(true);
        record.send_again(late);
        assert_eq!(
            (record.sent_at(), record.transmissions(), record.sacked()),
            (late, 2, true)
        );
        record.set_sacked(false);
        assert_eq!((record.transmissions(), record.sacked()), (2, false));
        for _ in 0..600 {
            record.send_again(late);
        }
        assert_eq!((record.transmissions(), record.sent_at()), (255, late));
    }

    #[test]
    fn trimming_keeps_the_flight_and_returns_memory_only_if_much_is_unused() {
        let mut records = Records::new();
        for seq in 0..1_000 {
            records.start(0, seq, Instant::from_nanos(seq));
        }
        records.trim(700..1_000);
        assert_eq!(records.ring.len(), 1_024);
        records.trim(980..1_000);
        assert_eq!(records.ring.len(), 32);
        assert!((980..1_000).all(|seq| records.at(seq).sent_at().as_nanos() == seq));
    }
}
