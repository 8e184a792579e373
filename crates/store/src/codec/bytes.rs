//! Writes and reads bytes in order: integers in as many bytes as they need, and texts.

/// Bytes that are being written for the store.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    /// Writes an integer with seven bits per byte, the low ones first (LEB128).
    pub(crate) fn whole(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Writes a count.
    pub(crate) fn count(&mut self, count: usize) {
        self.whole(count as u64);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

/// Bytes from the store. Reading never panics, whatever the bytes are: it returns a value or
/// `None`.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Whether everything has been read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The number of bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }

    pub(crate) fn whole(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            // The tenth byte may hold only one bit.
            if part << shift >> shift != part {
                return None;
            }
            number |= part << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn index(&mut self) -> Option<usize> {
        usize::try_from(self.whole()?).ok()
    }

    /// Reads a count of things that take at least one byte each.
    pub(crate) fn count(&mut self) -> Option<usize> {
        self.index().filter(|count| *count <= self.left())
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_restored_and_invalid_bytes_are_refused() {
        for number in [0, 1, 127, 128, 16_383, 16_384, 1 << 62, u64::MAX] {
            let mut out = Writer::default();
            out.whole(number);
            let mut from = Reader::new(&out.bytes);
            assert_eq!(from.whole(), Some(number));
            assert!(from.is_at_end());
            assert_eq!(Reader::new(&out.bytes[1..]).whole().is_none(), number < 128);
        }
        // 2^64, and a number without an end.
        let over = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02];
        assert_eq!(Reader::new(&over).whole(), None);
        assert_eq!(Reader::new(&[0xff; 20]).whole(), None);
    }

    #[test]
    fn a_count_cannot_exceed_the_bytes_left() {
        assert_eq!(Reader::new(&[2, 0, 0]).count(), Some(2));
        assert_eq!(Reader::new(&[3, 0, 0]).count(), None);
        assert_eq!(Reader::new(&[2, 0xff, 0xff]).text(), None);
    }
}
