//! A cube of named numbers: the results of all runs of an experiment.
//!
//! Its axes are the measures, the curves, the x values of the figure, and the seeds. A cell records
//! whether there was a run, and whether it gave a number. Cells may be filled in any order; they
//! are always read in the order of the axes.

use dumbbell_run::statistics::Estimate;

/// A curve, by its position on the cube's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CurveId(pub(crate) usize);

/// An x value of the figure (a place), by its position on the cube's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub(crate) usize);

/// A measure, by its position on the cube's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeasureId(pub(crate) usize);

/// A seed, by its distance from the first one, which is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeedId(pub(crate) usize);

/// The names along a cube's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    /// The measures' names, all different.
    pub measures: Vec<String>,
    /// The curves' names, all different.
    pub curves: Vec<String>,
    /// The x values of the figure, ascending.
    pub places: Vec<f64>,
    /// The number of seeds.
    pub seeds: usize,
}

impl Axes {
    /// All measures.
    pub fn measures(&self) -> impl Iterator<Item = MeasureId> + use<> {
        (0..self.measures.len()).map(MeasureId)
    }

    /// All curves.
    pub fn curves(&self) -> impl Iterator<Item = CurveId> + use<> {
        (0..self.curves.len()).map(CurveId)
    }

    /// All x values.
    pub fn places(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..self.places.len()).map(PlaceId)
    }

    /// All seeds.
    pub fn seeds(&self) -> impl Iterator<Item = SeedId> + use<> {
        (0..self.seeds).map(SeedId)
    }

    /// Finds a curve by its name.
    pub fn curve(&self, name: &str) -> Option<CurveId> {
        self.curves
            .iter()
            .position(|known| known == name)
            .map(CurveId)
    }

    /// Finds the position of an x value.
    pub fn place(&self, x: f64) -> Option<PlaceId> {
        self.places
            .iter()
            .position(|known| *known == x)
            .map(PlaceId)
    }

    /// Finds a measure by its name.
    pub fn measure(&self, name: &str) -> Option<MeasureId> {
        self.measures
            .iter()
            .position(|known| known == name)
            .map(MeasureId)
    }
}

/// The result of a run for one measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cell {
    /// There was no such run.
    #[default]
    NotRun,
    /// The run has no such number, because it refers to flows, losses or samples that do not exist.
    NoNumber,
    /// A number, which may be infinite if the run divides by zero.
    Number(f64),
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        if number.is_nan() {
            Self::NoNumber
        } else {
            Self::Number(number)
        }
    }
}

impl Cell {
    /// The number, or NaN if the run has none; `None` if there was no run.
    pub fn of_run(self) -> Option<f64> {
        match self {
            Self::NotRun => None,
            Self::NoNumber => Some(f64::NAN),
            Self::Number(number) => Some(number),
        }
    }

    /// The ratio of the numbers of two runs, times a factor; [`NotRun`](Self::NotRun) if either is
    /// missing.
    pub fn over(self, by: Self, times: f64) -> Self {
        match (self.of_run(), by.of_run()) {
            (Some(number), Some(by)) => Self::from(number / by * times),
            _ => Self::NotRun,
        }
    }
}

/// A cell for every measure, curve, x value and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Cube {
    axes: Axes,
    cells: Vec<Cell>,
    /// Whether the runs of a point, a curve and an x value, are all the same run.
    one_run: Vec<bool>,
}

/// One cell of a cube with its names: one line of a tidy table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The measure's name.
    pub measure: &'a str,
    /// The curve's name.
    pub curve: &'a str,
    /// The x value of the figure.
    pub place: f64,
    /// The seed, by its distance from the first one, which is 0.
    pub seed: usize,
    /// The result of the run.
    pub cell: Cell,
}

impl Cube {
    /// Creates a cube without runs.
    pub fn new(axes: Axes) -> Self {
        let points = axes.curves.len() * axes.places.len();
        Self {
            cells: vec![Cell::NotRun; axes.measures.len() * points * axes.seeds],
            one_run: vec![false; points],
            axes,
        }
    }

