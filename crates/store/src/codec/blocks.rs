//! Packs integers in blocks; each block uses as few bits per number as its largest number needs.
//!
//! A block holds up to [`SIZE`] numbers: one byte with the bit width of the largest, then all
//! numbers with that width. If most of them are 0, [`SPARSE`] is set in that byte, a mask of four
//! bytes shows which numbers are not 0, and only these follow.

use super::bytes::{Reader, Writer};

/// Numbers in a block.
pub(super) const SIZE: usize = 32;
/// Marks a block that omits its zeros.
const SPARSE: u8 = 0x80;
/// The size of the mask of such a block, in bytes.
const MASK: usize = SIZE / 8;

/// The layout of a block.
struct Shape {
    width: u8,
    /// The mask of the numbers that are not 0, if only these are written.
    mask: Option<u32>,
    /// How many numbers are written.
    written: usize,
}

impl Shape {
    fn of(block: &[u64]) -> Self {
        let mut all = 0;
        let mut mask = 0_u32;
        for (place, number) in block.iter().enumerate() {
            all |= number;
            mask |= u32::from(*number != 0) << place;
        }
        let width = (64 - all.leading_zeros()) as u8;
        let nonzero = mask.count_ones() as usize;
        if MASK + bytes(nonzero, width) < bytes(block.len(), width) {
            Self {
                width,
                mask: Some(mask),
                written: nonzero,
            }
        } else {
            Self {
                width,
                mask: None,
                written: block.len(),
            }
        }
    }

    fn size(&self) -> usize {
        1 + self.mask.map_or(0, |_| MASK) + bytes(self.written, self.width)
    }
}

/// The number of bytes for `count` numbers of `width` bits.
fn bytes(count: usize, width: u8) -> usize {
    (count * usize::from(width)).div_ceil(8)
}

/// The number of bytes that these numbers take.
pub(super) fn size(numbers: &[u64]) -> usize {
    let blocks = numbers.chunks(SIZE);
    blocks.map(|block| Shape::of(block).size()).sum()
}

/// Writes numbers.
pub(super) fn write(out: &mut Writer, numbers: &[u64]) {
    for block in numbers.chunks(SIZE) {
        let shape = Shape::of(block);
        match shape.mask {
            None => out.bytes.push(shape.width),
            Some(mask) => {
                out.bytes.push(shape.width | SPARSE);
                out.bytes.extend_from_slice(&mask.to_le_bytes());
            }
        }
        let (mut bits, mut filled) = (0_u128, 0);
        for number in block {
            if *number == 0 && shape.mask.is_some() {
                continue;
            }
            bits |= u128::from(*number) << filled;
            filled += u32::from(shape.width);
            while filled >= 8 {
                out.bytes.push(bits as u8);
                bits >>= 8;
                filled -= 8;
            }
        }
        if filled > 0 {
            out.bytes.push(bits as u8);
        }
    }
}

/// Reads `count` numbers, and leaves `room` zeros before them. They take at most [`SIZE`] times
/// eight bytes of memory for each byte that is read.
pub(super) fn read(from: &mut Reader<'_>, room: usize, count: usize) -> Option<Vec<u64>> {
    if count.div_ceil(SIZE) > from.left() {
        return None;
    }
    let mut numbers = vec![0; room + count];
    for block in numbers[room..].chunks_mut(SIZE) {
        let head = from.byte()?;
        let width = head & !SPARSE;
        if width > 64 {
            return None;
        }
        if head & SPARSE == 0 {
            let packed = Packed::new(from.take(bytes(block.len(), width))?, width);
            for (place, number) in block.iter_mut().enumerate() {
                *number = packed.at(place);
            }
            continue;
        }
        let mut mask = u32::from_le_bytes(from.take(MASK)?.try_into().ok()?);
        if mask.checked_shr(block.len() as u32).unwrap_or(0) != 0 {
            return None;
        }
        let written = mask.count_ones() as usize;
        let packed = Packed::new(from.take(bytes(written, width))?, width);
        for turn in 0..written {
            block[mask.trailing_zeros() as usize] = packed.at(turn);
            mask &= mask - 1;
        }
    }
    Some(numbers)
}

/// The numbers of a block, with padding after them so that reading needs no check for the end.
struct Packed {
    bytes: [u8; SIZE * 8 + 16],
    width: usize,
    mask: u64,
}

impl Packed {
    fn new(taken: &[u8], width: u8) -> Self {
        let mut bytes = [0; SIZE * 8 + 16];
        bytes[..taken.len()].copy_from_slice(taken);
        Self {
            bytes,
            width: usize::from(width),
            mask: u64::MAX.checked_shr(64 - u32::from(width)).unwrap_or(0),
        }
    }

    fn at(&self, place: usize) -> u64 {
        let bit = place * self.width;
        let (first, shift) = (bit / 8, bit % 8);
        let mut sixteen = [0; 16];
        sixteen.copy_from_slice(&self.bytes[first..first + 16]);
        (u128::from_le_bytes(sixteen) >> shift) as u64 & self.mask
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(numbers: &[u64]) -> Vec<u8> {
        let mut out = Writer::default();
        write(&mut out, numbers);
        out.bytes
    }

    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![
            Just(0),
            any::<u64>(),
            (0..64_u32, any::<u64>()).prop_map(|(shift, number)| number >> shift),
        ]
    }

    proptest! {
        #[test]
        fn numbers_are_restored(
            numbers in prop_oneof![
                prop::collection::vec(number(), 0..100),
                prop::collection::vec((0..9_u8, number()).prop_map(|(one, n)| if one == 0 { n } else { 0 }), 0..100),
            ],
        ) {
            let bytes = written(&numbers);
            prop_assert_eq!(bytes.len(), size(&numbers));
            let mut from = Reader::new(&bytes);
            prop_assert_eq!(read(&mut from, 0, numbers.len()), Some(numbers.clone()));
            prop_assert!(from.is_at_end());
            for end in 0..bytes.len() {
                prop_assert_eq!(read(&mut Reader::new(&bytes[..end]), 0, numbers.len()), None);
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100), count in 0..200_usize) {
            let _ = read(&mut Reader::new(&bytes), 0, count);
        }
    }

    #[test]
    fn a_block_takes_what_its_largest_number_needs() {
        // 32 numbers of 3 bits: 12 bytes, and one for the width.
        assert_eq!(written(&[5; 32]).len(), 13);
        // If all are 0, only the width. If one of 32 is not, a mask of 4 bytes and the number's 8
        // bytes.
        assert_eq!(written(&[0; 32]), [0]);
        let mut one = [0; 32];
        one[31] = u64::MAX;
        assert_eq!(written(&one).len(), 1 + 4 + 8);
    }

    #[test]
    fn invalid_blocks_are_refused() {
        // A width of 65 bits; a mask with a bit beyond the end of the block; far more numbers than
        // bytes.
        assert_eq!(read(&mut Reader::new(&[65; 40]), 0, 1), None);
        assert_eq!(read(&mut Reader::new(&[SPARSE, 2, 0, 0, 0]), 0, 1), None);
        assert_eq!(read(&mut Reader::new(&[0; 40]), 2, usize::MAX), None);
    }
}
