//! The defaults: what the reader puts where a file is silent.

use serde_json::Value;

use super::value::plain;
use crate::Scenario;
use crate::controls::Controls;

/// A scenario that leaves out whatever it can.
const SILENT: &str = include_str!("silent.toml");

/// The same scenario with everything filled in.
pub(super) struct Usual(Value);

impl Usual {
    /// Reads the silent scenario.
    pub(super) fn read() -> Self {
        let filled = Scenario::parse("silent.toml", SILENT, &Controls::builtin())
            .ok()
            .and_then(|scenario| toml::from_str(&scenario.canonical()).ok());
        Self(filled.unwrap_or_default())
    }

    /// A default by its JSON pointer.
    pub(super) fn at(&self, pointer: &str) -> Value {
        let found = self.0.pointer(pointer);
        match found.and_then(Value::as_f64) {
            Some(number) => plain(number),
            None => found.cloned().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_readers() {
        let usual = Usual::read();
        assert_eq!(usual.at("/seed"), 1);
        assert_eq!(usual.at("/flow/0/payload"), "1000 B");
        assert_eq!(usual.at("/flow/1/source/pareto/shape"), 1.5);
        assert_eq!(usual.at("/nothing"), Value::Null);
    }
}
