//! Claims judged by changed results: whether they can fail at all.

use super::{Experiment, Results};
use crate::claim::{self, Claim, Judgement};
use crate::cube::PlaceId;

impl Experiment {
    /// Judges a claim by results in which the curves that it names, each alone and all together, are
    /// changed beyond any tolerance: made much larger, much smaller, negative, or given a slope; one
    /// judgement per change.
    pub(crate) fn mutations(
        &self,
        claim: &Claim,
        results: &Results,
    ) -> impl Iterator<Item = Judgement> {
        let cube = results.cube(self).into_owned();
        let (named, _) = claim.test.names();
        let axes = cube.axes();
        let named: Vec<_> = named.iter().filter_map(|name| axes.curve(name)).collect();
        let curves: Vec<_> = if named.is_empty() || claim.test.is_about_all() {
            axes.curves().collect()
        } else {
            named
        };
        // The slopes are steep enough to undo any order along x.
        const CHANGES: [fn(f64, f64) -> f64; 7] = [
            |_, number| number * 1e3 + 1e3,
            |_, number| number * 1e-3,
            |_, number| number * 0.3,
            |_, number| number * 3.0,
            |_, number| -number - 1e3,
            |at, number| (number.abs() + 1.0) * 1e2f64.powf(at),
            |at, number| (number.abs() + 1.0) * 1e2f64.powf(-at),
        ];
        let together = (curves.len() > 1).then(|| curves.clone());
        let alone = curves.into_iter().map(|curve| vec![curve]);
        let changes = alone.chain(together);
        let changes = changes.flat_map(|curves| CHANGES.map(|change| (curves.clone(), change)));
        changes.map(move |(curves, change)| {
            let mut changed = cube.clone();
            for curve in curves {
                let change = |place: PlaceId, number| change(place.0 as f64, number);
                changed.replace(claim.measure, curve, change);
            }
            claim.judge(&claim::Table::new(&changed, claim.measure))
        })
    }
}
