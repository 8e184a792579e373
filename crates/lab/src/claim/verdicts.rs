//! Recorded verdicts: the known results of a reproduction with the default seed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use super::Verdict;

/// Verdicts by the experiment's name and the claim's id, and the settings of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Verdicts {
    /// The settings.
    pub settings: Settings,
    #[serde(flatten)]
    experiments: BTreeMap<String, BTreeMap<String, Verdict>>,
}

/// Settings on which a verdict may depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
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

    /// Parses the output of [`Verdicts::write`].
    ///
    /// # Errors
    /// A message that says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
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
        assert_eq!(Verdicts::parse(&text), Ok(some()));
        let unknown = text.replace("partly", "perhaps");
        assert!(Verdicts::parse(&unknown).is_err());
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
