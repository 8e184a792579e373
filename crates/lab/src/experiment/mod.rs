//! Experiments as data: a scenario, what is varied in it, what is measured and drawn, and what the
//! paper claims.
//!
//! An experiment is read from a description (TOML) and the scenario that it varies. Its runs are
//! the product of its curves ([`Variant`]), the values along its axis ([`Sweep`]) and its seeds. What they
//! gave is a [`Cube`](crate::cube::Cube).

mod across;
mod agreement;
mod choice;
mod chosen;
mod classified;
mod curve;
mod drawing;
mod epochs;
mod factorial;
mod grid;
mod marks;
mod measure;
mod panel;
mod quantity;
mod read;
mod readings;
mod reference;
mod results;
mod samples;
mod second;
mod selection;
mod stage;
mod sweep;
mod tabular;
mod trace;
mod window;

use crate::claim::Claim;
use crate::cube::{Axes, CurveId, MeasureId, PlaceId};

pub use crate::description::Malformed;
pub use across::Across;
pub use agreement::{Agreement, AgreementBy};
pub use choice::{Choice, Condition, Goal, Limit};
pub use classified::{Called, Classified, Episodes};
pub use curve::{Reads, Variant};
pub use epochs::{EpochQuantity, EpochSpan, Epochs};
pub use factorial::{Factor, Factorial};
pub use grid::Point;
pub(crate) use grid::set_key;
pub use marks::Marks;
pub use measure::{Measure, Number};
pub use panel::{Curves, Panel, Shows};
pub use quantity::{Quantity, Sampled, Total};
pub use reference::Reference;
pub use results::Results;
pub use samples::{Lines, Samples};
pub use selection::Flows;
pub use sweep::Sweep;
pub use tabular::Tabular;
pub use window::{Near, Reduction, Window};

/// One figure's experiment. What [`Experiment::parse`] returns is possible: every name is of something that
/// is there.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name on the command line: the paper's folder and the figure.
    pub name: String,
    /// The figure's title.
    pub title: String,
    /// Where the paper shows it; of an added one, what it is added to.
    pub source: String,
    /// What one sees, and what had to be assumed, in a few sentences for the report.
    pub about: String,
    /// It is no figure of the paper: ours.
    pub added: bool,
    /// Runs of each point, at least one, with consecutive seeds.
    pub repeat: u64,
    /// What a quick look leaves of it.
    pub quick: Quick,
    /// What is varied along the figure; nothing, where each curve has one point.
    pub x: Option<Sweep>,
    /// What is varied besides, with every place of `x`: each curve that is not fixed is one a value.
    pub y: Option<Sweep>,
    /// Parts whose combinations are curves, too; they come first.
    pub factorial: Option<Factorial>,
    /// The curves, at least one.
    pub series: Vec<Variant>,
    /// What is measured of every run.
    pub measures: Vec<Measure>,
    /// What is drawn.
    pub panels: Vec<Panel>,
    /// What samples are compared with.
    pub reference: Option<Reference>,
    /// What the paper says of it.
    pub claims: Vec<Claim>,
    scenario: toml::Table,
}

/// The smaller experiment of a quick look.
#[derive(Clone, Debug, PartialEq)]
pub struct Quick {
    /// Runs of each point, at least one.
    pub repeat: u64,
    /// Values along the axis, of those of the whole experiment; none: all of them.
    pub values: Vec<f64>,
    /// Values along the second axis, of those of the whole experiment; none: all of them.
    pub rows: Vec<f64>,
}

/// The places of an experiment in which nothing is varied: one, called 0.
const ONE_PLACE: &[f64] = &[0.0];

/// A curve's name as a part of a file's: words with one hyphen between them.
fn slug(name: &str) -> String {
    let name = name.replace('+', " plus ").to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

impl Experiment {
    /// The experiment of a quick look: fewer values and fewer seeds.
    pub fn quick(mut self) -> Self {
        self.repeat = self.quick.repeat;
        if let Some(x) = &mut self.x {
            x.keep(&self.quick.values);
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
        self.x.as_ref().map_or(ONE_PLACE, Sweep::values)
    }

    /// The places along the axis that have names, with them.
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
            || self.panels.iter().any(Panel::is_over_time)
    }

    /// The curve of an id.
    ///
    /// # Panics
    /// If the id is of another experiment, which has more curves.
    pub fn curve(&self, curve: CurveId) -> &Variant {
        &self.series[curve.0]
    }

    /// The place of an id along the axis.
    ///
    /// # Panics
    /// If the id is of another experiment, which has more places.
    pub fn x_of(&self, place: PlaceId) -> f64 {
        self.xs()[place.0]
    }

    /// The measure of an id.
    ///
    /// # Panics
    /// If the id is of another experiment, which has more measures.
    pub fn measure(&self, measure: MeasureId) -> &Measure {
        &self.measures[measure.0]
    }

    /// The curves with their ids.
    fn curves(&self) -> impl Iterator<Item = (CurveId, &Variant)> {
        self.series
            .iter()
            .enumerate()
            .map(|(at, variant)| (CurveId(at), variant))
    }

    /// The axes of what its runs give.
    pub fn axes(&self) -> Axes {
        Axes {
            measures: self.measures.iter().map(|m| m.name.clone()).collect(),
            curves: self.series.iter().map(|s| s.name.clone()).collect(),
            places: self.xs().to_vec(),
            seeds: self.repeat as usize,
        }
    }

    /// The curve that a measure of a curve is over, if it is: the one that stands for its name, or the one
    /// that has it.
    fn over(&self, measure: &Measure, curve: CurveId) -> Option<CurveId> {
        let over = measure.over.as_ref()?;
        let over = self.curve(curve).over.get(over).unwrap_or(over);
        let place = self.series.iter().position(|series| series.name == *over);
        place.map(CurveId)
    }

    /// The curves by whose runs a claim's measure divides, if it does.
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
