//! A rate that changes over time.

use super::VaryingRate;
use crate::steps::Steps;

/// What happens to the packet in transmission when the rate changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InService {
    /// The rest of it is transmitted at the new rate; in an outage it waits.
    #[default]
    Adapts,
    /// It is transmitted at the rate at which it started, even into an outage.
    Finishes,
}

/// The state of a transmitter whose rate changes.
#[derive(Clone, Debug)]
pub(super) struct Varying {
    steps: Steps,
    in_service: InService,
}

impl Varying {
    pub fn new(rate: &VaryingRate) -> Self {
        Self {
            steps: rate.steps.clone(),
            in_service: rate.in_service,
        }
    }

    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Returns the first moment from `ready` on at which the rate is not zero; `u64::MAX` if there is none.
    pub fn start(&self, ready: u64) -> u64 {
        let mut at = ready;
        loop {
            match self.steps.span(at) {
                (0, u64::MAX) => return u64::MAX,
                (0, until) => at = until,
                _ => return at,
            }
        }
    }

    /// Returns when the transmission of a packet ends that starts at a moment with a rate above zero.
    pub fn end(&self, bytes: u32, start: u64) -> u64 {
        let mut left = u128::from(bytes) * 8_000_000_000;
        let mut at = start;
        loop {
            if at == u64::MAX {
                return u64::MAX;
            }
            let (rate, until) = self.steps.span(at);
            let rate = u128::from(rate);
            let sent = rate * u128::from(until - at);
            if rate > 0 && (left <= sent || self.in_service == InService::Finishes) {
                let last = u64::try_from((left + rate / 2) / rate).unwrap_or(u64::MAX);
                return at.saturating_add(last);
            }
            left -= sent;
            at = until;
            // Whole rounds are not gone through one by one.
            if let Some((each, period)) = self.steps.whole()
                && at.is_multiple_of(period)
                && left > each
            {
                let rounds = (left - 1) / each;
                left -= rounds * each;
                let passed = rounds.saturating_mul(u128::from(period));
                at = at.saturating_add(u64::try_from(passed).unwrap_or(u64::MAX));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    const MS: u64 = 1_000_000;

    fn varying(ms: &[(u64, u64)], period: Option<u64>, in_service: InService) -> Varying {
        let steps = ms.iter().map(|&(at, rate)| (Time::from_millis(at), rate));
        let steps = Steps::new(steps, period.map(Time::from_millis)).unwrap();
        Varying::new(&VaryingRate { steps, in_service })
    }

    /// 8 Mb/s (1000 bytes per ms), then 2 Mb/s from 10 ms on: a packet of 1000 bytes that starts at 9.5 ms has
    /// 500 bytes left at 10 ms, which take 2 ms at the new rate.
    #[test]
    fn the_rest_of_a_packet_is_sent_at_the_new_rate() {
        let steps = [(0, 8_000_000), (10, 2_000_000)];
        let adapts = varying(&steps, None, InService::Adapts);
        assert_eq!(adapts.end(1000, 9_500_000), 12 * MS);
        assert_eq!(adapts.end(1000, 10 * MS), 14 * MS);
        let finishes = varying(&steps, None, InService::Finishes);
        assert_eq!(finishes.end(1000, 9_500_000), 10_500_000);
    }

    /// 8 Mb/s for 3 ms, then an outage of 2 ms, again and again.
    #[test]
    fn nothing_is_sent_in_an_outage() {
        let steps = [(0, 8_000_000), (3, 0)];
        let link = varying(&steps, Some(5), InService::Adapts);
        assert_eq!([2, 3, 4].map(|ms| link.start(ms * MS) / MS), [2, 5, 5]);
        assert_eq!(link.end(2000, 2 * MS), 6 * MS);
        // 3000 bytes per round of 5 ms: 60,000 bytes take twenty rounds, without the last outage.
        assert_eq!(link.end(60_000, 0), 98 * MS);
        assert_eq!(link.end(60_001, 0), 100 * MS + 1_000);
        let gone = varying(&steps, None, InService::Adapts);
        assert_eq!(gone.start(4 * MS), u64::MAX);
        assert_eq!(gone.end(2000, 2 * MS), u64::MAX);
        let finishes = varying(&steps, None, InService::Finishes);
        assert_eq!(finishes.end(2000, 2 * MS), 4 * MS);
    }

    /// A thousandth of a microsecond per round, for a packet of more than half a second.
    #[test]
    fn many_rounds_take_no_time() {
        let steps = [(Time::ZERO, 1_000_000), (Time::from_nanos(1), 0)];
        let steps = Steps::new(steps, Some(Time::from_nanos(2))).unwrap();
        let link = Varying::new(&VaryingRate {
            steps,
            in_service: InService::Adapts,
        });
        assert_eq!(link.end(65_535, 0), 1_048_559_999);
    }
}
