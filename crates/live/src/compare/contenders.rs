//! The controls of a comparison: looked up by name and loaded.

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use super::Contender;
#[cfg(feature = "kernel")]
use super::ours::{self, Ours};
use crate::error::Error;
#[cfg(feature = "kernel")]
use crate::kernel;
use crate::transfer;

/// The default controls of a comparison, separated by commas.
#[cfg(feature = "kernel")]
pub const USUAL: &str = "cubic,reno,veno,venodb";
/// The default controls of a comparison, separated by commas.
#[cfg(not(feature = "kernel"))]
pub const USUAL: &str = "cubic,reno";

/// Controls that can be selected until this value is dropped.
#[derive(Debug)]
pub struct Entered {
    /// The controls in the order of the arguments.
    pub contenders: Vec<Contender>,
    /// Notes for the user about them.
    pub notes: Vec<String>,
    #[cfg(feature = "kernel")]
    _ours: Ours,
}

/// Loads those controls that are Dumbbell's, and looks up the others in the kernel. `all` means all
/// of Dumbbell's, and `kernel:NAME` means the kernel's control if Dumbbell has one of the same
/// name.
///
/// # Errors
/// [`Error::Refused`] if there is no such control; the system's error if one cannot be loaded.
pub fn enter(names: &[String], scenario: &Scenario) -> Result<Entered, Error> {
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
        if let Some(contender) = ours.enter(name, scenario)? {
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
fn all_of_ours() -> Result<Vec<&'static str>, Error> {
    Ok(kernel::controls().iter().map(|it| it.algorithm).collect())
}

#[cfg(not(feature = "kernel"))]
fn all_of_ours() -> Result<Vec<&'static str>, Error> {
    Err(Error::Refused(format!(
        "this build does not include Dumbbell's controls for the kernel: {BUILD}"
    )))
}

#[cfg(not(feature = "kernel"))]
const BUILD: &str = "build it with `cargo build --release --features kernel` (docs/kernel.md)";

/// Returns a control that the kernel has itself, or that is already loaded.
fn of_the_kernel(name: &str, notes: &mut Vec<String>) -> Result<Contender, Error> {
    let kernel_name = name.strip_prefix("kernel:").unwrap_or(name);
    let simulated = simulated(kernel_name);
    transfer::check(kernel_name).map_err(|error| match error {
        #[cfg(not(feature = "kernel"))]
        Error::Refused(why) if simulated.is_some() => {
            Error::Refused(format!("{why}; Dumbbell's is not in this build: {BUILD}"))
        }
        error => error,
    })?;
    if simulated.is_none() {
        notes.push(format!(
            "{kernel_name} is not in the simulator, which therefore predicts nothing for it"
        ));
    }
    Ok(Contender {
        label: name.to_owned(),
        kernel_name: kernel_name.to_owned(),
        simulated,
        preparation: None,
    })
}

/// Returns the simulator's control of the same kind as a control of the kernel.
fn simulated(kernel_name: &str) -> Option<String> {
    let plain = match kernel_name.strip_prefix("db_").unwrap_or(kernel_name) {
        // Linux's "westwood" estimates its bandwidth as Westwood+ does.
        "westwood" if !kernel_name.starts_with("db_") => "westwood+",
        "westwoodplus" => "westwood+",
        plain => plain,
    };
    let known = Controls::builtin().named(plain)?;
    Some(known.name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_of_the_kernel_has_a_counterpart_in_the_simulator() {
        let simulated = |name| simulated(name).unwrap_or_default();
        assert_eq!(simulated("reno"), "reno");
        assert_eq!(simulated("db_venodb"), "venodb");
        // Linux's Westwood is Westwood+; Dumbbell's control of that name is not.
        assert_eq!(simulated("westwood"), "westwood+");
        assert_eq!(simulated("db_westwood"), "westwood");
        assert_eq!(simulated("db_westwoodplus"), "westwood+");
        assert_eq!(simulated("bbr"), "");
    }
}
