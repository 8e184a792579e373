//! Tables of results: named columns of one type each, with their units.

pub mod arrow;
mod builder;
pub mod csv;
#[cfg(test)]
mod example;
mod format;
pub mod json;
#[cfg(feature = "parquet")]
pub mod parquet;

pub use builder::{Builder, Head};
pub use format::Format;

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name, for example `groups`.
    pub name: String,
    /// Its columns, all of the same length.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, unique within the table.
    pub name: String,
    /// The unit of its values, for example `bit/s`; `None` for text, flags and labels.
    pub unit: Option<String>,
    /// What its values mean.
    pub about: String,
    /// Its values, one for each row.
    pub values: Values,
}

/// The values of a column; `None` where a row has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers.
    Number(Vec<Option<f64>>),
    /// Whole numbers.
    Whole(Vec<Option<u64>>),
    /// Words and names.
    Text(Vec<Option<String>>),
    /// Yes or no.
    Flag(Vec<Option<bool>>),
}

/// One value of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'t> {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// A word or a name.
    Text(&'t str),
    /// Yes or no.
    Flag(bool),
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// [`Values::Number`].
    Number,
    /// [`Values::Whole`].
    Whole,
    /// [`Values::Text`].
    Text,
    /// [`Values::Flag`].
    Flag,
}

impl Table {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// What a file says of the table, as keys and values.
    fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        let version = env!("CARGO_PKG_VERSION");
        [("table", self.name.as_str()), ("dumbbell", version)].into_iter()
    }

    /// Adds the rows of a table with the same columns.
    ///
    /// # Panics
    /// If its columns have other names or types.
    pub fn append(&mut self, other: Self) {
        let (here, there) = (self.columns.len(), other.columns.len());
        assert_eq!(here, there, "tables of different columns");
        for (column, more) in self.columns.iter_mut().zip(other.columns) {
            assert_eq!(column.name, more.name, "tables of different columns");
            column.values.append(more.values);
        }
    }
}

impl Column {
    /// What a file says of the column, as keys and values.
    fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        let unit = self.unit.as_deref().map(|unit| ("unit", unit));
        unit.into_iter()
            .chain([("description", self.about.as_str())])
    }
}

impl Values {
    /// A column of this type without values.
    pub fn none(of: Type) -> Self {
        match of {
            Type::Number => Self::Number(Vec::new()),
            Type::Whole => Self::Whole(Vec::new()),
            Type::Text => Self::Text(Vec::new()),
            Type::Flag => Self::Flag(Vec::new()),
        }
    }

    /// The number of values, missing ones included.
    pub fn len(&self) -> usize {
        match self {
            Self::Number(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Flag(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of the values.
    pub fn sort(&self) -> Type {
        match self {
            Self::Number(_) => Type::Number,
            Self::Whole(_) => Type::Whole,
            Self::Text(_) => Type::Text,
            Self::Flag(_) => Type::Flag,
        }
    }

    /// The value of a row; `None` if it has none.
    pub fn at(&self, row: usize) -> Option<Cell<'_>> {
        match self {
            Self::Number(values) => values[row].map(Cell::Number),
            Self::Whole(values) => values[row].map(Cell::Whole),
            Self::Text(values) => values[row].as_deref().map(Cell::Text),
            Self::Flag(values) => values[row].map(Cell::Flag),
        }
    }

    /// Adds a value. A whole number becomes a number where the column has numbers.
    ///
    /// # Panics
    /// If it is of another type.
    pub fn push(&mut self, cell: Option<Cell<'_>>) {
        match (self, cell) {
            (Self::Number(values), None) => values.push(None),
            (Self::Whole(values), None) => values.push(None),
            (Self::Text(values), None) => values.push(None),
            (Self::Flag(values), None) => values.push(None),
            (Self::Number(values), Some(Cell::Number(value))) => values.push(Some(value)),
            (Self::Number(values), Some(Cell::Whole(value))) => values.push(Some(value as f64)),
            (Self::Whole(values), Some(Cell::Whole(value))) => values.push(Some(value)),
            (Self::Text(values), Some(Cell::Text(value))) => values.push(Some(value.to_owned())),
            (Self::Flag(values), Some(Cell::Flag(value))) => values.push(Some(value)),
            (values, Some(cell)) => panic!("{cell:?} in a column of {:?}", values.sort()),
        }
    }

    fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::Number(values), Self::Number(more)) => values.extend(more),
            (Self::Whole(values), Self::Whole(more)) => values.extend(more),
            (Self::Text(values), Self::Text(more)) => values.extend(more),
            (Self::Flag(values), Self::Flag(more)) => values.extend(more),
            (values, more) => panic!("{:?} in a column of {:?}", more.sort(), values.sort()),
        }
    }
}

impl Type {
    /// The type that holds values of both types: numbers hold whole numbers, and text holds all.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Number | Self::Whole, Self::Number | Self::Whole) => Self::Number,
            _ => Self::Text,
        }
    }
}

impl Cell<'_> {
    /// The type of the value.
    pub fn sort(&self) -> Type {
        match self {
            Self::Number(_) => Type::Number,
            Self::Whole(_) => Type::Whole,
            Self::Text(_) => Type::Text,
            Self::Flag(_) => Type::Flag,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: Cell<'_>) -> Table {
        let mut values = Values::none(Type::Number);
        values.push(Some(value));
        let column = Column {
            name: "a".to_owned(),
            unit: None,
            about: String::new(),
            values,
        };
        Table {
            name: "t".to_owned(),
            columns: vec![column],
        }
    }

    #[test]
    fn tables_of_the_same_columns_are_put_together() {
        let mut table = one(Cell::Number(0.5));
        table.append(one(Cell::Whole(2)));
        assert_eq!(table.rows(), 2);
        let values = &table.column("a").expect("there").values;
        assert_eq!(values.at(1), Some(Cell::Number(2.0)));
        assert_eq!(table.column("b"), None);
    }

    #[test]
    fn mixed_values_need_a_wider_type() {
        assert_eq!(Type::Whole.or(Type::Number), Type::Number);
        assert_eq!(Type::Whole.or(Type::Whole), Type::Whole);
        assert_eq!(Type::Flag.or(Type::Number), Type::Text);
    }
}
