//! What panels may speak of.

use super::curve::Variant;
use super::reference::Reference;
use crate::cube::MeasureId;
use crate::description::Node;

/// What a panel may speak of.
#[derive(Clone, Copy)]
pub(super) struct Stage<'a> {
    /// The experiment's curves.
    pub(super) curves: &'a [Variant],
    /// The names of its measures.
    pub(super) measures: &'a [String],
    /// The places along the axis.
    pub(super) places: &'a [f64],
    /// These places have names: they are no axis.
    pub(super) named: bool,
    /// There is a second axis.
    pub(super) crossed: bool,
    /// There is a factorial.
    pub(super) factorial: bool,
    /// What samples are compared with.
    pub(super) reference: Option<&'a Reference>,
    /// What the scenario's probe samples.
    pub(super) probe: &'a [String],
}

impl<'a> Stage<'a> {
    /// The names of the description's curves that the second axis is crossed with.
    pub(super) fn declared(self) -> Vec<&'a str> {
        let rows = self.curves.iter().filter_map(|curve| curve.row.as_ref());
        let mut names: Vec<&str> = rows.map(|(name, _)| name.as_str()).collect();
        names.dedup();
        names
    }

    /// The measure that a value names.
    pub(super) fn measure(self, node: &Node<'_>) -> Option<MeasureId> {
        let name = node.known("measure", self.measures.iter().map(String::as_str))?;
        self.measures
            .iter()
            .position(|known| known == name)
            .map(MeasureId)
    }
}
