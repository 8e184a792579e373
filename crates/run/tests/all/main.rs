//! Tests of whole runs, in one binary, because each binary takes seconds to link. `steady_state` counts the
//! allocations of its whole process, so it has a binary to itself.

mod added;
mod bbr;
mod bbr1;
mod emulation;
mod examples;
mod explain;
mod film;
mod frames;
mod marks;
mod media;
mod notification;
mod pacing;
mod paths;
mod quic;
mod recorded_rates;
mod relays;
mod run;
mod simulation_properties;
mod small;
mod trace;
mod warmup;
mod workloads;
