//! SARBE: bandwidth from the spacing of data at the receiver, through a stability filter.
//!
//! Le Tuan Anh and Choong Seon Hong, "Enhanced TCP with End-to-End Bandwidth and Loss Differentiation
//! Estimate over Heterogeneous Networks" (SARBE), 2005, section 3.1, equations 2 to 4. Compression of
//! ACKs on their way back does no harm, since the samples use the receiver's times.

use crate::filter::stability::{self, Stability};
use crate::parameter::{Kind, parameters};
use crate::snapshot::Snapshot;
use crate::units::{Instant, Rate, Ratio};

use super::bandwidth::rate;

parameters! {
    /// SARBE's parameters.
    pub struct Config {
        /// Weight of the past instability of the bandwidth samples (SARBE, 3.1: 0.8).
        stability_gain: Ratio = Ratio::from_millionths(800_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Number of instabilities that are compared, the present one included (SARBE, eq. 3, N = 8: 9).
        stability_window: u8 = 9, Kind::Count(1, stability::MOST as u32);
    }
}

/// A bandwidth estimate. 176 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sarbe {
    /// `None` until the first sample.
    filter: Option<Stability>,
    /// The last arrival; `None` until the first.
    last: Option<Instant>,
    /// Bytes of ACKs that made no sample.
    carried: u32,
}

const _: () = assert!(size_of::<Sarbe>() <= 192);

impl Sarbe {
    /// The estimate; `None` until the first sample.
    #[inline]
    pub fn rate(&self) -> Option<Rate> {
        self.filter.map(|filter| filter.output())
    }

    /// Takes the `bytes` of an ACK whose packet arrived at `arrival` by the receiver's clock. Without an
    /// arrival time, or with one that is no later than the last, the bytes count with the next ACK. The
    /// first arrival only starts the clock. Returns whether this made a sample.
    #[inline]
    pub fn observe(&mut self, config: &Config, arrival: Option<Instant>, bytes: u32) -> bool {
        let Some(last) = self.last else {
            self.last = arrival;
            return false;
        };
        self.carried = self.carried.saturating_add(bytes);
        let Some(arrival) = arrival.filter(|arrival| *arrival > last) else {
            return false;
        };
        let sample = rate(self.carried.into(), arrival.since(last).as_nanos());
        match &mut self.filter {
            Some(filter) => filter.step(sample, config.stability_gain, config.stability_window),
            None => self.filter = Some(Stability::beginning(sample)),
        }
        self.last = Some(arrival);
        self.carried = 0;
        true
    }
}

impl Snapshot for Sarbe {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        out("started", self.last.is_some().into());
        out("last", self.last.map_or(0, Instant::as_nanos));
        out("carried", self.carried.into());
        out("sampled", self.filter.is_some().into());
        let unsampled = Stability::beginning(Rate::ZERO);
        self.filter.unwrap_or(unsampled).snapshot(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{assert_near, at};

    #[test]
    fn arrivals_at_the_receiver_make_the_samples() {
        let config = Config::default();
        let mut estimate = Sarbe::default();
        assert!(!estimate.observe(&config, Some(at(1000.0)), 9999));
        assert_eq!(estimate.rate(), None);
        // 1, 1, 1.5, 1.5 Mbit/s in intervals of 8 ms.
        let acks = [
            (1008.0, 1000, 1e6),
            (1016.0, 1000, 1e6),
            (1024.0, 1500, 1e6),
            (1032.0, 1500, 1.1e6),
        ];
        for (arrival, bytes, expected) in acks {
            assert!(estimate.observe(&config, Some(at(arrival)), bytes));
            assert_near(
                estimate.rate().expect("sampled").as_bits_per_second(),
                expected,
            );
        }
    }

    #[test]
    fn bytes_without_a_later_arrival_count_with_the_next_ack() {
        let config = Config::default();
        let mut estimate = Sarbe::default();
        estimate.observe(&config, Some(at(1000.0)), 0);
        // The same time by a coarse clock, no time at all, and a time before the last.
        for arrival in [Some(at(1000.0)), None, Some(at(990.0))] {
            assert!(!estimate.observe(&config, arrival, 1000));
        }
        assert!(estimate.observe(&config, Some(at(1008.0)), 1000));
        // 4000 bytes in 8 ms.
        assert_near(estimate.rate().expect("sampled").as_bits_per_second(), 4e6);
    }
}
