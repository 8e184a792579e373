//! Markers above a drawing: lanes of symbols at x values.

use plotters::coord::Shift;
use plotters::coord::ranged1d::AsRangedCoord;
use plotters::element::{EmptyElement, PathElement, Rectangle};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::Serialize;

/// A lane of markers of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lane {
    /// What its markers mean.
    pub name: String,
    /// The markers, in order.
    pub marks: Vec<Mark>,
}

/// A marker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// Its x value.
    pub at: f64,
    /// Its description.
    pub words: String,
}

/// The symbols of the first lane, the second, and so on. Each has a different shape, so that the
/// colours are not needed to distinguish them. The page's program uses the same shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// A filled vertical bar.
    Bar,
    /// A hollow triangle that points down.
    Triangle,
    /// A cross.
    Cross,
}

const SIGNS: [(Sign, RGBColor); 3] = [
    (Sign::Bar, super::COLOURS[6]),
    (Sign::Triangle, super::COLOURS[4]),
    (Sign::Cross, super::COLOURS[5]),
];

/// The height of a lane, in pixels.
const LANE: u32 = 17;

/// The height of all lanes above a drawing, in pixels.
pub(super) fn height(lanes: &[Lane]) -> u32 {
    lanes.len() as u32 * LANE + 6
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws lanes above a drawing whose horizontal axis has this range, and whose margin and labels
/// take so many pixels on the left and on the right.
pub(super) fn draw<X>(
    area: &Area<'_>,
    lanes: &[Lane],
    x: X,
    (left, right): (u32, u32),
) -> Result<(), Box<dyn std::error::Error>>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64>,
{
    let rows = lanes.len() as f64;
    let chart = ChartBuilder::on(area)
        .margin_left(left)
        .margin_right(right)
        .margin_top(6)
        .build_cartesian_2d(x, 0.0..rows)?;
    let plane = chart.plotting_area();
    let label = ("sans-serif", 15)
        .into_font()
        .color(&BLACK)
        .pos(Pos::new(HPos::Right, VPos::Center));
    let names = area.strip_coord_spec();
    for (i, lane) in lanes.iter().enumerate() {
        let (sign, colour) = SIGNS[i % SIGNS.len()];
        let y = rows - i as f64 - 0.5;
        let range = plane.get_x_range();
        let ends = [(range.start, y), (range.end, y)];
        plane.draw(&PathElement::new(
            ends,
            RGBColor(225, 225, 225).stroke_width(1),
        ))?;
        let (_, row) = plane.map_coordinate(&(range.start, y));
        let (_, top) = names.get_base_pixel();
        names.draw(&Text::new(
            lane.name.as_str(),
            (left as i32 - 8, row - top),
            label.clone(),
        ))?;
        for mark in &lane.marks {
            let place = EmptyElement::at((mark.at, y));
            match sign {
                Sign::Bar => {
                    plane.draw(&(place + Rectangle::new([(-1, -5), (1, 5)], colour.filled())))?
                }
                Sign::Triangle => plane.draw(
                    &(place
                        + PathElement::new(
                            [(-4, -4), (4, -4), (0, 5), (-4, -4)],
                            colour.stroke_width(1),
                        )),
                )?,
                Sign::Cross => plane.draw(
                    &(place
                        + PathElement::new([(-3, -4), (3, 4)], colour.stroke_width(2))
                        + PathElement::new([(-3, 4), (3, -4)], colour.stroke_width(2))),
                )?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::figure::{Curve, Figure};
    use dumbbell_run::statistics::Estimate;

    use super::*;

    /// A figure from 0 to 200 s with a marker in each of three lanes at these times.
    fn svg(times: &[f64]) -> String {
        let lane = |name: &str| Lane {
            name: name.to_owned(),
            marks: times
                .iter()
                .map(|at| Mark {
                    at: *at,
                    words: String::new(),
                })
                .collect(),
        };
        let point = |x, mean| {
            let half_width = None;
            (x, Estimate { mean, half_width })
        };
        let figure = Figure {
            kind: crate::figure::Kind::Curves,
            title: "Windows".into(),
            x_label: "time, s".into(),
            y_label: "segments".into(),
            log_x: false,
            series: vec![Curve {
                name: "A".into(),
                points: vec![point(0.0, 10.0), point(200.0, 20.0)],
            }],
            names: Vec::new(),
            lanes: ["in phase", "out of phase", "roles change"]
                .map(lane)
                .to_vec(),
            rows: None,
            top: None,
        };
        figure.svg().expect("it can be drawn")
    }

    /// The centres of the bars of the first lane, in pixels.
    fn bars(svg: &str) -> Vec<f64> {
        let number = |line: &str, name: &str| -> Option<f64> {
            let (_, rest) = line.split_once(&format!(" {name}=\""))?;
            rest.split_once('"')?.0.parse().ok()
        };
        let rectangles = svg.lines().filter(|line| line.starts_with("<rect"));
        rectangles
            .filter(|line| number(line, "width").is_some_and(|w| w < 5.0))
            .filter_map(|line| Some(number(line, "x")? + number(line, "width")? / 2.0))
            .collect()
    }

    #[test]
    fn every_marker_is_at_its_x_value_in_its_lane() {
        let svg = svg(&[50.0, 100.0, 150.0]);
        for name in ["in phase", "out of phase", "roles change"] {
            assert!(svg.contains(name), "{name}");
        }
        // 200 s extend from pixel 96 + 12 to pixel 800 - 12.
        let expected = [108.0 + 170.0, 108.0 + 340.0, 108.0 + 510.0];
        let found = bars(&svg);
        assert_eq!(found.len(), 3, "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 2.0, "{found} for {expected}");
        }
    }

    #[test]
    fn a_hundred_epochs_can_be_distinguished() {
        let times: Vec<f64> = (1..=100).map(|i| 1.9 * f64::from(i)).collect();
        let bars = bars(&svg(&times));
        assert_eq!(bars.len(), 100);
        // They are 2 pixels wide.
        assert!(bars.windows(2).all(|pair| pair[1] - pair[0] >= 5.0));
    }
}
