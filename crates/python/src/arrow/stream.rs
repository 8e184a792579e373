//! A frame as an Arrow C stream of one array. The consumer reads the frame's own memory, which an
//! [`Arc`] in each array keeps alive until the consumer releases it.
//!
//! Every struct that is handed out owns what its pointers point to by a box in `private_data`. Its
//! `release` takes that box back, releases the children and the dictionary that the consumer has not
//! taken, and marks the struct as released.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use super::abi::{ArrowArray, ArrowArrayStream, ArrowSchema, NULLABLE};
use super::frame::{Column, Data, Frame, Words};

/// What a schema's pointers point to.
struct Described {
    format: CString,
    name: CString,
    metadata: Option<Vec<u8>>,
    children: Vec<*mut ArrowSchema>,
    dictionary: *mut ArrowSchema,
}

/// What an array's pointers point to.
struct Held {
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    dictionary: *mut ArrowArray,
    /// Keeps the values alive.
    _frame: Arc<Frame>,
}

/// What a stream knows.
struct Source {
    frame: Arc<Frame>,
    is_over: bool,
}

// SAFETY: a stream owns its source, and uses it only while it is called.
unsafe impl Send for ArrowArrayStream {}
// SAFETY: a schema owns what its pointers point to.
unsafe impl Send for ArrowSchema {}

impl ArrowArrayStream {
    /// The stream of a table: one array, with a child for each column.
    pub fn of(frame: Arc<Frame>) -> Self {
        let source = Source {
            frame,
            is_over: false,
        };
        Self {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release_stream),
            private_data: Box::into_raw(Box::new(source)).cast(),
        }
    }
}

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: what is not released yet was made by `of`, or taken from such a stream as a whole.
            unsafe { release(self) }
        }
    }
}

impl ArrowSchema {
    /// The type of a table: a struct, with a child for each column.
    pub fn of(frame: &Frame) -> Self {
        let children = frame.columns.iter().map(|column| schema_of(column));
        let metadata = [
            ("table", frame.name.as_str()),
            ("dumbbell", env!("CARGO_PKG_VERSION")),
        ];
        schema("+s", "", 0, Some(&metadata), children.collect(), None)
    }
}

impl Drop for ArrowSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as for streams.
            unsafe { release(self) }
        }
    }
}

impl Drop for ArrowArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as for streams.
            unsafe { release(self) }
        }
    }
}

fn schema_of(column: &Column) -> ArrowSchema {
    let (format, dictionary) = match column.data() {
        Data::Number(_) => ("g", None),
        Data::Whole(_) => ("L", None),
        Data::Flag(_) => ("b", None),
        Data::Text { .. } => ("I", Some(schema("u", "", 0, None, Vec::new(), None))),
    };
    let unit = column.unit.as_deref().map(|unit| ("unit", unit));
    let about = [("description", column.about.as_str())];
    let metadata: Vec<_> = unit.into_iter().chain(about).collect();
    schema(
        format,
        &column.name,
        NULLABLE,
        Some(&metadata),
        Vec::new(),
        dictionary,
    )
}

fn schema(
    format: &str,
    name: &str,
    flags: i64,
    metadata: Option<&[(&str, &str)]>,
    children: Vec<ArrowSchema>,
    dictionary: Option<ArrowSchema>,
) -> ArrowSchema {
    let children: Vec<_> = children.into_iter().map(boxed).collect();
    let dictionary = dictionary.map_or(ptr::null_mut(), boxed);
    let described = boxed(Described {
        format: c_string(format),
        name: c_string(name),
        metadata: metadata.map(encoded),
        children,
        dictionary,
    });
    // SAFETY: it was made in the line above. The pointers are taken from the box, where nothing moves any
    // more: a text that is moved may no longer be read by a pointer from before.
    let inside = unsafe { &mut *described };
    let metadata = inside.metadata.as_ref();
    ArrowSchema {
        format: inside.format.as_ptr(),
        name: inside.name.as_ptr(),
        metadata: metadata.map_or(ptr::null(), |bytes| bytes.as_ptr().cast()),
        flags,
        n_children: inside.children.len() as i64,
        children: inside.children.as_mut_ptr(),
        dictionary,
        release: Some(release_schema),
        private_data: described.cast(),
    }
}

