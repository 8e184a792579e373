//! `dumbbell query`: questions in SQL about the runs of a store.

use std::io::{self, Write as _};
use std::path::PathBuf;

use dumbbell_lab::query::{NoAnswer, Query};
use dumbbell_lab::table::{Cell, Format, Table};

use crate::exit::{Code, Exit};
use crate::store::{exists, failed};
use crate::table::new_table;

/// The number of rows that are shown without `--all`.
const FEW: usize = 40;

/// Answers questions in SQL about the runs of a store.
///
/// The tables are groups, flows and links, with a row for each run and group (flow, link), and settings,
/// with every value of every scenario. Without SQL, the tables and their columns are listed. The store is
/// not changed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The store.
    store: PathBuf,
    /// The question. A name with dots is in double quotes, a text in single ones.
    sql: Option<String>,
    /// Include the runs of other builds; the column `build` tells them apart.
    #[arg(long)]
    all_builds: bool,
    /// Print every row.
    #[arg(long)]
    all: bool,
    /// Print one JSON object for each row.
    #[arg(long, group = "format")]
    json: bool,
    /// Print CSV.
    #[arg(long, group = "format")]
    csv: bool,
    /// Print an Arrow stream, for pandas, Polars, R or DuckDB.
    #[arg(long, group = "format")]
    arrow: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell query out/runs.sqlite                       the tables, their columns and units
  dumbbell query out/runs.sqlite 'SELECT \"group\", avg(goodput) FROM groups GROUP BY \"group\"'
  dumbbell query out/runs.sqlite 'SELECT control, max(queueing_p95) FROM flows GROUP BY control' --csv
  dumbbell query out/runs.sqlite 'SELECT * FROM links' --arrow > links.arrow

docs/store.md has more of them, docs/measures.md says what the columns mean.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    exists(&args.store)?;
    let no_answer = |error: NoAnswer| match error {
        NoAnswer::Store(error) => failed(&error),
        NoAnswer::Question(what) => Exit::BadInput(format!("the question: {what}")),
        NoAnswer::Other(error) => Exit::Failed(error.to_string()),
    };
    let query = Query::open(&args.store, args.all_builds).map_err(no_answer)?;
    let Some(sql) = &args.sql else {
        return list(&query, args);
    };
    let answer = query.answer(sql).map_err(no_answer)?;
    if answer.unreadable > 0 {
        writeln!(
            anstream::stderr(),
            "note: {} stored runs cannot be read, and are left out: `dumbbell store check` lists them",
            answer.unreadable
        )?;
    }
    match format(args) {
        Some(format) => format.write(&answer.table, &mut io::stdout())?,
        None => print(&answer.table, args.all)?,
    }
    Ok(Code::SUCCESS)
}

fn format(args: &Args) -> Option<Format> {
    if args.json {
        Some(Format::Json)
    } else if args.csv {
        Some(Format::Csv)
    } else if args.arrow {
        Some(Format::Arrow)
    } else {
        None
    }
}

/// Lists the tables and their columns.
fn list(query: &Query<'_>, args: &Args) -> Result<Code, Exit> {
    if let Some(format) = format(args) {
        format.write(&query.columns(), &mut io::stdout())?;
        return Ok(Code::SUCCESS);
    }
    let mut out = io::stdout().lock();
    for (at, shape) in query.shapes().iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", shape.name)?;
        let width = shape.heads.iter().map(|head| head.name.chars().count());
        let width = width.max().unwrap_or(0);
        for head in &shape.heads {
            let unit = head.unit.as_deref().unwrap_or("");
            writeln!(out, "  {:width$}  {unit:8}  {}", head.name, head.about)?;
        }
    }
    Ok(Code::SUCCESS)
}

/// Prints a table for people.
fn print(table: &Table, all: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let header = table.columns.iter().map(|column| match &column.unit {
        Some(unit) => format!("{}\n{unit}", column.name),
        None => column.name.clone(),
    });
    let mut lines = new_table(header);
    let rows = table.rows();
    let shown = if all { rows } else { rows.min(FEW) };
    for row in 0..shown {
        let cells = table
            .columns
            .iter()
            .map(|column| match column.values.at(row) {
                None => "-".to_owned(),
                Some(Cell::Number(number)) => significant(number),
                Some(Cell::Whole(number)) => number.to_string(),
                Some(Cell::Text(text)) => text.to_owned(),
                Some(Cell::Flag(flag)) => flag.to_string(),
            });
        lines.add_row(cells);
    }
    writeln!(out, "{lines}")?;
    if shown < rows {
        writeln!(out, "{} more rows: --all prints them", rows - shown)?;
    }
    Ok(())
}

/// Formats a number with six digits.
fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let digits = 5 - number.abs().log10().floor() as i32;
    match usize::try_from(digits) {
        Ok(digits) if digits <= 12 => {
            let text = format!("{number:.digits$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
        Ok(_) => format!("{number:e}"),
        Err(_) => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::significant;

    #[test]
    fn numbers_have_six_digits() {
        for (number, shown) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (1_234_567.8, "1234568"),
            (-0.012_345_678, "-0.0123457"),
            (100.0, "100"),
            (1e-12, "1e-12"),
        ] {
            assert_eq!(significant(number), shown);
        }
    }
}
