//! The results of a comparison.

use dumbbell_run::statistics::Estimate;
use serde::Serialize;

use super::explanation::Explanation;
use super::measure::Measure;
use super::predicted::Predicted;
use crate::emulator::{Fault, Report};
use crate::transfer::Measured;
use crate::trials::{self, Trial};

/// All controls on one path.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// One row per control, in the order of the arguments.
    pub rows: Vec<Row>,
    /// What makes the simulator differ from the kernel, for each control that differs, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explanations: Vec<Explanation>,
    /// The number of planned runs, of all controls together. If interrupted, there are fewer runs.
    pub planned: usize,
    /// Length of a run, in seconds.
    pub duration_s: f64,
    /// Time between two samples of a connection, in seconds.
    pub interval_s: f64,
    /// The first seed.
    pub first_seed: u64,
}

/// The results of one control.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its displayed name.
    pub label: String,
    /// Its name in the kernel.
    pub kernel_name: String,
    /// The simulator's control of the same kind; `None` if it has none.
    pub simulated: Option<String>,
    /// The kernel's runs, in the order of the seeds.
    pub runs: Vec<Run>,
    /// The simulator's predictions, seed by seed; empty if it has no such control.
    pub predicted: Vec<Predicted>,
}

/// A transfer of the kernel's TCP.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The seed of its losses.
    pub seed: u64,
    /// How often it had to be repeated, because its results were not to be trusted.
    pub repeated: u32,
    /// The connection.
    pub measured: Measured,
    /// The network.
    pub network: Report,
}

impl Comparison {
    /// Returns the number of finished runs of the kernel, of all controls together.
    pub fn runs(&self) -> usize {
        self.rows.iter().map(|row| row.runs.len()).sum()
    }

    /// Returns how late packets left the emulator, in seconds, as the mean of all runs; and the highest 99th
    /// percentile of any run, of packets that left or came in.
    pub fn lateness(&self) -> (f64, f64) {
        trials::lateness(self.all_runs().map(|run| &run.network))
    }

    /// Returns whether any run is not to be believed.
    pub fn is_doubtful(&self) -> bool {
        self.all_runs().any(Trial::is_doubtful)
    }

    /// Returns the most segments that any run carried in a second.
    fn segment_rate(&self) -> f64 {
        self.all_runs()
            .map(|run| run.measured.segments as f64 / run.measured.elapsed_s)
            .fold(0.0, f64::max)
    }

    /// Returns how many repetitions of runs there were.
    pub fn repeated(&self) -> u32 {
        self.all_runs().map(Trial::repeated).sum()
    }

    /// Returns warnings about results that should not be trusted, with the reasons.
    pub fn warnings(&self) -> Vec<String> {
        let rows = self
            .rows
            .iter()
            .map(|row| (row.label.as_str(), &row.runs[..]));
        let mut warnings = trials::warnings(self.planned, &rows.collect::<Vec<_>>());
        for row in &self.rows {
            let late = row.runs.iter().map(|run| run.network.lateness.mean_s);
            let late_s = late.fold(0.0, f64::max);
            warnings.extend(out_of_depth(row, late_s, self.segment_rate()));
        }
        warnings
    }

    fn all_runs(&self) -> impl Iterator<Item = &Run> {
        self.rows.iter().flat_map(|row| &row.runs)
    }
}

impl Trial for Run {
    fn faults(&self) -> &[Fault] {
        &self.network.faults
    }

    fn connections(&self) -> impl Iterator<Item = &Measured> {
        std::iter::once(&self.measured)
    }

    fn repeated(&self) -> u32 {
        self.repeated
    }

    fn set_repeated(&mut self, repeated: u32) {
        self.repeated = repeated;
    }
}

/// Returns a warning about a control that keeps 1 to 3 segments in the queue, if the machine's own delays are as
/// long as the time of a segment, `1 / rate`: it takes them for a queue. `late_s` is the mean lateness of packets.
fn out_of_depth(row: &Row, late_s: f64, rate: f64) -> Option<String> {
    let is_vegas = matches!(row.simulated.as_deref(), Some("vegas" | "rovegas"));
    let segments = late_s * rate;
    (is_vegas && segments >= 1.0).then(|| {
        format!(
            "OUT OF ITS DEPTH, {}: it keeps 1 to 3 segments waiting, and packets were late by the time of {segments:.1} \
             segments on average ({:.0} us at {rate:.0} segments/s), which it takes for a queue",
            row.label,
            late_s * 1e6
        )
    })
}

/// A quantity over time: the mean of all runs, with its interval.
pub type Span = Vec<(f64, Estimate)>;

impl Row {
    /// Returns a quantity of the kernel's runs.
    pub fn measured(&self, quantity: Measure) -> Option<Estimate> {
        let runs = self
            .runs
            .iter()
            .map(|run| quantity.of_kernel(&run.measured));
        quantity.estimate(runs)
    }

    /// Returns a quantity as the simulator predicts it.
    pub fn predicted(&self, quantity: Measure) -> Option<Estimate> {
        quantity.predicted(&self.predicted)
    }

