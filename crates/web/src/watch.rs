//! A run with its curves, the cuts of its windows and its losses.

use std::sync::{Arc, Mutex, PoisonError};

use dumbbell_run::explain::{self, Explainer, Question};
use dumbbell_run::losses::{Loss, Losses};
use dumbbell_run::outcome::{FlowOutcome, LinkOutcome};
use dumbbell_run::{Run, Series, Subject};
use dumbbell_scenario::{Duration, Link, Probe, ProbeValue, Scenario, Topology};
use serde::Serialize;

use crate::answer::{Answer, Column};
use crate::cut::{self, Cut};
use crate::picture::{COLUMNS, Grid};

/// The most samples of one series: what is wanted more often is sampled as often as this.
const MOST_SAMPLES: u64 = 200_000;
/// The most flows with curves. The others have their outcomes.
const MOST_FLOWS: usize = 64;
/// The most losses that are listed.
const MOST_LOSSES: usize = 20_000;

/// What is wanted of a run besides its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The seed; `None` for the scenario's own.
    pub seed: Option<u64>,
    /// The time between two samples; `None` for two samples per column of a chart.
    pub every: Option<Duration>,
    /// Whether cuts are explained.
    pub cuts: bool,
    /// Whether losses are listed.
    pub losses: bool,
}

#[derive(Serialize)]
struct Rest<'a> {
    time: Column,
    flows: Vec<FlowCurves<'a>>,
    links: Vec<LinkCurves<'a>>,
    cuts: &'a [Cut],
    /// How many cuts are not listed.
    more_cuts: u64,
    losses: Lost,
    /// How many losses are not listed.
    more_losses: u64,
    /// The names of all links.
    names: Vec<&'a str>,
}

/// The data packets that never arrived, as columns.
#[derive(Serialize)]
struct Lost {
    flow: Column,
    /// The position of the link among the names; NaN for a packet that arrived damaged.
    link: Column,
    time: Column,
    /// 1 if a loss model removed it, 0 if a queue dropped it.
    random: Column,
}

impl Lost {
    fn new(losses: &[Loss], numbers: &mut Vec<f64>) -> Self {
        let mut column = |of: &dyn Fn(&Loss) -> f64| Column::add(numbers, losses.iter().map(of));
        Self {
            flow: column(&|loss| loss.flow as f64),
            link: column(&|loss| loss.link.map_or(f64::NAN, |link| link as f64)),
            time: column(&|loss| loss.at.as_secs_f64()),
            random: column(&|loss| f64::from(u8::from(loss.random))),
        }
    }
}

#[derive(Serialize)]
struct FlowCurves<'a> {
    name: &'a str,
    control: &'a str,
    /// In seconds.
    start: f64,
    cwnd: Option<Column>,
    ssthresh: Option<Column>,
    rtt: Option<Column>,
    goodput: Option<Column>,
}

#[derive(Serialize)]
struct LinkCurves<'a> {
    name: &'a str,
    queue: Option<Column>,
    /// The largest number of packets in the queue, with the one in transmission; `None` if there is no limit in
    /// packets.
    capacity: Option<u32>,
}

