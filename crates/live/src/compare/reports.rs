//! Whether a path has the routers that RoVegas needs.

use dumbbell_scenario::{Link, Scenario, Topology};

/// Returns whether any router between others reports how long packets wait.
pub(super) fn reports(scenario: &Scenario) -> bool {
    let either = |forward: &Link, reverse: &Link| forward.aqt || reverse.aqt;
    match &scenario.topology {
        Topology::Dumbbell { bottleneck } => either(&bottleneck.forward, &bottleneck.reverse),
        Topology::ParkingLot { hops } => hops.iter().any(|hop| either(&hop.forward, &hop.reverse)),
        Topology::Graph(graph) => graph.links.iter().any(|link| {
            link.forward.aqt || link.reverse.as_ref().is_some_and(|reverse| reverse.aqt)
        }),
    }
}
