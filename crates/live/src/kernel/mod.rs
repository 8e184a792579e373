//! The controls in the Linux kernel: BPF programs that the kernel takes as `tcp_congestion_ops`, so
//! that any program's TCP runs by them, unchanged.
//!
//! ```no_run
//! use dumbbell_live::kernel::{self, Options};
//!
//! # fn main() -> Result<(), kernel::Error> {
//! let loaded = kernel::load("veno", &Options::default())?;
//! println!("sysctl net.ipv4.tcp_congestion_control={}", loaded.name());
//! # Ok(())
//! # }
//! ```
//!
//! A control is there while its [`Loaded`] lives, or for good once it is pinned ([`Loaded::pin`]).
//! Sockets that use it keep their own hold on it: they go on with it after it is unloaded, but no
//! other socket can choose it. The C sources and what the kernel forces on the controls: `bpf/`.

pub mod aqt;
mod catalogue;
mod configuration;
mod entries;
mod error;
mod layout;
mod list;
mod load;
mod log;
mod pins;
mod rules;
mod trace;

pub use crate::machine;
pub use catalogue::{KernelControl, controls, find};
pub use configuration::{configure, read_settings};
pub use entries::{Entry, entries};
pub use error::Error;
pub use libbpf_rs::MapHandle;
pub use list::{Holder, Listed, list};
pub use load::{Loaded, Options, load};
pub use pins::Pins;
pub use trace::{Kind, Trace, TraceEvent};
