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

pub use classes::{Classes, is_control, known, register, registered, registered_now, unregister};
pub use signals::PySignals;

/// The sources of what stands between a control in Python and the simulator. They belong to the identity of
/// a control's code, because the fingerprint of a store does not cover this crate.
pub const HOST: &str = concat!(
    include_str!("adapter.rs"),
    include_str!("declare.rs"),
    include_str!("event.rs"),
    include_str!("object.rs"),
    include_str!("rate.rs"),
    include_str!("signals.rs"),
    include_str!("window.rs"),
    include_str!("words.rs"),
);
