//! How long a run took. A run itself reads no clock.

use std::time::Instant;

use cpu_time::ThreadTime;
use dumbbell_run::outcome::Outcome;
use serde::Serialize;

/// What a run has left behind, and what it cost.
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
    /// Both, now.
    pub fn now() -> Self {
        Self {
            wall: Instant::now(),
            cpu: ThreadTime::now(),
        }
    }

    /// The outcome with the time since [`now`](Self::now). Call it on the thread that computed it.
    pub fn stop(&self, outcome: Outcome) -> Timed {
        Timed {
            outcome,
            wall_s: self.wall.elapsed().as_secs_f64(),
            cpu_s: self.cpu.elapsed().as_secs_f64(),
        }
    }
}
