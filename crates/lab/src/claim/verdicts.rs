//! Recorded verdicts: the known results of a reproduction with the default seed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Verdict;
use crate::description::{self, Keys, Malformed};

/// Verdicts by the experiment's name and the claim's id, and the settings of the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdicts {
    /// The settings.
    pub settings: Settings,
    experiments: BTreeMap<String, BTreeMap<String, Verdict>>,
}

/// Settings on which a verdict may depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The first seed.
    pub seed: u64,
    /// Whether it is a quick reproduction, with fewer points and fewer seeds.
    pub quick: bool,
}

/// A verdict that differs from the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The experiment's name.
    pub experiment: String,
    /// The claim's id.
    pub claim: String,
    /// The recorded verdict; `None` if the claim is new.
    pub recorded: Option<Verdict>,
    /// The current verdict.
    pub found: Verdict,
}

impl Verdicts {
    /// Creates an empty record.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            experiments: BTreeMap::new(),
        }
    }

    /// Parses the output of [`Verdicts::write`]. `file` is the name under which mistakes are
    /// reported.
    ///
    /// # Errors
    /// [`Malformed`] with every mistake and its place.
    pub fn parse(file: &str, text: &str) -> Result<Self, Malformed> {
        description::read(file, text, read)
    }

    /// Whether there is no verdict.
    pub fn is_empty(&self) -> bool {
        self.experiments.values().all(BTreeMap::is_empty)
    }

    /// The verdicts as TOML, with one table per experiment.
    pub fn write(&self) -> String {
        let Settings { seed, quick } = self.settings;
        let mut text = format!("[settings]\nseed = {seed}\nquick = {quick}\n");
        for (experiment, claims) in &self.experiments {
            // The name of a trial has a dot.
            let quote = if experiment.contains('.') { "\"" } else { "" };
            let _ = writeln!(text, "\n[{quote}{experiment}{quote}]");
            for (claim, verdict) in claims {
                let _ = writeln!(text, "{claim} = \"{verdict}\"");
            }
        }
        text
    }

    /// Adds a verdict.
    pub fn insert(&mut self, experiment: &str, claim: &str, verdict: Verdict) {
        self.experiments
            .entry(experiment.to_owned())
            .or_default()
            .insert(claim.to_owned(), verdict);
    }

    /// Returns a verdict, if there is one.
    pub fn get(&self, experiment: &str, claim: &str) -> Option<Verdict> {
        self.experiments.get(experiment)?.get(claim).copied()
    }

    /// The verdicts on the claims of an experiment.
    pub fn of(&self, experiment: &str) -> impl Iterator<Item = (&str, Verdict)> {
        let claims = self.experiments.get(experiment).into_iter().flatten();
        claims.map(|(claim, verdict)| (claim.as_str(), *verdict))
    }

    /// All verdicts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, Verdict)> {
        self.experiments.iter().flat_map(|(experiment, claims)| {
            claims
                .iter()
                .map(move |(claim, verdict)| (experiment.as_str(), claim.as_str(), *verdict))
        })
    }

    /// The verdicts that differ from the recorded ones.
    pub fn changes(&self, recorded: &Self) -> Vec<Change> {
        let differing = self.iter().filter_map(|(experiment, claim, found)| {
            let recorded = recorded.get(experiment, claim);
            (recorded != Some(found)).then(|| Change {
                experiment: experiment.to_owned(),
                claim: claim.to_owned(),
                recorded,
                found,
            })
        });
        differing.collect()
    }
}

fn read(keys: &Keys<'_>) -> Option<Verdicts> {
    let settings = keys.find("settings").and_then(|node| {
        let keys = node.keys("`settings`")?;
        let seed = keys.need("seed", "1").and_then(|node| node.whole());
        let quick = keys.need("quick", "false").and_then(|node| node.flag());
        keys.done();
        Some(Settings {
            seed: seed?,
            quick: quick?,
        })
    });
    let mut verdicts = Verdicts::new(Settings {
        seed: 0,
        quick: false,
    });
    let mut whole = true;
    for (name, node) in keys.entries() {
        if name.name() == "settings" {
            continue;
        }
        let claims = node.keys("a figure");
        for (claim, node) in claims.iter().flat_map(Keys::entries) {
            match node.word(&Verdict::WORDS) {
                Some(verdict) => verdicts.insert(name.name(), claim.name(), verdict),
                None => whole = false,
            }
        }
        whole &= claims.is_some();
    }
    // Only the settings can be missing: every other key is the name of a figure.
    if keys.find("settings").is_none() {
        keys.wrong(
            "`settings` is missing",
            "the first lines are [settings], seed = 1 and quick = false (or true)",
        );
    }
    verdicts.settings = settings?;
    whole.then_some(verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Verdicts {
        let mut verdicts = Verdicts::new(Settings {
            seed: 1,
            quick: false,
        });
        verdicts.insert("venodb-fig2", "b", Verdict::Fails);
        verdicts.insert("venodb-fig2", "a", Verdict::Holds);
        verdicts.insert("dynamics-fig5", "a", Verdict::Partly);
        verdicts
    }

    #[test]
    fn verdicts_are_written_in_order_and_read_back() {
        let text = some().write();
        assert_eq!(
            text,
            "[settings]\nseed = 1\nquick = false\n\n[dynamics-fig5]\na = \"partly\"\n\n[venodb-fig2]\na = \"holds\"\nb = \"fails\"\n"
        );
        assert_eq!(Verdicts::parse("v.toml", &text), Ok(some()));
        assert!(!some().is_empty() && Verdicts::new(some().settings).is_empty());
    }

    #[test]
    fn mistakes_of_a_record_have_a_place() {
        for (from, to, place, what) in [
            ("\"partly\"", "\"party\"", "v.toml:6:5", "`party`"),
            ("\"partly\"", "\"party\"", "v.toml:6:5", "`partly`"),
            ("seed", "sed", "v.toml:2:1", "did you mean `seed`?"),
            ("seed = 1", "seed = -1", "v.toml:2:8", "at least 0"),
            ("quick = false\n", "", "v.toml:1:1", "`quick` is missing"),
            (
                "[settings]",
                "[setings]",
                "v.toml:1:1",
                "`settings` is missing",
            ),
        ] {
            let text = some().write().replacen(from, to, 1);
            let error = Verdicts::parse("v.toml", &text).expect_err(to).to_string();
            assert!(error.contains(place) && error.contains(what), "{error}");
        }
    }

    #[test]
    fn changes_are_those_that_differ_or_are_new() {
        let mut now = some();
        assert_eq!(now.changes(&some()), []);
        now.insert("venodb-fig2", "a", Verdict::Partly);
        now.insert("venodb-fig2", "c", Verdict::Holds);
        let changes = now.changes(&some());
        let found: Vec<_> = changes
            .iter()
            .map(|c| (c.claim.as_str(), c.recorded, c.found))
            .collect();
        assert_eq!(
            found,
            [
                ("a", Some(Verdict::Holds), Verdict::Partly),
                ("c", None, Verdict::Holds)
            ]
        );
    }
}
