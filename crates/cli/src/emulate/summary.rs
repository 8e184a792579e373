//! A summary of an emulated network for the terminal.

use std::fmt::Write as _;

use dumbbell_lab::summary::{FlowSummary, Summary};
use dumbbell_live::emulator::Report;
use dumbbell_scenario::Scenario;

use crate::table;

/// Returns a few lines, and the table of the links.
pub fn of(scenario: &Scenario, report: &Report, mtu: u16) -> String {
    let mut text = String::new();
    let network = Summary::of(scenario, std::slice::from_ref(&report.network));
    let base = report.base_rtt_s.map_or_else(
        || "no packet came through in both directions".to_owned(),
        |rtt| format!("smallest round trip {:.2} ms", rtt * 1e3),
    );
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        text,
        "{:.1} s emulated, seed {}: {} packets from the sender, {} from the receiver of up to {mtu} bytes; {base}",
        report.elapsed_s, report.network.seed, report.from_sender, report.from_receiver
    );
    let all = network.flows.len();
    let has_sent = |flow: &FlowSummary| flow.sent.is_some_and(|sent| sent.mean > 0.0);
    let flows: Vec<_> = network.flows.into_iter().filter(has_sent).collect();
    if !flows.is_empty() {
        let table = table::flows(&flows, table::MOST_LINES, "--report");
        let _ = writeln!(text, "{table}");
    }
    if flows.len() < all {
        let silent = all - flows.len();
        let _ = writeln!(text, "{silent} simulated flows have not sent anything");
    }
    text += &table::links(&network.links, table::MOST_LINES, "--report");
    let late = &report.lateness;
    let _ = writeln!(
        text,
        "packets {:.0} us late on average, 99 % within {:.0} us, the last {:.0} us; taken in within {:.0} us; \
         longest stall {:.1} ms; {:.0} % of a core",
        late.mean_s * 1e6,
        late.p99_s * 1e6,
        late.most_s * 1e6,
        report.entry_lateness.p99_s * 1e6,
        report.stalls.worst_s * 1e3,
        report.busy * 100.0
    );
    for fault in &report.faults {
        let _ = writeln!(text, "NOT TO BE BELIEVED: {fault}");
    }
    text
}
