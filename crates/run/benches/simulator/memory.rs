//! Measures the memory that a flow takes.
//!
//! The result is a difference quotient: the peak of resident memory (`VmHWM`) of a process that
//! does only one run, minus that of the same process with few flows, divided by the difference in
//! flows. It includes everything that a flow brings: its scenario, its links and hosts, its
//! results. With a receiver window of one segment, the packets in flight and their records are left
//! out: that is the memory of a flow beyond its window.

use std::fmt;
use std::process::Command;

use dumbbell_scenario::Traffic;
use serde::Serialize;

use crate::cases::Case;

/// The case whose flows are measured.
pub const CASE: &str = "d";

/// The number of flows of the baseline: enough for the scheduler of large networks, but few enough
/// to take hardly any memory.
const FEW: u32 = 100;
const QUESTION: &str = "--peak-memory-of";

/// A run whose memory is to be measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Run {
    flows: u32,
    windows: Windows,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Windows {
    /// One segment.
    One,
    /// As in the case's scenario.
    Free,
}

/// Memory per flow, in bytes.
#[derive(Serialize)]
pub struct Memory {
    case: &'static str,
    flows: u32,
    /// With a window of one segment.
    bytes_per_flow_beyond_window: f64,
    /// With the case's own window, packets in flight and their records included.
    bytes_per_flow: f64,
    /// Peak of the whole process.
    peak_bytes: u64,
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "memory of a flow in ({}): {:.0} bytes beyond its window, {:.0} bytes with it; \
             the process {:.1} MB",
            self.case,
            self.bytes_per_flow_beyond_window,
            self.bytes_per_flow,
            self.peak_bytes as f64 / 1e6,
        )
    }
}

/// Measures the memory in separate processes.
///
/// # Errors
/// A message if it could not be measured: the platform has no `/proc`, or a process failed.
pub fn measure() -> Result<Memory, String> {
    let flows = case().scenario.flows[0].count;
    let peak = |flows, windows| ask(Run { flows, windows });
    let few = peak(FEW, Windows::One)?;
    let lean = peak(flows, Windows::One)?;
    let full = peak(flows, Windows::Free)?;
    let each = |peak: u64| peak.saturating_sub(few) as f64 / f64::from(flows - FEW);
    Ok(Memory {
        case: CASE,
        flows,
        bytes_per_flow_beyond_window: each(lean),
        bytes_per_flow: each(full),
        peak_bytes: full,
    })
}

/// The run that this process was started for.
pub fn asked(words: &[String]) -> Option<Run> {
    let [question, flows, windows] = words else {
        return None;
    };
    let windows = match windows.as_str() {
        "one" => Windows::One,
        "free" => Windows::Free,
        _ => return None,
    };
    let flows = flows.parse().ok()?;
    (question == QUESTION).then_some(Run { flows, windows })
}

/// Does the run and prints the peak of this process in bytes.
pub fn answer(run: Run) {
    let mut case = case().with_flows(run.flows);
    if run.windows == Windows::One {
        for flow in &mut case.scenario.flows {
            if let Traffic::Tcp(tcp) = &mut flow.traffic {
                tcp.receiver_window = Some(1);
            }
        }
    }
    case.run();
    match peak() {
        Some(bytes) => println!("{bytes}"),
        None => println!("there is no VmHWM in /proc/self/status"),
    }
}

fn case() -> Case {
    crate::named(CASE).expect("it is one of the cases")
}

fn ask(run: Run) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let windows = match run.windows {
        Windows::One => "one",
        Windows::Free => "free",
    };
    let output = Command::new(program)
        .args([QUESTION, &run.flows.to_string(), windows])
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .parse()
        .map_err(|_| format!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Peak of resident memory so far, in bytes; `None` if the system does not report it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}
