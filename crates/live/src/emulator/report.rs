//! What an emulation did, and whether to believe it.

use std::fmt;
use std::fs;

use dumbbell_lab::outcome::Outcome;
use serde::Serialize;

use super::INTERFACE;
use super::lateness::Summary;
use super::router::Router;
use crate::error::Error;

/// What an emulation did.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What the links and the simulated flows did. The real flow is not among them.
    pub network: Outcome,
    /// How long it ran, in seconds.
    pub elapsed_s: f64,
    /// Packets that the sender's host sent into the network.
    pub from_sender: u64,
    /// Packets that the receiver's host sent into the network.
    pub from_receiver: u64,
    /// The least time through the network and back, in seconds; none if nothing came through.
    pub base_rtt_s: Option<f64>,
    /// How late packets left the emulator.
    pub lateness: Summary,
    /// Packets that a host did not take.
    pub refused: u64,
    /// Packets that the kernel dropped before the emulator had read them.
    pub overflow: u64,
    /// The part of a core that the emulator used.
    pub busy: f64,
    /// It had the real-time policy.
    pub realtime: bool,
    /// Why its figures are not to be believed; empty if they are.
    pub faults: Vec<Fault>,
}

/// What makes an emulation unlike the network that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// More than one packet in a hundred was later than is tolerable.
    Late {
        /// What 99 % of the packets did not exceed, in seconds.
        p99_s: f64,
        /// What is tolerable, in seconds.
        tolerable_s: f64,
    },
    /// The machine lost packets that the network did not lose.
    Lost {
        /// How many.
        packets: u64,
    },
}

/// Later than this part of the round-trip time is not tolerable.
const TOLERABLE: f64 = 0.02;
/// And less than so many seconds always is.
const TOLERABLE_S: f64 = 0.5e-3;

impl Report {
    pub(super) fn new(router: &Router, overflow: u64) -> Self {
        let count = &router.count;
        let lateness = count.lateness.summary();
        let base_rtt_s = match count.least_transit {
            [Some(back), Some(there)] => Some((back + there).as_secs_f64()),
            _ => None,
        };
        let mut faults = Vec::new();
        let tolerable_s = TOLERABLE_S.max(TOLERABLE * base_rtt_s.unwrap_or(0.0));
        if lateness.p99_s > tolerable_s {
            faults.push(Fault::Late {
                p99_s: lateness.p99_s,
                tolerable_s,
            });
        }
        if count.refused + overflow > 0 {
            faults.push(Fault::Lost {
                packets: count.refused + overflow,
            });
        }
        let elapsed_s = count.elapsed.as_secs_f64();
        Self {
            network: router.emulation.outcome(),
            elapsed_s,
            from_sender: count.entered[0],
            from_receiver: count.entered[1],
            base_rtt_s,
            lateness,
            refused: count.refused,
            overflow,
            busy: count.busy.as_secs_f64() / elapsed_s.max(f64::MIN_POSITIVE),
            realtime: count.realtime,
            faults,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late { p99_s, tolerable_s } => write!(
                f,
                "the machine was too slow: one packet in a hundred was more than {:.2} ms late, and \
                 {:.2} ms is tolerable on this path",
                p99_s * 1e3,
                tolerable_s * 1e3
            ),
            Self::Lost { packets } => write!(
                f,
                "the machine was too slow: it lost {packets} packets that the network did not lose"
            ),
        }
    }
}

/// Packets that the kernel could not hand to the emulator in the calling thread's namespace.
pub(super) fn dropped_by_device() -> Result<u64, Error> {
    let text = fs::read_to_string("/proc/thread-self/net/dev")
        .map_err(|reason| Error::system("read what devices have dropped", reason))?;
    // Behind the name: eight numbers of what was received, then bytes, packets, errors and drops of what was sent.
    let drops = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(INTERFACE)?.strip_prefix(':'))
        .find_map(|numbers| numbers.split_whitespace().nth(11)?.parse().ok());
    Ok(drops.unwrap_or(0))
}
