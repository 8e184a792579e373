//! Where a flow runs.

use crate::link::access::Access;

/// Which way a flow sends over the bottleneck of a dumbbell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Left to right.
    #[default]
    Right,
    /// Right to left.
    Left,
}

/// Where a flow runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Across the bottleneck of a dumbbell.
    Dumbbell {
        /// Which way the data goes.
        direction: Direction,
        /// Its own access links.
        access: Access,
    },
    /// From one router of a parking lot to another.
    ParkingLot {
        /// Number of the router of the sender; 1 is `r1`.
        from: u32,
        /// Number of the router of the receiver, another one.
        to: u32,
        /// Its own access links.
        access: Access,
    },
    /// From one node of a graph to another.
    Graph {
        /// Number of the node of the sender in [`Graph::nodes`](crate::Graph::nodes).
        from: usize,
        /// Number of the node of the receiver, another one.
        to: usize,
    },
}

impl Place {
    /// Its own access links, where there are any.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Self::Dumbbell { access, .. } | Self::ParkingLot { access, .. } => Some(access),
            Self::Graph { .. } => None,
        }
    }

    /// Whether a flow here begins where one at `other` ends.
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
