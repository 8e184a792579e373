//! What becomes of a window.

use serde::Serialize;

/// What became of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The window or its threshold is smaller, and no ACK let the window grow.
    Reduction,
    /// A loss or a timeout left both as they were, or raised them to their floor.
    Spared,
    /// An ACK let the window grow.
    Growth,
    /// An ACK left it as it was.
    Hold,
    /// Slow start ended.
    Transition,
}
