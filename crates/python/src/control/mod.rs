//! Controls and rate controls in Python.

mod adapter;
mod classes;
mod declare;
pub mod event;
mod object;
mod rate;
mod signals;
mod window;
mod words;

pub use classes::{Classes, is_control, known, register, registered, unregister};
pub use signals::PySignals;
