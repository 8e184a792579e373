//! What an experiment's runs gave.

use super::reading::Reader;
use super::{Experiment, Marks, Panel, Point, Samples, samples};
use crate::claim::{self, Claim, Judgement};
use crate::figure::{Curve, Figure, Kind, quoted};
use crate::outcome::Outcome;
use crate::simulation::Series;
use crate::statistics::Estimate;

/// What was measured, and what was sampled for the drawings over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// For each measure, curve and x, one number a seed.
    values: Vec<Vec<Vec<Vec<f64>>>>,
    /// For each panel, what it shows.
    traces: Vec<Vec<Trace>>,
    /// For each panel, the epochs that are marked on it.
    marks: Vec<Option<Marks>>,
}

/// What one curve of a drawing over time is made of.
#[derive(Clone, Debug, PartialEq)]
struct Trace {
    /// The curve of the experiment.
    series: usize,
    /// The flow; none of a sum.
    flow: Option<String>,
    /// Times, and for each the value of each seed.
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
}

impl Trace {
    /// Takes the value of a further seed. A quantity may have its first number at another time there.
    fn add(&mut self, time: f64, value: f64) {
        match self.times.binary_search_by(|known| known.total_cmp(&time)) {
            Ok(place) => self.values[place].push(value),
            Err(place) => {
                self.times.insert(place, time);
                self.values.insert(place, vec![value]);
            }
        }
    }
}

impl Results {
    /// The values of a measure in a point, one a seed.
    pub(super) fn values(&self, measure: usize, series: usize, x: usize) -> &[f64] {
        &self.values[measure][series][x]
    }

    /// Nothing measured yet.
    pub fn new(experiment: &Experiment) -> Self {
        let xs = vec![Vec::new(); experiment.xs().len()];
        Self {
            values: vec![vec![xs; experiment.series.len()]; experiment.measures.len()],
            traces: vec![Vec::new(); experiment.panels.len()],
            marks: vec![None; experiment.panels.len()],
        }
    }

    /// Takes what a run of a point gave. The runs of a point come in the order of their seeds.
    pub fn add(
        &mut self,
        experiment: &Experiment,
        point: &Point,
        outcome: &Outcome,
        series: &[Series],
    ) {
        let reader = experiment.reader(point.series);
        let mut numbers: Vec<f64> = Vec::new();
        for measure in &experiment.measures {
            let other = |name: &str| {
                let place = experiment.measure(name);
                place.map_or(f64::NAN, |place| {
                    numbers.get(place).copied().unwrap_or(f64::NAN)
                })
            };
            numbers.push(measure.of(outcome, series, reader, other));
        }
        let first = self
            .values
            .first()
            .is_none_or(|v| v[point.series][point.x].is_empty());
        for (values, number) in self.values.iter_mut().zip(numbers) {
            values[point.series][point.x].push(number);
        }
        let drawn = self.traces.iter_mut().zip(&mut self.marks);
        for (panel, (traces, marks)) in experiment.panels.iter().zip(drawn) {
            let Some(wanted) = &panel.samples else {
                continue;
            };
            let here = wanted.at.unwrap_or(experiment.xs()[0]) == experiment.xs()[point.x];
            if here && experiment.shows(panel, point.series) && (first || !wanted.each) {
                trace(wanted, point.series, reader, outcome, series, traces);
                if let Some(marking) = &wanted.epochs {
                    *marks = Some(Marks::of(marking, &wanted.flows, outcome, series));
                }
            }
        }
    }
}

/// Takes the samples of a run.
fn trace(
    wanted: &Samples,
    series: usize,
    reader: Reader<'_>,
    outcome: &Outcome,
    sampled: &[Series],
    traces: &mut Vec<Trace>,
) {
    let Some(quantity) = wanted.quantity.probe(reader) else {
        return;
    };
    let flows = samples::chosen(&wanted.flows, outcome);
    let mut take = |flow: Option<String>, points: Vec<(f64, f64)>| {
        let known = traces
            .iter_mut()
            .find(|t| t.series == series && t.flow == flow);
        match known {
            Some(trace) => {
                for (time, value) in points {
                    trace.add(time, value * wanted.scale);
                }
            }
            None => traces.push(Trace {
                series,
                flow,
                times: points.iter().map(|(time, _)| *time).collect(),
                values: points.iter().map(|(_, v)| vec![v * wanted.scale]).collect(),
            }),
        }
    };
    if wanted.each {
        for flow in flows {
            let name = outcome.flows[flow].name.clone();
            take(
                Some(name),
                wanted.shown(samples::of_flow(sampled, flow, quantity)),
            );
        }
    } else {
        take(
            None,
            wanted.shown(samples::summed(sampled, &flows, quantity)),
        );
    }
}

impl Experiment {
    /// The figure that a panel shows, by the panel's place.
    pub fn figure(&self, panel: usize, results: &Results) -> Figure {
        let traces = &results.traces[panel];
        let marks = self.marks(panel, results);
        let panel = &self.panels[panel];
        let title = self.title_of(panel);
        let measure = panel.measure.as_ref().or(panel.effects.as_ref());
        let measure = measure.map(|name| self.measure(name).expect("checked when it was read"));
        match (measure, &panel.effects) {
            (Some(measure), Some(_)) => self.effects(title, measure, panel, results),
            (Some(measure), None) => self.sweep(title, measure, panel, results),
            (None, _) => {
                let mut figure = self.over_time(title, panel.samples.as_ref(), traces);
                if let (Some(samples), Some(marks)) = (&panel.samples, marks) {
                    figure.lanes = marks.lanes(|time| samples.shows(time));
                }
                figure
            }
        }
    }

