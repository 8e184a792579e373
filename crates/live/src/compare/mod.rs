//! One path, several controls: the kernel's TCP over the emulated network of a scenario, compared with the
//! simulator's prediction for the same controls on the same network.

pub mod contenders;
mod csv;
mod difference;
mod explanation;
mod measure;
#[cfg(feature = "kernel")]
pub mod ours;
mod outcome;
mod predicted;
pub(crate) mod prediction;
mod reports;
mod switches;

use std::fmt;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dumbbell_run::batch;
use dumbbell_scenario::named_flows;
use dumbbell_scenario::{Scenario, Traffic};

pub use explanation::{Explanation, Gap, Moved};
pub use measure::Measure;
pub(crate) use outcome::over_time;
pub use outcome::{Comparison, Row, Run, Span};
pub use predicted::Predicted;
pub use prediction::{PAYLOAD_LESS, predicted_scenario};

use crate::emulator::{Emulator, Options};
use crate::error::Error;
use crate::transfer::{self, Transfer};

/// A function that prepares both hosts of a path for a control. The returned value is kept until the
/// transfer is over.
pub type Preparation = dyn Fn(&Emulator) -> Result<Box<dyn Send>, Error> + Send + Sync;

/// A control in a comparison.
pub struct Contender {
    /// Its displayed name.
    pub label: String,
    /// Its name in the kernel.
    pub kernel_name: String,
    /// The simulator's control of the same kind, if it has one.
    pub simulated: Option<String>,
    /// The preparation that its hosts need.
    pub preparation: Option<Box<Preparation>>,
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contender")
            .field("label", &self.label)
            .field("kernel_name", &self.kernel_name)
            .finish_non_exhaustive()
    }
}

/// A comparison to run.
#[derive(Debug)]
pub struct Plan<'p> {
    /// The network, and its flows.
    pub scenario: &'p Scenario,
    /// The flow that the real connection replaces, as its position among a run's flows: a TCP flow.
    pub flow: usize,
    /// The controls.
    pub contenders: Vec<Contender>,
    /// The first seed.
    pub seed: u64,
    /// Number of runs of each control, with consecutive seeds.
    pub repeat: u32,
    /// Length of a run.
    pub duration: Duration,
    /// Number of parallel runs.
    pub jobs: usize,
    /// How often a run is repeated at most if the machine was too slow for its results to be trusted.
    pub again: u32,
    /// Whether a control that differs from its prediction is predicted again with each switch of the simulated
    /// Linux the other way.
    pub explains: bool,
}

/// How many times windows are sampled in a run.
const LOOKS: u32 = 400;
/// The shortest sampling interval.
const BRIEFEST: Duration = Duration::from_millis(5);

impl Plan<'_> {
    /// Returns the number of all planned runs.
    pub fn runs(&self) -> usize {
        self.contenders.len() * self.repeat as usize
    }

    /// Executes all runs, seed by seed, each with the simulator first and then the kernel, so that changes
    /// on the machine affect all controls alike. `progress` is called after each run of the kernel.
    ///
    /// # Errors
    /// The error of the first run that failed. If interrupted, it returns the results up to then.
    pub fn run(
        &self,
        interrupted: &AtomicBool,
        progress: impl Fn() + Sync,
    ) -> Result<Comparison, Error> {
        let interval = (self.duration / LOOKS).max(BRIEFEST);
        let mut rows: Vec<Row> = Vec::new();
        for contender in &self.contenders {
            rows.push(Row {
                label: contender.label.clone(),
                kernel_name: contender.kernel_name.clone(),
                simulated: contender.simulated.clone(),
                runs: Vec::new(),
                predicted: self.predict(contender, interval, interrupted)?,
            });
        }
        let failure = Mutex::new(None);
        let stop = AtomicBool::new(false);
        let job = |index: usize| {
            if interrupted.load(Ordering::Relaxed) {
                return None;
            }
            match self.run_one(index, interval, interrupted) {
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
        batch::in_order(self.runs(), self.jobs, &stop, job, |index, run| {
            rows[index % self.contenders.len()].runs.push(run);
            progress();
        });
        // An interrupted comparison is compared seed by seed, too.
        for row in &mut rows {
            row.predicted.truncate(row.runs.len());
        }
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        match failure {
            Some(error) => Err(error),
            None => Ok(Comparison {
                planned: self.runs(),
                explanations: self.explain(&rows, interval, interrupted)?,
                rows,
                duration_s: self.duration.as_secs_f64(),
                interval_s: interval.as_secs_f64(),
                first_seed: self.seed,
            }),
        }
    }

    /// Executes one run of the kernel, and repeats it while it is doubtful.
    fn run_one(
        &self,
        index: usize,
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Run, Error> {
        let mut run = self.attempt(index, interval, interrupted)?;
        while !run.network.faults.is_empty()
            && run.repeated < self.again
            && !interrupted.load(Ordering::Relaxed)
        {
            let repeated = run.repeated + 1;
            run = self.attempt(index, interval, interrupted)?;
            run.repeated = repeated;
        }
        Ok(run)
    }

    fn attempt(
        &self,
        index: usize,
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Run, Error> {
        let contender = &self.contenders[index % self.contenders.len()];
        let seed = self.seed_of(index / self.contenders.len());
        let options = Options {
            flow: self.flow,
            seed,
            mtu: None,
        };
        let mut path = Emulator::prepare(self.scenario, options)?;
        let prepared = contender
            .preparation
            .as_ref()
            .map(|prepare| prepare(&path))
            .transpose()?;
        let transfer = Transfer {
            control: contender.kernel_name.clone(),
            duration: self.duration,
            interval,
            ecn: self.asks_for_marks(),
            port: transfer::PORT,
        };
        let measured = transfer.run_with_network(&mut path, interrupted)?;
        drop(prepared);
        Ok(Run {
            seed,
            repeated: 0,
            measured,
            network: path.stop()?,
        })
    }

    /// Returns the simulator's predictions for a control, seed by seed.
    fn predict(
        &self,
        contender: &Contender,
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Vec<Predicted>, Error> {
        let Some(control) = &contender.simulated else {
            return Ok(Vec::new());
        };
        let (scenario, place) =
            predicted_scenario(self.scenario, self.flow, control, self.duration)
                .map_err(Error::Refused)?;
        let seeds = 0..self.repeat as usize;
        let runs = seeds.map_while(|number| {
            prediction::run(
                &scenario,
                place,
                self.seed_of(number),
                interval,
                interrupted,
            )
        });
        Ok(runs.collect())
    }

    /// Returns whether the flow in the file has ECN.
    fn asks_for_marks(&self) -> bool {
        let flow = named_flows(self.scenario).nth(self.flow);
        flow.is_some_and(
            |(entry, _)| matches!(&entry.traffic, Traffic::Tcp(tcp) if tcp.ecn.is_on()),
        )
    }

    fn seed_of(&self, number: usize) -> u64 {
        self.seed.wrapping_add(number as u64)
    }
}
