//! A run: a scenario with a seed, from its first event to its results.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use dumbbell_control::controller::{Controller as _, Window};
use dumbbell_scenario::controls::Alarm;
use dumbbell_scenario::{Duration, Probe, Scenario};
use dumbbell_sim::Simulation;

use crate::failure::Failure;
use crate::flow::Control;
use crate::hosts::Hosts;
use crate::interrupt::Interrupt;
use crate::losses::Losses;
use crate::outcome::Outcome;
use crate::probe::{Probes, Series};
use crate::results;
use crate::stage::{Pace, Stage, Watch, prepare};
use crate::time::{since_start, time};
use crate::trace::{Tape, Tapped, TraceError};

/// How many times a run that [goes](Run::go) reports its progress.
pub const STEPS: u64 = 100;

/// A run that has not started yet.
///
/// The same scenario and seed give the same [`Outcome`], to the byte, whether or not the run is
/// watched, traced or probed; a probe only adds its own samples to [`Outcome::events`].
///
/// ```
/// use dumbbell_run::Run;
/// use dumbbell_scenario::{Scenario, controls::Controls};
///
/// let text = r#"
///     duration = "10 s"
///     [dumbbell]
///     access     = { rate = "10 Mb/s", delay = "1 ms" }
///     bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 }, loss = { bernoulli = 0.01 } }
///     [[flow]]
///     control = "veno"
/// "#;
/// let scenario = Scenario::parse("example", text, &Controls::builtin())?;
/// let done = Run::new(&scenario).seed(7).go()?;
/// assert!(done.outcome.flows[0].goodput_bps > 500e3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing happens before `go` or `start`"]
pub struct Run<'r> {
    scenario: Cow<'r, Scenario>,
    seed: u64,
    probe: Option<&'r Probe>,
    watcher: Option<&'r dyn Watch>,
    losses: Option<&'r Losses>,
    tape: Option<Tape<'r>>,
    interrupt: Interrupt<'r>,
    progress: Option<Box<dyn FnMut() + 'r>>,
}

/// A run in progress. Its owner advances it in steps and can inspect it between them.
pub struct Running<'r> {
    scenario: Cow<'r, Scenario>,
    seed: u64,
    interrupt: Interrupt<'r>,
    alarm: Alarm,
    engine: Engine<'r>,
}

/// The results of a completed run.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The results of its flows and links.
    pub outcome: Outcome,
    /// The samples of its probe, with the flows' series first; empty without a probe.
    pub series: Vec<Series>,
}

/// Why a run stopped before its end.
#[derive(Debug)]
pub enum Stopped {
    /// The flag that it was given was set.
    Interrupted,
    /// A trace could not be written.
    Trace(TraceError),
    /// A control that a program added has failed.
    Failed(Failure),
}

/// The simulation, with or without traces: a run without traces does not pay for them.
enum Engine<'r> {
    Plain(Box<Simulation<Hosts>>),
    Traced(Box<Simulation<Tapped<'r>>>),
}

macro_rules! on_either {
    ($engine:expr, $simulation:ident => $then:expr) => {
        match $engine {
            Engine::Plain($simulation) => $then,
            Engine::Traced($simulation) => $then,
        }
    };
}

impl<'r> Run<'r> {
    /// Creates a run of this scenario with the scenario's seed.
    pub fn new(scenario: &'r Scenario) -> Self {
        Self::with(Cow::Borrowed(scenario))
    }

    /// Creates a run that owns its scenario, for a caller that keeps the run but not the scenario.
    pub fn owning(scenario: Scenario) -> Self {
        Self::with(Cow::Owned(scenario))
    }

    fn with(scenario: Cow<'r, Scenario>) -> Self {
        Self {
            seed: scenario.seed,
            scenario,
            probe: None,
            watcher: None,
            losses: None,
            tape: None,
            interrupt: Interrupt::own(),
            progress: None,
        }
    }

    /// Uses this seed instead of the scenario's.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Samples the quantities that this probe names, if there is a probe. Without this call nothing
    /// is sampled, not even for the scenario's own probe.
    pub fn probe(mut self, probe: impl Into<Option<&'r Probe>>) -> Self {
        self.probe = probe.into();
        self
    }

