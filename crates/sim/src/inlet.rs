//! What is known of the packets and timers of endpoints that may run ahead of the network
//! ([`look_ahead`](crate::Simulation::look_ahead)).

use crate::packet::Arrived;

/// What is known of the packets on their way to an endpoint whose timers may run ahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inlet {
    /// A packet that is not known yet arrives this much later than now, or later still. Zero if timers do
    /// not run ahead.
    pub span: u64,
    /// When the first of the packets that are stored on the last hop arrives, or a time before that;
    /// `u64::MAX` if there are none.
    pub first: u64,
    /// How many are stored there.
    pub stored: u32,
}

/// The most timers of an endpoint that expire in one go before their time: what they send takes memory.
pub(crate) const TIMERS: u32 = 32;

/// How far the timer that is being handled may run ahead.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Batch {
    /// Timers before this moment may expire.
    pub until: u64,
    /// And at most this many.
    pub left: u32,
}

/// A packet whose arrival is certain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Certain<P> {
    pub endpoint: u32,
    pub due: u64,
    pub packet: Arrived<P>,
}

impl Inlet {
    pub const NONE: Self = Self {
        span: 0,
        first: u64::MAX,
        stored: 0,
    };

    /// Returns the moment before which no packet arrives.
    pub fn quiet_until(&self, now: u64) -> u64 {
        self.first.min(now.saturating_add(self.span))
    }
}
