//! A table of measures: one row per curve and x value, one column per measure.

use dumbbell_run::csv::quoted;
use dumbbell_run::statistics::Estimate;

use super::panel::Shows;
use super::{Experiment, Results};
use crate::cube::MeasureId;

/// A table of measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Tabular {
    /// Its title.
    pub title: String,
    /// The columns' quantities and units.
    pub columns: Vec<String>,
    /// The rows' names, and the measured value for each column.
    pub rows: Vec<(String, Vec<Option<Estimate>>)>,
}

impl Experiment {
    /// The table that a panel shows, by the panel's position; a table without columns if the panel
    /// is a drawing.
    pub fn tabular(&self, panel: usize, results: &Results) -> Tabular {
        let panel = &self.panels[panel];
        let measures: &[MeasureId] = match &panel.shows {
            Shows::Choice(choice) => return self.chosen(self.title_of(panel), choice, results),
            Shows::Table(measures, _) => measures,
            _ => &[],
        };
        let cube = results.cube(self);
        let mut rows = Vec::new();
        let shown = self.curves().filter(|(_, variant)| panel.has(variant));
        for (curve, variant) in shown {
            for x in cube.axes().places() {
                let name = match &self.x {
                    Some(sweep) => match sweep.name(x.0) {
                        Some(place) => format!("{}, {place}", variant.name),
                        None => {
                            let (label, place) = (&sweep.label, self.xs()[x.0]);
                            format!("{}, {label} = {place}", variant.name)
                        }
                    },
                    None => variant.name.clone(),
                };
                // Runs in which there was nothing to count have no number.
                let cells = measures
                    .iter()
                    .map(|measure| cube.estimate(*measure, curve, x));
                rows.push((name, cells.collect()));
            }
        }
        Tabular {
            title: self.title_of(panel).to_owned(),
            columns: measures
                .iter()
                .map(|measure| self.measure(*measure).label.clone())
                .collect(),
            rows,
        }
    }
}

impl Tabular {
    /// One line per row: its name, and for each column the mean and the ends of the 95 % interval.
    pub fn csv(&self) -> String {
        let mut text = "series".to_owned();
        for column in &self.columns {
            for part in ["", ", low", ", high"] {
                text += &format!(",{}", quoted(&format!("{column}{part}")));
            }
        }
        text.push('\n');
        for (name, cells) in &self.rows {
            text += &quoted(name);
            for cell in cells {
                match cell {
                    Some(e) => {
                        text += &format!(",{:.3},{:.3},{:.3}", e.mean, e.low(), e.high());
                    }
                    None => text += ",,,",
                }
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_one_line_per_row_and_three_fields_per_column() {
        let table = Tabular {
            title: String::new(),
            columns: vec!["time, s".to_owned()],
            rows: vec![
                (
                    "A".to_owned(),
                    vec![Some(Estimate {
                        mean: 2.0,
                        half_width: Some(0.5),
                    })],
                ),
                ("B".to_owned(), vec![None]),
            ],
        };
        assert_eq!(
            table.csv(),
            "series,\"time, s\",\"time, s, low\",\"time, s, high\"\nA,2.000,1.500,2.500\nB,,,\n"
        );
    }
}
