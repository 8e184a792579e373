//! Experiments as data: a scenario, what is varied in it, what is measured and drawn, and what the
//! paper claims.
//!
//! An experiment is read from a description (TOML) and the scenario that it varies. Its runs are
//! the product of its curves ([`Variant`]), the values along its axis ([`Sweep`]) and its seeds.

mod agreement;
mod check;
mod choice;
mod classified;
mod factorial;
mod grid;
mod marks;
mod measure;
mod reading;
mod results;
mod samples;
mod second;
mod tabular;

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::claim::Claim;
use crate::figure::Kind;

pub use agreement::{Agreement, AgreementBy};
pub use choice::{Choice, Condition, Goal};
pub use classified::{Called, Classified, Episodes};
pub use factorial::Factorial;
pub use grid::Point;
pub(crate) use grid::set_key;
pub use marks::{Marking, Marks};
pub use measure::{Across, EpochQuantity, Epochs, Measure, Quantity, Reduction, Window};
pub use reading::Reference;
pub use results::Results;
pub use samples::Samples;
pub use tabular::Tabular;

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
    /// What is varied along the figure; nothing, where each curve has one point.
    #[serde(default)]
    pub x: Option<Sweep>,
    /// What is varied besides, with every place of `x`: each curve that is not fixed becomes one a value.
    #[serde(default)]
    pub y: Option<Sweep>,
    /// Parts whose combinations are curves, too; they come first.
    #[serde(default)]
    pub factorial: Option<Factorial>,
    /// The curves.
    #[serde(default)]
    pub series: Vec<Variant>,
    /// What is measured of every run.
    #[serde(rename = "measure")]
    pub measures: Vec<Measure>,
    /// What is drawn.
    #[serde(rename = "panel")]
    pub panels: Vec<Panel>,
    /// What samples are compared with.
    #[serde(default)]
    pub reference: Option<Reference>,
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
    /// Values along the axis, of those of the whole experiment; all, where none is given.
    #[serde(default)]
    pub values: Vec<f64>,
    /// Values along the second axis, of those of the whole experiment; all, where none is given.
    #[serde(default)]
    pub rows: Vec<f64>,
}

/// What is varied along the axis: a key of the scenario, whose values are those of the axis; or
/// settings of its own for each value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The axis' quantity and unit.
    pub label: String,
    /// The key, as a path of names and numbers with dots between them.
    #[serde(default)]
    pub key: Option<String>,
    /// The places along the axis.
    pub values: Vec<f64>,
    /// Keys and values of each place, where there is no single key.
    #[serde(default)]
    pub places: Vec<toml::Table>,
    /// The places' names, where a number says nothing of them.
    #[serde(default)]
    pub names: Vec<String>,
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
    /// Keys and values; in a description after those of its `protocols`, if it names some.
    #[serde(default)]
    pub set: toml::Table,
    /// Which of the things that are watched in a run this curve shows, where the curves are readings of
    /// the same run: a sampled series, such as `estimate.sarbe`, or a classifier, such as `classify.veno`.
    #[serde(default)]
    pub reads: Option<String>,
    /// What is varied does not concern it: it is the same in all places, and what others are held against.
    #[serde(default)]
    pub fixed: bool,
    /// The curves that stand for the ones that measures are over, by the measures' names for them: of
    /// curves that have their own each.
    #[serde(default)]
    pub over: BTreeMap<String, String>,
    /// Of a curve that a second axis made: the name that the description has, and the value.
    #[serde(skip)]
    pub row: Option<(String, f64)>,
}

/// A drawing: a measure of all points, the effects of a factorial's parts on it, or what was sampled
/// over time in one place; or a table of measures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// What tells it from the experiment's other panels, in the names of its files; nothing where
    /// there is one.
    #[serde(default)]
    pub name: String,
    /// What it shows, where the experiment's title is not enough.
    #[serde(default)]
    pub title: String,
    /// How it is drawn.
    #[serde(default)]
    pub kind: Kind,
    /// The measure's name.
    #[serde(default)]
    pub measure: Option<String>,
    /// The name of the measure on which the parts of the factorial have their effects.
    #[serde(default)]
    pub effects: Option<String>,
    /// What was sampled.
    #[serde(default)]
    pub samples: Option<Samples>,
    /// The names of the measures of a table.
    #[serde(default)]
    pub table: Vec<String>,
    /// A table of all places of two axes, the best of which is looked for.
    #[serde(default)]
    pub choice: Option<Choice>,
    /// The curves that it shows; all, where none is given. Of a map, the one that it shows.
    #[serde(default)]
    pub series: Vec<String>,
}

