//! How many runs a batch has.

use std::ops::Range;

/// How long a batch should take, in seconds. Handing it out costs a few milliseconds at most.
const SECONDS: f64 = 1.0;
/// How many batches a second are handed out at most: half of what a scheduler can do that takes 1 ms for
/// each, as Dask's does.
const MOST: f64 = 500.0;
/// How long the last batches should take at least, in seconds.
const SHORTEST: f64 = 0.05;
/// How many times the largest batch so far the next one may be.
const GROWTH: usize = 8;
/// The weight of the last batch in the mean time of a run.
const WEIGHT: f64 = 0.3;

/// The batches of some runs. Their size follows from how long runs took, since nobody knows that before.
pub struct Batches {
    next: usize,
    total: usize,
    /// The number of runs in the largest batch that came back.
    largest: usize,
    /// Seconds for a run.
    each: Option<f64>,
}

impl Batches {
    /// No batch yet of so many runs.
    pub fn new(total: usize) -> Self {
        Self {
            next: 0,
            total,
            largest: 0,
            each: None,
        }
    }

    /// The next batch for one of so many workers; `None` if all have been handed out.
    pub fn next(&mut self, workers: usize) -> Option<Range<usize>> {
        let left = self.total - self.next;
        if left == 0 {
            return None;
        }
        let size = match self.each {
            None => 1,
            Some(each) => {
                let seconds = SECONDS.max(workers as f64 / MOST);
                // At the end, every worker has a share, so that none waits long for another.
                let share = left.div_ceil(2 * workers).max((SHORTEST / each) as usize);
                let size = (seconds / each) as usize;
                size.min(share).min(GROWTH * self.largest)
            }
        };
        let begin = self.next;
        self.next += size.clamp(1, left);
        Some(begin..self.next)
    }

    /// Notes that a batch of so many runs took so many seconds.
    pub fn took(&mut self, runs: usize, seconds: f64) {
        self.largest = self.largest.max(runs);
        let last = (seconds / runs.max(1) as f64).max(1e-9);
        self.each = Some(match self.each {
            // Runs that take longer than before make batches shorter at once.
            Some(each) if last < each => each + WEIGHT * (last - each),
            _ => last,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(batches: &mut Batches, workers: usize, each: f64) -> Vec<usize> {
        let mut sizes = Vec::new();
        while let Some(batch) = batches.next(workers) {
            sizes.push(batch.len());
            batches.took(batch.len(), batch.len() as f64 * each);
        }
        sizes
    }

    #[test]
    fn batches_grow_to_a_second_and_shrink_at_the_end() {
        let sizes = sizes(&mut Batches::new(10_000), 2, 1e-3);
        assert_eq!(sizes[..5], [1, 8, 64, 512, 1000]);
        assert_eq!(sizes.iter().sum::<usize>(), 10_000);
        assert_eq!(sizes.iter().max(), Some(&1000));
        // The last batches take 50 ms, except for what is left.
        let last = &sizes[sizes.len() - 3..];
        assert!(last[..2] == [50, 50] && last[2] <= 50, "{sizes:?}");
    }

    #[test]
    fn a_long_run_is_a_batch() {
        assert_eq!(sizes(&mut Batches::new(5), 2, 60.0), [1; 5]);
    }

    #[test]
    fn many_workers_get_longer_batches() {
        // 10,000 workers with batches of 20 s take 500 batches a second.
        let mut batches = Batches::new(1_000_000_000);
        let sizes: Vec<usize> = (0..6)
            .filter_map(|_| {
                let batch = batches.next(10_000)?;
                batches.took(batch.len(), batch.len() as f64 * 1e-3);
                Some(batch.len())
            })
            .collect();
        assert_eq!(sizes, [1, 8, 64, 512, 4096, 20_000]);
    }

    #[test]
    fn longer_runs_make_batches_shorter_at_once() {
        let mut batches = Batches::new(100_000);
        batches.took(1000, 1.0);
        assert_eq!(batches.next(2).map(|it| it.len()), Some(1000));
        batches.took(1000, 10.0);
        assert_eq!(batches.next(2).map(|it| it.len()), Some(100));
        // Shorter ones make them longer step by step: 10 - 0.3 (10 - 1) = 7.3 ms.
        batches.took(100, 0.1);
        assert_eq!(batches.next(2).map(|it| it.len()), Some(136));
    }
}
