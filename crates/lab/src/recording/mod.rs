//! Recorded paths: files that others measured, as scenarios.
//!
//! Each format is a file of this folder, which reads bytes into a [`Recording`]: what a link did over
//! time, as far as it was recorded. [`scenario`] writes it as a scenario file, and [`manifest`] names
//! its data by hash, so that a study need not hold them. docs/recorded-paths.md describes both.

mod fault;
pub mod lens;
mod losses;
pub mod mahimahi;
pub mod manifest;
pub mod pcap;
pub mod scenario;
mod steps;
pub mod wetlinks;

use std::ops::RangeInclusive;

use dumbbell_scenario::{Duration, Opportunities};

pub use fault::{Fault, Spot};
pub use losses::Losses;
pub use steps::{MOST_STEPS, Steps, Take};

/// A format of recorded files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Packet-delivery traces.
    Mahimahi,
    /// Round-trip times of satellites.
    Lens,
    /// Rates and round-trip times of Starlink.
    Wetlinks,
    /// Captures of packets.
    Pcap,
}

impl Format {
    /// Returns its name, as in `dumbbell convert NAME`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mahimahi => "mahimahi",
            Self::Lens => "lens",
            Self::Wetlinks => "wetlinks",
            Self::Pcap => "pcap",
        }
    }

    /// Returns what is known about the licence of files in this format.
    pub fn licence(self) -> &'static str {
        match self {
            Self::Mahimahi => "not known: see where the trace comes from",
            Self::Lens => "CC BY-SA 4.0 if it is of LENS (github.com/clarkzjw/LENS)",
            Self::Wetlinks => "CC BY-SA 4.0 if it is of WetLinks (github.com/sys-uos/WetLinks)",
            Self::Pcap => "not known: a capture may hold what people sent",
        }
    }
}

/// What a link did over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The way of the data.
    pub forward: Way,
    /// The way of the ACKs; `None` if it was not recorded, or is the same.
    pub reverse: Option<Way>,
    /// How long the recording is.
    pub length: Duration,
    /// What a reader of the scenario must know: a sentence each.
    pub remarks: Vec<String>,
}

/// One direction of a link, as far as it was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// When it can send.
    pub rate: Option<Rate>,
    /// Its propagation delay in nanoseconds.
    pub delay: Option<Steps>,
    /// Its losses.
    pub losses: Option<Losses>,
}

/// When a link can send.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// Only at these times.
    Opportunities(Opportunities),
    /// At a rate over time, in bits per second.
    Steps(Steps),
}

impl Rate {
    /// Returns the mean rate in bits per second.
    pub fn mean(&self) -> u64 {
        match self {
            Self::Opportunities(all) => {
                let rate = dumbbell_scenario::Rate::Recorded(all.clone());
                rate.mean().0
            }
            Self::Steps(steps) => steps.mean(),
        }
    }
}

/// The part of a recording that is used: times from its start. Without an end, all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Where the part begins.
    pub from: Duration,
    /// Where it ends.
    pub to: Option<Duration>,
}

impl Cut {
    /// Whether all of a recording is used.
    pub fn is_whole(self) -> bool {
        self == Self::default()
    }

    /// Returns where the part begins and ends, in nanoseconds.
    fn of(self, length: u64) -> Result<RangeInclusive<u64>, Fault> {
        let show = |nanoseconds| steps::time(nanoseconds);
        let (from, to) = (
            self.from.as_nanos(),
            self.to.map_or(length, Duration::as_nanos),
        );
        if to > length || from > length {
            let asked = show(to.max(from));
            let what = format!("the recording ends before {asked}");
            return Err(Fault::whole(what, format!("it is {} long", show(length))));
        }
        if from >= to {
            let what = format!("no part is left from {} to {}", show(from), show(to));
            return Err(Fault::whole(
                what,
                "the end must be later than the beginning",
            ));
        }
        Ok(from..=to)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
