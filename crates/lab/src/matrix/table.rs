//! A table for each measure: one row per control, one column per path, and the mean over the paths.

use dumbbell_run::csv::quoted;
use dumbbell_run::statistics::Estimate;

use super::mark::{Mark, Order, marks};
use super::{Matrix, Measure, NEWRENO, Results};

/// A measure of all controls on all paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The measure.
    pub measure: Measure,
    /// The rows, one per contender.
    pub rows: Vec<Row>,
}

/// A contender's row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// One cell per path.
    pub cells: Vec<Cell>,
    /// The ratio of the measure to NewReno's, as the geometric mean over the paths.
    pub overall: Cell,
}

/// A mean with its interval, and its highlight within its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// `None` if nothing could be measured.
    pub estimate: Option<Estimate>,
    /// `None` if it is neither the best nor the worst.
    pub mark: Option<Mark>,
}

impl Matrix {
    /// The tables, in the order of [`Measure::ALL`].
    pub fn tables(&self, results: &Results) -> Vec<Table> {
        Measure::ALL
            .into_iter()
            .map(|measure| self.table(measure, results))
            .collect()
    }

    fn table(&self, measure: Measure, results: &Results) -> Table {
        let contenders = 0..self.contenders.len();
        let column = |path: usize| {
            let of = |contender| results.values(self, measure, path, contender);
            cells(
                contenders.clone().map(of).collect(),
                measure,
                Order::of(measure),
            )
        };
        let columns: Vec<Vec<Cell>> = (0..self.paths.len()).map(column).collect();
        let of = |contender| results.overall(self, measure, contender);
        let overall = contenders.clone().map(of).collect();
        let overall = cells(overall, measure, Order::of_ratio(measure));
        let row = |(contender, overall): (usize, Cell)| Row {
            cells: columns.iter().map(|column| column[contender]).collect(),
            overall,
        };
        Table {
            measure,
            rows: contenders.zip(overall).map(row).collect(),
        }
    }

    /// One line per cell: measure, path, control, recovery and origin, mean and ends of the 95 %
    /// interval, highlight.
    pub fn csv(&self, tables: &[Table]) -> String {
        let mut text =
            "measure,unit,path,figure,control,recovery,origin,mean,low,high,mark\n".to_owned();
        for table in tables {
            let measure = table.measure;
            for (contender, row) in self.contenders.iter().zip(&table.rows) {
                let paths = self.paths.iter().map(|path| (&*path.name, &*path.figure));
                let places = paths.chain([("overall", "")]);
                for ((path, figure), cell) in places.zip(row.all()) {
                    let unit = match path {
                        "overall" => "of newreno",
                        _ => measure.unit(),
                    };
                    let fields = [
                        measure.name(),
                        unit,
                        path,
                        figure,
                        &contender.name,
                        contender.recovery,
                        contender.origin.name(),
                    ];
                    text += &fields.map(quoted).join(",");
                    match cell.estimate {
                        Some(e) => {
                            text += &format!(",{:.4},{:.4},{:.4}", e.mean, e.low(), e.high())
                        }
                        None => text += ",,,",
                    }
                    text += match cell.mark {
                        Some(Mark::Best) => ",best\n",
                        Some(Mark::Worst) => ",worst\n",
                        None => ",\n",
                    };
                }
            }
        }
        text
    }
}

impl Row {
    /// The cells of the paths, followed by the overall one.
    pub fn all(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().chain([&self.overall])
    }
}