/// The places of an experiment in which nothing is varied: one, called 0.
const ONE_PLACE: &[f64] = &[0.0];

/// Why an experiment cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(String);

impl Malformed {
    /// Of what is wrong, in words.
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

/// A name that needs no quotes in a file, and none on a command line.
pub(crate) fn is_word(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !name.is_empty() && name.bytes().all(letter)
}

/// A curve's name as a part of a file's: words with one hyphen between them.
fn slug(name: &str) -> String {
    let name = name.replace('+', " plus ").to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Puts the settings of the protocols that a curve names before its own.
fn combine(curve: &mut toml::Table, protocols: &toml::Table) -> Result<(), Malformed> {
    let Some(named) = curve.remove("protocols") else {
        return Ok(());
    };
    let mut all = toml::Table::new();
    for name in named.as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        let set = protocols.get(name).and_then(toml::Value::as_table);
        let set = set.ok_or_else(|| Malformed(format!("there is no protocol `{name}`")))?;
        all.extend(set.clone());
    }
    if let Some(toml::Value::Table(own)) = curve.get("set") {
        all.extend(own.clone());
    }
    curve.insert("set".to_owned(), toml::Value::Table(all));
    Ok(())
}

impl Panel {
    /// It is a table, and no drawing.
    pub fn is_table(&self) -> bool {
        !self.table.is_empty() || self.choice.is_some()
    }
}

impl Experiment {
    /// Reads a description and its scenario. A curve that the description has as a name only is one of
    /// the `protocols`, tables of settings by name.
    ///
    /// # Errors
    /// [`Malformed`] if one of them is not what it should be: an unknown key, or a panel or a claim
    /// that names a measure, a curve or a value which is not there.
    pub fn parse(
        description: &str,
        scenario: &str,
        protocols: &toml::Table,
    ) -> Result<Self, Malformed> {
        let failed = |e: toml::de::Error| Malformed(e.to_string());
        let mut description: toml::Table = description.parse().map_err(failed)?;
        if let Some(toml::Value::Array(series)) = description.get_mut("series") {
            for curve in series {
                if let toml::Value::Table(table) = curve {
                    combine(table, protocols)?;
                }
                let toml::Value::String(name) = &*curve else {
                    continue;
                };
                let set = protocols
                    .get(name)
                    .ok_or_else(|| Malformed(format!("there is no protocol `{name}`")))?;
                let variant = [
                    ("name".to_owned(), toml::Value::String(name.clone())),
                    ("set".to_owned(), set.clone()),
                ];
                *curve = toml::Value::Table(variant.into_iter().collect());
            }
        }
        let mut experiment: Self = description.try_into().map_err(failed)?;
        experiment.scenario = scenario
            .parse()
            .map_err(|e: toml::de::Error| experiment.malformed(&e.to_string()))?;
        experiment.expand()?;
        experiment.expand_rows()?;
        experiment.check()?;
        Ok(experiment)
    }

    /// The experiment of a quick look: fewer values and fewer seeds.
    pub fn quick(mut self) -> Self {
        self.repeat = self.quick.repeat;
        if let (Some(x), false) = (&mut self.x, self.quick.values.is_empty()) {
            let left = |value: &f64| self.quick.values.contains(value);
            let mut stays = x.values.iter().map(left);
            x.places.retain(|_| stays.next().unwrap_or(false));
            let mut stays = x.values.iter().map(left);
            x.names.retain(|_| stays.next().unwrap_or(false));
            x.values = self.quick.values.clone();
        }
        self.keep_rows();
        self
    }

    /// How many runs it takes.
    pub fn runs(&self) -> usize {
        self.series.len() * self.xs().len() * self.repeat as usize
    }

    /// The places along the axis; one, called 0, where nothing is varied.
    pub fn xs(&self) -> &[f64] {
        self.x.as_ref().map_or(ONE_PLACE, |x| &x.values)
    }

    /// The places along the axis that have names, with them.
    pub fn named_places(&self) -> Vec<(f64, String)> {
        let Some(x) = &self.x else {
            return Vec::new();
        };
        let names = x.names.iter().cloned();
        x.values.iter().copied().zip(names).collect()
    }

    /// A place in a table: its name, or its number.
    fn place(&self, x: usize) -> String {
        let name = self.x.as_ref().and_then(|sweep| sweep.names.get(x));
        name.cloned().unwrap_or_else(|| self.xs()[x].to_string())
    }

