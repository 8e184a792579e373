//! A reading of a paper's text.

use super::is_name;
use crate::description::Node;
use crate::experiment::Changes;

/// A reading of what a paper's text leaves open, other than the one taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Its name: a word.
    pub name: String,
    /// The reading, in a few words.
    pub title: String,
    /// What the text leaves open, and what speaks for and against this reading.
    pub about: String,
    /// Whether it contradicts what the paper prints. It is tried to see what depends on the point,
    /// but no sentence is said to hold by it.
    pub contrary: bool,
    /// The names of the figures that it touches, at least one.
    pub figures: Vec<String>,
    /// What it changes in their scenarios.
    pub changes: Changes,
}

impl Reading {
    /// Reads a reading. `figures` are those of the paper; `earlier` are the readings before it,
    /// which it may combine.
    pub(super) fn read(node: &Node<'_>, figures: &[&str], earlier: &[Self]) -> Option<Self> {
        let keys = node.keys("a reading")?;
        let name = keys.text("name", "\"reno-recovery\"");
        let keys = keys.called(name.as_ref().map(|name| format!("reading `{name}`")));
        let wrong = name.as_ref().filter(|name| !is_name(name));
        if let Some((name, node)) = wrong.zip(keys.find("name")) {
            let help = "a name has the letters a to z, digits and hyphens, and is not `settings`";
            node.wrong(format!("`{name}` is no name of a reading"), help);
        }
        let title = keys.text("title", "\"WestwoodNR with Reno's recovery\"");
        let about = keys.text("about", "\"What the text leaves open.\"");
        let contrary = keys.flag("contrary");
        let touched = keys.need("figures", "[\"venodb-fig2\"]");
        let touched = touched.and_then(|node| {
            let items = node.items()?;
            if items.is_empty() {
                node.wrong("the reading touches no figure", "name at least one");
            }
            let known = items
                .iter()
                .map(|item| item.known("figure", figures.iter().copied()))
                .map(|name| name.map(str::to_owned));
            known.collect::<Option<Vec<_>>>()
        });
        let mut changes = Some(Changes::default());
        for item in keys.items("with") {
            let known = item.known("reading", earlier.iter().map(|it| it.name.as_str()));
            let other = earlier.iter().find(|it| Some(it.name.as_str()) == known);
            changes = changes
                .zip(other)
                .map(|(changes, other)| changes.and(&other.changes));
        }
        let own = Changes::read(&keys);
        let changes = changes.zip(own).map(|(all, own)| all.and(&own));
        keys.done();
        if changes.as_ref().is_some_and(Changes::is_empty) {
            node.wrong(
                "the reading changes nothing",
                "`set`, `move`, `flow` or `with` is required",
            );
        }
        Some(Self {
            name: name?,
            title: title?,
            about: about?,
            contrary,
            figures: touched?,
            changes: changes?,
        })
    }
}