    /// The epochs that are marked on a panel, by the panel's place.
    pub fn marks<'a>(&self, panel: usize, results: &'a Results) -> Option<&'a Marks> {
        results.marks[panel].as_ref()
    }

    /// A measure of all points.
    fn sweep(&self, title: &str, measure: usize, panel: &Panel, results: &Results) -> Figure {
        let values = self.series.iter().zip(&results.values[measure]).enumerate();
        let shown = values.filter(|(series, _)| self.shows(panel, *series));
        let curve = |(_, (variant, values)): (usize, (&super::Variant, &Vec<Vec<f64>>))| Curve {
            name: variant.name.clone(),
            points: self
                .xs()
                .iter()
                .zip(values)
                .filter_map(|(x, values)| {
                    // No number where it speaks of flows or losses that are not there.
                    let mut values = values.clone();
                    values.retain(|value| value.is_finite());
                    Some((*x, Estimate::of(&values)?))
                })
                .collect(),
        };
        Figure {
            kind: panel.kind,
            title: title.to_owned(),
            x_label: self.x_label().to_owned(),
            y_label: self.measures[measure].label.clone(),
            log_x: self.x.as_ref().is_some_and(|x| x.log),
            series: shown.map(curve).collect(),
            names: self.named_places(),
            lanes: Vec::new(),
        }
    }

    /// What was sampled over time.
    fn over_time(&self, title: &str, samples: Option<&Samples>, traces: &[Trace]) -> Figure {
        let alone = |trace: &Trace| {
            let of_this = |other: &&Trace| other.series == trace.series;
            traces.iter().filter(of_this).count() == 1
        };
        let curve = |trace: &Trace| {
            let variant = &self.series[trace.series].name;
            let points = trace.times.iter().zip(&trace.values);
            Curve {
                name: match &trace.flow {
                    Some(_) if alone(trace) => variant.clone(),
                    Some(flow) if traces.iter().all(|t| t.series == trace.series) => flow.clone(),
                    Some(flow) => format!("{variant}: {flow}"),
                    None => variant.clone(),
                },
                points: points
                    .filter_map(|(time, values)| Some((*time, Estimate::of(values)?)))
                    .collect(),
            }
        };
        let mut series: Vec<Curve> = traces.iter().map(curve).collect();
        series.extend(samples.and_then(|samples| self.reference_line(samples, traces)));
        Figure {
            kind: Kind::Curves,
            title: title.to_owned(),
            x_label: "time, s".to_owned(),
            y_label: samples.map_or_else(String::new, |samples| samples.label.clone()),
            log_x: false,
            series,
            names: Vec::new(),
            lanes: Vec::new(),
        }
    }

    /// The reference as a curve as long as the others, where it is wanted.
    fn reference_line(&self, samples: &Samples, traces: &[Trace]) -> Option<Curve> {
        let reference = self.reference.as_ref().filter(|_| samples.reference)?;
        let ends = traces.iter().filter_map(|trace| trace.times.last());
        let end = ends.copied().reduce(f64::max)?;
        let point = |(time, value): (f64, f64)| {
            let mean = value * samples.scale;
            let half_width = None;
            (time, Estimate { mean, half_width })
        };
        let corners = reference.corners(samples.from, end);
        Some(Curve {
            name: reference.name.clone(),
            points: corners.into_iter().map(point).collect(),
        })
    }

    pub(super) fn title_of<'a>(&'a self, panel: &'a Panel) -> &'a str {
        if panel.title.is_empty() {
            &self.title
        } else {
            &panel.title
        }
    }

    pub(super) fn shows(&self, panel: &Panel, series: usize) -> bool {
        panel.series.is_empty() || panel.series.contains(&self.series[series].name)
    }

    /// What the results say of a claim.
    pub fn judge(&self, claim: &Claim, results: &Results) -> Judgement {
        let measure = self
            .measure_of(claim.measure.as_deref())
            .expect("checked when it was read");
        claim.test.judge(&claim::Table {
            series: self.series.iter().map(|s| s.name.as_str()).collect(),
            xs: self.xs(),
            values: &results.values[measure],
        })
    }

    /// One line a run: curve, x, seed and every measure.
    pub fn runs_csv(&self, results: &Results, seed: u64) -> String {
        let mut text = "series".to_owned();
        if let Some(x) = &self.x {
            text += &format!(",{}", quoted(&x.label));
        }
        text += ",seed";
        for measure in &self.measures {
            text += &format!(",{}", quoted(&measure.label));
        }
        text.push('\n');
        for (s, variant) in self.series.iter().enumerate() {
            for x in 0..self.xs().len() {
                for run in 0..self.repeat {
                    text += &quoted(&variant.name);
                    if self.x.is_some() {
                        text += &format!(",{}", quoted(&self.place(x)));
                    }
                    text += &format!(",{}", seed.wrapping_add(run));
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
