//! Draws the figures of panels.

use dumbbell_run::statistics::Estimate;

use super::marks::Marks;
use super::panel::Shows;
use super::samples::Samples;
use super::trace::Trace;
use super::{Experiment, Panel, Results};
use crate::cube::MeasureId;
use crate::figure::{Curve, Figure, Kind};

impl Experiment {
    /// The figure that a panel shows, by the panel's position; an empty figure if the panel is a
    /// table.
    pub fn figure(&self, panel: usize, results: &Results) -> Figure {
        let drawn = results.drawn(panel);
        let panel = &self.panels[panel];
        match &panel.shows {
            Shows::Curves(measure, _) => self.along(panel, *measure, Kind::Curves, results),
            Shows::Bars(measure, _) => self.along(panel, *measure, Kind::Bars, results),
            Shows::Map(measure, _) => Figure {
                rows: self.rows(),
                ..self.along(panel, *measure, Kind::Map, results)
            },
            Shows::Effects { measure, bars } => self.effects(panel, *measure, *bars, results),
            Shows::OverTime(samples, _) => {
                let mut figure = self.over_time(panel, samples, &drawn.traces);
                if let Some(marks) = &drawn.marks {
                    figure.lanes = marks.lanes(|time| samples.shows(time));
                }
                figure
            }
            Shows::Table(..) | Shows::Choice(_) => self.empty(panel, Kind::Curves),
        }
    }

    /// The epochs that are marked on a panel, by the panel's position; `None` if there are none.
    pub fn marks<'a>(&self, panel: usize, results: &'a Results) -> Option<&'a Marks> {
        results.drawn(panel).marks.as_ref()
    }

    /// A figure along the x axis, without curves.
    fn empty(&self, panel: &Panel, kind: Kind) -> Figure {
        Figure {
            kind,
            title: self.title_of(panel).to_owned(),
            x_label: self.x_label().to_owned(),
            y_label: String::new(),
            log_x: self.x.as_ref().is_some_and(|x| x.log),
            series: Vec::new(),
            names: self.named_places(),
            lanes: Vec::new(),
            rows: None,
            top: None,
        }
    }

    /// A measure at all points.
    fn along(&self, panel: &Panel, measure: MeasureId, kind: Kind, results: &Results) -> Figure {
        let cube = results.cube(self);
        let shown = self.curves().filter(|(_, variant)| panel.has(variant));
        let curves = shown.map(|(curve, variant)| {
            let points = cube.axes().places().zip(self.xs());
            Curve {
                name: variant.name.clone(),
                // A point has no number if the measure refers to flows or losses that do not exist.
                points: points
                    .filter_map(|(place, x)| Some((*x, cube.estimate(measure, curve, place)?)))
                    .collect(),
            }
        });
        Figure {
            y_label: self.measure(measure).label.clone(),
            series: curves.collect(),
            ..self.empty(panel, kind)
        }
    }

    /// Samples over time.
    fn over_time(&self, panel: &Panel, samples: &Samples, traces: &[Trace]) -> Figure {
        let alone = |trace: &Trace| {
            let of_this = |other: &&Trace| other.curve == trace.curve;
            traces.iter().filter(of_this).count() == 1
        };
        let curve = |trace: &Trace| {
            let variant = &self.curve(trace.curve).name;
            Curve {
                name: match &trace.flow {
                    Some(_) if alone(trace) => variant.clone(),
                    Some(flow) if traces.iter().all(|t| t.curve == trace.curve) => flow.clone(),
                    Some(flow) => format!("{variant}: {flow}"),
                    None => variant.clone(),
                },
                points: trace.line(),
            }
        };
        let mut series: Vec<Curve> = traces.iter().map(curve).collect();
        series.extend(reference_line(samples, traces));
        Figure {
            x_label: "time, s".to_owned(),
            y_label: samples.label.clone(),
            log_x: false,
            names: Vec::new(),
            series,
            ..self.empty(panel, Kind::Curves)
        }
    }

    pub(super) fn title_of<'a>(&'a self, panel: &'a Panel) -> &'a str {
        if panel.title.is_empty() {
            &self.title
        } else {
            &panel.title
        }
    }
}

/// The reference as a curve of the same length as the others, if requested.
fn reference_line(samples: &Samples, traces: &[Trace]) -> Option<Curve> {
    let reference = samples.reference.as_ref()?;
    let end = traces.iter().filter_map(Trace::end).reduce(f64::max)?;
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
