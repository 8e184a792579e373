//! A table for the terminal that drops its least important columns, and its last rows, until it fits.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// The width of a table that fits, in characters.
pub const WIDTH: usize = 100;

/// The width of a terminal that does not tell it.
#[cfg(target_os = "linux")]
const USUAL: usize = 80;

/// Returns the number of characters in a line of the terminal.
#[cfg(target_os = "linux")]
pub fn terminal() -> usize {
    terminal_size::terminal_size().map_or(USUAL, |(width, _)| width.0.into())
}

/// The longest name that is shown in full.
const LONGEST_NAME: usize = 24;

/// A table for the terminal.
#[derive(Debug, Default)]
pub struct Grid {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    /// Its head, of one or two lines.
    head: String,
    /// Whether it has names, on the left.
    is_name: bool,
    /// Columns of the largest number are dropped first; one of rank 0 is never dropped.
    rank: u8,
    cells: Vec<String>,
}

/// How much of a table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// At most this many lines, and [`WIDTH`] characters a line; this option shows everything.
    Lines(usize, &'static str),
    /// Everything.
    All,
}

impl Room {
    /// What is left of it beside so many lines.
    pub fn without(self, taken: usize) -> Self {
        match self {
            Self::Lines(lines, option) => Self::Lines(lines.saturating_sub(taken), option),
            Self::All => Self::All,
        }
    }
}

impl Grid {
    /// Adds a column of names.
    pub fn names(&mut self, head: &str, rank: u8, cells: Vec<String>) {
        self.add(head, true, rank, cells);
    }

    /// Adds a column of numbers.
    pub fn numbers(&mut self, head: &str, rank: u8, cells: Vec<String>) {
        self.add(head, false, rank, cells);
    }

    fn add(&mut self, head: &str, is_name: bool, rank: u8, cells: Vec<String>) {
        self.columns.push(Column {
            head: head.to_owned(),
            is_name,
            rank,
            cells,
        });
    }

    /// The table as text. What does not fit is left out, and a last line says so.
    pub fn show(self, room: Room) -> String {
        self.show_within(WIDTH, room)
    }

    /// As [`show`](Self::show), within this many characters a line instead of [`WIDTH`].
    pub fn show_within(mut self, most: usize, room: Room) -> String {
        let rows = self.columns.first().map_or(0, |it| it.cells.len());
        let Room::Lines(lines, option) = room else {
            return format!("{}\n", self.table(rows));
        };
        for column in self.columns.iter_mut().filter(|it| it.is_name) {
            column.cells.iter_mut().for_each(shorten);
        }
        let heads = self.columns.iter().map(|it| it.head.lines().count());
        // Three lines are borders, and one may tell what is left out.
        let frame = 3 + heads.max().unwrap_or(1);
        let shown = if rows + frame <= lines {
            rows
        } else {
            lines.saturating_sub(frame + 1).max(1).min(rows)
        };
        let mut dropped = Vec::new();
        let table = loop {
            let table = self.table(shown);
            let width = table.lines().map(|line| line.chars().count()).max();
            match self.least() {
                Some(place) if width.is_some_and(|it| it > most) => {
                    dropped.push(self.columns.remove(place).head.replace('\n', " "));
                }
                _ => break table,
            }
        };
        if shown == rows && dropped.is_empty() {
            return format!("{table}\n");
        }
        let rows = (shown < rows).then(|| format!("{} more rows", rows - shown));
        format!("{table}\n{}\n", left_out(rows, &dropped, option, most))
    }

    /// The column that is dropped first.
    fn least(&self) -> Option<usize> {
        let ranks = self.columns.iter().map(|it| it.rank).enumerate();
        let last = ranks.filter(|(_, rank)| *rank > 0);
        last.max_by_key(|(_, rank)| *rank).map(|(place, _)| place)
    }

    fn table(&self, rows: usize) -> Table {
        let mut table = Table::new();
        table
            .load_style(presets::UTF8_BORDERS_ONLY)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(self.columns.iter().map(|it| it.head.as_str()));
        for row in 0..rows {
            table.add_row(self.columns.iter().map(|it| it.cells[row].as_str()));
        }
        for (column, of) in table.column_iter_mut().zip(&self.columns) {
            if !of.is_name {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}

/// Shortens a name that would take too much of the width.
fn shorten(name: &mut String) {
    if name.chars().count() > LONGEST_NAME {
        *name = name.chars().take(LONGEST_NAME - 1).collect();
        name.push('…');
    }
}

/// Says what is left out, with the names of as many columns as fit.
fn left_out(rows: Option<String>, columns: &[String], option: &str, most: usize) -> String {
    let line = |named: usize| {
        let mut all: Vec<String> = rows.iter().cloned().collect();
        all.extend(columns[..named].iter().cloned());
        match columns.len() - named {
            0 => {}
            1 if named == 0 => all.push("a column".to_owned()),
            rest if named == 0 => all.push(format!("{rest} columns")),
            rest => all.push(format!("{rest} more columns")),
        }
        format!("... {}: {option} has all", all.join(", "))
    };
    let fits = |named: &usize| line(*named).chars().count() <= most;
    line((0..=columns.len()).rev().find(fits).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: usize, columns: usize) -> Grid {
        let mut grid = Grid::default();
        grid.names(
            "name",
            0,
            (0..rows).map(|row| format!("flow {row}")).collect(),
        );
        for column in 1..=columns {
            let head = format!("number {column}");
            let cells = (0..rows).map(|row| format!("{} ± 0.123", row as f64 + 0.5));
            grid.numbers(&head, column as u8, cells.collect());
        }
        grid
    }

    #[test]
    fn a_table_that_fits_is_shown_as_it_is() {
        let text = grid(3, 2).show(Room::Lines(7, "--all"));
        assert_eq!(text.lines().count(), 7, "{text}");
        assert!(!text.contains("--all"), "{text}");
    }

    #[test]
    fn rows_and_columns_that_do_not_fit_are_named() {
        let text = grid(50, 12).show(Room::Lines(20, "--all"));
        assert!(text.lines().count() <= 20, "{text}");
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|it| it <= WIDTH), "{text}");
        let last = text.lines().last().expect("a line");
        assert!(
            last.starts_with("... 35 more rows, number 12, number 11"),
            "{last}"
        );
        assert!(last.ends_with(": --all has all"), "{last}");
        let all = grid(50, 12).show(Room::All);
        assert!(
            all.contains("flow 49") && all.contains("number 12"),
            "{all}"
        );
    }

    #[test]
    fn long_names_are_shortened() {
        let mut grid = Grid::default();
        grid.names("name", 0, vec!["x".repeat(200)]);
        let text = grid.show(Room::Lines(9, "--all"));
        assert!(text.contains(&format!(" {}… ", "x".repeat(23))), "{text}");
    }
}
