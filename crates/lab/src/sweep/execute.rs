//! Runs a sweep: all points in parallel, from the store as far as they are there.

use dumbbell_run::batch::Ordered;
use dumbbell_run::{Done, Failure};
use dumbbell_store::{Advance, Execute, Job, Runner, StoreError, Summary};

use super::{Point, Repeat, Seeds, Sweep, Until};
use crate::tidy::{Group, Measure};

/// Which run of a sweep it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// The index of its point.
    pub point: usize,
    /// The number of the run at this point, from 0.
    pub number: u64,
    /// Its seed.
    pub seed: u64,
}

/// What came of running a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The number of runs, those from the store included.
    pub runs: u64,
    /// The number of runs that came from the store.
    pub taken: u64,
    /// The number of runs that were computed.
    pub computed: u64,
    /// The number of computed runs that are in the store now.
    pub kept: u64,
    /// Whether it ended early, because it was interrupted or an added control failed.
    pub interrupted: bool,
    /// For each point, its number of runs.
    pub runs_of: Vec<u64>,
    /// For each point, its number of runs with a value of the measure of `until`, in the group with the
    /// fewest of those that have any. Empty without `until`.
    pub values_of: Vec<u64>,
    /// The points whose interval is not narrow enough after the largest number of runs, or that have no
    /// interval, because fewer than two runs have a value.
    pub wide: Vec<usize>,
    /// The points of which no run has a value, in no group that is asked for. They have the least number
    /// of runs.
    pub without: Vec<usize>,
    /// The failure of an added control, if that was the reason.
    pub failure: Option<Failure>,
    /// Why the store could not be read, or lacks some of the computed runs.
    pub trouble: Option<StoreError>,
}

/// The values of a measure at a point by group, of the runs that have one. A group without any is
/// not there.
type Values = Vec<(String, Vec<f64>)>;

/// How far a sweep is.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// These jobs have been added to those that are planned.
    Planned(&'a [Job<'a>]),
    /// How far a job is, by its position among all that were planned.
    Done(Advance),
}

/// The most runs of which those that take longest are started first. The results of the others wait in
/// memory meanwhile. Where there are more, a core that is idle at the end does not matter.
const SORTED: usize = 1000;

impl Sweep {
    /// The seed of a run.
    pub fn seed_of(&self, point: usize, number: u64) -> u64 {
        let first = match self.seeds {
            Seeds::Common => self.seed,
            // Doubles, as in tables of other programs, hold whole numbers up to 2^53.
            Seeds::Independent => self.seed.wrapping_add(self.points[point].number >> 12),
        };
        first.wrapping_add(number)
    }

    /// Runs the sweep. `each` is called with every run: those of one round in the order of the points
    /// and seeds, from the calling thread.
    pub fn run(
        &self,
        runner: &impl Execute,
        progress: impl Fn(Progress<'_>) + Sync,
        mut each: impl FnMut(Turn, &Point, Done),
    ) -> Found {
        let mut found = Found {
            runs_of: vec![0; self.points.len()],
            ..Found::default()
        };
        let until = match &self.repeat {
            Repeat::Times(_) => None,
            Repeat::Until(until) => Some(until),
        };
        // For each point, the values of the measure by group, if an interval is to be narrow.
        let mut seen: Vec<Values> = vec![Values::new(); self.points.len()];
        let mut wanted = vec![self.repeat.bounds().0; self.points.len()];
        let mut planned = 0;
        loop {
            let mut round = Vec::new();
            for (point, (has, wants)) in found.runs_of.iter().zip(&wanted).enumerate() {
                round.extend((*has..*wants).map(|number| Turn {
                    point,
                    number,
                    seed: self.seed_of(point, number),
                }));
            }
            if round.is_empty() || found.interrupted {
                break;
            }
            let before = planned;
            planned += round.len();
            self.round(
                &round,
                runner,
                (before, &progress),
                &mut found,
                |turn, point, done| {
                    if let Some(until) = until {
                        note(&mut seen[turn.point], until, &done);
                    }
                    each(turn, point, done);
                },
            );
            let Some(until) = until.filter(|_| !found.interrupted) else {
                break;
            };
            for (at, (wants, groups)) in wanted.iter_mut().zip(&seen).enumerate() {
                let runs = found.runs_of[at];
                let most = groups.iter().map(|(_, values)| until.wanted(runs, values));
                *wants = most.max().unwrap_or(runs);
            }
        }
        if let Some(until) = until.filter(|_| !found.interrupted) {
            let fewest = |groups: &Values| groups.iter().map(|(_, values)| values.len()).min();
            let is_wide = |groups: &Values| !groups.iter().all(|(_, it)| until.is_narrow(it));
            let points = 0..seen.len();
            found.values_of = seen
                .iter()
                .map(|it| fewest(it).unwrap_or(0) as u64)
                .collect();
            found.without = points.clone().filter(|at| seen[*at].is_empty()).collect();
            found.wide = points.filter(|at| is_wide(&seen[*at])).collect();
        }
        found
    }

    /// The job of a run.
    fn job(&self, turn: &Turn) -> Job<'_> {
        let sampled = self.measures.iter().any(|measure| measure.wants_samples());
        let scenario = &self.points[turn.point].scenario;
        Job {
            scenario,
            seed: turn.seed,
            probe: sampled.then_some(&scenario.probe),
        }
    }

