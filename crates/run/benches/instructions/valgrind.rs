//! Counts the instructions of a workload by running this program again under valgrind.
//!
//! Callgrind counts only inside the function that does the work, so starting up, reading the
//! scenario and preparing the ACKs are not counted.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workload::Workload;

/// Functions inside which instructions are counted; they are defined in `workload`.
const COUNTED: [&str; 2] = ["*counted_packets*", "*counted_acks*"];
const QUESTION: &str = "--work-on";

/// Why there is no count.
pub enum CountError {
    /// Valgrind is not installed.
    NoValgrind,
    /// Another reason, in words.
    Failed(String),
}

/// The workload that this process was started for.
pub fn asked(words: &[String]) -> Option<Workload> {
    match words {
        [question, name] if question == QUESTION => Workload::named(name),
        _ => None,
    }
}

/// Returns the instructions per packet or per ACK of a workload.
///
/// # Errors
/// [`CountError::NoValgrind`] if valgrind is missing, [`CountError::Failed`] if it fails.
pub fn count(workload: &Workload) -> Result<f64, CountError> {
    let profile = profile(workload);
    let counted = count_into(&profile, workload);
    // The file does not exist if valgrind did not start.
    let _ = std::fs::remove_file(&profile);
    counted
}

fn count_into(profile: &Path, workload: &Workload) -> Result<f64, CountError> {
    let failed = |what: String| CountError::Failed(format!("{}: {what}", workload.name()));
    let program = std::env::current_exe().map_err(|e| failed(e.to_string()))?;
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .args(COUNTED.map(|function| format!("--toggle-collect={function}")))
        .arg(program)
        .args([QUESTION, workload.name()])
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => CountError::NoValgrind,
            _ => failed(error.to_string()),
        })?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let amount: f64 = printed
        .trim()
        .parse()
        .map_err(|_| failed(String::from_utf8_lossy(&output.stderr).into_owned()))?;
    let text = std::fs::read_to_string(profile).map_err(|e| failed(e.to_string()))?;
    match total(&text) {
        Some(instructions) if instructions > 0 => Ok(instructions as f64 / amount),
        _ => Err(failed(
            "valgrind counted nothing: are the function names stripped from the program?"
                .to_owned(),
        )),
    }
}

/// The number after `totals:` in a profile.
fn total(profile: &str) -> Option<u64> {
    let line = profile.lines().find_map(|l| l.strip_prefix("totals:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn profile(workload: &Workload) -> PathBuf {
    let file = format!("{}-{}.callgrind", workload.name(), std::process::id());
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file)
}
