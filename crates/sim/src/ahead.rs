//! What is certain about a link at a moment, but happens later.
//!
//! Departures are counted when they become certain. A reading of the counters before the end of the run
//! would contain some that lie in the future; what is ahead of the reading is therefore counted apart.

use crate::packet::{Class, Kind};
use crate::queue::{Admitted, Reason};

/// What has been counted ahead of the moment at which the counters will be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    /// The moment of the reading.
    pub moment: u64,
    /// Packets that arrive at the link later.
    pub sent: u64,
    pub delivered: u64,
    pub dropped: u64,
    pub lost: u64,
    pub filtered: u64,
    pub early: u64,
    pub policed: u64,
    pub marked: u64,
    pub retransmitted: u64,
    pub duplicated: u64,
    pub corrupted: u64,
    pub departed: [u64; Kind::COUNT],
    pub departed_bytes: u64,
    pub busy: u64,
    pub queue_integral: u128,
}

impl Ahead {
    pub fn of(moment: u64) -> Self {
        Self {
            moment,
            ..Self::default()
        }
    }

    /// Returns whether something at this time is ahead of the reading.
    pub fn is_ahead(&self, at: u64) -> bool {
        at > self.moment
    }

    /// Counts a packet that arrived at `arrived`, in a run that ends at `end`.
    pub fn count(&mut self, class: Class, arrived: u64, admitted: Admitted, end: u64, lost: bool) {
        self.sent += u64::from(self.is_ahead(arrived));
        let Admitted { departure, tx } = admitted;
        if !self.is_ahead(departure) {
            return;
        }
        let start = (departure - tx).max(self.moment);
        self.busy += departure.min(end).saturating_sub(start);
        self.queue_integral += u128::from(departure.min(end) - arrived.max(self.moment));
        if departure <= end {
            self.departed[class.kind().index()] += 1;
            self.departed_bytes += u64::from(class.bytes());
            self.lost += u64::from(lost);
        }
    }

    /// Counts a packet that finds no room at `at`.
    pub fn count_drop(&mut self, at: u64) {
        self.sent += u64::from(self.is_ahead(at));
        self.dropped += u64::from(self.is_ahead(at));
    }

    /// Counts a packet that arrived at `arrived` and goes at `at` without being transmitted.
    pub fn count_removal(&mut self, arrived: u64, at: u64, reason: Reason) {
        if !self.is_ahead(at) {
            return;
        }
        self.sent += u64::from(self.is_ahead(arrived));
        match reason {
            Reason::Useless => self.filtered += 1,
            Reason::Full => self.dropped += 1,
            Reason::Early => {
                self.dropped += 1;
                self.early += 1;
            }
        }
        self.queue_integral += u128::from(at - arrived.max(self.moment));
    }
}
