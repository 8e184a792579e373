//! Tables in Arrow's layout, handed to other libraries without a copy. The only unsafe code is here.
#![allow(unsafe_code)]

mod abi;
mod frame;
mod stream;
#[cfg(test)]
mod tests;

pub use abi::{ArrowArrayStream, ArrowSchema};
pub use frame::{Bits, Cell, Column, Data, Frame, TextBuilder, Validity, Words};
