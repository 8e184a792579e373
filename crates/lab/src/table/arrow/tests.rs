//! Streams are read back: by a reader written here from the specification, and by pyarrow.

use std::io::Write as _;
use std::process::{Command, Stdio};

use polars_arrow_format::ipc::planus::ReadAsRoot;
use polars_arrow_format::ipc::{Message, MessageHeader, MessageRef, RecordBatch, Type};

use super::super::{Builder, Cell, Head, Type as Sort, example};
use super::*;

fn stream(table: &Table) -> Vec<u8> {
    let mut out = Vec::new();
    write(table, &mut out).expect("memory takes everything");
    out
}

/// The messages of a stream with their bodies.
fn messages(mut bytes: &[u8]) -> Vec<(Message, &[u8])> {
    let mut found = Vec::new();
    loop {
        assert_eq!(bytes[..4], [0xff; 4]);
        let length = i32::from_le_bytes(bytes[4..8].try_into().expect("four")) as usize;
        bytes = &bytes[8..];
        if length == 0 {
            assert!(bytes.is_empty(), "nothing comes after the end");
            return found;
        }
        assert_eq!(length % 8, 0, "a body begins at a multiple of 8");
        let message = MessageRef::read_as_root(&bytes[..length]).expect("a message");
        let message = Message::try_from(message).expect("a message");
        let (body, rest) = bytes[length..].split_at(message.body_length as usize);
        found.push((message, body));
        bytes = rest;
    }
}

/// The buffers of a batch.
fn buffers<'b>(batch: &RecordBatch, body: &'b [u8]) -> Vec<&'b [u8]> {
    let all = batch.buffers.as_ref().expect("buffers").iter();
    all.map(|buffer| {
        assert_eq!(buffer.offset % 8, 0, "buffers are aligned");
        let first = buffer.offset as usize;
        &body[first..first + buffer.length as usize]
    })
    .collect()
}

