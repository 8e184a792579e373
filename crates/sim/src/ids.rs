//! What the parts of a network are known by.

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
    /// Nodes are numbered from zero in the order of their creation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl LinkId {
    /// Links are numbered from zero in the order of their creation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The link with this index.
    pub const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

impl EndpointId {
    /// Endpoints are numbered from zero in the order of their creation, so those of the n-th
    /// connection are 2n and 2n + 1.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The other end of its connection.
    #[inline]
    pub const fn peer(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The endpoint with this index, for hosts that keep state by connection.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}
