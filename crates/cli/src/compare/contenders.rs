//! The controls that take part in a comparison, made ready.

use dumbbell_live::compare::Contender;
#[cfg(feature = "kernel")]
use dumbbell_live::compare::ours::{self, Ours};
#[cfg(feature = "kernel")]
use dumbbell_live::kernel;
use dumbbell_live::transfer;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use crate::exit::Exit;
use crate::flow;

/// The controls of a comparison without a word about them.
#[cfg(feature = "kernel")]
pub const USUAL: &str = "cubic,reno,veno,venodb";
/// The controls of a comparison without a word about them.
#[cfg(not(feature = "kernel"))]
pub const USUAL: &str = "cubic,reno";

/// Controls that are ready to be chosen, until this is dropped.
pub struct Entered {
    /// In the order that was asked for.
    pub contenders: Vec<Contender>,
    /// What to know of them.
    pub notes: Vec<String>,
    #[cfg(feature = "kernel")]
    _ours: Ours,
}

/// Loads those that are ours, and asks the kernel for the others.
pub fn enter(names: &[String], scenario: &Scenario) -> Result<Entered, Exit> {
    let mut wanted: Vec<&str> = Vec::new();
    for name in names {
        let expanded = match name.as_str() {
            "all" => all_of_ours()?,
            name => vec![name],
        };
        for name in expanded {
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
    }
    #[cfg(feature = "kernel")]
    let mut ours = Ours::default();
    let mut contenders = Vec::new();
    let mut notes = Vec::new();
    for name in wanted {
        #[cfg(feature = "kernel")]
        if let Some(contender) = ours.enter(name, scenario).map_err(flow::live_error)? {
            if name == "rovegas" && !ours::reports(scenario) {
                notes.push(
                    "no router of this path reports queueing times (`aqt`), so rovegas is Vegas here"
                        .to_owned(),
                );
            }
            contenders.push(contender);
            continue;
        }
        contenders.push(of_the_kernel(name, &mut notes)?);
    }
    #[cfg(not(feature = "kernel"))]
    let _ = scenario;
    Ok(Entered {
        contenders,
        notes,
        #[cfg(feature = "kernel")]
        _ours: ours,
    })
}

#[cfg(feature = "kernel")]
fn all_of_ours() -> Result<Vec<&'static str>, Exit> {
    Ok(kernel::controls().iter().map(|it| it.algorithm).collect())
}

#[cfg(not(feature = "kernel"))]
fn all_of_ours() -> Result<Vec<&'static str>, Exit> {
    Err(Exit::BadInput(format!(
        "this build has none of our controls for the kernel: {BUILD}"
    )))
}

#[cfg(not(feature = "kernel"))]
const BUILD: &str = "build it with `cargo build --release --features kernel` (docs/kernel.md)";

/// A control that the kernel has by itself, or that somebody has loaded.
fn of_the_kernel(name: &str, notes: &mut Vec<String>) -> Result<Contender, Exit> {
    let kernel_name = name.strip_prefix("kernel:").unwrap_or(name);
    transfer::check(kernel_name).map_err(|error| {
        #[cfg(not(feature = "kernel"))]
        if matches!(error, dumbbell_live::Error::Refused(_)) && simulated(kernel_name).is_some() {
            return Exit::BadInput(format!("{error}; ours is not in this build: {BUILD}"));
        }
        flow::live_error(error)
    })?;
    let simulated = simulated(kernel_name);
    if simulated.is_none() {
        notes.push(format!(
            "{kernel_name} is not in the simulator: it says nothing of it"
        ));
    }
    Ok(Contender {
        label: name.to_owned(),
        kernel_name: kernel_name.to_owned(),
        simulated,
        preparation: None,
    })
}

/// The simulator's control of the same kind as one of the kernel's.
fn simulated(kernel_name: &str) -> Option<String> {
    let plain = match kernel_name.strip_prefix("db_").unwrap_or(kernel_name) {
        // What Linux calls Westwood estimates its bandwidth as Westwood+ does.
        "westwood" if !kernel_name.starts_with("db_") => "westwood+",
        "westwoodplus" => "westwood+",
        plain => plain,
    };
    let known = Controls::builtin().named(plain)?;
    Some(known.name().to_owned())
}
