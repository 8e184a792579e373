//! Experiments as data: a scenario, the settings that are varied, the measures and drawings, and
//! the claims of the paper.
//!
//! An experiment is read from a description (TOML) and the scenario that it varies. Its runs are
//! the product of its curves ([`Variant`]), the values of its x axis ([`Sweep`]) and its seeds.
//! Their results are a [`Cube`](crate::cube::Cube).

mod across;
mod agreement;
mod changes;
mod choice;
mod chosen;
mod classified;
mod curve;
mod drawing;
mod epochs;
mod factorial;
mod grid;
mod link;
mod marks;
mod measure;
mod mutations;
mod null;
mod panel;
mod quantity;
mod range;
mod read;
mod readings;
mod reference;
mod results;
mod samples;
mod second;
mod selection;
mod stage;
mod state;
mod sweep;
mod tabular;
mod texts;
mod trace;
mod window;
mod workload;

use std::sync::Arc;

use dumbbell_scenario::controls::Controls;

use crate::claim::Claim;
use crate::cube::{Axes, CurveId, MeasureId, PlaceId};

pub use crate::description::Malformed;
pub use across::Across;
pub use agreement::{Agreement, AgreementBy};
pub use changes::Changes;
pub use choice::{Choice, Condition, Goal, Limit};
pub use classified::{Called, Classified, Episodes};
pub use curve::{Reads, Variant};
pub use epochs::{EpochQuantity, EpochSpan, Epochs};
pub use factorial::{Factor, Factorial};
pub use grid::Point;
pub(crate) use grid::set_key;
pub use link::{Link, LinkQuantity};
pub use marks::Marks;
pub use measure::{Measure, Number};
pub use null::Null;
pub use panel::{Curves, Panel, Shows};
pub use quantity::{Quantity, Sampled};
pub(crate) use range::Range;
pub use reference::Reference;
pub use results::Results;
pub use samples::{Lines, Samples};
pub use selection::Flows;
pub use state::{Give, States, Stays};
pub use sweep::Sweep;
pub use tabular::Tabular;
pub use texts::Texts;
pub use window::{Near, Reduction, Window};
pub use workload::{Transfers, Workload};

/// The experiment of one figure. What [`Experiment::parse`] returns is consistent: every name
/// refers to something that exists.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name on the command line: the paper's folder and the figure.
    pub name: String,
    /// The figure's title.
    pub title: String,
    /// The figure or section of the paper; for an added figure, the part of the paper that it
    /// extends.
    pub source: String,
    /// What the figure shows and what had to be assumed, in a few sentences for the report.
    pub about: String,
    /// Whether the figure is ours and not the paper's.
    pub added: bool,
    /// Runs of each point, at least one, with consecutive seeds.
    pub repeat: u64,
    /// The subset that a quick reproduction runs.
    pub quick: Quick,
    /// The setting that is varied along the x axis; `None` if each curve has one point.
    pub x: Option<Sweep>,
    /// A second varied setting, combined with every value of `x`: each curve that is not fixed
    /// becomes one curve per value.
    pub y: Option<Sweep>,
    /// Parts whose combinations form additional curves; these come first.
    pub factorial: Option<Factorial>,
    /// The curves, at least one.
    pub series: Vec<Variant>,
    /// The measures of every run.
    pub measures: Vec<Measure>,
    /// The drawings and tables.
    pub panels: Vec<Panel>,
    /// The known quantity with which samples are compared.
    pub reference: Option<Reference>,
    /// The claims of the paper.
    pub claims: Vec<Claim>,
    /// What a reading of the paper's text changes in every scenario; nothing under the one taken.
    changes: Changes,
    /// The controls that its scenarios can name.
    controls: Controls,
    /// Whether each curve has seeds of its own.
    seeds_apart: bool,
    /// The scenario that it varies, without places.
    scenario: toml::Table,
    texts: Arc<Texts>,
}

/// The smaller experiment of a quick reproduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Quick {
    /// Runs of each point, at least one.
    pub repeat: u64,
    /// The values of the x axis, a subset of those of the whole experiment; if empty, all of them.
    pub values: Vec<f64>,
    /// The values of the second axis, a subset of those of the whole experiment; empty: all of
    /// them.
    pub rows: Vec<f64>,
}

/// The x values of an experiment in which nothing is varied: a single 0.
const ONE_PLACE: &[f64] = &[0.0];