    /// Lets `watcher` put something around the control of each TCP flow, such as an
    /// [`Explainer`](crate::explain::Explainer).
    pub fn watch(mut self, watcher: &'r dyn Watch) -> Self {
        self.watcher = Some(watcher);
        self
    }

    /// Lists the data packets that never arrive.
    pub fn losses(mut self, losses: &'r Losses) -> Self {
        self.losses = Some(losses);
        self
    }

    /// Records the events at the senders.
    pub fn trace(mut self, tape: Tape<'r>) -> Self {
        self.tape = Some(tape);
        self
    }

    /// Stops the run soon after this flag is set. A trace that cannot be written also sets it.
    pub fn interrupt(mut self, flag: &'r AtomicBool) -> Self {
        self.interrupt = Interrupt::Given(flag);
        self
    }

    /// Calls `progress` after each of [`STEPS`] equal spans of simulated time.
    pub fn progress(mut self, progress: impl FnMut() + 'r) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// [`Stopped`] if the run was interrupted, a trace cannot be written, or an added control has failed.
    pub fn go(mut self) -> Result<Done, Stopped> {
        let mut progress = self.progress.take();
        let duration = self.scenario.duration.as_nanos();
        let mut running = self.set_up(Pace::Free);
        for step in 1..=STEPS {
            let until = u128::from(duration) * u128::from(step) / u128::from(STEPS);
            running.advance_to(Duration::from_nanos(until as u64))?;
            if let Some(progress) = &mut progress {
                progress();
            }
        }
        running.finish()
    }

    /// Sets the run up without executing an event. The [`progress`](Self::progress) callback is
    /// then never called, because the caller knows how far it has advanced the run.
    pub fn start(self) -> Running<'r> {
        self.set_up(Pace::Watched)
    }

    fn set_up(self, pace: Pace) -> Running<'r> {
        let Self {
            scenario,
            seed,
            probe,
            watcher,
            losses,
            tape,
            interrupt,
            ..
        } = self;
        let alarm = Alarm::new();
        let mut engine = match tape {
            None => {
                let stage = Hosts::default();
                let pace = match (probe, watcher) {
                    (None, None) => pace,
                    _ => Pace::Watched,
                };
                Engine::Plain(Box::new(prepare(
                    &scenario, seed, probe, watcher, &alarm, pace, stage,
                )))
            }
            Some(tape) => {
                let stage = Tapped::new(tape, interrupt.clone());
                Engine::Traced(Box::new(prepare(
                    &scenario,
                    seed,
                    probe,
                    watcher,
                    &alarm,
                    Pace::Watched,
                    stage,
                )))
            }
        };
        on_either!(&mut engine, simulation => {
            simulation.host_mut().hosts_mut().fates.list = losses.cloned();
        });
        Running {
            scenario,
            seed,
            interrupt,
            alarm,
            engine,
        }
    }
}

