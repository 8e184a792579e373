//! Our controls in the kernel, for as long as a comparison takes.

use std::os::fd::AsFd as _;

use dumbbell_lab::scenario::{Link, Scenario, Topology};
use dumbbell_lab::simulation::End;
use dumbbell_live::compare::{Contender, Preparation};
use dumbbell_live::emulator::{Emulator, INTERFACE};
use dumbbell_live::kernel::aqt::{Aqt, Role};
use dumbbell_live::kernel::{self, Loaded, MapHandle, Options};
use dumbbell_live::{Error, route};

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
        let mut preparation: Option<Box<Preparation>> = None;
        if name == "rovegas" && reports(scenario) {
            let map = loaded
                .map("aqt_sk")
                .map_err(|error| Exit::Failed(error.to_string()))?;
            let carried = kernel_name.clone();
            preparation = Some(Box::new(move |path| carry_reports(path, &carried, &map)));
        } else if name == "rovegas" {
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
            preparation,
        }))
    }
}

/// Has both hosts of a path carry the routers' reports to a control's map, until it is dropped, and the
/// receiver not delay its ACKs.
fn carry_reports(
    path: &Emulator,
    control: &str,
    reports: &MapHandle,
) -> Result<Box<dyn Send>, Error> {
    let refused = |error: kernel::Error| Error::Refused(error.to_string());
    let mut aqt = Aqt::load(control, Some(reports.as_fd())).map_err(refused)?;
    for (end, role) in [(End::Sender, Role::Sender), (End::Receiver, Role::Receiver)] {
        path.host(end)
            .run(|| aqt.attach(INTERFACE, role).map_err(refused))?;
    }
    // The simulator's receiver answers what carries the option at once, too.
    path.host(End::Receiver)
        .run(|| route::acknowledge_at_once(Emulator::address(End::Sender), INTERFACE))?;
    Ok(Box::new(aqt))
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