/// A curve's name as a part of a file name: words with one hyphen between them.
fn slug(name: &str) -> String {
    let name = name.replace('+', " plus ").to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The name of a figure under a reading of the paper's text.
pub fn trial_name(figure: &str, reading: &str) -> String {
    format!("{figure}.{reading}")
}

impl Experiment {
    /// The same experiment, whose scenarios can name these controls. [`Experiment::parse`] knows the
    /// built-in ones.
    pub fn with_controls(mut self, controls: &Controls) -> Self {
        self.controls = controls.clone();
        self
    }

    /// The texts that it was read from.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Reduces the experiment to that of a quick reproduction, with fewer values and fewer seeds.
    pub fn quick(mut self) -> Self {
        self.repeat = self.quick.repeat;
        if let Some(x) = &mut self.x {
            x.keep(&self.quick.values);
        }
        self.keep_rows();
        self
    }

    /// The experiment under another reading of the paper's text. A verdict within the noise is no
    /// verdict there.
    ///
    /// # Errors
    /// [`Malformed`] if a changed scenario is invalid, or if nothing changes.
    pub(crate) fn under(mut self, reading: &str, changes: &Changes) -> Result<Self, Malformed> {
        let before = self.points(0)?;
        self.changes = changes.clone();
        let mut after = self.points(0)?;
        for (point, before) in after.iter_mut().zip(&before) {
            // The name tells the reading; only the rest counts.
            point.scenario.name.clone_from(&before.scenario.name);
        }
        let same = after.iter().zip(&before);
        if same.clone().all(|(a, b)| a.scenario == b.scenario) {
            return Err(self.malformed(&format!("the reading `{reading}` changes nothing")));
        }
        self.name = trial_name(&self.name, reading);
        for claim in &mut self.claims {
            claim.tried = true;
        }
        Ok(self)
    }

    /// The experiment in which every curve is the baseline. Curves have different seeds, because
    /// equal runs would hide what noise alone can do.
    pub(crate) fn null(mut self, null: &Null) -> Self {
        self.changes = null.changes.clone();
        self.seeds_apart = true;
        for variant in &mut self.series {
            let by = variant.reads.as_ref().and_then(|it| null.reads(&it.name()));
            variant.reads = by.map(Reads::named).or(variant.reads.take());
        }
        self
    }

    /// The first seed of a curve's runs, if that of the experiment is `first`.
    fn seed_of(&self, curve: CurveId, first: u64) -> u64 {
        let apart = if self.seeds_apart { curve.0 as u64 } else { 0 };
        first.wrapping_add(apart.wrapping_mul(self.repeat))
    }

    /// The number of its runs.
    pub fn runs(&self) -> usize {
        self.series.len() * self.xs().len() * self.repeat as usize
    }

    /// The x values; a single 0 if nothing is varied.
    pub fn xs(&self) -> &[f64] {
        self.x.as_ref().map_or(ONE_PLACE, Sweep::values)
    }

    /// The x values that have names, with these names.
    pub fn named_places(&self) -> Vec<(f64, String)> {
        let Some(x) = &self.x else {
            return Vec::new();
        };
        let named = x.values().iter().enumerate();
        named
            .filter_map(|(at, value)| Some((*value, x.name(at)?.to_owned())))
            .collect()
    }

    /// The quantity and unit of the axis.
    pub fn x_label(&self) -> &str {
        self.x.as_ref().map_or("", |x| &x.label)
    }

    /// The file name of a panel, without its extension.
    pub fn file_stem(&self, panel: &Panel) -> String {
        if panel.name.is_empty() {
            self.name.clone()
        } else {
            format!("{}-{}", self.name, panel.name)
        }
    }

    /// Whether its runs have to be sampled by their scenario's probe.
    pub fn wants_samples(&self) -> bool {
        self.measures.iter().any(Measure::wants_samples)
            || self.panels.iter().any(Panel::is_over_time)
    }

    /// The curve with this id.
    ///
    /// # Panics
    /// If the id belongs to another experiment with more curves.
    pub fn curve(&self, curve: CurveId) -> &Variant {
        &self.series[curve.0]
    }

    /// The x value with this id.
    ///
    /// # Panics
    /// If the id belongs to another experiment with more x values.
    pub fn x_of(&self, place: PlaceId) -> f64 {
        self.xs()[place.0]
    }

    /// The measure with this id.
    ///
    /// # Panics
    /// If the id belongs to another experiment with more measures.
    pub fn measure(&self, measure: MeasureId) -> &Measure {
        &self.measures[measure.0]
    }

    /// The curves and their ids.
    fn curves(&self) -> impl Iterator<Item = (CurveId, &Variant)> {
        self.series
            .iter()
            .enumerate()
            .map(|(at, variant)| (CurveId(at), variant))
    }

    /// The axes of its results.
    pub fn axes(&self) -> Axes {
        Axes {
            measures: self.measures.iter().map(|m| m.name.clone()).collect(),
            curves: self.series.iter().map(|s| s.name.clone()).collect(),
            places: self.xs().to_vec(),
            seeds: self.repeat as usize,
        }
    }

    /// The curve by which a measure of `curve` is divided, if it is: the curve that replaces the
    /// name in the measure's `over`, or otherwise the curve with that name.
    fn over(&self, measure: &Measure, curve: CurveId) -> Option<CurveId> {
        let over = measure.over.as_ref()?;
        let over = self.curve(curve).over.get(over).unwrap_or(over);
        let place = self.series.iter().position(|series| series.name == *over);
        place.map(CurveId)
    }

    /// The curves by which a claim's measure is divided, if it is.
    pub fn compared_with(&self, claim: &Claim) -> Vec<&str> {
        let (named, _) = claim.test.names();
        let spoken = |(_, variant): &(CurveId, &Variant)| named.contains(&variant.name.as_str());
        let measure = self.measure(claim.measure);
        let over = self.curves().filter(spoken);
        let over = over.filter_map(|(curve, _)| self.over(measure, curve));
        over.map(|curve| self.curve(curve).name.as_str()).collect()
    }

    fn malformed(&self, what: &str) -> Malformed {
        Malformed::new(format!("{}: {what}", self.name))
    }
}

#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod tests;
