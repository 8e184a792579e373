//! The runs of the matrix.

use dumbbell_scenario::Scenario;

use super::{Matrix, NEWRENO};
use crate::description::Malformed;

/// The purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// All flows of the path use the control.
    Flows,
    /// All flows of the shared path use the control; for paths with a single flow only.
    Pairs,
    /// On the shared path, half of the flows use NewReno and half the control.
    Mixed,
}

impl Role {
    const ALL: [Self; 3] = [Self::Flows, Self::Pairs, Self::Mixed];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flows => "flows",
            Self::Pairs => "pairs",
            Self::Mixed => "mixed",
        }
    }
}

/// A scenario of the matrix, which is run with each seed.
#[derive(Clone, Debug)]
pub struct Task {
    /// The path's position.
    pub path: usize,
    /// The contender's position.
    pub contender: usize,
    /// Its purpose.
    pub role: Role,
    /// The scenario. Its seed is the first one.
    pub scenario: Scenario,
}

impl Matrix {
    /// All scenarios; `seed` is the first seed of their runs.
    ///
    /// # Errors
    /// [`Malformed`] if a scenario is invalid.
    pub fn tasks(&self, seed: u64) -> Result<Vec<Task>, Malformed> {
        let mut tasks = Vec::new();
        for (p, path) in self.paths.iter().enumerate() {
            let contenders = self.contenders.iter().enumerate();
            for (c, contender) in contenders.filter(|(_, c)| path.takes(c, &self.controls)) {
                for role in Role::ALL.into_iter().filter(|role| path.wants(*role)) {
                    let mut scenario = path.scenario(contender, role, &self.controls)?;
                    scenario.name = Some(format!(
                        "matrix: {} on {}, {}",
                        contender.name,
                        path.label,
                        match role {
                            Role::Flows => "all its flows",
                            Role::Pairs => "shared",
                            Role::Mixed if c == NEWRENO => "shared: NewReno alone",
                            Role::Mixed => "shared with NewReno",
                        }
                    ));
                    let last = seed.wrapping_add(self.repeat - 1);
                    scenario.description = Some(format!(
                        "A cell of the matrix, on the path of {}. Seeds {seed} to {last}.",
                        path.figure
                    ));
                    scenario.seed = seed;
                    tasks.push(Task {
                        path: p,
                        contender: c,
                        role,
                        scenario,
                    });
                }
            }
        }
        Ok(tasks)
    }

    /// The name of a task's scenario file.
    pub fn file_of(&self, task: &Task) -> String {
        format!(
            "{}-{}-{}.toml",
            self.paths[task.path].name,
            self.contenders[task.contender].name,
            task.role.name()
        )
    }
}
