//! A figure with its runs, what it shows, and what became of its claims.

use crate::claim::{Claim, Judgement, Verdict};
use crate::experiment::{self, Experiment, Marks, Point, Results, Tabular};
use crate::figure::Figure;

/// A figure that has been run. What it shows and how its claims are judged is made when it is, once.
#[derive(Clone, Debug)]
pub struct ReproducedFigure {
    /// What was varied, measured and claimed.
    pub experiment: Experiment,
    /// The scenario of each point.
    pub points: Vec<Point>,
    /// What every run gave.
    pub results: Results,
    panels: Vec<Panel>,
    judged: Vec<Judged>,
}

/// A drawing or a table of a figure.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The names of its files, without their endings.
    pub stem: String,
    /// What it shows, where the figure's title is not enough; else nothing.
    pub title: String,
    /// What it shows.
    pub shown: Shown,
}

/// What a panel shows.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A measure of all points.
    Measured(Figure),
    /// What was sampled over time.
    Sampled {
        /// The drawing.
        figure: Figure,
        /// It shows means over the seeds, and not one run.
        averaged: bool,
        /// The epochs that are marked above it.
        marks: Option<Marks>,
    },
    /// A table of measures.
    Table(Tabular),
}

/// A claim with what became of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The claim.
    pub claim: Claim,
    /// What was found.
    pub judgement: Judgement,
    /// The verdict that is on record for the same settings, if there is one.
    pub recorded: Option<Verdict>,
    /// The points that it speaks of, as places among the figure's.
    pub points: Vec<usize>,
}

impl ReproducedFigure {
    /// Of what the runs gave. `recorded` returns the verdict on record of a claim.
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

    /// Its claims, with what became of them.
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

/// The points that a claim speaks of, by their places.
fn spoken_of(experiment: &Experiment, claim: &Claim, points: &[Point]) -> Vec<usize> {
    let (mut curves, places) = claim.test.names();
    curves.extend(experiment.compared_with(claim));
    let spoken = |point: &Point| {
        let curve = experiment.curve(point.curve).name.as_str();
        let place = experiment.x_of(point.place);
        // Without places it speaks of all of them.
        let here = places.is_empty() || places.contains(&place);
        here && (claim.test.is_about_all() || curves.contains(&curve))
    };
    let numbered = points.iter().enumerate();
    numbered
        .filter(|(_, point)| spoken(point))
        .map(|(number, _)| number)
        .collect()
}
