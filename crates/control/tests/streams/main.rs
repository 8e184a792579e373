//! Long streams, compared with models in floating point.

mod history;
mod random;
mod tustin;
mod veno;
mod venodb;
