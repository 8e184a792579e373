//! Executes many runs in order, and takes those that are in the store from there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use dumbbell_run::batch;
use dumbbell_run::{Done, Failure, Stopped};

use super::advance::Reporter;
use super::queue::{Closing, Queue};
use super::{Advance, Elsewhere, Job, Key, Row, Store, StoreError, Wanted, job};

/// How to execute many runs.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    /// The store from which finished runs are taken and in which new ones are stored. If `None`,
    /// everything is computed and nothing is stored.
    pub store: Option<&'a Store>,
    /// The number of threads. It affects only the time taken.
    pub threads: usize,
    /// A flag that ends all runs when it is set elsewhere, for example on Ctrl-C. The runner sets it if
    /// a control fails that a program added.
    pub interrupted: &'a AtomicBool,
}

/// The outcome of executing jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Jobs whose results were delivered: all of them, unless interrupted.
    pub done: usize,
    /// Jobs whose results came from the store.
    pub taken: usize,
    /// Runs that were computed to their end, including those that were not delivered because of an
    /// interrupt.
    pub computed: usize,
    /// Computed runs that are now committed to the store.
    pub kept: usize,
    /// Why the store could not be read, or why it lacks some of the computed runs. The results are
    /// complete nevertheless, but some runs will be computed again next time.
    pub trouble: Option<StoreError>,
    /// The failure of an added control, which ended all runs; of several, that of the earliest job.
    pub failure: Option<Failure>,
}

impl Runner<'_> {
    /// Executes the jobs. `done` is called with the results in the order of the jobs, from the
    /// calling thread. They are started in their order. `progress` is called, from any thread, with how
    /// far each of them is. Equal jobs are computed only once. Returns when all computed runs are in the
    /// store.
    ///
    /// After an interrupt, results are missing from the first unfinished run on; later runs that
    /// did finish are still stored. If an added control fails, all runs end as after an interrupt, and
    /// nothing of its run is stored: see [`Summary::failure`]. A store that fails does not stop
    /// anything: see [`Summary::trouble`].
    pub fn run(
        &self,
        jobs: &[Job<'_>],
        progress: impl Fn(Advance) + Sync,
        done: impl FnMut(usize, Done),
    ) -> Summary {
        self.run_by(None, jobs, progress, done)
    }

    /// Executes the jobs, and computes missing runs elsewhere if there is such a place.
    pub(crate) fn run_by(
        &self,
        elsewhere: Option<&dyn Elsewhere>,
        jobs: &[Job<'_>],
        progress: impl Fn(Advance) + Sync,
        mut done: impl FnMut(usize, Done),
    ) -> Summary {
        let keys = job::keys(jobs);
        let (kept, trouble) = match self.store.map(|store| store.has(&keys)) {
            Some(Ok(kept)) => (kept, None),
            Some(Err(error)) => (vec![false; jobs.len()], Some(error)),
            None => (vec![false; jobs.len()], None),
        };
        let plan = Plan::new(&keys, &kept);
        plan.known()
            .for_each(|index| progress(Advance::known(index)));
        let queue = Queue::default();
        let computed = AtomicUsize::new(0);
        let failures = Failures::default();
        let keep = |index: usize, run: &Done| {
            computed.fetch_add(1, Ordering::Relaxed);
            if let (Some(_), Some(key)) = (self.store, &keys[index])
                && let Some(row) = Row::new(key, run)
            {
                queue.push(row);
            }
        };
        let compute = |index: usize, planned: bool| {
            // A job outside the plan was assumed to be in the store, and its progress has already
            // been reported.
            let mut reporter = planned.then(|| Reporter::new(index, &progress));
            let step = || reporter.iter_mut().for_each(Reporter::step);
            let run = match jobs[index].run(self.interrupted, step) {
                Ok(run) => run,
                Err(Stopped::Failed(failure)) => {
                    failures.add(index, failure);
                    self.interrupted.store(true, Ordering::Relaxed);
                    return None;
                }
                Err(_) => return None,
            };
            keep(index, &run);
            if let Some(reporter) = reporter {
                reporter.end();
            }
            Some(run)
        };
        std::thread::scope(|scope| {
            let writer = self.store.map(|store| scope.spawn(|| queue.write(store)));
            let closing = Closing(&queue);
            let mut counter = Counter {
                plan: &plan,
                keys: &keys,
                store: self.store,
                interrupted: self.interrupted,
                again: BTreeMap::new(),
                next: 0,
                taken: 0,
                trouble,
            };
            let unplanned = |index| compute(index, false);
            counter.serve_until(plan.missing.first().copied(), &unplanned, &mut done);
            let serve = |turn: usize, run| {
                counter.serve(plan.missing[turn], run, &mut done);
                let next = plan.missing.get(turn + 1).copied();
                counter.serve_until(next, &unplanned, &mut done);
            };
            match elsewhere {
                None => batch::in_order(
                    plan.missing.len(),
                    self.threads,
                    self.interrupted,
                    |turn| compute(plan.missing[turn], true),
                    serve,
                ),
                Some(elsewhere) => {
                    let wanted = plan.missing.iter().map(|index| Wanted {
                        job: jobs[*index],
                        key: keys[*index].as_ref(),
                    });
                    let wanted: Vec<Wanted<'_>> = wanted.collect();
                    let mut ordered = batch::Ordered::new(serve);
                    elsewhere.compute(&wanted, self.interrupted, &mut |turn, run| {
                        keep(plan.missing[turn], &run);
                        progress(Advance::known(plan.missing[turn]));
                        ordered.put(turn, run);
                    });
                }
            }
            drop(closing);
            let (kept, failure) = writer
                .map_or(Ok((0, None)), |writer| writer.join())
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Summary {
                done: counter.next,
                taken: counter.taken,
                computed: computed.load(Ordering::Relaxed),
                kept,
                trouble: counter.trouble.or(failure),
                failure: failures.first(),
            }
        })
    }
}

/// The failures of added controls.
#[derive(Default)]
struct Failures(Mutex<BTreeMap<usize, Failure>>);

impl Failures {
    fn add(&self, job: usize, failure: Failure) {
        // A panic cannot leave the map in a wrong state.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(job, failure);
    }

    /// The failure of the earliest job.
    fn first(&self) -> Option<Failure> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().next().cloned()
    }
}

