//! The runs of all chosen experiments.

use std::time::Instant;

use dumbbell_lab::experiment::{Point, Results};
use dumbbell_lab::matrix::{self, Matrix};
use dumbbell_store::{Fingerprint, Job, Runner, Store, StoreError};

use super::chosen::{self, Chosen};
use super::matrix::Measured;
use crate::exit::Exit;
use crate::{interrupt, progress};

/// What the runs gave, one entry an experiment.
pub struct Done {
    pub results: Vec<Results>,
    pub points: Vec<Vec<Point>>,
    /// The cross table, where it is wanted.
    pub matrix: Option<Measured>,
    /// Runs that were simulated now.
    pub simulated: usize,
    /// Runs that were kept from before.
    pub kept: usize,
    /// Runs that are those of another figure, too.
    pub shared: usize,
    pub seconds: f64,
    /// Of the sources that made the results.
    pub fingerprint: String,
    /// Why not all runs are kept.
    pub trouble: Option<StoreError>,
}

/// What a run is for.
enum Place {
    Figure { experiment: usize, point: usize },
    Matrix { task: usize },
}

pub fn run(
    chosen: &[Chosen],
    matrix: Option<Matrix>,
    seed: u64,
    threads: usize,
    store: &Store,
) -> Result<Done, Exit> {
    let begun = Instant::now();
    let experiments: Vec<_> = chosen::experiments(chosen).collect();
    let mut points = Vec::new();
    for experiment in &experiments {
        let these = experiment.points(seed);
        points.push(these.map_err(|e| Exit::Failed(e.to_string()))?);
    }
    let tasks = matrix.as_ref().map(|matrix| matrix.tasks(seed));
    let tasks = tasks
        .unwrap_or(Ok(Vec::new()))
        .map_err(|e| Exit::Failed(e.to_string()))?;
    let mut places = Vec::new();
    let mut jobs = Vec::new();
    for (number, experiment) in experiments.iter().enumerate() {
        let sampled = experiment.wants_samples();
        for (point, Point { scenario, .. }) in points[number].iter().enumerate() {
            for run in 0..experiment.repeat {
                places.push(Place::Figure {
                    experiment: number,
                    point,
                });
                jobs.push(Job {
                    scenario,
                    seed: seed.wrapping_add(run),
                    probe: sampled.then_some(&scenario.probe),
                });
            }
        }
    }
    for (number, task) in tasks.iter().enumerate() {
        let repeat = matrix.as_ref().map_or(0, |matrix| matrix.repeat);
        for run in 0..repeat {
            places.push(Place::Matrix { task: number });
            jobs.push(Job {
                scenario: &task.scenario,
                seed: seed.wrapping_add(run),
                probe: None,
            });
        }
    }
    let mut results: Vec<Results> = experiments.iter().map(|e| Results::new(e)).collect();
    let mut cells = matrix.as_ref().map(matrix::Results::new);
    let interrupted = interrupt::flag();
    let bar = progress::of_runs(jobs.len());
    let runner = Runner {
        store: Some(store),
        threads,
        interrupted: &interrupted,
    };
    let summary = runner.run(
        &jobs,
        |steps| bar.inc(steps),
        |index, finished| {
            let dumbbell_run::Done { outcome, series } = finished;
            match (&places[index], &matrix, &mut cells) {
                (Place::Matrix { task }, Some(matrix), Some(cells)) => {
                    cells.add(matrix, &tasks[*task], &outcome);
                    bar.set_message("matrix");
                }
                (Place::Figure { experiment, point }, ..) => {
                    let about = experiments[*experiment];
                    let point = &points[*experiment][*point];
                    results[*experiment].add(about, point, &outcome, &series);
                    bar.set_message(about.name.clone());
                }
                (Place::Matrix { .. }, ..) => unreachable!("its tasks come from a matrix"),
            }
        },
    );
    bar.finish_and_clear();
    if summary.done < jobs.len() {
        return Err(Exit::Interrupted);
    }
    Ok(Done {
        results,
        simulated: summary.computed,
        kept: summary.taken,
        shared: jobs.len() - summary.computed - summary.taken,
        points,
        matrix: matrix
            .zip(cells)
            .map(|(matrix, results)| Measured::new(matrix, tasks, results)),
        seconds: begun.elapsed().as_secs_f64(),
        fingerprint: Fingerprint::of_this_build().to_string(),
        trouble: summary.trouble,
    })
}
