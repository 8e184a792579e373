//! The error with which an added control ends its run.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use dumbbell_scenario::controls::Raised;
use dumbbell_scenario::{Duration, Scenario, named_flows};

/// An added control has failed, which ended its run. Two failures are equal if they are the same one.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The name of the flow.
    pub flow: String,
    /// The simulated time at which its control failed.
    pub at: Duration,
    /// What the control reported.
    pub error: Arc<dyn Error + Send + Sync>,
}

impl Failure {
    pub(crate) fn of(raised: &Raised, scenario: &Scenario) -> Self {
        let flow = named_flows(scenario).nth(raised.flow);
        Self {
            flow: flow.map_or_else(String::new, |(_, name)| name),
            at: Duration::from_nanos(raised.at.as_nanos()),
            error: raised.error.clone(),
        }
    }
}

impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.error, &other.error)
    }
}

impl Eq for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { flow, at, error } = self;
        let at = at.as_secs_f64();
        write!(
            f,
            "the control of the flow `{flow}` failed at {at} s: {error}"
        )
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}
