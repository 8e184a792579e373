//! Reports of how far a run is.

use std::time::{Duration, Instant};

use dumbbell_run::STEPS;

/// The shortest time between two reports of one run.
const BETWEEN: Duration = Duration::from_millis(50);

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    /// The index of the job.
    pub job: usize,
    /// The work that has been done since the last report about this job, in hundredths of a run. They
    /// add up to [`STEPS`] for every job, computed or not.
    pub steps: u64,
    /// What is known about its time.
    pub state: State,
}

/// What is known about the time of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has been running for so long, and goes on.
    Running(Duration),
    /// It has ended, and took so long.
    Ended(Duration),
    /// Its result is there, and took no time here: it is in the store, another job has it, too, or it was
    /// computed elsewhere.
    Known,
}

impl Advance {
    /// The report about a job whose result is known.
    pub(crate) fn known(job: usize) -> Self {
        Self {
            job,
            steps: STEPS,
            state: State::Known,
        }
    }
}

/// Reports how far a run is, but not too often.
pub(crate) struct Reporter<'a, P> {
    job: usize,
    progress: &'a P,
    begun: Instant,
    /// The time of the last report, measured from the beginning.
    last: Duration,
    steps: u64,
    reported: u64,
}

impl<'a, P: Fn(Advance)> Reporter<'a, P> {
    /// A run of this job begins.
    pub(crate) fn new(job: usize, progress: &'a P) -> Self {
        Self {
            job,
            progress,
            begun: Instant::now(),
            last: Duration::ZERO,
            steps: 0,
            reported: 0,
        }
    }

    /// A hundredth of the run is done.
    pub(crate) fn step(&mut self) {
        self.steps += 1;
        let taken = self.begun.elapsed();
        if taken - self.last >= BETWEEN && self.steps < STEPS {
            self.report(State::Running(taken));
            self.last = taken;
        }
    }

    /// The run has ended.
    pub(crate) fn end(mut self) {
        self.steps = STEPS;
        self.report(State::Ended(self.begun.elapsed()));
    }

    fn report(&mut self, state: State) {
        (self.progress)(Advance {
            job: self.job,
            steps: self.steps - self.reported,
            state,
        });
        self.reported = self.steps;
    }
}
