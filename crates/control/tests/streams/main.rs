//! Long streams against models in floating point that know nothing of fixed point.

mod history;
mod random;
mod tustin;
mod veno;
mod venodb;
