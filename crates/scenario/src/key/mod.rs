//! A key of a table in one place: how its value is read, written down and described, and what holds
//! where it is left out.
//!
//! A [`Shape`] is what a value may be (a flag, a time within a range ...); a [`Key`] is a shape with a
//! meaning and a default; [`record!`](record::record) makes a table of keys, and the type that holds
//! what it says.

pub(crate) mod record;
mod set;
mod shape;

use serde_json::Value as Json;

use crate::document::{Node, Table};
use crate::form::Form;
use crate::form::value::plain;

pub(crate) use set::Set;
pub(crate) use shape::{Amount, Chance, Flag, Real, Span, Speed, Whole, Word};

/// What a value may be: how it is read, written down, and described.
pub(crate) trait Shape: Sized {
    /// What a file says.
    type Value: Clone;

    /// Reads the value; a wrong one is noted, and nothing comes of it.
    fn read(&self, node: &Node<'_>) -> Option<Self::Value>;

    /// The value as TOML.
    fn write(&self, value: &Self::Value) -> String;

    /// What it may be, as a schema.
    fn form(&self) -> Form;

    /// A key that may be left out.
    fn usually(self, usual: Self::Value, describe: fn(Form) -> Form) -> Key<Self> {
        Key {
            shape: self,
            usual: Usual::Value(usual),
            describe,
        }
    }

    /// A key that must be set; `example` is what one might write.
    fn needed(self, example: &'static str, describe: fn(Form) -> Form) -> Key<Self> {
        Key {
            shape: self,
            usual: Usual::Needed(example),
            describe,
        }
    }
}

/// What there is to know of a key.
pub(crate) struct Key<S: Shape> {
    shape: S,
    usual: Usual<S::Value>,
    describe: fn(Form) -> Form,
}

/// What holds where a key is left out.
enum Usual<T> {
    Value(T),
    /// Nothing: it must be set, for example so.
    Needed(&'static str),
}

impl<S: Shape> Key<S> {
    /// The value of the key of this name in a table, or its default. A key that must be there and is
    /// not, and a wrong value, are noted; nothing comes of them.
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

    /// The value of the key of this name in a table, if it is set.
    pub(crate) fn read_set(self, table: &Table<'_>, name: &'static str) -> Option<S::Value> {
        table.find(name).and_then(|node| self.shape.read(&node))
    }

    /// What holds where the key is left out; nothing if it must be set.
    pub(crate) fn usual(self) -> Option<S::Value> {
        match self.usual {
            Usual::Value(usual) => Some(usual),
            Usual::Needed(_) => None,
        }
    }

    /// A value as TOML.
    pub(crate) fn write(&self, value: &S::Value) -> String {
        self.shape.write(value)
    }

    /// The key as a schema.
    pub(crate) fn form(&self) -> Form {
        let form = self.shape.form();
        let form = match &self.usual {
            Usual::Value(usual) => form.usually(json(&self.shape.write(usual))),
            Usual::Needed(_) => form.needed(),
        };
        (self.describe)(form)
    }
}

/// A plain value of TOML as one of JSON, which is written alike.
pub(crate) fn json(toml: &str) -> Json {
    let value: Json = serde_json::from_str(toml).unwrap_or_default();
    value.as_f64().map_or(value, plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values_are_the_same_in_both_languages() {
        assert_eq!(json("5.0").to_string(), "5");
        assert_eq!(json("0.002").to_string(), "0.002");
        assert_eq!(json("\"500 B\""), "500 B");
        assert_eq!(json("false"), false);
        assert_eq!(json("[\"a\", \"b\"]")[1], "b");
    }
}
