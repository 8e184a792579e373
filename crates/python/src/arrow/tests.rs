//! The stream as a consumer in C uses it: it moves structs as bytes, and releases them in any order.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use dumbbell_lab::table;
use proptest::prelude::*;

use super::abi::{ArrowArray, ArrowArrayStream, ArrowSchema};
use super::frame::{Cell, Column, Data, Frame, TextBuilder, Validity};

/// The schema of a stream.
fn schema_of(stream: &mut ArrowArrayStream) -> ArrowSchema {
    let mut out = MaybeUninit::uninit();
    let get = stream.get_schema.expect("it is not released");
    // SAFETY: the stream is not released, and there is room for a schema.
    unsafe {
        assert_eq!(get(stream, out.as_mut_ptr()), 0);
        out.assume_init()
    }
}

/// The next array of a stream.
fn next_of(stream: &mut ArrowArrayStream) -> ArrowArray {
    let mut out = MaybeUninit::uninit();
    let get = stream.get_next.expect("it is not released");
    // SAFETY: the stream is not released, and there is room for an array.
    unsafe {
        assert_eq!(get(stream, out.as_mut_ptr()), 0);
        out.assume_init()
    }
}

/// Moves a struct elsewhere as a consumer does: its bytes are copied, and it is marked as released in its
/// old place.
trait Moved: Sized {
    fn is_released(&self) -> bool;
    fn mark(&mut self);

    /// # Safety
    /// `from` points to a struct that is not released.
    unsafe fn taken(from: *mut Self) -> Self {
        // SAFETY: by the caller; the old place is marked, so it is not released twice.
        unsafe {
            assert!(!(*from).is_released());
            let moved = ptr::read(from);
            (*from).mark();
            moved
        }
    }
}

impl Moved for ArrowArray {
    fn is_released(&self) -> bool {
        self.release.is_none()
    }

    fn mark(&mut self) {
        self.release = None;
    }
}

impl Moved for ArrowSchema {
    fn is_released(&self) -> bool {
        self.release.is_none()
    }

    fn mark(&mut self) {
        self.release = None;
    }
}

/// A text of C.
fn text<'a>(from: *const c_char) -> &'a str {
    // SAFETY: the texts of a schema that is not released end in a zero.
    let text = unsafe { CStr::from_ptr(from) };
    text.to_str().expect("UTF-8")
}

/// A child of an array or a schema.
fn child<T>(children: *mut *mut T, place: usize) -> *mut T {
    // SAFETY: the caller has counted the children.
    unsafe { *children.add(place) }
}

/// A value of a column as a consumer reads it.
#[derive(Clone, Debug, PartialEq)]
enum Read {
    Missing,
    Number(u64),
    Whole(u64),
    Flag(bool),
    Text(String),
}

impl From<Option<Cell<'_>>> for Read {
    fn from(cell: Option<Cell<'_>>) -> Self {
        match cell {
            None => Self::Missing,
            // NaN equals NaN here.
            Some(Cell::Number(number)) => Self::Number(number.to_bits()),
            Some(Cell::Whole(number)) => Self::Whole(number),
            Some(Cell::Flag(flag)) => Self::Flag(flag),
            Some(Cell::Text(text)) => Self::Text(text.to_owned()),
        }
    }
}

/// A buffer of an array.
fn buffer<T>(array: &ArrowArray, place: usize) -> *const T {
    assert!((place as i64) < array.n_buffers);
    // SAFETY: there are so many buffers.
    unsafe { (*array.buffers.add(place)).cast() }
}

fn bit(bytes: *const u8, row: usize) -> bool {
    // SAFETY: a buffer has a bit for each row.
    unsafe { *bytes.add(row / 8) >> (row % 8) & 1 == 1 }
}

