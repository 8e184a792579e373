//! Plots goodput against friendliness.

use super::{Matrix, Measure, Table};
use crate::figure::{Scatter, Spot};

impl Matrix {
    /// Goodput against friendliness on a path; over all paths if `path` is `None`.
    pub fn picture(&self, tables: &[Table], path: Option<usize>) -> Scatter {
        let of = |measure: Measure| {
            let table = tables.iter().find(move |table| table.measure == measure);
            let cell = move |row: &super::Row| match path {
                Some(path) => row.cells[path].estimate,
                None => row.overall.estimate,
            };
            table.map_or_else(Vec::new, |table| table.rows.iter().map(cell).collect())
        };
        let places = of(Measure::Goodput)
            .into_iter()
            .zip(of(Measure::Friendliness));
        let named = self.contenders.iter().zip(places);
        let spots = named.filter_map(|(contender, (x, y))| {
            Some(Spot {
                name: contender.label(),
                x: x?,
                y: y?,
            })
        });
        let title = "Goodput against friendliness";
        Scatter {
            title: match path {
                Some(path) => format!("{title}: {}", self.paths[path].label),
                None => format!("{title}, over all paths"),
            },
            x_label: match path {
                Some(_) => Measure::Goodput.label().to_owned(),
                None => "goodput as a part of NewReno's, geometric mean".to_owned(),
            },
            y_label: match path {
                Some(_) => Measure::Friendliness.label().to_owned(),
                None => "friendliness to NewReno, geometric mean".to_owned(),
            },
            spots: spots.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::example;

    /// The numbers are those of the tables' test.
    #[test]
    fn one_point_per_control() {
        let (matrix, results) = example::measured();
        let tables = matrix.tables(&results);
        let places = |path| -> Vec<(String, f64, f64)> {
            let spots = matrix.picture(&tables, path).spots.into_iter();
            spots.map(|s| (s.name, s.x.mean, s.y.mean)).collect()
        };
        let one = places(Some(0));
        assert_eq!(one.len(), 2);
        assert_eq!((one[0].0.as_str(), one[1].0.as_str()), ("newreno", "veno"));
        assert!((one[1].1 - 80.0).abs() < 1e-9 && (one[1].2 - 0.4).abs() < 1e-9);
        let overall = places(None);
        assert!((overall[0].1 - 1.0).abs() < 1e-9 && (overall[0].2 - 1.0).abs() < 1e-9);
        assert!(
            (overall[1].2 - 0.447_213_6).abs() < 1e-6,
            "the root of 0.4 x 0.5"
        );
    }
}
