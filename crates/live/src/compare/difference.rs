//! Why the simulator differs from a real stack: the prediction again, with one switch of the simulated stack at a time the
//! other way.

use std::sync::atomic::AtomicBool;

use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

use super::Plan;
use super::explanation::{Explanation, Gap, Moved};
use super::measure::Measure;
use super::outcome::Row;
use super::predicted::Predicted;
use super::prediction::{self, Variant};
use super::switches::{LINUX, Switch};
use crate::error::Error;
use crate::trials::{Schedule, lateness};

/// The least number of runs of each variant: more than those of the kernel, since they cost little.
const RUNS: u32 = 40;

/// A smaller difference needs no explanation, in parts of the real value: without losses, runs of the simulator are
/// all alike, and their interval is zero.
const LEAST: f64 = 0.01;

/// Returns whether two values differ by more than both intervals. A value without an interval is not known well enough.
pub(crate) fn differ(one: &Estimate, other: &Estimate) -> bool {
    let (Some(a), Some(b)) = (one.half_width, other.half_width) else {
        return false;
    };
    (one.mean - other.mean).abs() > a + b
}

/// Returns whether the difference from the real stack's value is to be explained.
pub(crate) fn is_gap(real: &Estimate, simulator: &Estimate) -> bool {
    let least = LEAST * real.mean.abs();
    differ(real, simulator) && (real.mean - simulator.mean).abs() > least
}

/// The number of runs of each variant.
pub(crate) fn runs_of_a_variant(schedule: &Schedule) -> u32 {
    schedule.repeat.max(RUNS)
}

/// What makes a simulated flow differ from a real one.
pub(crate) struct Question<'q> {
    /// The network, and the flow in it.
    pub scenario: &'q Scenario,
    pub flow: usize,
    /// The simulator's control.
    pub control: &'q str,
    pub schedule: Schedule,
    /// What the simulated flow is like without any switch.
    pub usual: Variant,
    pub switches: &'static [Switch],
    /// How late packets left the emulator in the runs of the real flow, as their mean in seconds: one more switch.
    pub late_s: f64,
}

impl Question<'_> {
    fn variant(&self, variant: Variant) -> Result<(Scenario, usize), Error> {
        let duration = self.schedule.duration;
        prediction::variant(self.scenario, self.flow, self.control, duration, variant)
            .map_err(Error::Refused)
    }

    /// Returns the variants that are tried, with what is different in them.
    fn turns(&self) -> Vec<(String, Variant)> {
        let late_us = (self.late_s * 1e6).round() as u64;
        let measured = (late_us > 0).then(|| {
            let name = format!("both ends late as packets left the emulator: {late_us} us");
            (
                name,
                Variant {
                    late_us,
                    ..self.usual
                },
            )
        });
        let switches = self.switches.iter().map(|switch| {
            let variant = Variant {
                keys: switch.keys,
                parameters: switch.parameters,
                late_us: switch.late_us,
                ..self.usual
            };
            (switch.name.to_owned(), variant)
        });
        measured.into_iter().chain(switches).collect()
    }

    /// Returns those quantities that differ, of these values of the real flow and of the simulator.
    pub fn gaps(
        &self,
        values: impl Fn(Measure) -> Option<(Estimate, Estimate)>,
        interrupted: &AtomicBool,
    ) -> Result<Vec<Gap>, Error> {
        let differs = |quantity: Measure| {
            let (real, simulator) = values(quantity)?;
            is_gap(&real, &simulator).then_some((quantity, real))
        };
        let quantities: Vec<_> = Measure::ALL.into_iter().filter_map(differs).collect();
        if quantities.is_empty() {
            return Ok(Vec::new());
        }
        let interval = self.schedule.interval();
        let (usual, place) = self.variant(self.usual)?;
        let runs = |scenario: &Scenario| -> Vec<Predicted> {
            let schedule = Schedule {
                repeat: runs_of_a_variant(&self.schedule),
                ..self.schedule
            };
            let runs = schedule
                .seeds()
                .map_while(|seed| prediction::run(scenario, place, seed, interval, interrupted));
            runs.collect()
        };
        let base = runs(&usual);
        let mut turned = Vec::new();
        for (name, variant) in self.turns() {
            // A switch that the control does not have is refused.
            if let Ok((scenario, _)) = self.variant(variant)
                && scenario != usual
            {
                turned.push((name, runs(&scenario)));
            }
        }
        let gap = |&(quantity, real)| gap(quantity, real, &base, &turned);
        Ok(quantities.iter().filter_map(gap).collect())
    }
}