/// Reads a column, whose type is `format`, from nothing but pointers.
fn read(array: &ArrowArray, format: &str) -> Vec<Read> {
    assert!(!array.is_released());
    assert_eq!((array.offset, array.n_children), (0, 0));
    let validity = buffer::<u8>(array, 0);
    let rows = usize::try_from(array.length).expect("a number of rows");
    let value = |row: usize| {
        if !validity.is_null() && !bit(validity, row) {
            return Read::Missing;
        }
        // SAFETY: a buffer has a value for each row, of the type that the schema says.
        unsafe {
            match format {
                "g" => Read::Number((*buffer::<f64>(array, 1).add(row)).to_bits()),
                "L" => Read::Whole(*buffer::<u64>(array, 1).add(row)),
                "b" => Read::Flag(bit(buffer(array, 1), row)),
                "I" => {
                    let word = *buffer::<u32>(array, 1).add(row);
                    let words = &*array.dictionary;
                    assert!((0..words.length).contains(&i64::from(word)));
                    let offsets = buffer::<i32>(words, 1).add(word as usize);
                    let (from, to) = (*offsets as usize, *offsets.add(1) as usize);
                    let bytes = buffer::<u8>(words, 2).add(from);
                    let bytes = std::slice::from_raw_parts(bytes, to - from);
                    Read::Text(str::from_utf8(bytes).expect("UTF-8").to_owned())
                }
                other => panic!("{other} is no format of ours"),
            }
        }
    };
    let values: Vec<Read> = (0..rows).map(value).collect();
    let missing = values.iter().filter(|it| **it == Read::Missing).count();
    assert_eq!(array.null_count, missing as i64);
    values
}

/// What a frame itself says of a column.
fn expected(column: &Column) -> Vec<Read> {
    (0..column.len()).map(|row| column.at(row).into()).collect()
}

/// Keys and values of metadata, as the interface encodes them.
fn metadata(mut from: *const c_char) -> Vec<(String, String)> {
    let mut bytes = |count: usize| {
        // SAFETY: the metadata say how long they are.
        let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), count) };
        // SAFETY: as above.
        from = unsafe { from.add(count) };
        bytes
    };
    let number = |bytes: &mut dyn FnMut(usize) -> &'static [u8]| {
        i32::from_ne_bytes(bytes(4).try_into().expect("four")) as usize
    };
    let pairs = number(&mut bytes);
    let mut word = || {
        let length = number(&mut bytes);
        String::from_utf8(bytes(length).to_vec()).expect("UTF-8")
    };
    (0..pairs).map(|_| (word(), word())).collect()
}

/// Checks everything that a stream gives against the frame.
fn check(frame: &Arc<Frame>) {
    let mut stream = ArrowArrayStream::of(frame.clone());
    let schema = schema_of(&mut stream);
    let array = next_of(&mut stream);
    assert_eq!((text(schema.format), text(schema.name)), ("+s", ""));
    assert_eq!(schema.n_children, frame.columns.len() as i64);
    assert_eq!(array.n_children, frame.columns.len() as i64);
    assert_eq!((array.length, array.n_buffers), (frame.rows() as i64, 1));
    assert!(buffer::<u8>(&array, 0).is_null());
    let of_table = metadata(schema.metadata);
    assert_eq!(of_table[0], ("table".to_owned(), frame.name.clone()));
    for (place, column) in frame.columns.iter().enumerate() {
        // SAFETY: there is a child for each column.
        let (described, values) = unsafe {
            (
                &*child(schema.children, place),
                &*child(array.children, place),
            )
        };
        assert_eq!(text(described.name), column.name.replace('\0', ""));
        assert_eq!(described.flags & 2, 2, "values may be missing");
        let about = metadata(described.metadata);
        let of = |key: &str| about.iter().find(|(name, _)| name == key);
        let unit = of("unit").map(|(_, unit)| unit.as_str());
        assert_eq!(unit, column.unit.as_deref());
        let format = text(described.format);
        assert_eq!(described.dictionary.is_null(), format != "I");
        assert_eq!(read(values, format), expected(column));
    }
    assert!(next_of(&mut stream).is_released(), "there is one array");
    assert!(next_of(&mut stream).is_released(), "and no other later");
}

fn numbers(values: &[Option<f64>]) -> Column {
    of_lab("numbers", table::Values::Number(values.to_vec()))
}

fn of_lab(name: &str, values: table::Values) -> Column {
    Column::from(table::Column {
        name: name.to_owned(),
        unit: Some("s".to_owned()),
        about: "what it means".to_owned(),
        values,
    })
}

fn words(values: &[Option<&str>]) -> Column {
    let mut text = TextBuilder::default();
    values.iter().for_each(|word| text.push(*word));
    text.column("words", "words")
}

