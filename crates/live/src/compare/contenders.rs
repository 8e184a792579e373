//! The controls that take part in a comparison, found by their names and made ready.

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use super::Contender;
#[cfg(feature = "kernel")]
use super::ours::{self, Ours};
use crate::error::Error;
#[cfg(feature = "kernel")]
use crate::kernel;
use crate::transfer;

/// The controls of a comparison without a word about them, with commas between.
#[cfg(feature = "kernel")]
pub const USUAL: &str = "cubic,reno,veno,venodb";
/// The controls of a comparison without a word about them, with commas between.
#[cfg(not(feature = "kernel"))]
pub const USUAL: &str = "cubic,reno";

/// Controls that are ready to be chosen, until this is dropped.
#[derive(Debug)]
pub struct Entered {
    /// In the order that was asked for.
    pub contenders: Vec<Contender>,
    /// What to know of them.
    pub notes: Vec<String>,
    #[cfg(feature = "kernel")]
    _ours: Ours,
}

/// Loads those that are ours, and asks the kernel for the others. `all` stands for all of ours, and
/// `kernel:NAME` for the kernel's where there is one of ours of the same name.
///
/// # Errors
/// [`Error::Refused`] if there is no such control; what the machine says if one cannot be loaded.
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
        "this build has none of our controls for the kernel: {BUILD}"
    )))
}

#[cfg(not(feature = "kernel"))]
const BUILD: &str = "build it with `cargo build --release --features kernel` (docs/kernel.md)";

/// A control that the kernel has by itself, or that somebody has loaded.
fn of_the_kernel(name: &str, notes: &mut Vec<String>) -> Result<Contender, Error> {
    let kernel_name = name.strip_prefix("kernel:").unwrap_or(name);
    let simulated = simulated(kernel_name);
    transfer::check(kernel_name).map_err(|error| match error {
        #[cfg(not(feature = "kernel"))]
        Error::Refused(why) if simulated.is_some() => {
            Error::Refused(format!("{why}; ours is not in this build: {BUILD}"))
        }
        error => error,
    })?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_of_the_kernel_has_its_like_in_the_simulator() {
        let simulated = |name| simulated(name).unwrap_or_default();
        assert_eq!(simulated("reno"), "reno");
        assert_eq!(simulated("db_venodb"), "venodb");
        // Linux' Westwood is Westwood+; ours of that name is not.
        assert_eq!(simulated("westwood"), "westwood+");
        assert_eq!(simulated("db_westwood"), "westwood");
        assert_eq!(simulated("db_westwoodplus"), "westwood+");
        assert_eq!(simulated("bbr"), "");
    }
}
