//! Traffic sources: they determine when to send, and how much.
//!
//! A source is an iterator of [`Emission`]s with times that never decrease. It does not depend on the
//! network: a host takes the next emission, sets its timer to that time and then sends a packet of that
//! size. Start and stop times are part of a source: it starts at [`Span::start`] and emits nothing at or
//! after [`Span::stop`].
//!
//! ```
//! use dumbbell_sim::Time;
//! use dumbbell_sim::traffic::{Cbr, Span};
//!
//! // 1000 bytes at 8 Mb/s: one each millisecond.
//! let mut source = Cbr::new(1000, 8_000_000, Span::from(Time::from_secs(1)));
//! let times: Vec<_> = source.by_ref().take(2).map(|emission| emission.at).collect();
//! assert_eq!(times, [Time::from_millis(1_000), Time::from_millis(1_001)]);
//! ```

mod cbr;
mod on_off;

use crate::time::Time;

pub use self::cbr::Cbr;
pub use self::on_off::{Emissions, Exponential, OnOff, OnOffLaw, Pareto};

/// One packet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// When to send it.
    pub at: Time,
    /// Its size on the wire, in bytes.
    pub bytes: u16,
}

/// When a source is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The moment from which it is active.
    pub start: Time,
    /// The moment at which it stops (exclusive); [`Time::MAX`] means never.
    pub stop: Time,
}

impl Span {
    /// The whole simulation.
    pub const ALWAYS: Self = Self {
        start: Time::ZERO,
        stop: Time::MAX,
    };

    /// Returns a span that starts at this moment and has no end.
    pub const fn from(start: Time) -> Self {
        Self {
            start,
            stop: Time::MAX,
        }
    }
}

/// Returns the nanoseconds from the first packet to packet number `count` after it, at `rate` bits per
/// second, rounded to the nearest, so that rounding errors do not add up over a long run.
fn spacing(bytes: u16, rate: u64, count: u64) -> u64 {
    let bits = u128::from(bytes) * 8 * u128::from(count);
    let rate = u128::from(rate);
    let ns = (bits * 1_000_000_000 + rate / 2) / rate;
    u64::try_from(ns).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 512 bytes at 300 kb/s: 13.6533... ms.
    #[test]
    fn spacing_is_rounded_once() {
        assert_eq!(spacing(512, 300_000, 1), 13_653_333);
        assert_eq!(spacing(512, 300_000, 2), 27_306_667);
        assert_eq!(spacing(512, 300_000, 3), 40_960_000);
        assert_eq!(spacing(512, 300_000, 0), 0);
    }
}