    /// Returns the goodput of the kernel's runs, in bit/s.
    pub fn goodput(&self) -> Option<Estimate> {
        self.measured(Measure::Goodput)
    }

    /// Returns the goodput that the simulator predicts, in bit/s.
    pub fn predicted_goodput(&self) -> Option<Estimate> {
        self.predicted(Measure::Goodput)
    }

    /// Returns by how many percent the goodput exceeds that of another control, compared seed by seed.
    pub fn gain_over(&self, other: &Self) -> Option<Estimate> {
        let pairs = self.runs.iter().zip(&other.runs);
        let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs
            .map(|(a, b)| (a.measured.goodput_bps, b.measured.goodput_bps))
            .unzip();
        let ratio = Estimate::ratio(&ours, &theirs)?;
        Some(Estimate {
            mean: 100.0 * (ratio.mean - 1.0),
            half_width: ratio.half_width.map(|half| 100.0 * half),
        })
    }

    /// Returns the ratio of the kernel's value of a quantity to the simulator's.
    pub fn agreement(&self, quantity: Measure) -> Option<f64> {
        let (kernel, simulator) = (self.measured(quantity)?, self.predicted(quantity)?);
        (simulator.mean > 0.0).then(|| kernel.mean / simulator.mean)
    }

    /// Returns the number of runs that are not to be believed.
    pub fn doubtful(&self) -> usize {
        trials::doubtful(&self.runs)
    }

    /// Returns the kernel's window over time, in segments, at `places` times.
    pub fn windows(&self, duration_s: f64, places: usize) -> Span {
        let runs = self.runs.iter().map(|run| {
            let samples = run.measured.samples.iter();
            samples.map(|it| (it.at_s, f64::from(it.cwnd))).collect()
        });
        over_time(&runs.collect::<Vec<Vec<_>>>(), duration_s, places)
    }

    /// Returns the simulator's window over time, in segments, at `places` times.
    pub fn predicted_windows(&self, duration_s: f64, places: usize) -> Span {
        let runs: Vec<_> = self.predicted.iter().map(|it| it.windows.clone()).collect();
        over_time(&runs, duration_s, places)
    }
}

/// Returns the mean of several runs at `places` times. Each run contributes its last sample before the
/// time.
pub(crate) fn over_time(runs: &[Vec<(f64, f64)>], duration_s: f64, places: usize) -> Span {
    let step = duration_s / places.max(1) as f64;
    (1..=places)
        .filter_map(|place| {
            let at = step * place as f64;
            let values: Vec<f64> = runs.iter().filter_map(|run| last_before(run, at)).collect();
            Some((at, Estimate::of(&values)?))
        })
        .collect()
}

fn last_before(samples: &[(f64, f64)], at: f64) -> Option<f64> {
    let after = samples.partition_point(|(time, _)| *time <= at);
    Some(samples.get(after.checked_sub(1)?)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_is_reported_and_agreement_needs_both_goodputs() {
        let row = Row {
            label: "reno".to_owned(),
            kernel_name: "reno".to_owned(),
            simulated: None,
            runs: Vec::new(),
            predicted: Vec::new(),
        };
        assert_eq!(row.agreement(Measure::Goodput), None);
        let mut found = Comparison {
            rows: vec![row],
            explanations: Vec::new(),
            planned: 3,
            duration_s: 1.0,
            interval_s: 0.1,
            first_seed: 1,
        };
        let warning = "INTERRUPTED: 0 of 3 runs are over, and only they count";
        assert_eq!(found.warnings(), [warning]);
        assert_eq!(found.lateness(), (0.0, 0.0));
        found.planned = 0;
        assert!(found.warnings().is_empty());
    }

    /// At 1 Gb/s, a segment of 1500 bytes takes 12 us.
    #[test]
    fn vegas_is_out_of_its_depth_where_packets_are_late_by_a_segment() {
        let mut row = Row {
            label: "vegas".to_owned(),
            kernel_name: "db_vegas".to_owned(),
            simulated: Some("vegas".to_owned()),
            runs: Vec::new(),
            predicted: Vec::new(),
        };
        let rate = 1e9 / 12_000.0;
        let said = out_of_depth(&row, 30e-6, rate).expect("2.5 segments");
        assert!(said.contains("2.5 segments"), "{said}");
        assert_eq!(out_of_depth(&row, 10e-6, rate), None);
        assert_eq!(out_of_depth(&row, 30e-6, rate / 50.0), None);
        row.simulated = Some("reno".to_owned());
        assert_eq!(out_of_depth(&row, 30e-6, rate), None);
    }

    #[test]
    fn windows_are_the_last_samples_before_each_time() {
        let runs = [
            vec![(0.0, 2.0), (0.9, 4.0), (1.1, 6.0)],
            vec![(0.5, 8.0), (2.0, 10.0)],
        ];
        let means: Vec<(f64, f64)> = over_time(&runs, 2.0, 2)
            .into_iter()
            .map(|(at, estimate)| (at, estimate.mean))
            .collect();
        assert_eq!(means, [(1.0, 6.0), (2.0, 8.0)]);
        assert!(over_time(&[], 2.0, 2).is_empty());
    }
}
