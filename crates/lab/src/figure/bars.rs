//! Bar charts: one row per curve, with one bar per x value.

use std::ops::Range;

use dumbbell_run::statistics::Estimate;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{COLOURS, Figure, caption_size, short};

/// Pixels of a bar, of the space between two rows, and of everything above and below the rows.
const BAR: usize = 16;
const GAP: usize = 12;
const AROUND: usize = 150;

/// Pixels of a colour sample in the legend, including the space after it.
const SWATCH: i32 = 20;

/// Approximate width in pixels of a letter in a row's name, and the largest width for names.
const LETTER: usize = 7;
const MOST_NAME: usize = 330;

/// Draws the figure as an SVG.
pub(super) fn draw(figure: &Figure, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let places = places(figure);
    let rows = figure.series.len().max(1);
    let row = places.len().max(1) * BAR + GAP;
    let size = (800, (rows * row + AROUND) as u32);
    let letters = figure.series.iter().map(|c| c.name.chars().count()).max();
    let names = (letters.unwrap_or(0) * LETTER + 16).min(MOST_NAME);
    let within = range(figure);
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(&figure.title, ("sans-serif", caption_size(&figure.title)))
        .margin(12)
        .margin_right(24)
        .margin_bottom(if places.len() > 1 { 34 } else { 12 })
        .x_label_area_size(46)
        .y_label_area_size(names as u32)
        .build_cartesian_2d(within.clone(), (rows as f64)..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(0)
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(232, 232, 232))
        .x_desc(&figure.y_label)
        .x_label_formatter(&|x| short(*x))
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 15))
        .draw()?;
    let bar = |r: usize, p: usize| {
        let top = r as f64 + ((GAP / 2 + p * BAR) as f64) / row as f64;
        (top, top + (BAR - 3) as f64 / row as f64)
    };
    for (p, (place, colour)) in places.iter().zip(COLOURS.iter().cycle()).enumerate() {
        for (r, curve) in figure.series.iter().enumerate() {
            let Some((_, value)) = curve.points.iter().find(|(x, _)| x == place) else {
                continue;
            };
            let (top, bottom) = bar(r, p);
            let corners = [(0.0, top), (value.mean, bottom)];
            chart.draw_series([Rectangle::new(corners, colour.mix(0.85).filled())])?;
            if value.half_width.is_some() {
                chart.draw_series(interval(value, &within, top, bottom))?;
            }
        }
    }
    let zero = [(0.0, 0.0), (0.0, rows as f64)];
    chart.draw_series([PathElement::new(zero, BLACK.stroke_width(1))])?;
    let (columns, _) = chart.plotting_area().get_pixel_range();
    let text = ("sans-serif", 15).into_font().color(&BLACK);
    let name = text.pos(Pos::new(HPos::Right, VPos::Center));
    for (r, curve) in figure.series.iter().enumerate() {
        let (_, y) = chart.backend_coord(&(0.0, r as f64 + 0.5));
        area.draw(&Text::new(
            curve.name.clone(),
            (columns.start - 8, y),
            name.clone(),
        ))?;
    }
    if places.len() > 1 {
        legend(figure, &places, columns.start, &area)?;
    }
    area.present()?;
    drop(chart);
    Ok(())
}

/// The interval of a value, drawn across its bar; it has ends where they are within the drawing.
fn interval(
    value: &Estimate,
    within: &Range<f64>,
    top: f64,
    bottom: f64,
) -> Vec<PathElement<(f64, f64)>> {
    let (middle, inset) = ((top + bottom) / 2.0, (bottom - top) / 4.0);
    let line = |points: Vec<(f64, f64)>| PathElement::new(points, BLACK.stroke_width(1));
    let (low, high) = (value.low(), value.high());
    let cut = |x: f64| x.clamp(within.start, within.end);
    let mut lines = vec![line(vec![(cut(low), middle), (cut(high), middle)])];
    let ends = [low, high].into_iter().filter(|end| within.contains(end));
    lines.extend(ends.map(|x| line(vec![(x, top + inset), (x, bottom - inset)])));
    lines
}

/// The x values and their colours, in a line below the axis.
fn legend<DB: DrawingBackend>(
    figure: &Figure,
    places: &[f64],
    left: i32,
    area: &DrawingArea<DB, Shift>,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let text = ("sans-serif", 15).into_font().color(&BLACK);
    let style = text.pos(Pos::new(HPos::Left, VPos::Center));
    let (width, height) = area.dim_in_pixel();
    let y = height as i32 - 18;
    let name = |place: &f64| {
        figure
            .name(*place)
            .map_or_else(|| short(*place), str::to_owned)
    };
    let names: Vec<String> = places.iter().map(name).collect();
    let of_words = |words: &str| (words.chars().count() * LETTER + 16) as i32;
    let entries = names.iter().map(|name| SWATCH + of_words(name));
    let all = of_words(&figure.x_label) + entries.sum::<i32>();
    // A long legend begins to the left of the axis.
    let mut x = left.min(width as i32 - all).max(12);
    area.draw(&Text::new(figure.x_label.clone(), (x, y), style.clone()))?;
    x += of_words(&figure.x_label);
    for (name, colour) in names.into_iter().zip(COLOURS.iter().cycle()) {
        let corners = [(x, y - 5), (x + 14, y + 5)];
        area.draw(&Rectangle::new(corners, colour.mix(0.85).filled()))?;
        x += SWATCH;
        let next = x + of_words(&name);
        area.draw(&Text::new(name, (x, y), style.clone()))?;
        x = next;
    }
    Ok(())
}

