//! Of how many runs the means of a table are.

use dumbbell_lab::tidy::means::Means;

use super::grid::{Grid, WIDTH};

/// Adds a column with the number of runs, where it differs from row to row, or where a mean that is
/// shown is not of all of them. `places` are those of the measures that are shown.
pub fn column(grid: &mut Grid, rows: &[Means<'_>], places: &[usize]) {
    let differs = rows.windows(2).any(|pair| pair[0].rows != pair[1].rows);
    if differs || !lacking(rows, places).is_empty() {
        let runs = rows.iter().map(|row| row.rows.to_string());
        grid.numbers("runs", 1, runs.collect());
    }
}

/// A line that names the measures of which some runs have no value, so that their means are of fewer
/// runs; empty if there are none. `words` are the names of all measures.
pub fn note(rows: &[Means<'_>], places: &[usize], words: &[&str]) -> String {
    let lacking = lacking(rows, places);
    let counts = lacking.iter().flat_map(|(_, counts)| counts).copied();
    let (Some(least), Some(most)) = (counts.clone().min(), counts.max()) else {
        return String::new();
    };
    let of = |(some, all): (usize, usize)| format!("{some} of {all}");
    let counts = match least == most {
        true => of(most),
        false => format!("{} to {}", of(least), of(most)),
    };
    let names: Vec<&str> = lacking.iter().map(|(place, _)| words[*place]).collect();
    let line = |named: usize| {
        let more = match names.len() - named {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(
            "means of fewer runs ({counts}): {}{more}",
            names[..named].join(", ")
        )
    };
    let fits = |named: &usize| line(*named).chars().count() <= WIDTH;
    let named = (1..=names.len()).rev().find(fits).unwrap_or(1);
    format!("{}\n", line(named))
}

/// The measures with means that are not of all runs, each with the numbers of runs that have a value and
/// of all runs of those rows.
fn lacking(rows: &[Means<'_>], places: &[usize]) -> Vec<(usize, Vec<(usize, usize)>)> {
    let of = |place: usize| {
        let all = rows.iter().map(|row| (row.valued[place], row.rows));
        let some = all.filter(|(valued, all)| (1..*all).contains(valued));
        (place, some.collect::<Vec<_>>())
    };
    let found = places.iter().map(|place| of(*place));
    found.filter(|(_, counts)| !counts.is_empty()).collect()
}
