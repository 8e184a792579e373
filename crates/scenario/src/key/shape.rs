//! The shapes that many values have.

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};

use super::Shape;
use crate::document::Node;
use crate::form::{Form, value};
use crate::quantity::BitRate;
use crate::text::{quote, real, size, time};

/// A Boolean.
pub(crate) struct Flag;

/// An integer within a range that fits into 32 bits.
pub(crate) struct Whole(pub(crate) RangeInclusive<u64>);

/// A probability.
pub(crate) struct Chance;

/// A time within a range.
pub(crate) struct Span(pub(crate) RangeInclusive<Duration>);

/// A size within a range of bytes.
pub(crate) struct Amount(pub(crate) RangeInclusive<u64>);

/// A rate.
pub(crate) struct Speed;

/// A plain number within a range.
pub(crate) struct Real {
    /// The permitted range.
    pub(crate) range: RangeInclusive<f64>,
    /// The same in words, for messages about wrong values.
    pub(crate) what: &'static str,
    /// The same in words, for the schema.
    pub(crate) words: &'static str,
    /// An example for messages.
    pub(crate) example: &'static str,
}

/// One of a few words, each with its value; `explain` describes each value.
pub(crate) struct Word<T: 'static> {
    /// The words.
    pub(crate) words: &'static [(&'static str, T)],
    /// Returns the description of a value.
    pub(crate) explain: fn(T) -> &'static str,
}

impl Shape for Flag {
    type Value = bool;

    fn read(&self, node: &Node<'_>) -> Option<bool> {
        node.flag()
    }

    fn write(&self, value: &bool) -> String {
        value.to_string()
    }

    fn form(&self) -> Form {
        value::flag()
    }
}

impl Shape for Whole {
    type Value = u32;

    fn read(&self, node: &Node<'_>) -> Option<u32> {
        node.whole(self.0.clone()).map(|number| number as u32)
    }

    fn write(&self, value: &u32) -> String {
        value.to_string()
    }

    fn form(&self) -> Form {
        value::whole(self.0.clone())
    }
}

impl Shape for Chance {
    type Value = f64;

    fn read(&self, node: &Node<'_>) -> Option<f64> {
        node.probability()
    }

    fn write(&self, value: &f64) -> String {
        real(*value)
    }

    fn form(&self) -> Form {
        value::probability()
    }
}

impl Shape for Span {
    type Value = Duration;

    fn read(&self, node: &Node<'_>) -> Option<Duration> {
        node.time(self.0.clone())
    }

    fn write(&self, value: &Duration) -> String {
        time(*value)
    }

    fn form(&self) -> Form {
        value::time(self.0.clone())
    }
}

impl Shape for Amount {
    type Value = Bytes;

    fn read(&self, node: &Node<'_>) -> Option<Bytes> {
        node.size(self.0.clone())
    }

    fn write(&self, value: &Bytes) -> String {
        size(value.0)
    }

    fn form(&self) -> Form {
        value::size(self.0.clone())
    }
}

impl Shape for Speed {
    type Value = BitRate;

    fn read(&self, node: &Node<'_>) -> Option<BitRate> {
        node.rate()
    }

    fn write(&self, value: &BitRate) -> String {
        quote(&value.to_string())
    }

    fn form(&self) -> Form {
        value::rate()
    }
}

impl Shape for Real {
    type Value = f64;

    fn read(&self, node: &Node<'_>) -> Option<f64> {
        node.real(self.range.clone(), self.what, self.example)
    }

    fn write(&self, value: &f64) -> String {
        real(*value)
    }

    fn form(&self) -> Form {
        value::number(self.words)
            .rule("minimum", *self.range.start())
            .rule("maximum", *self.range.end())
    }
}

impl<T: Copy + PartialEq> Shape for Word<T> {
    type Value = T;

    fn read(&self, node: &Node<'_>) -> Option<T> {
        node.word(self.words)
    }

    fn write(&self, value: &T) -> String {
        let found = self.words.iter().find(|(_, known)| known == value);
        let (word, _) = found.expect("every value has a word: a test reads what it writes");
        quote(word)
    }

    fn form(&self) -> Form {
        value::words(self.words, |value| (self.explain)(value).to_owned())
    }
}
