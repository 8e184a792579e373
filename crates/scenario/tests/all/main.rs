//! Tests of scenario files: their meaning, their mistakes and their schema. In one binary, because each
//! binary takes seconds to link.

mod generated;
mod hand_over;
mod judge;
mod paths;
mod scenario;
mod scenario_mistakes;
mod scenario_properties;
mod scenario_reference;
mod schema;
