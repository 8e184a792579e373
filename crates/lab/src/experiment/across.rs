//! How the numbers of several flows become one.

use dumbbell_run::statistics;

/// How numbers of several flows become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Across {
    /// Their sum.
    #[default]
    Sum,
    /// Their mean.
    Mean,
    /// The least.
    Min,
    /// The largest.
    Max,
    /// Jain's index of fairness.
    Jain,
    /// The largest divided by the least.
    Spread,
    /// The largest minus the least.
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

    /// The one number; not a number where there is none to begin with.
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
    fn several_flows_become_one_number() {
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
