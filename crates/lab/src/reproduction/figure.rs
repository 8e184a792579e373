//! A figure with its runs, its panels, and the judgements on its claims.

use crate::claim::{Claim, Judgement, Verdict};
use crate::experiment::{self, Experiment, Marks, Point, Results, Tabular};
use crate::figure::Figure;

/// A figure that has been run. Its panels and judgements are computed once, when it is created.
#[derive(Clone, Debug)]
pub struct ReproducedFigure {
    /// The definition of the figure.
    pub experiment: Experiment,
    /// The scenario of each point.
    pub points: Vec<Point>,
    /// The results of all runs.
    pub results: Results,
    panels: Vec<Panel>,
    judged: Vec<Judged>,
}

/// A drawing or a table of a figure.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The names of its files, without extensions.
    pub stem: String,
    /// Its title; empty if the figure's title is enough.
    pub title: String,
    /// Its contents.
    pub shown: Shown,
}

/// The contents of a panel.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A measure at all points.
    Measured(Figure),
    /// Samples over time.
    Sampled {
        /// The drawing.
        figure: Figure,
        /// Whether it shows means over the seeds, and not one run.
        averaged: bool,
        /// The epochs that are marked above it, if any.
        marks: Option<Marks>,
    },
    /// A table of measures.
    Table(Tabular),
}

/// A claim with its judgement.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The claim.
    pub claim: Claim,
    /// The judgement.
    pub judgement: Judgement,
    /// The recorded verdict for the same settings, if there is one.
    pub recorded: Option<Verdict>,
    /// The points to which it refers, as positions among the figure's points.
    pub points: Vec<usize>,
}

impl ReproducedFigure {
    /// Computes panels and judgements from the results. `recorded` returns the recorded verdict on
    /// a claim.
    pub(super) fn new(
        experiment: Experiment,
        points: Vec<Point>,
        results: Results,
        recorded: impl Fn(&Claim) -> Option<Verdict>,
    ) -> Self {
        let panels = experiment.panels.iter().enumerate();
        let panels = panels.map(|(place, panel)| Panel {
            stem: experiment.file_stem(panel),
            title: panel.title.clone(),
            shown: shown(&experiment, place, panel, &results),
        });
        let judged = experiment.claims.iter().map(|claim| Judged {
            judgement: experiment.judge(claim, &results),
            recorded: recorded(claim),
            points: spoken_of(&experiment, claim, &points),
            claim: claim.clone(),
        });
        Self {
            panels: panels.collect(),
            judged: judged.collect(),
            experiment,
            points,
            results,
        }
    }

    /// Its drawings and tables.
    pub fn panels(&self) -> &[Panel] {
        &self.panels
    }

    /// Its claims, with their judgements.
    pub fn judged(&self) -> &[Judged] {
        &self.judged
    }
}

fn shown(
    experiment: &Experiment,
    place: usize,
    panel: &experiment::Panel,
    results: &Results,
) -> Shown {
    if panel.is_table() {
        return Shown::Table(experiment.tabular(place, results));
    }
    let figure = experiment.figure(place, results);
    if panel.is_over_time() {
        return Shown::Sampled {
            figure,
            averaged: panel.is_averaged(),
            marks: experiment.marks(place, results).cloned(),
        };
    }
    Shown::Measured(figure)
}

/// The points to which a claim refers, by their positions.
fn spoken_of(experiment: &Experiment, claim: &Claim, points: &[Point]) -> Vec<usize> {
    let (mut curves, places) = claim.test.names();
    curves.extend(experiment.compared_with(claim));
    let spoken = |point: &Point| {
        let curve = experiment.curve(point.curve).name.as_str();
        let place = experiment.x_of(point.place);
        // A claim without x values refers to all of them.
        let here = places.is_empty() || places.contains(&place);
        here && (claim.test.is_about_all() || curves.contains(&curve))
    };
    let numbered = points.iter().enumerate();
    numbered
        .filter(|(_, point)| spoken(point))
        .map(|(number, _)| number)
        .collect()
}
