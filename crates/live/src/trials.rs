//! Runs of the kernel's connections on an emulated network: several of each sort with consecutive seeds, again where they
//! are doubtful.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dumbbell_run::batch;

use crate::emulator::{Fault, Report};
use crate::error::Error;
use crate::transfer::Measured;

/// How many runs there are, and how long each is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The first seed.
    pub seed: u64,
    /// Number of runs of each sort, with consecutive seeds.
    pub repeat: u32,
    /// Length of a run.
    pub duration: Duration,
    /// Number of parallel runs.
    pub jobs: usize,
    /// How often a run is repeated at most if its results are not to be trusted.
    pub again: u32,
}

/// A run.
pub(crate) trait Trial {
    /// What was wrong with the emulated network.
    fn faults(&self) -> &[Fault];
    /// Its TCP connections.
    fn connections(&self) -> impl Iterator<Item = &Measured>;
    /// How often it had to be repeated.
    fn repeated(&self) -> u32;
    /// Notes how often it had to be repeated.
    fn set_repeated(&mut self, repeated: u32);

    /// Why it is not to be believed: the machine was too slow, or something beside the network limited a connection.
    fn doubts(&self) -> Vec<String> {
        let faults = self.faults().iter().map(ToString::to_string);
        let limits = self.connections().flat_map(|it| &it.limits);
        faults.chain(limits.map(ToString::to_string)).collect()
    }

    /// Whether it is not to be believed.
    fn is_doubtful(&self) -> bool {
        !self.faults().is_empty() || self.connections().any(|it| !it.limits.is_empty())
    }
}

/// How many times windows are sampled in a run.
const LOOKS: u32 = 400;
/// The shortest sampling interval.
const BRIEFEST: Duration = Duration::from_millis(5);

impl Schedule {
    /// Returns the number of all runs of so many sorts.
    pub fn runs(&self, sorts: usize) -> usize {
        sorts * self.repeat as usize
    }

    /// Returns the time between two samples of a connection.
    pub(crate) fn interval(&self) -> Duration {
        (self.duration / LOOKS).max(BRIEFEST)
    }

    /// Returns the seeds of the runs of a sort.
    pub(crate) fn seeds(&self) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed;
        (0..u64::from(self.repeat)).map(move |number| first.wrapping_add(number))
    }

    /// Executes all runs, seed by seed, so that changes on the machine affect all sorts alike. `attempt` is given the
    /// number of the sort, and a seed. `progress` is called after each run. Returns the runs of each sort; if
    /// interrupted, those up to then.
    ///
    /// # Errors
    /// The error of the first run that failed.
    pub(crate) fn execute<R: Trial + Send>(
        &self,
        sorts: usize,
        interrupted: &AtomicBool,
        attempt: impl Fn(usize, u64) -> Result<R, Error> + Sync,
        progress: impl Fn(),
    ) -> Result<Vec<Vec<R>>, Error> {
        let failure = Mutex::new(None);
        let stop = AtomicBool::new(false);
        let seeds: Vec<u64> = self.seeds().collect();
        let job = |index: usize| {
            if interrupted.load(Ordering::Relaxed) {
                return None;
            }
            let again = || attempt(index % sorts, seeds[index / sorts]);
            match self.until_believed(interrupted, again) {
                Ok(run) if !interrupted.load(Ordering::Relaxed) => Some(run),
                Ok(_) => None,
                Err(error) => {
                    let mut first = failure.lock().unwrap_or_else(PoisonError::into_inner);
                    first.get_or_insert(error);
                    stop.store(true, Ordering::Relaxed);
                    None
                }
            }
        };
        let mut runs: Vec<Vec<R>> = (0..sorts).map(|_| Vec::new()).collect();
        batch::in_order(self.runs(sorts), self.jobs, &stop, job, |index, run| {
            runs[index % sorts].push(run);
            progress();
        });
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(runs), Err)
    }

    /// Executes a run, and repeats it while it is doubtful.
    fn until_believed<R: Trial>(
        &self,
        interrupted: &AtomicBool,
        attempt: impl Fn() -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut repeated = 0;
        loop {
            let mut run = attempt()?;
            let is_last = repeated >= self.again || interrupted.load(Ordering::Relaxed);
            if is_last || !run.is_doubtful() {
                run.set_repeated(repeated);
                return Ok(run);
            }
            repeated += 1;
        }
    }
}

/// Returns the number of doubtful runs.
pub(crate) fn doubtful<R: Trial>(runs: &[R]) -> usize {
    runs.iter().filter(|run| run.is_doubtful()).count()
}

