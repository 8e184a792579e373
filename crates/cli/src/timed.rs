//! The time that a run takes. A run itself reads no clock.

use std::time::Instant;

use cpu_time::ThreadTime;
use dumbbell_run::outcome::Outcome;
use serde::Serialize;

/// The outcome of a run, and the time that it took.
#[derive(Serialize)]
pub struct Timed {
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Elapsed time in seconds.
    pub wall_s: f64,
    /// Processor time in seconds.
    pub cpu_s: f64,
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
            wall_s: self.wall.elapsed().as_secs_f64(),
            cpu_s: self.cpu.elapsed().as_secs_f64(),
        }
    }
}
