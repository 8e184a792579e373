//! A FIFO in blocks of memory: it grows and shrinks without a copy.

use std::collections::VecDeque;

/// The items in a block.
const BLOCK: usize = 256;

/// Items in the order in which they were appended.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    /// The first block, and the place of the first item in it. There is one unless the ring is empty.
    front: Vec<T>,
    head: usize,
    /// Full blocks.
    middle: VecDeque<Vec<T>>,
    /// The last block, which is not full.
    back: Vec<T>,
    /// Empty blocks, to be used again.
    spare: Vec<Vec<T>>,
}

impl<T: Copy> Ring<T> {
    /// Makes an empty ring that takes no memory.
    pub const fn new() -> Self {
        Self {
            front: Vec::new(),
            head: 0,
            middle: VecDeque::new(),
            back: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// A number that increases by one with each item that is taken out, and starts again sometimes: for work
    /// that is done once for several items.
    #[inline]
    pub fn taken(&self) -> usize {
        self.head
    }

    #[inline(always)]
    pub fn push(&mut self, item: T) {
        if self.back.len() == self.back.capacity() {
            self.open_block();
        }
        self.back.push(item);
        if self.head == self.front.len() {
            self.next_block();
        }
    }

    #[inline]
    pub fn first(&self) -> Option<&T> {
        self.front.get(self.head)
    }

    /// Returns the item `ahead` places behind the first.
    #[inline]
    pub fn get(&self, ahead: usize) -> Option<&T> {
        let place = self.head + ahead;
        match self.front.get(place) {
            None => self.get_later(place - self.front.len()),
            item => item,
        }
    }

    fn get_later(&self, place: usize) -> Option<&T> {
        match self.middle.get(place / BLOCK) {
            Some(block) => block.get(place % BLOCK),
            None => self.back.get(place - self.middle.len() * BLOCK),
        }
    }

    /// Removes the first item; there must be one.
    #[inline]
    pub fn drop_first(&mut self) {
        self.head += 1;
        if self.head >= self.front.len() {
            self.next_block();
        }
    }

    /// All items, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let front = self.front.get(self.head..).unwrap_or_default();
        front
            .iter()
            .chain(self.middle.iter().flatten())
            .chain(&self.back)
    }

    /// Puts the last block, which is full, into the middle, and begins another one.
    #[cold]
    fn open_block(&mut self) {
        let empty = self
            .spare
            .pop()
            .unwrap_or_else(|| Vec::with_capacity(BLOCK));
        let full = std::mem::replace(&mut self.back, empty);
        if !full.is_empty() {
            self.middle.push_back(full);
        }
    }

    /// Goes on to the next block when the first one is used up.
    #[inline(never)]
    fn next_block(&mut self) {
        self.head = 0;
        self.front.clear();
        match self.middle.pop_front() {
            Some(block) => {
                let used = std::mem::replace(&mut self.front, block);
                // A ring that has become much shorter returns its memory.
                if used.capacity() > 0 && self.spare.len() <= 2 + self.middle.len() / 4 {
                    self.spare.push(used);
                }
            }
            None => std::mem::swap(&mut self.front, &mut self.back),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_out_in_order_while_the_ring_grows_and_shrinks() {
        let mut ring = Ring::new();
        let (mut next, mut expected) = (0, 0);
        for round in 0..2_000 {
            let (pushed, popped) = if round < 1_000 { (7, 5) } else { (5, 8) };
            for _ in 0..pushed {
                ring.push(next);
                next += 1;
            }
            for _ in 0..popped {
                assert_eq!(ring.first(), (expected < next).then_some(&expected));
                if expected < next {
                    ring.drop_first();
                    expected += 1;
                }
            }
            let there = next - expected;
            for ahead in [0, 3, 300, 1_000] {
                let item = (there > ahead).then_some(expected + ahead);
                assert_eq!(ring.get(ahead), item.as_ref());
            }
            assert_eq!(ring.first(), ring.get(0));
            assert!(ring.middle.len() + ring.spare.len() <= 4 + there / BLOCK * 5 / 4);
        }
        assert!(ring.iter().copied().eq(expected..next));
    }
}
