//! Low-pass filters of bandwidth samples, each step the exact floor of its expression.

pub mod ewma;
pub mod stability;
pub mod tustin;
