//! What happened at the senders of a run, packet by packet.

use std::fmt::Write as _;
use std::path::PathBuf;

use dumbbell_lab::trace::{NotTraced, Traces};
use dumbbell_run::Run;
use dumbbell_run::trace::{Row, Tape};
use dumbbell_scenario::Scenario;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::arrow::{Column, Data, Frame, TextBuilder, Validity};
use crate::error;
use crate::scenario::PyScenario;
use crate::supervise::{Supervisor, supervised};
use crate::table::PyTable;

/// See `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (scenario, seed, flows, to, progress=None))]
pub fn trace(
    py: Python<'_>,
    scenario: &PyScenario,
    seed: Option<u64>,
    flows: Vec<String>,
    to: Vec<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<PyTable>> {
    let (scenario, _) = scenario.present(py)?;
    let seed = seed.unwrap_or(scenario.seed);
    let traced = supervised(py, progress, move |supervisor| {
        supervisor.plan(1);
        if to.is_empty() {
            return in_memory(&scenario, seed, &flows, supervisor).map(Some);
        }
        let traces = Traces::begin(&scenario, &to, &flows)?;
        traces.run(run(&scenario, seed, supervisor)).map(|_| None)
    })?;
    match traced {
        Ok(frame) => Ok(frame.map(PyTable::of)),
        Err(NotTraced::Refused(what)) => Err(PyValueError::new_err(what)),
        Err(NotTraced::Unwritable(file)) => Err(PyOSError::new_err(file.to_string())),
        Err(NotTraced::Stopped(stopped)) => Err(error::stopped(stopped)),
    }
}

fn run<'r>(scenario: &'r Scenario, seed: u64, supervisor: &'r Supervisor) -> Run<'r> {
    Run::new(scenario)
        .seed(seed)
        .probe(None)
        .interrupt(supervisor.interrupted())
        .progress(|| supervisor.step(1))
}

fn in_memory(
    scenario: &Scenario,
    seed: u64,
    flows: &[String],
    supervisor: &Supervisor,
) -> Result<Frame, NotTraced> {
    let mut events = Events::default();
    let tape = Tape::new(scenario, flows);
    let mut tape = tape.map_err(|wrong| NotTraced::Refused(wrong.to_string()))?;
    tape.tell(|row| events.push(row));
    let done = run(scenario, seed, supervisor).trace(tape).go();
    done.map_err(NotTraced::Stopped)?;
    Ok(events.frame())
}

/// A column of numbers as it grows.
#[derive(Default)]
struct Numbers {
    values: Vec<f64>,
    are_there: Validity,
}

/// A column of whole numbers as it grows.
#[derive(Default)]
struct Wholes {
    values: Vec<u64>,
    are_there: Validity,
}

impl Numbers {
    fn push(&mut self, value: Option<f64>) {
        self.values.push(value.unwrap_or(f64::NAN));
        self.are_there.push(value.is_some());
    }

    fn column(self, name: &str, about: &str) -> Column {
        Column::whole(name, about, Data::Number(self.values)).valid(self.are_there)
    }
}

impl Wholes {
    fn push(&mut self, value: Option<u64>) {
        self.values.push(value.unwrap_or(0));
        self.are_there.push(value.is_some());
    }

    fn column(self, name: &str, about: &str) -> Column {
        Column::whole(name, about, Data::Whole(self.values)).valid(self.are_there)
    }
}

/// The columns of a trace as they grow.
#[derive(Default)]
struct Events {
    time: Numbers,
    flow: TextBuilder,
    event: TextBuilder,
    packet: Wholes,
    seq: Wholes,
    ack: Wholes,
    sack: TextBuilder,
    bytes: Wholes,
    rtt: Numbers,
    cwnd: Numbers,
    inflation: Numbers,
    ssthresh: Numbers,
    flight: Wholes,
    phase: TextBuilder,
    srtt: Numbers,
    rto: Numbers,
    marks: TextBuilder,
    aqt: Wholes,
    aqt_echo: Wholes,
    /// The SACK blocks of an ACK in words.
    blocks: String,
}

impl Events {
    fn push(&mut self, row: &Row<'_>) {
        self.time.push(Some(row.time.as_secs_f64()));
        self.flow.push(Some(row.name));
        self.event.push(Some(row.event));
        self.packet.push(row.packet);
        self.seq.push(row.seq);
        self.ack.push(row.ack);
        self.blocks.clear();
        for block in row.sack {
            let space = if self.blocks.is_empty() { "" } else { " " };
            write!(self.blocks, "{space}{}-{}", block.start, block.end)
                .expect("a string takes everything");
        }
        let blocks = self.blocks.as_str();
        self.sack.push((!blocks.is_empty()).then_some(blocks));
        self.bytes.push(row.bytes.map(u64::from));
        self.rtt.push(row.rtt.map(|it| it.as_secs_f64()));
        let state = row.state.as_ref();
        self.cwnd.push(state.map(|it| it.cwnd.as_f64()));
        self.inflation.push(state.map(|it| it.inflation as f64));
        let ssthresh = state.and_then(|it| it.ssthresh);
        self.ssthresh.push(ssthresh.map(|it| it.as_f64()));
        self.flight.push(state.map(|it| it.flight));
        self.phase.push(state.map(|it| it.phase));
        let srtt = state.and_then(|it| it.srtt);
        self.srtt.push(srtt.map(|it| it.as_secs_f64()));
        self.rto.push(state.map(|it| it.rto.as_secs_f64()));
        let marks = row.marks.words();
        self.marks.push((!marks.is_empty()).then_some(marks));
        self.aqt.push(row.aqt.map(|(queueing, _)| queueing.into()));
        self.aqt_echo.push(row.aqt.map(|(_, echo)| echo.into()));
    }

    fn frame(self) -> Frame {
        let columns =
            vec![
            (self.time.column("time_s", "since the start of the run")).unit("s"),
            self.flow.column("flow", "the flow"),
            self.event.column(
                "event",
                "what happened: `send`, `ack`, `timeout`, `lost`, ...; docs/traces.md lists all",
            ),
            self.packet.column(
                "packet",
                "the number of the flow's transmission, from 0, with retransmissions counted",
            ),
            self.seq.column("seq", "the number of the segment, from 0"),
            (self.ack).column("ack", "the next segment that the receiver expects"),
            (self.sack).column("sack", "SACK blocks, the newest first: `5-7 9-10`"),
            (self.bytes.column("bytes", "the size on the wire")).unit("B"),
            (self.rtt).column("rtt_s", "the RTT sample that was taken from this ACK").unit("s"),
            (self.cwnd.column("cwnd", "congestion window, without inflation")).unit("segments"),
            (self.inflation)
                .column("inflation", "segments that recovery adds to the window")
                .unit("segments"),
            (self.ssthresh)
                .column("ssthresh", "slow-start threshold; missing while it is unlimited")
                .unit("segments"),
            (self.flight)
                .column("flight", "segments in the network, as far as the recovery knows")
                .unit("segments"),
            self.phase.column("phase", "`open`, `recovery` or `loss`"),
            (self.srtt).column("srtt_s", "smoothed round-trip time").unit("s"),
            (self.rto).column("rto_s", "retransmission timeout, backoff included").unit("s"),
            self.marks.column("marks", "marks of ECN: `ect`, `cwr`, `ece`, `ce`"),
            (self.aqt)
                .column("aqt_us", "the AQT option: how long the packet has waited in queues")
                .unit("us"),
            (self.aqt_echo)
                .column("aqt_echo_us", "how long the acknowledged segment has waited")
                .unit("us"),
        ];
        Frame::new("trace", columns)
    }
}
