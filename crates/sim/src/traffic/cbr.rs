//! Constant bit rate: a packet of L bytes every 8L/rate.

use super::{Emission, Span, spacing};
use crate::time::Time;

/// A source with a constant bit rate. The first packet leaves at its start.
#[derive(Clone, Debug)]
pub struct Cbr {
    bytes: u16,
    rate: u64,
    span: Span,
    emitted: u64,
}

impl Cbr {
    /// Makes a source of packets of `bytes` bytes at `rate` bits per second. A rate of zero emits
    /// nothing.
    pub fn new(bytes: u16, rate: u64, span: Span) -> Self {
        Self {
            bytes,
            rate,
            span,
            emitted: 0,
        }
    }
}

impl Iterator for Cbr {
    type Item = Emission;

    fn next(&mut self) -> Option<Emission> {
        if self.rate == 0 {
            return None;
        }
        let since_start = Time::from_nanos(spacing(self.bytes, self.rate, self.emitted));
        let at = self.span.start + since_start;
        if at >= self.span.stop {
            return None;
        }
        self.emitted += 1;
        Some(Emission {
            at,
            bytes: self.bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 bytes at 3 Mb/s: one packet every 2.6666... ms.
    #[test]
    fn times_do_not_drift() {
        let span = Span {
            start: Time::from_millis(100),
            stop: Time::from_millis(108),
        };
        let times: Vec<u64> = Cbr::new(1000, 3_000_000, span)
            .map(|emission| emission.at.as_nanos())
            .collect();
        assert_eq!(times, [100_000_000, 102_666_667, 105_333_333]);
    }

    #[test]
    fn a_rate_of_zero_is_silent() {
        assert_eq!(Cbr::new(1000, 0, Span::ALWAYS).next(), None);
    }
}
