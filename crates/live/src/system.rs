//! System calls that have no safe wrapper in any crate. The only place of `unsafe`.
