//! The part of the network that a flow uses.

use crate::link::access::Access;

/// The direction in which a flow sends over the bottleneck of a dumbbell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Left to right.
    #[default]
    Right,
    /// Right to left.
    Left,
}

/// The part of the network that a flow uses.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Across the bottleneck of a dumbbell.
    Dumbbell {
        /// The direction of the data.
        direction: Direction,
        /// The flow's access links.
        access: Access,
    },
    /// From one router of a parking lot to another.
    ParkingLot {
        /// Number of the sender's router; 1 is `r1`.
        from: u32,
        /// Number of the receiver's router, which differs from `from`.
        to: u32,
        /// The flow's access links.
        access: Access,
    },
    /// From one node of a graph to another.
    Graph {
        /// Index of the sender's node in [`Graph::nodes`](crate::Graph::nodes).
        from: usize,
        /// Index of the receiver's node, which differs from `from`.
        to: usize,
    },
}

impl Place {
    /// Returns the flow's access links, if the topology has access links.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Self::Dumbbell { access, .. } | Self::ParkingLot { access, .. } => Some(access),
            Self::Graph { .. } => None,
        }
    }

    /// Returns whether a flow in this place begins where a flow in `other` ends.
    pub(crate) fn follows(&self, other: &Self) -> bool {
        match self {
            Self::Dumbbell { direction, .. } => {
                matches!(other, Self::Dumbbell { direction: other, .. } if direction != other)
            }
            Self::ParkingLot { from, .. } => {
                matches!(other, Self::ParkingLot { to, .. } if from == to)
            }
            Self::Graph { from, .. } => matches!(other, Self::Graph { to, .. } if from == to),
        }
    }
}
