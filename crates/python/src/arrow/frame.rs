//! A table in the memory layout of Arrow, which other libraries read without a copy
//! (<https://arrow.apache.org/docs/format/Columnar.html>).

use std::collections::HashMap;
use std::sync::Arc;

use dumbbell_lab::table;

/// A table whose columns lie in memory as Arrow lays them out.
#[derive(Debug, PartialEq)]
pub struct Frame {
    /// Its name, for example `groups`.
    pub name: String,
    /// Its columns, all of the same length.
    pub columns: Vec<Arc<Column>>,
    rows: usize,
}

/// A column of a [`Frame`].
#[derive(Debug)]
pub struct Column {
    /// Its name, unique within the table.
    pub name: String,
    /// The unit of its values; `None` for text and flags.
    pub unit: Option<String>,
    /// What its values mean.
    pub about: String,
    data: Data,
    /// A bit for each value that is there; `None` if all are.
    validity: Option<Bits>,
    missing: usize,
}

/// The values of a column. Where one is missing, there is NaN or 0.
#[derive(Debug, PartialEq)]
pub enum Data {
    /// Numbers.
    Number(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<u64>),
    /// Yes or no.
    Flag(Bits),
    /// Words: for each row the index of its word.
    Text {
        /// Indices into `words`.
        indices: Vec<u32>,
        /// Every word once.
        words: Words,
    },
}

/// Bits in bytes, the first in the lowest bit of the first byte.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

/// Words, one behind the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// Where each word begins, and where the last one ends.
    offsets: Vec<i32>,
    bytes: Vec<u8>,
}

/// Builds a column of words, each of which is stored once.
#[derive(Debug, Default)]
pub struct TextBuilder {
    indices: Vec<u32>,
    words: Words,
    places: HashMap<String, u32>,
    validity: Validity,
}

/// Which values of a column are there, as it grows.
#[derive(Debug, Default)]
pub struct Validity {
    bits: Bits,
    missing: usize,
}

/// One value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'c> {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// Yes or no.
    Flag(bool),
    /// A word.
    Text(&'c str),
}

impl Frame {
    /// A table of these columns.
    ///
    /// # Panics
    /// If they differ in length.
    pub fn new(name: impl Into<String>, columns: Vec<Column>) -> Self {
        let rows = columns.first().map_or(0, Column::len);
        assert!(
            columns.iter().all(|column| column.len() == rows),
            "columns of different lengths"
        );
        Self {
            name: name.into(),
            columns: columns.into_iter().map(Arc::new).collect(),
            rows,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Arc<Column>> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl From<table::Table> for Frame {
    fn from(from: table::Table) -> Self {
        let columns = from.columns.into_iter().map(Column::from);
        Self::new(from.name, columns.collect())
    }
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        let same_head = self.name == other.name && self.unit == other.unit;
        let cells = || (0..self.len()).all(|row| self.at(row) == other.at(row));
        same_head && self.about == other.about && self.len() == other.len() && cells()
    }
}

impl Column {
    /// A column of these values, all of which are there.
    pub fn whole(name: &str, about: &str, data: Data) -> Self {
        Self {
            name: name.to_owned(),
            unit: None,
            about: about.to_owned(),
            data,
            validity: None,
            missing: 0,
        }
    }

    /// A column from its parts; `None` if they do not fit together. `validity` has the bytes of a
    /// bit for each value that is there.
    pub fn of_parts(
        (name, unit, about): (String, Option<String>, String),
        data: Data,
        validity: Option<Vec<u8>>,
    ) -> Option<Self> {
        let len = data.len();
        let validity = match validity {
            None => None,
            Some(bytes) => Some(Bits::of_bytes(bytes, len)?),
        };
        if let Data::Text { indices, words } = &data {
            let is_there = |row| validity.as_ref().is_none_or(|bits| bits.at(row));
            // Where a value is missing, its index counts for nothing, but must not point outside, unless
            // there are no words at all.
            let fits = |(row, index): (usize, &u32)| {
                (*index as usize) < words.len() || *index == 0 && !is_there(row)
            };
            if !indices.iter().enumerate().all(fits) {
                return None;
            }
        }
        let missing = validity.as_ref().map_or(0, |bits| len - bits.count());
        Some(Self {
            name,
            unit,
            about,
            data,
            validity,
            missing,
        })
    }

    /// This column with a unit.
    pub fn unit(mut self, unit: &str) -> Self {
        self.unit = Some(unit.to_owned());
        self
    }

    /// This column with the values that are there.
    pub fn valid(mut self, validity: Validity) -> Self {
        self.missing = validity.missing;
        self.validity = (validity.missing > 0).then_some(validity.bits);
        self
    }

    /// The values, missing ones included.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// A bit for each value that is there; `None` if all are.
    pub fn validity(&self) -> Option<&Bits> {
        self.validity.as_ref()
    }

    /// The number of values that are missing.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The number of values, missing ones included.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// The value of a row; `None` if it is missing.
    pub fn at(&self, row: usize) -> Option<Cell<'_>> {
        if self.validity.as_ref().is_some_and(|bits| !bits.at(row)) {
            return None;
        }
        Some(match &self.data {
            Data::Number(values) => Cell::Number(values[row]),
            Data::Whole(values) => Cell::Whole(values[row]),
            Data::Flag(bits) => Cell::Flag(bits.at(row)),
            Data::Text { indices, words } => Cell::Text(words.at(indices[row] as usize)),
        })
    }
}

impl From<table::Column> for Column {
    fn from(from: table::Column) -> Self {
        let mut validity = Validity::default();
        let data = match from.values {
            table::Values::Number(values) => Data::Number(validity.of(values, f64::NAN)),
            table::Values::Whole(values) => Data::Whole(validity.of(values, 0)),
            table::Values::Flag(values) => {
                let mut bits = Bits::default();
                validity
                    .of(values, false)
                    .into_iter()
                    .for_each(|it| bits.push(it));
                Data::Flag(bits)
            }
            table::Values::Text(values) => {
                let mut text = TextBuilder::default();
                values.iter().for_each(|value| text.push(value.as_deref()));
                validity = text.validity;
                Data::Text {
                    indices: text.indices,
                    words: text.words,
                }
            }
        };
        let column = Self {
            unit: from.unit,
            ..Self::whole(&from.name, &from.about, data)
        };
        column.valid(validity)
    }
}

impl Data {
    /// The number of values, missing ones included.
    pub fn len(&self) -> usize {
        match self {
            Self::Number(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Flag(bits) => bits.len,
            Self::Text { indices, .. } => indices.len(),
        }
    }
}

impl Validity {
    /// Notes whether the next value is there.
    pub fn push(&mut self, is_there: bool) {
        self.bits.push(is_there);
        self.missing += usize::from(!is_there);
    }

