//! A FIFO in blocks of memory: it grows and shrinks without a copy.

use std::collections::VecDeque;

/// log2 of the items in a block.
const BLOCK: usize = 8;
const MASK: usize = (1 << BLOCK) - 1;

/// Items in the order in which they were appended.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    blocks: VecDeque<Box<[T]>>,
    /// The place of the first item, counted from the beginning of the first block.
    head: usize,
    len: usize,
}

impl<T: Copy> Ring<T> {
    /// Makes an empty ring that takes no memory.
    pub const fn new() -> Self {
        Self {
            blocks: VecDeque::new(),
            head: 0,
            len: 0,
        }
    }

    /// A number that increases by one with each item that is taken out, and starts again sometimes: for work
    /// that is done once for several items.
    #[inline]
    pub fn taken(&self) -> usize {
        self.head
    }

    #[inline]
    pub fn push(&mut self, item: T) {
        let place = self.head + self.len;
        self.len += 1;
        match self.blocks.get_mut(place >> BLOCK) {
            Some(block) => block[place & MASK] = item,
            None => self.blocks.push_back(vec![item; 1 << BLOCK].into()),
        }
    }

    /// Returns the item `ahead` places behind the first.
    #[inline]
    pub fn get(&self, ahead: usize) -> Option<&T> {
        let place = self.head + ahead;
        (ahead < self.len).then(|| &self.blocks[place >> BLOCK][place & MASK])
    }

    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let item = *self.get(0)?;
        self.head += 1;
        self.len -= 1;
        if self.head > MASK {
            self.turn();
        }
        Some(item)
    }

    /// All items, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).filter_map(|ahead| self.get(ahead))
    }

    /// Puts the first block, which is empty, behind the last, if there are not many such already.
    #[cold]
    fn turn(&mut self) {
        self.head = 0;
        let needed = (self.len >> BLOCK) + 1;
        if let Some(block) = self.blocks.pop_front()
            && self.blocks.len() <= needed + needed / 4 + 4
        {
            self.blocks.push_back(block);
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
            let (pushed, popped) = if round < 1_000 { (7, 5) } else { (5, 7) };
            for _ in 0..pushed {
                ring.push(next);
                next += 1;
            }
            for _ in 0..popped {
                assert_eq!(ring.pop(), (expected < next).then_some(expected));
                expected = (expected + 1).min(next);
            }
            let there = ring.len;
            assert_eq!(there, next - expected);
            assert_eq!(ring.get(3), (there > 3).then_some(expected + 3).as_ref());
            assert!(ring.blocks.len() << BLOCK <= there + there / 4 + (8 << BLOCK));
        }
        assert!(ring.iter().copied().eq(expected..next));
    }
}
