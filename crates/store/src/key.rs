//! What a run is known by.

use std::sync::Arc;

use dumbbell_scenario::controls::Control;
use dumbbell_scenario::{Probe, Scenario, Traffic};

/// What a run is known by within one build: all of its scenario that can change a result, what is
/// sampled, and the seed.
///
/// Two scenarios that differ in their names, descriptions, seeds or probes alone are the same here.
/// A run that is sampled is another one than the same run without samples, because sampling adds
/// to [`Outcome::events`](dumbbell_run::outcome::Outcome::events). Names of flows, links and nodes stay:
/// they are in the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    hash: [u8; 32],
    text: Arc<str>,
    sampled: bool,
    seed: u64,
}

impl Key {
    /// The key of a run; none for a scenario with a control that was registered at run time, since
    /// nothing is known of the program that makes it.
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

    /// The key of another run of the same scenario with the same samples.
    pub fn with_seed(&self, seed: u64) -> Self {
        Self {
            seed,
            ..self.clone()
        }
    }

    /// The scenario: its canonical text without name, description and seed, and without a probe
    /// where nothing is sampled. It is a scenario file itself.
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
    // No string has a line break of its own in a canonical text, so that these are the keys.
    let mut text = bare.canonical().replacen("\nseed = 1\n", "\n", 1);
    if let (None, Some(end)) = (probe, text.rfind("\n[probe]\n")) {
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests;
