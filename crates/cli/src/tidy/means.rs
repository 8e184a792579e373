//! Any tidy table for the terminal: a row for each combination of its texts and swept values, and the
//! mean over the seeds of every measure, in its own unit.

use dumbbell_lab::table::{Table, Type};
use dumbbell_lab::tidy::means;

use super::counts;
use super::grid::{Grid, Room};
use super::groups::{name, short};
use crate::table::significant;

/// Shows a tidy table whose columns `swept` are those of swept values.
pub fn table(of: &Table, swept: &[&str], room: Room) -> String {
    let is_swept = |name: &str| swept.contains(&name);
    let texts = of
        .columns
        .iter()
        .filter(|column| column.values.sort() == Type::Text && !is_swept(&column.name));
    let texts: Vec<&str> = texts.map(|column| column.name.as_str()).collect();
    let keys: Vec<&str> = swept.iter().chain(&texts).copied().collect();
    let measures = of.columns.iter().filter(|column| {
        let is_number = matches!(column.values.sort(), Type::Number | Type::Whole);
        is_number && column.name != "seed" && !is_swept(&column.name)
    });
    let measures: Vec<_> = measures.collect();
    let words: Vec<&str> = measures.iter().map(|column| column.name.as_str()).collect();
    let rows = means::of(of, &keys, &words);
    let mut grid = Grid::default();
    for (place, key) in keys.iter().enumerate() {
        let unit = of.column(key).and_then(|column| column.unit.as_deref());
        let names = rows.iter().map(|row| name(row.keys[place], unit));
        let rank = if place < swept.len() + 1 { 0 } else { 200 };
        grid.names(short(key, swept), rank, names.collect());
    }
    let has_values = |place: &usize| rows.iter().any(|row| row.estimates[*place].is_some());
    let places: Vec<usize> = (0..measures.len()).filter(has_values).collect();
    counts::column(&mut grid, &rows, &places);
    for place in &places {
        let column = measures[*place];
        let cells = rows.iter().map(|row| match row.estimates[*place] {
            Some(estimate) => significant(estimate),
            None => "-".to_owned(),
        });
        let head = match &column.unit {
            Some(unit) if !unit.is_empty() => format!("{}\n{unit}", column.name),
            _ => column.name.clone(),
        };
        let rank = 1 + (*place).min(100) as u8;
        grid.numbers(&head, rank, cells.collect());
    }
    let note = counts::note(&rows, &places, &words);
    grid.show(room.without(note.lines().count())) + &note
}
