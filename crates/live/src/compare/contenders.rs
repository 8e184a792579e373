//! The controls of a comparison: looked up by name and loaded.

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use super::Contender;
#[cfg(feature = "kernel")]
use super::ours::{Ours, carrier};
use crate::error::Error;
#[cfg(feature = "kernel")]
use crate::kernel;
use crate::reports::{NO_REPORTS, reads, reports, silence};
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
    let (wanted, mut notes) = expanded(names, scenario)?;
    #[cfg(feature = "kernel")]
    let mut ours = Ours::default();
    let mut contenders = Vec::new();
    for name in wanted {
        #[cfg(feature = "kernel")]
        if let Some(contender) = ours.enter(name, scenario)? {
            contenders.push(contender);
            continue;
        }
        contenders.push(of_the_kernel(name, scenario, &mut notes)?);
    }
    Ok(Entered {
        contenders,
        notes,
        #[cfg(feature = "kernel")]
        _ours: ours,
    })
}

/// Returns the controls that these names mean, each once, and notes about those that `all` leaves out. As in a
/// run of the simulator, RoVegas needs routers that report: without them the kernel's would be Vegas, and the
/// simulator's a Vegas whose receiver does not delay ACKs.
fn expanded<'n>(
    names: &'n [String],
    scenario: &Scenario,
) -> Result<(Vec<&'n str>, Vec<String>), Error> {
    let lacks_reports = |name| (name == ROVEGAS || reads(name)) && !reports(scenario);
    let mut wanted: Vec<&str> = Vec::new();
    let mut notes = Vec::new();
    for name in names {
        let mut meant = match name.as_str() {
            "all" => all_of_ours()?,
            name => vec![name],
        };
        if name == "all" && lacks_reports(ROVEGAS) {
            meant.retain(|name| *name != ROVEGAS);
            notes.push(format!("{NO_REPORTS}, so `all` leaves it out"));
        }
        for name in meant {
            if lacks_reports(name.strip_prefix("kernel:").unwrap_or(name)) {
                return Err(silence());
            }
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
    }
    Ok((wanted, notes))
}

const ROVEGAS: &str = "rovegas";

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
fn of_the_kernel(
    name: &str,
    scenario: &Scenario,
    notes: &mut Vec<String>,
) -> Result<Contender, Error> {
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
        preparation: match reads(kernel_name) && reports(scenario) {
            #[cfg(feature = "kernel")]
            true => Some(carrier(kernel_name)),
            #[cfg(not(feature = "kernel"))]
            true => {
                return Err(Error::Refused(format!(
                    "{kernel_name} needs programs that carry the routers' reports, which this build does not \
                     include: {BUILD}"
                )));
            }
            false => None,
        },
    })
}

/// Returns the simulator's control of the same kind as a control of the kernel.
fn simulated(kernel_name: &str) -> Option<String> {
    let plain = match kernel_name.strip_prefix("db_").unwrap_or(kernel_name) {
        // Linux's "westwood" estimates its bandwidth as Westwood+ does, and its BBR is version 1.
        "westwood" if !kernel_name.starts_with("db_") => "westwood+",
        "westwoodplus" => "westwood+",
        "bbr" => "bbr1",
        plain => plain,
    };
    let known = Controls::builtin().named(plain)?;
    Some(known.name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(aqt: &str) -> Scenario {
        let text = format!(
            r#"
            duration = "1 s"
            [dumbbell]
            access = {{ rate = "10 Mb/s", delay = "1 ms" }}
            bottleneck = {{ rate = "2 Mb/s", delay = "1 ms", queue = {{ droptail = 9 }} }}
            {aqt}
            [[flow]]
            control = "reno"
            "#
        );
        Scenario::parse("my.toml", &text, &Controls::builtin()).expect("it is right")
    }

    #[test]
    fn rovegas_needs_routers_that_report_as_in_a_run() {
        for name in ["rovegas", "db_rovegas", "kernel:db_rovegas"] {
            let names = ["reno".to_owned(), name.to_owned()];
            let (wanted, notes) = expanded(&names, &path(r#"aqt = "all""#)).expect("it is right");
            assert_eq!((wanted, notes.len()), (vec!["reno", name], 0));
            let refused = expanded(&names, &path("")).expect_err(name).to_string();
            assert!(refused.contains("aqt = \"all\""), "{refused}");
            // The same words as those of `run`.
            let text = "duration = \"1 s\"\n[dumbbell]\naccess = { rate = \"10 Mb/s\", delay = \"1 ms\" }\n\
                bottleneck = { rate = \"2 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 } }\n\
                [[flow]]\ncontrol = \"rovegas\"\n";
            let run = Scenario::parse("my.toml", text, &Controls::builtin()).expect_err("none");
            let run = run.render(false).replace('`', "");
            assert!(run.contains(NO_REPORTS), "{run}");
        }
    }

    #[cfg(feature = "kernel")]
    #[test]
    fn all_leaves_rovegas_out_where_no_router_reports() {
        let names = ["all".to_owned()];
        let (wanted, notes) = expanded(&names, &path("")).expect("the others");
        assert!(wanted.contains(&"vegas") && !wanted.contains(&ROVEGAS));
        assert!(notes[0].contains("leaves it out"), "{notes:?}");
        let (wanted, notes) = expanded(&names, &path(r#"aqt = "all""#)).expect("all");
        assert!(wanted.contains(&ROVEGAS) && notes.is_empty());
    }

    #[test]
    fn a_control_of_the_kernel_has_a_counterpart_in_the_simulator() {
        let simulated = |name| simulated(name).unwrap_or_default();
        assert_eq!(simulated("reno"), "reno");
        assert_eq!(simulated("db_venodb"), "venodb");
        // Linux's Westwood is Westwood+; Dumbbell's control of that name is not.
        assert_eq!(simulated("westwood"), "westwood+");
        assert_eq!(simulated("db_westwood"), "westwood");
        assert_eq!(simulated("db_westwoodplus"), "westwood+");
        // Linux' BBR is version 1.
        assert_eq!(simulated("bbr"), "bbr1");
        assert_eq!(simulated("dctcp-like"), "");
    }
}
