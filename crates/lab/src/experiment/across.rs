//! Combines the numbers of several flows into one.

use dumbbell_run::statistics;

/// How the numbers of several flows are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Across {
    /// Their sum.
    #[default]
    Sum,
    /// Their mean.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// Jain's index of fairness.
    Jain,
    /// The largest divided by the smallest.
    Spread,
    /// The largest minus the smallest.
    Gap,
    /// The first minus the last, divided by their sum.
    Contrast,
}

impl Across {
    /// Their names in descriptions.
    pub(super) const WORDS: [(&'static str, Self); 8] = [
        ("sum", Self::Sum),
        ("mean", Self::Mean),
        ("min", Self::Min),
        ("max", Self::Max),
        ("jain", Self::Jain),
        ("spread", Self::Spread),
        ("gap", Self::Gap),
        ("contrast", Self::Contrast),
    ];

    /// Returns the combined number; NaN if there are no numbers.
    pub(super) fn one(self, numbers: &[f64]) -> f64 {
        let sum: f64 = numbers.iter().sum();
        let min = numbers.iter().copied().fold(f64::NAN, f64::min);
        let max = numbers.iter().copied().fold(f64::NAN, f64::max);
        match self {
            _ if numbers.is_empty() => f64::NAN,
            Self::Sum => sum,
            Self::Mean => sum / numbers.len() as f64,
            Self::Min => min,
            Self::Max => max,
            Self::Jain => statistics::jain(numbers).unwrap_or(f64::NAN),
            Self::Spread => max / min,
            Self::Gap => max - min,
            Self::Contrast => (numbers[0] - numbers[numbers.len() - 1]) / sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_several_flows_are_combined() {
        let numbers = [30.0, 10.0, 20.0];
        let all = [
            (Across::Sum, 60.0),
            (Across::Mean, 20.0),
            (Across::Min, 10.0),
            (Across::Max, 30.0),
            (Across::Spread, 3.0),
            (Across::Gap, 20.0),
            // (30 - 20) / 60
            (Across::Contrast, 1.0 / 6.0),
            // 60^2 / (3 * 1400)
            (Across::Jain, 6.0 / 7.0),
        ];
        for (across, expected) in all {
            let found = across.one(&numbers);
            assert!((found - expected).abs() < 1e-12, "{across:?}: {found}");
            assert!(across.one(&[]).is_nan());
        }
    }
}
