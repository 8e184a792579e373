//! Tests of the engine, in one binary, because each binary takes seconds to link. `allocation` counts the
//! allocations of its whole process, so it has a binary to itself; `red` is not part of the package.

mod aqm;
mod behaviour;
mod conservation;
mod equivalence;
mod examples;
mod formulas;
mod labels;
mod lookahead;
mod opportunities;
mod policer;
mod reference;
mod repair;
mod retransmission;
mod scenario;
mod sending;
mod tokens;
mod weather;
