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
    pub(super) fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// Whether the run is sampled.
    pub(super) fn is_sampled(&self) -> bool {
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
mod tests {
    use dumbbell_control::algorithm::reno::Reno;
    use dumbbell_control::controller::Algorithm as _;
    use dumbbell_tcp::recovery::Kind;

    use super::*;
    use dumbbell_scenario::ProbeValue;
    use dumbbell_scenario::controls::Controls;

    const PLAIN: &str = "
        name = \"first\"
        description = \"[probe]\\nseed = 1\\n\"
        duration = \"10 s\"
        seed = 7
        [dumbbell]
        access = { rate = \"10 Mbit/s\", delay = \"1 ms\" }
        bottleneck = { rate = \"1 Mbit/s\", delay = \"20 ms\", queue = { droptail = 9 } }
        [[flow]]
        control = \"veno\"
    ";

    fn scenario(text: &str) -> Scenario {
        Scenario::parse("test", text, &Controls::builtin())
            .unwrap_or_else(|report| panic!("{}", report.render(false)))
    }

    fn key(text: &str) -> Key {
        Key::of(&scenario(text), 1, None).unwrap()
    }

    #[test]
    fn what_cannot_change_a_run_is_left_out() {
        let plain = key(PLAIN);
        for (from, to) in [
            ("name = \"first\"", "name = \"second\""),
            ("name = \"first\"", ""),
            ("seed = 7", "seed = 8"),
            ("seed = 7", ""),
            ("        [dumb", "probe = { interval = \"1 s\" }\n[dumb"),
            ("\"10 s\"", "\"10000 ms\""),
            ("[probe]\\n", ""),
        ] {
            assert!(PLAIN.contains(from));
            assert_eq!(key(&PLAIN.replacen(from, to, 1)), plain, "{from} -> {to}");
        }
    }

    #[test]
    fn what_can_change_a_run_is_kept() {
        let plain = key(PLAIN);
        for (from, to) in [
            ("\"10 s\"", "\"10.000000001 s\""),
            ("1 Mbit/s", "1001 kbit/s"),
            ("droptail = 9", "droptail = 8"),
            ("\"veno\"", "\"reno\""),
            ("\"veno\"", "{ name = \"veno\", beta = 4 }"),
            ("control", "name = \"a\"\ncontrol"),
            ("control", "count = 2\ncontrol"),
        ] {
            assert!(PLAIN.contains(from));
            assert_ne!(key(&PLAIN.replacen(from, to, 1)), plain, "{from} -> {to}");
        }
        assert_ne!(plain.with_seed(2), plain);
        assert_eq!(plain.with_seed(2).with_seed(1), plain);
    }

    #[test]
    fn samples_make_another_run() {
        let scenario = scenario(PLAIN);
        let probe = Probe {
            values: vec![ProbeValue::Cwnd],
            ..Probe::default()
        };
        let keys = [None, Some(&scenario.probe), Some(&probe)]
            .map(|probe| Key::of(&scenario, 1, probe).unwrap());
        assert_ne!(keys[0], keys[1]);
        assert_ne!(keys[0], keys[2]);
        assert_ne!(keys[1], keys[2]);
        assert_eq!(keys.map(|key| key.is_sampled()), [false, true, true]);
    }

    #[test]
    fn the_text_is_the_scenario() {
        let whole = scenario(PLAIN);
        let text = key(PLAIN).scenario().to_owned();
        for word in ["first", "description", "seed", "[probe]"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
        let expected = Scenario {
            name: None,
            description: None,
            seed: 1,
            ..whole.clone()
        };
        assert_eq!(scenario(&text), expected);
        let sampled = Key::of(&whole, 1, Some(&whole.probe)).unwrap();
        assert_eq!(scenario(sampled.scenario()), expected);
    }

    #[test]
    fn a_control_of_the_programs_own_has_no_key() {
        let mut controls = Controls::builtin();
        controls
            .register("mine", "", &[Kind::Reno], |path| {
                Box::new(Reno::new(&Default::default(), path))
            })
            .unwrap();
        let text = format!("{PLAIN}\n[[flow]]\ncontrol = \"mine\"");
        let scenario = Scenario::parse("test", &text, &controls).unwrap();
        assert_eq!(Key::of(&scenario, 1, None), None);
        assert_eq!(Key::of(&scenario, 1, Some(&scenario.probe)), None);
    }
}
