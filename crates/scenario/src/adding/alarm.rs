//! How an added control ends its run with an error.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};

use dumbbell_control::units::Instant;

/// With an alarm, an added control ends its run with an error.
///
/// The events of a control return nothing, and built-in controls never fail. A control that runs foreign
/// code can: it raises its alarm, keeps a valid window, and the run stops soon after. Of several alarms in
/// a run, the first counts.
#[derive(Clone, Debug)]
pub struct Alarm {
    slot: Arc<OnceLock<Raised>>,
    flow: usize,
}

/// What an alarm says.
#[derive(Clone, Debug)]
pub struct Raised {
    /// The flow, by its position among the run's flows.
    pub flow: usize,
    /// The simulated time.
    pub at: Instant,
    /// What went wrong.
    pub error: Arc<dyn Error + Send + Sync>,
}

impl Default for Alarm {
    fn default() -> Self {
        Self::new()
    }
}

impl Alarm {
    /// Makes the alarm of a run.
    pub fn new() -> Self {
        Self {
            slot: Arc::default(),
            flow: 0,
        }
    }

    /// Returns the same run's alarm for this flow.
    pub fn of_flow(&self, flow: usize) -> Self {
        Self {
            slot: self.slot.clone(),
            flow,
        }
    }

    /// Returns the flow, by its position among the run's flows.
    pub fn flow(&self) -> usize {
        self.flow
    }

    /// Ends the run: at this simulated time, this went wrong.
    pub fn raise(&self, at: Instant, error: impl Into<Box<dyn Error + Send + Sync>>) {
        // If another control has failed before, its failure is the one to report.
        let _ = self.slot.set(Raised {
            flow: self.flow,
            at,
            error: error.into().into(),
        });
    }

    /// Returns whether a control of the run has failed.
    pub fn is_raised(&self) -> bool {
        self.slot.get().is_some()
    }

    /// Returns what went wrong in the run, if something did.
    pub fn raised(&self) -> Option<&Raised> {
        self.slot.get()
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, error, .. } = self;
        write!(f, "at {} s: {error}", at.as_secs_f64())
    }
}
