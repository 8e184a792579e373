//! A queue in one piece of memory, whose places are found without a search.

/// A first-in, first-out queue. Its memory grows when it is full, and is then used in turn.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    /// A power of two of places; none at first.
    places: Box<[T]>,
    /// How many entries have been taken and appended; the places are these numbers modulo their number.
    taken: usize,
    appended: usize,
}

impl<T: Copy> Ring<T> {
    const FIRST: usize = 16;

    pub fn new() -> Self {
        Self {
            places: Box::default(),
            taken: 0,
            appended: 0,
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.appended.wrapping_sub(self.taken)
    }

    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, entry: T) {
        if self.len() == self.places.len() {
            self.grow(entry);
        }
        let place = self.appended & (self.places.len() - 1);
        self.places[place] = entry;
        self.appended = self.appended.wrapping_add(1);
    }

    /// Returns the entry with `behind` others before it.
    #[inline]
    pub fn get(&self, behind: usize) -> Option<&T> {
        if behind >= self.len() {
            return None;
        }
        let place = self.taken.wrapping_add(behind) & (self.places.len() - 1);
        Some(&self.places[place])
    }

    /// Removes the first entry, if there is one.
    #[inline]
    pub fn remove_first(&mut self) {
        if self.len() > 0 {
            self.taken = self.taken.wrapping_add(1);
        }
    }

    /// Doubles the places, which are all in use. What is not yet in use is filled with `entry`.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, entry: T) {
        let mut places = Vec::with_capacity((2 * self.places.len()).max(Self::FIRST));
        places.extend((0..self.len()).filter_map(|behind| self.get(behind)));
        (self.taken, self.appended) = (0, places.len());
        places.resize(places.capacity(), entry);
        self.places = places.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};
    use std::collections::VecDeque;

    /// Beside the queue of the standard library, while it grows, is used in turn, and empties.
    #[test]
    fn entries_leave_in_the_order_in_which_they_came() {
        let mut random = stream(5, Component::host(0, 0));
        let (mut ring, mut model) = (Ring::new(), VecDeque::new());
        let mut most = 0;
        for round in 0..20_000_u32 {
            let draw = random.next_u64();
            // Longer and longer waves.
            let filling = round / 500 % 2 == 0;
            if draw % 8 < if filling { 5 } else { 3 } {
                ring.push(round);
                model.push_back(round);
            } else {
                ring.remove_first();
                model.pop_front();
            }
            let behind = (draw >> 8) as usize % 40;
            assert_eq!(ring.get(behind), model.get(behind));
            assert_eq!(ring.len(), model.len());
            most = most.max(ring.len());
        }
        assert!(most > 4 * Ring::<u32>::FIRST, "{most}");
    }
}
