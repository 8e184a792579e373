//! What an experiment's runs gave.

use super::{Experiment, Panel, Point};
use crate::claim::{self, Claim, Judgement};
use crate::figure::{Curve, Figure, quoted};
use crate::outcome::Outcome;
use crate::statistics::Estimate;

/// The measured values: for each measure, curve and x, one a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    values: Vec<Vec<Vec<Vec<f64>>>>,
}

impl Results {
    /// Nothing measured yet.
    pub fn new(experiment: &Experiment) -> Self {
        let xs = vec![Vec::new(); experiment.x.values.len()];
        Self {
            values: vec![vec![xs; experiment.series.len()]; experiment.measures.len()],
        }
    }

    /// Takes what a run of a point gave. The runs of a point come in the order of their seeds.
    pub fn add(&mut self, experiment: &Experiment, point: &Point, outcome: &Outcome) {
        for (measure, values) in experiment.measures.iter().zip(&mut self.values) {
            values[point.series][point.x].push(measure.of(outcome));
        }
    }
}

impl Experiment {
    /// The figure that a panel shows.
    pub fn figure(&self, panel: &Panel, results: &Results) -> Figure {
        let measure = self
            .measure(&panel.measure)
            .expect("checked when it was read");
        let series = self.series.iter().zip(&results.values[measure]);
        let curve = |(variant, values): (&super::Variant, &Vec<Vec<f64>>)| Curve {
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
            y_label: self.measures[measure].label.clone(),
            log_x: self.x.log,
            series: series.map(curve).collect(),
        }
    }

    /// What the results say of a claim.
    pub fn judge(&self, claim: &Claim, results: &Results) -> Judgement {
        let measure = self
            .measure_of(claim.measure.as_deref())
            .expect("checked when it was read");
        claim.test.judge(&claim::Table {
            series: self.series.iter().map(|s| s.name.as_str()).collect(),
            xs: &self.x.values,
            values: &results.values[measure],
        })
    }

    /// One line a run: curve, x, seed and every measure.
    pub fn runs_csv(&self, results: &Results, seed: u64) -> String {
        let mut text = format!("series,{},seed", quoted(&self.x.label));
        for measure in &self.measures {
            text += &format!(",{}", quoted(&measure.label));
        }
        text.push('\n');
        for (s, variant) in self.series.iter().enumerate() {
            for (x, value) in self.x.values.iter().enumerate() {
                for run in 0..self.repeat {
                    let seed = seed.wrapping_add(run);
                    text += &format!("{},{value},{seed}", quoted(&variant.name));
                    for values in &results.values {
                        match values[s][x].get(run as usize) {
                            Some(number) => text += &format!(",{number}"),
                            None => text.push(','),
                        }
                    }
                    text.push('\n');
                }
            }
        }
        text
    }
}
