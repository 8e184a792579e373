//! The schema of a table: the name, type and metadata of each column.

use polars_arrow_format::ipc::{
    Bool, DictionaryEncoding, DictionaryKind, Endianness, Field, FloatingPoint, Int, KeyValue,
    Message, MessageHeader, MetadataVersion, Precision, Schema, Type, Utf8,
};

use super::super::{Column, Table, Values};

/// The message that a stream begins with.
pub(in super::super) fn message(table: &Table) -> Message {
    let schema = Schema {
        endianness: Endianness::Little,
        fields: Some(table.columns.iter().enumerate().map(field).collect()),
        custom_metadata: Some(table.metadata().map(pair).collect()),
        features: None,
    };
    Message {
        version: MetadataVersion::V5,
        header: Some(MessageHeader::Schema(Box::new(schema))),
        body_length: 0,
        custom_metadata: None,
    }
}

/// The number of the dictionary of the column at this place.
pub(super) fn dictionary(place: usize) -> i64 {
    place as i64
}

fn field((place, column): (usize, &Column)) -> Field {
    let (sort, dictionary) = match column.values {
        Values::Number(_) => (number(), None),
        Values::Whole(_) => (Type::Int(Box::new(int(64, false))), None),
        Values::Flag(_) => (Type::Bool(Box::new(Bool {})), None),
        Values::Text(_) => (Type::Utf8(Box::new(Utf8 {})), Some(encoding(place))),
    };
    Field {
        name: Some(column.name.clone()),
        nullable: true,
        type_: Some(sort),
        dictionary,
        children: Some(Vec::new()),
        custom_metadata: Some(column.metadata().map(pair).collect()),
    }
}

fn number() -> Type {
    let precision = Precision::Double;
    Type::FloatingPoint(Box::new(FloatingPoint { precision }))
}

fn encoding(place: usize) -> Box<DictionaryEncoding> {
    Box::new(DictionaryEncoding {
        id: dictionary(place),
        index_type: Some(Box::new(int(32, true))),
        is_ordered: false,
        dictionary_kind: DictionaryKind::DenseArray,
    })
}

fn int(bit_width: i32, is_signed: bool) -> Int {
    Int {
        bit_width,
        is_signed,
    }
}

fn pair((key, value): (&str, &str)) -> KeyValue {
    KeyValue {
        key: Some(key.to_owned()),
        value: Some(value.to_owned()),
    }
}