/// Runs a scenario and returns its outcome, its curves and its cuts.
///
/// # Errors
/// A message, if a control failed.
pub fn watch(scenario: &Scenario, wanted: &Wanted) -> Result<Answer, String> {
    let probe = probe(scenario, wanted.every);
    let cuts = Arc::new(Mutex::new((Vec::new(), 0)));
    let told = Arc::clone(&cuts);
    let flows = explain::select(scenario, &[]).unwrap_or_default();
    let question = Question {
        flows,
        ..Question::about(scenario)
    };
    let explainer = Explainer::new(scenario, &question, move |line| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        match Cut::of(line) {
            Some(cut) if told.0.len() < cut::MOST => told.0.push(cut),
            Some(_) => told.1 += 1,
            None => {}
        }
    });
    let losses = Losses::up_to(MOST_LOSSES);
    let mut run = Run::new(scenario).probe(&probe);
    if let Some(seed) = wanted.seed {
        run = run.seed(seed);
    }
    if wanted.cuts {
        run = run.watch(&explainer);
    }
    if wanted.losses {
        run = run.losses(&losses);
    }
    let done = run.go().map_err(|stopped| stopped.to_string())?;
    explainer.finish();
    let (cuts, more_cuts) = {
        let mut told = cuts.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *told)
    };
    let mut numbers = Vec::new();
    let grid = Grid::new(times(scenario, &probe));
    let curves = Curves {
        grid: &grid,
        series: &done.series,
    };
    let flows = done.outcome.flows.iter().enumerate().take(MOST_FLOWS);
    let flows = flows
        .map(|(flow, of)| curves.of_flow(flow, of, &mut numbers))
        .collect();
    let links = core(scenario).into_iter().zip(&done.outcome.links);
    let links = links
        .enumerate()
        .map(|(link, (of, outcome))| curves.of_link(link, of, outcome, &mut numbers))
        .collect();
    let (losses, more_losses) = losses.take();
    let rest = Rest {
        time: Column::add(&mut numbers, grid.times()),
        flows,
        links,
        cuts: &cuts,
        more_cuts,
        losses: Lost::new(&losses, &mut numbers),
        more_losses,
        names: done.outcome.links.iter().map(|link| &*link.name).collect(),
    };
    Ok(Answer {
        rest: json(&rest)?,
        outcome: json(&done.outcome)?,
        numbers,
    })
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

/// The probe for the curves.
fn probe(scenario: &Scenario, every: Option<Duration>) -> Probe {
    let nanos = scenario.duration.as_nanos();
    let column = (nanos / (2 * COLUMNS as u64)).max(1000);
    let every = every.map_or(column, Duration::as_nanos);
    Probe {
        interval: Duration::from_nanos(every.max(nanos / MOST_SAMPLES).max(1000)),
        values: vec![
            ProbeValue::Cwnd,
            ProbeValue::Ssthresh,
            ProbeValue::Rtt,
            ProbeValue::Queue,
            ProbeValue::Rate,
        ],
        estimate: Vec::new(),
        equation: None,
    }
}

/// When the probe takes its samples, in seconds.
fn times(scenario: &Scenario, probe: &Probe) -> Vec<f64> {
    let (every, end) = (probe.interval.as_nanos(), scenario.duration.as_nanos());
    let samples = (0..=end / every).map(|n| Duration::from_nanos(n * every).as_secs_f64());
    samples.collect()
}

/// The links between routers, in the order of their numbers: they come first among all links.
pub(crate) fn core(scenario: &Scenario) -> Vec<&Link> {
    match &scenario.topology {
        Topology::Dumbbell { bottleneck } => vec![&bottleneck.forward, &bottleneck.reverse],
        Topology::ParkingLot { hops } => hops
            .iter()
            .flat_map(|hop| [&hop.forward, &hop.reverse])
            .collect(),
        Topology::Graph(graph) => graph
            .links
            .iter()
            .flat_map(|link| [Some(&link.forward), link.reverse.as_ref()])
            .flatten()
            .collect(),
    }
}

struct Curves<'a> {
    grid: &'a Grid,
    series: &'a [Series],
}

impl Curves<'_> {
    fn column(&self, subject: Subject, quantity: &str, numbers: &mut Vec<f64>) -> Option<Column> {
        let mut series = self.series.iter();
        let found = series.find(|s| s.subject == subject && s.quantity == quantity)?;
        Some(Column::add(numbers, self.grid.points(found)))
    }

    fn of_flow<'o>(
        &self,
        flow: usize,
        outcome: &'o FlowOutcome,
        numbers: &mut Vec<f64>,
    ) -> FlowCurves<'o> {
        let mut column = |quantity| self.column(Subject::Flow(flow), quantity, numbers);
        FlowCurves {
            name: &outcome.name,
            control: &outcome.control,
            start: outcome.start_s,
            cwnd: column("cwnd"),
            ssthresh: column("ssthresh"),
            rtt: column("rtt"),
            goodput: column("rate"),
        }
    }

    fn of_link<'o>(
        &self,
        link: usize,
        of: &Link,
        outcome: &'o LinkOutcome,
        numbers: &mut Vec<f64>,
    ) -> LinkCurves<'o> {
        LinkCurves {
            name: &outcome.name,
            queue: self.column(Subject::Link(link), "queue", numbers),
            capacity: of.queue.limit().filter(|limit| *limit < u32::MAX),
        }
    }
}
