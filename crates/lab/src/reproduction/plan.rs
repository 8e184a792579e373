//! The runs of a reproduction, their order, and how their results are collected.

use std::error::Error;
use std::fmt;

use dumbbell_run::Failure;
use dumbbell_store::{Fingerprint, Job, Runner, Summary};

use super::choice::Chosen;
use super::explored::{ReproducedExploration, ReproducedTrial};
use super::figure::ReproducedFigure;
use super::library::{About, MATRIX};
use super::matrix::ReproducedMatrix;
use super::value::{Counts, ReproducedPaper, Reproduction};
use crate::claim::{Settings, Verdicts};
use crate::experiment::{Experiment, Malformed, Point, Results};
use crate::exploration::{Exploration, Reading};
use crate::matrix::{self, Matrix, Task};

/// The runs of the chosen papers and figures.
#[derive(Clone, Debug)]
pub struct Plan {
    words: Vec<String>,
    settings: Settings,
    papers: Vec<PlannedPaper>,
    explorations: Vec<PlannedExploration>,
    matrix: Option<PlannedMatrix>,
    null: bool,
}

#[derive(Clone, Debug)]
struct PlannedPaper {
    about: About,
    recorded: Verdicts,
    readings: Vec<Reading>,
    explored: Verdicts,
    figures: Vec<PlannedFigure>,
    whole: bool,
}

#[derive(Clone, Debug)]
struct PlannedExploration {
    about: About,
    exploration: Exploration,
    recorded: Verdicts,
    /// The reading and the name of each figure.
    trials: Vec<(Option<usize>, String)>,
    figures: Vec<PlannedFigure>,
}

#[derive(Clone, Debug)]
struct PlannedFigure {
    experiment: Experiment,
    points: Vec<Point>,
}

#[derive(Clone, Debug)]
struct PlannedMatrix {
    matrix: Matrix,
    tasks: Vec<Task>,
}

/// The error if the runs ended early. Finished runs are in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interrupted {
    /// The failure of an added control, if that was the reason.
    pub failure: Option<Failure>,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            Some(failure) => failure.fmt(f),
            None => f.write_str("interrupted"),
        }
    }
}

impl Error for Interrupted {}

/// The destination of a run's results.
#[derive(Clone, Copy)]
enum Place {
    /// A figure, by its position among those of all papers, and one of its points.
    Figure { figure: usize, point: usize },
    /// A task of the matrix.
    Matrix { task: usize },
}

/// The results collected so far.
struct Collected {
    figures: Vec<Results>,
    matrix: Option<matrix::Results>,
}

