//! Means with confidence intervals, fairness and variation.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and the half width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval (Student's t); `None` for fewer than two values.
    pub half_width: Option<f64>,
}

impl Estimate {
    /// The estimate from these values; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        Self::simultaneous(values, 1)
    }

    /// The estimate from these values as one of `comparisons` estimates: the intervals are so wide
    /// that all of them contain the true means at once with 95 % confidence (Bonferroni).
    pub fn simultaneous(values: &[f64], comparisons: usize) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = mean(values);
        let half_width = (values.len() > 1).then(|| {
            let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
            let outside = 0.05 / comparisons.max(1) as f64;
            student_t(values.len() - 1, outside) * (squares / (n - 1.0) / n).sqrt()
        });
        Some(Self { mean, half_width })
    }

    /// The ratio of two means whose values come in pairs, with its interval, by the ratio
    /// estimator: the deviations are those of each part from the ratio times its whole. `None` if
    /// there are no values, or if the mean of the wholes is 0.
    pub fn ratio(parts: &[f64], wholes: &[f64]) -> Option<Self> {
        let (part, whole) = (Self::of(parts)?.mean, Self::of(wholes)?.mean);
        let ratio = part / whole;
        let pairs = parts.iter().zip(wholes);
        let deviations: Vec<f64> = pairs.map(|(p, w)| (p - ratio * w) / whole).collect();
        let half_width = Self::of(&deviations)?.half_width;
        ratio.is_finite().then_some(Self {
            mean: ratio,
            half_width,
        })
    }

    /// The lower end of the interval, or the mean if there is no interval.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width.unwrap_or(0.0)
    }

    /// The upper end of the interval, or the mean if there is no interval.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width.unwrap_or(0.0)
    }
}

/// The quantile of Student's distribution with the fraction `outside` beyond it, on both sides
/// together.
fn student_t(degrees_of_freedom: usize, outside: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).map_or(f64::NAN, |distribution| {
        distribution.inverse_cdf(1.0 - outside / 2.0)
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Jain's fairness index, from 1/n to 1; `None` if all shares are 0.
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// The smallest of the values that at least `percent` percent of them do not exceed; `None` if
/// there are none.
pub fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Pearson's correlation of pairs; `None` if one coordinate does not vary.
pub fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (mx, my) = pairs
        .iter()
        .fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        xx += (x - mx) * (x - mx);
        yy += (y - my) * (y - my);
        xy += (x - mx) * (y - my);
    }
    (xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}

/// Coefficient of variation: population standard deviation divided by the mean; `None` if the mean
/// is 0.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let mean = mean(values);
    let variance =
        values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / values.len() as f64;
    (mean != 0.0).then(|| variance.sqrt() / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found} instead of {expected}"
        );
    }

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&hundred, 95), Some(95.0));
        assert_eq!(percentile(&[3.0, 1.0, 2.0], 95), Some(3.0));
        assert_eq!(percentile(&[3.0, 1.0, 2.0], 50), Some(2.0));
        assert_eq!(percentile(&[], 95), None);
    }

    #[test]
    fn a_ratio_of_means_worked_out_by_hand() {
        // 6 / 3; the deviations from it are -1/3, 0 and 1/3, with a variance of 1/9.
        let ratio = Estimate::ratio(&[3.0, 6.0, 9.0], &[2.0, 3.0, 4.0]).expect("values");
        close(ratio.mean, 2.0, 1e-12);
        close(
            ratio.half_width.expect("three"),
            4.302_653 * (1.0f64 / 27.0).sqrt(),
            1e-5,
        );
        assert_eq!(Estimate::ratio(&[1.0], &[0.0]), None);
        assert_eq!(Estimate::ratio(&[], &[]), None);
    }

    #[test]
    fn jains_index_of_known_shares() {
        close(jain(&[1.0, 2.0, 3.0]).unwrap(), 0.857_143, 5e-7);
        close(
            jain(&[140.5, 140.3, 296.5, 289.6]).unwrap(),
            0.889_558,
            5e-7,
        );
        assert_eq!(jain(&[0.0, 0.0]), None);
    }

    #[test]
    fn the_coefficient_of_variation_of_known_values() {
        close(
            coefficient_of_variation(&[8.0, 10.0, 12.0]).unwrap(),
            0.163_299,
            5e-7,
        );
    }

    #[test]
    fn student_quantiles_agree_with_printed_tables() {
        for (degrees, quantile) in [(1, 12.706), (4, 2.776), (9, 2.262), (19, 2.093)] {
            close(student_t(degrees, 0.05), quantile, 5e-4);
        }
        // The 99 % quantiles for 4 and 9 degrees of freedom.
        close(student_t(4, 0.01), 4.604, 5e-4);
        close(student_t(9, 0.01), 3.250, 5e-4);
    }

    #[test]
    fn intervals_worked_out_by_hand() {
        // For 1, 2, 3, 4: mean 2.5, variance 5/3, standard error 0.645497, t(3) = 3.182446.
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        close(estimate.mean, 2.5, 1e-12);
        close(estimate.half_width.unwrap(), 2.054_26, 1e-5);
        // As one of five comparisons: 99 %, t(3) = 5.840909.
        let wider = Estimate::simultaneous(&[1.0, 2.0, 3.0, 4.0], 5).unwrap();
        close(wider.half_width.unwrap(), 3.770_29, 1e-5);
        assert_eq!(Estimate::of(&[7.0]).unwrap().half_width, None);
        assert_eq!(Estimate::of(&[]), None);
    }
}
