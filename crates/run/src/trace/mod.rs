//! Traces: the events at the senders of a run, packet by packet, written during the run.
//!
//! A [`Tape`] passes every event on to its writers: comma-separated lines ([`Format::Csv`]), a
//! capture for Wireshark and similar tools ([`Format::Pcap`]), and qlog for qvis
//! ([`Format::Qlog`]); and to whoever wants each as a [`Row`]. `docs/traces.md` is the reference for all three.

mod csv;
mod event;
mod flow;
mod frame;
mod numbers;
mod pcap;
mod qlog;
mod row;
mod spool;
mod tape;
mod tapped;

use std::fmt;
use std::io;
use std::path::Path;

pub use row::{Marks, Row, Sender};
pub use tape::Tape;
pub(crate) use tapped::Tapped;

/// The format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One line per event.
    Csv,
    /// A capture of packet headers with a resolution of 1 ns.
    Pcap,
    /// qlog 0.3, as JSON.
    Qlog,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Pcap, Self::Qlog];

    /// The format for a file name extension.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        Self::ALL
            .into_iter()
            .find(|format| ending.eq_ignore_ascii_case(format.ending()))
    }

    /// The file name extension, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Pcap => "pcap",
            Self::Qlog => "qlog",
        }
    }
}

/// Why a trace could not be written.
#[derive(Debug)]
pub enum TraceError {
    /// There is no flow with this name or number.
    UnknownFlow {
        /// The name or number that was requested.
        wanted: String,
        /// The flows that exist, in words.
        known: String,
    },
    /// The flow is a workload of many connections.
    Workload(String),
    /// A capture cannot hold the segments of a flow.
    TooLong {
        /// The flow.
        flow: String,
        /// The payload of its segments in bytes.
        payload: u64,
        /// The largest payload that would fit.
        most: u64,
    },
    /// A trace cannot be written.
    Unwritable {
        /// The number of the trace, in the order in which the traces were added.
        trace: usize,
        /// The cause.
        reason: io::Error,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFlow { wanted, known } => {
                write!(f, "there is no flow `{wanted}`; there is {known}")
            }
            Self::Workload(name) => write!(
                f,
                "the flow `{name}` is a workload of many connections, which cannot be traced; trace a flow with \
                 one connection, or list the transfers with `list = true`"
            ),
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
    fn the_extension_determines_the_format() {
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
