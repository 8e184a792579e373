//! A set of small numbers that finds its next element fast.

/// A set of numbers below 2^20: three levels of bitmaps, each of which marks the non-zero words of the
/// level below.
#[derive(Debug)]
pub(crate) struct Bitmap {
    words: Box<[u64]>,
    groups: Box<[u64; 256]>,
    top: [u64; 4],
}

impl Bitmap {
    /// The largest supported capacity, as a power of two.
    pub const LARGEST: u32 = 20;

    /// Makes an empty set of numbers below `capacity`.
    pub fn new(capacity: usize) -> Self {
        debug_assert!(capacity <= 1 << Self::LARGEST);
        Self {
            words: vec![0; capacity.div_ceil(64)].into(),
            groups: Box::new([0; 256]),
            top: [0; 4],
        }
    }

    #[inline]
    pub fn insert(&mut self, number: usize) {
        let word = number >> 6;
        self.words[word] |= 1 << (number & 63);
        self.groups[word >> 6 & 255] |= 1 << (word & 63);
        self.top[word >> 12 & 3] |= 1 << (word >> 6 & 63);
    }

    #[inline]
    pub fn remove(&mut self, number: usize) {
        let word = number >> 6;
        self.words[word] &= !(1 << (number & 63));
        if self.words[word] == 0 {
            let group = &mut self.groups[word >> 6 & 255];
            *group &= !(1 << (word & 63));
            if *group == 0 {
                self.top[word >> 12 & 3] &= !(1 << (word >> 6 & 63));
            }
        }
    }

    /// Returns the first number of the set from `start` on, wrapping around to zero after the last.
    #[inline]
    pub fn next_around(&self, start: usize) -> Option<usize> {
        let word = start >> 6;
        let rest = self.words[word] & u64::MAX << (start & 63);
        if rest != 0 {
            return Some(word << 6 | rest.trailing_zeros() as usize);
        }
        self.next_word(word).or_else(|| self.least())
    }

    /// Returns the first number in a word after this one.
    #[inline]
    fn next_word(&self, word: usize) -> Option<usize> {
        let group = word >> 6;
        let rest = self.groups[group & 255] & after(word & 63);
        if rest != 0 {
            return Some(self.in_word(group << 6 | rest.trailing_zeros() as usize));
        }
        let rest = self.top[group >> 6 & 3] & after(group & 63);
        if rest != 0 {
            return Some(self.in_group(group & !63 | rest.trailing_zeros() as usize));
        }
        self.in_top((group >> 6) + 1)
    }

    fn least(&self) -> Option<usize> {
        self.in_top(0)
    }

    /// Returns the first number marked in the words of the top level from this one on.
    fn in_top(&self, from: usize) -> Option<usize> {
        let words = (from..4).map(|word| (word, self.top[word]));
        let (word, bits) = words.into_iter().find(|&(_, bits)| bits != 0)?;
        Some(self.in_group(word << 6 | bits.trailing_zeros() as usize))
    }

    #[inline]
    fn in_group(&self, group: usize) -> usize {
        self.in_word(group << 6 | self.groups[group & 255].trailing_zeros() as usize)
    }

    #[inline]
    fn in_word(&self, word: usize) -> usize {
        word << 6 | self.words[word].trailing_zeros() as usize
    }
}

/// Returns a mask of the bits above bit `bit`.
#[inline]
fn after(bit: usize) -> u64 {
    (u64::MAX - 1) << (bit & 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_next_number_in_every_level() {
        let mut set = Bitmap::new(1 << 20);
        assert_eq!(set.next_around(0), None);
        for number in [5, 63, 64, 4_095, 4_096, 200_000, 1_048_575] {
            set.insert(number);
        }
        let next = |set: &Bitmap, start| set.next_around(start).unwrap();
        let starts = [0, 5, 6, 64, 65, 4_096, 4_097, 200_001];
        let found = starts.map(|start| next(&set, start));
        assert_eq!(found, [5, 5, 63, 64, 4_095, 4_096, 200_000, 1_048_575]);
        set.remove(1_048_575);
        assert_eq!(next(&set, 200_001), 5);
        set.remove(5);
        assert_eq!(next(&set, 262_143), 63);
        for number in [63, 64, 4_095, 4_096, 200_000] {
            set.remove(number);
        }
        assert_eq!(set.next_around(17), None);
    }

    #[test]
    fn a_set_of_one_word_goes_around() {
        let mut set = Bitmap::new(64);
        set.insert(0);
        assert_eq!(set.next_around(63), Some(0));
        set.insert(63);
        assert_eq!(set.next_around(1), Some(63));
    }
}
