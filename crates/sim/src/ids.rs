//! Identifiers of the parts of a network.

/// A node: a host or a router. It only joins links and endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// A directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub(crate) u32);

/// Where packets are sent and received: one end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointId(pub(crate) u32);

impl NodeId {
    /// Returns the node's index. Nodes are numbered from zero in the order of their creation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl LinkId {
    /// Returns the link's index. Links are numbered from zero in the order of their creation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the link with this index.
    pub const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

impl EndpointId {
    /// Returns the endpoint's index. Endpoints are numbered from zero in the order of their creation, so
    /// those of the n-th connection are 2n and 2n + 1.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the other end of the endpoint's connection.
    #[inline]
    pub const fn peer(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// Returns the endpoint with this index, for hosts that keep state by connection.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}
