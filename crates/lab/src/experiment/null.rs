//! The null of a paper: every curve becomes the baseline.

use super::changes::Changes;
use crate::description::Node;

/// What makes every curve of a paper's figures the baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Null {
    /// What the baseline is.
    pub about: String,
    /// The changes of the scenarios.
    pub(super) changes: Changes,
    /// The baseline's reading of runs, by the beginning of the names that it replaces.
    reads: Vec<(String, String)>,
}

impl Null {
    pub(crate) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`null`")?;
        let about = keys.text("about", "\"Every control is NewReno.\"");
        let changes = Changes::read(&keys);
        let mut reads = Vec::new();
        let entries = keys.find("reads").and_then(|node| node.keys("`reads`"));
        for (of, by) in entries.map(|keys| keys.entries()).unwrap_or_default() {
            reads.push((of.name().to_owned(), by.text()?.to_owned()));
        }
        keys.done();
        Some(Self {
            about: about?,
            changes: changes?,
            reads,
        })
    }

    /// Whether it changes nothing: the baseline is not known.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.reads.is_empty()
    }

    /// What a curve reads that read the series or the classifier with this name.
    pub(super) fn reads(&self, name: &str) -> Option<&str> {
        let mut reads = self.reads.iter();
        let found = reads.find(|(start, _)| name.starts_with(start.as_str()));
        found.map(|(_, by)| by.as_str())
    }
}
