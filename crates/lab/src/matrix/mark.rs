//! Highlights the best and the worst of a column.

use dumbbell_run::statistics::Estimate;
use serde::Serialize;

use super::Measure;

/// The highlight of a cell within its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// The best, or not distinguishable from it.
    Best,
    /// The worst, or not distinguishable from it.
    Worst,
}

/// The order of a measure's values from worst to best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    less_is_better: bool,
    /// The largest difference that does not matter.
    indifference: f64,
    /// The value above which more is not better.
    enough: Option<f64>,
}

impl Order {
    /// The order of a measure in its unit.
    pub(super) fn of(measure: Measure) -> Self {
        Self {
            less_is_better: measure.less_is_better(),
            indifference: measure.indifference(),
            enough: measure.enough(),
        }
    }

    /// The order of a measure's ratio to NewReno's.
    pub(super) fn of_ratio(measure: Measure) -> Self {
        Self {
            indifference: 0.01,
            ..Self::of(measure)
        }
    }
}

/// The highlights of a column whose entries have one value per seed.
///
/// Two entries are alike if the 95 % interval of their differences, seed by seed, includes 0, or if
/// their means differ by no more than what does not matter. The intervals are wide enough to hold
/// for all comparisons of the column at once (Bonferroni). The best are the entry with the best
/// mean and those like it; the worst are the entry with the worst mean and those like it. An entry
/// that is both gets no highlight, so nothing is highlighted if the best and the worst are alike.
/// If a best entry has a worse mean than a worst entry, neither is highlighted; this can happen
/// because one of them varies more than the other and being alike is not transitive. An entry is
/// not compared if it has no values or a value that is not a number.
pub(super) fn marks(column: &[Vec<f64>], order: Order) -> Vec<Option<Mark>> {
    let sign = if order.less_is_better { -1.0 } else { 1.0 };
    let mean = |values: &Vec<f64>| {
        let sum: f64 = values.iter().sum();
        let mean = sign * sum / values.len() as f64;
        mean.is_finite().then_some(mean)
    };
    let means: Vec<Option<f64>> = column.iter().map(mean).collect();
    let known = || {
        let means = means.iter().enumerate();
        means.filter_map(|(i, mean)| Some((i, (*mean)?)))
    };
    let (Some((best, highest)), Some((worst, _))) = (
        known().max_by(|a, b| a.1.total_cmp(&b.1)),
        known().min_by(|a, b| a.1.total_cmp(&b.1)),
    ) else {
        return vec![None; column.len()];
    };
    let comparisons = known().count().saturating_sub(1).max(1);
    let goal = match order.enough {
        Some(enough) if highest >= sign * enough => vec![enough; column[best].len()],
        _ => column[best].clone(),
    };
    // Whether `a` is significantly better than `b`.
    let ahead = |a: &[f64], b: &[f64]| {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| sign * (a - b)).collect();
        match Estimate::simultaneous(&differences, comparisons) {
            Some(e) if e.mean > order.indifference => e.low() > 0.0,
            _ => false,
        }
    };
    if !ahead(&goal, &column[worst]) {
        return vec![None; column.len()];
    }
    let mark = |i: usize| {
        means[i]?;
        let behind_best = ahead(&goal, &column[i]);
        let before_worst = ahead(&column[i], &column[worst]);
        match (behind_best, before_worst) {
            (false, true) => Some(Mark::Best),
            (true, false) => Some(Mark::Worst),
            _ => None,
        }
    };
    let marks: Vec<Option<Mark>> = (0..column.len()).map(mark).collect();
    let against = |i: usize, j: usize| match (marks[i], marks[j]) {
        (Some(Mark::Best), Some(Mark::Worst)) => means[i] <= means[j],
        (Some(Mark::Worst), Some(Mark::Best)) => means[i] >= means[j],
        _ => false,
    };
    let consistent = |i: &usize| !(0..column.len()).any(|j| against(*i, j));
    let kept = (0..column.len()).map(|i| marks[i].filter(|_| consistent(&i)));
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: Option<Mark> = Some(Mark::Best);
    const W: Option<Mark> = Some(Mark::Worst);

    fn column(entries: &[[f64; 4]]) -> Vec<Vec<f64>> {
        entries.iter().map(|values| values.to_vec()).collect()
    }

    fn goodput(entries: &[[f64; 4]]) -> Vec<Option<Mark>> {
        marks(&column(entries), Order::of(Measure::Goodput))
    }

    /// Worked out by hand: with three comparisons of four seeds, the half widths are 2.43 standard
    /// deviations, which is 81 for differences between the first two and the last two entries. The
    /// second entry is 30 behind the best, which is significant, and 70 ahead of the worst, which is
    /// not: it would be a worst entry. The third is 60 behind the best, which is not significant, and
    /// 40 ahead of the worst, which is: it would be a best entry, with a mean of 50 against 80.
    #[test]
    fn no_best_entry_has_a_worse_mean_than_a_worst_one() {
        let entries = [
            [139.0, 139.0, 81.0, 81.0],
            [109.0, 109.0, 51.0, 51.0],
            [50.0; 4],
            [10.0; 4],
        ];
        assert_eq!(goodput(&entries), [B, None, None, W]);
    }

    #[test]
    fn the_best_and_the_worst_are_highlighted() {
        let entries = [[50.0; 4], [90.0; 4], [10.0; 4]];
        assert_eq!(goodput(&entries), [None, B, W]);
        let delay = marks(&column(&entries), Order::of(Measure::Delay));
        assert_eq!(delay, [None, W, B]);
    }

    #[test]
    fn entries_within_the_noise_share_the_highlight() {
        // The second is 4 below the first on average; seed by seed 14, -6, 14, -6. The interval for
        // two comparisons, 4 ± 4.18 x 5.77, includes 0.
        let first = [90.0, 90.0, 90.0, 90.0];
        let second = [76.0, 96.0, 76.0, 96.0];
        assert_eq!(goodput(&[first, second, [10.0; 4]]), [B, B, W]);
        // An equal difference for every seed is not noise.
        assert_eq!(goodput(&[first, [86.0; 4], [10.0; 4]]), [B, None, W]);
        // Neither is variation that both share.
        let shared = [72.0, 92.0, 72.0, 92.0];
        assert_eq!(goodput(&[second, shared, [10.0; 4]]), [B, None, W]);
    }

    #[test]
    fn a_difference_that_does_not_matter_is_ignored() {
        assert_eq!(
            goodput(&[[90.0; 4], [89.5; 4], [10.0; 4], [10.9; 4]]),
            [B, B, W, W]
        );
        assert_eq!(goodput(&[[90.0; 4], [89.5; 4]]), [None, None]);
    }

    #[test]
    fn an_entry_like_both_has_no_highlight() {
        let vague = [20.0, 80.0, 20.0, 80.0];
        assert_eq!(goodput(&[[60.0; 4], vague, [40.0; 4]]), [B, None, W]);
    }

    /// The first is significantly better than the second, but not than the third, which has the
    /// lowest mean.
    #[test]
    fn nothing_is_highlighted_if_the_extremes_are_alike() {
        let vague = [0.0, 0.0, 0.0, 100.0];
        assert_eq!(goodput(&[[40.0; 4], [30.0; 4], vague]), [None; 3]);
    }

    #[test]
    fn more_than_enough_is_not_better() {
        let entries = [[1.0; 4], [1.4; 4], [0.98; 4], [0.5; 4]];
        let marks = marks(&column(&entries), Order::of(Measure::Friendliness));
        assert_eq!(marks, [B, B, None, W]);
    }

    #[test]
    fn harmful_entries_are_compared_with_one_another_if_none_is_harmless() {
        let entries = [[0.9; 4], [0.895; 4], [0.5; 4]];
        let marks = marks(&column(&entries), Order::of(Measure::Friendliness));
        assert_eq!(marks, [B, B, W]);
    }

    #[test]
    fn an_entry_with_nan_is_not_compared() {
        let none = [f64::NAN, 1.0, 1.0, 1.0];
        assert_eq!(goodput(&[none, [90.0; 4], [10.0; 4]]), [None, B, W]);
        assert_eq!(goodput(&[none, none]), [None, None]);
        assert_eq!(marks(&[], Order::of(Measure::Delay)), []);
    }
}
