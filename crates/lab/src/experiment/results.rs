//! What an experiment's runs gave.

use dumbbell_run::Series;
use dumbbell_run::csv::quoted;
use dumbbell_run::outcome::Outcome;
use dumbbell_run::statistics::Estimate;

use super::reading::Reader;
use super::{Experiment, Marks, Panel, Point, Samples, samples};
use crate::claim::{self, Claim, Judgement};
use crate::figure::{Curve, Figure, Kind};

/// What was measured, and what was sampled for the drawings over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// For each measure, curve and x, one number a seed: what the run gave by itself.
    alone: Vec<Vec<Vec<Vec<f64>>>>,
    /// The same as the measure has it. Of one that is over a curve, of those seeds that both have run.
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

    /// Of what was measured alone: for each measure, curve and x, one number a seed.
    #[cfg(test)]
    pub(super) fn of_values(values: Vec<Vec<Vec<Vec<f64>>>>) -> Self {
        let (traces, marks) = (Vec::new(), Vec::new());
        Self {
            alone: Vec::new(),
            values,
            traces,
            marks,
        }
    }

    /// Nothing measured yet.
    pub fn new(experiment: &Experiment) -> Self {
        let xs = vec![Vec::new(); experiment.xs().len()];
        let nothing = vec![vec![xs; experiment.series.len()]; experiment.measures.len()];
        Self {
            alone: nothing.clone(),
            values: nothing,
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
            .alone
            .first()
            .is_none_or(|v| v[point.series][point.x].is_empty());
        for (measure, number) in numbers.into_iter().enumerate() {
            self.alone[measure][point.series][point.x].push(number);
            if experiment.measures[measure].over.is_some() {
                self.divide(experiment, measure, point);
            } else {
                self.values[measure][point.series][point.x].push(number);
            }
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

impl Results {
    /// Divides what is known of a measure in a point by what is known of the curve that it is over, and
    /// what is known of those curves there that are over the point's. The runs of either may come first.
    fn divide(&mut self, experiment: &Experiment, measure: usize, Point { series, x, .. }: &Point) {
        let alone = &self.alone[measure];
        let scale = experiment.measures[measure].scale;
        for (curve, values) in self.values[measure].iter_mut().enumerate() {
            match experiment.over(measure, curve) {
                Some(over) if curve == *series || over == *series => {
                    let pairs = alone[curve][*x].iter().zip(&alone[over][*x]);
                    // Both have been scaled already.
                    values[*x] = pairs.map(|(number, by)| number / by * scale).collect();
                }
                None if curve == *series => values[*x].push(f64::NAN),
                _ => {}
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
    /// The curve that a measure of a curve is over, if it is: the one that stands for its name, or the one
    /// that has it.
    pub(super) fn over(&self, measure: usize, series: usize) -> Option<usize> {
        let over = self.measures[measure].over.as_ref()?;
        let over = self.series[series].over.get(over).unwrap_or(over);
        self.series.iter().position(|series| series.name == *over)
    }

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
            rows: self.rows(panel),
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
            rows: None,
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
        let variant = &self.series[series];
        let declared = variant.row.as_ref().map(|(name, _)| name);
        let of = |name: &String| *name == variant.name || Some(name) == declared;
        panel.series.is_empty() || panel.series.iter().any(of)
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

#[cfg(test)]
mod tests {
    use super::super::tests::{DESCRIPTION, SCENARIO};
    use dumbbell_run::Run;

    use super::*;
    use crate::claim::Verdict;

    /// What was sent by A and B in the two places, in runs of two seeds, as they are told: curve, place,
    /// packets.
    const RUNS: [(usize, usize, u64); 8] = [
        (0, 0, 30),
        (0, 1, 70),
        (0, 0, 50),
        (0, 1, 90),
        (1, 0, 10),
        (1, 1, 100),
        (1, 0, 20),
        (1, 1, 300),
    ];

    fn results(runs: impl Iterator<Item = (usize, usize, u64)>) -> (Experiment, Results) {
        let over = "measure = [{ name = \"t\", label = \"t\", quantity = \"sent\", over = \"B\", scale = 100 }, { name = \"s\", label = \"s\", quantity = \"sent\", scale = 2 }]";
        let measure = "measure = [{ name = \"t\", label = \"t\", quantity = \"throughput\" }]";
        assert!(DESCRIPTION.contains(measure));
        let description = DESCRIPTION.replace(measure, over);
        let experiment = Experiment::parse(&description, SCENARIO, &toml::Table::new());
        let experiment = experiment.expect("it is right");
        let points = experiment.points(1).expect("every point is a scenario");
        let done = Run::new(&points[0].scenario).seed(1).go();
        let mut outcome = done.expect("nothing interrupts it").outcome;
        let mut results = Results::new(&experiment);
        for (series, x, sent) in runs {
            let point = points.iter().find(|p| (p.series, p.x) == (series, x));
            outcome.flows[0].sent = sent;
            results.add(&experiment, point.expect("it is there"), &outcome, &[]);
        }
        (experiment, results)
    }

    #[test]
    fn a_measure_over_a_curve_compares_runs_of_one_place_and_seed() {
        let (experiment, found) = results(RUNS.into_iter());
        // 30 / 10 and 50 / 20, 70 / 100 and 90 / 300, in percent.
        assert_eq!(found.values(0, 0, 0), [300.0, 250.0]);
        assert_eq!(found.values(0, 0, 1), [70.0, 30.0]);
        assert_eq!(found.values(0, 1, 1), [100.0, 100.0]);
        // The other measure is what the runs gave.
        assert_eq!(found.values(1, 0, 0), [60.0, 100.0]);
        // Drawings, tables and claims have the quotient: A is 175 % above B where the loss is 0.1.
        let mean = experiment.figure(0, &found).series[0].points[0].1.mean;
        assert_eq!(mean, 275.0);
        let judgement = experiment.judge(&experiment.claims[0], &found);
        assert_eq!(judgement.verdict, Verdict::Partly);
        assert!(judgement.here.starts_with("+175.0"), "{}", judgement.here);
        let csv = experiment.runs_csv(&found, 1);
        assert!(csv.contains("\nA,0.2,2,30,180\n"), "{csv}");
    }

    #[test]
    fn which_curve_runs_first_makes_no_difference() {
        let in_order = results(RUNS.into_iter()).1;
        let other_way = results(RUNS[4..].iter().chain(&RUNS[..4]).copied()).1;
        assert_eq!(in_order, other_way);
        // Without its counterpart a run has no number.
        let half = results(RUNS[..5].iter().copied()).1;
        assert_eq!(half.values(0, 0, 0), [300.0]);
        assert_eq!(half.values(0, 0, 1), [0.0; 0]);
    }
}
