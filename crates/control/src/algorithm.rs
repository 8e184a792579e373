//! The congestion controls, one file each. A line in [`registry`](crate::registry) declares the module of
//! a file here. `cargo fmt` does not find modules that a macro declares, so format these files with
//! `rustfmt`.

macro_rules! modules {
    ($( $variant:ident: $module:ident, )+) => { $( pub mod $module; )+ };
}

crate::with_registry!(modules);

#[cfg(test)]
pub(crate) mod testing;
