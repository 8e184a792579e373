//! The results of the runs of a matrix.

use dumbbell_run::csv::quoted;
use dumbbell_run::outcome::{FlowOutcome, Outcome};
use dumbbell_run::statistics;
use dumbbell_scenario::{Scenario, Traffic};

use super::task::{Role, Task};
use super::{Matrix, Measure, NEWRENO};

/// The measured values, one number per seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// For each path, the values of each contender.
    measured: Vec<Vec<Measured>>,
}

/// The values of a contender on a path; NaN if no run had such a value.
#[derive(Clone, Debug, Default, PartialEq)]
struct Measured {
    /// The goodput of all flows, in bit/s.
    goodput: Vec<f64>,
    /// Jain's index.
    fairness: Vec<f64>,
    /// The mean goodput of a NewReno flow beside it, in bit/s.
    newreno: Vec<f64>,
    /// The mean queueing delay, in seconds.
    delay: Vec<f64>,
}

impl Results {
    /// Creates empty results.
    pub fn new(matrix: &Matrix) -> Self {
        let contenders = vec![Measured::default(); matrix.contenders.len()];
        Self {
            measured: vec![contenders; matrix.paths.len()],
        }
    }

    /// Adds the results of a run of a task. The runs of a task must be added in the order of their
    /// seeds.
    pub fn add(&mut self, matrix: &Matrix, task: &Task, outcome: &Outcome) {
        let flows: Vec<&FlowOutcome> = transfers(&task.scenario, outcome)
            .map(|(_, flow)| flow)
            .collect();
        let rates: Vec<f64> = flows.iter().map(|flow| flow.goodput_bps).collect();
        let to = &mut self.measured[task.path][task.contender];
        let fairness = statistics::jain(&rates).unwrap_or(f64::NAN);
        match task.role {
            Role::Flows => {
                to.goodput.push(delivered(&task.scenario, &flows));
                to.delay
                    .push(waited(&matrix.paths[task.path].links, outcome));
                if matrix.paths[task.path].flows > 1 {
                    to.fairness.push(fairness);
                }
            }
            Role::Pairs => to.fairness.push(fairness),
            Role::Mixed => {
                let of_newreno: Vec<f64> = transfers(&task.scenario, outcome)
                    .filter(|(entry, _)| entry % 2 == 0)
                    .map(|(_, flow)| flow.goodput_bps)
                    .collect();
                let sum: f64 = of_newreno.iter().sum();
                to.newreno.push(sum / of_newreno.len() as f64);
            }
        }
    }

    /// A measure of a contender on a path, in its unit, with one number per seed.
    pub(super) fn values(
        &self,
        matrix: &Matrix,
        measure: Measure,
        path: usize,
        contender: usize,
    ) -> Vec<f64> {
        let of = &self.measured[path][contender];
        match measure {
            Measure::Goodput => {
                let capacity = matrix.paths[path].capacity_bps;
                of.goodput
                    .iter()
                    .map(|bps| bps / capacity * 100.0)
                    .collect()
            }
            Measure::Fairness => of.fairness.clone(),
            Measure::Friendliness => {
                let alone = &self.measured[path][NEWRENO].newreno;
                of.newreno.iter().zip(alone).map(|(a, b)| a / b).collect()
            }
            Measure::Delay => of.delay.iter().map(|s| s * 1e3).collect(),
        }
    }

    /// The ratio of a contender's measure to NewReno's, as the geometric mean over the paths, with
    /// one number per seed; empty if the contender does not run on all paths.
    pub(super) fn overall(&self, matrix: &Matrix, measure: Measure, contender: usize) -> Vec<f64> {
        let mut sums: Vec<f64> = vec![0.0; matrix.repeat as usize];
        for path in 0..matrix.paths.len() {
            let values = self.values(matrix, measure, path, contender);
            let newreno = self.values(matrix, measure, path, NEWRENO);
            // Seeds that are missing on one path are left out of the mean.
            sums.truncate(values.len().min(newreno.len()));
            for (sum, (value, newreno)) in sums.iter_mut().zip(values.iter().zip(newreno)) {
                *sum += libm::log(value / newreno);
            }
        }
        let paths = matrix.paths.len() as f64;
        sums.iter().map(|sum| libm::exp(sum / paths)).collect()
    }

