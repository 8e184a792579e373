//! Executes many runs on all cores, with their results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Executes `count` jobs on `threads` threads. `done` is called with the results in the order of
/// the jobs, as soon as they are available, so the number of threads affects only the time taken. A
/// job that returns `None` was interrupted; after that, or once `interrupted` is set, no further
/// job is started. A single thread is that of the caller.
pub fn in_order<T: Send>(
    count: usize,
    threads: usize,
    interrupted: &AtomicBool,
    job: impl Fn(usize) -> Option<T> + Sync,
    done: impl FnMut(usize, T),
) {
    let threads = threads.clamp(1, count.max(1));
    if threads == 1 {
        return in_turn(count, interrupted, job, done);
    }
    let next = AtomicUsize::new(0);
    let (results, arrivals) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let results = results.clone();
            scope.spawn(|| {
                let results = results;
                while !interrupted.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let Some(result) = job(index) else { return };
                    if results.send((index, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(results);
        let mut ordered = Ordered::new(done);
        for (index, result) in arrivals {
            ordered.put(index, result);
        }
    });
}

/// Executes the jobs one after the other on this thread.
fn in_turn<T>(
    count: usize,
    interrupted: &AtomicBool,
    job: impl Fn(usize) -> Option<T>,
    mut done: impl FnMut(usize, T),
) {
    for index in 0..count {
        if interrupted.load(Ordering::Relaxed) {
            return;
        }
        let Some(result) = job(index) else { return };
        done(index, result);
    }
}

/// Brings results into the order of their jobs.
pub struct Ordered<T, F> {
    waiting: BTreeMap<usize, T>,
    expected: usize,
    done: F,
}

impl<T, F: FnMut(usize, T)> Ordered<T, F> {
    /// `done` is called with the results in the order of the jobs, as soon as they are available.
    pub fn new(done: F) -> Self {
        Self {
            waiting: BTreeMap::new(),
            expected: 0,
            done,
        }
    }

    /// Takes the result of a job.
    pub fn put(&mut self, index: usize, result: T) {
        self.waiting.insert(index, result);
        while let Some(result) = self.waiting.remove(&self.expected) {
            (self.done)(self.expected, result);
            self.expected += 1;
        }
    }
}

/// The number of threads that the machine can run at once.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_for_any_number_of_threads() {
        for threads in [1, 2, 8, 100] {
            let mut found = Vec::new();
            let job = |i: usize| {
                std::thread::sleep(std::time::Duration::from_micros(
                    ((i * 7919) % 13) as u64 * 50,
                ));
                Some(i * i)
            };
            in_order(40, threads, &AtomicBool::new(false), job, |i, square| {
                found.push((i, square))
            });
            assert_eq!(found, (0..40).map(|i| (i, i * i)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_interrupt_keeps_finished_results() {
        let interrupted = AtomicBool::new(false);
        let mut found = Vec::new();
        let job = |i: usize| {
            if i == 5 {
                interrupted.store(true, Ordering::Relaxed);
                return None;
            }
            Some(i)
        };
        in_order(1000, 1, &interrupted, job, |_, i| found.push(i));
        assert_eq!(found, [0, 1, 2, 3, 4]);
    }
}
