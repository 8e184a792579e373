//! Jobs: the runs to execute, and the keys under which they are stored.

use std::collections::HashMap;
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

    /// What jobs have in common whose keys differ only in their seeds: the address of the scenario, so
    /// that equal copies are not recognised, and that of what is sampled.
    pub(crate) fn apart_from_seed(&self) -> (usize, usize) {
        let probe = self
            .probe
            .map_or(0, |probe| std::ptr::from_ref(probe) as usize);
        (std::ptr::from_ref(self.scenario) as usize, probe)
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

/// The keys of the jobs. Those with the same scenario share its text.
pub(crate) fn keys(jobs: &[Job<'_>]) -> Vec<Option<Key>> {
    // Nothing iterates over it.
    let mut known: HashMap<(usize, usize), Option<Key>> = HashMap::new();
    let key = |job: &Job<'_>| {
        let key = known.entry(job.apart_from_seed());
        let key = key.or_insert_with(|| job.key());
        key.as_ref().map(|key| key.with_seed(job.seed))
    };
    jobs.iter().map(key).collect()
}
