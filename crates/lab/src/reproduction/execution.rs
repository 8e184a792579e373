//! Executes a plan: each figure is complete as soon as its own runs are.

use std::error::Error;
use std::fmt;

use dumbbell_run::{Done, Failure};
use dumbbell_store::{Advance, Fingerprint, Forecast, Job, Runner};

use super::explored::{ReproducedExploration, ReproducedTrial};
use super::figure::ReproducedFigure;
use super::library::MATRIX;
use super::matrix::ReproducedMatrix;
use super::order::forecast;
use super::plan::{Owner, Place, Plan, PlannedFigure};
use super::value::{Counts, Expected, ReproducedPaper, Reproduction};
use crate::experiment::Results;
use crate::matrix;

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

/// News of a reproduction.
#[derive(Debug)]
pub enum News<'a> {
    /// It begins. The forecast has all jobs, in the order in which progress is reported.
    Begun(Forecast),
    /// A run of the figure with this name, or of the matrix, has finished.
    Run(&'a str, &'a Reproduction),
    /// All runs of a part have finished. The part is in the reproduction, which is not complete, unless
    /// this was the last one.
    Part(Part<'a>, &'a Reproduction),
    /// The runs ended early.
    Stopped(&'a Reproduction),
}

/// A part of a reproduction, which is complete by itself.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A figure of a paper.
    Figure(&'a ReproducedFigure),
    /// An exploration.
    Exploration(&'a ReproducedExploration),
    /// The matrix.
    Matrix(&'a ReproducedMatrix),
}

impl Plan {
    /// Executes the runs, in an order in which parts are finished one after the other.
    /// `progress` is called, from any thread, with the work that was done. `news` is called from the
    /// calling thread. The result does not depend on the number of threads, nor on what was in the
    /// store before.
    ///
    /// # Errors
    /// [`Interrupted`] if not all runs were done.
    pub fn run(
        &self,
        runner: &Runner<'_>,
        progress: impl Fn(Advance) + Sync,
        mut news: impl FnMut(News<'_>),
    ) -> Result<Reproduction, Interrupted> {
        let ordered = self.ordered();
        let places: Vec<Place> = ordered.iter().map(|run| run.place).collect();
        let jobs: Vec<Job<'_>> = ordered.iter().map(|run| run.job).collect();
        news(News::Begun(forecast(&ordered)));
        let mut execution = Execution::new(self, &places);
        execution.complete_empty(&mut news);
        let summary = runner.run(&jobs, progress, |index, done| {
            execution.take(places[index], done, &mut news);
        });
        if summary.done < jobs.len() {
            news(News::Stopped(&execution.found));
            return Err(Interrupted {
                failure: summary.failure,
            });
        }
        let mut found = execution.found;
        found.counts = Counts {
            simulated: summary.computed,
            kept: summary.taken,
            shared: jobs.len() - summary.computed - summary.taken,
        };
        found.trouble = summary.trouble;
        Ok(found)
    }
}

/// A plan that is being executed.
struct Execution<'p> {
    plan: &'p Plan,
    /// What is complete.
    found: Reproduction,
    /// The figures of the plan.
    figures: Vec<Collected>,
    /// For each exploration, the trials that are complete.
    trials: Vec<Vec<Option<ReproducedTrial>>>,
    matrix: Option<(matrix::Results, usize)>,
}

/// The results of a figure so far.
struct Collected {
    /// `None` when the figure is complete.
    results: Option<Results>,
    /// The number of runs that have not finished.
    left: usize,
}

impl<'p> Execution<'p> {
    fn new(plan: &'p Plan, places: &[Place]) -> Self {
        let mut left = vec![0; plan.figures.len()];
        let mut left_of_matrix = 0;
        for place in places {
            match place {
                Place::Figure { figure, .. } => left[*figure] += 1,
                Place::Matrix { .. } => left_of_matrix += 1,
            }
        }
        let collected = |(figure, left): (&PlannedFigure, usize)| Collected {
            results: Some(Results::new(&figure.experiment)),
            left,
        };
        let trials = plan.explorations.iter();
        let matrix = plan.matrix.as_ref();
        Self {
            plan,
            found: nothing(plan),
            figures: plan.figures.iter().zip(left).map(collected).collect(),
            trials: trials
                .map(|it| it.trials.iter().map(|_| None).collect())
                .collect(),
            matrix: matrix.map(|it| (matrix::Results::new(&it.matrix), left_of_matrix)),
        }
    }

    /// Completes the explorations that have no runs.
    fn complete_empty(&mut self, news: &mut impl FnMut(News<'_>)) {
        for exploration in 0..self.trials.len() {
            if self.trials[exploration].is_empty() {
                self.complete_exploration(exploration, news);
            }
        }
    }

    /// Takes the results of a run, and reports it and whatever it completes.
    fn take(&mut self, place: Place, done: Done, news: &mut impl FnMut(News<'_>)) {
        match place {
            Place::Figure { figure, point } => {
                let planned = &self.plan.figures[figure];
                let experiment = &planned.experiment;
                let collected = &mut self.figures[figure];
                let results = collected.results.as_mut();
                let results = results.expect("a figure is complete after its last run");
                results.add(
                    experiment,
                    &planned.points[point],
                    &done.outcome,
                    &done.series,
                );
                collected.left -= 1;
                // It may be large, and what follows takes a moment.
                drop(done);
                news(News::Run(&experiment.name, &self.found));
                if collected.left == 0
                    && let Some(results) = collected.results.take()
                {
                    self.complete(planned, results, news);
                }
            }
            Place::Matrix { task } => {
                let planned = self.plan.matrix.as_ref().expect("its runs are planned");
                let (results, left) = self.matrix.as_mut().expect("it is not complete yet");
                results.add(&planned.matrix, &planned.tasks[task], &done.outcome);
                *left -= 1;
                let is_over = *left == 0;
                news(News::Run(MATRIX, &self.found));
                if let Some((results, _)) = self.matrix.take_if(|_| is_over) {
                    let (matrix, tasks) = (planned.matrix.clone(), planned.tasks.clone());
                    self.found.matrix = Some(ReproducedMatrix::new(matrix, tasks, results));
                    if let Some(matrix) = &self.found.matrix {
                        news(News::Part(Part::Matrix(matrix), &self.found));
                    }
                }
            }
        }
    }

    /// Judges a figure whose runs have all finished.
    fn complete(
        &mut self,
        planned: &PlannedFigure,
        results: Results,
        news: &mut impl FnMut(News<'_>),
    ) {
        let plan = self.plan;
        let recorded = match planned.owner {
            Owner::Paper(paper) => &plan.papers[paper].recorded,
            Owner::Trial { exploration, .. } => &plan.explorations[exploration].recorded,
        };
        let comparable = recorded.settings == plan.settings;
        let name = planned.experiment.name.as_str();
        let (experiment, points) = (planned.experiment.clone(), planned.points.clone());
        let figure = ReproducedFigure::new(experiment, points, results, |claim| {
            comparable.then(|| recorded.get(name, &claim.id)).flatten()
        });
        match planned.owner {
            Owner::Paper(paper) => {
                let place = self.found.papers[paper].add(figure);
                let figure = &self.found.papers[paper].figures[place];
                news(News::Part(Part::Figure(figure), &self.found));
            }
            Owner::Trial { exploration, trial } => {
                let (reading, name) = plan.explorations[exploration].trials[trial].clone();
                self.trials[exploration][trial] = Some(ReproducedTrial {
                    reading,
                    name,
                    figure,
                });
                self.complete_exploration(exploration, news);
            }
        }
    }

    /// Completes an exploration whose trials are all there.
    fn complete_exploration(&mut self, exploration: usize, news: &mut impl FnMut(News<'_>)) {
        let trials = &mut self.trials[exploration];
        if trials.iter().any(Option::is_none) {
            return;
        }
        let trials = std::mem::take(trials).into_iter().flatten();
        let planned = &self.plan.explorations[exploration];
        let place = self.found.add_exploration(ReproducedExploration::new(
            planned.about.clone(),
            planned.exploration.clone(),
            trials.collect(),
            &planned.recorded,
            self.plan.settings,
        ));
        let explored = &self.found.explorations[place];
        news(News::Part(Part::Exploration(explored), &self.found));
    }
}

/// The reproduction before the first run.
fn nothing(plan: &Plan) -> Reproduction {
    let papers = plan.papers.iter().enumerate();
    let papers = papers.map(|(at, paper)| {
        let expected = plan.figures_of(at).map(|figure| Expected {
            name: figure.experiment.name.clone(),
            title: figure.experiment.title.clone(),
        });
        ReproducedPaper::new(
            paper.about.clone(),
            expected.collect(),
            paper.recorded.clone(),
            (paper.readings.clone(), paper.explored.clone()),
            (plan.settings, paper.whole),
        )
    });
    Reproduction {
        words: plan.words.clone(),
        settings: plan.settings,
        papers: papers.collect(),
        explorations: Vec::new(),
        null: plan.null,
        matrix: None,
        counts: Counts::default(),
        fingerprint: Fingerprint::of_this_build().to_string(),
        trouble: None,
        others: plan.others(),
    }
}
