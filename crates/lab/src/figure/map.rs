//! Maps: one row per curve and one column per x value. Each cell shows a number with its interval,
//! and its background colour represents the number.

use dumbbell_run::statistics::Estimate;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::bars::places;
use super::contrast::ink;
use super::{Figure, caption_size, short};

/// The colours from the smallest to the largest number. Smaller is darker with any colour vision,
/// and in greyscale.
pub(crate) const SCALE: [RGBColor; 5] = [
    RGBColor(13, 38, 92),
    RGBColor(48, 88, 140),
    RGBColor(110, 140, 160),
    RGBColor(196, 190, 130),
    RGBColor(255, 231, 94),
];

/// Pixels of the drawing's width, of a row, of the space above and below all rows, of the space to
/// their left, and of the space for the colour scale on the right.
const WIDTH: u32 = 800;
const ROW: u32 = 46;
const ABOVE: i32 = 44;
const BELOW: i32 = 66;
const LEFT: i32 = 96;
const RIGHT: i32 = 104;

/// Steps of the colour scale.
const STEPS: i32 = 64;

/// Draws the figure as an SVG.
pub(super) fn draw(figure: &Figure, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let places = places(figure);
    let (columns, rows) = (places.len() as i32, figure.series.len() as i32);
    let size = (WIDTH, rows.max(4) as u32 * ROW + (ABOVE + BELOW) as u32);
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    let (right, bottom) = (WIDTH as i32 - RIGHT, size.1 as i32 - BELOW);
    let x = |column: i32| LEFT + (right - LEFT) * column / columns.max(1);
    // The first row is at the bottom, like the smallest value on an axis.
    let y = |row: i32| bottom - (bottom - ABOVE) * row / rows.max(1);
    let text = |size: f64, colour: RGBColor, h: HPos, v: VPos| {
        let font = ("sans-serif", size).into_font().color(&colour);
        font.pos(Pos::new(h, v))
    };
    let title = text(
        caption_size(&figure.title),
        BLACK,
        HPos::Center,
        VPos::Center,
    );
    let middle = (WIDTH as i32 / 2, ABOVE / 2);
    area.draw(&Text::new(figure.title.clone(), middle, title))?;
    let (least, most) = range(figure);
    let (_, names) = figure.row_names();
    for (row, (curve, name)) in (0..).zip(figure.series.iter().zip(names)) {
        let style = text(14.0, BLACK, HPos::Right, VPos::Center);
        let centre = (y(row) + y(row + 1)) / 2;
        area.draw(&Text::new(name.to_owned(), (LEFT - 8, centre), style))?;
        for (column, place) in (0..).zip(&places) {
            let Some((_, value)) = curve.points.iter().find(|(x, _)| x == place) else {
                continue;
            };
            let ground = colour(value.mean, least, most);
            let corners = [(x(column), y(row + 1)), (x(column + 1), y(row))];
            area.draw(&Rectangle::new(corners, ground.filled()))?;
            area.draw(&Rectangle::new(corners, WHITE.stroke_width(1)))?;
            let ink = ink(ground);
            let (mean, half) = words(value);
            let across = (x(column) + x(column + 1)) / 2;
            let up = if half.is_empty() { 0 } else { 8 };
            let number = text(15.0, ink, HPos::Center, VPos::Center);
            area.draw(&Text::new(mean, (across, centre - up), number))?;
            let interval = text(11.0, ink, HPos::Center, VPos::Center);
            area.draw(&Text::new(half, (across, centre + 10), interval))?;
        }
    }
    let below = text(14.0, BLACK, HPos::Center, VPos::Top);
    for (column, place) in (0..).zip(&places) {
        let name = figure
            .name(*place)
            .map_or_else(|| short(*place), str::to_owned);
        let at = ((x(column) + x(column + 1)) / 2, bottom + 7);
        area.draw(&Text::new(name, at, below.clone()))?;
    }
    let axis = text(15.0, BLACK, HPos::Center, VPos::Center);
    let label = ((LEFT + right) / 2, bottom + 42);
    area.draw(&Text::new(figure.x_label.clone(), label, axis.clone()))?;
    let rows = figure.rows.as_ref().map_or("", |rows| &rows.label);
    let turned = axis.clone().transform(FontTransform::Rotate270);
    let side = (20, (ABOVE + bottom) / 2);
    area.draw(&Text::new(rows.to_owned(), side, turned.clone()))?;
    if !places.is_empty() {
        bar(&area, (right + 18, ABOVE, bottom), (least, most))?;
        let side = (WIDTH as i32 - 16, (ABOVE + bottom) / 2);
        area.draw(&Text::new(figure.y_label.clone(), side, turned))?;
    }
    area.present()?;
    Ok(())
}

/// The colour scale, with the numbers at its ends and its middle.
fn bar<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    (left, top, bottom): (i32, i32, i32),
    (least, most): (f64, f64),
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let at = |part: f64| bottom - ((bottom - top) as f64 * part).round() as i32;
    for step in 0..STEPS {
        let part = |step: i32| f64::from(step) / f64::from(STEPS);
        let corners = [(left, at(part(step + 1))), (left + 16, at(part(step)))];
        area.draw(&Rectangle::new(corners, along(part(step)).filled()))?;
    }
    let style = ("sans-serif", 15).into_font().color(&BLACK);
    let style = style.pos(Pos::new(HPos::Left, VPos::Center));
    for part in [0.0, 0.5, 1.0] {
        let number = digits(least + part * (most - least), 3);
        area.draw(&Text::new(number, (left + 20, at(part)), style.clone()))?;
    }
    Ok(())
}

