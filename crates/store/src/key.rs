//! The key by which a run is found.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use dumbbell_scenario::controls::Control;
use dumbbell_scenario::rate_controls::Scheme;
use dumbbell_scenario::{Probe, Scenario, Traffic};

/// Identifies a run within one build: everything in its scenario that can change a result, what is
/// sampled, and the seed.
///
/// Scenarios that differ only in their names, descriptions, seeds or probes are equal here. A
/// sampled run differs from the same run without samples, because sampling adds to
/// [`Outcome::events`](dumbbell_run::outcome::Outcome::events). Names of flows, links and nodes are
/// part of the key, because they are in the results. So is the identity of the code of every control
/// that a program adds
/// ([`Added::identified`](dumbbell_scenario::controls::Added::identified)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    hash: [u8; 32],
    text: Arc<str>,
    sampled: bool,
    seed: u64,
}

impl Key {
    /// The key of a run; `None` for a scenario with a control that a program adds, if nothing is
    /// known about its code.
    pub fn of(scenario: &Scenario, seed: u64, probe: Option<&Probe>) -> Option<Self> {
        let text = codes(scenario)? + &text(scenario, probe);
        Some(Self {
            hash: *blake3::hash(text.as_bytes()).as_bytes(),
            text: text.into(),
            sampled: probe.is_some(),
            seed,
        })
    }

    /// The key of the run with another seed, and the same scenario and samples.
    pub fn with_seed(&self, seed: u64) -> Self {
        Self {
            seed,
            ..self.clone()
        }
    }

    /// The scenario: its canonical text without name, description and seed, and without a probe if
    /// nothing is sampled. The text is a valid scenario file. It begins with a comment for each
    /// control that a program adds: [`CODE`], the control's name (after `rate control ` if it is one), a colon, and the hash of its code.
    pub fn scenario(&self) -> &str {
        &self.text
    }

    /// The hash of the scenario's text.
    pub(crate) fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// A number that follows from the scenario alone, for seeds that differ between scenarios.
    pub fn number(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.hash[..8]);
        u64::from_le_bytes(first)
    }

    /// Whether the run is sampled.
    pub(crate) fn is_sampled(&self) -> bool {
        self.sampled
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// The beginning of the lines of a key's text that identify the code of added controls.
pub const CODE: &str = "# code of ";

/// What precedes the name of a rate control in these lines.
const RATE: &str = "rate control ";

/// The lines that identify the code of the scenario's added controls; `None` if a control's code is
/// not known.
fn codes(scenario: &Scenario) -> Option<String> {
    let mut codes = BTreeMap::new();
    for flow in &scenario.flows {
        if let Some(tcp) = flow.traffic.tcp()
            && let Control::Custom(custom) = &tcp.control
        {
            codes.insert(("", tcp.control.name()), custom.code()?);
        }
        if let Traffic::Media(media) = &flow.traffic
            && let Scheme::Custom(custom) = media.control.scheme()
        {
            codes.insert((RATE, media.control.name()), custom.code()?);
        }
    }
    let mut lines = String::new();
    for ((sort, name), code) in codes {
        let code = blake3::Hash::from_bytes(code);
        // Writing to a string does not fail.
        let _ = writeln!(lines, "{CODE}{sort}{name}: {code}");
    }
    Some(lines)
}

fn text(scenario: &Scenario, probe: Option<&Probe>) -> String {
    let bare = Scenario {
        name: None,
        description: None,
        seed: 1,
        probe: probe.cloned().unwrap_or_default(),
        ..scenario.clone()
    };
    // No string in a canonical text contains a line break, so these lines are the keys themselves.
    let mut text = bare.canonical().replacen("\nseed = 1\n", "\n", 1);
    if let (None, Some(end)) = (probe, text.rfind("\n[probe]\n")) {
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests;
