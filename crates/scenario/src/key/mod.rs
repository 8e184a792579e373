//! The definition of a key of a table: how its value is read, written and described, and its default.
//!
//! A [`Shape`] is the set of permitted values (a Boolean, a time within a range ...); a [`Key`] is a
//! shape with a meaning and a default; [`record!`](record::record) makes a table of keys, and the struct
//! that holds its values.

pub(crate) mod record;
mod set;
mod shape;

use serde_json::Value as Json;

use crate::document::{Node, Table};
use crate::form::Form;
use crate::form::value::plain;

pub(crate) use set::Set;
pub(crate) use shape::{Amount, Chance, Flag, Real, Span, Speed, Whole, Word};

/// The permitted values of a key: how a value is read, written and described.
pub(crate) trait Shape: Sized {
    /// The type of the value that is read.
    type Value: Clone;

    /// Reads the value; a wrong value is recorded as a mistake and gives `None`.
    fn read(&self, node: &Node<'_>) -> Option<Self::Value>;

    /// Returns the value as TOML.
    fn write(&self, value: &Self::Value) -> String;

    /// Returns the permitted values as a schema.
    fn form(&self) -> Form;

    /// Makes a key that may be omitted.
    fn usually(self, usual: Self::Value, describe: fn(Form) -> Form) -> Key<Self> {
        Key {
            shape: self,
            usual: Usual::Value(usual),
            describe,
        }
    }

    /// Makes a key that must be set; `example` is used in messages.
    fn needed(self, example: &'static str, describe: fn(Form) -> Form) -> Key<Self> {
        Key {
            shape: self,
            usual: Usual::Needed(example),
            describe,
        }
    }
}

/// The definition of a key.
pub(crate) struct Key<S: Shape> {
    shape: S,
    usual: Usual<S::Value>,
    describe: fn(Form) -> Form,
}

/// The default of a key.
enum Usual<T> {
    Value(T),
    /// No default: the key must be set. The text is an example.
    Needed(&'static str),
}

impl<S: Shape> Key<S> {
    /// Returns the value of the key with this name in a table, or its default. A missing key without a
    /// default and a wrong value are recorded as mistakes and give `None`.
    pub(crate) fn read(self, table: &Table<'_>, name: &'static str) -> Option<S::Value> {
        match self.usual {
            Usual::Value(usual) => match table.find(name) {
                Some(node) => self.shape.read(&node),
                None => Some(usual),
            },
            Usual::Needed(example) => {
                let node = table.need(name, example)?;
                self.shape.read(&node)
            }
        }
    }

    /// Returns the value of the key with this name in a table, if it is set.
    pub(crate) fn read_set(self, table: &Table<'_>, name: &'static str) -> Option<S::Value> {
        table.find(name).and_then(|node| self.shape.read(&node))
    }

    /// Returns the default of the key; `None` if it must be set.
    pub(crate) fn usual(self) -> Option<S::Value> {
        match self.usual {
            Usual::Value(usual) => Some(usual),
            Usual::Needed(_) => None,
        }
    }

    /// Returns a value as TOML.
    pub(crate) fn write(&self, value: &S::Value) -> String {
        self.shape.write(value)
    }

    /// Returns the key as a schema.
    pub(crate) fn form(&self) -> Form {
        let form = self.shape.form();
        let form = match &self.usual {
            Usual::Value(usual) => form.usually(json(&self.shape.write(usual))),
            Usual::Needed(_) => form.needed(),
        };
        (self.describe)(form)
    }
}

/// Converts a TOML value to a JSON value.
pub(crate) fn json(toml: &str) -> Json {
    let file: Json = toml::from_str(&format!("value = {toml}")).unwrap_or_default();
    let value = file["value"].clone();
    value.as_f64().map_or(value, plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_file() {
        assert_eq!(json("5.0").to_string(), "5");
        assert_eq!(json("0.002").to_string(), "0.002");
        assert_eq!(json("\"500 B\""), "500 B");
        assert_eq!(json("false"), false);
        assert_eq!(json("[\"a\", \"b\"]")[1], "b");
        assert_eq!(json("{ exponential = \"1 s\" }")["exponential"], "1 s");
    }
}
