//! Whether an emulation can be trusted: how late it was, how long it stood still, what it lost.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::count::Count;
use super::lateness::Summary;
use super::stalls::{Stalled, Stalls};

/// How exactly an emulation keeps time, and what is wrong with it; the fields are those of [`Report`](super::Report).
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Judged {
    pub base_rtt_s: Option<f64>,
    pub lateness: Summary,
    pub entry_lateness: Summary,
    pub stalls: Stalled,
    pub faults: Vec<Fault>,
}

impl Judged {
    /// Judges what has been counted in this time. `lost` packets were lost by the machine itself.
    pub(super) fn of(count: &Count, elapsed: Duration, lost: u64) -> Self {
        let lateness = count.leaving.summary();
        let entry_lateness = count.entering.summary();
        let base_rtt_s = match count.least_transit {
            [Some(back), Some(there)] => Some((back + there).as_secs_f64()),
            _ => None,
        };
        let tolerance = Tolerance::of(base_rtt_s);
        let late = Duration::from_secs_f64(tolerance.late_s);
        let stalls = count.stalls.summary(late, elapsed);
        Self {
            base_rtt_s,
            lateness,
            entry_lateness,
            stalls,
            faults: faults(tolerance, &[lateness, entry_lateness], stalls, lost),
        }
    }
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
    /// The emulator did nothing for longer than is tolerable.
    Stalled {
        /// The longest stall, in seconds.
        worst_s: f64,
        /// The tolerance, in seconds: a round trip, at which the clock of ACKs stops, but at least 10 ms, which
        /// the other tolerances judge, and at most 100 ms, half of the shortest retransmission timeout of
        /// Linux.
        tolerable_s: f64,
    },
    /// The emulator did nothing for more of the time than is tolerable.
    Absent {
        /// The part of the time, 0 to 1.
        share: f64,
        /// The stalls that count are longer than this, in seconds.
        longer_than_s: f64,
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
/// The longest stall on a path with a shorter round-trip time, in seconds.
const STALL_LEAST_S: f64 = 10e-3;
/// The longest stall on any path, in seconds: half of Linux's shortest retransmission timeout.
const STALL_MOST_S: f64 = 100e-3;
/// The tolerance for the part of the time in stalls.
const ABSENT: f64 = 0.01;

/// Returns whether an emulation with this lateness and these stalls is to be trusted on a path with this round-trip
/// time.
pub(crate) fn is_trusted(
    rtt_s: Option<f64>,
    lateness: Summary,
    stalls: &Stalls,
    elapsed: Duration,
) -> bool {
    let tolerance = Tolerance::of(rtt_s);
    let stalls = stalls.summary(Duration::from_secs_f64(tolerance.late_s), elapsed);
    faults(tolerance, &[lateness], stalls, 0).is_empty()
}

/// What a path tolerates.
#[derive(Clone, Copy, Debug)]
struct Tolerance {
    /// The lateness of a packet, in seconds.
    late_s: f64,
    /// The longest stall, in seconds.
    stall_s: f64,
}

impl Tolerance {
    /// Returns that of a path with this round-trip time.
    fn of(base_rtt_s: Option<f64>) -> Self {
        let rtt_s = base_rtt_s.unwrap_or(0.0);
        Self {
            late_s: TOLERABLE_S.max(TOLERABLE * rtt_s),
            stall_s: rtt_s.clamp(STALL_LEAST_S, STALL_MOST_S),
        }
    }
}

/// Returns the faults, if the machine itself lost `lost` packets.
fn faults(tolerance: Tolerance, lateness: &[Summary], stalls: Stalled, lost: u64) -> Vec<Fault> {
    let Tolerance { late_s, stall_s } = tolerance;
    let p99_s = lateness.iter().map(|it| it.p99_s).fold(0.0, f64::max);
    let late = (p99_s > late_s).then_some(Fault::Late {
        p99_s,
        tolerable_s: late_s,
    });
    let stalled = (stalls.worst_s > stall_s).then_some(Fault::Stalled {
        worst_s: stalls.worst_s,
        tolerable_s: stall_s,
    });
    let absent = (stalls.share > ABSENT).then_some(Fault::Absent {
        share: stalls.share,
        longer_than_s: late_s,
    });
    let lost = (lost > 0).then_some(Fault::Lost { packets: lost });
    [late, stalled, absent, lost]
        .into_iter()
        .flatten()
        .collect()
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
            Self::Stalled {
                worst_s,
                tolerable_s,
            } => write!(
                f,
                "the machine stopped: the emulator did nothing for {:.1} ms, and {:.1} ms is tolerable on \
                 this path",
                worst_s * 1e3,
                tolerable_s * 1e3
            ),
            Self::Absent {
                share,
                longer_than_s,
            } => write!(
                f,
                "the machine stopped: the emulator did nothing for {:.1} % of the time, in stalls of more than \
                 {:.2} ms; {:.0} % is tolerable",
                share * 1e2,
                longer_than_s * 1e3,
                ABSENT * 1e2
            ),
            Self::Lost { packets } => write!(
                f,
                "the machine was too slow: it lost {packets} packets that the network did not lose"
            ),
        }
    }
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