/// The smallest and the largest mean; one apart if all are equal.
fn range(figure: &Figure) -> (f64, f64) {
    let means = || {
        figure
            .series
            .iter()
            .flat_map(|c| &c.points)
            .map(|(_, y)| y.mean)
    };
    let least = means().fold(f64::INFINITY, f64::min);
    let most = means().fold(f64::NEG_INFINITY, f64::max);
    if least < most {
        (least, most)
    } else {
        (least, least + 1.0)
    }
}

fn colour(value: f64, least: f64, most: f64) -> RGBColor {
    along((value - least) / (most - least))
}

/// The colour at a fraction of the scale.
fn along(part: f64) -> RGBColor {
    let last = SCALE.len() - 1;
    let place = part.clamp(0.0, 1.0) * last as f64;
    let i = (place as usize).min(last - 1);
    let (a, b, t) = (SCALE[i], SCALE[i + 1], place - i as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * t).round() as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// A number and its interval, in a short form.
fn words(value: &Estimate) -> (String, String) {
    match value.half_width {
        Some(half) => (digits(value.mean, 3), format!("± {}", digits(half, 2))),
        None => (digits(value.mean, 3), String::new()),
    }
}

/// A number with so many significant digits, but at most three decimals.
fn digits(x: f64, significant: i32) -> String {
    let exponent = if x == 0.0 {
        0
    } else {
        x.abs().log10().floor() as i32
    };
    let decimals = (significant - 1 - exponent).clamp(0, 3) as usize;
    format!("{x:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::contrast::{contrast, luminance};
    use crate::figure::{Curve, Kind, Rows};

    fn figure() -> Figure {
        let point = |x, mean| {
            let half_width = Some(0.05);
            (x, Estimate { mean, half_width })
        };
        let curve = |name: &str, means: [f64; 2]| Curve {
            name: name.into(),
            points: vec![point(0.8, means[0]), point(0.95, means[1])],
        };
        Figure {
            kind: Kind::Map,
            title: "Gain".into(),
            x_label: "theta1".into(),
            y_label: "gain over TFRC".into(),
            log_x: false,
            names: Vec::new(),
            lanes: Vec::new(),
            top: None,
            rows: Some(Rows {
                label: "beta, packets".into(),
                names: vec!["0.3".into(), "3".into()],
            }),
            series: vec![
                curve("A, beta = 0.3", [1.0, 2.0]),
                curve("A, beta = 3", [3.0, 5.0]),
            ],
        }
    }

    /// Left edge, top edge and colour of each cell.
    fn cells(svg: &str) -> Vec<(f64, f64, String)> {
        let value = |line: &str, name: &str| {
            let (_, rest) = line.split_once(&format!(" {name}=\""))?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let number = |line: &str, name: &str| value(line, name)?.parse::<f64>().ok();
        let wide = |line: &&str| number(line, "width").is_some_and(|w| (200.0..400.0).contains(&w));
        svg.lines()
            .filter(|line| line.starts_with("<rect") && !line.contains("fill=\"none\""))
            .filter(wide)
            .filter_map(|l| Some((number(l, "x")?, number(l, "y")?, value(l, "fill")?)))
            .collect()
    }

    #[test]
    fn one_cell_per_x_value_with_the_first_row_at_the_bottom() {
        let svg = figure().svg().expect("it can be drawn");
        let cells = cells(&svg);
        let [a, b, c, d] = &cells[..] else {
            panic!("{cells:?}")
        };
        assert!(a.0 == c.0 && b.0 == d.0 && a.0 < b.0);
        assert!(a.1 == b.1 && c.1 == d.1 && c.1 < a.1);
        // 1, 2, 3 and 5 on a scale from 1 to 5 have its first, second, third and last colour.
        let scale = [0, 1, 2, 4].map(|i| {
            let RGBColor(r, g, b) = SCALE[i];
            format!("#{r:02X}{g:02X}{b:02X}")
        });
        assert_eq!(
            cells.iter().map(|c| c.2.as_str()).collect::<Vec<_>>(),
            scale
        );
        for word in [
            "2.00",
            "± 0.050",
            "theta1",
            "beta, packets",
            "0.95",
            "gain over TFRC",
        ] {
            assert!(svg.contains(&format!("{word}\n")), "{word}");
        }
    }

    #[test]
    fn csv_has_both_axes() {
        let csv = figure().csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "\"beta, packets\",theta1,mean,low,high");
        assert_eq!(lines[2], "0.3,0.95,2,1.95,2.05");
        assert_eq!(lines[3], "3,0.8,3,2.95,3.05");
    }

    #[test]
    fn the_scale_becomes_lighter_and_text_is_legible() {
        let mut before = -1.0;
        for step in 0..=100 {
            let here = luminance(along(f64::from(step) / 100.0));
            assert!(here > before, "{step}");
            before = here;
        }
        // More steps than there are different colours on the scale.
        for step in 0..=4000 {
            let ground = along(f64::from(step) / 4000.0);
            let contrast = contrast(ink(ground), ground);
            assert!(contrast >= 4.5, "{step}: {contrast}");
        }
        let ends = [SCALE[0], SCALE[SCALE.len() - 1]].map(luminance);
        assert!(ends[0] < 0.03 && ends[1] > 0.75, "{ends:?}");
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 0.98765, 6.413, 170.24, 0.00012].map(|x| digits(x, 3));
        assert_eq!(shown, ["0.00", "0.988", "6.41", "170", "0.000"]);
    }

    #[test]
    fn an_empty_map_and_a_single_value_can_be_drawn() {
        let mut figure = figure();
        figure.series.truncate(1);
        figure.series[0].points.truncate(1);
        figure.series[0].points[0].1.half_width = None;
        assert!(figure.svg().is_ok());
        figure.series.clear();
        assert!(figure.svg().is_ok());
    }
}
