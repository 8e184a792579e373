//! A step of a route, as the engine reads it.

/// One step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop(u32);

impl Hop {
    const END: u32 = 1 << 31;
    /// Of a link: it is run together with the hop before it.
    const MERGED: u32 = 1 << 30;
    /// Of an end: its endpoint gets packets at once.
    const AT_ONCE: u32 = 1 << 30;
    /// Of an end: packets that are stored on the last hop are counted.
    const COUNTED: u32 = 1 << 29;
    const NUMBER: u32 = Self::COUNTED - 1;

    pub(super) fn link(number: u32, merged: bool) -> Self {
        Self(number | if merged { Self::MERGED } else { 0 })
    }

    pub(super) fn end(endpoint: u32) -> Self {
        Self(endpoint | Self::END)
    }

    /// Returns the endpoint at the end of the route, if this is the end.
    #[inline]
    pub fn endpoint(self) -> Option<u32> {
        (self.0 & Self::END != 0).then_some(self.0 & Self::NUMBER)
    }

    /// Returns what a packet keeps that is about to take this hop, the one at `cursor` in the array of all
    /// hops: the cursor or, at the end of the route, the hop itself. [`Hop::kept`] takes it.
    #[inline]
    pub fn keep(self, cursor: u32) -> u32 {
        if self.0 & Self::END != 0 {
            self.0
        } else {
            cursor
        }
    }

    /// Returns the endpoint that a packet reaches, given what it kept; `None` if that is a cursor.
    #[inline]
    pub fn kept(kept: u32) -> Option<u32> {
        Self(kept).endpoint()
    }

    /// Returns the end of a route, given what a packet kept that is about to reach it.
    #[inline]
    pub fn end_kept(kept: u32) -> Self {
        Self(kept)
    }

    /// Returns whether the hop is run together with the hop before it.
    #[inline]
    pub fn is_merged(self) -> bool {
        self.0 & (Self::END | Self::MERGED) == Self::MERGED
    }

    /// Returns the engine's number of the link; meaningless at the end of a route.
    #[inline]
    pub fn link_number(self) -> u32 {
        self.0 & !Self::MERGED
    }

    /// Returns whether this is the end of a route to an endpoint that may run ahead.
    #[inline]
    pub fn is_foreseen(self) -> bool {
        self.0 >= Self::END | Self::COUNTED
    }

    /// Returns whether the endpoint at this end gets packets as soon as their arrival is certain.
    pub fn delivers_at_once(self) -> bool {
        self.0 & Self::AT_ONCE != 0
    }

    /// Returns whether the packets are counted that are stored on the hop before this end.
    #[inline]
    pub fn counts_stored(self) -> bool {
        self.0 & (Self::END | Self::COUNTED) == Self::END | Self::COUNTED
    }

    /// Returns this end, at which packets are delivered as soon as their arrival is certain.
    pub fn with_delivery_at_once(self) -> Self {
        Self(self.0 & !Self::COUNTED | Self::AT_ONCE)
    }

    /// Returns this end, at which packets are delivered at their time, and are counted until then.
    pub fn with_stored_counted(self) -> Self {
        Self(self.0 & !Self::AT_ONCE | Self::COUNTED)
    }
}