    /// One line per path, contender and seed: path, control, recovery, seed and every measure.
    pub fn runs_csv(&self, matrix: &Matrix, seed: u64) -> String {
        let mut text = "path,control,recovery,seed,\"goodput, kb/s\"".to_owned();
        for measure in Measure::ALL {
            text += &format!(",{}", quoted(measure.label()));
        }
        text.push('\n');
        for (p, path) in matrix.paths.iter().enumerate() {
            for (c, contender) in matrix.contenders.iter().enumerate() {
                let measures = Measure::ALL.map(|measure| self.values(matrix, measure, p, c));
                for run in 0..matrix.repeat as usize {
                    let bps = self.measured[p][c].goodput.get(run);
                    let kbps = bps.map_or(f64::NAN, |bps| bps / 1e3);
                    text += &format!(
                        "{},{},{},{},{kbps}",
                        path.name,
                        contender.name,
                        contender.recovery,
                        seed.wrapping_add(run as u64)
                    );
                    for values in &measures {
                        match values.get(run) {
                            Some(value) => text += &format!(",{value}"),
                            None => text.push(','),
                        }
                    }
                    text.push('\n');
                }
            }
        }
        text
    }
}

/// The TCP flows of a run, each with the position of its entry among the TCP entries.
fn transfers<'a>(
    scenario: &'a Scenario,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (usize, &'a FlowOutcome)> {
    let mut entries = 0..;
    let entry_of = scenario.flows.iter().flat_map(move |flow| {
        let entry = match flow.traffic {
            Traffic::Tcp(_) => entries.next(),
            Traffic::Udp(_) | Traffic::Media(_) | Traffic::Workload(_) => None,
        };
        std::iter::repeat_n(entry, flow.count as usize)
    });
    let flows = entry_of.zip(&outcome.flows);
    flows.filter_map(|(entry, flow)| Some((entry?, flow)))
}

/// The payload that flows delivered in order, in bit/s from the first start to the end of the run.
fn delivered(scenario: &Scenario, flows: &[&FlowOutcome]) -> f64 {
    let end = scenario.duration.as_secs_f64();
    let bits =
        |flow: &&FlowOutcome| flow.goodput_bps * (flow.finish_s.unwrap_or(end) - flow.start_s);
    let first = flows.iter().map(|flow| flow.start_s).fold(end, f64::min);
    flows.iter().map(bits).sum::<f64>() / (end - first)
}

/// The mean waits at these links, summed, in seconds.
fn waited(links: &[String], outcome: &Outcome) -> f64 {
    let wait = |name: &String| {
        let link = outcome.links.iter().find(|link| link.name == *name);
        link.and_then(|link| link.wait_mean_s).unwrap_or(f64::NAN)
    };
    links.iter().map(wait).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::example;

    #[test]
    fn waits_at_successive_links_are_added() {
        let (_, mut outcome) = example::runs(&example::matrix()).swap_remove(0);
        // 20 ms at the bottleneck, and 99 ms in its other direction.
        let wait = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            waited(&names, &outcome)
        };
        assert!((wait(&["bottleneck"]) - 0.020).abs() < 1e-12);
        assert!((wait(&["bottleneck", "bottleneck.reverse"]) - 0.119).abs() < 1e-12);
        assert!(wait(&["bottleneck", "nowhere"]).is_nan());
        outcome.links[0].wait_mean_s = None;
        assert!(waited(&["bottleneck".to_owned()], &outcome).is_nan());
    }
}
