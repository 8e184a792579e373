//! Names of flows and links: names given in the file must differ; default names are made to differ.

use crate::document::Node;
use crate::quantity::clip;

/// The names of the flows or the links of a scenario.
pub(crate) struct Names {
    what: &'static str,
    names: Vec<(String, bool)>,
}

/// The longest name of a node, in characters.
pub(crate) const NODE: usize = 64;
/// The longest name of a flow or a link, in characters: two node names and more.
pub(crate) const LONGEST: usize = 200;

impl Names {
    pub(crate) fn new(what: &'static str) -> Self {
        Self {
            what,
            names: Vec::new(),
        }
    }

    /// Adds a name that is given in the file.
    pub(crate) fn give(&mut self, name: &str, node: &Node<'_>) {
        if self
            .names
            .iter()
            .any(|(known, given)| *given && known == name)
        {
            node.wrong(
                format!("a second {} has the name `{}`", self.what, clip(name)),
                "names must differ",
            );
        }
        self.names.push((name.to_owned(), true));
    }

    /// Adds a default name for an entry without a name in the file.
    pub(crate) fn propose(&mut self, name: String) {
        self.names.push((name, false));
    }

    /// Returns all names in order. A default name that is already used gets `-2`, `-3` and so on
    /// appended.
    pub(crate) fn settle(self) -> Vec<String> {
        let mut taken: std::collections::BTreeSet<String> = self
            .names
            .iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| name.clone())
            .collect();
        let mut number = std::collections::BTreeMap::<String, u32>::new();
        let mut settled = Vec::with_capacity(self.names.len());
        for (name, given) in self.names {
            let mut unique = name.clone();
            while !given && !taken.insert(unique.clone()) {
                let next = number.entry(name.clone()).or_insert(1);
                *next += 1;
                unique = format!("{name}-{next}");
            }
            settled.push(unique);
        }
        settled
    }
}

/// Reads a name: a line of text of at most `longest` characters.
pub(crate) fn read<'d>(node: &Node<'d>, longest: usize) -> Option<&'d str> {
    let name = node.text("\"a\"")?;
    if name.chars().count() > longest || name.chars().any(char::is_control) || name.trim() != name {
        let message = format!("`{}` cannot be a name", clip(name));
        node.wrong(
            message,
            format!(
                "a name is one line of at most {longest} characters, without blanks at its ends"
            ),
        );
        return None;
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposed_names_avoid_given_ones() {
        let mut names = Names::new("flow");
        names.propose("veno".into());
        names.propose("veno".into());
        names.names.push(("veno-2".into(), true));
        names.propose("reno".into());
        names.propose("veno".into());
        assert_eq!(
            names.settle(),
            ["veno", "veno-3", "veno-2", "reno", "veno-4"]
        );
    }
}
