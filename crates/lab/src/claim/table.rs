//! The numbers by which a claim is judged.

use dumbbell_run::statistics::Estimate;

use crate::cube::{Cube, MeasureId};

/// The values of one measure in a cube.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    cube: &'a Cube,
    measure: MeasureId,
}

impl<'a> Table<'a> {
    /// Selects the values of this measure.
    pub fn new(cube: &'a Cube, measure: MeasureId) -> Self {
        Self { cube, measure }
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
        let axes = self.cube.axes();
        let point = (axes.curve(series)?, axes.place(x)?);
        self.cube.estimate_of(self.at(series, x)?, &[point])
    }

    /// Whether the number of a curve at an x value is that of one run, without an interval.
    pub(super) fn is_of_one_run(&self, series: &str, x: f64) -> bool {
        let found = self.estimate(series, x);
        found.is_some_and(|found| found.half_width.is_none())
    }

    /// The mean of a curve over these x values, from one value per seed.
    pub(super) fn mean(&self, series: &str, places: &[f64]) -> Option<Estimate> {
        let mut means: Vec<f64> = Vec::new();
        let mut points = Vec::new();
        for x in places {
            let axes = self.cube.axes();
            points.push((axes.curve(series)?, axes.place(*x)?));
            let values = self.at(series, *x)?;
            means.resize(values.len(), 0.0);
            for (mean, value) in means.iter_mut().zip(values) {
                *mean += value / places.len() as f64;
            }
        }
        self.cube.estimate_of(means, &points)
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
        // Both must have a number in every run.
        self.at(a.0, a.1)?;
        self.at(b.0, b.1)?;
        let axes = self.cube.axes();
        let id = |(curve, x)| Some((axes.curve(curve)?, axes.place(x)?));
        let points = [id(a)?, id(b)?];
        let pairs = self.cube.pairs(self.measure, points[0], points[1]);
        let values: Vec<f64> = pairs.into_iter().map(|(a, b)| of(a, b)).collect();
        let estimate = self.cube.estimate_of(values, &points);
        estimate.filter(|estimate| estimate.mean.is_finite())
    }

    /// The curves and their means at an x value, the highest first.
    pub(super) fn ranking(&self, x: f64) -> Option<Vec<(&'a str, f64)>> {
        let mut means = Vec::new();
        for name in self.curves() {
            means.push((name, self.estimate(name, x)?.mean));
        }
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        (means.len() > 1).then_some(means)
    }
}
