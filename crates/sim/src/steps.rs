//! Values that change at given times: the rate or the delay of a link over time.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::time::Time;

/// A value over time that changes in steps. The first step is at time zero; each value holds until the next
/// step. Without a period, the last value holds for ever; with one, the steps start over after each period.
/// Clones share the steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Times in nanoseconds, increasing, and values.
    steps: Arc<[(u64, u64)]>,
    /// In nanoseconds, later than the last step.
    period: Option<u64>,
}

/// Why a list is not a value over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepsError {
    /// There is no step.
    Empty,
    /// The first step is not at time zero.
    LateStart,
    /// A step is not later than the one before it.
    Backwards {
        /// The position of the step, counted from zero.
        index: usize,
    },
    /// The period is not longer than the time of the last step.
    ShortPeriod,
    /// The last step or the period is at 2^58 ns (nine years) or later.
    TooLong,
}

/// The latest time of a step, and the longest period.
const LIMIT: u64 = 1 << 58;

impl Steps {
    /// Makes a value over time from (time, value) pairs. `period` is the time after which they start over.
    ///
    /// # Errors
    ///
    /// If there are no steps, the first one is not at zero, the times do not increase, or the period is not
    /// later than the last step.
    pub fn new(
        steps: impl IntoIterator<Item = (Time, u64)>,
        period: Option<Time>,
    ) -> Result<Self, StepsError> {
        let steps: Arc<[(u64, u64)]> = steps
            .into_iter()
            .map(|(at, value)| (at.as_nanos(), value))
            .collect();
        let period = period.map(Time::as_nanos);
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
            return Err(StepsError::Empty);
        };
        if first.0 != 0 {
            return Err(StepsError::LateStart);
        }
        if let Some(index) = (1..steps.len()).find(|&index| steps[index].0 <= steps[index - 1].0) {
            return Err(StepsError::Backwards { index });
        }
        if period.is_some_and(|period| period <= last.0) {
            return Err(StepsError::ShortPeriod);
        }
        if last.0 >= LIMIT || period.is_some_and(|period| period >= LIMIT) {
            return Err(StepsError::TooLong);
        }
        Ok(Self { steps, period })
    }

    /// Makes a value that never changes.
    pub fn constant(value: u64) -> Self {
        Self {
            steps: Arc::new([(0, value)]),
            period: None,
        }
    }

    /// Returns the steps of one period: times and values.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (Time, u64)> {
        let time = |&(at, value): &(u64, u64)| (Time::from_nanos(at), value);
        self.steps.iter().map(time)
    }

    /// Returns the time after which the steps start over.
    pub fn period(&self) -> Option<Time> {
        self.period.map(Time::from_nanos)
    }

    /// Returns the value at a moment.
    pub fn at(&self, moment: Time) -> u64 {
        self.span(moment.as_nanos()).0
    }

    /// Returns the mean value over a period, rounded to the nearest integer; without a period, the first
    /// value.
    pub fn mean(&self) -> u64 {
        let Some(period) = self.period else {
            return self.steps[0].1;
        };
        let sum = self.integral(period);
        let mean = (sum + u128::from(period) / 2) / u128::from(period);
        u64::try_from(mean).unwrap_or(u64::MAX)
    }

    /// Returns the least and the greatest value.
    pub fn bounds(&self) -> (u64, u64) {
        let values = || self.steps.iter().map(|step| step.1);
        (
            values().min().unwrap_or_default(),
            values().max().unwrap_or_default(),
        )
    }

    /// Returns the value at a moment, and the moment until which it holds; `u64::MAX` is for ever.
    pub(crate) fn span(&self, moment: u64) -> (u64, u64) {
        let (round, offset) = self.split(moment);
        let place = self.steps.partition_point(|step| step.0 <= offset) - 1;
        let until = match (self.steps.get(place + 1), self.period) {
            (Some(next), _) => next.0,
            (None, Some(period)) => period,
            (None, None) => return (self.steps[place].1, u64::MAX),
        };
        (self.steps[place].1, round.saturating_add(until))
    }

    /// Returns the sum of value times nanoseconds from time zero to a moment.
    pub(crate) fn integral(&self, moment: u64) -> u128 {
        let (round, offset) = self.split(moment);
        let whole = match self.period {
            Some(period) if round > 0 => {
                u128::from(round / period).saturating_mul(self.in_round(period))
            }
            _ => 0,
        };
        whole.saturating_add(self.in_round(offset))
    }

    /// Returns the sum over one whole period, and its length, if there is one.
    pub(crate) fn whole(&self) -> Option<(u128, u64)> {
        self.period.map(|period| (self.in_round(period), period))
    }

    /// Returns when the current round began, and the time since then.
    fn split(&self, moment: u64) -> (u64, u64) {
        match self.period {
            Some(period) => (moment - moment % period, moment % period),
            None => (0, moment),
        }
    }

    fn in_round(&self, offset: u64) -> u128 {
        let mut sum = 0_u128;
        for (place, &(at, value)) in self.steps.iter().enumerate() {
            let until = self.steps.get(place + 1).map_or(u64::MAX, |next| next.0);
            let length = until.min(offset).saturating_sub(at);
            sum = sum.saturating_add(u128::from(value) * u128::from(length));
        }
        sum
    }
}

