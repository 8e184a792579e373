//! Passes the events of a run to its traces.

use std::io::{self, Write};
use std::path::Path;

use dumbbell_scenario::Scenario;

use super::csv::Csv;
use super::event::{Event, Recorder, State};
use super::flow::{self, Traced};
use super::pcap::{self, Pcap};
use super::qlog::Qlog;
use super::row::{Row, Rows};
use super::{Format, TraceError};

/// The traces of one run.
pub struct Tape<'t> {
    scenario: &'t Scenario,
    flows: Vec<Traced<'t>>,
    recorders: Vec<Box<dyn Recorder + Send + 't>>,
    failure: Option<TraceError>,
    /// The trace that failed. Nothing more is written after a failure.
    broken: Option<usize>,
}

impl<'t> Tape<'t> {
    /// Creates a tape of these flows of a scenario; of all flows if `flows` is empty. A flow is
    /// given by its name, by the name of its table (which means all flows of the table) or by its
    /// number, counted from 1.
    ///
    /// # Errors
    /// [`TraceError::UnknownFlow`] if there is no such flow.
    pub fn new(scenario: &'t Scenario, flows: &[String]) -> Result<Self, TraceError> {
        Ok(Self {
            scenario,
            flows: flow::choose(scenario, flows)?,
            recorders: Vec::new(),
            failure: None,
            broken: None,
        })
    }

    /// Creates a tape on which nothing is recorded.
    pub(crate) fn blank(scenario: &'t Scenario) -> Self {
        Self {
            scenario,
            flows: Vec::new(),
            recorders: Vec::new(),
            failure: None,
            broken: None,
        }
    }

    /// Adds a trace. `out` should be buffered. Data that must be reordered before it is written is
    /// kept in a nameless file in `folder`.
    ///
    /// # Errors
    /// If the format cannot represent the traced flows, or the trace cannot be started.
    pub fn add(
        &mut self,
        format: Format,
        out: impl Write + Send + 't,
        folder: &Path,
    ) -> Result<(), TraceError> {
        let trace = self.recorders.len();
        let unwritable = |reason| TraceError::Unwritable { trace, reason };
        let recorder: Box<dyn Recorder + Send + 't> = match format {
            Format::Csv => Box::new(Csv::new(out, &self.flows).map_err(unwritable)?),
            Format::Pcap => {
                pcap::check(&self.flows)?;
                Box::new(Pcap::new(out, &self.flows).map_err(unwritable)?)
            }
            Format::Qlog => {
                Box::new(Qlog::new(out, self.scenario, &self.flows, folder).map_err(unwritable)?)
            }
        };
        self.recorders.push(recorder);
        Ok(())
    }

    /// Adds a function that is called with every event.
    pub fn tell(&mut self, tell: impl FnMut(&Row<'_>) + Send + 't) {
        self.recorders.push(Box::new(Rows::new(tell, &self.flows)));
    }

    /// The traced flows, by their positions among all flows.
    pub(crate) fn flows(&self) -> impl Iterator<Item = usize> {
        self.flows.iter().map(|flow| flow.index)
    }

    /// Records an event. Returns `true` unless a write has failed; after a failure nothing more is
    /// written.
    pub(crate) fn record(
        &mut self,
        time: u64,
        flow: usize,
        event: &Event<'_>,
        state: Option<&State>,
    ) -> bool {
        self.all(|recorder| recorder.record(time, flow, event, state))
    }

    /// Completes all traces at the end of the run.
    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        self.all(|recorder| recorder.finish());
        self.failure()
    }

    /// Returns the failure, if there was one. A trace that failed once stays failed.
    pub(crate) fn failure(&mut self) -> Result<(), TraceError> {
        match (self.failure.take(), self.broken) {
            (Some(failure), _) => Err(failure),
            (None, Some(trace)) => Err(TraceError::Unwritable {
                trace,
                reason: io::Error::other("an earlier part of it could not be written"),
            }),
            (None, None) => Ok(()),
        }
    }

    fn all(&mut self, mut each: impl FnMut(&mut dyn Recorder) -> io::Result<()>) -> bool {
        if self.broken.is_some() {
            return false;
        }
        for (trace, recorder) in self.recorders.iter_mut().enumerate() {
            if let Err(reason) = each(&mut **recorder) {
                self.failure = Some(TraceError::Unwritable { trace, reason });
                self.broken = Some(trace);
                return false;
            }
        }
        true
    }
}
