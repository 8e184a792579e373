//! The results of runs as a table for people.

use std::collections::BTreeSet;
use std::time::Duration;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use dumbbell_run::outcome::{FlowOutcome, LinkOutcome, Outcome, Scores};
use dumbbell_run::statistics::{Estimate, jain};
use dumbbell_scenario::{Scenario, Topology};

/// Beyond this many flows, a table has a line for each kind only.
const MOST_LINES: usize = 40;

/// Flows, links and the sums of one or more runs of the same scenario, which took this long together.
pub fn of_runs(scenario: &Scenario, runs: &[Outcome], elapsed: Duration) -> String {
    let mut text = format!("{}\n{}\n", heading(scenario, runs), flows(runs, "--json"));
    let flows = runs.iter().flat_map(|run| &run.flows);
    let reconstructed = flows.filter(|flow| flow.reconstructed);
    text.extend(caveat(reconstructed.map(|flow| flow.control.as_str())));
    text += &links(scenario, runs).to_string();
    text.push('\n');
    if let Some(classified) = classified(runs) {
        text += &format!("{classified}\n");
    }
    if let Some(fairness) = estimate(runs, |run| {
        let shares: Vec<f64> = run
            .flows
            .iter()
            .filter(|f| f.recovery.is_some())
            .map(|f| f.goodput_bps)
            .collect();
        if shares.len() > 1 {
            jain(&shares)
        } else {
            None
        }
    }) {
        text += &format!(
            "Jain's index of the TCP flows' goodputs: {}\n",
            show(fairness, 4)
        );
    }
    let events: u64 = runs.iter().map(|run| run.events).sum();
    text += &format!("{events} events in {:.3} s\n", elapsed.as_secs_f64());
    text
}

/// What to know of controls that are reconstructions: a line, if there are any.
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

/// The flows of one or more runs of the same scenario, as many as there is room for; this option has all.
pub fn flows(runs: &[Outcome], option: &str) -> Table {
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
    let varies = |f: &FlowOutcome| f.sending_variation.is_some();
    let varied = runs.iter().any(|run| run.flows.iter().any(varies));
    heads.extend(varied.then_some("variation"));
    let mut table = new_table(heads);
    let count = runs[0].flows.len();
    for flow in 0..count.min(MOST_LINES) {
        let of =
            |value: fn(&FlowOutcome) -> Option<f64>| estimate(runs, |run| value(&run.flows[flow]));
        let first = &runs[0].flows[flow];
        let mut row = vec![
            first.name.clone(),
            first.recovery.map_or_else(
                || first.control.clone(),
                |recovery| format!("{} ({recovery})", first.control),
            ),
            cell(of(|f| Some(f.goodput_bps / 1e3)), 1),
            cell(of(|f| Some(f.sent as f64)), 0),
            cell(of(|f| Some(f.retransmits as f64)), 0),
            cell(of(|f| Some(f.timeouts as f64)), 1),
            cell(of(|f| Some(f.fast_recoveries as f64)), 1),
            cell(of(|f| f.rtt_mean_s.map(|s| s * 1e3)), 1),
            cell(of(|f| f.cwnd_mean), 1),
        ];
        row.extend(varied.then(|| cell(of(|f| f.sending_variation), 3)));
        table.add_row(row);
    }
    if count > MOST_LINES {
        table.add_row([format!(
            "... and {} more ({option} has all)",
            count - MOST_LINES
        )]);
    }
    table
}