    /// The quantity and unit of the axis.
    pub fn x_label(&self) -> &str {
        self.x.as_ref().map_or("", |x| &x.label)
    }

    /// The names of a panel's files, without their endings.
    pub fn file_stem(&self, panel: &Panel) -> String {
        if panel.name.is_empty() {
            self.name.clone()
        } else {
            format!("{}-{}", self.name, panel.name)
        }
    }

    /// Whether its runs have to be sampled, as their scenario's probe says.
    pub fn wants_samples(&self) -> bool {
        self.measures.iter().any(Measure::wants_samples)
            || self.panels.iter().any(|panel| panel.samples.is_some())
    }

    fn measure(&self, name: &str) -> Option<usize> {
        self.measures
            .iter()
            .position(|measure| measure.name == name)
    }

    /// The place of a measure; without a name, of the first one.
    fn measure_of(&self, name: Option<&str>) -> Option<usize> {
        name.map_or((!self.measures.is_empty()).then_some(0), |name| {
            self.measure(name)
        })
    }

    /// The curves by whose runs a claim's measure divides, if it does.
    pub fn compared_with(&self, claim: &Claim) -> Vec<&str> {
        let Some(measure) = self.measure_of(claim.measure.as_deref()) else {
            return Vec::new();
        };
        let (named, _) = claim.test.names();
        let spoken = |series: &usize| named.contains(&self.series[*series].name.as_str());
        let over = (0..self.series.len()).filter(spoken);
        let over = over.filter_map(|series| self.over(measure, series));
        over.map(|series| self.series[series].name.as_str())
            .collect()
    }

    fn malformed(&self, what: &str) -> Malformed {
        Malformed(format!("{}: {what}", self.name))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(super) const SCENARIO: &str = "
        duration = \"1 s\"
        [dumbbell]
        access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
        bottleneck = { rate = \"2 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 }, loss = { bernoulli = 0.1 } }
        [[flow]]
        control = \"reno\"
    ";
    pub(super) const DESCRIPTION: &str = "
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

    #[test]
    fn a_curve_may_be_several_protocols_together() {
        let protocols = "P = { duration = \"2 s\", \"flow.0.control\" = \"reno\" }
            Q = { \"flow.0.control\" = \"cubic\" }";
        let protocols: toml::Table = protocols.parse().expect("a table");
        let parse = |curve: &str| {
            let b = "{ name = \"B\", set = { \"flow.0.control\" = \"reno\" } }";
            assert!(DESCRIPTION.contains(b));
            let description = DESCRIPTION.replacen(b, curve, 1);
            Experiment::parse(&description, SCENARIO, &protocols)
        };
        for (curve, duration, control) in [
            (
                "{ name = \"B\", protocols = [\"P\", \"Q\"] }",
                "2 s",
                "cubic",
            ),
            (
                "{ name = \"B\", protocols = [\"P\"], set = { duration = \"3 s\" } }",
                "3 s",
                "reno",
            ),
        ] {
            let scenario = parse(curve).and_then(|e| e.point(1, 0, 1)).expect("right");
            let canonical = scenario.canonical();
            assert!(
                canonical.contains(&format!("\"{duration}\"")),
                "{canonical}"
            );
            assert!(canonical.contains(control), "{canonical}");
        }
        let error = parse("{ name = \"B\", protocols = [\"R\"] }").expect_err("no R");
        assert!(error.to_string().contains("no protocol `R`"), "{error}");
    }

    #[test]
    fn whole_numbers_and_quantities_can_be_varied() {
        for (kind, text) in [
            ("queue.droptail\", whole = true", "droptail = 20"),
            ("rate\", unit = \"Mb/s\"", "20 Mb/s"),
        ] {
            let varied = DESCRIPTION.replacen("loss.bernoulli\"", kind, 1);
            let parse = |text: &str| Experiment::parse(text, SCENARIO, &toml::Table::new());
            let experiment = parse(&varied.replace("0.1", "9").replace("0.2", "20"));
            let scenario = experiment.and_then(|e| e.point(0, 1, 1)).expect("right");
            let canonical = scenario.canonical();
            assert!(canonical.contains(text), "{canonical}");
            // Nothing is rounded in silence.
            if kind.contains("whole") {
                let error = parse(&varied).expect_err("0.1 is no whole number");
                assert!(error.to_string().contains("0.1 is no whole number"));
            }
        }
    }
}
