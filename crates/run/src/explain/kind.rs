//! The kinds of changes of a window.

use serde::Serialize;

/// What happened to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The window or its threshold became smaller, except on an ACK that let the window grow.
    Reduction,
    /// A loss or a timeout left both unchanged, or raised them to their floor.
    Spared,
    /// An ACK let the window grow.
    Growth,
    /// An ACK left the window unchanged.
    Hold,
    /// A reduction was undone.
    Restoration,
    /// Slow start ended.
    Transition,
    /// The control entered another state.
    State,
    /// The control changed what bounds its rate or its window.
    Bounds,
}
