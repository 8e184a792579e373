//! The packets that a wireless link is known to have lost.

/// The number of packets that are remembered. The lowest numbers are forgotten first; those packets were
/// found missing long ago.
const PLACES: usize = 128;

/// A bounded set of packet numbers, in order.
#[derive(Clone, Debug)]
pub struct Told {
    numbers: [u64; PLACES],
    count: usize,
}

impl Told {
    /// Makes an empty set.
    pub const fn new() -> Self {
        Self {
            numbers: [0; PLACES],
            count: 0,
        }
    }

    /// Records that the link lost this packet.
    pub fn insert(&mut self, seq: u64) {
        let at = self.numbers().partition_point(|&known| known < seq);
        if self.numbers().get(at) == Some(&seq) {
            return;
        }
        if self.count < PLACES {
            self.count += 1;
            self.numbers[at..self.count].rotate_right(1);
            self.numbers[at] = seq;
        } else if at > 0 {
            self.numbers[..at].rotate_left(1);
            self.numbers[at - 1] = seq;
        }
    }

    /// Returns whether the link is known to have lost this packet.
    pub fn contains(&self, seq: u64) -> bool {
        self.numbers().binary_search(&seq).is_ok()
    }

    /// Returns the recorded packets from `first` to before `end`, in order.
    pub fn within(&self, first: u64, end: u64) -> impl Iterator<Item = u64> + '_ {
        let from = self.numbers().partition_point(|&known| known < first);
        self.numbers()[from..]
            .iter()
            .copied()
            .take_while(move |&seq| seq < end)
    }

    fn numbers(&self) -> &[u64] {
        &self.numbers[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_in_order_and_once() {
        let mut told = Told::new();
        for seq in [7, 3, 9, 3, 5] {
            told.insert(seq);
        }
        assert_eq!(told.within(0, 100).collect::<Vec<_>>(), [3, 5, 7, 9]);
        assert_eq!(told.within(4, 9).collect::<Vec<_>>(), [5, 7]);
        assert!(told.contains(7) && !told.contains(8));
    }

    #[test]
    fn the_lowest_is_forgotten_first() {
        let mut told = Told::new();
        for seq in 1..=130 {
            told.insert(seq);
        }
        assert_eq!(told.within(0, 5).collect::<Vec<_>>(), [3, 4]);
        told.insert(1);
        assert!(!told.contains(1) && told.contains(3) && told.contains(130));
    }
}
