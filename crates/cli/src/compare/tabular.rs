//! A comparison as a table for the terminal.

use dumbbell_lab::comparison::Titled;
use dumbbell_live::compare::{Comparison, Measure, Row};
use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

use crate::table::show;
use crate::trials::text::{Cells, lines, over, ratio, shown, switches, titled};

/// Returns the results of each control.
pub fn cells(found: &Comparison) -> Cells {
    let first = found.rows.first();
    let mut heads = vec!["control".to_owned(), "goodput Mb/s".to_owned()];
    heads.push(first.map_or_else(String::new, |row| format!("against {} %", row.label)));
    // The second table has what the simulator makes of each quantity.
    let rest = ["resent %", "RTT ms", "kernel / simulator"];
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
            ratio(row.agreement(Measure::Goodput)),
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
        let hosts = ("the kernel", "the simulator");
        gaps.map(move |gap| switches(&explanation.label, hosts, explanation.runs, gap))
    });
    pairs.into_iter().chain(gaps).collect()
}

fn pair(row: &Row, quantity: Measure) -> Vec<String> {
    vec![
        row.label.clone(),
        quantity.title().to_owned(),
        shown(quantity, row.measured(quantity)),
        shown(quantity, row.predicted(quantity)),
        ratio(row.agreement(quantity)),
    ]
}

/// Returns the table, with its heading and warnings.
pub fn of(scenario: &Scenario, found: &Comparison) -> String {
    let mut text = heading(scenario, found);
    text.push('\n');
    text += &cells(found).table();
    for table in compared(found) {
        text += &titled(table);
    }
    text += &lines(&found.warnings());
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

fn signed(gain: Option<Estimate>) -> String {
    gain.map_or_else(
        || "-".to_owned(),
        |gain| {
            let sign = if gain.mean >= 0.0 { "+" } else { "" };
            format!("{sign}{}", show(gain, 1))
        },
    )
}
