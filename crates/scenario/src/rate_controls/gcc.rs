//! The parameters of GCC, if it is built in (feature `gcc`).

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::Duration;
use dumbbell_media::gcc;

use super::group::group;
use super::media::{MOST_RATE, span};
use crate::document::Table;

group! {
    /// The parameters of GCC (WebRTC's defaults apart from the bounds).
    pub struct Gcc {
        rate_min: u32 = 150_000, Kind::Rate(5_000, MOST_RATE),
            "The least rate of the encoder and of the estimate in bit/s (RFC 8867, section 4.3: 150 kb/s); at most rate_max.";
        rate_max: u32 = 1_500_000, Kind::Rate(5_000, MOST_RATE),
            "The largest rate of the encoder in bit/s (RFC 8867, section 4.3: 1.5 Mb/s).";
        rate_start: u32 = 150_000, Kind::Rate(5_000, MOST_RATE),
            "The first estimate in bit/s (RFC 8867, section 4.3: 150 kb/s; WebRTC: 300 kb/s); from rate_min to rate_max.";
        report_interval: Duration = Duration::from_millis(50), span(Duration::from_millis(5)),
            "The interval of reports (WebRTC: 50 to 250 ms, 50 ms from 218 kb/s on).";
    }
}

impl Gcc {
    /// Records what contradicts itself in the table from which this was read.
    pub(super) fn check(&self, table: &Table<'_>) {
        if self.rate_min > self.rate_max {
            table.wrong(
                "`rate_min` is above `rate_max`",
                "the least rate is at most the largest one",
            );
        } else if !(self.rate_min..=self.rate_max).contains(&self.rate_start) {
            table.wrong(
                "`rate_start` is not between `rate_min` and `rate_max`",
                "the first rate is one that is allowed",
            );
        }
    }

    /// Returns the configuration.
    pub(super) fn config(&self) -> gcc::Config {
        gcc::Config {
            rate_min: self.rate_min.into(),
            rate_max: self.rate_max.into(),
            rate_start: self.rate_start.into(),
            interval: self.report_interval,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_control() {
        assert_eq!(Gcc::default().config(), gcc::Config::default());
    }
}
