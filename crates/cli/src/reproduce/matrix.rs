//! The matrix on the terminal: one table per measure, in blocks that fit a window.

use std::io::{self, Write};

use dumbbell_lab::matrix::{Cell, Contender, Mark, Table};
use dumbbell_lab::reproduction::ReproducedMatrix;

use crate::table::new_table;

/// The widest block, in characters.
const WIDTH: usize = 100;

/// Decimals of a ratio to NewReno.
const OF_RATIO: usize = 2;

pub fn print(out: &mut impl Write, measured: &ReproducedMatrix) -> io::Result<()> {
    let matrix = &measured.matrix;
    let subject = match matrix.own {
        true => "Matrix: every chosen control on every path",
        false => "Matrix: every control with its usual recovery, on the papers' paths",
    };
    writeln!(
        out,
        "{subject}\n\
         Means and 95 % intervals of {} runs. ▲ best, ▼ worst of a path, or not to be told from it;\n\
         overall: the geometric mean over the paths of the ratio to newreno.\n",
        matrix.repeat
    )?;
    for table in &measured.tables {
        print_table(out, measured, table)?;
    }
    if matrix.has_reconstructions() {
        writeln!(out, "{}\n", Contender::STAR)?;
    }
    Ok(())
}

fn print_table(out: &mut impl Write, measured: &ReproducedMatrix, table: &Table) -> io::Result<()> {
    let matrix = &measured.matrix;
    writeln!(out, "{}", table.measure.label())?;
    let names: Vec<String> = matrix.contenders.iter().map(Contender::label).collect();
    let overall = table.rows.iter().map(|row| show(&row.overall, OF_RATIO));
    let mut columns: Vec<(&str, Vec<String>)> = vec![("overall", overall.collect())];
    for (place, path) in matrix.paths.iter().enumerate() {
        let cells = table.rows.iter().map(|row| &row.cells[place]);
        let shown = cells.map(|cell| show(cell, table.measure.decimals()));
        columns.push((&path.label, shown.collect()));
    }
    for block in blocks(&names, &columns) {
        let labels = block.iter().map(|(label, _)| *label);
        let mut lines = new_table([""].into_iter().chain(labels));
        for (row, name) in names.iter().enumerate() {
            let cells = block.iter().map(|(_, cells)| cells[row].as_str());
            lines.add_row([name.as_str()].into_iter().chain(cells));
        }
        writeln!(out, "{lines}")?;
    }
    writeln!(out)
}

/// Splits the columns into as few blocks as fit the window, of similar size.
fn blocks<'a, 'b>(
    names: &[String],
    columns: &'b [(&'a str, Vec<String>)],
) -> Vec<&'b [(&'a str, Vec<String>)]> {
    // A space on each side of each column, what separates it from the one before, and the border.
    let wide = |text: &str| text.chars().count() + 2;
    let first = names.iter().map(|name| wide(name)).max().unwrap_or(0) + 2;
    let column = |(label, cells): &(&str, Vec<String>)| {
        let cells = cells.iter().map(|cell| wide(cell));
        cells.chain([wide(label)]).max().unwrap_or(0)
    };
    let widest = columns.iter().map(column).max().unwrap_or(1);
    let fit = (WIDTH.saturating_sub(first) / (widest + 1)).max(1);
    let count = columns.len().div_ceil(fit).max(1);
    columns
        .chunks(columns.len().div_ceil(count).max(1))
        .collect()
}

/// Formats a mean, half its interval, and the highlight.
fn show(cell: &Cell, decimals: usize) -> String {
    let mark = match cell.mark {
        Some(Mark::Best) => '▲',
        Some(Mark::Worst) => '▼',
        None => ' ',
    };
    match cell.estimate {
        Some(e) => match e.half_width {
            Some(half) => format!("{:.decimals$}±{half:.decimals$} {mark}", e.mean),
            None => format!("{:.decimals$} {mark}", e.mean),
        },
        None => format!("- {mark}"),
    }
}
