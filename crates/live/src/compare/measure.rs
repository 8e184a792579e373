//! The quantities in which the kernel and the simulator are compared. Each is defined alike on both sides.

use dumbbell_run::statistics::Estimate;
use serde::Serialize;

use super::predicted::Predicted;
use crate::transfer::Measured;

/// A compared quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The rate of delivery in order, in bit/s.
    Goodput,
    /// The mean over time of the smoothed round-trip time by which the sender's timer runs, in seconds.
    Rtt,
    /// Retransmissions, in percent of the data segments sent.
    Resent,
    /// The mean time between two cuts of the window for losses, in seconds: the time of all runs divided by the number
    /// of their loss episodes, of the tails that a probe has repaired, and of the expiries of the retransmission timer.
    BetweenCuts,
}

impl Measure {
    /// All quantities.
    pub const ALL: [Self; 4] = [Self::Goodput, Self::Rtt, Self::Resent, Self::BetweenCuts];

    /// Returns its name for readers, with its unit.
    pub fn title(self) -> &'static str {
        match self {
            Self::Goodput => "goodput Mb/s",
            Self::Rtt => "RTT ms",
            Self::Resent => "resent %",
            Self::BetweenCuts => "between cuts s",
        }
    }

    /// Returns the factor from its unit to that of its title, and the decimals that make sense there.
    pub fn scale(self) -> (f64, usize) {
        match self {
            Self::Goodput => (1e-6, 3),
            Self::Rtt => (1e3, 1),
            Self::Resent => (1.0, 2),
            Self::BetweenCuts => (1.0, 3),
        }
    }

    /// Returns the quantity of a transfer of the kernel, as a part and its whole.
    pub(crate) fn of_kernel(self, run: &Measured) -> Option<(f64, f64)> {
        match self {
            Self::Goodput => Some((run.goodput_bps, 1.0)),
            Self::Rtt => Some((run.rtt_mean_s?, 1.0)),
            Self::Resent => share(run.retransmits, run.segments),
            Self::BetweenCuts => Some((run.elapsed_s, run.cuts as f64)),
        }
    }

    fn of_simulator(self, run: &Predicted) -> Option<(f64, f64)> {
        match self {
            Self::Goodput => Some((run.goodput_bps, 1.0)),
            Self::Rtt => Some((run.rtt_mean_s?, 1.0)),
            Self::Resent => share(run.retransmits, run.segments),
            Self::BetweenCuts => Some((run.elapsed_s, run.cuts as f64)),
        }
    }

    /// Returns the estimate from predictions.
    pub(crate) fn predicted(self, runs: &[Predicted]) -> Option<Estimate> {
        self.estimate(runs.iter().map(|run| self.of_simulator(run)))
    }

    /// Returns the estimate from parts and wholes: the mean of their ratios, or of the time between cuts, which a run
    /// may have none of, the ratio of their means; `None` if there are none.
    pub(crate) fn estimate(
        self,
        runs: impl Iterator<Item = Option<(f64, f64)>>,
    ) -> Option<Estimate> {
        let (parts, wholes): (Vec<f64>, Vec<f64>) = runs.flatten().unzip();
        if self == Self::BetweenCuts {
            return Estimate::ratio(&parts, &wholes);
        }
        let values = parts.iter().zip(&wholes).map(|(part, whole)| part / whole);
        Estimate::of(&values.collect::<Vec<f64>>())
    }
}

/// Returns a share in percent; `None` of nothing.
fn share(part: u64, whole: u64) -> Option<(f64, f64)> {
    (whole > 0).then_some((100.0 * part as f64, whole as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(goodput_bps: f64, retransmits: u64, cuts: u64) -> Predicted {
        Predicted {
            seed: 1,
            goodput_bps,
            segments: 200,
            retransmits,
            cuts,
            rtt_mean_s: None,
            elapsed_s: 10.0,
            windows: Vec::new(),
        }
    }

    /// 20 s with 1 and 4 cuts: 4 s from one to the next. 2 and 6 of 200 segments: 1 and 3 percent.
    #[test]
    fn the_time_between_cuts_is_that_of_all_runs_together() {
        let runs = [run(1e6, 2, 1), run(3e6, 6, 4)];
        let mean = |quantity: Measure| quantity.predicted(&runs).map(|it| it.mean);
        assert_eq!(mean(Measure::Goodput), Some(2e6));
        assert_eq!(mean(Measure::Resent), Some(2.0));
        assert_eq!(mean(Measure::BetweenCuts), Some(4.0));
        assert_eq!(mean(Measure::Rtt), None);
        assert_eq!(Measure::BetweenCuts.predicted(&[run(1e6, 0, 0)]), None);
    }
}