/// The cells of a column.
fn cells(column: Vec<Vec<f64>>, measure: Measure, order: Order) -> Vec<Cell> {
    let mut compared = column.clone();
    if let (Measure::Friendliness, Some(newreno)) = (measure, compared.get_mut(NEWRENO)) {
        // NewReno's value is 1 by definition, so it is not compared.
        newreno.clear();
    }
    let marks = marks(&compared, order);
    let estimate = |values: &Vec<f64>| Estimate::of(values).filter(|e| e.mean.is_finite());
    let cells = column.iter().zip(marks);
    cells
        .map(|(values, mark)| Cell {
            estimate: estimate(values),
            mark,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::example;

    /// The means of a table row, the overall one last.
    fn means(row: &Row) -> Vec<f64> {
        let mean = |cell: &Cell| cell.estimate.expect("it was measured").mean;
        row.all().map(mean).collect()
    }

    #[track_caller]
    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-9, "{found:?} instead of {expected:?}");
        }
    }

    /// The results of the runs are in [`example`].
    #[test]
    fn the_tables_of_invented_runs() {
        let (matrix, results) = example::measured();
        let [goodput, fairness, friendliness, delay] = &matrix.tables(&results)[..] else {
            panic!("four measures")
        };
        let row = |table: &Table, name: &str| {
            let place = matrix.contenders.iter().position(|c| c.name == name);
            means(&table.rows[place.expect("it is there")])
        };
        // 500 of 1000 kb/s, and 800 of 1000; on the second path 70 % and 60 %. The geometric mean
        // of 800 / 500 and 60 / 70 is the square root of 48/35.
        close(&row(goodput, "newreno"), &[50.0, 70.0, 1.0]);
        close(
            &row(goodput, "veno"),
            &[80.0, 60.0, (48.0f64 / 35.0).sqrt()],
        );
        // Shares of 3 : 1 give 16 / 20; 1 : 1 : 1 : 1 gives 1; 2 : 1 : 1 : 0 gives 16 / 24.
        close(&row(fairness, "newreno"), &[1.0, 0.8, 1.0]);
        close(
            &row(fairness, "veno"),
            &[2.0 / 3.0, 1.0, (2.0f64 / 3.0 / 0.8).sqrt()],
        );
        // On the first path NewReno's flows have 250 kb/s each among themselves and 100 beside
        // Veno's, on the second path 600 and 300.
        close(&row(friendliness, "newreno"), &[1.0, 1.0, 1.0]);
        close(&row(friendliness, "veno"), &[0.4, 0.5, 0.2f64.sqrt()]);
        // 20 and 5 ms; 10 and 40 ms.
        close(&row(delay, "newreno"), &[20.0, 10.0, 1.0]);
        close(&row(delay, "veno"), &[5.0, 40.0, 1.0]);
    }

    #[test]
    fn a_control_that_does_not_run_on_a_path_has_no_cell_there_and_no_mean() {
        let (matrix, _) = example::measured();
        let mut results = Results::new(&matrix);
        for (task, outcome) in example::runs(&matrix) {
            if (task.path, task.contender) != (1, 1) {
                results.add(&matrix, &task, &outcome);
            }
        }
        for table in matrix.tables(&results) {
            let row = &table.rows[1];
            assert!(row.cells[0].estimate.is_some());
            assert_eq!((row.cells[1].estimate, row.cells[1].mark), (None, None));
            assert_eq!((row.overall.estimate, row.overall.mark), (None, None));
        }
    }

    #[test]
    fn the_best_and_the_worst_of_each_column() {
        let (matrix, results) = example::measured();
        let tables = matrix.tables(&results);
        let marks = |measure: usize, contender: usize| -> Vec<Option<Mark>> {
            let row = &tables[measure].rows[contender];
            row.cells.iter().map(|cell| cell.mark).collect()
        };
        let (best, worst) = (Some(Mark::Best), Some(Mark::Worst));
        assert_eq!(marks(0, 0), [worst, best]);
        assert_eq!(marks(0, 1), [best, worst]);
        // Less delay is better.
        assert_eq!(marks(3, 0), [worst, best]);
        // Friendliness is measured by NewReno, so NewReno has no highlight.
        assert_eq!(marks(2, 0), [None, None]);
    }

    #[test]
    fn csv_has_one_line_per_cell() {
        let (matrix, results) = example::measured();
        let csv = matrix.csv(&matrix.tables(&results));
        // Four measures of two controls, on two paths and overall.
        assert_eq!(csv.lines().count(), 1 + 4 * 2 * 3);
        for line in [
            "goodput,%,one,a-fig1,veno,reno,published,80.0000,80.0000,80.0000,best",
            "delay,ms,two,b-fig2,newreno,newreno,published,10.0000,10.0000,10.0000,best",
            "friendliness,of newreno,overall,,newreno,newreno,published,1.0000,1.0000,1.0000,",
        ] {
            assert!(csv.lines().any(|other| other == line), "{line}\n{csv}");
        }
        let runs = results.runs_csv(&matrix, 7);
        assert_eq!(runs.lines().count(), 1 + 2 * 2 * 2);
        assert!(runs.contains("\none,veno,reno,8,800,80,"), "{runs}");
    }
}
