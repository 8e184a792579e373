//! A table as an Arrow IPC stream, which polars, pandas, pyarrow, DuckDB and R read without loss.
//!
//! The stream is a schema, a dictionary for each column of text, and the rows. The description of
//! each message is a FlatBuffer, whose types `polars-arrow-format` has; the numbers behind it are
//! laid out here (<https://arrow.apache.org/docs/format/Columnar.html>).

mod body;
mod schema;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use polars_arrow_format::ipc::planus::Builder;
use polars_arrow_format::ipc::{DictionaryBatch, Message, MessageHeader, MetadataVersion};

use self::body::{Body, Words};
use super::{Table, Values};

#[cfg(feature = "parquet")]
pub(super) use self::schema::message as schema_message;

/// Comes before the length of each message, and marks the end with a length of 0.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Rows of a batch: a reader has one batch in memory at a time.
const BATCH: usize = 1 << 16;

/// Writes a table.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(table: &Table, out: &mut impl Write) -> io::Result<()> {
    let words: Vec<Option<Words<'_>>> = table.columns.iter().map(words).collect();
    out.write_all(&encapsulated(&schema::message(table)))?;
    for (place, words) in words.iter().enumerate() {
        let Some(words) = words else { continue };
        let (data, body) = words.dictionary().finish();
        let batch = DictionaryBatch {
            id: schema::dictionary(place),
            data: Some(Box::new(data)),
            is_delta: false,
        };
        send(MessageHeader::DictionaryBatch(Box::new(batch)), &body, out)?;
    }
    for first in (0..table.rows()).step_by(BATCH) {
        let rows = first..table.rows().min(first + BATCH);
        let mut body = Body::new(rows.len());
        for (column, words) in table.columns.iter().zip(&words) {
            match (&column.values, words) {
                (Values::Number(values), _) => body.numbers(&values[rows.clone()]),
                (Values::Whole(values), _) => body.wholes(&values[rows.clone()]),
                (Values::Flag(values), _) => body.flags(&values[rows.clone()]),
                (Values::Text(_), Some(words)) => body.indices(&words.indices[rows.clone()]),
                (Values::Text(_), None) => unreachable!("text has words"),
            }
        }
        let (batch, body) = body.finish();
        send(MessageHeader::RecordBatch(Box::new(batch)), &body, out)?;
    }
    out.write_all(&CONTINUATION)?;
    out.write_all(&0i32.to_le_bytes())
}

fn words(column: &super::Column) -> Option<Words<'_>> {
    match &column.values {
        Values::Text(values) => Some(Words::of(values)),
        Values::Number(_) | Values::Whole(_) | Values::Flag(_) => None,
    }
}

fn send(header: MessageHeader, body: &[u8], out: &mut impl Write) -> io::Result<()> {
    let message = Message {
        version: MetadataVersion::V5,
        header: Some(header),
        body_length: body.len() as i64,
        custom_metadata: None,
    };
    out.write_all(&encapsulated(&message))?;
    out.write_all(body)
}

/// A message as bytes, without its body: its length, and the FlatBuffer, filled up to 8 bytes.
pub(super) fn encapsulated(message: &Message) -> Vec<u8> {
    let mut builder = Builder::new();
    let flat = builder.finish(message, None);
    let length = flat.len().next_multiple_of(8);
    let mut bytes = CONTINUATION.to_vec();
    bytes.extend((length as i32).to_le_bytes());
    bytes.extend(flat);
    bytes.resize(CONTINUATION.len() + 4 + length, 0);
    bytes
}