/// A frame with a column of each type, and missing values in each.
fn mixed() -> Arc<Frame> {
    let flags = [Some(true), None, Some(false)];
    Arc::new(Frame::new(
        "mixed",
        vec![
            numbers(&[Some(0.5), None, Some(f64::NAN)]),
            of_lab(
                "whole",
                table::Values::Whole(vec![Some(u64::MAX), Some(0), None]),
            ),
            of_lab("flags", table::Values::Flag(flags.to_vec())),
            words(&[Some("a"), Some("\u{1f6a6}"), None]),
        ],
    ))
}

#[test]
fn a_consumer_reads_the_values_of_a_frame() {
    check(&mixed());
}

#[test]
fn tables_without_rows_or_columns() {
    check(&Arc::new(Frame::new("nothing", Vec::new())));
    let empty = vec![
        numbers(&[]),
        of_lab("whole", table::Values::Whole(Vec::new())),
        of_lab("flags", table::Values::Flag(Vec::new())),
        words(&[]),
    ];
    check(&Arc::new(Frame::new("empty", empty)));
}

#[test]
fn columns_in_which_every_value_is_missing() {
    for rows in [1, 7, 8, 9] {
        let all = vec![
            numbers(&vec![None; rows]),
            of_lab("whole", table::Values::Whole(vec![None; rows])),
            of_lab("flags", table::Values::Flag(vec![None; rows])),
            words(&vec![None; rows]),
        ];
        let frame = Arc::new(Frame::new("missing", all));
        assert!(frame.columns.iter().all(|it| it.missing() == rows));
        check(&frame);
    }
}

#[test]
fn flags_of_every_length_up_to_two_bytes_and_one() {
    for rows in 1..=17 {
        let set = |row: usize| row.is_multiple_of(3) || row == rows - 1;
        let is_there = |row: usize| row % 5 != 1;
        let flags = (0..rows).map(|row| is_there(row).then(|| set(row)));
        let all = (0..rows).map(|row| Some(set(row)));
        let frame = Frame::new(
            "flags",
            vec![
                of_lab("some", table::Values::Flag(flags.collect())),
                of_lab("all", table::Values::Flag(all.collect())),
            ],
        );
        check(&Arc::new(frame));
    }
}

#[test]
fn an_array_outlives_its_stream_and_the_frame() {
    let frame = mixed();
    let wanted: Vec<Vec<Read>> = frame.columns.iter().map(|it| expected(it)).collect();
    let mut stream = ArrowArrayStream::of(frame);
    let array = next_of(&mut stream);
    let schema = schema_of(&mut stream);
    drop(stream);
    for (place, wanted) in wanted.iter().enumerate() {
        // SAFETY: there is a child for each column.
        let (described, values) = unsafe {
            (
                &*child(schema.children, place),
                &*child(array.children, place),
            )
        };
        assert_eq!(&read(values, text(described.format)), wanted);
    }
    drop(schema);
    drop(array);
}

#[test]
fn a_child_that_is_moved_out_outlives_its_parent() {
    let frame = mixed();
    let wanted: Vec<Vec<Read>> = frame.columns.iter().map(|it| expected(it)).collect();
    let held = Arc::downgrade(&frame);
    let mut stream = ArrowArrayStream::of(frame);
    let (schema, array) = (schema_of(&mut stream), next_of(&mut stream));
    drop(stream);
    // SAFETY: there is a child for each column, and none is released.
    let (described, values): (Vec<ArrowSchema>, Vec<ArrowArray>) = (0..wanted.len())
        .map(|place| unsafe {
            (
                ArrowSchema::taken(child(schema.children, place)),
                ArrowArray::taken(child(array.children, place)),
            )
        })
        .unzip();
    drop(array);
    drop(schema);
    for ((described, values), wanted) in described.iter().zip(&values).zip(&wanted) {
        assert_eq!(&read(values, text(described.format)), wanted);
    }
    // Each alone keeps the frame.
    for last in values.into_iter().rev() {
        assert!(held.upgrade().is_some());
        drop(last);
    }
    assert!(held.upgrade().is_none(), "nobody holds it any more");
}

