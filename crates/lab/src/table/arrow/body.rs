//! The values of a batch as bytes: for each column a bitmap of the values that are there, and the
//! values themselves.

use std::collections::BTreeMap;

use polars_arrow_format::ipc::{Buffer, FieldNode, RecordBatch};

/// The columns of a batch, one after the other.
pub(super) struct Body {
    rows: usize,
    nodes: Vec<FieldNode>,
    buffers: Vec<Buffer>,
    bytes: Vec<u8>,
}

/// A column of text as a dictionary and a position in it for each row.
pub(super) struct Words<'t> {
    /// Each word once, in the order in which they occur.
    words: Vec<&'t str>,
    /// The position of each row's word.
    pub(super) indices: Vec<Option<i32>>,
}

impl Body {
    /// A batch of this many rows, without columns.
    pub(super) fn new(rows: usize) -> Self {
        Self {
            rows,
            nodes: Vec::new(),
            buffers: Vec::new(),
            bytes: Vec::new(),
        }
    }

    pub(super) fn numbers(&mut self, values: &[Option<f64>]) {
        self.validity(values);
        let bytes = values.iter().map(|it| it.unwrap_or(0.0).to_le_bytes());
        self.buffer(bytes.flatten());
    }

    pub(super) fn wholes(&mut self, values: &[Option<u64>]) {
        self.validity(values);
        let bytes = values.iter().map(|it| it.unwrap_or(0).to_le_bytes());
        self.buffer(bytes.flatten());
    }

    pub(super) fn indices(&mut self, values: &[Option<i32>]) {
        self.validity(values);
        let bytes = values.iter().map(|it| it.unwrap_or(0).to_le_bytes());
        self.buffer(bytes.flatten());
    }

    pub(super) fn flags(&mut self, values: &[Option<bool>]) {
        self.validity(values);
        self.buffer(bitmap(values.iter().map(|it| *it == Some(true))));
    }

    /// The description of the batch, and its bytes.
    pub(super) fn finish(self) -> (RecordBatch, Vec<u8>) {
        let batch = RecordBatch {
            length: self.rows as i64,
            nodes: Some(self.nodes),
            buffers: Some(self.buffers),
            compression: None,
            variadic_buffer_counts: None,
        };
        (batch, self.bytes)
    }

    /// Adds the bitmap of the values that are there; it is empty if all of them are.
    fn validity<T>(&mut self, values: &[Option<T>]) {
        let missing = values.iter().filter(|it| it.is_none()).count();
        self.nodes.push(FieldNode {
            length: values.len() as i64,
            null_count: missing as i64,
        });
        if missing == 0 {
            self.buffer([]);
        } else {
            self.buffer(bitmap(values.iter().map(Option::is_some)));
        }
    }

    /// Adds a buffer. Each begins at a multiple of 8 bytes.
    fn buffer(&mut self, bytes: impl IntoIterator<Item = u8>) {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        self.buffers.push(Buffer {
            offset: offset as i64,
            length: (self.bytes.len() - offset) as i64,
        });
        let filled = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(filled, 0);
    }
}

impl<'t> Words<'t> {
    pub(super) fn of(values: &'t [Option<String>]) -> Self {
        let (mut words, mut places) = (Vec::new(), BTreeMap::new());
        let mut index = |word: &'t String| {
            *places.entry(word.as_str()).or_insert_with(|| {
                words.push(word.as_str());
                words.len() as i32 - 1
            })
        };
        let indices = values.iter().map(|it| it.as_ref().map(&mut index));
        let indices = indices.collect();
        Self { words, indices }
    }

    /// The dictionary as a batch of one column.
    pub(super) fn dictionary(&self) -> Body {
        let mut body = Body::new(self.words.len());
        let all: Vec<Option<()>> = vec![Some(()); self.words.len()];
        body.validity(&all);
        let mut end = 0i32;
        let ends = self.words.iter().map(|word| {
            end += word.len() as i32;
            end.to_le_bytes()
        });
        body.buffer([0i32.to_le_bytes()].into_iter().chain(ends).flatten());
        body.buffer(self.words.iter().flat_map(|word| word.bytes()));
        body
    }
}

/// Bits as bytes, the first in the lowest bit.
fn bitmap(bits: impl Iterator<Item = bool>) -> Vec<u8> {
    let bits: Vec<bool> = bits.collect();
    let byte = |bits: &[bool]| {
        let bits = bits.iter().enumerate();
        bits.fold(0, |byte, (place, &bit)| byte | u8::from(bit) << place)
    };
    bits.chunks(8).map(byte).collect()
}
