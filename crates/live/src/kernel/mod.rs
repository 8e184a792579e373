//! The controls in the Linux kernel: BPF programs that the kernel registers as
//! `tcp_congestion_ops`, so that the TCP of any program can use them unchanged.
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
//! A control stays in the kernel as long as its [`Loaded`] lives, or, once it is pinned
//! ([`Loaded::pin`]), until it is unpinned. Sockets that use it keep their own reference: they
//! continue with it after it is unloaded, but no other socket can select it. The directory `bpf/`
//! has the C sources, and describes what the kernel forces on the controls.

pub mod aqt;
mod catalogue;
mod configuration;
mod entries;
mod error;
mod layout;
mod linux;
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
pub use list::{Holder, Listed, list, place_for_reports};
pub use load::{Loaded, Options, load};
pub use pins::Pins;
pub use trace::{Kind, Trace, TraceEvent};
