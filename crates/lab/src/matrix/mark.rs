//! The best and the worst of a column.

use dumbbell_run::statistics::Estimate;
use serde::Serialize;

use super::Measure;

/// What a cell is within its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It is the best, or cannot be told from it.
    Best,
    /// It is the worst, or cannot be told from it.
    Worst,
}

/// What tells the better from the worse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    less_is_better: bool,
    /// The largest difference that does not matter.
    indifference: f64,
    /// From here on, more is no better.
    enough: Option<f64>,
}

impl Order {
    /// Of a measure in its unit.
    pub(super) fn of(measure: Measure) -> Self {
        Self {
            less_is_better: measure.less_is_better(),
            indifference: measure.indifference(),
            enough: measure.enough(),
        }
    }

    /// Of a measure as a part of NewReno's.
    pub(super) fn of_ratio(measure: Measure) -> Self {
        Self {
            indifference: 0.01,
            ..Self::of(measure)
        }
    }
}

/// The marks of a column, of which each entry has a value for each seed.
///
/// An entry is like another one if the 95 % interval of their differences, seed by seed, holds 0, or if
/// their means differ by no more than what does not matter. The intervals are wide enough for all
/// comparisons of the column at once (Bonferroni). Best are the entry with the best mean and those like
/// it, worst the one with the worst mean and those like it. What is both is neither: where the best
/// and the worst are alike, nothing is marked. Nor are two of which the best has the worse mean: one of
/// them scatters more than the other, and likeness does not carry over. An entry without values, or with one that is no number,
/// is not compared.
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
    // By how much `a` is better than `b`, as far as that is certain.
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

    /// By hand: with three comparisons of four seeds the intervals are 2.43 deviations, of the first
    /// two columns' against the last ones' 81. So the second, 30 behind the best for certain and 70
    /// before the worst, would be worst; the third, 60 behind the best and 40 before the worst for
    /// certain, best, with a mean of 50 against 80.
    #[test]
    fn no_best_has_a_worse_mean_than_a_worst() {
        let entries = [
            [139.0, 139.0, 81.0, 81.0],
            [109.0, 109.0, 51.0, 51.0],
            [50.0; 4],
            [10.0; 4],
        ];
        assert_eq!(goodput(&entries), [B, None, None, W]);
    }

    #[test]
    fn the_best_and_the_worst_are_marked() {
        let entries = [[50.0; 4], [90.0; 4], [10.0; 4]];
        assert_eq!(goodput(&entries), [None, B, W]);
        let delay = marks(&column(&entries), Order::of(Measure::Delay));
        assert_eq!(delay, [None, W, B]);
    }

    #[test]
    fn what_lies_within_the_noise_shares_the_mark() {
        // The second is 4 below the first on average, seed by seed 14, -6, 14, -6: the interval of
        // two comparisons, 4 ± 4.18 x 5.77, holds 0.
        let first = [90.0, 90.0, 90.0, 90.0];
        let second = [76.0, 96.0, 76.0, 96.0];
        assert_eq!(goodput(&[first, second, [10.0; 4]]), [B, B, W]);
        // The same difference for every seed is no noise.
        assert_eq!(goodput(&[first, [86.0; 4], [10.0; 4]]), [B, None, W]);
        // Noise that both share is none either.
        let shared = [72.0, 92.0, 72.0, 92.0];
        assert_eq!(goodput(&[second, shared, [10.0; 4]]), [B, None, W]);
    }

    #[test]
    fn what_does_not_matter_is_no_difference() {
        assert_eq!(
            goodput(&[[90.0; 4], [89.5; 4], [10.0; 4], [10.9; 4]]),
            [B, B, W, W]
        );
        assert_eq!(goodput(&[[90.0; 4], [89.5; 4]]), [None, None]);
    }

    #[test]
    fn what_is_like_both_has_no_mark() {
        let vague = [20.0, 80.0, 20.0, 80.0];
        assert_eq!(goodput(&[[60.0; 4], vague, [40.0; 4]]), [B, None, W]);
    }

    /// The first is ahead of the second for certain, but not of the third, whose mean is the lowest.
    #[test]
    fn nothing_is_marked_where_the_ends_are_alike() {
        let vague = [0.0, 0.0, 0.0, 100.0];
        assert_eq!(goodput(&[[40.0; 4], [30.0; 4], vague]), [None; 3]);
    }

    #[test]
    fn to_leave_more_than_enough_is_no_better() {
        let entries = [[1.0; 4], [1.4; 4], [0.98; 4], [0.5; 4]];
        let marks = marks(&column(&entries), Order::of(Measure::Friendliness));
        assert_eq!(marks, [B, B, None, W]);
    }

    #[test]
    fn the_harmful_are_compared_with_one_another_where_none_is_harmless() {
        let entries = [[0.9; 4], [0.895; 4], [0.5; 4]];
        let marks = marks(&column(&entries), Order::of(Measure::Friendliness));
        assert_eq!(marks, [B, B, W]);
    }

    #[test]
    fn what_is_no_number_is_not_compared() {
        let none = [f64::NAN, 1.0, 1.0, 1.0];
        assert_eq!(goodput(&[none, [90.0; 4], [10.0; 4]]), [None, B, W]);
        assert_eq!(goodput(&[none, none]), [None, None]);
        assert_eq!(marks(&[], Order::of(Measure::Delay)), []);
    }
}
