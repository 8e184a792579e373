//! The results of a parity.

use dumbbell_run::statistics::Estimate;
use serde::Serialize;

use crate::compare::{Gap, Measure, Predicted, Run, Span, over_time};
use crate::quic::Stack;
use crate::trials::{self, Trial as _};

/// Where a control ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// The simulator, with `stack = "quic"`.
    SimulatedQuic,
    /// A QUIC stack, over the emulated path.
    Quic(Stack),
    /// The simulator, with `stack = "linux"`.
    SimulatedLinux,
    /// The kernel, over the emulated path.
    Kernel,
}

impl Host {
    /// quinn.
    pub const QUINN: Self = Self::Quic(Stack::Quinn);
    /// noq.
    pub const NOQ: Self = Self::Quic(Stack::Noq);

    /// Its name for readers.
    pub fn name(self) -> &'static str {
        match self {
            Self::SimulatedQuic => "simulated QUIC",
            Self::Quic(stack) => stack.name(),
            Self::SimulatedLinux => "simulated Linux",
            Self::Kernel => "kernel",
        }
    }

    /// The simulated host that it is compared with, if it is real.
    pub fn partner(self) -> Option<Self> {
        match self {
            Self::Quic(_) => Some(Self::SimulatedQuic),
            Self::Kernel => Some(Self::SimulatedLinux),
            Self::SimulatedQuic | Self::SimulatedLinux => None,
        }
    }
}

impl Serialize for Host {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(to)
    }
}

/// All controls on one path.
#[derive(Clone, Debug, Serialize)]
pub struct Parity {
    /// One row per control, in the order of the arguments.
    pub rows: Vec<Row>,
    /// What makes hosts differ, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The number of planned real runs. If interrupted, there are fewer runs.
    pub planned: usize,
    /// The largest packet in bytes, with its IPv4 header.
    pub mtu: u16,
    /// Length of a run, in seconds.
    pub duration_s: f64,
    /// Time between two samples of a connection, in seconds.
    pub interval_s: f64,
    /// The first seed.
    pub first_seed: u64,
}

/// The results of one control.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its displayed name.
    pub label: String,
    /// The simulator's control of the same kind.
    pub simulated: &'static str,
    /// The hosts on which it ran, each real one after the simulated one that is like it.
    pub sides: Vec<Side>,
}

/// A control on one host.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// The host.
    pub host: Host,
    /// Its runs, if it is real, in the order of the seeds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
    /// Its runs, if it is simulated, in the order of the seeds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub simulated: Vec<Predicted>,
}

/// What makes two hosts differ.
#[derive(Clone, Debug, Serialize)]
pub struct Reason {
    /// The control's displayed name.
    pub label: String,
    /// The host that is taken as it is.
    pub real: Host,
    /// The simulated host whose switches are turned, one at a time.
    pub simulated: Host,
    /// The number of simulated runs behind each value.
    pub runs: u32,
    /// The quantities that differ.
    pub gaps: Vec<Gap>,
}

impl Side {
    /// An interrupted parity is compared seed by seed, too: as many runs as the real host has.
    pub(super) fn simulated(host: Host, mut simulated: Vec<Predicted>, count: usize) -> Self {
        simulated.truncate(count);
        Self {
            host,
            runs: Vec::new(),
            simulated,
        }
    }

    pub(super) fn real(host: Host, runs: Vec<Run>) -> Self {
        Self {
            host,
            runs,
            simulated: Vec::new(),
        }
    }

    /// Returns a quantity with its interval; `None` without runs.
    pub fn value(&self, quantity: Measure) -> Option<Estimate> {
        match self.runs.is_empty() {
            true => quantity.predicted(&self.simulated),
            false => {
                let runs = self.runs.iter();
                quantity.estimate(runs.map(|run| quantity.of_kernel(&run.measured)))
            }
        }
    }

    /// Returns the window of each run over time, in packets.
    fn all_windows(&self) -> Vec<Vec<(f64, f64)>> {
        let real = self.runs.iter().map(|run| {
            let samples = run.measured.samples.iter();
            samples.map(|it| (it.at_s, f64::from(it.cwnd))).collect()
        });
        let simulated = self.simulated.iter().map(|it| it.windows.clone());
        real.chain(simulated).collect()
    }

    /// Returns the window over time, in packets, at `places` times: the mean of all runs.
    pub fn windows(&self, duration_s: f64, places: usize) -> Span {
        over_time(&self.all_windows(), duration_s, places)
    }

    /// Returns the window of the run with the first seed.
    pub fn first_window(&self) -> Vec<(f64, f64)> {
        self.all_windows().into_iter().next().unwrap_or_default()
    }

    /// Returns the number of runs that are not to be believed.
    pub fn doubtful(&self) -> usize {
        trials::doubtful(&self.runs)
    }
}

impl Row {
    /// Returns the control on a host, if it ran there.
    pub fn side(&self, host: Host) -> Option<&Side> {
        self.sides.iter().find(|it| it.host == host)
    }
}

impl Parity {
    /// Returns the number of finished runs: of the real ones, if there are to be any.
    pub fn runs(&self) -> usize {
        self.counts().sum()
    }

    /// Returns the number of such runs of each control on each host.
    pub fn repeat(&self) -> usize {
        self.counts().max().unwrap_or(0)
    }

    fn counts(&self) -> impl Iterator<Item = usize> {
        let sides = self.rows.iter().flat_map(|row| &row.sides);
        sides.map(|side| match self.planned {
            0 => side.simulated.len(),
            _ => side.runs.len(),
        })
    }

    /// Returns how late packets left the emulator, in seconds, as the mean of all runs; and the highest 99th
    /// percentile of any run, of packets that left or came in.
    pub fn lateness(&self) -> (f64, f64) {
        trials::lateness(self.all_runs().map(|run| &run.network))
    }

    /// Returns whether any run is not to be believed.
    pub fn is_doubtful(&self) -> bool {
        self.all_runs().any(|run| run.is_doubtful())
    }

    /// Returns how many repetitions of runs there were.
    pub fn repeated(&self) -> u32 {
        self.all_runs().map(|run| run.repeated).sum()
    }

    /// Returns warnings about results that should not be trusted, with the reasons.
    pub fn warnings(&self) -> Vec<String> {
        let sides = self.rows.iter().flat_map(|row| {
            let real = row.sides.iter().filter(|it| it.host.partner().is_some());
            real.map(|it| (format!("{} in {}", row.label, it.host.name()), &it.runs[..]))
        });
        let sides: Vec<_> = sides.collect();
        let sides = sides.iter().map(|(label, runs)| (label.as_str(), *runs));
        trials::warnings(self.planned, &sides.collect::<Vec<_>>())
    }

    fn all_runs(&self) -> impl Iterator<Item = &Run> {
        let sides = self.rows.iter().flat_map(|row| &row.sides);
        sides.flat_map(|side| &side.runs)
    }
}
