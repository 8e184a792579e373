//! Scenario files: what runs, on which network, for how long.
//!
//! A file is TOML; `docs/scenario.md` is the reference of the format. [`Scenario::parse`] reads
//! one into a [`Scenario`] in which every default is filled in and everything is possible, or
//! reports every mistake with its place and what would be right. [`Scenario::canonical`] writes
//! it down again with nothing left out.
//!
//! What there is to know of a key or of a sort of something stands in one file: how it is read, written
//! down and described in the [`schema`], its entry in the [`catalogue`], and what the simulator is told.
//!
//! | to add | write | and one line in |
//! |---|---|---|
//! | a queue | `queue/NAME.rs` | `queues!` in `queue/mod.rs` |
//! | a loss model | `loss/NAME.rs` | `LossModel` in `loss/mod.rs` |
//! | a source | `source/NAME.rs` | `Source` in `source/mod.rs` |
//! | a key of a link | `link/NAME.rs` | `links!` in `link/mod.rs` |
//! | a key of a TCP flow | a `TcpKey` in `tcp/` | `tcp!` in `tcp/mod.rs` |
//! | a probe value | | `values!` in `probe/value.rs` |
//! | a parameter of a rate control | | its group in `rate_controls/` |
//!
//! What all of them build on: `document/` reads TOML with places, `key/` has what the value of a key may
//! be, `sort.rs` makes an enum of sorts, `form/` describes, `text.rs` writes down.

#![forbid(unsafe_code)]

pub mod catalogue;
mod control;
pub mod controls;
mod copies;
mod decimal;
mod document;
mod error;
mod flow;
mod form;
mod head;
mod key;
mod limits;
mod link;
mod log;
mod loss;
mod names;
mod opportunities;
mod parameter;
mod place;
mod probe;
pub mod quantity;
mod queue;
pub mod rate_controls;
mod recovery;
mod scenario;
pub mod schema;
pub mod setting;
mod settings;
mod simulated;
mod sort;
mod source;
pub mod suggest;
mod syntax;
mod tcp;
mod text;
mod topology;
mod trace_file;
mod variation;

pub use copies::{copies, named_flows, numbered};
pub use error::{LoadError, Problem, Report};
pub use flow::{Flow, Media, Start, Traffic, Udp};
pub use link::access::Access;
pub use link::{Duplex, Link, Rate};
pub use loss::{GilbertElliott, Loss, LossModel, LossScope, TwoState};
pub use opportunities::{Opportunities, Unsuitable};
pub use place::{Direction, Place};
pub use probe::{Equation, Probe, ProbeValue};
pub use quantity::BitRate;
pub use queue::{AckFilter, Queue, Red};
pub use recovery::{Exit, NewRenoChoices, Recovery, RenoChoices};
pub use scenario::Scenario;
pub use source::{Bursts, Emitter, HeavyBursts, Sending, Source};
pub use tcp::{Ends, Size, Tcp};
pub use topology::Topology;
pub use topology::graph::{Graph, GraphLink};
pub use variation::Variation;

/// A size and a span of time, as scenarios and results have them.
pub use dumbbell_control::units::{Bytes, Duration};
