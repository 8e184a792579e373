//! Places the legend of curves where it hides the least of them.

use std::ops::Range;

use plotters::prelude::SeriesLabelPosition;

use super::{Figure, Kind};

/// The size of the drawing without its margins and labels, in pixels.
const WIDTH: f64 = 700.0;
const HEIGHT: f64 = 400.0;
/// Pixels of a letter, of a line, and of the space around them.
const LETTER: f64 = 7.5;
const LINE: f64 = 18.0;
const AROUND: f64 = 45.0;
/// The number of points that are checked on the line between two points.
const STEPS: usize = 16;

impl Figure {
    /// The corner in which the legend hides the least; the lower left one if no other is better.
    pub(super) fn legend_corner(&self) -> SeriesLabelPosition {
        let names = self.series.iter().map(|curve| curve.name.chars().count());
        let wide = (names.max().unwrap_or(0) as f64 * LETTER + AROUND) / WIDTH;
        let high = (self.series.len() as f64 * LINE + AROUND / 2.0) / HEIGHT;
        let (left, right) = (0.0..wide, 1.0 - wide..f64::INFINITY);
        let (lower, upper) = (0.0..high, 1.0 - high..f64::INFINITY);
        let corners = [
            (SeriesLabelPosition::LowerLeft, &left, &lower),
            (SeriesLabelPosition::UpperRight, &right, &upper),
            (SeriesLabelPosition::LowerRight, &right, &lower),
            (SeriesLabelPosition::UpperLeft, &left, &upper),
        ];
        let hidden = |x: &Range<f64>, y: &Range<f64>| {
            let within = |(px, py): &(f64, f64)| x.contains(px) && y.contains(py);
            self.places().filter(within).count()
        };
        let best = corners.into_iter().min_by_key(|(_, x, y)| hidden(x, y));
        best.map_or(SeriesLabelPosition::LowerLeft, |(corner, ..)| corner)
    }

    /// Points along the curves, as fractions of the width and the height.
    fn places(&self) -> impl Iterator<Item = (f64, f64)> {
        let log = self.log_x && self.kind == Kind::Curves;
        let scale = move |x: f64| if log { libm::log(x) } else { x };
        let (low, high) = self.x_range();
        let (low, high) = (scale(low), scale(high));
        let top = self.y_top();
        let place = move |(x, y): (f64, f64)| ((scale(x) - low) / (high - low), y / top);
        self.series.iter().flat_map(move |curve| {
            let points = curve.points.windows(2);
            points.flat_map(move |pair| {
                let [from, to] = [&pair[0], &pair[1]].map(|(x, y)| place((*x, y.mean)));
                (0..=STEPS).map(move |step| {
                    let part = step as f64 / STEPS as f64;
                    let between = |a: f64, b: f64| a + (b - a) * part;
                    (between(from.0, to.0), between(from.1, to.1))
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Curve;
    use dumbbell_run::statistics::Estimate;

    fn figure(points: &[(f64, f64)]) -> Figure {
        let point = |(x, mean): &(f64, f64)| {
            let half_width = None;
            (
                *x,
                Estimate {
                    mean: *mean,
                    half_width,
                },
            )
        };
        Figure {
            kind: Kind::Curves,
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            log_x: false,
            series: vec![Curve {
                name: "one".to_owned(),
                points: points.iter().map(point).collect(),
            }],
            names: Vec::new(),
            rows: None,
            lanes: Vec::new(),
        }
    }

    #[test]
    fn the_legend_is_placed_where_there_is_no_curve() {
        let corner = |points: &[(f64, f64)]| format!("{:?}", figure(points).legend_corner());
        assert_eq!(corner(&[(0.0, 9.0), (1.0, 9.0)]), "LowerLeft");
        // Up from the lower left corner, and down to the lower right one.
        let peak = [(0.0, 0.1), (0.5, 9.0), (1.0, 0.1)];
        assert_eq!(corner(&peak), "UpperRight");
        // Along the bottom, and then up to the upper right corner.
        let late = [(0.0, 0.1), (0.6, 0.1), (0.7, 9.0)];
        assert_eq!(corner(&late), "LowerRight");
    }
}