/// Which jobs are computed, and from where the results of the others come.
struct Plan {
    /// The number of jobs.
    jobs: usize,
    /// The jobs that are computed, in their order.
    missing: Vec<usize>,
    /// For a job that equals a computed one, the computed job.
    same: BTreeMap<usize, usize>,
    /// For a computed job that others equal, the last of these.
    last: BTreeMap<usize, usize>,
}

impl Plan {
    fn new(keys: &[Option<Key>], kept: &[bool]) -> Self {
        let mut plan = Self {
            jobs: keys.len(),
            missing: Vec::new(),
            same: BTreeMap::new(),
            last: BTreeMap::new(),
        };
        let mut first = BTreeMap::new();
        for (index, key) in keys.iter().enumerate().filter(|(index, _)| !kept[*index]) {
            let name = key.as_ref().map(|key| (key.hash(), key.seed()));
            match name.and_then(|name| first.get(&name)) {
                Some(before) => {
                    plan.same.insert(index, *before);
                    plan.last.insert(*before, index);
                }
                None => {
                    plan.missing.push(index);
                    if let Some(name) = name {
                        first.insert(name, index);
                    }
                }
            }
        }
        plan
    }

    /// The jobs that are not computed.
    fn known(&self) -> impl Iterator<Item = usize> {
        let mut missing = self.missing.iter().copied().peekable();
        (0..self.jobs).filter(move |index| missing.next_if_eq(index).is_none())
    }
}

