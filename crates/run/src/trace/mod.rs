//! Traces: what happens at the senders of a run, packet by packet, written while the run goes.
//!
//! A [`Tape`] hands every event on to its writers: lines of numbers ([`Format::Csv`]), a capture for
//! Wireshark and its kin ([`Format::Pcap`]) and qlog for qvis ([`Format::Qlog`]).
//! `docs/traces.md` is the reference of the three.

mod csv;
mod event;
mod flow;
mod frame;
mod numbers;
mod pcap;
mod qlog;
mod spool;
mod tape;
mod tapped;

use std::fmt;
use std::io;
use std::path::Path;

pub use tape::Tape;
pub(crate) use tapped::Tapped;

/// What a trace is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A line an event.
    Csv,
    /// A capture of packet headers with a resolution of 1 ns.
    Pcap,
    /// qlog 0.3, as JSON.
    Qlog,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Pcap, Self::Qlog];

    /// The format that a file's ending names.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        Self::ALL
            .into_iter()
            .find(|format| ending.eq_ignore_ascii_case(format.ending()))
    }

    /// The ending of its files, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Pcap => "pcap",
            Self::Qlog => "qlog",
        }
    }
}

/// Why there is no trace.
#[derive(Debug)]
pub enum TraceError {
    /// There is no flow of this name or number.
    UnknownFlow {
        /// What was asked for.
        wanted: String,
        /// The flows that there are, in words.
        known: String,
    },
    /// A capture cannot hold the segments of a flow.
    TooLong {
        /// The flow.
        flow: String,
        /// Payload of its segments in bytes.
        payload: u64,
        /// The most that would fit.
        most: u64,
    },
    /// A trace cannot be written.
    Unwritable {
        /// Which one, in the order in which they were added.
        trace: usize,
        /// Why not.
        reason: io::Error,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFlow { wanted, known } => {
                write!(f, "there is no flow `{wanted}`; there is {known}")
            }
            Self::TooLong {
                flow,
                payload,
                most,
            } => write!(
                f,
                "segments of {payload} B do not fit into IPv4 packets (flow `{flow}`); \
                 a capture takes up to {most} B of payload"
            ),
            Self::Unwritable { trace, reason } => write!(f, "trace {}: {reason}", trace + 1),
        }
    }
}

impl std::error::Error for TraceError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_the_format() {
        for (name, format) in [
            ("a.csv", Some(Format::Csv)),
            ("b/c.d.PCAP", Some(Format::Pcap)),
            ("qlog.qlog", Some(Format::Qlog)),
            ("csv", None),
            (".csv", None),
            ("a.pcapng", None),
            ("", None),
        ] {
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
        }
    }
}