/// The x values of all curves, in order.
pub(super) fn places(figure: &Figure) -> Vec<f64> {
    let points = figure.series.iter().flat_map(|curve| &curve.points);
    let mut places: Vec<f64> = points.map(|(x, _)| *x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// The range from zero to the end of the longest bar, on both sides if some values are negative. If the figure says
/// where it ends, it begins at the lowest value, without its interval.
fn range(figure: &Figure) -> Range<f64> {
    let points = || figure.series.iter().flat_map(|curve| &curve.points);
    if let Some(top) = figure.top {
        let low = points().map(|(_, y)| y.mean).fold(0.0, f64::min);
        return low * 1.05..top;
    }
    let low = points().map(|(_, y)| y.low()).fold(0.0, f64::min);
    let high = points().map(|(_, y)| y.high()).fold(0.0, f64::max);
    if low < high {
        low * 1.05..high * 1.05
    } else {
        0.0..1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Curve, Kind};

    fn figure(bars: &[(&str, &[(f64, f64)])]) -> Figure {
        let estimate = |mean| Estimate {
            mean,
            half_width: Some(1.0),
        };
        let curve = |(name, points): &(&str, &[(f64, f64)])| Curve {
            name: (*name).to_owned(),
            points: points.iter().map(|(x, y)| (*x, estimate(*y))).collect(),
        };
        Figure {
            kind: Kind::Bars,
            title: "Effects".into(),
            x_label: "loss".into(),
            y_label: "gain, %".into(),
            log_x: false,
            names: Vec::new(),
            lanes: Vec::new(),
            rows: None,
            top: None,
            series: bars.iter().map(curve).collect(),
        }
    }

    /// Left edge and width of each bar, in pixels.
    fn bars(svg: &str) -> Vec<(f64, f64)> {
        let number = |line: &str, name: &str| -> f64 {
            let (_, rest) = line.split_once(&format!(" {name}=\"")).expect("there");
            rest.split('"')
                .next()
                .expect("a value")
                .parse()
                .expect("a number")
        };
        let lines = svg
            .lines()
            .filter(|l| l.starts_with("<rect") && l.contains("opacity=\"0.85\""));
        lines
            .map(|l| (number(l, "x"), number(l, "width")))
            .collect()
    }

    #[test]
    fn one_row_per_curve_and_one_bar_per_x_value() {
        let svg = figure(&[
            ("A", &[(0.1, 10.0), (0.2, 20.0)]),
            ("B", &[(0.1, 5.0), (0.2, 40.0)]),
        ])
        .svg()
        .expect("it can be drawn");
        let bars = bars(&svg);
        // By x value: A and B at 0.1, A and B at 0.2.
        let widths: Vec<f64> = bars.iter().map(|(_, width)| width / bars[0].1).collect();
        for (found, expected) in widths.iter().zip([1.0, 0.5, 2.0, 4.0]) {
            assert!((found - expected).abs() < 0.05, "{widths:?}");
        }
        for word in ["A\n", "B\n", "loss\n", "0.1\n", "0.2\n", "gain, %\n"] {
            assert!(svg.contains(word), "{word}");
        }
    }

    #[test]
    fn x_values_may_have_names() {
        let mut figure = figure(&[("A", &[(1.0, 10.0), (2.0, 20.0)])]);
        figure.names = vec![(1.0, "wired".into()), (2.0, "wireless, far".into())];
        let svg = figure.svg().expect("it can be drawn");
        assert!(svg.contains("wired\n") && svg.contains("wireless, far\n"));
        let csv = figure.csv();
        assert!(csv.contains("A,wired,10,9,11"), "{csv}");
        assert!(csv.contains("A,\"wireless, far\",20,"), "{csv}");
    }

    #[test]
    fn a_long_legend_begins_further_left() {
        let mut figure = figure(&[("A long name of a row", &[(1.0, 10.0), (2.0, 20.0)])]);
        let start = |figure: &Figure| -> f64 {
            let svg = figure.svg().expect("it can be drawn");
            let mut lines = svg.lines().collect::<Vec<_>>().into_iter().rev();
            lines
                .find(|line| line.trim() == "loss")
                .expect("the legend's head");
            let text = lines
                .find(|line| line.starts_with("<text"))
                .expect("its element");
            let (_, x) = text.split_once(" x=\"").expect("its place");
            x.split('"')
                .next()
                .expect("a value")
                .parse()
                .expect("a number")
        };
        let usual = start(&figure);
        figure.names = vec![(1.0, "x".repeat(40)), (2.0, "y".repeat(45))];
        // 16 + 28 for the label; 20 + 16 for each entry, and 85 letters of 7 pixels: 711 of 800.
        assert!(usual > 89.0, "{usual}");
        assert_eq!(start(&figure), 89.0);
    }

    #[test]
    fn negative_values_extend_to_the_left() {
        let svg = figure(&[("A", &[(0.0, 10.0)]), ("B", &[(0.0, -10.0)])])
            .svg()
            .expect("drawn");
        let [a, b] = bars(&svg)[..] else {
            panic!("two bars")
        };
        assert!((b.0 + b.1 - a.0).abs() <= 1.0 && (a.1 - b.1).abs() <= 1.0);
        assert!(!svg.contains("loss"), "one place needs no legend");
    }

    #[test]
    fn an_empty_chart_can_be_drawn() {
        assert!(figure(&[]).svg().is_ok());
    }
}
