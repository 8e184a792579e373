//! A comparison as a table for the terminal.

use std::fmt::Write as _;

use dumbbell_live::compare::Comparison;
use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

use crate::table::{new_table, show};

/// The headings of the columns, and the cells of each control. The page uses them, too.
pub struct Cells {
    /// The headings.
    pub heads: Vec<String>,
    /// One row per control.
    pub rows: Vec<Vec<String>>,
}

/// Returns the results of each control.
pub fn cells(found: &Comparison) -> Cells {
    let first = found.rows.first();
    let mut heads = vec!["control".to_owned(), "goodput Mb/s".to_owned()];
    heads.push(first.map_or_else(String::new, |row| format!("against {} %", row.label)));
    let rest = ["resent %", "RTT ms", "simulator Mb/s", "kernel / simulator"];
    heads.extend(rest.map(str::to_owned));
    // Doubtful runs are in the means.
    let doubtful = found.is_doubtful();
    heads.extend(doubtful.then(|| "doubtful runs".to_owned()));
    let rows = found.rows.iter().enumerate();
    let rows = rows.map(|(place, row)| {
        let gain = first.filter(|_| place > 0).and_then(|it| row.gain_over(it));
        let mut cells = vec![
            row.label.clone(),
            cell(row.goodput(), 1e-6, 3),
            signed(gain),
            cell(row.retransmissions(), 1.0, 2),
            cell(row.rtt(), 1e3, 1),
            cell(row.predicted_goodput(), 1e-6, 3),
            row.agreement()
                .map_or_else(|| "-".to_owned(), |it| format!("{it:.3}")),
        ];
        cells.extend(doubtful.then(|| format!("{} of {}", row.doubtful(), row.runs.len())));
        cells
    });
    Cells {
        heads,
        rows: rows.collect(),
    }
}

/// Returns the table, with its heading and warnings.
pub fn of(scenario: &Scenario, found: &Comparison) -> String {
    let mut text = heading(scenario, found);
    text.push('\n');
    let cells = cells(found);
    let mut table = new_table(cells.heads);
    for row in cells.rows {
        table.add_row(row);
    }
    let _ = writeln!(text, "{table}");
    for warning in found.warnings() {
        let _ = writeln!(text, "{warning}");
    }
    text
}

/// Returns a line that says what was compared.
pub fn heading(scenario: &Scenario, found: &Comparison) -> String {
    let name = scenario.name.as_deref().map(|name| format!("{name}: "));
    let runs = found.rows.first().map_or(0, |row| row.runs.len());
    let last = found.first_seed.wrapping_add(runs.max(1) as u64 - 1);
    let name = name.unwrap_or_default();
    let (duration, seed) = (found.duration_s, found.first_seed);
    match runs {
        0 | 1 => format!(
            "{name}one run of {duration} s of each control, seed {seed}; a single run has no intervals"
        ),
        _ => format!(
            "{name}{runs} runs of {duration} s of each control, seeds {seed} to {last}; means and 95 % \
             intervals"
        ),
    }
}

fn cell(estimate: Option<Estimate>, scale: f64, decimals: usize) -> String {
    let scaled = estimate.map(|it| Estimate {
        mean: it.mean * scale,
        half_width: it.half_width.map(|half| half * scale),
    });
    scaled.map_or_else(|| "-".to_owned(), |it| show(it, decimals))
}

fn signed(gain: Option<Estimate>) -> String {
    gain.map_or_else(
        || "-".to_owned(),
        |gain| {
            let sign = if gain.mean >= 0.0 { "+" } else { "" };
            format!("{sign}{}", show(gain, 1))
        },
    )
}