impl Plan<'_> {
    /// Returns the explanations, if they are wanted.
    pub(super) fn explain(
        &self,
        rows: &[Row],
        interrupted: &AtomicBool,
    ) -> Result<Vec<Explanation>, Error> {
        let mut found = Vec::new();
        for row in rows.iter().filter(|_| self.explains) {
            let Some(control) = &row.simulated else {
                continue;
            };
            let question = Question {
                scenario: self.scenario,
                flow: self.flow,
                control,
                schedule: self.schedule,
                usual: Variant::default(),
                switches: &LINUX,
                late_s: lateness(row.runs.iter().map(|run| &run.network)).0,
            };
            let values = |quantity| row.measured(quantity).zip(row.predicted(quantity));
            let gaps = question.gaps(values, interrupted)?;
            if !gaps.is_empty() {
                found.push(Explanation {
                    label: row.label.clone(),
                    runs: runs_of_a_variant(&self.schedule),
                    gaps,
                });
            }
        }
        Ok(found)
    }
}

/// Returns what the switches change in a quantity.
fn gap(
    quantity: Measure,
    real: Estimate,
    base: &[Predicted],
    turned: &[(String, Vec<Predicted>)],
) -> Option<Gap> {
    let simulator = quantity.predicted(base)?;
    let mut switches: Vec<Moved> = turned
        .iter()
        .filter_map(|(switch, runs)| {
            let with = quantity.predicted(runs)?;
            Some(Moved {
                switch: switch.clone(),
                simulator: with,
                part: (with.mean - simulator.mean) / (real.mean - simulator.mean),
                certain: differ(&with, &simulator),
            })
        })
        .collect();
    switches.sort_by(|a, b| b.part.total_cmp(&a.part));
    Some(Gap {
        quantity,
        real,
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

    /// The lateness that was measured is a switch, too, unless it is nothing.
    #[test]
    fn ends_may_be_as_late_as_packets_left_the_emulator() {
        let text = r#"
            duration = "1 s"
            [dumbbell]
            access     = { rate = "9 Mb/s", delay = "1 ms" }
            bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = { droptail = 9 } }
            [[flow]]
            control = "reno"
        "#;
        let controls = dumbbell_scenario::controls::Controls::builtin();
        let scenario = Scenario::parse("one", text, &controls).expect("a scenario");
        let turns = |late_s| {
            let question = Question {
                scenario: &scenario,
                flow: 0,
                control: "reno",
                schedule: Schedule {
                    seed: 1,
                    repeat: 1,
                    duration: std::time::Duration::from_secs(1),
                    jobs: 1,
                    again: 0,
                },
                usual: Variant::default(),
                switches: &LINUX[..1],
                late_s,
            };
            let turns = question.turns().into_iter();
            turns
                .map(|(name, it)| (name, it.late_us))
                .collect::<Vec<_>>()
        };
        let usual = (LINUX[0].name.to_owned(), 0);
        let late = (
            "both ends late as packets left the emulator: 23 us".to_owned(),
            23,
        );
        assert_eq!(turns(23.4e-6), [late, usual.clone()]);
        assert_eq!(turns(0.4e-6), [usual]);
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
            ("up".to_owned(), vec![run(12e6), run(12e6)]),
            ("down".to_owned(), vec![run(9e6), run(9e6)]),
        ];
        let gap = gap(Measure::Goodput, kernel, &base, &turned).expect("both are known");
        let parts: Vec<(&str, f64, bool)> = gap
            .switches
            .iter()
            .map(|it| (it.switch.as_str(), it.part, it.certain))
            .collect();
        assert_eq!(parts, [("down", 0.5, true), ("up", -1.0, true)]);
    }
}
