//! Traces: their contents, and that they do not change the run.

mod csv;
mod failures;
mod pcap;
mod qlog;
mod read;
mod same;
mod tshark;

use std::path::Path;

use dumbbell_run::Run;
use dumbbell_run::outcome::Outcome;
use dumbbell_run::trace::{Format, Tape};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Probe, Scenario};

/// One connection that sends 1500 bytes in two segments. A full segment of 1000 bytes takes 1, 8
/// and 1 ms on the three links, and an ACK of 40 bytes takes 0.04, 0.32 and 0.04 ms; the
/// propagation takes 12 ms in each direction. So an empty segment needs 0.4 + 12 = 12.4 ms in one
/// direction.
///
/// * The SYN leaves at 0, the reply to it arrives at 24.8 ms. Both segments leave.
/// * Segment 0 takes 1 + 8 + 1 + 12 = 22 ms, its ACK arrives at 24.8 + 22 + 12.4 = 59.2 ms.
/// * Segment 1, of 580 bytes, leaves the bottleneck 580 x 8 us = 4.64 ms after segment 0, and takes
///   0.58 ms instead of 1 ms on the last link: its ACK arrives at 59.2 + 4.64 - 0.42 = 63.42 ms.
const STORY: &str = r#"
    duration = "1 s"
    [dumbbell]
    access     = { rate = "8 Mb/s", delay = "1 ms" }
    bottleneck = { rate = "1 Mb/s", delay = "10 ms", queue = { droptail = 10 } }
    [[flow]]
    control = "reno"
    payload = "960 B"
    size    = "1500 B"
"#;

fn parse(text: &str) -> Scenario {
    Scenario::parse("traced.toml", text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{text}\n{report}"))
}

/// A run with a trace of these flows, or of all if none are named.
fn traced(scenario: &Scenario, seed: u64, format: Format, flows: &[&str]) -> (Outcome, Vec<u8>) {
    probed(scenario, seed, None, format, flows)
}

/// The same run with a probe.
fn probed(
    scenario: &Scenario,
    seed: u64,
    probe: Option<&Probe>,
    format: Format,
    flows: &[&str],
) -> (Outcome, Vec<u8>) {
    let mut bytes = Vec::new();
    let flows: Vec<_> = flows.iter().map(|&flow| flow.to_owned()).collect();
    let mut tape = Tape::new(scenario, &flows).expect("the flows are there");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tape.add(format, &mut bytes, folder).expect("it begins");
    let run = Run::new(scenario).seed(seed).probe(probe).trace(tape);
    let outcome = run.go().expect("it is written").outcome;
    (outcome, bytes)
}

/// A run with a trace in CSV.
fn rows(scenario: &Scenario, seed: u64) -> (Outcome, Vec<read::Row>) {
    let (outcome, text) = traced(scenario, seed, Format::Csv, &[]);
    (outcome, read::rows(&text))
}

/// An outcome as JSON.
fn results(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).expect("numbers and words")
}
