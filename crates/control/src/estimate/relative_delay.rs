//! Relative delay D and its change dD: VenoDB, section 3.1 A, equations 1 and 2.
//!
//! D is the growth of the one-way delay from one packet to the next; the offset between the
//! two clocks cancels.

use core::cmp::Ordering;

use crate::event::Stamps;
use crate::parameter::choice;
use crate::snapshot::{self, Snapshot};
use crate::units::Duration;

choice! {
    /// Which packets D compares.
    pub enum DelayMode {
        /// Consecutive packets (VenoDB, equation 1).
        Packet = "packet",
        /// Consecutive packets, with D smoothed by a gain of 1/8.
        Ewma = "ewma",
        /// The packets that end two consecutive rounds.
        Round = "round",
    }
}

/// Relative delay in nanoseconds. 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeDelay {
    /// Arrival time minus sending time of the last packet, by two clocks.
    one_way: i64,
    d: i64,
    trend: Ordering,
    /// What is known: 0 nothing, 1 a one-way delay, 2 D, 3 dD.
    known: u8,
}

const _: () = assert!(size_of::<RelativeDelay>() <= 24);

impl Default for RelativeDelay {
    fn default() -> Self {
        Self {
            one_way: 0,
            d: 0,
            trend: Ordering::Equal,
            known: 0,
        }
    }
}

impl RelativeDelay {
    /// The limit of D in both directions, 2^40 ns. A larger value has no meaning.
    const MOST: i64 = 1 << 40;

    /// Takes a packet. A dD within `tolerance` counts as zero.
    #[inline]
    pub fn observe(&mut self, stamps: &Stamps, tolerance: Duration) {
        if let Some(d) = self.advance(stamps) {
            self.accept(d, tolerance);
        }
    }

    /// As [`RelativeDelay::observe`], but smooths D by a filter of gain 1/8. Its state `s` is in
    /// `eighths`, eight times the smoothed D: `s = 8 d` first, then `s += d - floor(s / 8)`.
    #[inline]
    pub fn observe_smoothed(&mut self, eighths: &mut i64, stamps: &Stamps, tolerance: Duration) {
        let first = self.known < 2;
        if let Some(d) = self.advance(stamps) {
            *eighths = if first {
                d << 3
            } else {
                *eighths + d - (*eighths >> 3)
            };
            self.accept(*eighths >> 3, tolerance);
        }
    }

    /// D in nanoseconds; `None` until the second packet.
    pub fn delay_ns(&self) -> Option<i64> {
        if self.known >= 2 { Some(self.d) } else { None }
    }

    /// The sign of D. A D within `tolerance` counts as zero, and so does an unknown D.
    #[inline]
    pub fn sign(&self, tolerance: Duration) -> Ordering {
        sign(self.d, tolerance)
    }

    /// The sign of dD. A dD within the tolerance counts as zero, and so does an unknown dD.
    #[inline]
    pub fn trend(&self) -> Ordering {
        self.trend
    }

    #[inline]
    fn advance(&mut self, stamps: &Stamps) -> Option<i64> {
        let one_way = stamps
            .received_at
            .as_nanos()
            .wrapping_sub(stamps.sent_at.as_nanos()) as i64;
        let d = one_way
            .wrapping_sub(self.one_way)
            .clamp(-Self::MOST, Self::MOST);
        self.one_way = one_way;
        if self.known == 0 {
            self.known = 1;
            return None;
        }
        Some(d)
    }

    #[inline]
    fn accept(&mut self, d: i64, tolerance: Duration) {
        if self.known == 1 {
            self.known = 2;
        } else {
            self.known = 3;
            self.trend = sign(d - self.d, tolerance);
        }
        self.d = d;
    }
}

impl Snapshot for RelativeDelay {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        out("one_way", self.one_way as u64);
        out("d", self.d as u64);
        out("trend", snapshot::sign(self.trend));
        out("known", self.known.into());
    }
}

#[inline]
fn sign(ns: i64, tolerance: Duration) -> Ordering {
    if ns.unsigned_abs() <= tolerance.as_nanos() {
        Ordering::Equal
    } else {
        ns.cmp(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::stamps_at;

    const TOLERANCE: Duration = Duration::from_micros(1);

    #[test]
    fn d_and_its_trend_follow_the_stamps() {
        let mut delay = RelativeDelay::default();
        delay.observe(&stamps_at(0.0, 30.0), TOLERANCE);
        assert_eq!(delay.delay_ns(), None);
        let packets = [
            (4.0, 34.0, 0, Ordering::Equal),
            (8.0, 39.0, 1_000_000, Ordering::Greater),
            (12.0, 43.5, 500_000, Ordering::Less),
            (16.0, 46.5, -1_000_000, Ordering::Less),
        ];
        for (sent, received, d, trend) in packets {
            delay.observe(&stamps_at(sent, received), TOLERANCE);
            assert_eq!(delay.delay_ns(), Some(d));
            assert_eq!(delay.trend(), trend);
        }
        assert_eq!(delay.sign(TOLERANCE), Ordering::Less);
        assert_eq!(delay.sign(Duration::from_millis(1)), Ordering::Equal);
    }

    #[test]
    fn the_filter_has_a_gain_of_one_eighth() {
        let (mut delay, mut eighths) = (RelativeDelay::default(), 0);
        // D of 8 ms, then 0 ms: 8, 7.
        for (sent, received, d) in [
            (0.0, 30.0, None),
            (4.0, 42.0, Some(8)),
            (8.0, 46.0, Some(7)),
        ] {
            delay.observe_smoothed(&mut eighths, &stamps_at(sent, received), TOLERANCE);
            assert_eq!(delay.delay_ns(), d.map(|ms| ms * 1_000_000));
        }
        assert_eq!(delay.trend(), Ordering::Less);
    }

    #[test]
    fn the_clocks_offset_cancels() {
        let mut delay = RelativeDelay::default();
        delay.observe(&stamps_at(1000.0, 0.0), TOLERANCE);
        delay.observe(&stamps_at(1004.0, 6.0), TOLERANCE);
        assert_eq!(delay.delay_ns(), Some(2_000_000));
    }
}