#[test]
fn a_stream_is_a_schema_dictionaries_and_batches() {
    let bytes = stream(&example::table());
    let all = messages(&bytes);
    let [(schema, none), (words, word_bytes), (rows, row_bytes)] = &all[..] else {
        panic!("{} messages", all.len())
    };
    assert!(none.is_empty());
    let Some(MessageHeader::Schema(schema)) = &schema.header else {
        panic!("{schema:?}")
    };
    let fields = schema.fields.as_ref().expect("fields");
    let names: Vec<_> = fields.iter().map(|it| it.name.as_deref()).collect();
    let expected = ["control", "seed", "goodput", "finished"].map(Some);
    assert_eq!(names, expected);
    assert!(matches!(fields[0].type_, Some(Type::Utf8(_))));
    let metadata = fields[2].custom_metadata.as_ref().expect("metadata");
    let unit = metadata
        .iter()
        .find(|it| it.key.as_deref() == Some("unit"))
        .expect("a unit");
    assert_eq!(unit.value.as_deref(), Some("bit/s"));

    let Some(MessageHeader::DictionaryBatch(words)) = &words.header else {
        panic!("{words:?}")
    };
    let data = words.data.as_ref().expect("words");
    assert_eq!((words.id, data.length), (0, 2));
    let [_, ends, text] = buffers(data, word_bytes)[..] else {
        panic!("three buffers")
    };
    assert_eq!(text, br#"renoa "b", c"#);
    assert_eq!(ends, [0, 0, 0, 0, 4, 0, 0, 0, 12, 0, 0, 0]);

    let Some(MessageHeader::RecordBatch(rows)) = &rows.header else {
        panic!("{rows:?}")
    };
    let nodes = rows.nodes.as_ref().expect("nodes");
    let missing: Vec<i64> = nodes.iter().map(|node| node.null_count).collect();
    assert_eq!(missing, [1, 0, 1, 1]);
    let buffers = buffers(rows, row_bytes);
    assert_eq!(buffers[0], [0b011]);
    assert_eq!(buffers[1], [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    assert!(buffers[2].is_empty(), "every row has a seed");
    assert_eq!(buffers[3][8..16], [0xff; 8]);
    assert_eq!(buffers[4], [0b101]);
    assert_eq!(buffers[5][..8], 0.1f64.to_le_bytes());
    assert_eq!((buffers[6], buffers[7]), (&[0b011][..], &[0b001][..]));
}

/// A table that needs more than one batch; the last one has a single row.
fn long() -> Table {
    let heads = [
        Head::new("name", Sort::Text, "a name"),
        Head::new("number", Sort::Number, "a number"),
    ];
    let mut builder = Builder::new("long", heads);
    for row in 0..=BATCH {
        let number = (row % 3 != 0).then_some(Cell::Number(row as f64));
        builder.row([Some(Cell::Text(["a", "b"][row % 2])), number]);
    }
    builder.table()
}

#[test]
fn long_tables_are_several_batches() {
    let bytes = stream(&long());
    let lengths: Vec<i64> = messages(&bytes)
        .iter()
        .filter_map(|(message, _)| match &message.header {
            Some(MessageHeader::RecordBatch(batch)) => Some(batch.length),
            _ => None,
        })
        .collect();
    assert_eq!(lengths, [65_536, 1]);
}

/// Prints what a reader finds in a stream: the columns' names, types and metadata, those of the
/// table, and the rows.
const READER: &str = r#"
import json, sys
import pyarrow as pa
t = pa.ipc.open_stream(sys.stdin.buffer).read_all()
t.validate(full=True)
text = lambda m: {k.decode(): v.decode() for k, v in sorted((m or {}).items())}
rows = [[row[n] for n in t.column_names] for row in t.to_pylist()]
print(json.dumps({"fields": [[f.name, str(f.type), text(f.metadata)] for f in t.schema],
                  "table": text(t.schema.metadata), "count": len(rows),
                  "rows": rows[:3], "last": rows[-1:], "sum": sum(r[1] or 0 for r in rows)}))
"#;

/// What pyarrow reads; `None` if it is not installed and need not be.
fn read_by_pyarrow(table: &Table) -> Option<serde_json::Value> {
    let required = std::env::var_os("DUMBBELL_REQUIRE_PYARROW").is_some_and(|it| it == "1");
    let python = std::env::var_os("DUMBBELL_PYTHON").unwrap_or_else(|| "python3".into());
    let has = Command::new(&python)
        .args(["-c", "import pyarrow"])
        .stderr(Stdio::null())
        .status();
    if !has.is_ok_and(|status| status.success()) {
        assert!(!required, "{python:?} has no pyarrow");
        println!("skipped: {python:?} has no pyarrow (pip install pyarrow)");
        return None;
    }
    let mut child = Command::new(&python)
        .args(["-c", READER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it was there");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(&stream(table)).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "pyarrow does not read the stream");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn pyarrow_reads_the_same_table() {
    let Some(found) = read_by_pyarrow(&example::table()) else {
        return;
    };
    let words = "dictionary<values=string, indices=int32, ordered=0>";
    let expected = serde_json::json!({
        "fields": [
            ["control", words, { "description": "the control" }],
            ["seed", "uint64", { "description": "the seed" }],
            ["goodput", "double", { "description": "what arrives in order", "unit": "bit/s" }],
            ["finished", "bool", { "description": "whether it finished" }],
        ],
        "table": { "dumbbell": env!("CARGO_PKG_VERSION"), "table": "groups" },
        "count": 3,
        "rows": [
            ["reno", 1, 0.1, true],
            ["a \"b\", c", u64::MAX, null, false],
            [null, 3, 1.5e6, null],
        ],
        "last": [[null, 3, 1.5e6, null]],
        // Python adds without rounding.
        "sum": found["sum"],
    });
    assert_eq!(found, expected);
}

#[test]
fn pyarrow_reads_several_batches_and_an_empty_table() {
    let Some(found) = read_by_pyarrow(&long()) else {
        return;
    };
    assert_eq!(found["count"], 65_537);
    assert_eq!(found["last"], serde_json::json!([["a", 65_536.0]]));
    // All numbers up to 65,536 except the multiples of three.
    let all = 65_536.0 * 65_537.0 / 2.0;
    let threes = 3.0 * 21_845.0 * 21_846.0 / 2.0;
    assert_eq!(found["sum"], all - threes);
    let empty = Builder::new("none", [Head::new("name", Sort::Text, "a name")]).table();
    let found = read_by_pyarrow(&empty).expect("it was there");
    assert_eq!(
        (&found["count"], &found["table"]["table"]),
        (&0.into(), &"none".into())
    );
}
