//! The store of finished runs.

mod builds;
mod care;
mod child;
mod damage;
#[cfg(target_os = "linux")]
mod disk;
mod files;
mod interrupt;
mod jobs;
mod look;
mod processes;
mod runs;
mod values;

#[path = "../../../run/tests/all/small/mod.rs"]
mod small;