    fn of<T: Copy>(&mut self, values: Vec<Option<T>>, missing: T) -> Vec<T> {
        let value = |value: Option<T>| {
            self.push(value.is_some());
            value.unwrap_or(missing)
        };
        values.into_iter().map(value).collect()
    }
}

impl TextBuilder {
    /// Adds a word; `None` is a missing one.
    pub fn push(&mut self, word: Option<&str>) {
        self.push_times(word, 1);
    }

    /// Adds a word so many times.
    pub fn push_times(&mut self, word: Option<&str>, times: usize) {
        let index = word.map(|word| match self.places.get(word) {
            Some(place) => *place,
            None => {
                let place = self.words.len() as u32;
                self.words.push(word);
                self.places.insert(word.to_owned(), place);
                place
            }
        });
        let filled = self.indices.len() + times;
        self.indices.resize(filled, index.unwrap_or(0));
        (0..times).for_each(|_| self.validity.push(index.is_some()));
    }

    /// The column.
    pub fn column(self, name: &str, about: &str) -> Column {
        let data = Data::Text {
            indices: self.indices,
            words: self.words,
        };
        Column::whole(name, about, data).valid(self.validity)
    }
}

impl Bits {
    /// Bits from their bytes; `None` if there are not as many bytes as `len` bits need.
    pub fn of_bytes(bytes: Vec<u8>, len: usize) -> Option<Self> {
        (bytes.len() == len.div_ceil(8)).then_some(Self { bytes, len })
    }

    /// Adds a bit.
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if bit {
            self.bytes[self.len / 8] |= 1 << (self.len % 8);
        }
        self.len += 1;
    }

    /// A bit.
    pub fn at(&self, place: usize) -> bool {
        self.bytes[place / 8] >> (place % 8) & 1 == 1
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn count(&self) -> usize {
        (0..self.len).filter(|place| self.at(*place)).count()
    }
}

impl Default for Words {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            bytes: Vec::new(),
        }
    }
}

impl Words {
    /// Adds a word.
    ///
    /// # Panics
    /// If all words together have 2 GiB.
    pub fn push(&mut self, word: &str) {
        self.bytes.extend_from_slice(word.as_bytes());
        let end = i32::try_from(self.bytes.len()).expect("less than 2 GiB of different words");
        self.offsets.push(end);
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// A word.
    pub fn at(&self, place: usize) -> &str {
        let range = self.offsets[place] as usize..self.offsets[place + 1] as usize;
        str::from_utf8(&self.bytes[range]).unwrap_or_default()
    }

    /// Where each word begins, and where the last one ends.
    pub fn offsets(&self) -> &[i32] {
        &self.offsets
    }

    /// The bytes of all words.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
