//! Reads the keys of a claim. The names in it must be names of the experiment.

use crate::description::{Keys, Node};

/// The names that a claim may use.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The experiment's curves.
    pub curves: &'a [&'a str],
    /// Its measures.
    pub measures: &'a [String],
    /// The smallest and the largest number that each measure can have, as far as they are known.
    pub ranges: &'a [(f64, f64)],
    /// The x values, in order; a single one if nothing is varied.
    pub places: &'a [f64],
    /// Whether something is varied.
    pub varied: bool,
}

/// Reads the keys of one sort of claim.
pub(crate) struct Reader<'a> {
    keys: Keys<'a>,
    names: Names<'a>,
    /// The smallest and the largest number of the claim's measure.
    range: (f64, f64),
    example: &'static str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        keys: Keys<'a>,
        names: Names<'a>,
        range: (f64, f64),
        example: &'static str,
    ) -> Self {
        Self {
            keys,
            names,
            range,
            example,
        }
    }

    pub(super) fn done(&self) {
        self.keys.done();
    }

    fn need(&self, key: &'static str) -> Option<Node<'a>> {
        let found = self.keys.find(key);
        if found.is_none() {
            self.keys
                .lacks(key, format!("the form is {}", self.example));
        }
        found
    }

    /// Returns the curve that a required key names.
    pub(super) fn curve(&self, key: &'static str) -> Option<String> {
        self.one(&self.need(key)?)
    }

    /// Returns the curve that a required key names. It must differ from `than`; `same` is the
    /// message if it does not.
    pub(super) fn other(
        &self,
        key: &'static str,
        than: Option<&String>,
        same: &str,
    ) -> Option<String> {
        let node = self.need(key)?;
        let name = self.one(&node)?;
        if Some(&name) == than {
            node.wrong(same, "name another curve");
            return None;
        }
        Some(name)
    }

    /// Returns the curves that a key names; empty if the key is missing.
    pub(super) fn curves(&self, key: &'static str) -> Option<Vec<String>> {
        self.keys
            .items(key)
            .iter()
            .map(|item| self.one(item))
            .collect()
    }

    fn one(&self, node: &Node<'_>) -> Option<String> {
        let name = node.known("curve", self.names.curves.iter().copied())?;
        Some(name.to_owned())
    }

    /// Returns the x value that a key names; the only one if nothing is varied.
    pub(super) fn place(&self, key: &'static str) -> Option<f64> {
        match (self.names.varied, self.names.places) {
            (false, [only]) if self.keys.find(key).is_none() => Some(*only),
            _ => self.here(&self.need(key)?),
        }
    }

    /// Returns the x values that a key names, which must be ascending; empty if the key is missing.
    pub(super) fn places(&self, key: &'static str) -> Option<Vec<f64>> {
        let items = self.keys.items(key);
        let places: Vec<f64> = items
            .iter()
            .map(|item| self.here(item))
            .collect::<Option<_>>()?;
        let falls = places.windows(2).position(|pair| pair[0] >= pair[1]);
        if let Some(at) = falls {
            let help = format!("{} does not come after {}", places[at + 1], places[at]);
            items[at + 1].wrong("its places are not in order", help);
            return None;
        }
        Some(places)
    }

    fn here(&self, node: &Node<'_>) -> Option<f64> {
        let place = node.number()?;
        if !self.names.places.contains(&place) {
            let all: Vec<String> = self.names.places.iter().map(f64::to_string).collect();
            node.wrong(
                format!("{place} is not among the values of x"),
                format!("they are {}", all.join(", ")),
            );
            return None;
        }
        Some(place)
    }

    /// Returns the number of a required key if it satisfies a condition; `right` describes the
    /// condition.
    pub(super) fn number(
        &self,
        key: &'static str,
        is: impl Fn(f64) -> bool,
        right: &str,
    ) -> Option<f64> {
        let node = self.need(key)?;
        let number = node.number()?;
        if !is(number) {
            node.wrong(format!("`{key}` is {number}"), right);
            return None;
        }
        Some(number)
    }

    /// Returns the number of an optional key.
    pub(super) fn number_if_any(&self, key: &'static str) -> Option<f64> {
        self.keys.number_if_any(key)
    }

    /// Returns the value of a yes-or-no key; `false` if it is missing.
    pub(super) fn flag(&self, key: &'static str) -> bool {
        self.keys.flag(key)
    }

    /// Returns the text of a required key.
    pub(super) fn text(&self, key: &'static str) -> Option<String> {
        self.need(key)?.text().map(str::to_owned)
    }

    /// Returns one of a few words of a required key.
    pub(super) fn word<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        self.need(key)?.word(words)
    }

    /// The smallest and the largest number that the claim's measure can have, as far as they are
    /// known.
    pub(super) fn range(&self) -> (f64, f64) {
        self.range
    }

    /// Reports a mistake at a key if it is present, otherwise at the whole table.
    pub(super) fn wrong(&self, key: &'static str, message: &str, help: &str) {
        match self.keys.find(key) {
            Some(node) => node.wrong(message, help),
            None => self.keys.wrong(message, help),
        }
    }
}
