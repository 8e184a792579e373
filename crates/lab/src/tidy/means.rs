//! Means over the seeds of a tidy table, with their intervals.

use std::collections::BTreeMap;

use dumbbell_run::statistics::Estimate;

use crate::table::{Cell, Column, Table};

/// The means of the rows that agree in the key columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Means<'t> {
    /// The values of the key columns.
    pub keys: Vec<Option<Cell<'t>>>,
    /// The number of rows.
    pub rows: usize,
    /// The mean of each measure over the rows that have a value; `None` if none has.
    pub estimates: Vec<Option<Estimate>>,
    /// For each measure, the number of rows that have a value.
    pub valued: Vec<usize>,
}

/// The means of the columns `measures` over all rows that agree in the columns `keys`, in the order
/// of the first of these rows. A column that the table does not have is one without values.
pub fn of<'t>(table: &'t Table, keys: &[&str], measures: &[&str]) -> Vec<Means<'t>> {
    let columns = |names: &[&str]| -> Vec<Option<&'t Column>> {
        names.iter().map(|name| table.column(name)).collect()
    };
    let (keys, measures) = (columns(keys), columns(measures));
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut places = BTreeMap::new();
    for row in 0..table.rows() {
        let key: Vec<String> = cells(&keys, row).map(|cell| format!("{cell:?}")).collect();
        let place = *places.entry(key).or_insert_with(|| {
            rows.push(Vec::new());
            rows.len() - 1
        });
        rows[place].push(row);
    }
    let means = |rows: Vec<usize>| {
        let numbers: Vec<Vec<f64>> = measures.iter().map(|it| numbers(*it, &rows)).collect();
        Means {
            keys: cells(&keys, rows[0]).collect(),
            rows: rows.len(),
            estimates: numbers.iter().map(|it| Estimate::of(it)).collect(),
            valued: numbers.iter().map(Vec::len).collect(),
        }
    };
    rows.into_iter().map(means).collect()
}

fn cells<'t>(columns: &[Option<&'t Column>], row: usize) -> impl Iterator<Item = Option<Cell<'t>>> {
    let cell = move |column: &Option<&'t Column>| column.and_then(|it| it.values.at(row));
    columns.iter().map(cell).collect::<Vec<_>>().into_iter()
}

/// The values of a column in some rows, as far as they have one.
fn numbers(column: Option<&Column>, rows: &[usize]) -> Vec<f64> {
    let number = |row: &usize| match column?.values.at(*row)? {
        Cell::Number(value) => Some(value),
        Cell::Whole(value) => Some(value as f64),
        Cell::Text(_) | Cell::Flag(_) => None,
    };
    rows.iter().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Builder, Head, Type};

    #[test]
    fn means_are_over_rows_with_the_same_keys() {
        let heads = [
            Head::new("loss", Type::Number, ""),
            Head::new("seed", Type::Whole, ""),
            Head::new("goodput", Type::Number, ""),
        ];
        let mut builder = Builder::new("groups", heads);
        for (loss, seed, goodput) in [
            (0.1, 1, Some(1.0)),
            (0.2, 1, Some(5.0)),
            (0.1, 2, Some(3.0)),
            (0.2, 2, None),
        ] {
            let loss = Some(Cell::Number(loss));
            builder.row([loss, Some(Cell::Whole(seed)), goodput.map(Cell::Number)]);
        }
        let table = builder.table();
        let found = of(&table, &["loss"], &["goodput", "nothing"]);
        let means: Vec<_> = found
            .iter()
            .map(|it| it.estimates[0].map(|e| e.mean))
            .collect();
        assert_eq!(means, [Some(2.0), Some(5.0)]);
        assert_eq!(found[1].keys, [Some(Cell::Number(0.2))]);
        assert_eq!((found[1].rows, found[1].estimates[1]), (2, None));
        assert_eq!(
            (&found[0].valued, &found[1].valued),
            (&vec![2, 0], &vec![1, 0])
        );
        // The standard error of 1 and 3 is 1, and t(1) is 12.706.
        let half = found[0].estimates[0]
            .and_then(|it| it.half_width)
            .expect("two");
        assert!((half - 12.706).abs() < 1e-3, "{half}");
        assert_eq!(found[1].estimates[0].expect("one").half_width, None);
    }
}
