//! Many runs in order, those in the store taken from it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use dumbbell_run::batch;
use dumbbell_run::{Done, STEPS};

use super::queue::{Closing, Queue};
use super::{Job, Key, Row, Store, StoreError, job};

/// How to execute many runs.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    /// Where finished runs are taken from and kept; none to compute everything and keep nothing.
    pub store: Option<&'a Store>,
    /// How many runs at a time: it changes nothing but the time.
    pub threads: usize,
    /// Set from elsewhere, for instance by Ctrl-C, it ends all runs at once.
    pub interrupted: &'a AtomicBool,
}

/// What became of the jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Jobs whose results were handed out. All of them, unless interrupted.
    pub done: usize,
    /// Jobs whose results came from the store.
    pub taken: usize,
    /// Runs that were computed to their end, those included that an interrupt kept from being
    /// handed out.
    pub computed: usize,
    /// Runs that were computed and are safe in the store now.
    pub kept: usize,
    /// Why the store was not read, or not all that it should have been given is in it. Results are
    /// complete without it, but the next time some runs will be computed again.
    pub trouble: Option<StoreError>,
}

impl Runner<'_> {
    /// Executes the jobs. `done` gets the results in the order of the jobs, from the calling
    /// thread; `progress` is told, from any thread, how many hundredths of a run
    /// ([`STEPS`] of them are one) are done since it was told before. Equal jobs are
    /// computed once. Answers when all that was computed is in the store.
    ///
    /// An interrupt leaves results out from the first run that did not end; runs after it that did
    /// are kept in the store all the same. A store that fails stops nothing: see
    /// [`Summary::trouble`].
    pub fn run(
        &self,
        jobs: &[Job<'_>],
        progress: impl Fn(u64) + Sync,
        mut done: impl FnMut(usize, Done),
    ) -> Summary {
        let keys = job::keys(jobs);
        let (kept, trouble) = match self.store.map(|store| store.has(&keys)) {
            Some(Ok(kept)) => (kept, None),
            Some(Err(error)) => (vec![false; jobs.len()], Some(error)),
            None => (vec![false; jobs.len()], None),
        };
        let plan = Plan::new(&keys, &kept);
        progress(STEPS * (jobs.len() - plan.missing.len()) as u64);
        let queue = Queue::default();
        let computed = AtomicUsize::new(0);
        let compute = |index: usize, planned: bool| {
            // What is not planned was thought to be in the store, and told of already.
            let step = || progress(u64::from(planned));
            let run = jobs[index].run(self.interrupted, step)?;
            computed.fetch_add(1, Ordering::Relaxed);
            if let (Some(_), Some(key)) = (self.store, &keys[index])
                && let Some(row) = Row::new(key, &run)
            {
                queue.push(row);
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
            batch::in_order(
                plan.missing.len(),
                self.threads,
                self.interrupted,
                |turn| compute(plan.missing[turn], true),
                |turn, run| {
                    counter.serve(plan.missing[turn], run, &mut done);
                    let next = plan.missing.get(turn + 1).copied();
                    counter.serve_until(next, &unplanned, &mut done);
                },
            );
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
            }
        })
    }
}

/// Which jobs are computed, and where the others' results come from.
struct Plan {
    /// The jobs that are computed.
    missing: Vec<usize>,
    /// For a job that is the same as one that is computed, that one.
    same: BTreeMap<usize, usize>,
    /// For a job that is computed and that others are the same as, the last of them.
    last: BTreeMap<usize, usize>,
}

impl Plan {
    fn new(keys: &[Option<Key>], kept: &[bool]) -> Self {
        let mut plan = Self {
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
}

/// Where results are handed out in order.
struct Counter<'a> {
    plan: &'a Plan,
    keys: &'a [Option<Key>],
    store: Option<&'a Store>,
    interrupted: &'a AtomicBool,
    /// Results that later jobs want too.
    again: BTreeMap<usize, Done>,
    /// The next job.
    next: usize,
    taken: usize,
    trouble: Option<StoreError>,
}

impl Counter<'_> {
    /// Hands out a result that was computed.
    fn serve(&mut self, index: usize, run: Done, done: &mut impl FnMut(usize, Done)) {
        // After an interrupt, there may be a gap before it.
        if index != self.next {
            return;
        }
        if self.plan.last.contains_key(&index) {
            self.again.insert(index, run.clone());
        }
        self.next += 1;
        done(index, run);
    }

    /// Hands out all results that need no computing before the one of `end`, or to the last.
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
            // What was in the store a moment ago may be pruned by another process now.
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
    fn a_store_without_room_costs_no_result() {
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
        // A run takes about 0.5 KB, a page has 4 KiB: there is room for some of them at most.
        // No limit is below what there is.
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
