//! Lists of scheduled entries: each entry is in one list at most, and knows the next one.

use super::bitmap::Bitmap;

/// No entry: the end of a list.
pub(super) const NIL: u32 = u32::MAX;

/// A ring of intrusive lists of entries and the set of those that are not empty.
#[derive(Debug)]
pub(super) struct Lists {
    heads: Box<[u32]>,
    occupied: Bitmap,
}

impl Lists {
    pub fn new(log2: u32) -> Self {
        Self {
            heads: vec![NIL; 1 << log2].into(),
            occupied: Bitmap::new(1 << log2),
        }
    }

    #[inline]
    pub fn len(&self) -> u64 {
        self.heads.len() as u64
    }

    #[inline]
    pub fn position(&self, list: u64) -> usize {
        list as usize & (self.heads.len() - 1)
    }

    pub fn head(&self, list: u64) -> u32 {
        self.heads[self.position(list)]
    }

    /// Returns the distance from list number `from` to the next list that is not empty.
    #[inline]
    pub fn distance(&self, from: u64) -> Option<u64> {
        let from = self.position(from);
        let next = self.occupied.next_around(from)?;
        Some((next.wrapping_sub(from) & (self.heads.len() - 1)) as u64)
    }

    #[inline]
    pub fn insert(&mut self, list: u64, entry: u32, slots: &mut Slots) {
        let position = self.position(list);
        slots.set_next(entry, std::mem::replace(&mut self.heads[position], entry));
        self.occupied.insert(position);
    }

    /// Empties a list and returns its first entry.
    #[inline]
    pub fn take(&mut self, list: u64) -> u32 {
        let position = self.position(list);
        self.occupied.remove(position);
        std::mem::replace(&mut self.heads[position], NIL)
    }

    pub fn remove(&mut self, list: u64, entry: u32, slots: &mut Slots) {
        let position = self.position(list);
        let after = slots.next(entry);
        let mut link = self.heads[position];
        if link == entry {
            self.heads[position] = after;
            if after == NIL {
                self.occupied.remove(position);
            }
            return;
        }
        while link != NIL {
            let next = slots.next(link);
            if next == entry {
                slots.set_next(link, after);
                return;
            }
            link = next;
        }
    }
}

/// The time of each entry, and the next entry of its list. All are zero at first, so that entries that are never
/// scheduled take no memory.
#[derive(Debug)]
pub(super) struct Slots(Box<[[u64; 2]]>);

impl Slots {
    pub fn new(entries: u32) -> Self {
        Self(vec![[0; 2]; entries as usize].into())
    }

    #[inline]
    pub fn time(&self, entry: u32) -> u64 {
        self.0[entry as usize][0]
    }

    #[inline]
    pub fn next(&self, entry: u32) -> u32 {
        self.0[entry as usize][1] as u32
    }

    #[inline]
    pub fn set_time(&mut self, entry: u32, time: u64) {
        self.0[entry as usize][0] = time;
    }

    #[inline]
    pub fn set_next(&mut self, entry: u32, next: u32) {
        self.0[entry as usize][1] = u64::from(next);
    }
}
