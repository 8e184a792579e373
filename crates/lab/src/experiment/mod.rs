//! Experiments as data: a scenario, what is varied in it, what is measured and drawn, and what the
//! paper claims.
//!
//! An experiment is read from a description (TOML) and the scenario that it varies. Its runs are
//! the product of its curves ([`Variant`]), the values along its axis ([`Sweep`]) and its seeds.

mod grid;
mod measure;
mod results;

use std::fmt;

use serde::Deserialize;

use crate::claim::Claim;

pub use grid::Point;
pub use measure::{Measure, Quantity};
pub use results::Results;

/// One figure's experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name on the command line: the paper's folder and the figure.
    pub name: String,
    /// The figure's title.
    pub title: String,
    /// Where the paper shows it; of an added one, what it is added to.
    pub source: String,
    /// What one sees, and what had to be assumed, in a few sentences for the report.
    #[serde(default)]
    pub about: String,
    /// It is no figure of the paper: ours.
    #[serde(default)]
    pub added: bool,
    /// Runs of each point, with consecutive seeds.
    pub repeat: u64,
    /// What a quick look leaves of it.
    pub quick: Quick,
    /// What is varied along the figure.
    pub x: Sweep,
    /// The curves.
    pub series: Vec<Variant>,
    /// What is measured of every run.
    #[serde(rename = "measure")]
    pub measures: Vec<Measure>,
    /// What is drawn.
    #[serde(rename = "panel")]
    pub panels: Vec<Panel>,
    /// What the paper says of it.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Claim>,
    #[serde(skip)]
    scenario: toml::Table,
}

/// The smaller experiment of a quick look.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    /// Runs of each point.
    pub repeat: u64,
    /// Values along the axis, of those of the whole experiment.
    pub values: Vec<f64>,
}

/// A key of the scenario and its values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The axis' quantity and unit.
    pub label: String,
    /// The key, as a path of names and numbers with dots between them.
    pub key: String,
    /// Its values.
    pub values: Vec<f64>,
    /// The unit that the scenario wants behind a value, such as `Mb/s`.
    #[serde(default)]
    pub unit: Option<String>,
    /// The scenario wants whole numbers.
    #[serde(default)]
    pub whole: bool,
    /// The axis is logarithmic.
    #[serde(default)]
    pub log: bool,
}

/// A curve: settings of the scenario that all its points share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Keys and values.
    pub set: toml::Table,
}

/// A drawing: a measure of all points.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// What tells it from the experiment's other panels, in the names of its files; nothing where
    /// there is one.
    #[serde(default)]
    pub name: String,
    /// The measure's name.
    pub measure: String,
}

/// Why an experiment cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

/// A name that needs no quotes in a file, and none on a command line.
fn is_word(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !name.is_empty() && name.bytes().all(letter)
}

/// A curve's name as a part of a file's.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            '+' => slug.push_str("plus"),
            _ => slug.push('-'),
        }
    }
    slug
}

/// A name that is there twice.
fn twice(names: impl Iterator<Item = String>) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    let mut names = names;
    names.find(|name| !seen.insert(name.clone()))
}

impl Experiment {
    /// Reads a description and its scenario.
    ///
    /// # Errors
    /// [`Malformed`] if one of them is not what it should be: an unknown key, or a panel or a claim
    /// that names a measure, a curve or a value which is not there.
    pub fn parse(description: &str, scenario: &str) -> Result<Self, Malformed> {
        let mut experiment: Self =
            toml::from_str(description).map_err(|e| Malformed(e.to_string()))?;
        experiment.scenario = scenario
            .parse()
            .map_err(|e: toml::de::Error| experiment.malformed(&e.to_string()))?;
        experiment.check()?;
        Ok(experiment)
    }

    /// The experiment of a quick look: fewer values and fewer seeds.
    pub fn quick(mut self) -> Self {
        self.repeat = self.quick.repeat;
        self.x.values = self.quick.values.clone();
        self
    }

    /// How many runs it takes.
    pub fn runs(&self) -> usize {
        self.series.len() * self.x.values.len() * self.repeat as usize
    }

    /// The names of a panel's files, without their endings.
    pub fn file_stem(&self, panel: &Panel) -> String {
        if panel.name.is_empty() {
            self.name.clone()
        } else {
            format!("{}-{}", self.name, panel.name)
        }
    }

