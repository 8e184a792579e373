//! The report of an emulation.

use std::fs;

use dumbbell_run::outcome::Outcome;
use serde::Serialize;

use super::INTERFACE;
use super::capture::Captured;
use super::judged::{Fault, Judged};
use super::lateness::Summary;
use super::router::Router;
use super::stalls::Stalled;
use crate::error::Error;

/// The results of an emulation.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The results of the links and of the simulated flows. The real flow is not included.
    pub network: Outcome,
    /// How long it ran, in seconds.
    pub elapsed_s: f64,
    /// Packets that the sender's host sent into the network.
    pub from_sender: u64,
    /// Packets that the receiver's host sent into the network.
    pub from_receiver: u64,
    /// The smallest time through the network and back, in seconds; `None` if no packet came through in both
    /// directions.
    pub base_rtt_s: Option<f64>,
    /// How late packets left the emulator.
    pub lateness: Summary,
    /// The largest possible lateness of packets that came in: the time since the emulator's previous read, or
    /// since it was to wake up.
    pub entry_lateness: Summary,
    /// How long, and for which part of the time, the emulator did nothing although it was to be awake.
    pub stalls: Stalled,
    /// Packets that a host did not accept.
    pub refused: u64,
    /// Packets that the kernel dropped before the emulator had read them.
    pub overflow: u64,
    /// The part of a core that the emulator used.
    pub busy: f64,
    /// Whether it had the real-time policy to its end.
    pub realtime: bool,
    /// What the capture holds, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<Captured>,
    /// Why the results should not be trusted; empty if they can be.
    pub faults: Vec<Fault>,
}

impl Report {
    pub(super) fn new(router: &Router, overflow: u64, capture: Option<Captured>) -> Self {
        let count = &router.count;
        let lost = count.refused + overflow;
        let judged = Judged::of(count, count.elapsed, lost);
        let elapsed_s = count.elapsed.as_secs_f64();
        Self {
            network: router.emulation.outcome(),
            elapsed_s,
            from_sender: count.entered[0],
            from_receiver: count.entered[1],
            base_rtt_s: judged.base_rtt_s,
            lateness: judged.lateness,
            entry_lateness: judged.entry_lateness,
            stalls: judged.stalls,
            refused: count.refused,
            overflow,
            busy: count.busy.as_secs_f64() / elapsed_s.max(f64::MIN_POSITIVE),
            realtime: count.realtime,
            capture,
            faults: judged.faults,
        }
    }
}

/// Returns the number of packets that the kernel could not pass to the emulator in the calling thread's
/// namespace.
pub(super) fn dropped_by_device() -> Result<u64, Error> {
    let text = fs::read_to_string("/proc/thread-self/net/dev")
        .map_err(|reason| Error::system("read what devices have dropped", reason))?;
    // After the name there are eight numbers for received packets, then bytes, packets, errors and drops of
    // sent ones.
    let drops = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(INTERFACE)?.strip_prefix(':'))
        .find_map(|numbers| numbers.split_whitespace().nth(11)?.parse().ok());
    Ok(drops.unwrap_or(0))
}
