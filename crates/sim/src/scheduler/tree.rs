//! A winner tree of packed keys: the scheduler for few entries.
//!
//! Every entry has a leaf; every inner node holds the lesser of its two children, the root the
//! least of all. A key is `time << 6 | entry`, so that one comparison decides both. An update
//! walks from leaf to root without a branch that could be mispredicted.

use super::{Scheduler, TIME_LIMIT};

/// The key of an entry that is not scheduled.
const NEVER: u64 = u64::MAX;

#[derive(Debug)]
pub(crate) struct Tree {
    /// The root is node 1, the children of node i are 2i and 2i + 1.
    nodes: [u64; 2 * Tree::CAPACITY as usize],
    leaves: u32,
}

impl Tree {
    /// The largest number of entries.
    pub const CAPACITY: u32 = 64;

    /// An empty tree for entries below `entries`.
    pub fn new(entries: u32) -> Self {
        debug_assert!(entries <= Self::CAPACITY);
        Self {
            nodes: [NEVER; 2 * Self::CAPACITY as usize],
            leaves: entries.next_power_of_two().max(2),
        }
    }

    #[inline]
    fn update(&mut self, entry: u32, key: u64) {
        const MASK: usize = 2 * Tree::CAPACITY as usize - 1;
        let mut node = (self.leaves + entry) as usize & MASK;
        let mut least = key;
        self.nodes[node] = key;
        while node > 1 {
            least = least.min(self.nodes[node ^ 1]);
            node >>= 1;
            self.nodes[node] = least;
        }
    }

    #[inline]
    fn first_entry(&self) -> u32 {
        (self.nodes[1] & 63) as u32
    }
}

impl Scheduler for Tree {
    #[inline]
    fn first(&mut self, limit: u64) -> Option<(u64, u32)> {
        debug_assert!(limit < TIME_LIMIT - 1);
        let key = self.nodes[1];
        (key <= limit << 6 | 63).then_some((key >> 6, (key & 63) as u32))
    }

    #[inline]
    fn replace_first(&mut self, time: u64) {
        let entry = self.first_entry();
        self.update(entry, time << 6 | u64::from(entry));
    }

    #[inline]
    fn remove_first(&mut self) {
        self.update(self.first_entry(), NEVER);
    }

    #[inline]
    fn insert(&mut self, entry: u32, time: u64) {
        self.update(entry, time << 6 | u64::from(entry));
    }

    fn remove(&mut self, entry: u32, _time: u64) {
        self.update(entry, NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_come_out_by_entry() {
        let mut tree = Tree::new(5);
        for entry in [3, 0, 4, 1] {
            tree.insert(entry, 10);
        }
        tree.insert(2, 9);
        let mut order = Vec::new();
        while let Some((_, entry)) = tree.first(10) {
            order.push(entry);
            tree.remove_first();
        }
        assert_eq!(order, [2, 0, 1, 3, 4]);
    }

    #[test]
    fn a_limit_includes_its_own_moment() {
        let mut tree = Tree::new(64);
        tree.insert(63, 10);
        assert_eq!(tree.first(9), None);
        assert_eq!(tree.first(10), Some((10, 63)));
    }
}
