//! Delivery opportunities: the times at which a link with a recorded rate may send.

use std::error::Error;
use std::fmt;

use dumbbell_sim::{OpportunitiesError, Time};

/// The times at which a link may deliver a packet of 1500 bytes, as in the packet-delivery traces of
/// Mahimahi (Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", 2015). Times are in
/// whole milliseconds; the schedule restarts at the last one and repeats for ever.
///
/// Each opportunity is for [`Self::BYTES`] bytes, which packets may share; bytes for which no packet
/// waits are wasted. Clones share the times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities(dumbbell_sim::Opportunities);

/// Why a list of times is not a valid list of delivery opportunities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// There is no opportunity.
    Empty,
    /// There are more than [`Opportunities::MOST`].
    TooMany,
    /// A time is earlier than the one before it.
    Backwards {
        /// The position of the earlier time, counted from zero.
        index: usize,
    },
    /// A time is later than [`Opportunities::LONGEST`].
    TooLate {
        /// The position of the late time, counted from zero.
        index: usize,
    },
    /// The last time is 0.
    NoPeriod,
}

impl Opportunities {
    /// The bytes of one opportunity: an IP packet of 1500 bytes uses it up. Mahimahi counts 1504,
    /// because it puts its own four-byte header in front of each packet; here packets have no such
    /// header.
    pub const BYTES: u32 = 1500;
    /// The largest number of opportunities in a period.
    pub const MOST: usize = 1_000_000;
    /// The longest period, in milliseconds: 30 days.
    pub const LONGEST: u64 = 30 * 24 * 3600 * 1000;

    /// Makes opportunities at these times of each period, in milliseconds. The times must not decrease;
    /// several may be equal. The last one is the period.
    ///
    /// # Errors
    /// [`Unsuitable`] if there are no times or too many, a time is too late or earlier than the one
    /// before it, or all times are 0.
    pub fn new(milliseconds: &[u64]) -> Result<Self, Unsuitable> {
        if milliseconds.len() > Self::MOST {
            return Err(Unsuitable::TooMany);
        }
        if let Some(index) = milliseconds.iter().position(|at| *at > Self::LONGEST) {
            return Err(Unsuitable::TooLate { index });
        }
        let times = milliseconds.iter().copied().map(Time::from_millis);
        match dumbbell_sim::Opportunities::new(times, Self::BYTES) {
            Ok(all) => Ok(Self(all)),
            Err(OpportunitiesError::Backwards { index }) => Err(Unsuitable::Backwards { index }),
            Err(OpportunitiesError::NoPeriod) => Err(Unsuitable::NoPeriod),
            Err(OpportunitiesError::Empty) => Err(Unsuitable::Empty),
            // The period and the bytes are in range: see above.
            Err(OpportunitiesError::TooLong | OpportunitiesError::NoBytes) => {
                Err(Unsuitable::Empty)
            }
        }
    }

    /// Returns the times in a period, in milliseconds.
    pub fn milliseconds(&self) -> impl ExactSizeIterator<Item = u64> {
        self.0.times().map(|time| time.as_nanos() / 1_000_000)
    }

    /// Returns the mean rate in bits per second.
    pub(crate) fn mean_rate(&self) -> u64 {
        self.0.mean_rate()
    }

    /// Returns the opportunities for the simulator.
    pub fn schedule(&self) -> &dumbbell_sim::Opportunities {
        &self.0
    }
}

impl Unsuitable {
    /// Returns a hint about how to correct the times.
    pub(crate) fn help(self) -> String {
        match self {
            Self::Empty => "give at least one time, such as 6, 12 and 18".to_owned(),
            Self::TooMany => format!("a period has at most {}", Opportunities::MOST),
            Self::Backwards { .. } => {
                "each time must be equal to the one before it, or later".to_owned()
            }
            Self::TooLate { .. } => format!("times are from 0 to {} ms", Opportunities::LONGEST),
            Self::NoPeriod => {
                "the schedule restarts at the last time, which must be 1 ms or later".to_owned()
            }
        }
    }
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "there is no delivery opportunity",
            Self::TooMany => "there are too many delivery opportunities",
            Self::Backwards { .. } => "the time goes back",
            Self::TooLate { .. } => "the time is out of range",
            Self::NoPeriod => "all delivery opportunities are at 0 ms",
        })
    }
}

impl Error for Unsuitable {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_kept_as_they_are() {
        let times = [0, 0, 3, 3, 3, 2_592_000_000];
        let all = Opportunities::new(&times).unwrap();
        assert!(all.milliseconds().eq(times));
    }

    #[test]
    fn faults_have_their_place() {
        let fault = |times: &[u64]| Opportunities::new(times).unwrap_err();
        assert_eq!(fault(&[]), Unsuitable::Empty);
        assert_eq!(fault(&[0]), Unsuitable::NoPeriod);
        assert_eq!(fault(&[5, 7, 6]), Unsuitable::Backwards { index: 2 });
        assert_eq!(fault(&[5, 2_592_000_001]), Unsuitable::TooLate { index: 1 });
        assert_eq!(fault(&vec![1; 1_000_001]), Unsuitable::TooMany);
    }
}
