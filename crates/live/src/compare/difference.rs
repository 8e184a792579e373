//! Why the simulator differs from the kernel: the prediction again, with one switch of the simulated Linux at a time the
//! other way.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

use super::Plan;
use super::explanation::{Explanation, Gap, Moved};
use super::measure::Measure;
use super::outcome::Row;
use super::predicted::Predicted;
use super::prediction::{self, Variant};
use super::switches::SWITCHES;
use crate::error::Error;
use crate::trials::Schedule;

/// The least number of runs of each variant: more than those of the kernel, since they cost little.
const RUNS: u32 = 40;

/// A smaller difference needs no explanation, in parts of the kernel's value: without losses, runs of the simulator are
/// all alike, and their interval is zero.
const LEAST: f64 = 0.01;

/// Returns whether two values differ by more than both intervals. A value without an interval is not known well enough.
fn differ(one: &Estimate, other: &Estimate) -> bool {
    let (Some(a), Some(b)) = (one.half_width, other.half_width) else {
        return false;
    };
    (one.mean - other.mean).abs() > a + b
}

/// Returns whether the difference from the kernel's value is to be explained.
fn is_gap(kernel: &Estimate, simulator: &Estimate) -> bool {
    let least = LEAST * kernel.mean.abs();
    differ(kernel, simulator) && (kernel.mean - simulator.mean).abs() > least
}

impl Plan<'_> {
    /// Returns the explanations, if they are wanted.
    pub(super) fn explain(
        &self,
        rows: &[Row],
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Vec<Explanation>, Error> {
        let mut found = Vec::new();
        for row in rows.iter().filter(|_| self.explains) {
            let differs = |quantity: &Measure| {
                let values = row.measured(*quantity).zip(row.predicted(*quantity));
                values.is_some_and(|(kernel, simulator)| is_gap(&kernel, &simulator))
            };
            let quantities: Vec<Measure> = Measure::ALL.into_iter().filter(differs).collect();
            if let (Some(control), false) = (&row.simulated, quantities.is_empty()) {
                let gaps = self.gaps(row, control, &quantities, interval, interrupted)?;
                found.push(Explanation {
                    label: row.label.clone(),
                    runs: self.explaining_runs(),
                    gaps,
                });
            }
        }
        Ok(found)
    }

    fn explaining_runs(&self) -> u32 {
        self.schedule.repeat.max(RUNS)
    }

    fn gaps(
        &self,
        row: &Row,
        control: &str,
        quantities: &[Measure],
        interval: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Vec<Gap>, Error> {
        let duration = self.schedule.duration;
        let variant =
            |variant| prediction::variant(self.scenario, self.flow, control, duration, variant);
        let (usual, place) = variant(Variant::default()).map_err(Error::Refused)?;
        let runs = |scenario: &Scenario| -> Vec<Predicted> {
            let schedule = Schedule {
                repeat: self.explaining_runs(),
                ..self.schedule
            };
            let runs = schedule
                .seeds()
                .map_while(|seed| prediction::run(scenario, place, seed, interval, interrupted));
            runs.collect()
        };
        let base = runs(&usual);
        let mut turned = Vec::new();
        for switch in SWITCHES {
            let (keys, parameters) = (switch.keys, switch.parameters);
            // A switch that the control does not have is refused.
            if let Ok((scenario, _)) = variant(Variant { keys, parameters })
                && scenario != usual
            {
                turned.push((switch.name, runs(&scenario)));
            }
        }
        let gap = |&quantity: &Measure| gap(quantity, row.measured(quantity)?, &base, &turned);
        Ok(quantities.iter().filter_map(gap).collect())
    }
}

/// Returns what the switches change in a quantity.
fn gap(
    quantity: Measure,
    kernel: Estimate,
    base: &[Predicted],
    turned: &[(&'static str, Vec<Predicted>)],
) -> Option<Gap> {
    let simulator = quantity.predicted(base)?;
    let mut switches: Vec<Moved> = turned
        .iter()
        .filter_map(|(switch, runs)| {
            let with = quantity.predicted(runs)?;
            Some(Moved {
                switch,
                simulator: with,
                part: (with.mean - simulator.mean) / (kernel.mean - simulator.mean),
                certain: differ(&with, &simulator),
            })
        })
        .collect();
    switches.sort_by(|a, b| b.part.total_cmp(&a.part));
    Some(Gap {
        quantity,
        kernel,
        simulator,
        switches,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(goodput_bps: f64) -> Predicted {
        Predicted {
            seed: 1,
            goodput_bps,
            segments: 100,
            retransmits: 1,
            cuts: 1,
            rtt_mean_s: Some(0.1),
            elapsed_s: 10.0,
            windows: Vec::new(),
        }
    }

    #[test]
    fn values_differ_if_their_intervals_are_apart() {
        let value = |mean, half_width| Estimate { mean, half_width };
        assert!(differ(&value(10.0, Some(1.0)), &value(12.5, Some(1.0))));
        assert!(!differ(&value(10.0, Some(1.0)), &value(12.0, Some(1.0))));
        assert!(!differ(&value(10.0, None), &value(99.0, Some(1.0))));
        // One percent of 10 is 0.1.
        let exact = |mean| value(mean, Some(0.0));
        assert!(!is_gap(&exact(10.0), &exact(10.09)) && is_gap(&exact(10.0), &exact(10.11)));
    }

    /// The simulator has 10 Mb/s and the kernel 8. One switch goes down to 9, half of the way; one up to 12.
    #[test]
    fn switches_are_ordered_by_how_far_they_move_towards_the_kernel() {
        let kernel = Estimate {
            mean: 8e6,
            half_width: Some(1e5),
        };
        let base = [run(10e6), run(10e6)];
        let turned = [
            ("up", vec![run(12e6), run(12e6)]),
            ("down", vec![run(9e6), run(9e6)]),
        ];
        let gap = gap(Measure::Goodput, kernel, &base, &turned).expect("both are known");
        let parts: Vec<(&str, f64, bool)> = gap
            .switches
            .iter()
            .map(|it| (it.switch, it.part, it.certain))
            .collect();
        assert_eq!(parts, [("down", 0.5, true), ("up", -1.0, true)]);
    }
}