    fn check(&self) -> Result<(), Malformed> {
        let all = &self.x.values;
        if !is_word(&self.name) || self.name == "settings" {
            return Err(self.malformed("a name has the letters a to z, digits and hyphens"));
        }
        if self.repeat == 0 || self.quick.repeat == 0 {
            return Err(self.malformed("`repeat` is at least 1"));
        }
        if all.is_empty() || all.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(self.malformed("the values of x are not in order"));
        }
        let curves = self.series.iter().map(|variant| slug(&variant.name));
        let panels = self.panels.iter().map(|panel| panel.name.clone());
        let claims = self.claims.iter().map(|claim| claim.id.clone());
        if let Some(name) = twice(curves).or(twice(panels)).or(twice(claims)) {
            return Err(self.malformed(&format!("`{name}` is there twice")));
        }
        if let Some(stray) = self.quick.values.iter().find(|x| !all.contains(x)) {
            return Err(self.malformed(&format!("{stray} is not among the values of x")));
        }
        for panel in &self.panels {
            self.measure(&panel.measure)
                .ok_or_else(|| self.malformed(&format!("no measure `{}`", panel.measure)))?;
        }
        for claim in &self.claims {
            let wrong = |what: String| self.malformed(&format!("claim {}: {what}", claim.id));
            let measure = claim.measure.as_deref();
            if self.measure_of(measure).is_none() {
                return Err(wrong("no such measure".to_owned()));
            }
            if !is_word(&claim.id) {
                let letters = "an id has the letters a to z, digits and hyphens";
                return Err(wrong(letters.to_owned()));
            }
            if let Some(mistake) = claim.test.mistake() {
                return Err(wrong(mistake.to_owned()));
            }
            let (series, places) = claim.test.names();
            if let Some(name) = series
                .iter()
                .find(|name| self.series.iter().all(|s| s.name != **name))
            {
                return Err(wrong(format!("no curve `{name}`")));
            }
            if let Some(place) = places.iter().find(|x| !all.contains(x)) {
                return Err(wrong(format!("{place} is not among the values of x")));
            }
        }
        Ok(())
    }

    fn measure(&self, name: &str) -> Option<usize> {
        self.measures
            .iter()
            .position(|measure| measure.name == name)
    }

    /// The place of a measure; without a name, of the only or first one.
    fn measure_of(&self, name: Option<&str>) -> Option<usize> {
        name.map_or((!self.measures.is_empty()).then_some(0), |name| {
            self.measure(name)
        })
    }

    fn malformed(&self, what: &str) -> Malformed {
        Malformed(format!("{}: {what}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = "
        duration = \"1 s\"
        [dumbbell]
        access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
        bottleneck = { rate = \"2 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 }, loss = { bernoulli = 0.1 } }
        [[flow]]
        control = \"reno\"
    ";
    const DESCRIPTION: &str = "
        name = \"a-b\"
        title = \"T\"
        source = \"S\"
        repeat = 2
        quick = { repeat = 1, values = [0.1] }
        x = { label = \"loss\", key = \"dumbbell.bottleneck.loss.bernoulli\", values = [0.1, 0.2] }
        series = [
            { name = \"A\", set = { \"flow.0.control\" = \"veno\" } },
            { name = \"B\", set = { \"flow.0.control\" = \"reno\" } },
        ]
        measure = [{ name = \"t\", label = \"t\", quantity = \"throughput\" }]
        panel = [{ measure = \"t\" }]
        claim = [{ id = \"c\", text = \"t\", source = \"s\", test = { gain = { of = \"A\", over = \"B\", at = 0.1, paper = 9 } } }]
    ";

    fn parse(from: &str, to: &str) -> Result<Experiment, Malformed> {
        assert!(DESCRIPTION.contains(from), "{from}");
        Experiment::parse(&DESCRIPTION.replacen(from, to, 1), SCENARIO)
    }

    #[test]
    fn mistakes_are_found_before_anything_runs() {
        assert!(parse("", "").is_ok());
        for (from, to, what) in [
            ("\"a-b\"", "\"a.b\"", "letters"),
            ("\"a-b\"", "\"settings\"", "letters"),
            ("repeat = 2", "repeat = 0", "at least 1"),
            ("values = [0.1, 0.2]", "values = [0.2, 0.1]", "in order"),
            ("values = [0.1] }", "values = [0.3] }", "0.3"),
            ("\"B\", set", "\"a\", set", "`a` is there twice"),
            (
                "panel = [{ measure = \"t\" }",
                "panel = [{ measure = \"u\" }",
                "`u`",
            ),
            ("id = \"c\"", "id = \"c d\"", "letters"),
            ("over = \"B\"", "over = \"A\"", "itself"),
            ("over = \"B\"", "over = \"C\"", "`C`"),
            ("at = 0.1", "at = 0.15", "0.15"),
            ("paper = 9", "paper = 0", "number"),
            ("repeat = 2", "repeat = 2\n        again = 3", "again"),
        ] {
            match parse(from, to) {
                Err(error) => assert!(error.to_string().contains(what), "{what}: {error}"),
                Ok(_) => panic!("{to} passes"),
            }
        }
    }

    #[test]
    fn whole_numbers_and_quantities_can_be_varied() {
        let loss = "key = \"dumbbell.bottleneck.loss.bernoulli\", values = [0.1, 0.2]";
        for (to, text) in [
            (
                "key = \"dumbbell.bottleneck.queue.droptail\", whole = true, values = [0.1, 20]",
                "droptail = 20",
            ),
            (
                "key = \"dumbbell.bottleneck.rate\", unit = \"Mb/s\", values = [0.1, 4.5]",
                "4500 kb/s",
            ),
        ] {
            // The quick look's and the claim's value; as a whole number, it is 0.
            let experiment = parse(loss, to).expect("it is right");
            let scenario = experiment.point(0, 1, 1).expect("a scenario");
            let canonical = scenario.canonical();
            assert!(canonical.contains(text), "{canonical}");
        }
    }
}
