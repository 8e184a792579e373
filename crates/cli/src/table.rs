//! The results of runs as tables for the terminal.

use std::collections::BTreeSet;
use std::time::Duration;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use dumbbell_lab::summary::{ClassifierSummary, FlowSummary, LinkSummary, Summary};
use dumbbell_run::outcome::Outcome;
use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

/// Above this number of flows, a table has only one line per kind.
const MOST_LINES: usize = 40;

/// Returns the tables of flows and links and the sums of one or more runs of the same scenario.
/// `elapsed` is their total time.
pub fn of_runs(scenario: &Scenario, runs: &[Outcome], elapsed: Duration) -> String {
    let summary = Summary::of(scenario, runs);
    let flows = flows(&summary.flows, "--json");
    let mut text = format!("{}\n{flows}\n", heading(scenario, runs));
    text.extend(caveat(summary.reconstructed()));
    text += &links(&summary.links).to_string();
    text.push('\n');
    if let Some(classified) = classified(&summary.classified) {
        text += &format!("{classified}\n");
    }
    if let Some(fairness) = summary.fairness {
        text += &format!(
            "Jain's index of the TCP flows' goodputs: {}\n",
            show(fairness, 4)
        );
    }
    let (events, seconds) = (summary.events, elapsed.as_secs_f64());
    text += &format!("{events} events in {seconds:.3} s\n");
    text
}

/// Returns a line about the controls that are reconstructions, if there are any.
pub fn caveat<'a>(reconstructed: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: BTreeSet<&str> = reconstructed.collect();
    let names: Vec<&str> = names.into_iter().collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} (reconstructed): made up after what others say of it, not the published scheme\n",
            names.join(", ")
        )
    })
}

fn heading(scenario: &Scenario, runs: &[Outcome]) -> String {
    let name = scenario
        .name
        .as_deref()
        .map(|name| format!("{name}: "))
        .unwrap_or_default();
    let seconds = scenario.duration.as_secs_f64();
    match runs {
        [run] => format!("{name}{seconds} s simulated, seed {}", run.seed),
        _ => format!(
            "{name}{} runs of {seconds} s, seeds {} to {}; means and 95 % intervals",
            runs.len(),
            runs[0].seed,
            runs[runs.len() - 1].seed
        ),
    }
}

/// Returns the table of flows, up to a maximum; `option` names the option that lists all of them.
pub fn flows(flows: &[FlowSummary], option: &str) -> Table {
    let mut heads = vec![
        "flow",
        "control",
        "goodput kb/s",
        "sent",
        "resent",
        "timeouts",
        "recoveries",
        "RTT ms",
        "cwnd",
    ];
    let varied = flows.iter().any(|flow| flow.sending_variation.is_some());
    heads.extend(varied.then_some("variation"));
    let mut table = new_table(heads);
    for flow in flows.iter().take(MOST_LINES) {
        let mut row = vec![
            flow.name.clone(),
            flow.recovery.as_ref().map_or_else(
                || flow.control.clone(),
                |recovery| format!("{} ({recovery})", flow.control),
            ),
            cell(flow.goodput_kbps, 1),
            cell(flow.sent, 0),
            cell(flow.retransmits, 0),
            cell(flow.timeouts, 1),
            cell(flow.fast_recoveries, 1),
            cell(flow.rtt_ms, 1),
            cell(flow.cwnd, 1),
        ];
        row.extend(varied.then(|| cell(flow.sending_variation, 3)));
        table.add_row(row);
    }
    if flows.len() > MOST_LINES {
        table.add_row([format!(
            "... and {} more ({option} has all)",
            flows.len() - MOST_LINES
        )]);
    }
    table
}

