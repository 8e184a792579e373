//! The report of an emulation, and whether it can be trusted.

use std::fmt;
use std::fs;

use dumbbell_run::outcome::Outcome;
use serde::Serialize;

use super::INTERFACE;
use super::lateness::Summary;
use super::router::Router;
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
    /// Packets that a host did not accept.
    pub refused: u64,
    /// Packets that the kernel dropped before the emulator had read them.
    pub overflow: u64,
    /// The part of a core that the emulator used.
    pub busy: f64,
    /// Whether it had the real-time policy to its end.
    pub realtime: bool,
    /// Why the results should not be trusted; empty if they can be.
    pub faults: Vec<Fault>,
}

/// A reason why an emulation differs from its network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// More than one packet in a hundred was later than is tolerable.
    Late {
        /// The 99th percentile, in seconds.
        p99_s: f64,
        /// The tolerance, in seconds.
        tolerable_s: f64,
    },
    /// The machine lost packets that the network did not lose.
    Lost {
        /// The number of packets.
        packets: u64,
    },
}

/// The tolerance for lateness, as a part of the round-trip time.
const TOLERABLE: f64 = 0.02;
/// Lateness below this number of seconds is always tolerated.
const TOLERABLE_S: f64 = 0.5e-3;

impl Report {
    pub(super) fn new(router: &Router, overflow: u64) -> Self {
        let count = &router.count;
        let lateness = count.leaving.summary();
        let entry_lateness = count.entering.summary();
        let base_rtt_s = match count.least_transit {
            [Some(back), Some(there)] => Some((back + there).as_secs_f64()),
            _ => None,
        };
        let elapsed_s = count.elapsed.as_secs_f64();
        Self {
            network: router.emulation.outcome(),
            elapsed_s,
            from_sender: count.entered[0],
            from_receiver: count.entered[1],
            base_rtt_s,
            lateness,
            entry_lateness,
            refused: count.refused,
            overflow,
            busy: count.busy.as_secs_f64() / elapsed_s.max(f64::MIN_POSITIVE),
            realtime: count.realtime,
            faults: faults(
                &[lateness, entry_lateness],
                base_rtt_s,
                count.refused + overflow,
            ),
        }
    }
}

/// Returns the faults on a path with this round-trip time, if the machine itself lost `lost` packets.
fn faults(lateness: &[Summary], base_rtt_s: Option<f64>, lost: u64) -> Vec<Fault> {
    let tolerable_s = TOLERABLE_S.max(TOLERABLE * base_rtt_s.unwrap_or(0.0));
    let p99_s = lateness.iter().map(|it| it.p99_s).fold(0.0, f64::max);
    let late = (p99_s > tolerable_s).then_some(Fault::Late { p99_s, tolerable_s });
    let lost = (lost > 0).then_some(Fault::Lost { packets: lost });
    late.into_iter().chain(lost).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn late(p99_s: f64) -> Summary {
        Summary {
            packets: 1000,
            p99_s,
            ..Summary::default()
        }
    }

    /// 2 % of 60 ms is 1.2 ms; 2 % of 10 ms would be 0.2 ms, but half a millisecond is always tolerated.
    #[test]
    fn lateness_is_measured_against_the_path() {
        assert_eq!(faults(&[late(1.1e-3)], Some(60e-3), 0), []);
        let tolerable_s = 0.02 * 60e-3;
        let p99_s = 1.3e-3;
        assert_eq!(
            faults(&[late(p99_s)], Some(60e-3), 0),
            [Fault::Late { p99_s, tolerable_s }]
        );
        assert_eq!(faults(&[late(0.4e-3)], Some(10e-3), 0), []);
        assert_eq!(faults(&[late(0.6e-3)], Some(10e-3), 0).len(), 1);
        assert_eq!(faults(&[late(0.6e-3)], None, 0).len(), 1);
    }

    #[test]
    fn lateness_in_either_direction_counts() {
        assert_eq!(faults(&[late(0.0), late(2e-3)], Some(60e-3), 0).len(), 1);
        assert_eq!(faults(&[late(2e-3), late(0.0)], Some(60e-3), 0).len(), 1);
    }

    #[test]
    fn no_packet_may_be_lost_by_the_machine() {
        let found = faults(&[late(0.0)], Some(60e-3), 3);
        assert_eq!(found, [Fault::Lost { packets: 3 }]);
        assert!(found[0].to_string().contains("lost 3 packets"));
    }
}
