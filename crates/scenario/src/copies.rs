//! The flows of a run: each entry of a scenario as often as its count says.

use crate::flow::Flow;
use crate::scenario::Scenario;

/// Every flow of a run in its order, with the number of the copy from 1 on.
pub fn copies(scenario: &Scenario) -> impl Iterator<Item = (&Flow, u32)> {
    scenario
        .flows
        .iter()
        .flat_map(|flow| (1..=flow.count).map(move |copy| (flow, copy)))
}

/// Every flow of a run in its order, each with its name.
pub fn named_flows(scenario: &Scenario) -> impl Iterator<Item = (&Flow, String)> {
    copies(scenario).map(|(flow, copy)| (flow, numbered(&flow.name, copy, flow.count)))
}

/// The name of one of several copies: that of the entry where there is only one.
pub fn numbered(name: &str, copy: u32, count: u32) -> String {
    if count == 1 {
        name.to_owned()
    } else {
        format!("{name}.{copy}")
    }
}
