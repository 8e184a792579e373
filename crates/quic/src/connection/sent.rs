//! The packets of which nobody knows yet whether they arrived.

use dumbbell_control::delivery::Departure;
use dumbbell_control::units::Instant;

/// What has become of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is in flight.
    #[default]
    Open,
    /// An ACK has reported it.
    Acked,
    /// It is declared lost.
    Lost,
}

/// A packet that was sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    pub piece: u64,
    pub sent_at: Instant,
    pub fate: Fate,
    /// Whether the application had nothing more to send.
    pub app_limited: bool,
    pub departure: Departure,
}

/// Records by packet number, in a ring that grows with the flight.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// The oldest packet that is in flight, or the next one.
    first: u64,
    next: u64,
    ring: Box<[Record]>,
}

impl Sent {
    pub fn new() -> Self {
        Self {
            first: 0,
            next: 0,
            ring: vec![Record::default(); 16].into_boxed_slice(),
        }
    }

    /// The oldest packet that is in flight.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The number of the next packet.
    pub fn next(&self) -> u64 {
        self.next
    }

    fn place(&self, number: u64) -> usize {
        (number & (self.ring.len() as u64 - 1)) as usize
    }

    pub fn at(&self, number: u64) -> &Record {
        &self.ring[self.place(number)]
    }

    pub fn at_mut(&mut self, number: u64) -> &mut Record {
        let place = self.place(number);
        &mut self.ring[place]
    }

    /// Adds the next packet. Returns its number.
    pub fn push(&mut self, record: Record) -> u64 {
        let number = self.next;
        if number - self.first >= self.ring.len() as u64 {
            self.grow();
        }
        self.next += 1;
        *self.at_mut(number) = record;
        number
    }

    fn grow(&mut self) {
        let mut ring = vec![Record::default(); self.ring.len() * 2].into_boxed_slice();
        let mask = ring.len() as u64 - 1;
        for number in self.first..self.next {
            ring[(number & mask) as usize] = *self.at(number);
        }
        self.ring = ring;
    }

    /// Forgets the packets before the oldest one in flight.
    pub fn settle(&mut self) {
        while self.first < self.next && self.at(self.first).fate != Fate::Open {
            self.first += 1;
        }
    }
}
