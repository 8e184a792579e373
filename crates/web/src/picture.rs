//! Curves for a chart: few enough points to be drawn quickly, without losing a peak.

use dumbbell_run::{Reading, Series};

/// How many columns of pixels a chart has at most. Each column takes two points.
pub(crate) const COLUMNS: usize = 1500;

/// The times of the points of all curves, and which samples they stand for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    /// The time of each sample of the run, in seconds.
    samples: Vec<f64>,
    /// How many samples are in one column; 0 if each sample is a point.
    per_column: usize,
}

impl Grid {
    /// The grid for curves that are sampled at these times.
    pub(crate) fn new(samples: Vec<f64>) -> Self {
        let per_column = match samples.len() {
            few if few <= 2 * COLUMNS + 1 => 0,
            many => many.div_ceil(COLUMNS),
        };
        Self {
            samples,
            per_column,
        }
    }

    /// The times of the points, in seconds. A column has the times of its first and its last sample.
    pub(crate) fn times(&self) -> Vec<f64> {
        if self.per_column == 0 {
            return self.samples.clone();
        }
        let columns = self.samples.chunks(self.per_column);
        columns
            .flat_map(|column| [column[0], column[column.len() - 1]])
            .collect()
    }

    /// The points of a series: each sample, or of each column the least and the greatest in the order in which
    /// they were taken. Where nothing was sampled, a point is NaN.
    pub(crate) fn points(&self, series: &Series) -> Vec<f64> {
        let values = self.aligned(series);
        if self.per_column == 0 {
            return values;
        }
        values.chunks(self.per_column).flat_map(ends).collect()
    }

    /// One value per sample of the run.
    fn aligned(&self, series: &Series) -> Vec<f64> {
        let mut points = series.points.iter().peekable();
        let value = |time: &f64| {
            while points.next_if(|(at, _)| at < time).is_some() {}
            match points.next_if(|(at, _)| at == time) {
                Some((_, Reading::Number(number))) => *number,
                Some((_, Reading::Word(_))) | None => f64::NAN,
            }
        };
        self.samples.iter().map(value).collect()
    }
}

/// The least and the greatest number of a column, in their order.
fn ends(column: &[f64]) -> [f64; 2] {
    let numbers = || column.iter().enumerate().filter(|(_, x)| !x.is_nan());
    let least = numbers().min_by(|a, b| a.1.total_cmp(b.1));
    let most = numbers().max_by(|a, b| a.1.total_cmp(b.1));
    match (least, most) {
        (Some((i, least)), Some((j, most))) if i <= j => [*least, *most],
        (Some((_, least)), Some((_, most))) => [*most, *least],
        _ => [f64::NAN; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_run::Subject;

    fn series(points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        let points = points.into_iter();
        Series {
            subject: Subject::Flow(0),
            quantity: "cwnd".to_owned(),
            points: points.map(|(at, x)| (at, Reading::Number(x))).collect(),
        }
    }

    #[test]
    fn few_samples_are_all_shown_and_a_missing_one_is_no_number() {
        let grid = Grid::new(vec![0.0, 0.5, 1.0]);
        assert_eq!(grid.times(), [0.0, 0.5, 1.0]);
        let points = grid.points(&series([(0.5, 7.0), (1.0, 8.0)]));
        assert!(points[0].is_nan());
        assert_eq!(points[1..], [7.0, 8.0]);
    }

    #[test]
    fn the_peak_and_the_valley_of_a_column_stay_in_their_order() {
        // Three samples a column: 4500 of them for 1500 columns.
        let times: Vec<f64> = (0..4500).map(f64::from).collect();
        let grid = Grid::new(times.clone());
        let mut points: Vec<(f64, f64)> = times.iter().map(|at| (*at, 5.0)).collect();
        points[4].1 = 100.0;
        points[5].1 = -1.0;
        let shown = grid.points(&series(points));
        assert_eq!(shown.len(), 3000);
        assert_eq!(grid.times()[..4], [0.0, 2.0, 3.0, 5.0]);
        assert_eq!(shown[..6], [5.0, 5.0, 100.0, -1.0, 5.0, 5.0]);
    }
}
