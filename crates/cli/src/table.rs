//! The results of runs as tables for the terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use dumbbell_lab::summary::{
    ClassifierSummary, FlowSummary, FramesSummary, LinkSummary, TransfersSummary, VideosSummary,
};
use dumbbell_run::outcome::Outcome;
use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

use crate::tidy::grid::{Grid, Room};

/// The number of flows that a table lists.
pub const MOST_LINES: usize = 40;

/// Returns a line that says what was simulated.
pub fn heading(scenario: &Scenario, runs: &[Outcome]) -> String {
    let name = scenario
        .name
        .as_deref()
        .map(|name| format!("{name}: "))
        .unwrap_or_default();
    let seconds = scenario.duration.as_secs_f64();
    let from = scenario.warmup.as_secs_f64();
    let measured = match from > 0.0 {
        true => format!(", measured from {from} s to {seconds} s"),
        false => String::new(),
    };
    match runs {
        [run] => format!("{name}{seconds} s simulated{measured}, seed {}", run.seed),
        _ => format!(
            "{name}{} runs of {seconds} s{measured}, seeds {} to {}; means and 95 % intervals",
            runs.len(),
            runs[0].seed,
            runs[runs.len() - 1].seed
        ),
    }
}

/// Returns the table of at most this many flows; `option` names the option that lists all of them.
pub fn flows(flows: &[FlowSummary], most: usize, option: &str) -> Table {
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
    for flow in flows.iter().take(most) {
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
    if flows.len() > most {
        let more = flows.len() - most;
        table.add_row([format!("... and {more} more ({option} has all)")]);
    }
    table
}

/// A column for something that only some queues do to packets, shown if it happened.
type Special = (&'static str, fn(&LinkSummary) -> Option<Estimate>);

const SPECIAL: [Special; 7] = [
    ("early", |l| l.early),
    ("policed", |l| l.policed),
    ("marked", |l| l.marked),
    ("filtered", |l| l.filtered),
    ("sent again", |l| l.retransmitted),
    ("copies", |l| l.duplicated),
    ("damaged", |l| l.corrupted),
];

/// Returns the table of at most `most` links between routers; `option` names the option that lists all of
/// them. Access links are included only if something happened to a packet there.
pub fn links(links: &[LinkSummary], most: usize, option: &'static str) -> String {
    let happens = |count: Option<Estimate>| count.is_some_and(|it| it.mean > 0.0);
    let shown: Vec<&LinkSummary> = links
        .iter()
        .filter(|link| link.is_core || link.is_eventful)
        .collect();
    let mut grid = Grid::default();
    let names = shown.iter().map(|link| link.name.clone());
    grid.names("link", 0, names.collect());
    let mut numbers = Numbers::of(&mut grid, &shown);
    numbers.add("sent", 9, |l| l.sent, 0);
    numbers.add("dropped", 0, |l| l.dropped, 1);
    numbers.add("lost", 0, |l| l.lost, 1);
    for (rank, (head, count)) in (6..).zip(SPECIAL) {
        if links.iter().any(|link| happens(count(link))) {
            numbers.add(head, rank, |link| count(link), 1);
        }
    }
    numbers.add("utilisation %", 0, |l| l.utilisation_percent, 1);
    numbers.add("queue", 1, |l| l.queue, 1);
    if shown.iter().any(|link| link.wait_p95_ms.is_some()) {
        numbers.add("wait\nms p95", 2, |l| l.wait_p95_ms, 1);
    }
    grid.show(room(most, option))
}

/// Returns the table of the transfers of workloads; it is empty without any.
pub fn transfers(all: &[TransfersSummary], most: usize, option: &'static str) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut grid = Grid::default();
    grid.names(
        "workload",
        0,
        all.iter().map(|one| one.workload.clone()).collect(),
    );
    let size = |one: &TransfersSummary| match one.below {
        None => "all".to_owned(),
        Some(None) => "larger".to_owned(),
        Some(Some(bytes)) => format!("below {}", bound(bytes)),
    };
    grid.names("size", 0, all.iter().map(size).collect());
    let mut numbers = Numbers::of(&mut grid, all);
    numbers.add("began", 2, |it| it.started, 0);
    numbers.add("complete", 3, |it| it.finished, 0);
    let some = |refused: Option<Estimate>| refused.is_some_and(|it| it.mean > 0.0);
    if all.iter().any(|it| some(it.refused)) {
        numbers.add("refused", 0, |it| it.refused, 0);
    }
    numbers.add("completion\nmean s", 0, |it| it.mean_s, 3);
    numbers.add("\np50", 4, |it| it.p50_s, 3);
    numbers.add("\np95", 1, |it| it.p95_s, 3);
    numbers.add("\np99", 1, |it| it.p99_s, 3);
    numbers.add("slowdown\nmean", 2, |it| it.slowdown, 2);
    grid.show(room(most, option))
}

/// Returns the table of how videos were played; it is empty without any.
pub fn videos(all: &[VideosSummary], most: usize, option: &'static str) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut grid = Grid::default();
    let names = all.iter().map(|one| one.workload.clone());
    grid.names("video", 0, names.collect());
    let mut numbers = Numbers::of(&mut grid, all);
    numbers.add("playing", 3, |it| it.playing, 0);
    numbers.add("startup s", 0, |it| it.startup_s, 2);
    numbers.add("stalled\n%", 0, |it| it.stalled_percent, 1);
    numbers.add("\ntimes", 2, |it| it.stalls, 0);
    numbers.add("rate\nkb/s", 0, |it| it.rate_kbps, 1);
    numbers.add("\nswitches", 4, |it| it.switches, 0);
    grid.show(room(most, option))
}

/// Returns the table of the frames of media flows; it is empty without any.
pub fn frames(all: &[FramesSummary], most: usize, option: &'static str) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut grid = Grid::default();
    grid.names("flow", 0, all.iter().map(|one| one.flow.clone()).collect());
    let mut numbers = Numbers::of(&mut grid, all);
    numbers.add("kb/s\nencoded", 2, |it| it.encoded_kbps, 1);
    numbers.add("\nshown", 0, |it| it.shown_kbps, 1);
    numbers.add("frames\nmade", 3, |it| it.made, 0);
    numbers.add("\nshown", 1, |it| it.shown, 0);
    numbers.add("\nlate", 1, |it| it.late, 0);
    numbers.add("\nlost", 1, |it| it.lost, 0);
    numbers.add("frozen\n%", 0, |it| it.frozen_percent, 1);
    numbers.add("\ntimes", 4, |it| it.freezes, 0);
    numbers.add("delay ms\nmean", 0, |it| it.delay_ms, 0);
    numbers.add("\np95", 2, |it| it.delay_p95_ms, 0);
    grid.show(room(most, option))
}

/// Returns the table of classifications compared with the causes that the simulator knows; it is empty
/// without classifiers.
pub fn classified(all: &[ClassifierSummary], most: usize, option: &'static str) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut grid = Grid::default();
    grid.names("flow", 0, all.iter().map(|one| one.flow.clone()).collect());
    let names = all.iter().map(|one| one.classifier.clone());
    grid.names("classifier", 0, names.collect());
    let mut numbers = Numbers::of(&mut grid, all);
    numbers.add("drops:\ncongestion", 1, |c| c.dropped_as_congestion, 1);
    numbers.add("\nrandom", 2, |c| c.dropped_as_random, 1);
    numbers.add("losses:\ncongestion", 3, |c| c.lost_as_congestion, 1);
    numbers.add("\nrandom", 1, |c| c.lost_as_random, 1);
    numbers.add("spurious", 4, |c| c.spurious, 1);
    numbers.add("right %", 0, |c| c.right_percent, 1);
    grid.show(room(most, option))
}

/// Adds columns of numbers to a table that has a row for each of these.
struct Numbers<'t, T> {
    grid: &'t mut Grid,
    rows: &'t [T],
}

impl<'t, T> Numbers<'t, T> {
    fn of(grid: &'t mut Grid, rows: &'t [T]) -> Self {
        Self { grid, rows }
    }

    /// Adds a column, whose heading and rank are those of [`Grid::numbers`].
    fn add(
        &mut self,
        head: &str,
        rank: u8,
        value: impl Fn(&T) -> Option<Estimate>,
        decimals: usize,
    ) {
        let cells = self.rows.iter().map(|row| cell(value(row), decimals));
        self.grid.numbers(head, rank, cells.collect());
    }
}

/// Formats the bound of a class in the largest unit of which it is a whole number.
fn bound(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.iter().find(|(unit, _)| bytes.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} B"),
    }
}

/// The room for a table of this many rows below a head of one line; all of it if no option lists more.
fn room(rows: usize, option: &'static str) -> Room {
    if option.is_empty() {
        Room::All
    } else {
        Room::Lines(rows.saturating_add(5), option)
    }
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