    const NONE: Stalled = Stalled {
        worst_s: 0.0,
        share: 0.0,
    };

    fn found(lateness: &[Summary], rtt_s: Option<f64>, stalls: Stalled, lost: u64) -> Vec<Fault> {
        faults(Tolerance::of(rtt_s), lateness, stalls, lost)
    }

    /// 2 % of 60 ms is 1.2 ms; 2 % of 10 ms would be 0.2 ms, but half a millisecond is always tolerated.
    #[test]
    fn lateness_is_measured_against_the_path() {
        let found = |p99_s, rtt_s| found(&[late(p99_s)], rtt_s, NONE, 0);
        assert_eq!(found(1.1e-3, Some(60e-3)), []);
        let tolerable_s = 0.02 * 60e-3;
        let p99_s = 1.3e-3;
        assert_eq!(
            found(p99_s, Some(60e-3)),
            [Fault::Late { p99_s, tolerable_s }]
        );
        assert_eq!(found(0.4e-3, Some(10e-3)), []);
        assert_eq!(found(0.6e-3, Some(10e-3)).len(), 1);
        assert_eq!(found(0.6e-3, None).len(), 1);
    }

    #[test]
    fn lateness_in_either_direction_counts() {
        let found = |summaries: &[Summary]| found(summaries, Some(60e-3), NONE, 0);
        assert_eq!(found(&[late(0.0), late(2e-3)]).len(), 1);
        assert_eq!(found(&[late(2e-3), late(0.0)]).len(), 1);
    }

    /// A round trip of 40 ms; never more than 100 ms, and never less than 10 ms.
    #[test]
    fn a_stall_is_measured_against_the_round_trip_and_the_timeout() {
        let found = |worst_s, rtt_s| {
            let share = 0.001;
            found(&[late(0.0)], rtt_s, Stalled { worst_s, share }, 0)
        };
        assert_eq!(found(0.039, Some(0.040)), []);
        let (worst_s, tolerable_s) = (0.041, 0.040);
        assert_eq!(
            found(worst_s, Some(0.040)),
            [Fault::Stalled {
                worst_s,
                tolerable_s
            }]
        );
        assert_eq!(found(0.099, Some(0.6)), []);
        assert_eq!(found(0.101, Some(0.6)).len(), 1);
        assert_eq!(found(0.009, Some(0.001)), []);
        assert_eq!(found(0.011, None).len(), 1);
    }

    #[test]
    fn many_short_stalls_count_by_the_time_that_they_take() {
        let found = |share| {
            let worst_s = 0.002;
            found(&[late(0.0)], Some(0.040), Stalled { worst_s, share }, 0)
        };
        assert_eq!(found(0.009), []);
        let said = found(0.011)[0].to_string();
        assert!(said.contains("1.1 % of the time"), "{said}");
    }

    #[test]
    fn no_packet_may_be_lost_by_the_machine() {
        let found = found(&[late(0.0)], Some(60e-3), NONE, 3);
        assert_eq!(found, [Fault::Lost { packets: 3 }]);
        assert!(found[0].to_string().contains("lost 3 packets"));
    }
}
