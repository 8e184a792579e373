//! The key by which a run is found.

use std::sync::Arc;

use dumbbell_scenario::controls::Control;
use dumbbell_scenario::{Probe, Scenario, Traffic};

/// Identifies a run within one build: everything in its scenario that can change a result, what is
/// sampled, and the seed.
///
/// Scenarios that differ only in their names, descriptions, seeds or probes are equal here. A
/// sampled run differs from the same run without samples, because sampling adds to
/// [`Outcome::events`](dumbbell_run::outcome::Outcome::events). Names of flows, links and nodes are
/// part of the key, because they are in the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    hash: [u8; 32],
    text: Arc<str>,
    sampled: bool,
    seed: u64,
}

impl Key {
    /// The key of a run; `None` for a scenario with a control that was registered at run time,
    /// because nothing is known about its code.
    pub fn of(scenario: &Scenario, seed: u64, probe: Option<&Probe>) -> Option<Self> {
        let custom = |traffic: &Traffic| match traffic {
            Traffic::Tcp(tcp) => matches!(tcp.control, Control::Custom(_)),
            Traffic::Udp(_) | Traffic::Media(_) => false,
        };
        if scenario.flows.iter().any(|flow| custom(&flow.traffic)) {
            return None;
        }
        let text = text(scenario, probe);
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
    /// nothing is sampled. The text is a valid scenario file.
    pub fn scenario(&self) -> &str {
        &self.text
    }

    /// The hash of the scenario's text.
    pub(crate) fn hash(&self) -> &[u8; 32] {
        &self.hash
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
