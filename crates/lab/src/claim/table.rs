//! The numbers that a claim is judged by.

use dumbbell_run::statistics::Estimate;

/// The values of one measure.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// The curves' names.
    pub series: Vec<&'a str>,
    /// The places.
    pub xs: &'a [f64],
    /// For each curve and each place, one value a seed.
    pub values: &'a [Vec<Vec<f64>>],
}

impl Table<'_> {
    /// The values of a curve in a place, if it was measured there.
    pub(super) fn at(&self, series: &str, x: f64) -> Option<&[f64]> {
        let series = self.series.iter().position(|name| *name == series)?;
        let x = self.xs.iter().position(|known| *known == x)?;
        let values = &self.values[series][x];
        (!values.is_empty() && values.iter().all(|v| v.is_finite())).then_some(values)
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
        let wanted = if wanted.is_empty() { self.xs } else { wanted };
        let known = |x: &f64| self.xs.contains(x);
        wanted.iter().copied().filter(known).collect()
    }

    /// A place in a sentence: nothing where there is only one.
    pub(super) fn place(&self, x: f64) -> String {
        match self.xs {
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
        let pairs = self.at(series, x)?.iter().zip(self.at(series, of)?);
        let parts: Vec<f64> = pairs.map(|(here, there)| here / there).collect();
        Estimate::of(&parts).filter(|part| part.mean.is_finite())
    }

    /// A function of the pairs of runs that share a seed.
    pub(super) fn pairs(
        &self,
        a: &str,
        b: &str,
        x: f64,
        of: impl Fn(f64, f64) -> f64,
    ) -> Option<Estimate> {
        let pairs = self.at(a, x)?.iter().zip(self.at(b, x)?);
        let values: Vec<f64> = pairs.map(|(a, b)| of(*a, *b)).collect();
        Estimate::of(&values).filter(|estimate| estimate.mean.is_finite())
    }

    /// The curves and their means in a place, the highest first.
    pub(super) fn ranking(&self, x: f64) -> Option<Vec<(&str, f64)>> {
        let mean = |name: &&str| Some(Estimate::of(self.at(name, x)?)?.mean);
        let mut means = Vec::new();
        for name in &self.series {
            means.push((*name, mean(name)?));
        }
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        (means.len() > 1).then_some(means)
    }
}

/// A gain in percent with its interval, for people.
pub(super) fn percent(gain: &Estimate) -> String {
    match gain.half_width {
        Some(half) => format!("{:+.1} ± {half:.1} %", gain.mean),
        None => format!("{:+.1} %", gain.mean),
    }
}

/// Places for people: `0.01, 0.02`.
pub(super) fn list(places: &[f64]) -> String {
    let places: Vec<String> = places.iter().map(f64::to_string).collect();
    places.join(", ")
}