/// Returns how late packets left the emulator, in seconds, as the mean of all runs; and the highest 99th percentile of
/// any run, of packets that left or came in.
pub(crate) fn lateness<'r>(networks: impl Iterator<Item = &'r Report>) -> (f64, f64) {
    let (mut worst, mut sum, mut count) = (0.0f64, 0.0, 0u32);
    for network in networks {
        worst = worst
            .max(network.lateness.p99_s)
            .max(network.entry_lateness.p99_s);
        sum += network.lateness.mean_s;
        count += 1;
    }
    (sum / f64::from(count.max(1)), worst)
}

/// Returns warnings about runs of several sorts, each with its name, of which so many were planned.
pub(crate) fn warnings<R: Trial>(planned: usize, sorts: &[(&str, &[R])]) -> Vec<String> {
    let runs: usize = sorts.iter().map(|(_, runs)| runs.len()).sum();
    let interrupted = (runs < planned)
        .then(|| format!("INTERRUPTED: {runs} of {planned} runs are over, and only they count"));
    let doubts = sorts.iter().filter_map(|(label, runs)| {
        let doubt = runs.iter().flat_map(Trial::doubts).next()?;
        Some(format!(
            "NOT TO BE BELIEVED, {} of {} runs of {label}: {doubt}",
            doubtful(runs),
            runs.len()
        ))
    });
    interrupted.into_iter().chain(doubts).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::transfer::{Limit, Limited};

    #[derive(Default)]
    struct Run {
        faults: Vec<Fault>,
        connection: Measured,
        seed: u64,
        sort: usize,
        repeated: u32,
    }

    impl Trial for Run {
        fn faults(&self) -> &[Fault] {
            &self.faults
        }
        fn connections(&self) -> impl Iterator<Item = &Measured> {
            std::iter::once(&self.connection)
        }
        fn repeated(&self) -> u32 {
            self.repeated
        }
        fn set_repeated(&mut self, repeated: u32) {
            self.repeated = repeated;
        }
    }

    const SCHEDULE: Schedule = Schedule {
        seed: 7,
        repeat: 2,
        duration: Duration::from_secs(1),
        jobs: 1,
        again: 2,
    };

    fn limited() -> Run {
        let mut run = Run::default();
        run.connection.limits.push(Limited {
            by: Limit::ReceiverWindow,
            share: 0.976,
        });
        run
    }

    /// At 300 Mb/s, such a run carried 50.
    #[test]
    fn a_connection_that_its_receiver_limits_is_doubted_and_repeated() {
        let never = AtomicBool::new(false);
        let runs = SCHEDULE
            .execute(1, &never, |_, _| Ok(limited()), || {})
            .expect("no run fails");
        assert_eq!(runs[0].len(), 2);
        assert!(runs[0].iter().all(|run| run.repeated == 2));
        let said = warnings(2, &[("reno", &runs[0][..])]);
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("NOT TO BE BELIEVED, 2 of 2 runs of reno: ")
                && said[0].contains("97.6 %"),
            "{said:?}"
        );
    }

    #[test]
    fn a_run_is_repeated_until_it_is_believed() {
        let attempts = AtomicU32::new(0);
        let attempt = || match attempts.fetch_add(1, Ordering::Relaxed) {
            0 => Ok(limited()),
            _ => Ok(Run::default()),
        };
        let run = SCHEDULE.until_believed(&AtomicBool::new(false), attempt);
        assert_eq!(run.expect("it is believed").repeated, 1);
        assert_eq!(attempts.into_inner(), 2);
    }

    #[test]
    fn runs_go_seed_by_seed_and_the_first_error_ends_them() {
        let never = AtomicBool::new(false);
        let attempt = |sort, seed| {
            Ok(Run {
                seed,
                sort,
                ..Run::default()
            })
        };
        let runs = SCHEDULE.execute(3, &never, attempt, || {}).expect("three");
        let found = runs
            .iter()
            .map(|runs| runs.iter().map(|it| (it.sort, it.seed)).collect::<Vec<_>>());
        let expected = (0..3).map(|sort| vec![(sort, 7), (sort, 8)]);
        assert!(found.eq(expected));
        assert!(warnings(6, &[("all", &runs[0][..])])[0].starts_with("INTERRUPTED: 2 of 6"));
        let failing = |_, seed| match seed {
            7 => Ok(Run::default()),
            _ => Err(Error::Refused("no".to_owned())),
        };
        assert!(SCHEDULE.execute(1, &never, failing, || {}).is_err());
    }
}
