//! The packets that are available to send.

/// The packets that wait to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Supply {
    waiting: u64,
    endless: bool,
}

impl Supply {
    /// A supply that always has a packet.
    pub(crate) const ENDLESS: Self = Self {
        waiting: 0,
        endless: true,
    };

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        !self.endless && self.waiting == 0
    }

    /// Returns whether there is always a packet.
    pub(crate) fn is_endless(&self) -> bool {
        self.endless
    }

    /// Returns the number of waiting packets; `None` if the supply is endless.
    pub(crate) fn waiting(&self) -> Option<u64> {
        (!self.endless).then_some(self.waiting)
    }

    /// Adds packets; returns whether none was there before.
    pub(crate) fn add(&mut self, packets: u64) -> bool {
        let begins = self.is_empty();
        self.waiting = self.waiting.saturating_add(packets);
        begins
    }

    /// Removes one packet.
    #[inline]
    pub(crate) fn take(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
    }
}
