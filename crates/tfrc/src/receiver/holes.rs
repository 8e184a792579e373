//! The missing packets, and when they count as lost (RFC 5348, section 5.1).

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};

use super::config::ReceiverConfig;

/// A hole: consecutive missing packets, and the packets around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hole {
    /// The first missing number.
    pub first: u64,
    /// The number after the last missing one.
    pub end: u64,
    /// The last packet that arrived before any packet above the hole.
    pub before: Stamp,
    /// The first packet that arrived above the hole.
    pub after: Stamp,
    /// The round-trip time in the header of `after`.
    pub rtt: Option<Duration>,
    /// The sender's round in the header of `after`.
    pub round: u32,
    newer: u32,
}

/// A packet number with a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The packet's number.
    pub seq: u64,
    /// The time at which it arrived or was sent.
    pub at: Instant,
}

impl Hole {
    /// Returns when a missing packet would have arrived, interpolated between the neighbours of the hole
    /// by its number (section 5.2) and rounded down to a nanosecond.
    pub fn time_of(&self, seq: u64) -> Instant {
        // Numbers wrap around if the very first packet is missing.
        let place = u128::from(seq.wrapping_sub(self.before.seq));
        let part = place * u128::from(self.span().as_nanos()) / self.distance();
        // The time is within the span because the packet is within the distance.
        self.before.at + Duration::from_nanos(part as u64)
    }

    /// Returns the first missing packet from `seq` on whose time is after `time`.
    pub fn first_after(&self, time: Instant, seq: u64) -> Option<u64> {
        let found = if self.time_of(seq) > time {
            seq
        } else {
            let span = u128::from(self.span().as_nanos());
            if span == 0 {
                return None;
            }
            // The smallest k with k * span / distance >= late.
            let late = u128::from(time.since(self.before.at).as_nanos()) + 1;
            let place = (late * self.distance()).div_ceil(span);
            let place = u64::try_from(place).ok()?;
            self.before.seq.wrapping_add(place)
        };
        (found < self.end && found >= seq).then_some(found)
    }

    fn span(&self) -> Duration {
        self.after.at.since(self.before.at)
    }

    fn distance(&self) -> u128 {
        u128::from(self.after.seq.wrapping_sub(self.before.seq)).max(1)
    }
}

/// The classification of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It has the highest number so far.
    New,
    /// It fills a hole that has not yet counted as lost.
    Filling,
    /// It has arrived before, or has been counted as lost.
    Old,
}

/// The properties of an arriving packet that matter here.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Its number and time.
    pub stamp: Stamp,
    /// The round-trip time in its header.
    pub rtt: Option<Duration>,
    /// The sender's round in its header.
    pub round: u32,
}

/// Each hole has one arrival above it that the next higher hole has not. Therefore fewer holes than the
/// tolerance are open, plus two temporarily.
const PLACES: usize = ReceiverConfig::MAX_TOLERANCE as usize + 2;

/// The holes that may still be filled, the lowest first.
#[derive(Clone, Debug)]
pub struct Holes {
    highest: u64,
    last: Stamp,
    tolerance: u32,
    count: usize,
    waiting: [Hole; PLACES],
}

impl Holes {
    /// Makes the state with `first`, the first packet to arrive; `expected` is the number of the
    /// connection's first packet, if it is known.
    pub fn new(tolerance: u32, first: Stamp, expected: Option<u64>) -> Self {
        let expected = expected.unwrap_or(first.seq).min(first.seq);
        let before = Stamp {
            seq: expected.wrapping_sub(1),
            at: first.at,
        };
        Self {
            highest: before.seq,
            last: before,
            tolerance: tolerance.clamp(1, ReceiverConfig::MAX_TOLERANCE),
            count: 0,
            waiting: [Hole::default(); PLACES],
        }
    }

    /// Returns the highest number that has arrived.
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Returns whether a packet may still arrive, or be found lost.
    pub fn is_open(&self, seq: u64) -> bool {
        seq > self.highest || self.waiting().iter().any(|hole| hole.contains(seq))
    }

    /// Handles an arriving packet.
    #[inline]
    pub fn on_arrival(&mut self, seen: &Seen) -> Place {
        let seq = seen.stamp.seq;
        // Numbers wrap around before the very first packet.
        let ahead = seq.wrapping_sub(self.highest.wrapping_add(1));
        let place = if self.highest == u64::MAX || seq > self.highest {
            for hole in &mut self.waiting[..self.count] {
                cold_path();
                hole.newer += 1;
            }
            if ahead > 0 {
                cold_path();
                self.open(seen);
            }
            self.highest = seq;
            Place::New
        } else {
            cold_path();
            self.fill(seq)
        };
        if place != Place::Old {
            self.last = seen.stamp;
        }
        place
    }

    /// Removes and returns the lowest hole if it counts as lost: enough packets above it have arrived,
    /// or `waits` is false.
    #[inline]
    pub fn take_lost(&mut self, waits: bool) -> Option<Hole> {
        let hole = *self.waiting().first()?;
        if waits && hole.newer < self.tolerance {
            return None;
        }
        cold_path();
        self.waiting[..self.count].rotate_left(1);
        self.count -= 1;
        Some(hole)
    }

    fn waiting(&self) -> &[Hole] {
        &self.waiting[..self.count]
    }

