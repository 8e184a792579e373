//! A table as comma-separated values (RFC 4180): a line of names, and a line per row.

use std::io::{self, Write};

use dumbbell_run::csv::quoted;

use super::{Cell, Table};

/// Writes a table. A value that a row does not have is an empty field. Numbers have as many digits
/// as are needed to read back the same number.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(table: &Table, out: &mut impl Write) -> io::Result<()> {
    for (place, column) in table.columns.iter().enumerate() {
        write!(out, "{}{}", comma(place), quoted(&column.name))?;
    }
    out.write_all(b"\n")?;
    for row in 0..table.rows() {
        for (place, column) in table.columns.iter().enumerate() {
            out.write_all(comma(place).as_bytes())?;
            match column.values.at(row) {
                Some(Cell::Number(value)) => write!(out, "{value}")?,
                Some(Cell::Whole(value)) => write!(out, "{value}")?,
                Some(Cell::Text(value)) => out.write_all(quoted(value).as_bytes())?,
                Some(Cell::Flag(value)) => write!(out, "{value}")?,
                None => {}
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn comma(place: usize) -> &'static str {
    if place == 0 { "" } else { "," }
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;

    #[test]
    fn missing_values_are_empty_and_names_are_quoted_where_necessary() {
        let mut out = Vec::new();
        write(&example::table(), &mut out).expect("memory takes everything");
        let expected = "control,seed,goodput,finished\n\
                        reno,1,0.1,true\n\
                        \"a \"\"b\"\", c\",18446744073709551615,,false\n\
                        ,3,1500000,\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
