//! The accepted counts, with the compiler for which they hold.

use std::collections::BTreeMap;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::workload::Workload;

/// The file that holds them.
pub const FILE: &str = "crates/run/benches/instructions/recorded.toml";
const PATH: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/benches/instructions/recorded.toml"
);
const HEAD: &str = "# Instructions, written by\n\
                    # cargo bench -p dumbbell-run --bench instructions -- --accept\n\n";

/// Counts and the toolchain that they depend on.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// What `rustc --version` prints.
    rustc: String,
    /// The platform, as rustc names it.
    host: String,
    /// Instructions per data packet through the bottleneck, by case.
    per_packet: BTreeMap<String, f64>,
    /// Instructions per ACK, by control.
    per_ack: BTreeMap<String, f64>,
}

impl Record {
    /// Reads the accepted counts; empty if none have been accepted yet.
    ///
    /// # Errors
    /// The file cannot be read or is not a record of counts.
    pub fn read() -> Result<Self, String> {
        match std::fs::read_to_string(PATH) {
            Ok(text) => toml::from_str(&text).map_err(|e| format!("{FILE}: {e}")),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(format!("{FILE}: {e}")),
        }
    }

    /// An empty record for the compiler that is installed.
    pub fn of_this_toolchain() -> Self {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let said = Command::new(rustc).arg("-vV").output();
        let text = said.map_or_else(
            |_| String::new(),
            |output| String::from_utf8_lossy(&output.stdout).into_owned(),
        );
        let host = text.lines().find_map(|line| line.strip_prefix("host: "));
        Self {
            rustc: text.lines().next().unwrap_or("an unknown compiler").into(),
            host: host.unwrap_or("an unknown platform").into(),
            ..Self::default()
        }
    }

    /// Whether both records are of the same toolchain, so that their counts can be compared.
    pub fn same_toolchain(&self, other: &Self) -> bool {
        self.rustc == other.rustc && self.host == other.host
    }

    /// Compiler and platform in readable form.
    pub fn toolchain(&self) -> String {
        format!("{} on {}", self.rustc, self.host)
    }

    /// The recorded count of a workload.
    pub fn get(&self, workload: &Workload) -> Option<f64> {
        let table = match workload {
            Workload::Packets(_) => &self.per_packet,
            Workload::Acks(_) => &self.per_ack,
        };
        table.get(workload.name()).copied()
    }

    /// Stores the count of a workload, rounded to a tenth of an instruction.
    pub fn set(&mut self, workload: &Workload, count: f64) {
        let table = match workload {
            Workload::Packets(_) => &mut self.per_packet,
            Workload::Acks(_) => &mut self.per_ack,
        };
        table.insert(workload.name().to_owned(), (count * 10.0).round() / 10.0);
    }

    /// Replaces the accepted counts.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), String> {
        let text = toml::to_string(self).map_err(|e| e.to_string())?;
        std::fs::write(PATH, format!("{HEAD}{text}")).map_err(|e| format!("{FILE}: {e}"))
    }
}

/// How a count compares with the record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// There is no record.
    New,
    /// Within the tolerance.
    Same,
    /// More than the tolerance above it.
    More,
    /// More than the tolerance below it.
    Less,
}

impl Verdict {
    /// Compares a count with the record. The tolerance is in percent.
    pub fn of(count: f64, recorded: Option<f64>, tolerance: f64) -> Self {
        match recorded.map(|recorded| change(count, recorded)) {
            None => Self::New,
            Some(change) if change > tolerance => Self::More,
            Some(change) if change < -tolerance => Self::Less,
            Some(_) => Self::Same,
        }
    }

    /// Describes the change in words.
    pub fn describe(self, count: f64, recorded: Option<f64>) -> String {
        let Some(recorded) = recorded else {
            return "not recorded".to_owned();
        };
        let change = change(count, recorded);
        let note = match self {
            Self::More => "  MORE",
            Self::Less => "  less",
            Self::Same | Self::New => "",
        };
        format!("{change:+.1} %{note}")
    }
}

fn change(count: f64, recorded: f64) -> f64 {
    100.0 * (count / recorded - 1.0)
}