/// What only some queues do to packets, shown where it happens.
type Special = (&'static str, fn(&LinkOutcome) -> u64);

const SPECIAL: [Special; 3] = [
    ("early", |l| l.early),
    ("marked", |l| l.marked),
    ("filtered", |l| l.filtered),
];

/// The links between routers; access links only where something happened to a packet.
pub fn links(scenario: &Scenario, runs: &[Outcome]) -> Table {
    let mut heads = vec!["link", "sent", "dropped", "lost"];
    let special: Vec<&Special> = SPECIAL
        .iter()
        .filter(|(_, value)| runs.iter().flat_map(|run| &run.links).any(|l| value(l) > 0))
        .collect();
    heads.extend(special.iter().map(|(head, _)| head));
    heads.extend(["utilisation %", "queue"]);
    let mut table = new_table(heads);
    let core = core_links(&scenario.topology);
    for link in 0..runs[0].links.len() {
        let of =
            |value: fn(&LinkOutcome) -> f64| estimate(runs, |run| Some(value(&run.links[link])));
        let name = &runs[0].links[link].name;
        let eventful = runs
            .iter()
            .map(|run| &run.links[link])
            .any(|l| l.dropped + l.lost + l.marked + l.filtered > 0);
        if link >= core && !eventful || table.row_count() > MOST_LINES {
            continue;
        }
        let mut row = vec![
            name.clone(),
            cell(of(|l| l.sent as f64), 0),
            cell(of(|l| l.dropped as f64), 1),
            cell(of(|l| l.lost as f64), 1),
        ];
        for (_, value) in &special {
            let count = estimate(runs, |run| Some(value(&run.links[link]) as f64));
            row.push(cell(count, 1));
        }
        row.push(cell(of(|l| l.utilisation * 100.0), 1));
        row.push(cell(of(|l| l.queue_mean), 1));
        table.add_row(row);
    }
    table
}

/// What classifiers called losses, against what the simulator knows; none without classifiers.
fn classified(runs: &[Outcome]) -> Option<Table> {
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
    for (place, flow) in runs[0].flows.iter().enumerate() {
        for (number, first) in flow.classified.iter().enumerate() {
            let of = |value: fn(&Scores) -> Option<f64>| {
                estimate(runs, |run| {
                    value(run.flows.get(place)?.classified.get(number)?)
                })
            };
            table.add_row(vec![
                flow.name.clone(),
                first.classifier.clone(),
                cell(of(|s| Some(s.dropped_as_congestion as f64)), 1),
                cell(of(|s| Some(s.dropped_as_random as f64)), 1),
                cell(of(|s| Some(s.lost_as_congestion as f64)), 1),
                cell(of(|s| Some(s.lost_as_random as f64)), 1),
                cell(of(|s| Some(s.spurious as f64)), 1),
                cell(of(|s| s.accuracy().map(|part| part * 100.0)), 1),
            ]);
            if table.row_count() > MOST_LINES {
                return Some(table);
            }
        }
    }
    (table.row_count() > 0).then_some(table)
}

/// How many of a run's links are between routers; they come first.
fn core_links(topology: &Topology) -> usize {
    match topology {
        Topology::Dumbbell { .. } => 2,
        Topology::ParkingLot { hops } => 2 * hops.len(),
        Topology::Graph(graph) => graph
            .links
            .iter()
            .map(|link| 1 + usize::from(link.reverse.is_some()))
            .sum(),
    }
}

/// A table with numbers to the right of its first column.
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

fn estimate(runs: &[Outcome], value: impl Fn(&Outcome) -> Option<f64>) -> Option<Estimate> {
    let values: Vec<f64> = runs.iter().filter_map(value).collect();
    Estimate::of(&values)
}

fn cell(estimate: Option<Estimate>, decimals: usize) -> String {
    estimate.map_or_else(|| "-".to_owned(), |estimate| show(estimate, decimals))
}

/// A mean and half its interval, as many digits as the interval says something about.
pub fn significant(estimate: Estimate) -> String {
    let (size, digits) = match estimate.half_width {
        // Less than a millionth is rounding: runs that are alike.
        Some(half) if half > 1e-6 * estimate.mean.abs() => (half, 1),
        _ => (estimate.mean.abs(), 4),
    };
    // The number of the first digit, left or right of the point.
    let first = format!("{size:e}");
    let first = first.rsplit_once('e').and_then(|(_, e)| e.parse().ok());
    show(
        estimate,
        (digits - first.unwrap_or(0i32)).clamp(0, 9) as usize,
    )
}

/// A mean, and half its interval where there is one.
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
    fn as_many_digits_as_the_interval_says_something_about() {
        let shown = |mean, half_width| significant(Estimate { mean, half_width });
        assert_eq!(shown(1403.624, Some(20.31)), "1404 ± 20");
        assert_eq!(shown(1908.64, Some(0.123)), "1908.64 ± 0.12");
        assert_eq!(shown(0.99957, Some(0.000218)), "0.99957 ± 0.00022");
        assert_eq!(shown(112.0, Some(0.0)), "112.00 ± 0.00");
        assert_eq!(shown(0.84, None), "0.84000");
    }
}
