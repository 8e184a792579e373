//! The controls of a parity: each behind a QUIC stack, and in the kernel where the kernel has it.

use dumbbell_scenario::Scenario;

use crate::compare::Contender;
use crate::compare::contenders;
use crate::error::Error;
use crate::quic::QuicControl;

/// A control, looked up behind each stack.
#[derive(Debug)]
pub struct Entry {
    /// Behind QUIC.
    pub quic: QuicControl,
    /// In the kernel; `None` if it has none of that kind.
    pub kernel: Option<Contender>,
}

/// Controls that can be used until this value is dropped.
#[derive(Debug)]
pub struct Entered {
    /// The controls in the order of the arguments, each once.
    pub entries: Vec<Entry>,
    /// What the kernel's side lacks, and other notes for the user.
    pub notes: Vec<String>,
    _loaded: Vec<contenders::Entered>,
}

/// Looks the controls up: Dumbbell's by their names, which are loaded into the kernel where the build has them for it;
/// and the QUIC stacks' own, which the kernel does not have.
///
/// # Errors
/// [`Error::Refused`] if no QUIC stack can run a control; the system's error if one cannot be loaded.
pub fn enter(names: &[String], scenario: &Scenario) -> Result<Entered, Error> {
    let mut found = Entered {
        entries: Vec::new(),
        notes: Vec::new(),
        _loaded: Vec::new(),
    };
    for name in names {
        if found.entries.iter().any(|it| it.quic.name() == name) {
            continue;
        }
        let quic: QuicControl = name.parse()?;
        let mut kernel = None;
        if let Some(wanted) = in_kernel(&quic) {
            match contenders::enter(&[wanted.to_owned()], scenario) {
                Ok(mut entered) => {
                    kernel = entered.contenders.pop();
                    found.notes.append(&mut entered.notes);
                    found._loaded.push(entered);
                }
                Err(Error::Refused(why)) => {
                    found
                        .notes
                        .push(format!("{name} is not compared with the kernel: {why}"));
                }
                Err(error) => return Err(error),
            }
        }
        found.entries.push(Entry { quic, kernel });
    }
    Ok(found)
}

/// Looks the controls up behind QUIC alone, each once: for predictions, which need no kernel.
///
/// # Errors
/// [`Error::Refused`] if no QUIC stack can run a control.
pub fn simulated(names: &[String]) -> Result<Vec<Entry>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    for name in names {
        if !entries.iter().any(|it| it.quic.name() == name) {
            entries.push(Entry {
                quic: name.parse()?,
                kernel: None,
            });
        }
    }
    Ok(entries)
}

/// The name in the kernel of a control that is Dumbbell's. Linux' BBR is version 1.
fn in_kernel(control: &QuicControl) -> Option<&str> {
    match control.simulated() {
        _ if !control.is_ours() => None,
        "bbr1" => Some("bbr"),
        "bbr" => None,
        name => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_bbr_is_version_1_and_the_stacks_own_are_not_in_the_kernel() {
        let named = |name: &str| -> QuicControl { name.parse().expect(name) };
        assert_eq!(in_kernel(&named("bbr1")), Some("bbr"));
        assert_eq!(in_kernel(&named("bbr")), None);
        assert_eq!(in_kernel(&named("veno")), Some("veno"));
        assert_eq!(in_kernel(&named("quinn:cubic")), None);
    }
}
