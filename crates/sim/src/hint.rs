//! Telling the compiler which way is rarely taken.

/// Marks the way on which it is called as rarely taken. The code of that way is then kept apart, so that the usual way
/// goes on without jumps and in fewer lines of the cache. What `std::hint::cold_path` does since Rust 1.95.
#[cold]
#[inline]
pub const fn cold_path() {}