#[test]
fn a_dictionary_that_is_moved_out_outlives_its_column() {
    let frame = Arc::new(Frame::new(
        "words",
        vec![words(&[Some("one"), Some("two")])],
    ));
    let held = Arc::downgrade(&frame);
    let mut stream = ArrowArrayStream::of(frame);
    let array = next_of(&mut stream);
    drop(stream);
    // SAFETY: the only column has a dictionary, which is not released.
    let words = unsafe {
        let column = &*child(array.children, 0);
        ArrowArray::taken(column.dictionary)
    };
    drop(array);
    assert_eq!(words.length, 2);
    // SAFETY: the words lie behind each other.
    let bytes = unsafe { std::slice::from_raw_parts(buffer::<u8>(&words, 2), 6) };
    assert_eq!(bytes, b"onetwo");
    drop(words);
    assert!(held.upgrade().is_none());
}

#[test]
fn releasing_by_hand_and_dropping_release_once() {
    let frame = mixed();
    let mut stream = ArrowArrayStream::of(frame.clone());
    let (mut schema, mut array) = (schema_of(&mut stream), next_of(&mut stream));
    assert_eq!(
        Arc::strong_count(&frame),
        2 + 1 + 4 + 1,
        "stream, array, columns, words"
    );
    // SAFETY: none of them is released.
    unsafe {
        array.release.expect("not released")(&raw mut array);
        schema.release.expect("not released")(&raw mut schema);
        stream.release.expect("not released")(&raw mut stream);
    }
    assert!(array.is_released() && schema.is_released() && stream.release.is_none());
    assert_eq!(Arc::strong_count(&frame), 1);
    // Dropping what is released does nothing.
    drop((array, schema, stream));
    assert_eq!(Arc::strong_count(&frame), 1);
}

#[test]
fn a_stream_that_nobody_reads_leaves_nothing_behind() {
    let frame = mixed();
    drop(ArrowArrayStream::of(frame.clone()));
    let mut stream = ArrowArrayStream::of(frame.clone());
    // The types may be asked for twice, and after the last array.
    drop(schema_of(&mut stream));
    drop(next_of(&mut stream));
    drop(next_of(&mut stream));
    let schema = schema_of(&mut stream);
    assert_eq!(schema.n_children, 4);
    let get = stream.get_last_error.expect("it is there");
    // SAFETY: the stream is not released.
    assert!(unsafe { get(&raw mut stream) }.is_null());
    drop((stream, schema));
    assert_eq!(Arc::strong_count(&frame), 1);
}

#[test]
fn memory_is_not_copied() {
    let frame = mixed();
    let mut stream = ArrowArrayStream::of(frame.clone());
    let array = next_of(&mut stream);
    let Data::Number(values) = frame.columns[0].data() else {
        panic!("numbers are first")
    };
    // SAFETY: there is a first child.
    let column = unsafe { &*child(array.children, 0) };
    assert_eq!(buffer::<f64>(column, 1), values.as_ptr());
}

#[test]
fn a_zero_in_a_name_does_not_end_it() {
    let mut valid = Validity::default();
    valid.push(true);
    let column = Column::whole("a\0b", "c\0d", Data::Number(vec![1.0])).valid(valid);
    check(&Arc::new(Frame::new("e\0f", vec![column])));
}

/// A column of any type, of so many rows.
fn any_column(rows: usize) -> BoxedStrategy<table::Values> {
    let some = |it| prop::option::of(it);
    let number = prop::collection::vec(some(any::<f64>()), rows);
    let whole = prop::collection::vec(prop::option::of(any::<u64>()), rows);
    let flag = prop::collection::vec(prop::option::of(any::<bool>()), rows);
    let word = prop_oneof!["[a-c]", ".{0,8}", Just(String::new())];
    let text = prop::collection::vec(prop::option::of(word), rows);
    prop_oneof![
        number.prop_map(table::Values::Number),
        whole.prop_map(table::Values::Whole),
        flag.prop_map(table::Values::Flag),
        text.prop_map(table::Values::Text),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn any_table_is_read_as_it_is(columns in (0usize..70).prop_flat_map(|rows| {
        prop::collection::vec(any_column(rows), 0..6)
    })) {
        let columns = columns.into_iter().enumerate();
        let columns = columns.map(|(place, values)| of_lab(&format!("c{place}"), values));
        check(&Arc::new(Frame::new("any", columns.collect())));
    }
}

/// Fewer cases where each instruction is checked.
fn cases() -> u32 {
    if cfg!(miri) { 8 } else { 128 }
}
