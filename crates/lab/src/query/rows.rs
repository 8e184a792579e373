//! Rows of tables into SQL, and back.

use std::io;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::table::{Table, Values};
use crate::tidy::Tidy;

/// A name in SQL.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Adds the rows of some tables.
pub fn insert_all(database: &Connection, tables: Vec<Tidy>) -> io::Result<()> {
    for table in tables {
        insert(database, &table.table()).map_err(io::Error::other)?;
    }
    Ok(())
}

fn insert(database: &Connection, table: &Table) -> rusqlite::Result<()> {
    let places = vec!["?"; table.columns.len()].join(", ");
    let sql = format!("INSERT INTO {} VALUES ({places})", quoted(&table.name));
    let mut insert = database.prepare(&sql)?;
    for row in 0..table.rows() {
        let cells = table.columns.iter().map(|column| match &column.values {
            Values::Number(all) => all[row].map_or(Value::Null, Value::Real),
            Values::Whole(all) => all[row].map_or(Value::Null, whole),
            Values::Text(all) => all[row].clone().map_or(Value::Null, Value::Text),
            Values::Flag(all) => all[row].map_or(Value::Null, |it| Value::Integer(it.into())),
        });
        insert.execute(params_from_iter(cells))?;
    }
    Ok(())
}

/// A whole number in SQL, which has 63 bits and a sign; a larger one, such as a seed may be, is the
/// text of its digits there. In an answer it is a number again.
pub fn whole(number: u64) -> Value {
    match i64::try_from(number) {
        Ok(number) => Value::Integer(number),
        Err(_) => Value::Text(number.to_string()),
    }
}

/// The number that [`whole`] made this value of.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::Text(text) => {
            let number: u64 = text.parse().ok()?;
            (whole(number) == *value).then_some(number)
        }
        _ => None,
    }
}

/// The values of a column, with the type that all of them have.
pub fn typed(values: Vec<Value>) -> Values {
    let all = |is: fn(&Value) -> bool| values.iter().all(|it| *it == Value::Null || is(it));
    if all(|it| number(it).is_some()) {
        return Values::Whole(values.iter().map(number).collect());
    }
    if all(|it| matches!(it, Value::Integer(_) | Value::Real(_))) {
        let number = |value| match value {
            Value::Integer(number) => Some(number as f64),
            Value::Real(number) => Some(number),
            _ => None,
        };
        return Values::Number(values.into_iter().map(number).collect());
    }
    let text = |value| match value {
        Value::Text(text) => Some(text),
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(number.to_string()),
        _ => None,
    };
    Values::Text(values.into_iter().map(text).collect())
}