impl Plan {
    /// Makes the scenario of every point.
    ///
    /// # Errors
    /// [`Malformed`] if a scenario is invalid.
    pub fn new(chosen: Chosen) -> Result<Self, Malformed> {
        let settings = chosen.settings;
        let seed = settings.seed;
        let mut papers = Vec::new();
        for paper in chosen.papers {
            let figures = paper.experiments.into_iter();
            let figures = figures.map(|experiment| PlannedFigure::new(experiment, seed));
            papers.push(PlannedPaper {
                figures: figures.collect::<Result<_, Malformed>>()?,
                about: paper.about,
                recorded: paper.recorded,
                readings: paper.readings,
                explored: paper.explored,
                whole: paper.whole,
            });
        }
        let mut explorations = Vec::new();
        for chosen in chosen.explorations {
            let (mut trials, mut figures) = (Vec::new(), Vec::new());
            let quick = settings.quick;
            for trial in chosen.exploration.trials(&chosen.figures, quick)? {
                trials.push((trial.reading, trial.figure));
                figures.push(PlannedFigure::new(trial.experiment, seed)?);
            }
            explorations.push(PlannedExploration {
                about: chosen.about,
                exploration: chosen.exploration,
                recorded: chosen.recorded,
                trials,
                figures,
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
            matrix: matrix.transpose()?,
            null: chosen.null,
        })
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        let of_figures = self.figures().map(|figure| figure.experiment.runs());
        let of_matrix = self.matrix.iter().map(PlannedMatrix::runs);
        of_figures.chain(of_matrix).sum()
    }

    /// Executes the runs. `progress` is called, from any thread, with the work done since the
    /// previous call, in hundredths of a run. `finished` is called after each run with the name of
    /// its figure, or with `matrix`.
    ///
    /// # Errors
    /// [`Interrupted`] if not all runs were done.
    pub fn run(
        self,
        runner: &Runner<'_>,
        progress: impl Fn(u64) + Sync,
        mut finished: impl FnMut(&str),
    ) -> Result<Reproduction, Interrupted> {
        let figures: Vec<&PlannedFigure> = self.figures().collect();
        let (places, jobs): (Vec<Place>, Vec<Job<'_>>) = self.jobs().into_iter().unzip();
        let mut collected = Collected {
            figures: figures
                .iter()
                .map(|it| Results::new(&it.experiment))
                .collect(),
            matrix: self
                .matrix
                .as_ref()
                .map(|it| matrix::Results::new(&it.matrix)),
        };
        let summary = runner.run(&jobs, progress, |index, done| match places[index] {
            Place::Figure { figure, point } => {
                let PlannedFigure { experiment, points } = figures[figure];
                let results = &mut collected.figures[figure];
                results.add(experiment, &points[point], &done.outcome, &done.series);
                finished(&experiment.name);
            }
            Place::Matrix { task } => {
                if let (Some(planned), Some(results)) = (&self.matrix, &mut collected.matrix) {
                    results.add(&planned.matrix, &planned.tasks[task], &done.outcome);
                }
                finished(MATRIX);
            }
        });
        if summary.done < jobs.len() {
            return Err(Interrupted {
                failure: summary.failure,
            });
        }
        Ok(self.reproduction(collected, summary))
    }

    /// The figures of all papers, then those of all explorations.
    fn figures(&self) -> impl Iterator<Item = &PlannedFigure> {
        let of_papers = self.papers.iter().flat_map(|paper| &paper.figures);
        of_papers.chain(self.explorations.iter().flat_map(|it| &it.figures))
    }

    /// All runs with the destinations of their results: those of the figures, then those of the
    /// matrix.
    fn jobs(&self) -> Vec<(Place, Job<'_>)> {
        let mut jobs = Vec::new();
        for (figure, planned) in self.figures().enumerate() {
            let sampled = planned.experiment.wants_samples();
            for (point, Point { scenario, .. }) in planned.points.iter().enumerate() {
                let place = Place::Figure { figure, point };
                let probe = sampled.then_some(&scenario.probe);
                jobs.extend(seeds(scenario.seed, planned.experiment.repeat).map(|seed| {
                    let job = Job {
                        scenario,
                        seed,
                        probe,
                    };
                    (place, job)
                }));
            }
        }
        let Some(PlannedMatrix { matrix, tasks }) = &self.matrix else {
            return jobs;
        };
        for (task, Task { scenario, .. }) in tasks.iter().enumerate() {
            jobs.extend(seeds(self.settings.seed, matrix.repeat).map(|seed| {
                let job = Job {
                    scenario,
                    seed,
                    probe: None,
                };
                (Place::Matrix { task }, job)
            }));
        }
        jobs
    }

    /// Builds the reproduction from the results.
    fn reproduction(self, collected: Collected, summary: Summary) -> Reproduction {
        let runs = self.runs();
        let settings = self.settings;
        let mut results = collected.figures.into_iter();
        let mut papers = Vec::new();
        for paper in self.papers {
            let recorded = &paper.recorded;
            let figures = paper.figures.into_iter().zip(&mut results);
            let figures =
                figures.map(|(planned, results)| planned.reproduced(results, recorded, settings));
            let figures = figures.collect();
            papers.push(ReproducedPaper::new(
                paper.about,
                figures,
                recorded,
                (paper.readings, paper.explored),
                (settings, paper.whole),
            ));
        }
        let mut explorations = Vec::new();
        for explored in self.explorations {
            let recorded = &explored.recorded;
            let figures = explored.figures.into_iter().zip(&mut results);
            let trials = explored.trials.into_iter().zip(figures);
            let trials = trials.map(|((reading, name), (planned, results))| ReproducedTrial {
                reading,
                name,
                figure: planned.reproduced(results, recorded, settings),
            });
            explorations.push(ReproducedExploration::new(
                explored.about,
                explored.exploration,
                trials.collect(),
                recorded,
                settings,
            ));
        }
        let matrix = self.matrix.zip(collected.matrix);
        Reproduction {
            words: self.words,
            settings,
            papers,
            explorations,
            null: self.null,
            matrix: matrix.map(|(planned, results)| {
                ReproducedMatrix::new(planned.matrix, planned.tasks, results)
            }),
            counts: Counts {
                simulated: summary.computed,
                kept: summary.taken,
                shared: runs - summary.computed - summary.taken,
            },
            fingerprint: Fingerprint::of_this_build().to_string(),
            trouble: summary.trouble,
        }
    }
}

/// The seeds of a point.
fn seeds(first: u64, repeat: u64) -> impl Iterator<Item = u64> {
    (0..repeat).map(move |run| first.wrapping_add(run))
}

impl PlannedFigure {
    fn new(experiment: Experiment, seed: u64) -> Result<Self, Malformed> {
        let points = experiment.points(seed)?;
        Ok(Self { experiment, points })
    }

    fn reproduced(
        self,
        results: Results,
        recorded: &Verdicts,
        settings: Settings,
    ) -> ReproducedFigure {
        let Self { experiment, points } = self;
        let name = experiment.name.clone();
        ReproducedFigure::new(experiment, points, results, |claim| {
            (recorded.settings == settings)
                .then(|| recorded.get(&name, &claim.id))
                .flatten()
        })
    }
}

impl PlannedMatrix {
    fn runs(&self) -> usize {
        self.tasks.len() * self.matrix.repeat as usize
    }
}
