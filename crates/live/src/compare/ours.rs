//! Dumbbell's controls in the kernel, loaded for the duration of a comparison.

use std::sync::atomic::{AtomicU32, Ordering};

use dumbbell_run::End;
use dumbbell_scenario::Scenario;

use super::{Contender, Preparation};
use crate::carried::{carry, refused};
use crate::emulator::{Emulator, INTERFACE};
use crate::error::Error;
use crate::kernel::aqt::Role;
use crate::kernel::{self, Loaded, Options};
use crate::reports::reports;
use crate::route;

/// The loaded controls. Dropping this value unloads them.
#[derive(Debug, Default)]
pub struct Ours {
    loaded: Vec<Loaded>,
}

/// The number of names that this process has used.
static NAMES: AtomicU32 = AtomicU32::new(0);

impl Ours {
    /// Loads a control for a path, under a unique name; returns `None` if it is not one of Dumbbell's. If
    /// the path has routers that report, RoVegas also gets the programs that carry the reports.
    ///
    /// # Errors
    /// If the machine or the process cannot load it.
    pub fn enter(&mut self, name: &str, scenario: &Scenario) -> Result<Option<Contender>, Error> {
        let Some(control) = kernel::controls().iter().find(|it| it.algorithm == name) else {
            return Ok(None);
        };
        // Differs from the names of every other process.
        let number = NAMES.fetch_add(1, Ordering::Relaxed);
        let kernel_name = format!("dbc{}_{number}", std::process::id());
        let options = Options {
            name: Some(kernel_name.clone()),
            ..Options::default()
        };
        let loaded = kernel::load(control.algorithm, &options).map_err(|e| refused(name, &e))?;
        let mut preparation: Option<Box<Preparation>> = None;
        if name == "rovegas" && reports(scenario) {
            preparation = Some(carrier(&kernel_name));
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

/// Makes both hosts of a path carry the routers' reports to RoVegas, which is loaded under this name, and turns
/// off delayed ACKs at the receiver.
pub(super) fn carrier(kernel_name: &str) -> Box<Preparation> {
    let name = kernel_name.to_owned();
    Box::new(move |path| {
        let roles = [(End::Sender, Role::Sender), (End::Receiver, Role::Receiver)];
        let aqt = carry(path, &name, &roles)?;
        // The simulator's receiver also acknowledges segments with the option at once.
        path.host(End::Receiver)
            .run(|| route::acknowledge_at_once(Emulator::address(End::Sender).into(), INTERFACE))?;
        Ok(Box::new(aqt))
    })
}
