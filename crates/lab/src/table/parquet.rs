//! A table as Parquet, compressed with Snappy.
//!
//! The schema of the Arrow stream is stored beside that of Parquet, as pyarrow and polars do it: they
//! then find the units, the descriptions and the dictionaries.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::{Column, Table, Values, arrow};

/// Rows of a row group.
const GROUP: usize = 1 << 20;

/// Writes a table.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(table: &Table, out: &mut (impl Write + Send)) -> io::Result<()> {
    try_write(table, out).map_err(|error| match error {
        ParquetError::External(error) => io::Error::other(error),
        error => io::Error::other(error),
    })
}

fn try_write(table: &Table, out: &mut (impl Write + Send)) -> Result<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("dumbbell {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(metadata(table)))
        .build();
    let mut writer = SerializedFileWriter::new(out, schema(table)?, Arc::new(properties))?;
    for first in (0..table.rows()).step_by(GROUP) {
        let rows = first..table.rows().min(first + GROUP);
        let mut group = writer.next_row_group()?;
        for column in &table.columns {
            let mut into = group.next_column()?.expect("a writer for each column");
            write_column(&column.values, rows.clone(), &mut into)?;
            into.close()?;
        }
        group.close()?;
    }
    writer.close().map(drop)
}

fn metadata(table: &Table) -> Vec<KeyValue> {
    let pair = |(key, value): (&str, &str)| KeyValue::new(key.to_owned(), value.to_owned());
    let mut all: Vec<KeyValue> = table.metadata().map(pair).collect();
    let schema = arrow::encapsulated(&arrow::schema_message(table));
    all.push(KeyValue::new(
        "ARROW:schema".to_owned(),
        BASE64.encode(schema),
    ));
    all
}

fn schema(table: &Table) -> Result<Arc<Type>> {
    let columns: Result<Vec<_>> = table.columns.iter().map(field).collect();
    let schema = Type::group_type_builder(&table.name)
        .with_fields(columns?)
        .build()?;
    Ok(Arc::new(schema))
}

fn field(column: &Column) -> Result<Arc<Type>> {
    let (physical, logical) = match column.values {
        Values::Number(_) => (Physical::DOUBLE, None),
        Values::Whole(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Values::Flag(_) => (Physical::BOOLEAN, None),
    };
    let field = Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::OPTIONAL)
        .build()?;
    Ok(Arc::new(field))
}

fn write_column(
    values: &Values,
    rows: Range<usize>,
    into: &mut SerializedColumnWriter<'_>,
) -> Result<()> {
    match values {
        Values::Number(values) => put::<DoubleType, _>(&values[rows], into, |value| *value),
        // Parquet stores an unsigned number as the signed one of the same bits.
        Values::Whole(values) => {
            put::<Int64Type, _>(&values[rows], into, |value| value.cast_signed())
        }
        Values::Text(values) => {
            put::<ByteArrayType, _>(&values[rows], into, |it| ByteArray::from(it.as_str()))
        }
        Values::Flag(values) => put::<BoolType, _>(&values[rows], into, |value| *value),
    }
}

/// Writes the values that are there, and which of the rows they are.
fn put<D: DataType, T>(
    rows: &[Option<T>],
    into: &mut SerializedColumnWriter<'_>,
    value: impl Fn(&T) -> D::T,
) -> Result<()> {
    let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.is_some())).collect();
    let values: Vec<D::T> = rows.iter().flatten().map(value).collect();
    into.typed::<D>()
        .write_batch(&values, Some(&levels), None)
        .map(drop)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    use super::super::example;
    use super::*;

    #[test]
    fn a_file_is_read_back() {
        let mut out = Vec::new();
        write(&example::table(), &mut out).expect("memory takes everything");
        let reader = SerializedFileReader::new(Bytes::from(out)).expect("a file");
        let about = reader.metadata().file_metadata();
        let pairs = about.key_value_metadata().expect("metadata");
        let of = |key: &str| pairs.iter().find(|it| it.key == key);
        let named = of("table").and_then(|it| it.value.as_deref());
        assert_eq!(named, Some("groups"));
        assert!(of("ARROW:schema").is_some());
        let rows: Vec<Vec<Field>> = reader
            .get_row_iter(None)
            .expect("rows")
            .map(|row| row.expect("a row").into_columns())
            .map(|row| row.into_iter().map(|(_, field)| field).collect())
            .collect();
        let text = |text: &str| Field::Str(text.to_owned());
        use Field::{Bool, Double, Null, ULong};
        assert_eq!(
            rows,
            [
                vec![text("reno"), ULong(1), Double(0.1), Bool(true)],
                vec![text("a \"b\", c"), ULong(u64::MAX), Null, Bool(false)],
                vec![Null, ULong(3), Double(1.5e6), Null],
            ]
        );
    }
}
