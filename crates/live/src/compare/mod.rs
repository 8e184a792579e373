//! One path, several controls: the kernel's TCP over the emulated network of a scenario, compared with the
//! simulator's prediction for the same controls on the same network.

pub mod contenders;
mod csv;
pub(crate) mod difference;
mod explanation;
mod measure;
#[cfg(feature = "kernel")]
pub mod ours;
mod outcome;
mod predicted;
pub(crate) mod prediction;
pub(crate) mod switches;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_scenario::controls::Controls;
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
use crate::trials::Schedule;

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

impl Contender {
    /// Whether the control counts marks, for which it has a receiver of its own.
    pub(crate) fn counts_marks(&self) -> bool {
        let simulated = self.simulated.as_deref();
        let known = simulated.and_then(|name| Controls::builtin().named(name).map(|it| it.needs()));
        known.is_some_and(|needs| needs.marks)
    }
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
    /// How many runs of each control there are.
    pub schedule: Schedule,
    /// Whether a control that differs from its prediction is predicted again with each switch of the simulated
    /// Linux the other way.
    pub explains: bool,
}

impl Plan<'_> {
    /// Returns the number of all planned runs.
    pub fn runs(&self) -> usize {
        self.schedule.runs(self.contenders.len())
    }

    /// Predicts all runs, and executes them in the kernel. `progress` is called after each run of the kernel.
    ///
    /// # Errors
    /// The error of the first run that failed. If interrupted, it returns the results up to then.
    pub fn run(&self, interrupted: &AtomicBool, progress: impl Fn()) -> Result<Comparison, Error> {
        let interval = self.schedule.interval();
        let predicted = self.contenders.iter();
        let predicted = predicted.map(|it| self.predict(it, interval, interrupted));
        let predicted = predicted.collect::<Result<Vec<_>, Error>>()?;
        let attempt = |place: usize, seed| self.attempt(place, seed, interval, interrupted);
        let runs = self
            .schedule
            .execute(self.contenders.len(), interrupted, attempt, progress)?;
        let rows = self.contenders.iter().zip(runs).zip(predicted);
        let rows: Vec<Row> = rows
            .map(|((contender, runs), mut predicted)| {
                // An interrupted comparison is compared seed by seed, too.
                predicted.truncate(runs.len());
                Row {
                    label: contender.label.clone(),
                    kernel_name: contender.kernel_name.clone(),
                    simulated: contender.simulated.clone(),
                    runs,
                    predicted,
                }
            })
            .collect();
        Ok(Comparison {
            planned: self.runs(),
            explanations: self.explain(&rows, interrupted)?,
            rows,
            duration_s: self.schedule.duration.as_secs_f64(),
            interval_s: interval.as_secs_f64(),
            first_seed: self.schedule.seed,
        })
    }

    fn attempt(
        &self,
        place: usize,
        seed: u64,
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Run, Error> {
        let contender = &self.contenders[place];
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
            duration: self.schedule.duration,
            interval,
            ecn: self.asks_for_marks(),
            at_both_ends: contender.counts_marks(),
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
        let duration = self.schedule.duration;
        let (scenario, place) = predicted_scenario(self.scenario, self.flow, control, duration)
            .map_err(Error::Refused)?;
        let runs = self
            .schedule
            .seeds()
            .map_while(|seed| prediction::run(&scenario, place, seed, interval, interrupted));
        Ok(runs.collect())
    }

    /// Returns whether the flow in the file has ECN.
    fn asks_for_marks(&self) -> bool {
        let flow = named_flows(self.scenario).nth(self.flow);
        flow.is_some_and(
            |(entry, _)| matches!(&entry.traffic, Traffic::Tcp(tcp) if tcp.ecn.is_on()),
        )
    }
}
