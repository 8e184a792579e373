//! Runs that are computed somewhere else than on threads of this process.

use std::sync::atomic::AtomicBool;

use dumbbell_run::Done;

use super::{Advance, Job, Key, Runner, Store, Summary};

/// Computes runs somewhere else, such as on the machines of a cluster.
pub trait Elsewhere {
    /// Computes these runs. It calls `done` with the index and the result of each, in any order. It
    /// returns without the rest soon after `interrupted` is set, and sets this flag itself if it cannot
    /// go on.
    fn compute(
        &self,
        wanted: &[Wanted<'_>],
        interrupted: &AtomicBool,
        done: &mut dyn FnMut(usize, Done),
    );
}

/// A run that is to be computed elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The run.
    pub job: Job<'a>,
    /// Its key, if it can be stored.
    pub key: Option<&'a Key>,
}

/// What executes jobs: a [`Runner`] on its threads, or [elsewhere](Runner::elsewhere).
pub trait Execute {
    /// Executes the jobs as [`Runner::run`] does.
    fn execute(
        &self,
        jobs: &[Job<'_>],
        progress: &(dyn Fn(Advance) + Sync),
        done: &mut dyn FnMut(usize, Done),
    ) -> Summary;

    /// The store from which finished runs are taken, and in which new ones are stored.
    fn store(&self) -> Option<&Store>;

    /// The number of jobs that are executed at once, if there are that many: memory and the time in
    /// which the last of them leave others idle are to be small.
    fn at_once(&self) -> usize;
}

/// A runner whose runs are computed elsewhere.
#[derive(Clone, Copy)]
pub struct Away<'a> {
    runner: Runner<'a>,
    elsewhere: &'a dyn Elsewhere,
}

impl<'a> Runner<'a> {
    /// The same runner with its runs computed elsewhere. Its threads only compute again what another
    /// process removes from the store in the meantime.
    pub fn elsewhere(self, elsewhere: &'a dyn Elsewhere) -> Away<'a> {
        let runner = self;
        Away { runner, elsewhere }
    }
}

impl Execute for Runner<'_> {
    fn execute(
        &self,
        jobs: &[Job<'_>],
        progress: &(dyn Fn(Advance) + Sync),
        done: &mut dyn FnMut(usize, Done),
    ) -> Summary {
        self.run(jobs, progress, done)
    }

    fn store(&self) -> Option<&Store> {
        self.store
    }

    fn at_once(&self) -> usize {
        50_000
    }
}

impl Execute for Away<'_> {
    fn execute(
        &self,
        jobs: &[Job<'_>],
        progress: &(dyn Fn(Advance) + Sync),
        done: &mut dyn FnMut(usize, Done),
    ) -> Summary {
        self.runner
            .run_by(Some(self.elsewhere), jobs, progress, done)
    }

    fn store(&self) -> Option<&Store> {
        self.runner.store
    }

    fn at_once(&self) -> usize {
        1_000_000
    }
}
