//! The runs of a reproduction.

use dumbbell_store::Job;

use super::choice::Chosen;
use super::explored::exploration_name;
use super::library::{About, MATRIX};
use super::value::Expected;
use crate::claim::{Settings, Verdicts};
use crate::experiment::{Experiment, Malformed, Point};
use crate::exploration::{Exploration, Reading};
use crate::matrix::{Matrix, Task};

/// The runs of the chosen papers and figures.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) words: Vec<String>,
    pub(super) settings: Settings,
    pub(super) papers: Vec<PlannedPaper>,
    pub(super) explorations: Vec<PlannedExploration>,
    /// The figures of all papers, then those of all explorations.
    pub(super) figures: Vec<PlannedFigure>,
    pub(super) matrix: Option<PlannedMatrix>,
    pub(super) null: bool,
}

/// A paper, apart from its figures.
#[derive(Clone, Debug)]
pub(super) struct PlannedPaper {
    pub(super) about: About,
    pub(super) recorded: Verdicts,
    pub(super) readings: Vec<Reading>,
    pub(super) explored: Verdicts,
    pub(super) whole: bool,
}

/// An exploration, apart from its figures.
#[derive(Clone, Debug)]
pub(super) struct PlannedExploration {
    pub(super) about: About,
    pub(super) exploration: Exploration,
    pub(super) recorded: Verdicts,
    /// The reading and the name of each figure.
    pub(super) trials: Vec<(Option<usize>, String)>,
}

/// What a figure belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A paper, by its position.
    Paper(usize),
    /// An exploration, by its position, and one of its trials.
    Trial { exploration: usize, trial: usize },
}

#[derive(Clone, Debug)]
pub(super) struct PlannedFigure {
    pub(super) owner: Owner,
    pub(super) experiment: Experiment,
    pub(super) points: Vec<Point>,
}

#[derive(Clone, Debug)]
pub(super) struct PlannedMatrix {
    pub(super) matrix: Matrix,
    pub(super) tasks: Vec<Task>,
}

/// The destination of a run's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A figure, by its position among those of the plan, and one of its points.
    Figure { figure: usize, point: usize },
    /// A task of the matrix.
    Matrix { task: usize },
}

impl Plan {
    /// Makes the scenario of every point.
    ///
    /// # Errors
    /// [`Malformed`] if a scenario is invalid.
    pub fn new(chosen: Chosen) -> Result<Self, Malformed> {
        let settings = chosen.settings;
        let seed = settings.seed;
        let (mut papers, mut explorations, mut figures) = (Vec::new(), Vec::new(), Vec::new());
        for paper in chosen.papers {
            let owner = Owner::Paper(papers.len());
            for experiment in paper.experiments {
                figures.push(PlannedFigure::new(owner, experiment, seed)?);
            }
            papers.push(PlannedPaper {
                about: paper.about,
                recorded: paper.recorded,
                readings: paper.readings,
                explored: paper.explored,
                whole: paper.whole,
            });
        }
        for chosen in chosen.explorations {
            let exploration = explorations.len();
            let mut trials = Vec::new();
            let quick = settings.quick;
            for trial in chosen.exploration.trials(&chosen.figures, quick)? {
                let owner = Owner::Trial {
                    exploration,
                    trial: trials.len(),
                };
                trials.push((trial.reading, trial.figure));
                figures.push(PlannedFigure::new(owner, trial.experiment, seed)?);
            }
            explorations.push(PlannedExploration {
                about: chosen.about,
                exploration: chosen.exploration,
                recorded: chosen.recorded,
                trials,
            });
        }
        let matrix = chosen.matrix.map(|matrix| -> Result<_, Malformed> {
            let tasks = matrix.tasks(seed)?;
            Ok(PlannedMatrix { matrix, tasks })
        });
        Ok(Self {
            words: chosen.words,
            settings: chosen.settings,
            papers,
            explorations,
            figures,
            matrix: matrix.transpose()?,
            null: chosen.null,
        })
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        let of_figures = self.figures.iter().map(|figure| figure.experiment.runs());
        let of_matrix = self.matrix.iter().map(PlannedMatrix::runs);
        of_figures.chain(of_matrix).sum()
    }

    /// The figures of a paper, in their order.
    pub(super) fn figures_of(&self, paper: usize) -> impl Iterator<Item = &PlannedFigure> {
        let figures = self.figures.iter();
        figures.filter(move |figure| figure.owner == Owner::Paper(paper))
    }

    /// The explorations and the matrix.
    pub(super) fn others(&self) -> Vec<Expected> {
        let explorations = self.explorations.iter().map(|it| Expected {
            name: exploration_name(&it.about.name),
            title: it.exploration.title.clone(),
        });
        let matrix = self.matrix.iter().map(|_| Expected {
            name: MATRIX.to_owned(),
            title: "Every control on every path".to_owned(),
        });
        explorations.chain(matrix).collect()
    }
}

impl PlannedFigure {
    fn new(owner: Owner, experiment: Experiment, seed: u64) -> Result<Self, Malformed> {
        let points = experiment.points(seed)?;
        Ok(Self {
            owner,
            experiment,
            points,
        })
    }

    /// The runs of a figure: for each, its point and its job.
    pub(super) fn jobs(&self) -> impl Iterator<Item = (usize, Job<'_>)> {
        let sampled = self.experiment.wants_samples();
        let points = self.points.iter().enumerate();
        points.flat_map(move |(point, Point { scenario, .. })| {
            let probe = sampled.then_some(&scenario.probe);
            let seeds = seeds(scenario.seed, self.experiment.repeat);
            seeds.map(move |seed| {
                let job = Job {
                    scenario,
                    seed,
                    probe,
                };
                (point, job)
            })
        })
    }
}

impl PlannedMatrix {
    fn runs(&self) -> usize {
        self.tasks.len() * self.matrix.repeat as usize
    }

    /// The runs of the matrix from this seed on: for each, its task and its job.
    pub(super) fn jobs(&self, first: u64) -> impl Iterator<Item = (usize, Job<'_>)> {
        let tasks = self.tasks.iter().enumerate();
        tasks.flat_map(move |(task, Task { scenario, .. })| {
            seeds(first, self.matrix.repeat).map(move |seed| {
                let job = Job {
                    scenario,
                    seed,
                    probe: None,
                };
                (task, job)
            })
        })
    }
}

/// The seeds of a point.
fn seeds(first: u64, repeat: u64) -> impl Iterator<Item = u64> {
    (0..repeat).map(move |run| first.wrapping_add(run))
}