    /// The names along its axes.
    pub fn axes(&self) -> &Axes {
        &self.axes
    }

    fn at(&self, measure: MeasureId, curve: CurveId, place: PlaceId, seed: SeedId) -> usize {
        let Axes {
            curves,
            places,
            seeds,
            ..
        } = &self.axes;
        assert!(curve.0 < curves.len() && place.0 < places.len() && seed.0 < *seeds);
        ((measure.0 * curves.len() + curve.0) * places.len() + place.0) * seeds + seed.0
    }

    /// Stores the number of a run; NaN if the run has none.
    ///
    /// # Panics
    /// If a position is outside the axes.
    pub fn set(
        &mut self,
        measure: MeasureId,
        curve: CurveId,
        place: PlaceId,
        seed: SeedId,
        number: f64,
    ) {
        self.set_cell(measure, curve, place, seed, Cell::from(number));
    }

    /// Stores the result of a run.
    ///
    /// # Panics
    /// If a position is outside the axes.
    pub fn set_cell(
        &mut self,
        measure: MeasureId,
        curve: CurveId,
        place: PlaceId,
        seed: SeedId,
        cell: Cell,
    ) {
        let at = self.at(measure, curve, place, seed);
        self.cells[at] = cell;
    }

    /// The result of a run.
    ///
    /// # Panics
    /// If a position is outside the axes.
    pub fn get(&self, measure: MeasureId, curve: CurveId, place: PlaceId, seed: SeedId) -> Cell {
        self.cells[self.at(measure, curve, place, seed)]
    }

    /// The numbers of a measure in the runs of a point, one per seed that was run, in the order of
    /// the seeds; NaN for a run without a number.
    pub fn values(&self, measure: MeasureId, curve: CurveId, place: PlaceId) -> Vec<f64> {
        let cells = self
            .axes
            .seeds()
            .map(|seed| self.get(measure, curve, place, seed));
        cells.filter_map(Cell::of_run).collect()
    }

    /// Replaces the numbers of a measure and a curve. `by` gets the position of the x value and the
    /// number.
    pub fn replace(
        &mut self,
        measure: MeasureId,
        curve: CurveId,
        by: impl Fn(PlaceId, f64) -> f64,
    ) {
        for place in self.axes.places() {
            for seed in self.axes.seeds() {
                let at = self.at(measure, curve, place, seed);
                if let Cell::Number(number) = self.cells[at] {
                    self.cells[at] = Cell::from(by(place, number));
                }
            }
        }
    }

    /// Records whether the runs of a point do not differ although their seeds do, because nothing in
    /// it is random.
    pub fn mark_one_run(&mut self, curve: CurveId, place: PlaceId, one_run: bool) {
        let point = curve.0 * self.axes.places.len() + place.0;
        self.one_run[point] = one_run;
    }

    /// The mean over those runs of a point that have a finite number, with its 95 % interval.
    pub fn estimate(&self, measure: MeasureId, curve: CurveId, place: PlaceId) -> Option<Estimate> {
        let mut values = self.values(measure, curve, place);
        values.retain(|value| value.is_finite());
        self.estimate_of(values, &[(curve, place)])
    }

    /// The estimate from numbers of these points, one number per seed. If all points are the same
    /// run repeated, it has no interval: numbers of one run say nothing about the spread.
    pub fn estimate_of(
        &self,
        mut values: Vec<f64>,
        points: &[(CurveId, PlaceId)],
    ) -> Option<Estimate> {
        let repeated = |(curve, place): &(CurveId, PlaceId)| {
            self.one_run[curve.0 * self.axes.places.len() + place.0]
        };
        let equal = values.windows(2).all(|pair| pair[0] == pair[1]);
        // The number of one run may be divided by those of another curve, which differ.
        if equal && points.iter().all(repeated) {
            values.truncate(1);
        }
        Estimate::of(&values)
    }

