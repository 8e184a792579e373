//! The time that a run takes. A run itself reads no clock.

use std::time::Instant;

use cpu_time::ThreadTime;
use dumbbell_run::outcome::Outcome;

/// The outcome of a run, and the time that it took.
pub struct Timed {
    /// What the run found.
    pub outcome: Outcome,
    /// Elapsed time in seconds; `None` if it is not known, because the run may come from a store.
    pub wall_s: Option<f64>,
    /// Processor time in seconds; likewise.
    pub cpu_s: Option<f64>,
}

impl Timed {
    /// An outcome whose time is not known.
    pub fn unknown(outcome: Outcome) -> Self {
        Self {
            outcome,
            wall_s: None,
            cpu_s: None,
        }
    }
}

/// The clocks of a thread at one moment.
pub struct Clocks {
    wall: Instant,
    cpu: ThreadTime,
}

impl Clocks {
    /// Reads both clocks.
    pub fn now() -> Self {
        Self {
            wall: Instant::now(),
            cpu: ThreadTime::now(),
        }
    }

    /// Adds to the outcome the time since [`now`](Self::now). Must be called on the thread that
    /// computed the outcome.
    pub fn stop(&self, outcome: Outcome) -> Timed {
        Timed {
            outcome,
            wall_s: Some(self.wall.elapsed().as_secs_f64()),
            cpu_s: Some(self.cpu.elapsed().as_secs_f64()),
        }
    }
}
