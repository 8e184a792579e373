//! What becomes of a window.

use serde::Serialize;

/// What became of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The window is smaller, or its threshold and the window is not larger.
    Reduction,
    /// A loss or a timeout left both as they were, or raised the window.
    Spared,
    /// An ACK let the window grow.
    Growth,
    /// An ACK left it as it was.
    Hold,
    /// Slow start ended.
    Transition,
}
