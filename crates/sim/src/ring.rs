//! A FIFO in a ring of memory that doubles when it is full.

/// Items in the order in which they were appended. Unlike that of a `VecDeque`, its length is a power of two,
/// so that a place is found without a comparison.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    items: Vec<T>,
    head: usize,
    len: usize,
}

impl<T: Copy> Ring<T> {
    /// Makes an empty ring that takes no memory.
    pub const fn new() -> Self {
        Self {
            items: Vec::new(),
            head: 0,
            len: 0,
        }
    }

    /// How many items have been taken out since the ring was made, modulo its size: for work that is done
    /// once for several items.
    #[inline]
    pub fn taken(&self) -> usize {
        self.head
    }

    #[inline]
    pub fn push(&mut self, item: T) {
        if self.len == self.items.len() {
            return self.grow(item);
        }
        let place = (self.head + self.len) & (self.items.len() - 1);
        self.items[place] = item;
        self.len += 1;
    }

    /// Returns the item `ahead` places behind the first.
    #[inline]
    pub fn get(&self, ahead: usize) -> Option<&T> {
        (ahead < self.len).then(|| &self.items[(self.head + ahead) & (self.items.len() - 1)])
    }

    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let item = *self.get(0)?;
        self.head = (self.head + 1) & (self.items.len() - 1);
        self.len -= 1;
        Some(item)
    }

    /// All items, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).filter_map(|ahead| self.get(ahead))
    }

    #[cold]
    fn grow(&mut self, item: T) {
        let size = (2 * self.items.len()).max(16);
        let mut items = Vec::with_capacity(size);
        items.extend(self.iter());
        items.resize(size, item);
        self.items = items;
        self.head = 0;
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_out_in_order_while_the_ring_turns_and_grows() {
        let mut ring = Ring::new();
        let (mut next, mut expected) = (0, 0);
        for round in 0..200 {
            for _ in 0..round % 7 + 1 {
                ring.push(next);
                next += 1;
            }
            for _ in 0..round % 5 {
                assert_eq!(ring.pop(), (expected < next).then_some(expected));
                expected = (expected + 1).min(next);
            }
            assert!(ring.iter().copied().eq(expected..next));
            assert_eq!(
                ring.get(3),
                (expected + 3 < next).then_some(expected + 3).as_ref()
            );
        }
    }
}
