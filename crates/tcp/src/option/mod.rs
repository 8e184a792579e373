//! Options of packet headers, as bytes.

mod aqt;

pub use aqt::Aqt;
