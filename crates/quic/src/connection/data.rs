//! Which pieces of the stream are complete.

use std::collections::VecDeque;

/// A set of pieces, from the first on: a prefix, and what is known above it.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    prefix: u64,
    above: VecDeque<bool>,
    count: u64,
}

impl Pieces {
    /// Adds a piece; `false` if it is there already.
    pub fn insert(&mut self, piece: u64) -> bool {
        let Some(place) = piece.checked_sub(self.prefix) else {
            return false;
        };
        let place = place as usize;
        if place >= self.above.len() {
            if place == 0 {
                // In order, as nearly always.
                self.prefix += 1;
                self.count += 1;
                return true;
            }
            self.above.resize(place + 1, false);
        }
        if std::mem::replace(&mut self.above[place], true) {
            return false;
        }
        self.count += 1;
        while let Some(true) = self.above.front() {
            self.above.pop_front();
            self.prefix += 1;
        }
        true
    }

    /// Whether a piece is there.
    pub fn contains(&self, piece: u64) -> bool {
        match piece.checked_sub(self.prefix) {
            None => true,
            Some(place) => self.above.get(place as usize).copied().unwrap_or(false),
        }
    }

    /// The pieces from the first on without a hole.
    pub fn prefix(&self) -> u64 {
        self.prefix
    }

    /// All pieces.
    pub fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_holds_the_prefix_back() {
        let mut pieces = Pieces::default();
        assert!(
            [0, 1, 3, 4]
                .map(|piece| pieces.insert(piece))
                .iter()
                .all(|new| *new)
        );
        assert_eq!((pieces.prefix(), pieces.count()), (2, 4));
        assert!(pieces.contains(1) && !pieces.contains(2) && pieces.contains(4));
        assert!(!pieces.insert(1) && !pieces.insert(3));
        assert!(pieces.insert(2));
        assert_eq!((pieces.prefix(), pieces.count()), (5, 5));
        assert!(!pieces.contains(5));
    }
}
