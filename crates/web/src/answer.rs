//! What the module returns: one block of bytes, which a host copies out of the memory at once.

use serde::Serialize;

/// A text in JSON, a second one that describes it, and numbers to which the second one refers.
///
/// As bytes: the lengths of the two texts (two 32-bit numbers, little-endian), the texts, zeros up to a multiple of 8
/// bytes, and the numbers as 64-bit floats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The outcome of a run, exactly as the command prints it; empty if there is none.
    pub outcome: String,
    /// Everything else, as JSON, with lists of numbers by their places in `numbers`.
    pub rest: String,
    /// The numbers of all columns.
    pub numbers: Vec<f64>,
}

/// A list of numbers: where it begins among the numbers of an answer, and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Column {
    at: usize,
    len: usize,
}

impl Column {
    /// Adds a list to the numbers of an answer.
    pub(crate) fn add(numbers: &mut Vec<f64>, list: impl IntoIterator<Item = f64>) -> Self {
        let at = numbers.len();
        numbers.extend(list);
        Self {
            at,
            len: numbers.len() - at,
        }
    }
}

impl Answer {
    /// An answer of one text.
    pub(crate) fn text(rest: String) -> Self {
        Self {
            rest,
            ..Self::default()
        }
    }

    /// The answer as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let length = |text: &str| (text.len() as u32).to_le_bytes();
        let texts = 8 + self.outcome.len() + self.rest.len();
        let begin = texts.next_multiple_of(8);
        let mut bytes = Vec::with_capacity(begin + 8 * self.numbers.len());
        bytes.extend(length(&self.outcome));
        bytes.extend(length(&self.rest));
        bytes.extend(self.outcome.as_bytes());
        bytes.extend(self.rest.as_bytes());
        bytes.resize(begin, 0);
        for number in &self.numbers {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_a_multiple_of_8_bytes() {
        let mut answer = Answer {
            outcome: "{}".to_owned(),
            rest: "[1]".to_owned(),
            ..Answer::default()
        };
        let column = Column::add(&mut answer.numbers, [1.5]);
        assert_eq!(column, Column { at: 0, len: 1 });
        let bytes = answer.bytes();
        assert_eq!(&bytes[..13], b"\x02\0\0\0\x03\0\0\0{}[1]");
        assert_eq!(&bytes[13..16], [0; 3]);
        assert_eq!(bytes[16..], 1.5f64.to_le_bytes());
    }
}