/// A text without zeros, which end a text in C.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// Keys and values as the interface wants them: their number, then the length and the bytes of each.
fn encoded(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = (pairs.len() as i32).to_ne_bytes().to_vec();
    for text in pairs.iter().flat_map(|(key, value)| [key, value]) {
        bytes.extend((text.len() as i32).to_ne_bytes());
        bytes.extend(text.as_bytes());
    }
    bytes
}

fn boxed<T>(it: T) -> *mut T {
    Box::into_raw(Box::new(it))
}

fn array_of(frame: &Arc<Frame>, column: &Column) -> ArrowArray {
    let validity = column
        .validity()
        .map_or(ptr::null(), |bits| bits.bytes().as_ptr().cast());
    let (values, dictionary): (*const c_void, _) = match column.data() {
        Data::Number(values) => (values.as_ptr().cast(), None),
        Data::Whole(values) => (values.as_ptr().cast(), None),
        Data::Flag(bits) => (bits.bytes().as_ptr().cast(), None),
        Data::Text { indices, words } => (indices.as_ptr().cast(), Some(words_of(frame, words))),
    };
    let sizes = (column.len(), column.missing());
    array(frame, sizes, vec![validity, values], Vec::new(), dictionary)
}

fn words_of(frame: &Arc<Frame>, words: &Words) -> ArrowArray {
    let offsets = words.offsets().as_ptr().cast();
    let bytes = words.bytes().as_ptr().cast();
    let buffers = vec![ptr::null(), offsets, bytes];
    array(frame, (words.len(), 0), buffers, Vec::new(), None)
}

fn array(
    frame: &Arc<Frame>,
    (length, missing): (usize, usize),
    buffers: Vec<*const c_void>,
    children: Vec<ArrowArray>,
    dictionary: Option<ArrowArray>,
) -> ArrowArray {
    let dictionary = dictionary.map_or(ptr::null_mut(), boxed);
    let held = Held {
        buffers,
        children: children.into_iter().map(boxed).collect(),
        dictionary,
        _frame: frame.clone(),
    };
    let held = Box::into_raw(Box::new(held));
    // SAFETY: it was made in the line above.
    let inside = unsafe { &mut *held };
    ArrowArray {
        length: length as i64,
        null_count: missing as i64,
        offset: 0,
        n_buffers: inside.buffers.len() as i64,
        n_children: inside.children.len() as i64,
        buffers: inside.buffers.as_mut_ptr(),
        children: inside.children.as_mut_ptr(),
        dictionary,
        release: Some(release_array),
        private_data: held.cast(),
    }
}

/// Writes the type of a stream's arrays to `out`.
unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the consumer passes a stream that is not released, and room for a schema.
    unsafe {
        let source = &*(*stream).private_data.cast::<Source>();
        ptr::write(out, ArrowSchema::of(&source.frame));
    }
    0
}

/// Writes the next array of a stream to `out`: the table, then one that is released, as a sign of the end.
unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the consumer passes a stream that is not released, and room for an array.
    unsafe {
        let source = &mut *(*stream).private_data.cast::<Source>();
        let next = if std::mem::replace(&mut source.is_over, true) {
            ArrowArray::empty()
        } else {
            let frame = &source.frame;
            let children = frame.columns.iter().map(|column| array_of(frame, column));
            let sizes = (frame.rows(), 0);
            array(frame, sizes, vec![ptr::null()], children.collect(), None)
        };
        ptr::write(out, next);
    }
    0
}

/// There are no errors.
unsafe extern "C" fn get_last_error(_: *mut ArrowArrayStream) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: the consumer passes a stream that is not released; its source is a box of `of`.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Source>()));
        (*stream).private_data = ptr::null_mut();
        (*stream).release = None;
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the consumer passes a schema that is not released; its parts are boxes of `schema`. A child
    // that the consumer has moved elsewhere is marked as released in its old place.
    unsafe {
        let described = Box::from_raw((*schema).private_data.cast::<Described>());
        let dictionary = (!described.dictionary.is_null()).then_some(described.dictionary);
        for part in described.children.iter().copied().chain(dictionary) {
            drop(Box::from_raw(part));
        }
        (*schema).private_data = ptr::null_mut();
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as for schemas.
    unsafe {
        let held = Box::from_raw((*array).private_data.cast::<Held>());
        let dictionary = (!held.dictionary.is_null()).then_some(held.dictionary);
        for part in held.children.iter().copied().chain(dictionary) {
            drop(Box::from_raw(part));
        }
        (*array).private_data = ptr::null_mut();
        (*array).release = None;
    }
}
