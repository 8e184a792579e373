//! Several real connections beside each other on one path: who gets how much, in the kernel and in the simulator.

mod csv;
pub mod entry;
mod outcome;
mod staging;

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use dumbbell_scenario::Scenario;
use dumbbell_scenario::quantity::BitRate;

pub use entry::{Entry, Sort};
pub use outcome::{Carried, Group, Mixed, Run, Together};
pub use staging::{Places, own};

use crate::compare::{Contender, Predicted, prediction};
use crate::emulator::{Emulator, Options};
use crate::error::Error;
use crate::stream::Stream;
use crate::transfer::{self, Transfer};
use crate::trials::Schedule;
use staging::Staged;

/// The most connections in a mixture.
pub const MOST_MEMBERS: usize = 64;

/// Connections that run beside each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Its name for readers.
    pub label: String,
    /// The connections.
    pub members: Vec<Member>,
}

/// A connection of a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name for readers: members with the same name are alike.
    pub label: String,
    /// What it carries.
    pub kind: Kind,
}

/// What a connection carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As much as TCP can carry, under the control at this position among those of the plan.
    Tcp(usize),
    /// Datagrams at this rate.
    Udp(BitRate),
}

/// Mixtures to run.
#[derive(Debug)]
pub struct Plan<'p> {
    /// The network, and its flows.
    pub scenario: &'p Scenario,
    /// Where in it the connections are.
    pub places: Places,
    /// The controls.
    pub contenders: Vec<Contender>,
    /// The mixtures.
    pub mixtures: Vec<Mixture>,
    /// Whether the first mixture is the one that the others are measured against: in all of them, the first
    /// connection is followed by the same others.
    pub reference: bool,
    /// How many runs of each mixture there are.
    pub schedule: Schedule,
}

impl Plan<'_> {
    /// Returns the number of all planned runs.
    pub fn runs(&self) -> usize {
        self.schedule.runs(self.mixtures.len())
    }

    /// Predicts all runs, and executes them in the kernel. `progress` is called after each run of the kernel.
    ///
    /// # Errors
    /// The error of the first run that failed, or if the connections cannot be where they are to be. If interrupted,
    /// it returns the results up to then.
    pub fn run(&self, interrupted: &AtomicBool, progress: impl Fn()) -> Result<Together, Error> {
        let interval = self.schedule.interval();
        let staged = self.mixtures.iter().map(|mixture| {
            staging::stage(
                self.scenario,
                &self.places,
                mixture,
                &self.contenders,
                self.schedule.duration,
            )
            .map_err(Error::Refused)
        });
        let staged = staged.collect::<Result<Vec<Staged>, Error>>()?;
        let predicted = staged.iter();
        let predicted: Vec<_> = predicted
            .map(|staged| self.predict(staged, interval, interrupted))
            .collect();
        let attempt = |place: usize, seed| {
            self.attempt(
                &self.mixtures[place],
                &staged[place],
                seed,
                interval,
                interrupted,
            )
        };
        let runs = self
            .schedule
            .execute(self.mixtures.len(), interrupted, attempt, progress)?;
        let mixed = self.mixtures.iter().zip(runs).zip(predicted);
        let mixed = mixed.map(|((mixture, runs), mut predicted)| {
            // An interrupted comparison is compared seed by seed, too.
            predicted.truncate(runs.len());
            Mixed {
                label: mixture.label.clone(),
                members: mixture.members.iter().map(|it| it.label.clone()).collect(),
                runs,
                predicted,
            }
        });
        Ok(Together {
            mixtures: mixed.collect(),
            reference: self.reference,
            planned: self.runs(),
            duration_s: self.schedule.duration.as_secs_f64(),
            interval_s: interval.as_secs_f64(),
            first_seed: self.schedule.seed,
        })
    }

    fn attempt(
        &self,
        mixture: &Mixture,
        staged: &Staged,
        seed: u64,
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Run, Error> {
        let (first, others) = staged
            .flows
            .split_first()
            .ok_or_else(|| Error::Refused("a mixture needs a connection".to_owned()))?;
        let ports = transfer::PORT + 1..;
        let others: Vec<(u16, usize)> = ports.zip(others.iter().copied()).collect();
        let options = Options {
            flow: *first,
            seed,
            mtu: None,
        };
        let mut path = Emulator::prepare_with(&staged.emulated, options, &others)?;
        let prepared = self.prepare(mixture, &path)?;
        path.begin()?;
        // As the simulated connections, they open after flows that begin with the network.
        thread::sleep(transfer::HEAD_START);
        let carried = thread::scope(|scope| {
            let path = &path;
            let running: Vec<_> = (transfer::PORT..)
                .zip(&mixture.members)
                .map(|(port, member)| {
                    let carry =
                        move || self.carry(member, port, staged, path, interval, interrupted);
                    scope.spawn(carry)
                })
                .collect();
            let ended = running.into_iter().map(|it| {
                it.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            ended.collect::<Vec<_>>()
        });
        drop(prepared);
        let flows = carried
            .into_iter()
            .collect::<Result<Vec<Carried>, Error>>()?;
        Ok(Run {
            seed,
            repeated: 0,
            jain: outcome::jain(&flows),
            flows,
            network: path.stop()?,
        })
    }

    /// Prepares the hosts for each control once.
    fn prepare(&self, mixture: &Mixture, path: &Emulator) -> Result<Vec<Box<dyn Send>>, Error> {
        let mut used: Vec<usize> = mixture.members.iter().filter_map(Member::control).collect();
        used.sort_unstable();
        used.dedup();
        let preparations = used
            .into_iter()
            .filter_map(|it| self.contenders[it].preparation.as_ref());
        preparations.map(|prepare| prepare(path)).collect()
    }

    fn carry(
        &self,
        member: &Member,
        port: u16,
        staged: &Staged,
        path: &Emulator,
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Carried, Error> {
        match member.kind {
            Kind::Tcp(control) => {
                let transfer = Transfer {
                    control: self.contenders[control].kernel_name.clone(),
                    duration: self.schedule.duration,
                    interval,
                    ecn: staged.ecn,
                    at_both_ends: self.contenders[control].counts_marks(),
                    port,
                };
                transfer.run(path, interrupted).map(Carried::Tcp)
            }
            Kind::Udp(rate) => {
                let stream = Stream {
                    rate_bps: rate.0 as f64,
                    packet: path.mtu(),
                    duration: self.schedule.duration,
                    port,
                };
                stream.run(path, interrupted).map(Carried::Udp)
            }
        }
    }

    /// Returns the simulator's predictions, seed by seed; none if it has not all of the controls.
    fn predict(
        &self,
        staged: &Staged,
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Vec<Vec<Predicted>> {
        let Some(scenario) = &staged.predicted else {
            return Vec::new();
        };
        let runs = self.schedule.seeds().map_while(|seed| {
            prediction::of_flows(scenario, &staged.flows, seed, interval, interrupted)
        });
        runs.collect()
    }
}

impl Member {
    /// Returns the position of its control; `None` for datagrams.
    fn control(&self) -> Option<usize> {
        match self.kind {
            Kind::Tcp(control) => Some(control),
            Kind::Udp(_) => None,
        }
    }
}