    /// The numbers of two points, each a curve and an x value, for the seeds with which both were
    /// run.
    pub fn pairs(
        &self,
        measure: MeasureId,
        a: (CurveId, PlaceId),
        b: (CurveId, PlaceId),
    ) -> Vec<(f64, f64)> {
        let of = |(curve, place), seed| self.get(measure, curve, place, seed).of_run();
        let pairs = self.axes.seeds().map(|seed| of(a, seed).zip(of(b, seed)));
        pairs.flatten().collect()
    }

    /// All cells with their names, in the order of the axes: measure, curve, x value, seed.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let Axes {
            measures,
            curves,
            places,
            seeds,
        } = &self.axes;
        self.cells.iter().enumerate().map(move |(at, cell)| {
            let (point, seed) = (at / seeds, at % seeds);
            let (line, place) = (point / places.len(), point % places.len());
            Entry {
                measure: &measures[line / curves.len()],
                curve: &curves[line % curves.len()],
                place: places[place],
                seed,
                cell: *cell,
            }
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A cube of one measure. For each curve and x value it has one number per seed, starting with
    /// the first seed.
    pub(crate) fn of_measure(curves: &[&str], places: &[f64], values: &[&[&[f64]]]) -> Cube {
        let seeds = values
            .iter()
            .flat_map(|curve| curve.iter())
            .map(|runs| runs.len());
        let mut cube = Cube::new(Axes {
            measures: vec!["m".to_owned()],
            curves: curves.iter().map(|name| (*name).to_owned()).collect(),
            places: places.to_vec(),
            seeds: seeds.max().unwrap_or(0),
        });
        for (c, curve) in values.iter().enumerate() {
            for (p, runs) in curve.iter().enumerate() {
                for (s, value) in runs.iter().enumerate() {
                    cube.set(MeasureId(0), CurveId(c), PlaceId(p), SeedId(s), *value);
                }
            }
        }
        cube
    }

    fn axes(seeds: usize) -> Axes {
        Axes {
            measures: vec!["m".to_owned(), "n".to_owned()],
            curves: ["A", "B", "C"].map(str::to_owned).to_vec(),
            places: vec![0.5, 2.0],
            seeds,
        }
    }

    #[test]
    fn a_cell_has_no_run_no_number_or_a_number() {
        let mut cube = Cube::new(axes(3));
        let (m, b, here) = (MeasureId(1), CurveId(1), PlaceId(1));
        cube.set(m, b, here, SeedId(0), 4.0);
        cube.set(m, b, here, SeedId(2), f64::NAN);
        assert_eq!(cube.get(m, b, here, SeedId(0)), Cell::Number(4.0));
        assert_eq!(cube.get(m, b, here, SeedId(1)), Cell::NotRun);
        assert_eq!(cube.get(m, b, here, SeedId(2)), Cell::NoNumber);
        let values = cube.values(m, b, here);
        assert!(values.len() == 2 && values[0] == 4.0 && values[1].is_nan());
        // A single number has a mean, but no interval.
        let estimate = cube.estimate(m, b, here).expect("a number");
        assert_eq!((estimate.mean, estimate.half_width), (4.0, None));
        assert_eq!(cube.estimate(m, CurveId(0), here), None);
    }

    #[test]
    fn one_run_repeated_has_no_interval() {
        let mut cube = of_measure(&["A", "B"], &[1.0], &[&[&[2.0, 2.0]], &[&[2.0, 3.0]]]);
        let (m, a, b, here) = (MeasureId(0), CurveId(0), CurveId(1), PlaceId(0));
        let half = |cube: &Cube, curve| cube.estimate(m, curve, here).map(|e| e.half_width);
        // Equal numbers of different runs have an interval of width 0.
        assert_eq!(half(&cube, a), Some(Some(0.0)));
        cube.mark_one_run(a, here, true);
        assert_eq!(half(&cube, a), Some(None));
        // A ratio to another curve differs from seed to seed.
        cube.mark_one_run(b, here, true);
        assert!(half(&cube, b).flatten().is_some_and(|half| half > 0.0));
    }

    #[test]
    fn pairs_use_the_seeds_that_both_have_run() {
        let mut cube = Cube::new(axes(3));
        let (m, a, b, here) = (MeasureId(0), CurveId(0), CurveId(2), PlaceId(0));
        for (curve, seed, value) in [(a, 0, 1.0), (a, 1, 2.0), (b, 1, 20.0), (b, 2, 30.0)] {
            cube.set(m, curve, here, SeedId(seed), value);
        }
        assert_eq!(cube.pairs(m, (a, here), (b, here)), [(2.0, 20.0)]);
    }

    #[test]
    fn a_ratio_requires_both_runs() {
        let number = |of: f64| Cell::from(of);
        assert_eq!(number(6.0).over(number(3.0), 100.0), Cell::Number(200.0));
        assert_eq!(number(6.0).over(Cell::NotRun, 1.0), Cell::NotRun);
        assert_eq!(number(6.0).over(Cell::NoNumber, 1.0), Cell::NoNumber);
        assert_eq!(number(0.0).over(number(0.0), 1.0), Cell::NoNumber);
        assert_eq!(
            number(1.0).over(number(0.0), 1.0),
            Cell::Number(f64::INFINITY)
        );
    }

    #[test]
    fn entries_name_their_cells() {
        let mut cube = Cube::new(axes(2));
        cube.set(MeasureId(1), CurveId(2), PlaceId(1), SeedId(0), 7.0);
        let there: Vec<Entry<'_>> = cube.entries().filter(|e| e.cell != Cell::NotRun).collect();
        let expected = Entry {
            measure: "n",
            curve: "C",
            place: 2.0,
            seed: 0,
            cell: Cell::Number(7.0),
        };
        assert_eq!(there, [expected]);
        assert_eq!(cube.entries().count(), 2 * 3 * 2 * 2);
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn positions_outside_the_axes_are_not_other_cells() {
        Cube::new(axes(2)).get(MeasureId(0), CurveId(0), PlaceId(0), SeedId(2));
    }

    proptest! {
        /// Equal to the last bit, because the same numbers are added in the same order.
        #[test]
        fn the_order_of_insertion_makes_no_difference(
            values in prop::collection::vec(-1e9..1e9f64, 1..20),
            keys in prop::collection::vec(any::<u32>(), 20),
        ) {
            let (m, c, p) = (MeasureId(0), CurveId(1), PlaceId(1));
            let mut in_order = Cube::new(axes(values.len()));
            for (seed, value) in values.iter().enumerate() {
                in_order.set(m, c, p, SeedId(seed), *value);
            }
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by_key(|seed| keys[*seed]);
            let mut shuffled = Cube::new(axes(values.len()));
            for seed in order {
                shuffled.set(m, c, p, SeedId(seed), values[seed]);
            }
            prop_assert_eq!(&in_order, &shuffled);
            prop_assert_eq!(shuffled.estimate(m, c, p), Estimate::of(&values));
        }

        /// A value written into one cell is in that cell and in no other.
        #[test]
        fn cells_are_independent(m in 0..2usize, c in 0..3usize, p in 0..2usize, s in 0..4usize) {
            let mut cube = Cube::new(axes(4));
            cube.set(MeasureId(m), CurveId(c), PlaceId(p), SeedId(s), 1.0);
            prop_assert_eq!(cube.entries().filter(|e| e.cell != Cell::NotRun).count(), 1);
            prop_assert_eq!(
                cube.get(MeasureId(m), CurveId(c), PlaceId(p), SeedId(s)),
                Cell::Number(1.0)
            );
        }
    }
}
