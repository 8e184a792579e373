//! What an algorithm states about itself: whether it is what was published, and how it differs from Reno.

use crate::units::Ratio;

/// Whether an algorithm is what was published under its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// It is what its source describes. The summary names the source. For an algorithm that another
    /// program adds, that program states this.
    #[default]
    Published,
    /// It is not: only descriptions by others were available, and the rest was filled in. Its behaviour
    /// is no evidence about the original.
    Reconstruction,
}

impl Origin {
    /// `published` or `reconstruction`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Reconstruction => "reconstruction",
        }
    }

    /// The suffix that marks the algorithm in texts for people: empty, or ` (reconstructed)`.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Published => "",
            Self::Reconstruction => " (reconstructed)",
        }
    }
}

/// Facts about an algorithm with its default parameters. The tests that run every algorithm check
/// them, so an algorithm that differs from Reno states how it differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Whether an ACK may lower the window, as with Vegas.
    pub ack_lowers_window: bool,
    /// Whether an ACK may move the threshold, as with Vegas and SARBE.
    pub ack_moves_ssthresh: bool,
    /// Whether a loss restarts the window at one segment, as with Tahoe.
    pub loss_restarts: bool,
    /// The least fraction of the window that remains after a loss: as the new window or, if a loss
    /// restarts the window, as the new threshold. `None` if a loss sets these from an estimate instead.
    pub loss_leaves: Option<Ratio>,
    /// The fraction of the window that becomes the threshold at the first timeout of a segment. `None`
    /// if a timeout sets the threshold from an estimate instead.
    pub timeout_leaves: Option<Ratio>,
}

impl Facts {
    /// The facts of Reno: ACKs only raise the window, and losses and timeouts halve it.
    pub const RENO: Self = Self {
        ack_lowers_window: false,
        ack_moves_ssthresh: false,
        loss_restarts: false,
        loss_leaves: Some(Ratio::HALF),
        timeout_leaves: Some(Ratio::HALF),
    };
    /// The facts of Vegas: as Reno's, but ACKs may move window and threshold either way.
    pub const VEGAS: Self = Self {
        ack_lowers_window: true,
        ack_moves_ssthresh: true,
        ..Self::RENO
    };
    /// The facts of Westwood: losses and timeouts set the window from the estimated bandwidth.
    pub const WESTWOOD: Self = Self {
        loss_leaves: None,
        timeout_leaves: None,
        ..Self::RENO
    };
}
