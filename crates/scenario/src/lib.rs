//! Scenario files: they describe a network, its flows, and the duration of a run.
//!
//! A file is TOML; `docs/scenario.md` is the reference of the format. [`Scenario::parse`] reads a file
//! into a valid [`Scenario`] in which every default is filled in, or reports every mistake with its
//! position and a hint about how to correct it. [`Scenario::canonical`] writes the scenario with every
//! value spelled out.
//!
//! Everything about a key, or about one kind of queue, loss or source, is in one file: how it is read,
//! written and described in the [`schema`], its entry in the [`catalogue`], and how it configures the
//! simulator.
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
//! Common code: `document/` reads TOML with positions, `key/` defines the permitted values of keys,
//! `sort.rs` makes an enum of sorts, `form/` describes values, and `text.rs` writes them.

#![forbid(unsafe_code)]

mod adding;
pub mod catalogue;
mod control;
pub mod controls;
mod copies;
mod decimal;
mod document;
mod error;
mod flow;
mod form;
mod frames;
mod head;
pub mod intern;
mod key;
mod limits;
mod link;
mod log;
mod loss;
mod names;
mod opportunities;
mod origin;
mod parameter;
mod path;
mod place;
mod probe;
pub mod quantity;
mod queue;
mod rate_control;
pub mod rate_controls;
mod recovery;
mod scenario;
mod scenario_file;
pub mod schema;
pub mod setting;
mod simulated;
mod sort;
mod source;
mod steps;
pub mod suggest;
mod sweep;
mod syntax;
mod tcp;
mod text;
mod topology;
pub mod trace_file;
mod variation;
mod workload;

pub use copies::{copies, named_flows, numbered};
pub use error::{LoadError, Problem, Report};
pub use flow::{Flow, Media, Start, Traffic, Udp, Writing};
pub use frames::{Encoder, Frames, Player};
pub use link::access::Access;
pub use link::{
    Aggregate, Arq, Delay, Duplex, Jitter, JitterLaw, Link, Policer, Rate, Reorder, Shaper, Slots,
};
pub use loss::{GilbertElliott, Loss, LossModel, LossScope, TwoState};
pub use opportunities::{Opportunities, Unsuitable};
pub use path::Overlap;
pub use place::{Direction, Place};
pub use probe::{Equation, Probe, ProbeValue};
pub use quantity::BitRate;
pub use queue::{AckFilter, CoDel, DualPi2, Fq, FqCoDel, Limit, Pie, Queue, Red, Scheduler};
pub use recovery::{Exit, NewRenoChoices, Recovery, RenoChoices};
pub use scenario::Scenario;
pub use scenario_file::{Draft, Mistake, ScenarioFile, Spot};
pub use source::{Bursts, Emitter, HeavyBursts, Sending, Source};
pub use tcp::{Ends, QuicEnds, Size, Stack, Tcp};
pub use topology::Topology;
pub use topology::graph::{Graph, GraphLink};
pub use variation::Variation;
pub use workload::{
    Application, Arrivals, BoundedPareto, Ladder, Lognormal, Pace, Requests, SizeClasses, SizeLaw,
    SizeList, Sizes, Spacing, Think, TransferTrace, Transfers, Video, Workload,
};

/// The sizes, time spans and moments of scenarios and results.
pub use dumbbell_control::units::{Bytes, Duration, Instant};
