//! The same controls on the same path behind three stacks: simulated, over QUIC and in the kernel. What is real is
//! compared with the simulated flow that is like it, with the same seeds, packet sizes and length.

mod control;
mod csv;
mod judged;
mod outcome;

use std::sync::atomic::AtomicBool;

use dumbbell_scenario::Scenario;

pub use control::{Entered, Entry, enter, simulated};
pub use judged::{Agreement, Order, Pair};
pub use outcome::{Host, Parity, Reason, Row, Side};

use crate::compare::difference::{Question, runs_of_a_variant};
use crate::compare::prediction::{self, Like, Variant};
use crate::compare::switches::{LINUX, QUINN};
use crate::compare::{Contender, Predicted, Run};
use crate::emulator::{Emulator, Options};
use crate::error::Error;
use crate::quic::{QuicTransfer, Stack};
use crate::transfer::{self, Transfer};
use crate::trials::{Schedule, lateness};

/// The usual path MTU in bytes: Ethernet's.
pub const MTU: u16 = 1500;

/// What to run.
#[derive(Debug)]
pub struct Plan<'p> {
    /// The network, and its flows.
    pub scenario: &'p Scenario,
    /// The flow that is real, as its position among a run's flows: a TCP flow.
    pub flow: usize,
    /// The controls.
    pub entries: Vec<Entry>,
    /// How many runs of each control there are behind each stack.
    pub schedule: Schedule,
    /// The largest packet in bytes, with its IPv4 header, at every stack.
    pub mtu: u16,
    /// Whether what differs is simulated again, with one switch at a time.
    pub explains: bool,
    /// Whether nothing is real: only what is simulated beside the real stacks runs.
    pub predicts: bool,
}

