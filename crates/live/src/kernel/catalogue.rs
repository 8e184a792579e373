//! The controls that are available for the kernel.

use dumbbell_control::parameter::Setting;
use dumbbell_control::registry::AnyConfig;
use dumbbell_scenario::suggest;

use super::{Error, machine};

/// A Dumbbell control for the kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelControl {
    /// Its name elsewhere in Dumbbell: "westwood+".
    pub algorithm: &'static str,
    /// Its usual name in the kernel, of at most 15 letters, digits and `_`: "db_westwoodplus".
    pub name: &'static str,
    /// Its name in C: "westwood_plus".
    pub(super) twin: &'static str,
    pub(super) object: &'static [u8],
}

macro_rules! controls {
    ($( $algorithm:literal, $name:literal, $twin:literal; )+) => {
        &[$( KernelControl {
            algorithm: $algorithm,
            name: $name,
            twin: $twin,
            object: include_bytes!(concat!(env!("OUT_DIR"), "/", $twin, ".bpf.o")),
        }, )+]
    };
}

static CONTROLS: &[KernelControl] = controls! {
    "veno", "db_veno", "veno";
    "venodb", "db_venodb", "venodb";
    "vegas", "db_vegas", "vegas";
    "rovegas", "db_rovegas", "rovegas";
    "westwood", "db_westwood", "westwood";
    "westwood+", "db_westwoodplus", "westwood_plus";
    "sarbe", "db_sarbe", "sarbe";
    "dctcp", "db_dctcp", "dctcp";
};

impl KernelControl {
    /// Returns its parameters: the paper's values with one exception. Windows grow by the segments that
    /// ACKs cover, without a limit, as in Linux. Linux receivers delay and merge ACKs, so growth per ACK
    /// would be half as fast.
    pub fn config(&self) -> AnyConfig {
        let mut config =
            AnyConfig::named(self.algorithm).expect("the registry knows every control");
        for (name, value) in [
            ("counting", Setting::Choice("abc")),
            ("abc_limit", Setting::Count(255)),
        ] {
            let set = config.set(name, value);
            set.expect("every control of the kernel has these parameters");
        }
        config
    }

    /// Returns the name of its struct_ops map in the kernel, which identifies it: at most 15 characters.
    pub(super) fn map_name(&self) -> String {
        format!("db_{}", self.twin).chars().take(15).collect()
    }
}

/// Returns all of them.
pub fn controls() -> &'static [KernelControl] {
    CONTROLS
}

/// Returns the control of this name, or of this usual name in the kernel.
///
/// # Errors
/// [`Error::UnknownControl`], with the nearest name.
pub fn find(name: &str) -> Result<&'static KernelControl, Error> {
    let alias = AnyConfig::named(name).map(|config| config.name());
    let wanted = alias.unwrap_or(name);
    let known = |control: &&KernelControl| wanted == control.algorithm || wanted == control.name;
    CONTROLS.iter().find(known).ok_or_else(|| {
        let names: Vec<_> = CONTROLS.iter().map(|control| control.algorithm).collect();
        let help = if machine::available().iter().any(|known| known == name) {
            format!(
                "the kernel has it itself; Dumbbell's controls are {}",
                suggest::list(&names)
            )
        } else if alias.is_some() {
            format!(
                "it runs only in the simulator; the controls for the kernel are {}",
                suggest::list(&names)
            )
        } else {
            suggest::help(name, "there are", &names)
        };
        Error::UnknownControl {
            name: name.to_owned(),
            help,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_is_found_by_either_of_its_names() {
        for control in controls() {
            assert_eq!(find(control.algorithm).unwrap().name, control.name);
            assert_eq!(find(control.name).unwrap().name, control.name);
        }
    }

    #[test]
    fn the_names_are_valid_in_the_kernel() {
        for control in controls() {
            assert!((4..=15).contains(&control.name.len()), "{}", control.name);
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            assert!(control.name.starts_with("db_") && control.name.chars().all(plain));
        }
        let mut maps: Vec<_> = controls().iter().map(KernelControl::map_name).collect();
        maps.sort();
        maps.dedup();
        assert_eq!(maps.len(), controls().len());
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_one_as_a_suggestion() {
        let said = |name| find(name).unwrap_err().to_string();
        assert!(said("venno").contains("did you mean `veno`?"));
        assert!(said("tahoe").contains("only in the simulator"));
    }
}
