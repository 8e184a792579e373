//! The legend of curves, below their drawing, where it hides none of them.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::line::{Area, Style};
use super::{Figure, MARGIN};

/// Pixels of a letter, of a line of text, of a sample of a curve with the space around it, and of
/// the space below the legend.
const LETTER: usize = 8;
const LINE: u32 = 21;
const SAMPLE: usize = 50;
const BELOW: u32 = 10;

/// The legend's entries in columns of equal width.
struct Columns {
    count: usize,
    width: usize,
}

impl Columns {
    fn of(figure: &Figure, width: u32) -> Self {
        let room = (width - 2 * MARGIN) as usize;
        let names = figure.series.iter().map(|curve| curve.name.chars().count());
        let entry = names.max().unwrap_or(0) * LETTER + SAMPLE;
        Self {
            count: (room / entry).clamp(1, figure.series.len().max(1)),
            width: entry,
        }
    }
}

/// The height of a figure's legend in a drawing of this width, in pixels.
pub(super) fn height(figure: &Figure, width: u32) -> u32 {
    let rows = figure
        .series
        .len()
        .div_ceil(Columns::of(figure, width).count);
    rows as u32 * LINE + BELOW
}

/// Draws the legend at the top of an area, in the middle.
pub(super) fn draw(figure: &Figure, area: &Area<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let (width, _) = area.dim_in_pixel();
    let columns = Columns::of(figure, width);
    let left = (width as usize).saturating_sub(columns.count * columns.width) / 2;
    let text = ("sans-serif", 17).into_font().color(&BLACK);
    let text = text.pos(Pos::new(HPos::Left, VPos::Center));
    for (place, curve) in figure.series.iter().enumerate() {
        let (row, column) = (place / columns.count, place % columns.count);
        let x = (left + column * columns.width).max(MARGIN as usize) as i32;
        let y = row as i32 * LINE as i32 + LINE as i32 / 2;
        let style = Style::of(place);
        style.line(area, vec![(x, y), (x + 28, y)], 2)?;
        if curve.has_symbols() {
            style.symbol(area, (x + 14, y))?;
        }
        area.draw(&Text::new(curve.name.as_str(), (x + 35, y), text.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Curve, Kind};

    fn figure(names: &[&str]) -> Figure {
        let curve = |name: &&str| Curve {
            name: (*name).to_owned(),
            points: Vec::new(),
        };
        Figure {
            kind: Kind::Curves,
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            log_x: false,
            series: names.iter().map(curve).collect(),
            names: Vec::new(),
            lanes: Vec::new(),
            rows: None,
            top: None,
        }
    }

    #[test]
    fn the_legend_has_as_many_rows_as_it_needs() {
        // 776 pixels: entries of 4 letters take 82, so that nine are in a row.
        let short = ["Veno"; 8];
        assert_eq!(height(&figure(&short), 800), 21 + 10);
        assert_eq!(height(&figure(&["Veno"; 10]), 800), 2 * 21 + 10);
        // 40 letters take 370 pixels.
        let long = "x".repeat(40);
        assert_eq!(height(&figure(&[long.as_str(); 5]), 800), 3 * 21 + 10);
        let endless = "x".repeat(400);
        assert_eq!(height(&figure(&[endless.as_str(); 2]), 800), 2 * 21 + 10);
    }
}