    fn open(&mut self, seen: &Seen) {
        debug_assert!(self.count < PLACES);
        self.waiting[self.count] = Hole {
            first: self.highest.wrapping_add(1),
            end: seen.stamp.seq,
            before: self.last,
            after: seen.stamp,
            rtt: seen.rtt,
            round: seen.round,
            newer: 1,
        };
        self.count += 1;
    }

    fn fill(&mut self, seq: u64) -> Place {
        let Some(index) = self.waiting().iter().position(|hole| hole.contains(seq)) else {
            return Place::Old;
        };
        for hole in &mut self.waiting[..index] {
            hole.newer += 1;
        }
        let whole = self.waiting[index];
        let lower = Hole {
            end: seq,
            newer: whole.newer + 1,
            ..whole
        };
        let upper = Hole {
            first: seq + 1,
            ..whole
        };
        match (lower.is_empty(), upper.is_empty()) {
            (true, true) => {
                self.waiting[index..self.count].rotate_left(1);
                self.count -= 1;
            }
            (true, false) => self.waiting[index] = upper,
            (false, true) => self.waiting[index] = lower,
            (false, false) => {
                debug_assert!(self.count < PLACES);
                self.waiting[index] = lower;
                self.count += 1;
                self.waiting[index + 1..self.count].rotate_right(1);
                self.waiting[index + 1] = upper;
            }
        }
        Place::Filling
    }
}

impl Hole {
    fn contains(&self, seq: u64) -> bool {
        (self.first..self.end).contains(&seq)
    }

    fn is_empty(&self) -> bool {
        self.first >= self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(seq: u64, ms: u64) -> Seen {
        Seen {
            stamp: Stamp {
                seq,
                at: Instant::from_nanos(ms * 1_000_000),
            },
            rtt: Some(Duration::from_millis(100)),
            round: 0,
        }
    }

    fn holes(first: u64) -> Holes {
        let mut holes = Holes::new(3, seen(first, 1_000).stamp, None);
        assert_eq!(holes.on_arrival(&seen(first, 1_000)), Place::New);
        holes
    }

    #[test]
    fn three_later_packets_make_a_loss() {
        let mut holes = holes(10);
        holes.on_arrival(&seen(14, 1_060));
        assert_eq!(holes.take_lost(true), None);
        holes.on_arrival(&seen(15, 1_061));
        assert_eq!(holes.take_lost(true), None);
        holes.on_arrival(&seen(16, 1_062));
        let hole = holes.take_lost(true).unwrap();
        assert_eq!((hole.first, hole.end), (11, 14));
        let times: Vec<_> = (11..14).map(|seq| hole.time_of(seq).as_nanos()).collect();
        assert_eq!(times, [1_015_000_000, 1_030_000_000, 1_045_000_000]);
        assert_eq!(holes.take_lost(true), None);
    }

    #[test]
    fn the_first_packet_after_a_time_is_found() {
        let mut holes = holes(10);
        holes.on_arrival(&seen(14, 1_060));
        let hole = holes.take_lost(false).unwrap();
        let after = |ms: u64, from| hole.first_after(Instant::from_nanos(ms * 1_000_000), from);
        assert_eq!(after(900, 11), Some(11));
        assert_eq!(after(1_014, 11), Some(11));
        assert_eq!(after(1_015, 11), Some(12));
        assert_eq!(after(1_020, 13), Some(13));
        assert_eq!(after(1_045, 11), None);
    }

    #[test]
    fn a_late_packet_splits_its_hole() {
        let mut holes = holes(10);
        holes.on_arrival(&seen(20, 1_100));
        assert_eq!(holes.on_arrival(&seen(15, 1_101)), Place::Filling);
        assert_eq!(holes.on_arrival(&seen(15, 1_102)), Place::Old);
        assert!(holes.is_open(14) && !holes.is_open(15) && holes.is_open(16));
        // The lower part has been followed by 20, 15 and now 21; the upper part by 20 and 21.
        holes.on_arrival(&seen(21, 1_103));
        let lower = holes.take_lost(true).unwrap();
        assert_eq!((lower.first, lower.end), (11, 15));
        assert_eq!(holes.take_lost(true), None);
        assert_eq!(holes.on_arrival(&seen(16, 1_104)), Place::Filling);
        assert_eq!(holes.on_arrival(&seen(22, 1_105)), Place::New);
        let upper = holes.take_lost(true).unwrap();
        assert_eq!((upper.first, upper.end), (17, 20));
    }

    #[test]
    fn a_duplicate_does_not_count_as_a_later_packet() {
        let mut holes = holes(10);
        holes.on_arrival(&seen(12, 1_010));
        for _ in 0..5 {
            assert_eq!(holes.on_arrival(&seen(12, 1_011)), Place::Old);
        }
        assert_eq!(holes.take_lost(true), None);
    }

    #[test]
    fn the_very_first_packet_can_be_missing() {
        let mut holes = Holes::new(1, seen(2, 7).stamp, Some(0));
        holes.on_arrival(&seen(2, 7));
        let hole = holes.take_lost(true).unwrap();
        assert_eq!((hole.first, hole.end), (0, 2));
        assert_eq!(hole.time_of(0), Instant::from_nanos(7_000_000));
        let begun = Holes::new(1, seen(2, 7).stamp, None);
        assert!(begun.is_open(2) && begun.take_lost_of_first().is_none());
    }

    impl Holes {
        fn take_lost_of_first(mut self) -> Option<Hole> {
            self.on_arrival(&seen(2, 7));
            self.take_lost(false)
        }
    }
}