    fn round(
        &self,
        turns: &[Turn],
        runner: &impl Execute,
        (before, progress): (usize, &(impl Fn(Progress<'_>) + Sync)),
        found: &mut Found,
        mut each: impl FnMut(Turn, &Point, Done),
    ) {
        let order = self.order(turns);
        let turn_of = |place: usize| turns[order[place]];
        let jobs: Vec<Job<'_>> = (0..turns.len())
            .map(|place| self.job(&turn_of(place)))
            .collect();
        progress(Progress::Planned(&jobs));
        let mut in_order = Ordered::new(|index: usize, done: Done| {
            let turn: Turn = turns[index];
            found.runs_of[turn.point] += 1;
            each(turn, &self.points[turn.point], done);
        });
        let mut sum = Summary::default();
        let mut begin = 0;
        for jobs in jobs.chunks(runner.at_once()) {
            let summary = runner.execute(
                jobs,
                &|advance| {
                    let job = before + begin + advance.job;
                    progress(Progress::Done(Advance { job, ..advance }));
                },
                &mut |place, done| in_order.put(order[begin + place], done),
            );
            sum.done += summary.done;
            sum.taken += summary.taken;
            sum.computed += summary.computed;
            sum.kept += summary.kept;
            sum.trouble = sum.trouble.or(summary.trouble);
            sum.failure = summary.failure;
            begin += jobs.len();
            if sum.done < begin {
                break;
            }
        }
        found.runs += sum.done as u64;
        found.taken += sum.taken as u64;
        found.computed += sum.computed as u64;
        found.kept += sum.kept as u64;
        found.interrupted = sum.done < turns.len();
        found.trouble = found.trouble.take().or(sum.trouble);
        found.failure = sum.failure;
    }

    /// The order in which runs are started, as positions.
    fn order(&self, turns: &[Turn]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..turns.len()).collect();
        if turns.len() <= SORTED {
            let costs: Vec<f64> = turns.iter().map(|turn| self.job(turn).cost()).collect();
            order.sort_by(|a, b| costs[*b].total_cmp(&costs[*a]));
        }
        order
    }

    /// The runs that are certainly needed: all of them, or the least number of each point.
    pub fn first_runs(&self) -> Vec<Turn> {
        let (least, _) = self.repeat.bounds();
        let of_point = |point| {
            (0..least).map(move |number| Turn {
                point,
                number,
                seed: self.seed_of(point, number),
            })
        };
        (0..self.points.len()).flat_map(of_point).collect()
    }

    /// Which of these runs are in the store of a runner.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read.
    pub fn kept(&self, turns: &[Turn], runner: &Runner<'_>) -> Result<Vec<bool>, StoreError> {
        match runner.store {
            Some(store) => {
                let jobs: Vec<Job<'_>> = turns.iter().map(|turn| self.job(turn)).collect();
                store.kept(&jobs)
            }
            None => Ok(vec![false; turns.len()]),
        }
    }
}

/// Notes the values of the measure that decides about more runs.
fn note(groups: &mut Values, until: &Until, done: &Done) {
    let Some(measure) = Measure::named(&until.measure) else {
        return;
    };
    for group in Group::of(&done.outcome) {
        let name = group.name;
        if until.group.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        // A run without a value counts as a run, and is not part of the interval.
        let Some(value) = measure.of_group(&group) else {
            continue;
        };
        match groups.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(value),
            None => groups.push((name.to_owned(), vec![value])),
        }
    }
}
