//! A run that Python advances step by step, and one of whose flows it controls between the steps.

mod agent;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dumbbell_control::units::{Rate, Segments};
use dumbbell_lab::tidy::{self, Kind};
use dumbbell_run::{Run, Running, Stopped};
use dumbbell_scenario::controls::{Added, Controls};
use dumbbell_scenario::{Duration, Scenario, Traffic};
use pyo3::prelude::*;

use crate::error;
use crate::scenario::PyScenario;
use crate::supervise::caught;
use crate::table::PyTable;
use crate::words::nearest;
use agent::{Agent, Desk, Signals};

/// The name of the control in the place of the flow's own; nobody can see it.
const NAME: &str = "agent";

/// See `_native.pyi`.
#[pyclass(name = "Running", module = "dumbbell._native", frozen)]
pub struct PyRunning {
    running: Mutex<Running<'static>>,
    desk: Arc<Mutex<Desk>>,
    duration: Duration,
    seed: u64,
}

#[pymethods]
impl PyRunning {
    #[new]
    #[pyo3(signature = (scenario, seed, flow=None))]
    fn new(py: Python<'_>, scenario: &PyScenario, seed: u64, flow: Option<&str>) -> PyResult<Self> {
        let mut scenario = Scenario::clone(scenario.read());
        let desk = Arc::new(Mutex::new(Desk::default()));
        steer(&mut scenario, flow, &desk)?;
        let duration = scenario.duration;
        let running = py.detach(|| caught(|| Run::owning(scenario).seed(seed).start()))?;
        Ok(Self {
            running: Mutex::new(running),
            desk,
            duration,
            seed,
        })
    }

    #[getter]
    fn now(&self, py: Python<'_>) -> f64 {
        // While another thread steps, a control in Python may need the interpreter's lock.
        py.detach(|| self.run().now().as_secs_f64())
    }

    #[getter]
    fn over(&self, py: Python<'_>) -> bool {
        py.detach(|| self.run().now() >= self.duration)
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        lock(&self.desk).window.as_f64()
    }

    #[pyo3(signature = (cwnd=None, pacing=None, *, seconds=None, acks=None))]
    fn step(
        &self,
        py: Python<'_>,
        cwnd: Option<f64>,
        pacing: Option<f64>,
        seconds: Option<f64>,
        acks: Option<u64>,
    ) -> PyResult<Signals> {
        {
            let mut desk = lock(&self.desk);
            if let Some(cwnd) = cwnd {
                desk.window = segments(cwnd);
            }
            if let Some(pacing) = pacing {
                desk.pacing = rate(pacing);
            }
        }
        let advanced = py.detach(|| caught(|| self.advance(seconds, acks)))?;
        advanced.map_err(error::stopped)?;
        let now = self.now(py);
        Ok(lock(&self.desk).take(now))
    }

    #[getter]
    fn groups(&self, py: Python<'_>) -> PyTable {
        self.table(py, Kind::Groups)
    }

    #[getter]
    fn flows(&self, py: Python<'_>) -> PyTable {
        self.table(py, Kind::Flows)
    }

    #[getter]
    fn links(&self, py: Python<'_>) -> PyTable {
        self.table(py, Kind::Links)
    }
}

impl PyRunning {
    fn run(&self) -> MutexGuard<'_, Running<'static>> {
        // After a panic, the run is as far as it was.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn advance(&self, seconds: Option<f64>, acks: Option<u64>) -> Result<(), Stopped> {
        let mut run = self.run();
        if let Some(acks) = acks {
            return run.advance_until(|| lock(&self.desk).acks() >= acks);
        }
        let nanoseconds = seconds.unwrap_or(0.0).max(0.0) * 1e9;
        let until = run.now() + Duration::from_nanos(nanoseconds.round() as u64);
        run.advance_to(until)
    }

    fn table(&self, py: Python<'_>, kind: Kind) -> PyTable {
        py.detach(|| tidy::table(kind, [&self.run().outcome()]).into())
    }
}

/// Puts an agent in the place of a flow's control: of the flow with this name, or of the first TCP flow.
fn steer(scenario: &mut Scenario, flow: Option<&str>, desk: &Arc<Mutex<Desk>>) -> PyResult<()> {
    let is_tcp = |it: &dumbbell_scenario::Flow| matches!(it.traffic, Traffic::Tcp(_));
    let place = scenario
        .flows
        .iter()
        .position(|it| is_tcp(it) && flow.is_none_or(|name| name == it.name));
    let Some(place) = place else {
        return Err(error::scenario(match flow {
            Some(name) => {
                let names = scenario.flows.iter().filter(|it| is_tcp(it));
                let names = names.map(|it| it.name.as_str());
                format!("there is no TCP flow `{name}`{}", nearest(name, names))
            }
            None => "there is no TCP flow whose window could be set".to_owned(),
        }));
    };
    let flow = &mut scenario.flows[place];
    if flow.count != 1 {
        return Err(error::scenario(format!(
            "`{}` are {} flows, but an agent has one window: give it a flow of its own",
            flow.name, flow.count
        )));
    }
    let desk = desk.clone();
    let mut controls = Controls::builtin();
    let added = Added::new(NAME, move |_, path, _| {
        Box::new(Agent::new(path, desk.clone()))
    });
    controls
        .add(added)
        .map_err(|it| error::refused(it.to_string()))?;
    if let (Traffic::Tcp(tcp), Some(control)) = (&mut flow.traffic, controls.named(NAME)) {
        tcp.control = control;
    }
    Ok(())
}

fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    // Its numbers are whole after a panic.
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A window from Python: 1 to 2^20 segments.
fn segments(cwnd: f64) -> Segments {
    // What is no number becomes 0, and thereby 1.
    Segments::from_raw((cwnd * 4_294_967_296.0) as u64).clamp(Segments::ONE, Segments::CAP)
}

/// A rate from Python in bits of payload per second; none for 0 and below.
fn rate(pacing: f64) -> Option<Rate> {
    (pacing > 0.0)
        .then(|| Rate::from_raw((pacing * 8192.0) as u64).clamp(Rate::from_raw(1), Rate::CAP))
}