/// A column for something that only some queues do to packets, shown if it happened.
type Special = (&'static str, fn(&LinkSummary) -> Option<Estimate>);

const SPECIAL: [Special; 3] = [
    ("early", |l| l.early),
    ("marked", |l| l.marked),
    ("filtered", |l| l.filtered),
];

/// Returns the table of links between routers. Access links are included only if something happened
/// to a packet there.
pub fn links(links: &[LinkSummary]) -> Table {
    let mut heads = vec!["link", "sent", "dropped", "lost"];
    let happens = |count: Option<Estimate>| count.is_some_and(|it| it.mean > 0.0);
    let special: Vec<&Special> = SPECIAL
        .iter()
        .filter(|(_, count)| links.iter().any(|link| happens(count(link))))
        .collect();
    heads.extend(special.iter().map(|(head, _)| head));
    heads.extend(["utilisation %", "queue"]);
    let mut table = new_table(heads);
    let shown = links.iter().filter(|link| link.is_core || link.is_eventful);
    for link in shown.take(MOST_LINES + 1) {
        let mut row = vec![
            link.name.clone(),
            cell(link.sent, 0),
            cell(link.dropped, 1),
            cell(link.lost, 1),
        ];
        row.extend(special.iter().map(|(_, count)| cell(count(link), 1)));
        row.push(cell(link.utilisation_percent, 1));
        row.push(cell(link.queue, 1));
        table.add_row(row);
    }
    table
}

/// Returns the table of classifications compared with the causes that the simulator knows; `None`
/// without classifiers.
fn classified(all: &[ClassifierSummary]) -> Option<Table> {
    let mut table = new_table(vec![
        "flow",
        "classifier",
        "drops: congestion",
        "random",
        "losses: congestion",
        "random",
        "spurious",
        "right %",
    ]);
    for one in all.iter().take(MOST_LINES + 1) {
        table.add_row(vec![
            one.flow.clone(),
            one.classifier.clone(),
            cell(one.dropped_as_congestion, 1),
            cell(one.dropped_as_random, 1),
            cell(one.lost_as_congestion, 1),
            cell(one.lost_as_random, 1),
            cell(one.spurious, 1),
            cell(one.right_percent, 1),
        ]);
    }
    (!all.is_empty()).then_some(table)
}

/// Returns a table whose columns are right-aligned, except the first.
pub fn new_table(header: impl IntoIterator<Item = impl Into<Cell>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header.into_iter().map(Into::<Cell>::into));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn cell(estimate: Option<Estimate>, decimals: usize) -> String {
    estimate.map_or_else(|| "-".to_owned(), |estimate| show(estimate, decimals))
}

/// Formats a mean and half its interval, with as many digits as the interval justifies.
pub fn significant(estimate: Estimate) -> String {
    let (size, digits) = match estimate.half_width {
        // Less than a millionth is rounding: the runs are equal.
        Some(half) if half > 1e-6 * estimate.mean.abs() => (half, 1),
        _ => (estimate.mean.abs(), 4),
    };
    // The position of the first digit, left or right of the decimal point.
    let first = format!("{size:e}");
    let first = first.rsplit_once('e').and_then(|(_, e)| e.parse().ok());
    show(
        estimate,
        (digits - first.unwrap_or(0i32)).clamp(0, 9) as usize,
    )
}

/// Formats a mean, and half its interval if there is one.
pub fn show(estimate: Estimate, decimals: usize) -> String {
    match estimate.half_width {
        Some(half) => format!("{:.decimals$} ± {half:.decimals$}", estimate.mean),
        None => format!("{:.decimals$}", estimate.mean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_as_many_digits_as_its_interval_justifies() {
        let shown = |mean, half_width| significant(Estimate { mean, half_width });
        assert_eq!(shown(1403.624, Some(20.31)), "1404 ± 20");
        assert_eq!(shown(1908.64, Some(0.123)), "1908.64 ± 0.12");
        assert_eq!(shown(0.99957, Some(0.000218)), "0.99957 ± 0.00022");
        assert_eq!(shown(112.0, Some(0.0)), "112.00 ± 0.00");
        assert_eq!(shown(0.84, None), "0.84000");
    }
}
