//! The numbers that a claim is judged by.

use dumbbell_run::statistics::Estimate;

use crate::cube::{Cube, MeasureId};

/// The values of one measure: those of a cube.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    cube: &'a Cube,
    measure: MeasureId,
}

impl<'a> Table<'a> {
    /// A measure of what was measured.
    pub fn new(cube: &'a Cube, measure: MeasureId) -> Self {
        Self { cube, measure }
    }

    /// The first measure.
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

    /// The values of a curve in a place, one a seed that has run, if it was measured there: if each is a
    /// finite number.
    pub(super) fn at(&self, series: &str, x: f64) -> Option<Vec<f64>> {
        let axes = self.cube.axes();
        let (curve, place) = (axes.curve(series)?, axes.place(x)?);
        let values = self.cube.values(self.measure, curve, place);
        (!values.is_empty() && values.iter().all(|v| v.is_finite())).then_some(values)
    }

    /// The mean of a curve in a place.
    pub(super) fn estimate(&self, series: &str, x: f64) -> Option<Estimate> {
        Estimate::of(&self.at(series, x)?)
    }

    /// The mean of a curve over these places, one value a seed.
    pub(super) fn mean(&self, series: &str, places: &[f64]) -> Option<Estimate> {
        let mut means: Vec<f64> = Vec::new();
        for x in places {
            let values = self.at(series, *x)?;
            means.resize(values.len(), 0.0);
            for (mean, value) in means.iter_mut().zip(values) {
                *mean += value / places.len() as f64;
            }
        }
        Estimate::of(&means)
    }

    /// Those of the places that were measured; all, where none is wanted.
    pub(super) fn places(&self, wanted: &[f64]) -> Vec<f64> {
        let wanted = if wanted.is_empty() { self.xs() } else { wanted };
        let known = |x: &f64| self.xs().contains(x);
        wanted.iter().copied().filter(known).collect()
    }

    /// A place in a sentence: nothing where there is only one.
    pub(super) fn place(&self, x: f64) -> String {
        match self.xs() {
            [_] => String::new(),
            _ => format!(" at {x}"),
        }
    }

    /// How far one curve is above another, in percent: the pairs of runs that share a seed.
    pub(super) fn gain(&self, of: &str, over: &str, x: f64) -> Option<Estimate> {
        self.pairs(of, over, x, |a, b| (a / b - 1.0) * 100.0)
    }

    /// What a curve has in one place as a part of what it has in another: the pairs of runs that
    /// share a seed.
    pub(super) fn between(&self, series: &str, x: f64, of: f64) -> Option<Estimate> {
        self.of_pairs((series, x), (series, of), |here, there| here / there)
    }

    /// By how much a curve's number rises from one place to another: the pairs of runs that share a seed.
    pub(super) fn step(&self, series: &str, from: f64, to: f64) -> Option<Estimate> {
        self.of_pairs((series, from), (series, to), |before, after| after - before)
    }

    /// A function of two curves in a place: the pairs of runs that share a seed.
    pub(super) fn pairs(
        &self,
        a: &str,
        b: &str,
        x: f64,
        of: impl Fn(f64, f64) -> f64,
    ) -> Option<Estimate> {
        self.of_pairs((a, x), (b, x), of)
    }

    /// A function of two points, a curve in a place each.
    fn of_pairs(
        &self,
        a: (&str, f64),
        b: (&str, f64),
        of: impl Fn(f64, f64) -> f64,
    ) -> Option<Estimate> {
        // Each run of both has a number.
        self.at(a.0, a.1)?;
        self.at(b.0, b.1)?;
        let axes = self.cube.axes();
        let id = |(curve, x)| Some((axes.curve(curve)?, axes.place(x)?));
        let pairs = self.cube.pairs(self.measure, id(a)?, id(b)?);
        let values: Vec<f64> = pairs.into_iter().map(|(a, b)| of(a, b)).collect();
        Estimate::of(&values).filter(|estimate| estimate.mean.is_finite())
    }

    /// The curves and their means in a place, the highest first.
    pub(super) fn ranking(&self, x: f64) -> Option<Vec<(&'a str, f64)>> {
        let mut means = Vec::new();
        for name in self.curves() {
            means.push((name, self.estimate(name, x)?.mean));
        }
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        (means.len() > 1).then_some(means)
    }
}