/// Delivers results in order.
struct Counter<'a> {
    plan: &'a Plan,
    keys: &'a [Option<Key>],
    store: Option<&'a Store>,
    interrupted: &'a AtomicBool,
    /// Results that later jobs need as well.
    again: BTreeMap<usize, Done>,
    /// The next job.
    next: usize,
    taken: usize,
    trouble: Option<StoreError>,
}

impl Counter<'_> {
    /// Delivers a computed result.
    fn serve(&mut self, index: usize, run: Done, done: &mut impl FnMut(usize, Done)) {
        // After an interrupt, an earlier result may be missing.
        if index != self.next {
            return;
        }
        if self.plan.last.contains_key(&index) {
            self.again.insert(index, run.clone());
        }
        self.next += 1;
        done(index, run);
    }

    /// Delivers all results that need not be computed and come before job `end`, or all remaining
    /// ones.
    fn serve_until(
        &mut self,
        end: Option<usize>,
        compute: &impl Fn(usize) -> Option<Done>,
        done: &mut impl FnMut(usize, Done),
    ) {
        let end = end.unwrap_or(self.keys.len());
        while self.next < end && !self.interrupted.load(Ordering::Relaxed) {
            let index = self.next;
            let known = match self.plan.same.get(&index) {
                Some(first) if self.plan.last.get(first) == Some(&index) => {
                    self.again.remove(first)
                }
                Some(first) => self.again.get(first).cloned(),
                None => self.fetch(index),
            };
            // Another process may have pruned a run that was in the store before.
            let Some(run) = known.or_else(|| compute(index)) else {
                return;
            };
            self.next += 1;
            done(index, run);
        }
    }

    fn fetch(&mut self, index: usize) -> Option<Done> {
        let (store, key) = (self.store?, self.keys[index].as_ref()?);
        if self.trouble.is_some() {
            return None;
        }
        match store.get(key) {
            Ok(found) => {
                self.taken += usize::from(found.is_some());
                found
            }
            Err(error) => {
                self.trouble = Some(error);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trouble;
    use dumbbell_scenario::Scenario;
    use dumbbell_scenario::controls::Controls;

    #[test]
    fn a_full_store_does_not_affect_results() {
        let text = "
            duration = \"1 s\"
            [dumbbell]
            access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
            bottleneck = { rate = \"1 Mb/s\", delay = \"20 ms\", queue = { droptail = 9 } }
            [[flow]]
            control = \"veno\"";
        let scenario = Scenario::parse("test", text, &Controls::builtin()).unwrap();
        let job = |seed| Job {
            scenario: &scenario,
            seed,
            probe: None,
        };
        let jobs: Vec<Job<'_>> = (0..200).map(job).collect();
        let store = Store::in_memory().unwrap();
        let run = |jobs: &[Job<'_>]| {
            let mut seeds = Vec::new();
            let runner = Runner {
                store: Some(&store),
                threads: 2,
                interrupted: &AtomicBool::new(false),
            };
            let summary = runner.run(jobs, |_| {}, |_, run| seeds.push(run.outcome.seed));
            assert_eq!(seeds, jobs.iter().map(|job| job.seed).collect::<Vec<_>>());
            summary
        };
        let limit = |pages: u32| {
            store
                .connection()
                .pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, u32>(0))
                .unwrap()
        };
        assert_eq!(run(&jobs[..20]).kept, 20);
        // A run takes about 0.5 KB and a page 4 KiB, so there is space for some of the runs at
        // most. SQLite does not set a limit below the current size.
        let pages = limit(1);
        limit(pages + 8);
        let full = run(&jobs);
        assert_eq!((full.done, full.computed), (200, 180));
        assert_eq!(full.trouble.map(|error| error.trouble), Some(Trouble::Full));
        let kept = store.runs().unwrap();
        assert_eq!(kept, 20 + full.kept as u64);
        assert!(kept < 200);
        limit(1_000_000);
        let rest = run(&jobs);
        assert_eq!((rest.computed as u64, rest.trouble), (200 - kept, None));
        assert_eq!(store.runs().unwrap(), 200);
    }
}
