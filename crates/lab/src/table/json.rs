//! A table as lines of JSON: one object per row.

use std::io::{self, Write};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Cell, Column, Table};

/// Writes a table. A value that a row does not have is `null`.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(table: &Table, out: &mut impl Write) -> io::Result<()> {
    for row in table.objects() {
        serde_json::to_writer(&mut *out, &row)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A row of a table as an object: its keys are the names of the columns, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Object<'t> {
    columns: &'t [Column],
    row: usize,
}

impl Table {
    /// The rows as objects.
    pub fn objects(&self) -> impl Iterator<Item = Object<'_>> {
        let columns = &self.columns[..];
        (0..self.rows()).map(move |row| Object { columns, row })
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.len()))?;
        for column in self.columns {
            map.serialize_entry(&column.name, &column.values.at(self.row))?;
        }
        map.end()
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Whole(value) => serializer.serialize_u64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Flag(value) => serializer.serialize_bool(*value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;

    #[test]
    fn a_row_is_an_object_and_missing_values_are_null() {
        let mut out = Vec::new();
        write(&example::table(), &mut out).expect("memory takes everything");
        let expected = r#"{"control":"reno","seed":1,"goodput":0.1,"finished":true}
{"control":"a \"b\", c","seed":18446744073709551615,"goodput":null,"finished":false}
{"control":null,"seed":3,"goodput":1500000.0,"finished":null}
"#;
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