/// A real transfer: the entry, and the stack.
enum Job<'p> {
    Quic(&'p Entry),
    Kernel(&'p Contender),
}

impl Plan<'_> {
    fn jobs(&self) -> Vec<Job<'_>> {
        let jobs = self.entries.iter().flat_map(|entry| {
            let kernel = entry.kernel.as_ref().map(Job::Kernel);
            std::iter::once(Job::Quic(entry)).chain(kernel)
        });
        jobs.collect()
    }

    /// Returns the number of all planned real runs.
    pub fn runs(&self) -> usize {
        let sorts = if self.predicts { 0 } else { self.jobs().len() };
        self.schedule.runs(sorts)
    }

    /// Simulates all runs, and executes the real ones. `progress` is called after each real run.
    ///
    /// # Errors
    /// The error of the first run that failed. If interrupted, it returns the results up to then.
    pub fn run(&self, interrupted: &AtomicBool, progress: impl Fn()) -> Result<Parity, Error> {
        let mut predicted = Vec::new();
        for entry in &self.entries {
            let quic = self.predict(entry.quic.simulated(), self.like(entry), interrupted)?;
            let kernel = entry.kernel.as_ref().and_then(|it| it.simulated.as_deref());
            let linux = kernel.or(entry.quic.is_ours().then(|| entry.quic.simulated()));
            // Some controls do not go with the recovery of Linux.
            let linux = linux.map(|it| self.predict(it, Like::Linux(self.mtu), interrupted));
            predicted.push((quic, linux.and_then(Result::ok).unwrap_or_default()));
        }
        let jobs = match self.predicts {
            true => Vec::new(),
            false => self.jobs(),
        };
        let attempt = |place: usize, seed| self.attempt(&jobs[place], seed, interrupted);
        let runs = self
            .schedule
            .execute(jobs.len(), interrupted, attempt, progress)?;
        let mut runs = runs.into_iter();
        let rows = self.entries.iter().zip(predicted);
        let rows: Vec<Row> = rows
            .map(|(entry, (quic, linux))| {
                let real = runs.next();
                let kernel = entry.kernel.as_ref().and_then(|_| runs.next());
                // What was predicted for runs that were interrupted has nothing beside it.
                let count = real.as_ref().map_or(quic.len(), Vec::len);
                let mut sides = vec![Side::simulated(Host::SimulatedQuic, quic, count)];
                sides.extend(real.map(|it| Side::real(Host::Quic(entry.quic.stack()), it)));
                if !linux.is_empty() {
                    let count = kernel.as_ref().map_or(linux.len(), Vec::len);
                    sides.push(Side::simulated(Host::SimulatedLinux, linux, count));
                }
                sides.extend(kernel.map(|runs| Side::real(Host::Kernel, runs)));
                Row {
                    label: entry.quic.name().to_owned(),
                    simulated: entry.quic.simulated(),
                    sides,
                }
            })
            .collect();
        Ok(Parity {
            planned: self.runs(),
            reasons: self.reasons(&rows, interrupted)?,
            rows,
            mtu: self.mtu,
            duration_s: self.schedule.duration.as_secs_f64(),
            interval_s: self.schedule.interval().as_secs_f64(),
            first_seed: self.schedule.seed,
        })
    }

    fn predict(
        &self,
        control: &str,
        like: Like,
        interrupted: &AtomicBool,
    ) -> Result<Vec<Predicted>, Error> {
        let variant = Variant {
            like,
            ..Variant::default()
        };
        let duration = self.schedule.duration;
        let (scenario, place) =
            prediction::variant(self.scenario, self.flow, control, duration, variant)
                .map_err(Error::Refused)?;
        let interval = self.schedule.interval();
        let runs = self
            .schedule
            .seeds()
            .map_while(|seed| prediction::run(&scenario, place, seed, interval, interrupted));
        Ok(runs.collect())
    }

    fn attempt(&self, job: &Job<'_>, seed: u64, interrupted: &AtomicBool) -> Result<Run, Error> {
        let options = Options {
            flow: self.flow,
            seed,
            mtu: Some(self.mtu),
        };
        let mut path = Emulator::prepare(self.scenario, options)?;
        let (duration, interval) = (self.schedule.duration, self.schedule.interval());
        let measured = match job {
            Job::Quic(entry) => QuicTransfer {
                control: entry.quic.clone(),
                duration,
                interval,
            }
            .run_with_network(&mut path, interrupted)?,
            Job::Kernel(contender) => {
                let prepared = contender.preparation.as_ref();
                let _prepared = prepared.map(|prepare| prepare(&path)).transpose()?;
                Transfer {
                    control: contender.kernel_name.clone(),
                    duration,
                    interval,
                    ecn: false,
                    at_both_ends: contender.counts_marks(),
                    port: transfer::PORT,
                }
                .run_with_network(&mut path, interrupted)?
            }
        };
        Ok(Run {
            seed,
            repeated: 0,
            measured,
            network: path.stop()?,
        })
    }

    /// Why real stacks differ from the simulated ones, and why the simulated QUIC differs from the simulated Linux.
    fn reasons(&self, rows: &[Row], interrupted: &AtomicBool) -> Result<Vec<Reason>, Error> {
        let mut found = Vec::new();
        for (row, entry) in rows.iter().zip(&self.entries).filter(|_| self.explains) {
            for (one, other) in [
                (Host::QUINN, Host::SimulatedQuic),
                (Host::NOQ, Host::SimulatedQuic),
                (Host::Kernel, Host::SimulatedLinux),
                (Host::SimulatedLinux, Host::SimulatedQuic),
            ] {
                let (Some(real), Some(simulated)) = (row.side(one), row.side(other)) else {
                    continue;
                };
                let (like, switches): (_, &'static [_]) = match other {
                    Host::SimulatedLinux => (Like::Linux(self.mtu), &LINUX),
                    _ => (self.like(entry), &QUINN),
                };
                let kernel = entry.kernel.as_ref().and_then(|it| it.simulated.as_deref());
                let control = match kernel {
                    Some(control) if other == Host::SimulatedLinux => control,
                    _ => row.simulated,
                };
                let question = Question {
                    scenario: self.scenario,
                    flow: self.flow,
                    control,
                    schedule: self.schedule,
                    usual: Variant {
                        like,
                        ..Variant::default()
                    },
                    switches,
                    late_s: lateness(real.runs.iter().map(|run| &run.network)).0,
                };
                let values = |quantity| real.value(quantity).zip(simulated.value(quantity));
                let gaps = question.gaps(values, interrupted)?;
                found.extend((!gaps.is_empty()).then(|| Reason {
                    label: row.label.clone(),
                    real: one,
                    simulated: other,
                    runs: runs_of_a_variant(&self.schedule),
                    gaps,
                }));
            }
        }
        Ok(found)
    }

    /// What the simulated flow beside QUIC is like.
    fn like(&self, entry: &Entry) -> Like {
        match entry.quic.stack() {
            Stack::Noq => Like::Noq(self.mtu),
            Stack::Quinn if entry.quic.is_timed() => Like::TimedQuinn(self.mtu),
            Stack::Quinn => Like::Quinn(self.mtu),
        }
    }
}
