//! The times at which the packets in a queue depart.

use crate::hint::cold_path;

/// A ring of times in increasing order. Times that are over are removed only when room is needed, or when
/// the others are counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Departures {
    /// As many as a power of two, or none.
    slots: Box<[u64]>,
    first: usize,
    len: usize,
}

impl Departures {
    /// Adds the departure of a packet that arrives now, later than all before it, unless as many packets as
    /// `limit` are waiting. Returns whether it did.
    #[inline]
    pub fn admit(&mut self, departure: u64, limit: u32, now: u64) -> bool {
        // One packet arrives for each that departs, or nearly so. Without a branch, because nothing says which it is.
        self.forget_one(now);
        let room = self.slots.len().min(limit as usize);
        if self.len >= room {
            cold_path();
            if self.len(now) >= limit as usize {
                return false;
            }
        }
        self.push(departure);
        true
    }

    /// Returns whether it holds at most this many departures. Those that are over count until they are forgotten.
    #[inline(always)]
    pub fn holds_at_most(&self, departures: usize) -> bool {
        self.len <= departures
    }

    /// Forgets the first departure if it is not after `now`.
    #[inline(always)]
    fn forget_one(&mut self, now: u64) {
        let mask = self.slots.len().wrapping_sub(1);
        let Some(&first) = self.slots.get(self.first & mask) else {
            cold_path();
            return;
        };
        let over = usize::from((first <= now) & (self.len > 0));
        self.first += over;
        self.len -= over;
    }

    /// Returns the number of departures after `now`, and forgets the others.
    pub fn len(&mut self, now: u64) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        while self.len > 0
            && let Some(&at) = self.slots.get(self.first & mask)
            && at <= now
        {
            self.first += 1;
            self.len -= 1;
        }
        self.len
    }

    /// Adds a departure, later than all before it.
    #[inline]
    pub fn push(&mut self, departure: u64) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len().wrapping_sub(1);
        if let Some(slot) = self.slots.get_mut((self.first + self.len) & mask) {
            *slot = departure;
            self.len += 1;
        }
    }

    /// Forgets all departures.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    #[cold]
    fn grow(&mut self) {
        let mask = self.slots.len().wrapping_sub(1);
        let kept = (self.first..self.first + self.len).map(|place| self.slots[place & mask]);
        let mut slots: Vec<u64> = kept.collect();
        slots.resize((2 * self.len).max(8), 0);
        self.slots = slots.into();
        self.first = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_wait_than_the_limit() {
        let mut departures = Departures::default();
        let admitted = (1..=5).map(|at| departures.admit(at * 10, 3, 0));
        assert_eq!(
            admitted.collect::<Vec<_>>(),
            [true, true, true, false, false]
        );
        assert!(!departures.admit(60, 3, 9));
        assert!(
            departures.admit(60, 3, 10),
            "the one that departs now has left"
        );
        assert_eq!(
            [29, 30, 59, 60].map(|now| departures.len(now)),
            [2, 1, 1, 0]
        );
    }

    /// A ring that grows while its first place is not the first slot keeps the order.
    #[test]
    fn a_ring_grows_in_order() {
        let mut departures = Departures::default();
        for at in 1..=8 {
            departures.push(at);
        }
        assert_eq!(departures.len(5), 3);
        for at in 9..=40 {
            departures.push(at);
        }
        assert_eq!(
            [6, 9, 38, 40].map(|now| departures.len(now)),
            [34, 31, 2, 0]
        );
    }

    #[test]
    fn without_a_limit_places_of_the_past_are_used_again() {
        let mut departures = Departures::default();
        for at in 1..10_000 {
            assert!(departures.admit(at + 3, u32::MAX, at));
        }
        assert_eq!(departures.slots.len(), 8);
    }
}
