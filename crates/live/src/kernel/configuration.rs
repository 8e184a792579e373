//! A control's parameters as the C struct that its programs read.
//!
//! The values come from the Rust control, so that the papers' values are defined in one place. Each
//! number of the struct has the name of a parameter, or of a value that [`Tuning`] derives from
//! them.

use dumbbell_control::estimate::bandwidth::Tuning;
use dumbbell_control::parameter::{Kind, Setting};
use dumbbell_control::registry::AnyConfig;
use dumbbell_scenario::{setting, suggest};
use libbpf_rs::btf::Btf;

use super::layout::{self, Leaf};
use super::{Error, KernelControl};

/// Numbers of the growth rules for which some controls have no parameter, because they never read
/// them.
const UNREAD: [&str; 2] = ["loss_window", "rto_repeat_halve"];

/// Parses settings into parameters: each has a name and a value as on a command line, "beta" and
/// "4".
///
/// # Errors
/// [`Error::Parameter`] if the control has no such parameter, or the value is not within its range.
pub fn read_settings<N: AsRef<str>, V: AsRef<str>>(
    control: &KernelControl,
    settings: &[(N, V)],
) -> Result<AnyConfig, Error> {
    let mut config = control.config();
    for (name, value) in settings {
        let (name, value) = (name.as_ref(), value.as_ref());
        let wrong = |message, help| Error::Parameter {
            control: control.algorithm,
            message,
            help,
        };
        let Some(parameter) = config.parameters().iter().find(|p| p.name == name) else {
            let names: Vec<_> = config.parameters().iter().map(|p| p.name).collect();
            let help = suggest::help(name, "its parameters are", &names);
            return Err(wrong(format!("no parameter `{name}`"), help));
        };
        let read = setting::read(parameter.kind, value);
        let read = read.map_err(|e| wrong(format!("{name}: {}", e.message), e.help))?;
        let set = config.set(name, read);
        debug_assert_eq!(set, Ok(()), "the reader checks the range");
    }
    Ok(config)
}

/// Returns the bytes of the object's configuration for these parameters.
///
/// # Errors
/// [`Error::Refused`] if the object and the Rust control do not have the same parameters.
pub fn configure(control: &KernelControl, config: &AnyConfig) -> Result<Vec<u8>, Error> {
    let refused = |answer: String| Error::Refused {
        action: format!("set the parameters of {}", control.algorithm),
        answer,
        detail: Vec::new(),
    };
    let btf = Btf::from_raw(control.twin, control.object).map_err(|e| refused(format!("{e:#}")))?;
    let place = btf.and_then(|btf| layout::variable(&btf, ".rodata", "config"));
    let place = place.ok_or_else(|| refused("its object has no configuration".to_owned()))?;
    let mut bytes = vec![0; place.size];
    let derived =
        Tuning::by_name(|name| config.get(name)).map_or_else(Vec::new, |t| t.derived().into());
    for leaf in &place.leaves {
        let parameter = config.parameters().iter().find(|p| p.name == leaf.name);
        let value = match parameter.and_then(|p| Some(word(p.kind, config.get(p.name)?))) {
            Some(value) => value,
            None => match derived.iter().find(|(name, _)| *name == leaf.name) {
                Some((_, value)) => u64::from(*value),
                None if UNREAD.contains(&leaf.name.as_str()) => 0,
                None => return Err(refused(format!("no parameter `{}`", leaf.name))),
            },
        };
        store(&mut bytes, leaf, value);
    }
    match unused(config, &place.leaves) {
        Some(name) => Err(refused(format!("its object has no `{name}`"))),
        None => Ok(bytes),
    }
}

/// Returns the offset of the configuration in the object's read-only data.
pub(super) fn offset(control: &KernelControl) -> Option<usize> {
    let btf = Btf::from_raw(control.twin, control.object).ok()??;
    Some(layout::variable(&btf, ".rodata", "config")?.offset)
}

/// Returns a parameter for which the struct has no number.
fn unused(config: &AnyConfig, leaves: &[Leaf]) -> Option<&'static str> {
    let mut names = config.parameters().iter().map(|p| p.name);
    names.find(|name| leaves.iter().all(|leaf| leaf.name != *name))
}

/// Converts a value to its form in C.
fn word(kind: Kind, value: Setting) -> u64 {
    match value {
        Setting::Segments(segments) => segments.raw(),
        Setting::Duration(span) => span.as_nanos(),
        Setting::Count(count) => count.into(),
        Setting::Ratio(ratio) => ratio.millionths().into(),
        Setting::Flag(flag) => flag.into(),
        Setting::Choice(word) => match kind {
            Kind::Choice(words) => words.iter().position(|w| *w == word).unwrap_or(0) as u64,
            _ => 0,
        },
    }
}

fn store(bytes: &mut [u8], leaf: &Leaf, value: u64) {
    let place = &mut bytes[leaf.offset..leaf.offset + leaf.size];
    match leaf.size {
        1 => place.copy_from_slice(&(value as u8).to_ne_bytes()),
        4 => place.copy_from_slice(&(value as u32).to_ne_bytes()),
        _ => place.copy_from_slice(&value.to_ne_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{controls, find};

    #[test]
    fn every_object_takes_the_parameters_of_its_control() {
        for control in controls() {
            let bytes = configure(control, &control.config()).expect(control.algorithm);
            assert!(bytes.iter().any(|byte| *byte != 0), "{}", control.algorithm);
        }
    }

    #[test]
    fn a_setting_changes_only_its_own_bytes() {
        let veno = find("veno").unwrap();
        let paper = configure(veno, &veno.config()).unwrap();
        let four = read_settings(veno, &[("beta", "4")]).unwrap();
        let four = configure(veno, &four).unwrap();
        let moved: Vec<_> = (0..paper.len()).filter(|&i| paper[i] != four[i]).collect();
        // beta is the last member of the struct: segments << 32 in eight bytes, of which one
        // differs.
        assert_eq!(moved.len(), 1);
        let beta = |bytes: &[u8]| u64::from_ne_bytes(bytes[bytes.len() - 8..].try_into().unwrap());
        assert_eq!((beta(&paper), beta(&four)), (3 << 32, 4 << 32));
    }

    #[test]
    fn invalid_settings_are_refused() {
        let veno = find("veno").unwrap();
        let said = |name, value| {
            read_settings(veno, &[(name, value)])
                .unwrap_err()
                .to_string()
        };
        assert!(said("betta", "4").contains("did you mean `beta`?"));
        assert!(said("beta", "-1").contains("a number of segments from"));
    }
}
