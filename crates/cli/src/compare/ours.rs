//! Our controls in the kernel, for as long as a comparison takes.

use dumbbell_lab::scenario::{Link, Scenario, Topology};
use dumbbell_live::compare::Contender;
use dumbbell_live::kernel::{self, Loaded, Options};

use crate::exit::Exit;

/// Those that are loaded.
#[derive(Default)]
pub struct Ours {
    loaded: Vec<Loaded>,
}

/// Their names.
pub fn names() -> Vec<&'static str> {
    kernel::controls().iter().map(|it| it.algorithm).collect()
}

impl Ours {
    /// Loads a control under a name of its own; nothing if it is none of ours.
    pub fn enter(
        &mut self,
        name: &str,
        scenario: &Scenario,
        notes: &mut Vec<String>,
    ) -> Result<Option<Contender>, Exit> {
        let Some(control) = kernel::controls().iter().find(|it| it.algorithm == name) else {
            return Ok(None);
        };
        // Unlike that of any other process.
        let kernel_name = format!("dbc{}_{}", std::process::id(), self.loaded.len());
        let options = Options {
            name: Some(kernel_name.clone()),
            ..Options::default()
        };
        let loaded = kernel::load(control.algorithm, &options)
            .map_err(|error| Exit::Failed(error.to_string()))?;
        if name == "rovegas" && !reports(scenario) {
            notes.push(
                "no router of this path reports queueing times (`aqt`), so rovegas is Vegas here"
                    .to_owned(),
            );
        }
        self.loaded.push(loaded);
        Ok(Some(Contender {
            label: name.to_owned(),
            kernel_name,
            simulated: Some(name.to_owned()),
            preparation: None,
        }))
    }
}

/// Whether any router between others reports how long packets wait.
fn reports(scenario: &Scenario) -> bool {
    let either = |forward: &Link, reverse: &Link| forward.aqt || reverse.aqt;
    match &scenario.topology {
        Topology::Dumbbell { bottleneck } => either(&bottleneck.forward, &bottleneck.reverse),
        Topology::ParkingLot { hops } => hops.iter().any(|hop| either(&hop.forward, &hop.reverse)),
        Topology::Graph(graph) => graph.links.iter().any(|link| {
            link.forward.aqt || link.reverse.as_ref().is_some_and(|reverse| reverse.aqt)
        }),
    }
}
