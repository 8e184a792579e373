//! Builds a table row by row.

use super::{Cell, Column, Table, Type, Values};

/// What is known of a column before it has values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its name, unique within the table.
    pub name: String,
    /// The unit of its values.
    pub unit: Option<String>,
    /// What its values mean.
    pub about: String,
    /// The type of its values.
    pub sort: Type,
}

/// A table that is built row by row.
#[derive(Clone, Debug)]
pub struct Builder {
    table: Table,
}

impl Head {
    /// A column of this name, type and meaning, without a unit.
    pub fn new(name: impl Into<String>, sort: Type, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            unit: None,
            about: about.into(),
            sort,
        }
    }

    /// The same column with a unit.
    #[must_use]
    pub fn unit(self, unit: impl Into<String>) -> Self {
        Self {
            unit: Some(unit.into()),
            ..self
        }
    }
}

impl Builder {
    /// An empty table with these columns.
    pub fn new(name: impl Into<String>, heads: impl IntoIterator<Item = Head>) -> Self {
        let column = |head: Head| Column {
            name: head.name,
            unit: head.unit,
            about: head.about,
            values: Values::none(head.sort),
        };
        let columns = heads.into_iter().map(column).collect();
        let name = name.into();
        Self {
            table: Table { name, columns },
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it does not have one value of the right type, or `None`, for each column.
    pub fn row<'c>(&mut self, cells: impl IntoIterator<Item = Option<Cell<'c>>>) {
        let mut cells = cells.into_iter();
        for column in &mut self.table.columns {
            let cell = cells.next();
            column.values.push(cell.expect("a value for each column"));
        }
        assert!(cells.next().is_none(), "a column for each value");
    }

    /// The table of the rows added so far.
    pub fn table(self) -> Table {
        self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let heads = [
            Head::new("flow", Type::Text, "the flow"),
            Head::new("goodput", Type::Number, "what arrives").unit("bit/s"),
        ];
        let mut builder = Builder::new("flows", heads);
        builder.row([Some(Cell::Text("a")), Some(Cell::Number(1.5))]);
        builder.row([Some(Cell::Text("b")), None]);
        let table = builder.table();
        assert_eq!((table.rows(), table.columns.len()), (2, 2));
        let goodput = table.column("goodput").expect("there");
        assert_eq!(goodput.unit.as_deref(), Some("bit/s"));
        assert_eq!(goodput.values, Values::Number(vec![Some(1.5), None]));
    }
}
