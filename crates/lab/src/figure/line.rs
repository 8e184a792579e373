//! A curve in pixels: the line without points that no pixel shows, and its symbols.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::{COLOURS, Curve};

/// The part of a drawing that has its axes.
pub(super) type Plane<'a, 'b, X> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, plotters::coord::types::RangedCoordf64>>;
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The most points that a curve may have to be drawn with symbols and intervals, which overlap if
/// there are more.
const MOST_SYMBOLS: usize = 60;

/// How a curve is told from the others: by its colour, its symbol, and dashes where the colours
/// begin again. The page's program uses the same colours and symbols.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) colour: RGBColor,
    /// The corners of the symbol, relative to its centre, in pixels; of a circle none.
    symbol: &'static [(i32, i32)],
    dashed: bool,
}

const SYMBOLS: [&[(i32, i32)]; 8] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -5), (5, 0), (0, 5), (-5, 0)],
    &[(0, -5), (5, 4), (-5, 4)],
    &[
        (-2, -5),
        (2, -5),
        (2, -2),
        (5, -2),
        (5, 2),
        (2, 2),
        (2, 5),
        (-2, 5),
        (-2, 2),
        (-5, 2),
        (-5, -2),
        (-2, -2),
    ],
    &[(0, 5), (5, -4), (-5, -4)],
    &[
        (0, -6),
        (2, -2),
        (6, -2),
        (3, 1),
        (4, 5),
        (0, 3),
        (-4, 5),
        (-3, 1),
        (-6, -2),
        (-2, -2),
    ],
    &[(0, -5), (5, -3), (5, 3), (0, 5), (-5, 3), (-5, -3)],
];

impl Style {
    /// That of the curve at this position.
    pub(super) fn of(place: usize) -> Self {
        Self {
            colour: COLOURS[place % COLOURS.len()],
            symbol: SYMBOLS[place % SYMBOLS.len()],
            dashed: place / COLOURS.len() % 2 == 1,
        }
    }

    /// That of a curve that needs not be told from others.
    pub(super) fn alone() -> Self {
        Self::of(1)
    }

    /// A line through these pixels of an area.
    pub(super) fn line(
        &self,
        area: &Area<'_>,
        line: Vec<(i32, i32)>,
        width: u32,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let stroke = self.colour.stroke_width(width);
        if self.dashed {
            area.draw(&DashedPathElement::new(line, 6, 4, stroke))?;
        } else {
            area.draw(&PathElement::new(line, stroke))?;
        }
        Ok(())
    }

    /// The symbol at a pixel of an area.
    pub(super) fn symbol(
        &self,
        area: &Area<'_>,
        (x, y): (i32, i32),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let fill = self.colour.filled();
        if self.symbol.is_empty() {
            area.draw(&Circle::new((x, y), 4, fill))?;
        } else {
            let corners = self
                .symbol
                .iter()
                .map(|(right, down)| (x + right, y + down));
            area.draw(&Polygon::new(corners.collect::<Vec<_>>(), fill))?;
        }
        Ok(())
    }
}

impl Curve {
    /// Whether its points are few enough for symbols and intervals.
    pub(super) fn has_symbols(&self) -> bool {
        self.points.len() <= MOST_SYMBOLS
    }
}

/// Draws a curve: its line, and for few points their symbols and intervals.
///
/// `area` is the one with the plane and its axes, over which symbols at the ends of an axis stick out.
pub(super) fn draw<X: Ranged<ValueType = f64>>(
    area: &Area<'_>,
    plane: &Plane<'_, '_, X>,
    curve: &Curve,
    style: Style,
) -> Result<(), Box<dyn std::error::Error>> {
    let line = pixels(area, plane, curve);
    style.line(area, thinned(&line), 2)?;
    if !curve.has_symbols() {
        return Ok(());
    }
    for ((x, y), at) in curve.points.iter().zip(line) {
        // A single run has no interval.
        if y.half_width.is_some() {
            let ends = [y.low(), y.high()].map(|end| pixel(area, plane, (*x, end)).1);
            let interval = interval(at.0, ends, rows(area, plane));
            area.draw(&PathElement::new(interval, style.colour.stroke_width(1)))?;
        }
        style.symbol(area, at)?;
    }
    Ok(())
}

/// An interval as a line with a cap at each end. An end that lies outside the plane is cut off, without a cap.
fn interval(x: i32, ends: [i32; 2], rows: Range<i32>) -> Vec<(i32, i32)> {
    let [low, high] = ends.map(|y| {
        let inside = y.clamp(rows.start, rows.end);
        let cap = if inside == y { 3 } else { 0 };
        [(x - cap, inside), (x + cap, inside), (x, inside)]
    });
    let [a, b, from] = low;
    let [c, d, to] = high;
    vec![a, b, from, to, c, d]
}

