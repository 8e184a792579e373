//! A parity as it is handed over: its page, its tables and its files.

use dumbbell_lab::comparison::{self, Contender, OnHost, PLACES};
use dumbbell_live::compare::Measure;
use dumbbell_live::parity::{Order, Pair, Parity, Row, Side};
use dumbbell_scenario::Scenario;
use serde::Serialize;

use super::tabular;
use crate::trials::Found;

/// The file name of the page.
pub const NAME: &str = "parity.html";
/// How the numbers are defined.
const DEFINED: &str = "\
<p>Every row is a control on a host: real, or simulated with the same network, seeds, packet sizes and length. The
simulated flow beside QUIC has <code>stack = \"quic\"</code> and in quinn <code>below_window = true</code>; that beside the kernel
has <code>stack = \"linux\"</code>. Random losses do not hit the same packets. Both ends of QUIC run with
the real-time policy of the emulator, if the system permits, as the kernel's TCP does.</p>
<p>Goodput is what the receiver's program read; RTT the mean over time of the smoothed round-trip time by which the sender's
timer runs; resent the share of packets that were retransmissions and, of a QUIC stack, that were lost; between cuts the time
of all runs divided by the number of loss episodes and, of TCP, of tails that a probe has repaired and of expiries of the
retransmission timer. Two hosts agree if these differ by no more than 5, 10, 15 and 20 %, or by no more than that and both
95 % intervals.</p>";

/// Everything as JSON.
#[derive(Serialize)]
struct All<'a> {
    #[serde(flatten)]
    parity: &'a Parity,
    pairs: Vec<Pair>,
    orders: Vec<Order>,
}

/// Returns what is handed over of a parity.
pub fn found(scenario: &Scenario, found: &Parity) -> Found {
    let all = All {
        parity: found,
        pairs: found.rows.iter().flat_map(Row::pairs).collect(),
        orders: found.orders(),
    };
    Found {
        runs: found.runs(),
        is_doubtful: found.is_doubtful(),
        text: tabular::of(scenario, found),
        page: shown(scenario, found),
        runs_csv: found.runs_csv(),
        windows_csv: found.windows_csv(),
        json: serde_json::to_string(&all),
    }
}

/// Converts the measurements into the form that the page uses.
fn shown(scenario: &Scenario, found: &Parity) -> comparison::Comparison {
    let cells = tabular::cells(found);
    let title = scenario.name.as_deref().unwrap_or("one path");
    comparison::Comparison {
        title: title.to_owned(),
        kind: "the simulator, QUIC and the kernel",
        defined: DEFINED,
        json: "parity.json",
        about: scenario.description.clone().unwrap_or_default(),
        heading: tabular::heading(scenario, found),
        warnings: found.warnings(),
        heads: cells.heads,
        rows: cells.rows,
        compared: tabular::compared(found),
        contenders: found
            .rows
            .iter()
            .map(|row| contender(row, found.duration_s))
            .collect(),
        beside: None,
        first_seed: found.first_seed,
        lateness: found.lateness(),
        repeated: found.repeated(),
        facts: vec![],
        scenario: scenario.canonical(),
    }
}

fn contender(row: &Row, duration_s: f64) -> Contender {
    let on_host = |side: &Side| OnHost {
        host: side.host.name(),
        goodput: side.value(Measure::Goodput),
        first_window: side.first_window(),
        windows: side.windows(duration_s, PLACES),
    };
    // Real hosts first: their windows with the first seed are drawn.
    let (real, simulated): (Vec<&Side>, Vec<&Side>) = row
        .sides
        .iter()
        .partition(|side| side.host.partner().is_some());
    Contender {
        label: row.label.clone(),
        runs: real.iter().map(|side| side.runs.len()).max().unwrap_or(0),
        hosts: real.into_iter().chain(simulated).map(on_host).collect(),
    }
}
