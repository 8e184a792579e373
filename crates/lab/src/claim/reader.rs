//! How the keys of a sort of claim are read: the names in it are those of the experiment.

use crate::description::{Keys, Node};

/// What a claim may name.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The experiment's curves.
    pub curves: &'a [&'a str],
    /// Its measures.
    pub measures: &'a [String],
    /// The places along its axis, in order; one, where nothing is varied.
    pub places: &'a [f64],
    /// Something is varied.
    pub varied: bool,
}

/// The keys of a sort of claim.
pub(crate) struct Reader<'a> {
    keys: Keys<'a>,
    names: Names<'a>,
    example: &'static str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(keys: Keys<'a>, names: Names<'a>, example: &'static str) -> Self {
        Self {
            keys,
            names,
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

    /// The curve that a key names, which must be there.
    pub(super) fn curve(&self, key: &'static str) -> Option<String> {
        self.one(&self.need(key)?)
    }

    /// The curve that a key names and that is not the other one; `same` says what is wrong if it is.
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

    /// The curves that a key names; none where it is left out.
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

    /// The place that a key names; the only one, where nothing is varied.
    pub(super) fn place(&self, key: &'static str) -> Option<f64> {
        match (self.names.varied, self.names.places) {
            (false, [only]) if self.keys.find(key).is_none() => Some(*only),
            _ => self.here(&self.need(key)?),
        }
    }

    /// The places that a key names, each larger than the one before; none where it is left out.
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

    /// A number that must be there and be right; `right` says what it has to be.
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

    /// A number that may be left out.
    pub(super) fn number_if_any(&self, key: &'static str) -> Option<f64> {
        self.keys.number_if_any(key)
    }

    /// Yes or no; left out, no.
    pub(super) fn flag(&self, key: &'static str) -> bool {
        self.keys.flag(key)
    }

    /// A text that must be there.
    pub(super) fn text(&self, key: &'static str) -> Option<String> {
        self.need(key)?.text().map(str::to_owned)
    }

    /// One of a few words, which must be there.
    pub(super) fn word<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        self.need(key)?.word(words)
    }

    /// Notes a mistake of a key that is there, or else of all of them.
    pub(super) fn wrong(&self, key: &'static str, message: &str, help: &str) {
        match self.keys.find(key) {
            Some(node) => node.wrong(message, help),
            None => self.keys.wrong(message, help),
        }
    }
}
