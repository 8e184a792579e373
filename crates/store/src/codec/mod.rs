//! Encodes columns of numbers in few bytes, exact to the bit.

mod blocks;
mod bytes;
mod column;
mod form;

pub(crate) use bytes::{Reader, Writer};
pub(crate) use column::Columns;