impl Running<'_> {
    /// The simulated time reached so far.
    pub fn now(&self) -> Duration {
        since_start(on_either!(&self.engine, simulation => simulation.now()))
    }

    /// Advances to this time, or to the end of the run if that is earlier. A time in the past
    /// changes nothing.
    ///
    /// # Errors
    /// [`Stopped`] if the run was interrupted, a trace cannot be written, or an added control has failed.
    pub fn advance_to(&mut self, until: Duration) -> Result<(), Stopped> {
        let warmup = self.scenario.warmup;
        if self.now() < warmup && until >= warmup {
            self.run_to(warmup)?;
            self.end_warmup();
        }
        self.run_to(until)
    }

    /// Advances event by event until `is_enough` returns true after one, or to the end of the run. What
    /// happens after a warm-up is measured from the first event on that is not before the warm-up's end.
    ///
    /// # Errors
    /// As for [`advance_to`](Self::advance_to).
    pub fn advance_until(&mut self, is_enough: impl Fn() -> bool) -> Result<(), Stopped> {
        while !is_enough() && self.now() < self.scenario.duration {
            let is_warming_up = self.now() < self.scenario.warmup;
            on_either!(&mut self.engine, simulation => { simulation.step(); });
            if is_warming_up && self.now() >= self.scenario.warmup {
                self.end_warmup();
            }
            self.check()?;
        }
        Ok(())
    }

    /// Begins to measure.
    fn end_warmup(&mut self) {
        on_either!(&mut self.engine, simulation => {
            let (at, links) = (simulation.now(), simulation.links());
            let hosts = simulation.host_mut().hosts_mut();
            hosts.restart(&self.scenario, at, links);
        });
    }

    fn run_to(&mut self, until: Duration) -> Result<(), Stopped> {
        let (until, flag, alarm) = (time(until), &self.interrupt, &self.alarm);
        let ends = || flag.load(Ordering::Relaxed) || alarm.is_raised();
        let arrived = on_either!(&mut self.engine, s => s.advance_unless(until, &ends));
        self.check()?;
        if arrived {
            Ok(())
        } else {
            Err(Stopped::Interrupted)
        }
    }

    /// Returns what has gone wrong so far, if something has.
    fn check(&mut self) -> Result<(), Stopped> {
        if let Some(raised) = self.alarm.raised() {
            return Err(Stopped::Failed(Failure::of(raised, &self.scenario)));
        }
        if let Engine::Traced(simulation) = &mut self.engine {
            simulation.host_mut().tape().failure()?;
        }
        Ok(())
    }

    /// The results of the flows and links so far: during the warm-up those since the start, then those
    /// since its end.
    pub fn outcome(&self) -> Outcome {
        on_either!(&self.engine, simulation => {
            let (hosts, now) = (simulation.host().hosts(), simulation.now());
            let flows = results::of_flows(hosts, &self.scenario, &[], now);
            let before = hosts.mark.as_ref().map_or(&[][..], |mark| &mark.links);
            results::outcome(simulation, &self.scenario, self.seed, flows, before)
        })
    }

    /// The control of the flow at this position among the run's flows, for inspecting its window or
    /// the values that it reports; `None` if the flow is neither TCP nor QUIC.
    pub fn control(&self, flow: usize) -> Option<&Control> {
        self.hosts().senders.get(flow)?.control()
    }

    /// The current window of a flow, without inflation; `None` if the flow is not TCP.
    pub fn window(&self, flow: usize) -> Option<Window> {
        self.control(flow).map(Control::window)
    }

    /// The samples taken so far, with the flows' series first.
    pub fn series(&self) -> impl Iterator<Item = &Series> {
        self.hosts().probes.iter().flat_map(Probes::series)
    }

    /// Runs the rest, if there is any, and returns the results.
    ///
    /// # Errors
    /// [`Stopped`] if the run was interrupted, a trace cannot be written, or an added control has failed.
    pub fn finish(mut self) -> Result<Done, Stopped> {
        self.advance_to(self.scenario.duration)?;
        if let Engine::Traced(simulation) = &mut self.engine {
            simulation.host_mut().tape().finish()?;
        }
        let Self {
            scenario,
            seed,
            engine,
            ..
        } = self;
        Ok(on_either!(engine, simulation => leave(*simulation, &scenario, seed)))
    }

    fn hosts(&self) -> &Hosts {
        on_either!(&self.engine, simulation => simulation.host().hosts())
    }
}

/// Collects the results of a run that is over.
fn leave<S: Stage>(mut simulation: Simulation<S>, scenario: &Scenario, seed: u64) -> Done {
    // The packets in flight are freed before the flows' results are collected, and the hosts before those of
    // the links: with ten thousand flows, memory matters.
    simulation.free_packets();
    let mut hosts = std::mem::take(simulation.host_mut().hosts_mut());
    let flows = results::of_last_flows(&mut hosts, scenario, time(scenario.duration));
    let series = hosts
        .probes
        .take()
        .map_or_else(Vec::new, Probes::into_series);
    let before = hosts.mark.take().map_or_else(Vec::new, |mark| mark.links);
    drop(hosts);
    let outcome = results::outcome(&simulation, scenario, seed, flows, &before);
    Done { outcome, series }
}

impl From<TraceError> for Stopped {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("the run was interrupted"),
            Self::Trace(_) => f.write_str("a trace of the run failed"),
            Self::Failed(failure) => failure.fmt(f),
        }
    }
}

impl Error for Stopped {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Interrupted => None,
            Self::Trace(error) => Some(error),
            Self::Failed(failure) => failure.source(),
        }
    }
}