/// The highest and the lowest row of the plane, in pixels of an area.
fn rows<X: Ranged<ValueType = f64>>(area: &Area<'_>, plane: &Plane<'_, '_, X>) -> Range<i32> {
    let (_, rows) = plane.plotting_area().get_pixel_range();
    let (_, top) = area.get_base_pixel();
    rows.start - top..rows.end - top
}

/// A curve's points in pixels of an area. What lies outside the plane is moved to its edge.
pub(super) fn pixels<X: Ranged<ValueType = f64>>(
    area: &Area<'_>,
    plane: &Plane<'_, '_, X>,
    curve: &Curve,
) -> Vec<(i32, i32)> {
    let rows = rows(area, plane);
    let points = curve.points.iter();
    points
        .map(|(x, y)| pixel(area, plane, (*x, y.mean)))
        .map(|(x, y)| (x, y.clamp(rows.start, rows.end)))
        .collect()
}

fn pixel<X: Ranged<ValueType = f64>>(
    area: &Area<'_>,
    plane: &Plane<'_, '_, X>,
    point: (f64, f64),
) -> (i32, i32) {
    let (x, y) = plane.plotting_area().map_coordinate(&point);
    let (left, top) = area.get_base_pixel();
    (x - left, y - top)
}

/// The same line with fewer points: of those in one column of pixels only the first, the lowest, the
/// highest and the last, and of those in one row only the ends.
pub(super) fn thinned(line: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let mut kept: Vec<(i32, i32)> = Vec::new();
    let mut keep = |point: (i32, i32)| match kept[..] {
        [.., last] if last == point => {}
        [.., before, last] if before.1 == last.1 && last.1 == point.1 => {
            *kept.last_mut().expect("there are two") = point;
        }
        _ => kept.push(point),
    };
    for column in line.chunk_by(|a, b| a.0 == b.0) {
        let heights = || column.iter().map(|point| point.1).enumerate();
        let lowest = heights().min_by_key(|(_, y)| *y).map_or(0, |(at, _)| at);
        let highest = heights().max_by_key(|(_, y)| *y).map_or(0, |(at, _)| at);
        let last = column.len() - 1;
        for at in [0, lowest.min(highest), lowest.max(highest), last] {
            keep(column[at]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plane has the rows 50 to 400.
    #[test]
    fn an_interval_ends_where_the_plane_does() {
        let drawn = |low, high| interval(100, [low, high], 50..400);
        let caps = |at: &[(i32, i32)]| [at[1].0 - at[0].0, at[5].0 - at[4].0];
        let inside = drawn(300, 200);
        assert_eq!(inside[2..4], [(100, 300), (100, 200)]);
        assert_eq!(caps(&inside), [6, 6]);
        let below = drawn(480, 200);
        assert_eq!(below[2..4], [(100, 400), (100, 200)]);
        assert_eq!(caps(&below), [0, 6]);
    }

    #[test]
    fn a_column_of_pixels_keeps_its_extent_and_its_ends() {
        let column = [(7, 5), (7, 6), (7, 1), (7, 3), (7, 9), (7, 4), (8, 4)];
        let expected = [(7, 5), (7, 1), (7, 9), (7, 4), (8, 4)];
        assert_eq!(thinned(&column), expected);
    }

    #[test]
    fn a_row_keeps_its_ends() {
        let row = [(0, 5), (1, 5), (2, 5), (3, 5), (3, 8), (4, 8), (5, 8)];
        assert_eq!(thinned(&row), [(0, 5), (3, 5), (3, 8), (5, 8)]);
        assert_eq!(thinned(&[(1, 1)]), [(1, 1)]);
        assert_eq!(thinned(&[]), []);
    }

    #[test]
    fn few_points_remain_of_many() {
        // A saw of 100,000 points over 700 columns.
        let saw: Vec<(i32, i32)> = (0..100_000).map(|i| (i * 7 / 1000, i % 397)).collect();
        let kept = thinned(&saw);
        assert!(kept.len() <= 4 * 700, "{}", kept.len());
        assert_eq!((kept[0], kept.last()), (saw[0], saw.last()));
    }

    #[test]
    fn eight_curves_look_different() {
        let looks: Vec<String> = (0..8).map(|i| format!("{:?}", Style::of(i))).collect();
        for (i, look) in looks.iter().enumerate() {
            assert!(!looks[..i].contains(look), "{look}");
        }
        // Without their symbols, too.
        let lines = [0, 7].map(|i| (Style::of(i).colour, Style::of(i).dashed));
        assert_eq!(lines[0].0, lines[1].0);
        assert_ne!(lines[0].1, lines[1].1);
    }
}
