//! Runs a scenario on the simulator: events in, numbers out.
//!
//! A [`Run`] is a function of its scenario and its seed: nothing here reads a clock. It returns an
//! [`Outcome`](outcome::Outcome) and, with a probe, [`Series`] of samples. An
//! [`Explainer`](explain::Explainer) reports why each window changed, and a [`Tape`](trace::Tape)
//! records every packet. [`Emulation`] is the same network with packets from outside.
#![forbid(unsafe_code)]

pub mod batch;
pub mod capture;
pub mod csv;
mod delays;
mod emulation;
pub mod explain;
mod failure;
mod fates;
pub mod film;
mod flow;
mod groups;
pub mod histogram;
mod hosts;
mod interrupt;
pub mod losses;
mod network;
pub mod outcome;
mod path;
mod probe;
mod results;
mod run;
pub mod samples;
mod stage;
pub mod statistics;
mod time;
mod totals;
pub mod trace;
mod transfer;
pub mod warning;
mod workload;

pub use dumbbell_sim::{Ecn, Label};
pub use emulation::{Emulation, End, Event, Gone, LinkCounts, Sort, Through, Why};
pub use failure::Failure;
pub use flow::{Control, Told};
pub use probe::{Reading, Series, Subject};
pub use run::{Done, Run, Running, STEPS, Stopped};
pub use stage::Watch;

/// The names of a scenario's links, in the order of an outcome's links.
pub fn links(scenario: &dumbbell_scenario::Scenario) -> Vec<String> {
    network::Layout::names(scenario).collect()
}
