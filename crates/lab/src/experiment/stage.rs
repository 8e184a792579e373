//! The names and values that panels may use.

use super::curve::Variant;
use super::reference::Reference;
use crate::cube::MeasureId;
use crate::description::Node;

/// The names and values that a panel may use.
#[derive(Clone, Copy)]
pub(super) struct Stage<'a> {
    /// The experiment's curves.
    pub(super) curves: &'a [Variant],
    /// The names of its measures.
    pub(super) measures: &'a [String],
    /// The x values.
    pub(super) places: &'a [f64],
    /// Whether the x values have names and are not numbers on an axis.
    pub(super) named: bool,
    /// Whether there is a second axis.
    pub(super) crossed: bool,
    /// Whether there is a factorial.
    pub(super) factorial: bool,
    /// The reference with which samples are compared.
    pub(super) reference: Option<&'a Reference>,
    /// The quantities that the scenario's probe samples.
    pub(super) probe: &'a [String],
}

impl<'a> Stage<'a> {
    /// The names of the description's curves that are combined with the second axis.
    pub(super) fn declared(self) -> Vec<&'a str> {
        let rows = self.curves.iter().filter_map(|curve| curve.row.as_ref());
        let mut names: Vec<&str> = rows.map(|(name, _)| name.as_str()).collect();
        names.dedup();
        names
    }

    /// The measure with the name in `node`.
    pub(super) fn measure(self, node: &Node<'_>) -> Option<MeasureId> {
        let name = node.known("measure", self.measures.iter().map(String::as_str))?;
        self.measures
            .iter()
            .position(|known| known == name)
            .map(MeasureId)
    }
}
