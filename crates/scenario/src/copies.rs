//! The flows of a run: each flow entry of a scenario, repeated `count` times.

use crate::flow::Flow;
use crate::scenario::Scenario;

/// Returns every flow of a run in order, with the number of its copy, counted from 1.
pub fn copies(scenario: &Scenario) -> impl Iterator<Item = (&Flow, u32)> {
    scenario
        .flows
        .iter()
        .flat_map(|flow| (1..=flow.count).map(move |copy| (flow, copy)))
}

/// Returns every flow of a run in order, each with its name.
pub fn named_flows(scenario: &Scenario) -> impl Iterator<Item = (&Flow, String)> {
    copies(scenario).map(|(flow, copy)| (flow, numbered(&flow.name, copy, flow.count)))
}

/// Returns the name of one copy of a flow entry; the entry's own name if there is only one copy.
pub fn numbered(name: &str, copy: u32, count: u32) -> String {
    if count == 1 {
        name.to_owned()
    } else {
        format!("{name}.{copy}")
    }
}
