//! Experiments as data: a scenario, what is varied in it, what is drawn, and what the paper says.

use std::fmt;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;

use crate::batch;
use crate::controls::Controls;
use crate::figure::{Curve, Figure};
use crate::outcome::Outcome;
use crate::scenario::Scenario;
use crate::simulation;
use crate::statistics::Estimate;

/// One figure's experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name on the command line: the paper's folder and the figure.
    pub name: String,
    /// The figure's title.
    pub title: String,
    /// Where the paper shows it.
    pub source: String,
    /// Runs of each point, with consecutive seeds.
    pub repeat: u64,
    /// What is varied along the figure.
    pub x: Sweep,
    /// What is drawn.
    pub y: Measure,
    /// The curves.
    pub series: Vec<Variant>,
    /// Gains that the paper prints.
    #[serde(default)]
    pub gain: Vec<Gain>,
    #[serde(skip)]
    scenario: toml::Table,
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
    /// The axis is logarithmic.
    #[serde(default)]
    pub log: bool,
}

/// What is measured of a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The axis' quantity and unit.
    pub label: String,
    /// Which number.
    pub quantity: Quantity,
    /// What it is multiplied by.
    pub scale: f64,
}

/// A number of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The flows' throughput together, in bit/s.
    Throughput,
    /// The flows' goodput together, in bit/s.
    Goodput,
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

/// A gain of one curve over another in a place, as the paper prints it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gain {
    /// The better curve.
    pub of: String,
    /// The other one.
    pub over: String,
    /// The place.
    pub x: f64,
    /// The paper's number, in percent.
    pub paper: f64,
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

/// A point of the figure: the scenario that gives it.
pub struct Point {
    /// The curve's number.
    pub series: usize,
    /// The number of its value of x.
    pub x: usize,
    /// The scenario.
    pub scenario: Scenario,
}

/// The measured values: for each curve and each x, one a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    values: Vec<Vec<Vec<f64>>>,
}

impl Experiment {
    /// Reads a description and its scenario.
    ///
    /// # Errors
    /// [`Malformed`] if one of them is not what it should be.
    pub fn parse(description: &str, scenario: &str) -> Result<Self, Malformed> {
        let mut experiment: Self =
            toml::from_str(description).map_err(|e| Malformed(e.to_string()))?;
        experiment.scenario = scenario
            .parse()
            .map_err(|e: toml::de::Error| Malformed(format!("{}: {e}", experiment.name)))?;
        Ok(experiment)
    }

    /// All points, curve by curve.
    ///
    /// # Errors
    /// [`Malformed`] if a key does not exist or a point is not a scenario.
    pub fn points(&self) -> Result<Vec<Point>, Malformed> {
        let mut points = Vec::new();
        for (series, variant) in self.series.iter().enumerate() {
            for (x, value) in self.x.values.iter().enumerate() {
                let mut table = self.scenario.clone();
                for (key, value) in &variant.set {
                    self.set(&mut table, key, value.clone())?;
                }
                self.set(&mut table, &self.x.key, toml::Value::Float(*value))?;
                let text = table.to_string();
                let scenario = Scenario::parse(&self.name, &text, &Controls::builtin())
                    .map_err(|e| Malformed(e.render(false)))?;
                points.push(Point {
                    series,
                    x,
                    scenario,
                });
            }
        }
        Ok(points)
    }

    /// How many runs it takes.
    pub fn runs(&self) -> usize {
        self.series.len() * self.x.values.len() * self.repeat as usize
    }

    /// Runs all points with the seeds from `seed` on. `progress` is told of every finished run.
    /// Answers nothing if it was interrupted.
    ///
    /// # Errors
    /// [`Malformed`] if a point is not a scenario.
    pub fn run(
        &self,
        seed: u64,
        threads: usize,
        interrupted: &AtomicBool,
        mut progress: impl FnMut(),
    ) -> Result<Option<Results>, Malformed> {
        let points = self.points()?;
        let repeat = self.repeat as usize;
        let mut values = vec![vec![Vec::new(); self.x.values.len()]; self.series.len()];
        let mut done = 0;
        let job = |index: usize| {
            let point = &points[index / repeat];
            let seed = seed.wrapping_add((index % repeat) as u64);
            simulation::run(&point.scenario, seed, interrupted)
        };
        batch::in_order(self.runs(), threads, interrupted, job, |index, outcome| {
            let point = &points[index / repeat];
            values[point.series][point.x].push(self.y.of(&outcome));
            done += 1;
            progress();
        });
        Ok((done == self.runs()).then_some(Results { values }))
    }

    /// The figure that the results give.
    pub fn figure(&self, results: &Results) -> Figure {
        let curve = |(variant, values): (&Variant, &Vec<Vec<f64>>)| Curve {
            name: variant.name.clone(),
            points: self
                .x
                .values
                .iter()
                .zip(values)
                .filter_map(|(x, values)| Some((*x, Estimate::of(values)?)))
                .collect(),
        };
        Figure {
            title: self.title.clone(),
            x_label: self.x.label.clone(),
            y_label: self.y.label.clone(),
            log_x: self.x.log,
            series: self.series.iter().zip(&results.values).map(curve).collect(),
        }
    }

    /// A gain in percent, with the interval of the pairs of runs that share a seed.
    pub fn measured(&self, results: &Results, gain: &Gain) -> Option<Estimate> {
        let x = self.x.values.iter().position(|x| *x == gain.x)?;
        let of = |name: &str| {
            let series = self
                .series
                .iter()
                .position(|variant| variant.name == name)?;
            Some(&results.values[series][x])
        };
        let gains: Vec<f64> = of(&gain.of)?
            .iter()
            .zip(of(&gain.over)?)
            .map(|(a, b)| (a / b - 1.0) * 100.0)
            .collect();
        Estimate::of(&gains)
    }

    fn set(&self, table: &mut toml::Table, key: &str, value: toml::Value) -> Result<(), Malformed> {
        let missing = || {
            Malformed(format!(
                "{}: the scenario has no key `{key}` to set",
                self.name
            ))
        };
        let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
        let mut steps = path.split('.').filter(|step| !step.is_empty());
        let Some(first) = steps.next() else {
            table.insert(last.to_owned(), value);
            return Ok(());
        };
        let mut at = table.get_mut(first).ok_or_else(missing)?;
        for step in steps {
            at = match (at, step.parse::<usize>()) {
                (toml::Value::Array(array), Ok(index)) => array.get_mut(index),
                (toml::Value::Table(table), _) => table.get_mut(step),
                _ => None,
            }
            .ok_or_else(missing)?;
        }
        at.as_table_mut()
            .ok_or_else(missing)?
            .insert(last.to_owned(), value);
        Ok(())
    }
}

impl Measure {
    fn of(&self, outcome: &Outcome) -> f64 {
        let sum: f64 = match self.quantity {
            Quantity::Throughput => outcome.flows.iter().map(|flow| flow.throughput_bps).sum(),
            Quantity::Goodput => outcome.flows.iter().map(|flow| flow.goodput_bps).sum(),
        };
        sum * self.scale
    }
}
