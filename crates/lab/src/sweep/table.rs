//! The runs of a sweep as tidy tables.

use dumbbell_run::Done;

use super::execute::Turn;
use super::{Path, Point, Repeat, Sweep};
use crate::cube::MeasureId;
use crate::description::Node;
use crate::table::{Builder, Cell, Head, Table, Type};
use crate::tidy::{self, Kind, Tidy};

/// The tables of a sweep in the making.
#[derive(Debug)]
pub struct Collector<'s> {
    sweep: &'s Sweep,
    kinds: Vec<Kind>,
    /// The parts of the tables, in the order of the points. There is one part if the runs come in that
    /// order, and one for each point if not.
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    tidy: Vec<Tidy>,
    runs: Builder,
}

/// The tables of a sweep.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The tables of the kinds that were asked for, in that order.
    pub tidy: Vec<Table>,
    /// A row for each run, with its named measures.
    pub runs: Table,
}

impl Path {
    /// The column of its values.
    pub fn head(&self) -> Head {
        let head = Head::new(&self.name, self.sort, "a swept value");
        match self.unit {
            Some(unit) => head.unit(unit),
            None => head,
        }
    }
}

impl<'s> Collector<'s> {
    /// Begins the tables of a sweep.
    pub fn new(sweep: &'s Sweep, kinds: &[Kind]) -> Self {
        let parts = match sweep.repeat {
            Repeat::Times(_) => 1,
            Repeat::Until(_) => sweep.points.len(),
        };
        let part = || {
            let heads = || sweep.paths.iter().map(Path::head);
            let tidy = kinds.iter().map(|kind| Tidy::new(*kind, heads()));
            Part {
                tidy: tidy.collect(),
                runs: Builder::new("runs", heads().chain(own(sweep))),
            }
        };
        Self {
            sweep,
            kinds: kinds.to_vec(),
            parts: (0..parts).map(|_| part()).collect(),
        }
    }

    /// Adds a run.
    pub fn add(&mut self, turn: Turn, point: &Point, done: &Done) {
        let swept = self.sweep.cells(point);
        let at = turn.point.min(self.parts.len() - 1);
        let part = &mut self.parts[at];
        for tidy in &mut part.tidy {
            tidy.run(&swept, &done.outcome);
        }
        let seed = Some(Cell::Whole(turn.seed));
        let jain = tidy::jain_all(&done.outcome).map(Cell::Number);
        let measured = measured(self.sweep, done);
        let measured = measured.into_iter().map(|number| {
            let number = Some(number).filter(|number| number.is_finite());
            number.map(Cell::Number)
        });
        part.runs
            .row(swept.iter().copied().chain([seed, jain]).chain(measured));
    }

    /// The tables.
    pub fn tables(self) -> Tables {
        let mut tidy: Vec<Option<Table>> = self.kinds.iter().map(|_| None).collect();
        let mut runs: Option<Table> = None;
        let join = |all: &mut Option<Table>, part: Table| match all {
            Some(all) => all.append(part),
            None => *all = Some(part),
        };
        for part in self.parts {
            for (all, tidy) in tidy.iter_mut().zip(part.tidy) {
                join(all, tidy.table());
            }
            join(&mut runs, part.runs.table());
        }
        Tables {
            tidy: tidy.into_iter().flatten().collect(),
            runs: runs.expect("a sweep has a part"),
        }
    }
}

impl Sweep {
    /// The swept values of a point, as values of a table.
    pub fn cells<'p>(&'p self, point: &Point) -> Vec<Option<Cell<'p>>> {
        let paths = self.paths.iter().zip(&point.values);
        paths.map(|(path, at)| path.cell(*at)).collect()
    }
}

/// The columns of a run's own row that every sweep has.
fn usual() -> [Head; 2] {
    [
        Head::new("seed", Type::Whole, "the seed of the run"),
        Head::new(
            "jain_all",
            Type::Number,
            "Jain's index of all TCP and media flows' goodputs",
        ),
    ]
}

/// Records the named measures whose column another one has already: one of every sweep, or that of a
/// swept path.
pub(super) fn check_names<'p>(measures: &[Node<'_>], swept: impl Iterator<Item = &'p str> + Clone) {
    for measure in measures {
        let Some(node) = measure.part("name") else {
            continue;
        };
        let Some(name) = node.as_text() else {
            continue;
        };
        let what = if usual().iter().any(|head| head.name == name) {
            "a column of every sweep"
        } else if swept.clone().any(|path| path == name) {
            "the column of a swept path"
        } else {
            continue;
        };
        node.wrong(
            format!("`{name}` is {what}"),
            "measures become columns of the table of runs: give this one another name",
        );
    }
}

/// The columns of a run's own row.
fn own(sweep: &Sweep) -> Vec<Head> {
    let mut heads = usual().to_vec();
    let named = sweep.measures.iter();
    heads.extend(named.map(|it| Head::new(&it.name, Type::Number, &it.label)));
    heads
}

/// The named measures of a run.
fn measured(sweep: &Sweep, done: &Done) -> Vec<f64> {
    let mut numbers: Vec<f64> = Vec::new();
    for measure in &sweep.measures {
        let before = |id: MeasureId| numbers[id.0];
        let number = measure.of(&done.outcome, &done.series, None, before);
        numbers.push(number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description;

    #[test]
    fn a_measure_with_the_name_of_another_column_is_refused_at_its_name() {
        let text = "measure = [
            { name = \"seed\" }, { name = \"jain_all\" }, { name = \"fine\" },
            { label = \"no name\" }, { name = \"duration\" }, { name = \"warmup\" },
        ]";
        let swept = ["bottleneck.delay", "duration"];
        let wrong = description::read::<()>("my.toml", text, |keys| {
            check_names(&keys.items("measure"), swept.iter().copied());
            Some(())
        });
        let wrong = wrong.expect_err("three names are taken").to_string();
        for (place, message) in [
            ("my.toml:2:22", "`seed` is a column of every sweep"),
            ("my.toml:2:41", "`jain_all` is a column of every sweep"),
            ("my.toml:3:45", "`duration` is the column of a swept path"),
        ] {
            assert!(wrong.contains(place) && wrong.contains(message), "{wrong}");
        }
        for free in ["`fine` is", "`warmup` is"] {
            assert!(!wrong.contains(free), "{wrong}");
        }
    }
}
