//! Jobs: the runs to execute, and the keys under which they are stored.

use std::sync::atomic::AtomicBool;

use dumbbell_run::{Done, Run, Stopped};
use dumbbell_scenario::{Probe, Scenario};

use super::Key;

/// A run to execute.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The scenario. Its own seed and probe are ignored.
    pub scenario: &'a Scenario,
    /// The seed.
    pub seed: u64,
    /// What to sample; if `None`, nothing.
    pub probe: Option<&'a Probe>,
}

impl Job<'_> {
    /// The key of the run; `None` if the run cannot be stored, because nothing is known about the code of
    /// a control that a program adds.
    pub fn key(&self) -> Option<Key> {
        Key::of(self.scenario, self.seed, self.probe)
    }

    /// Whether the keys differ only in their seeds. The scenarios are compared by address, so equal
    /// copies are not recognised.
    fn differs_in_seed_alone(&self, other: &Self) -> bool {
        std::ptr::eq(self.scenario, other.scenario) && self.probe == other.probe
    }

    /// Executes the run.
    pub(crate) fn run(
        &self,
        interrupted: &AtomicBool,
        progress: impl FnMut(),
    ) -> Result<Done, Stopped> {
        Run::new(self.scenario)
            .seed(self.seed)
            .probe(self.probe)
            .interrupt(interrupted)
            .progress(progress)
            .go()
    }
}

/// The keys of the jobs. Successive jobs with the same scenario share its text.
pub(crate) fn keys(jobs: &[Job<'_>]) -> Vec<Option<Key>> {
    jobs.chunk_by(Job::differs_in_seed_alone)
        .flat_map(|chunk| {
            let first = chunk[0].key();
            chunk
                .iter()
                .map(move |job| first.as_ref().map(|key| key.with_seed(job.seed)))
        })
        .collect()
}