impl fmt::Display for StepsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no step"),
            Self::LateStart => f.write_str("the first step must be at time zero"),
            Self::Backwards { index } => write!(
                f,
                "step {index}, counted from zero, is not later than the one before it"
            ),
            Self::ShortPeriod => f.write_str("the steps start over before the last one"),
            Self::TooLong => f.write_str("steps must be before 2^58 nanoseconds (nine years)"),
        }
    }
}

impl Error for StepsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(ms: &[(u64, u64)], period: Option<u64>) -> Result<Steps, StepsError> {
        let each = ms.iter().map(|&(at, value)| (Time::from_millis(at), value));
        Steps::new(each, period.map(Time::from_millis))
    }

    #[test]
    fn faults_are_found() {
        assert_eq!(steps(&[], None), Err(StepsError::Empty));
        assert_eq!(steps(&[(1, 5)], None), Err(StepsError::LateStart));
        let twice = steps(&[(0, 5), (3, 6), (3, 7)], None);
        assert_eq!(twice, Err(StepsError::Backwards { index: 2 }));
        assert_eq!(
            steps(&[(0, 5), (3, 6)], Some(3)),
            Err(StepsError::ShortPeriod)
        );
        let late = Steps::new([(Time::ZERO, 1)], Some(Time::MAX));
        assert_eq!(late, Err(StepsError::TooLong));
        assert!(steps(&[(0, 5), (3, 6)], Some(4)).is_ok());
    }

    /// 20 from 0 to 15 ms, 45 from there to 30 ms, again and again.
    #[test]
    fn a_value_holds_from_its_step_to_the_next() {
        let twice = steps(&[(0, 20), (15, 45)], Some(30)).unwrap();
        let at = |us: u64| twice.at(Time::from_micros(us));
        assert_eq!(
            [at(0), at(14_999), at(15_000), at(29_999)],
            [20, 20, 45, 45]
        );
        assert_eq!([at(30_000), at(45_000), at(59_999)], [20, 45, 45]);
        assert_eq!(twice.span(31_000_000), (20, 45_000_000));
        assert_eq!(twice.span(45_000_000), (45, 60_000_000));
        let once = steps(&[(0, 20), (15, 45)], None).unwrap();
        assert_eq!(once.span(15_000_000), (45, u64::MAX));
        assert_eq!((once.mean(), twice.mean()), (20, 33));
        assert_eq!(once.bounds(), (20, 45));
    }

    /// 2 for 1 ms, 0 for 3 ms, 10 for 1 ms: 12 per round of 5 ms.
    #[test]
    fn the_integral_counts_every_round() {
        let cyclic = steps(&[(0, 2), (1, 0), (4, 10)], Some(5)).unwrap();
        let ms = 1_000_000;
        for (at, sum) in [
            (0, 0),
            (1, 2),
            (4, 2),
            (5, 12),
            (6, 14),
            (10, 24),
            (52, 122),
        ] {
            assert_eq!(cyclic.integral(at * ms), u128::from(sum * ms), "{at}");
        }
        let once = steps(&[(0, 2), (1, 0), (4, 10)], None).unwrap();
        assert_eq!(once.integral(7 * ms), u128::from(32 * ms));
    }
}
