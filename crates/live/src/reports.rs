//! The routers' reports on a path, which RoVegas needs (AQT): whether there are any, and who carries them.

use dumbbell_scenario::{Link, Scenario, Topology};

use crate::error::Error;

/// Why RoVegas is refused where no router reports: the words of a run in the simulator.
pub(crate) const NO_REPORTS: &str =
    "rovegas needs routers that report how long packets waited (AQT), and there are none";

/// Returns whether any router between others reports how long packets wait.
pub(crate) fn reports(scenario: &Scenario) -> bool {
    let either = |forward: &Link, reverse: &Link| forward.aqt || reverse.aqt;
    match &scenario.topology {
        Topology::Dumbbell { bottleneck } => either(&bottleneck.forward, &bottleneck.reverse),
        Topology::ParkingLot { hops } => hops.iter().any(|hop| either(&hop.forward, &hop.reverse)),
        Topology::Graph(graph) => graph.links.iter().any(|link| {
            link.forward.aqt || link.reverse.as_ref().is_some_and(|reverse| reverse.aqt)
        }),
    }
}

/// The error for RoVegas where no router reports.
pub(crate) fn silence() -> Error {
    Error::Refused(format!(
        "{NO_REPORTS}; write aqt = \"all\" in the network's table, or take vegas, which uses round-trip times alone"
    ))
}

/// Returns whether a control of the kernel is RoVegas: by its name, or since it has a place for reports.
pub(crate) fn reads(kernel_name: &str) -> bool {
    #[cfg(feature = "kernel")]
    if crate::kernel::place_for_reports(kernel_name).is_some() {
        return true;
    }
    kernel_name == "db_rovegas"
}
