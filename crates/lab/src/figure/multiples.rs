//! Many curves: a panel for each, with the others behind it, all with the same axes.

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::grid::grid;
use super::line::{self, Area, Style, thinned};
use super::{Figure, MARGIN, fitting};

/// Panels in a row.
const COLUMNS: usize = 3;
/// The width of a drawing, and within it the space for the numbers of the vertical axis.
const WIDTH: u32 = 800;
const BESIDE: u32 = 58;
/// The height of a panel's name, of its curve, of the numbers below the last row, and of the label
/// of each axis.
const NAME: u32 = 24;
const PANEL: u32 = 128;
const NUMBERS: u32 = 28;
const LABEL: u32 = 24;
/// The space between panels.
const BETWEEN: u32 = 14;
/// The most points of a curve that is drawn behind another one.
const MOST_BEHIND: usize = 100;
/// The other curves.
const BEHIND: RGBColor = RGBColor(208, 208, 208);

fn rows(figure: &Figure) -> u32 {
    figure.series.len().div_ceil(COLUMNS) as u32
}

/// The height of all panels with their axes, in pixels.
pub(super) fn height(figure: &Figure) -> u32 {
    LABEL + rows(figure) * (NAME + PANEL) + NUMBERS + LABEL + MARGIN
}

/// Draws the panels at the top of an area.
pub(super) fn draw<X>(
    figure: &Figure,
    area: &Area<'_>,
    x: X,
) -> Result<(), Box<dyn std::error::Error>>
where
    X: AsRangedCoord<Value = f64> + Clone,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let width = (WIDTH - BESIDE - 2 * MARGIN) / COLUMNS as u32;
    let left = |column: usize| (MARGIN + BESIDE + column as u32 * width) as i32;
    let top = |row: usize| (LABEL + row as u32 * (NAME + PANEL)) as i32;
    let text = |size: f64, h: HPos, v: VPos| {
        let font = ("sans-serif", size).into_font().color(&BLACK);
        font.pos(Pos::new(h, v))
    };
    // The vertical axis' label lies above the numbers: there is no room for it beside each row.
    let label = text(17.0, HPos::Left, VPos::Top);
    area.draw(&Text::new(
        figure.y_label.as_str(),
        (MARGIN as i32, 0),
        label,
    ))?;
    let count = figure.series.len();
    let sizes = figure
        .series
        .iter()
        .map(|curve| fitting(&curve.name, width));
    let names = sizes.fold(16.0, f64::min).max(9.0);
    for (place, curve) in figure.series.iter().enumerate() {
        let (row, column) = (place / COLUMNS, place % COLUMNS);
        // Numbers stand beside the first panel of a row and below the last one of a column.
        let beside = if column == 0 { BESIDE } else { 0 };
        let below = if place + COLUMNS >= count { NUMBERS } else { 0 };
        let corner = (left(column) - beside as i32, top(row) + NAME as i32);
        let size = (width - BETWEEN + beside, PANEL - BETWEEN + below);
        let panel = area.clone().shrink(corner, size);
        let mut chart = ChartBuilder::on(&panel)
            .x_label_area_size(below)
            .y_label_area_size(beside)
            .build_cartesian_2d(x.clone(), 0.0..figure.y_top())?;
        grid(&mut chart).x_labels(4).y_labels(4).draw()?;
        for other in figure.series.iter().filter(|it| !std::ptr::eq(*it, curve)) {
            // Long curves would cover the panel.
            if other.points.len() <= MOST_BEHIND {
                let behind = line::pixels(area, &chart, other);
                area.draw(&PathElement::new(thinned(&behind), BEHIND.stroke_width(1)))?;
            }
        }
        line::draw(area, &chart, curve, Style::alone())?;
        let name = text(names, HPos::Left, VPos::Bottom);
        let at = (left(column), top(row) + NAME as i32 - 5);
        area.draw(&Text::new(curve.name.as_str(), at, name))?;
    }
    let middle = (left(0) + left(COLUMNS)) / 2;
    let bottom = top(rows(figure) as usize) + (NUMBERS + LABEL / 2) as i32;
    let label = text(18.0, HPos::Center, VPos::Center);
    area.draw(&Text::new(figure.x_label.as_str(), (middle, bottom), label))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use dumbbell_run::statistics::Estimate;

    use crate::figure::{Curve, Figure, Kind, Lane, Mark};

    fn figure(curves: usize, points: usize) -> Figure {
        let point = |curve: usize, at: usize| {
            let mean = (curve + 1) as f64 * at as f64;
            let half_width = Some(0.5);
            (at as f64, Estimate { mean, half_width })
        };
        let curve = |i: usize| Curve {
            name: format!("curve {i}"),
            points: (0..points).map(|at| point(i, at)).collect(),
        };
        Figure {
            kind: Kind::Curves,
            title: "Many".into(),
            x_label: "loss".into(),
            y_label: "kb/s".into(),
            log_x: false,
            series: (0..curves).map(curve).collect(),
            names: Vec::new(),
            lanes: Vec::new(),
            rows: None,
            top: None,
        }
    }

    fn height(svg: &str) -> u32 {
        let (_, rest) = svg.split_once(" height=\"").expect("its size");
        let (height, _) = rest.split_once('"').expect("it ends");
        height.parse().expect("a number")
    }

    /// Lines of a colour.
    fn lines(svg: &str, colour: &str) -> usize {
        let of = |line: &&str| line.starts_with("<polyline") && line.contains(colour);
        svg.lines().filter(of).count()
    }

    #[test]
    fn more_than_eight_curves_have_a_panel_each() {
        let eight = figure(8, 4).svg().expect("it can be drawn");
        assert_eq!(lines(&eight, "#D0D0D0"), 0);
        let nine = figure(9, 4).svg().expect("it can be drawn");
        // In each panel the eight other curves are behind its own.
        assert_eq!(lines(&nine, "#D0D0D0"), 9 * 8);
        for i in 0..9 {
            assert_eq!(nine.matches(&format!("\ncurve {i}\n")).count(), 1, "{i}");
        }
        // The labels of the axes stand once, not once a panel.
        assert_eq!(nine.matches("\nkb/s\n").count(), 1);
        assert_eq!(nine.matches("\nloss\n").count(), 1);
    }

    #[test]
    fn the_drawing_grows_with_the_rows() {
        let heights = [9, 10, 12, 13].map(|n| height(&figure(n, 2).svg().expect("drawn")));
        let [three, four, full, five] = heights;
        assert_eq!((four, five), (full, full + (full - three)));
    }

    #[test]
    fn marks_stand_above_all_curves_together() {
        let mut figure = figure(9, 4);
        let without = height(&figure.svg().expect("it can be drawn"));
        figure.lanes = vec![Lane {
            name: "in phase".into(),
            marks: vec![Mark {
                at: 1.5,
                words: String::new(),
            }],
        }];
        let svg = figure.svg().expect("it can be drawn");
        assert!(svg.contains("\nin phase\n"));
        assert_eq!(height(&svg), without + 456);
    }

    #[test]
    fn panels_of_long_curves_have_only_their_own() {
        let svg = figure(9, 101).svg().expect("it can be drawn");
        assert_eq!(lines(&svg, "#D0D0D0"), 0);
        assert!(!svg.contains("<circle"));
    }
}
