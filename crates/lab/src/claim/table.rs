//! The numbers by which a claim is judged.

use dumbbell_run::statistics::Estimate;

use crate::cube::{Cube, CurveId, MeasureId, PlaceId};

/// A curve and an x value.
type Point = (CurveId, PlaceId);

/// The values of one measure in a cube.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    cube: &'a Cube,
    measure: MeasureId,
    /// Whether the number of a point that is one run counts as exact.
    exact: bool,
}

impl<'a> Table<'a> {
    /// Selects the values of this measure.
    pub fn new(cube: &'a Cube, measure: MeasureId) -> Self {
        Self {
            cube,
            measure,
            exact: false,
        }
    }

    /// The same values, but the number of a point that is one run counts as exact, because nothing in
    /// it is random.
    pub(super) fn exact(self) -> Self {
        Self {
            exact: true,
            ..self
        }
    }

    /// Selects the values of the first measure.
    #[cfg(test)]
    pub(super) fn of(cube: &'a Cube) -> Self {
        Self::new(cube, MeasureId(0))
    }

    /// The curves' names.
    pub(super) fn curves(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.cube.axes().curves.iter().map(String::as_str)
    }

    fn xs(&self) -> &'a [f64] {
        &self.cube.axes().places
    }

    /// The values of a curve at an x value, one per seed that was run; `None` unless there are
    /// values and all are finite.
    pub(super) fn at(&self, series: &str, x: f64) -> Option<Vec<f64>> {
        let axes = self.cube.axes();
        let (curve, place) = (axes.curve(series)?, axes.place(x)?);
        let values = self.cube.values(self.measure, curve, place);
        (!values.is_empty() && values.iter().all(|v| v.is_finite())).then_some(values)
    }

    /// The mean of a curve at an x value.
    pub(super) fn estimate(&self, series: &str, x: f64) -> Option<Estimate> {
        let point = self.point((series, x))?;
        self.estimate_from(self.at(series, x)?, &[point])
    }

    /// Whether the number of a curve at an x value is that of one run, without an interval.
    pub(super) fn is_of_one_run(&self, series: &str, x: f64) -> bool {
        let found = self.estimate(series, x);
        found.is_some_and(|found| found.half_width.is_none())
    }

    /// The mean of a curve over these x values, from one value per seed.
    pub(super) fn mean(&self, series: &str, places: &[f64]) -> Option<Estimate> {
        let (means, points) = self.means(series, places)?;
        self.estimate_from(means, &points)
    }

    /// The means of a curve over these x values, one per seed, and the points.
    fn means(&self, series: &str, places: &[f64]) -> Option<(Vec<f64>, Vec<Point>)> {
        let mut means: Vec<f64> = Vec::new();
        let mut points = Vec::new();
        for x in places {
            points.push(self.point((series, *x))?);
            let values = self.at(series, *x)?;
            means.resize(values.len(), 0.0);
            for (mean, value) in means.iter_mut().zip(values) {
                *mean += value / places.len() as f64;
            }
        }
        Some((means, points))
    }

    /// A function of the means of two curves over these x values, from the pairs of runs that share
    /// a seed.
    pub(super) fn pairs_of_means(
        &self,
        a: &str,
        b: &str,
        places: &[f64],
        of: impl Fn(f64, f64) -> f64,
    ) -> Option<Estimate> {
        let mut means: Vec<(f64, f64)> = Vec::new();
        let mut points = Vec::new();
        for x in places {
            points.extend([self.point((a, *x))?, self.point((b, *x))?]);
            let pairs = self.both((a, *x), (b, *x))?;
            means.resize(pairs.len(), (0.0, 0.0));
            for (mean, pair) in means.iter_mut().zip(pairs) {
                mean.0 += pair.0 / places.len() as f64;
                mean.1 += pair.1 / places.len() as f64;
            }
        }
        self.estimate_of(means, &points, of)
    }

    /// Those of the wanted x values that were measured; all measured ones if `wanted` is empty.
    pub(super) fn places(&self, wanted: &[f64]) -> Vec<f64> {
        let wanted = if wanted.is_empty() { self.xs() } else { wanted };
        let known = |x: &f64| self.xs().contains(x);
        wanted.iter().copied().filter(known).collect()
    }

    /// An x value as part of a sentence; empty if there is only one.
    pub(super) fn place(&self, x: f64) -> String {
        match self.xs() {
            [_] => String::new(),
            _ => format!(" at {x}"),
        }
    }

    /// How far one curve is above another, in percent, from the pairs of runs that share a seed.
    pub(super) fn gain(&self, of: &str, over: &str, x: f64) -> Option<Estimate> {
        self.pairs(of, over, x, |a, b| (a / b - 1.0) * 100.0)
    }

    /// The ratio of a curve's value at one x value to its value at another, from the pairs of runs
    /// that share a seed.
    pub(super) fn between(&self, series: &str, x: f64, of: f64) -> Option<Estimate> {
        self.of_pairs((series, x), (series, of), |here, there| here / there)
    }

    /// The increase of a curve from one x value to another, from the pairs of runs that share a
    /// seed.
    pub(super) fn step(&self, series: &str, from: f64, to: f64) -> Option<Estimate> {
        self.of_pairs((series, from), (series, to), |before, after| after - before)
    }

    /// A function of two curves at an x value, from the pairs of runs that share a seed.
    pub(super) fn pairs(
        &self,
        a: &str,
        b: &str,
        x: f64,
        of: impl Fn(f64, f64) -> f64,
    ) -> Option<Estimate> {
        self.of_pairs((a, x), (b, x), of)
    }

    /// A function of two points, each a curve and an x value.
    fn of_pairs(
        &self,
        a: (&str, f64),
        b: (&str, f64),
        of: impl Fn(f64, f64) -> f64,
    ) -> Option<Estimate> {
        let points = [self.point(a)?, self.point(b)?];
        self.estimate_of(self.both(a, b)?, &points, of)
    }

    /// The numbers of two points in the runs that share a seed. Both must have one in every run.
    fn both(&self, a: (&str, f64), b: (&str, f64)) -> Option<Vec<(f64, f64)>> {
        self.at(a.0, a.1)?;
        self.at(b.0, b.1)?;
        let (a, b) = (self.point(a)?, self.point(b)?);
        Some(self.cube.pairs(self.measure, a, b))
    }

    /// The position of a point, a curve and an x value.
    fn point(&self, (series, x): (&str, f64)) -> Option<Point> {
        let axes = self.cube.axes();
        Some((axes.curve(series)?, axes.place(x)?))
    }

    /// The estimate from numbers of these points, one number per seed.
    fn estimate_from(&self, values: Vec<f64>, points: &[Point]) -> Option<Estimate> {
        let mut estimate = self.cube.estimate_of(values, points)?;
        if self.exact {
            estimate.half_width.get_or_insert(0.0);
        }
        Some(estimate)
    }

    /// A function of pairs of numbers from these points.
    fn estimate_of(
        &self,
        pairs: Vec<(f64, f64)>,
        points: &[Point],
        of: impl Fn(f64, f64) -> f64,
    ) -> Option<Estimate> {
        let values = pairs.into_iter().map(|(a, b)| of(a, b)).collect();
        let estimate = self.estimate_from(values, points);
        estimate.filter(|estimate| estimate.mean.is_finite())
    }

    /// The curves and their means over these x values, the highest first.
    pub(super) fn ranking_of_means(&self, places: &[f64]) -> Option<Vec<(&'a str, f64)>> {
        let mut means = Vec::new();
        for name in self.curves() {
            means.push((name, self.mean(name, places)?.mean));
        }
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        (means.len() > 1).then_some(means)
    }

    /// The curves and their means at an x value, the highest first.
    pub(super) fn ranking(&self, x: f64) -> Option<Vec<(&'a str, f64)>> {
        self.ranking_of_means(&[x])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::tests::of_measure;

    #[test]
    fn one_run_has_no_interval_unless_it_counts_as_exact() {
        let mut cube = of_measure(&["A", "B"], &[1.0], &[&[&[2.0, 2.0]], &[&[2.0, 3.0]]]);
        cube.mark_one_run(CurveId(0), PlaceId(0), true);
        let table = Table::of(&cube);
        let half = |table: Table<'_>, curve| table.estimate(curve, 1.0).map(|it| it.half_width);
        assert_eq!(half(table, "A"), Some(None));
        assert_eq!(half(table.exact(), "A"), Some(Some(0.0)));
        // What is random in it keeps its interval.
        assert_eq!(half(table.exact(), "B"), half(table, "B"));
        assert!(half(table, "B").flatten().is_some_and(|half| half > 1.0));
    }
}
