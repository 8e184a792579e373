//! A comparison as a table for the terminal.

use std::fmt::Write as _;

use dumbbell_lab::comparison::Titled;
use dumbbell_live::compare::{Comparison, Explanation, Gap, Measure, Row};
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
            shown(Measure::Goodput, row.measured(Measure::Goodput)),
            signed(gain),
            shown(Measure::Resent, row.measured(Measure::Resent)),
            shown(Measure::Rtt, row.measured(Measure::Rtt)),
            shown(Measure::Goodput, row.predicted(Measure::Goodput)),
            row.agreement(Measure::Goodput)
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

/// Returns the tables of the compared quantities, in the kernel and in the simulator, and of what makes them differ.
pub fn compared(found: &Comparison) -> Vec<Titled> {
    let rows = found.rows.iter().filter(|row| !row.predicted.is_empty());
    let rows: Vec<Vec<String>> = rows
        .flat_map(|row| Measure::ALL.map(|quantity| pair(row, quantity)))
        .collect();
    let heads = [
        "control",
        "quantity",
        "kernel",
        "simulator",
        "kernel / simulator",
    ];
    let pairs = Titled {
        title: "The kernel and the simulator".to_owned(),
        heads: heads.map(str::to_owned).to_vec(),
        rows,
    };
    let pairs = Some(pairs).filter(|table| !table.rows.is_empty());
    let gaps = found.explanations.iter().flat_map(|explanation| {
        let gaps = explanation.gaps.iter();
        gaps.map(|gap| switches(explanation, gap))
    });
    pairs.into_iter().chain(gaps).collect()
}

fn pair(row: &Row, quantity: Measure) -> Vec<String> {
    let ratio = row.agreement(quantity);
    vec![
        row.label.clone(),
        quantity.title().to_owned(),
        shown(quantity, row.measured(quantity)),
        shown(quantity, row.predicted(quantity)),
        ratio.map_or_else(|| "-".to_owned(), |it| format!("{it:.3}")),
    ]
}

/// Returns the table of what each switch changes in a quantity.
fn switches(explanation: &Explanation, gap: &Gap) -> Titled {
    let quantity = gap.quantity;
    let rows = gap.switches.iter().map(|it| {
        let certain = if it.certain {
            ""
        } else {
            " (within both intervals)"
        };
        vec![
            it.switch.to_owned(),
            shown(quantity, Some(it.simulator)),
            format!("{:+.0} %{certain}", 100.0 * it.part),
        ]
    });
    let title = format!(
        "{}, {}: the kernel has {}, the simulator {} ({} runs). With one switch the other way",
        explanation.label,
        quantity.title(),
        shown(quantity, Some(gap.real)),
        shown(quantity, Some(gap.simulator)),
        explanation.runs
    );
    let heads = ["switch", "simulator", "of the way to the kernel"];
    Titled {
        title,
        heads: heads.map(str::to_owned).to_vec(),
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
    for compared in compared(found) {
        let mut table = new_table(compared.heads);
        for row in compared.rows {
            table.add_row(row);
        }
        let _ = writeln!(text, "{}\n{table}", compared.title);
    }
    for warning in found.warnings() {
        let _ = writeln!(text, "{warning}");
    }
    text
}

/// Returns a line that says what was compared.
pub fn heading(scenario: &Scenario, found: &Comparison) -> String {
    let runs = found.rows.first().map_or(0, |row| row.runs.len());
    over(
        scenario,
        "each control",
        runs,
        found.duration_s,
        found.first_seed,
    )
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
fn shown(quantity: Measure, estimate: Option<Estimate>) -> String {
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

fn signed(gain: Option<Estimate>) -> String {
    gain.map_or_else(
        || "-".to_owned(),
        |gain| {
            let sign = if gain.mean >= 0.0 { "+" } else { "" };
            format!("{sign}{}", show(gain, 1))
        },
    )
}
