//! Tables and values as text, for the terminal and the page.

use std::fmt::Write as _;

use dumbbell_lab::comparison::Titled;
use dumbbell_live::compare::{Gap, Measure};
use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

use crate::table::{new_table, show};

/// The headings of the columns, and the cells of each row. The page uses them, too.
pub struct Cells {
    /// The headings.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Cells {
    /// Returns them as a table for the terminal, with headings of two lines where that makes it narrower.
    pub fn table(self) -> String {
        let mut table = new_table(self.heads.iter().map(|head| folded(head)));
        for row in self.rows {
            table.add_row(row);
        }
        format!("{table}\n")
    }
}

/// Returns a heading in two lines of about the same length, or in one if it is short.
fn folded(head: &str) -> String {
    let longest = |at: usize| at.max(head.len() - at - 1);
    let spaces = head.match_indices(' ').map(|(at, _)| at);
    match spaces.min_by_key(|&at| longest(at)) {
        Some(at) if head.len() > SHORT => format!("{}\n{}", &head[..at], &head[at + 1..]),
        _ => head.to_owned(),
    }
}

/// The longest heading that no column would be narrower without, in bytes.
const SHORT: usize = 8;

/// Returns a table with its title, for the terminal.
pub fn titled(table: Titled) -> String {
    let Titled { title, heads, rows } = table;
    format!("{title}\n{}", Cells { heads, rows }.table())
}

/// Returns warnings, one a line.
pub fn lines(warnings: &[String]) -> String {
    let mut text = String::new();
    for warning in warnings {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{warning}");
    }
    text
}

/// Returns a line that says over which runs the results are.
pub fn over(scenario: &Scenario, what: &str, runs: usize, duration: f64, seed: u64) -> String {
    let name = scenario.name.as_deref().map(|name| format!("{name}: "));
    let last = seed.wrapping_add(runs.max(1) as u64 - 1);
    let name = name.unwrap_or_default();
    match runs {
        0 | 1 => format!(
            "{name}one run of {duration} s of {what}, seed {seed}; a single run has no intervals"
        ),
        _ => format!(
            "{name}{runs} runs of {duration} s of {what}, seeds {seed} to {last}; means and 95 % \
             intervals"
        ),
    }
}

/// Returns a value in the unit of the quantity's title.
pub fn shown(quantity: Measure, estimate: Option<Estimate>) -> String {
    let (scale, decimals) = quantity.scale();
    cell(estimate, scale, decimals)
}

pub fn cell(estimate: Option<Estimate>, scale: f64, decimals: usize) -> String {
    let scaled = estimate.map(|it| Estimate {
        mean: it.mean * scale,
        half_width: it.half_width.map(|half| half * scale),
    });
    scaled.map_or_else(|| "-".to_owned(), |it| show(it, decimals))
}

/// Returns a ratio with three decimals.
pub fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |it| format!("{it:.3}"))
}

/// Returns the table of what each switch changes in a quantity. `real` and `simulated` name the hosts.
pub fn switches(label: &str, (real, simulated): (&str, &str), runs: u32, gap: &Gap) -> Titled {
    let quantity = gap.quantity;
    let rows = gap.switches.iter().map(|it| {
        let certain = if it.certain {
            ""
        } else {
            " (within both intervals)"
        };
        vec![
            it.switch.clone(),
            shown(quantity, Some(it.simulator)),
            format!("{:+.0} %{certain}", 100.0 * it.part),
        ]
    });
    let title = format!(
        "{label}, {}: {real} has {}, {simulated} {} ({runs} runs). With one switch the other way",
        quantity.title(),
        shown(quantity, Some(gap.real)),
        shown(quantity, Some(gap.simulator)),
    );
    let heads = vec![
        "switch".to_owned(),
        simulated.to_owned(),
        format!("of the way to {real}"),
    ];
    Titled {
        title,
        heads,
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_fits_a_terminal_of_100_columns() {
        let heads = [
            "control",
            "goodput Mb/s",
            "against westwood+ %",
            "resent %",
            "RTT ms",
            "kernel / simulator",
            "doubtful runs",
        ];
        let cells = [
            "westwood+",
            "12.345 ± 0.123",
            "+371.0 ± 108.0",
            "12.34 ± 0.12",
            "123.4 ± 12.3",
            "1.234",
            "12 of 27",
        ];
        let table = Cells {
            heads: heads.map(str::to_owned).to_vec(),
            rows: vec![cells.map(str::to_owned).to_vec()],
        }
        .table();
        let widest = table.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|it| it <= 100), "{widest:?}\n{table}");
        assert_eq!(folded("goodput Mb/s"), "goodput\nMb/s");
        assert_eq!(folded("kernel / simulator"), "kernel /\nsimulator");
        assert_eq!(folded("left to others %"), "left to\nothers %");
        assert_eq!(folded("RTT ms"), "RTT ms");
    }
}
