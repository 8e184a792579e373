//! A figure: curves of points with intervals, written as CSV or SVG.

mod bars;
mod contrast;
mod curves;
mod grid;
mod labels;
mod lean;
mod legend;
mod line;
mod map;
mod marks;
mod multiples;
mod scatter;

use std::fmt::Write as _;

use dumbbell_run::csv::quoted;
use dumbbell_run::statistics::Estimate;
use plotters::style::RGBColor;
use serde::Serialize;

use lean::lean;
pub(crate) use map::SCALE;
pub use marks::{Lane, Mark};
pub use scatter::{Scatter, Spot};

/// How a figure is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Points with intervals, joined by lines.
    #[default]
    Curves,
    /// One row per curve, with one bar per x value.
    Bars,
    /// One row per curve and one column per x value; each cell shows a number, and its colour
    /// represents the number.
    Map,
}

/// The data and labels of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// How it is drawn.
    pub kind: Kind,
    /// Its title.
    pub title: String,
    /// The quantity and unit of the horizontal axis.
    pub x_label: String,
    /// The quantity and unit of the vertical axis.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// The curves.
    pub series: Vec<Curve>,
    /// Names of x values, for bars.
    pub names: Vec<(f64, String)>,
    /// Markers above the drawing, in lanes.
    pub lanes: Vec<Lane>,
    /// For a map: its rows.
    pub rows: Option<Rows>,
    /// The end of the axis of values of curves, where what lies above is drawn, or of bars, where what is longer is
    /// cut off. `None`: everything fits.
    pub top: Option<f64>,
}

/// The rows of a map, which are the figure's curves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rows {
    /// The quantity and unit of the vertical axis.
    pub label: String,
    /// The names of the rows: their values on that axis.
    pub names: Vec<String>,
}

/// A named curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points, in the order of `x`.
    pub points: Vec<(f64, Estimate)>,
}

/// The margin around a drawing, in pixels.
const MARGIN: u32 = 12;

/// Colours that can be distinguished with any colour vision (Okabe and Ito 2008).
pub(crate) const COLOURS: [RGBColor; 7] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];

impl Figure {
    /// One line per point: curve, x, mean and the ends of the 95 % interval.
    pub fn csv(&self) -> String {
        let (rows, names) = self.row_names();
        let mut text = format!("{},{},mean,low,high\n", quoted(rows), quoted(&self.x_label));
        for (curve, name) in self.series.iter().zip(names) {
            for (x, y) in &curve.points {
                let name = quoted(name);
                let x = self.name(*x).map_or_else(|| x.to_string(), quoted);
                writeln!(
                    text,
                    "{name},{x},{},{},{}",
                    digits(y.mean),
                    digits(y.low()),
                    digits(y.high())
                )
                .expect("a string takes everything");
            }
        }
        text
    }

    /// Draws the figure, with intervals.
    ///
    /// # Errors
    /// The error message of the drawing library.
    pub fn svg(&self) -> Result<String, String> {
        let mut svg = String::new();
        let drawn = match self.kind {
            Kind::Bars => bars::draw(self, &mut svg),
            Kind::Map => map::draw(self, &mut svg),
            Kind::Curves => curves::draw(self, &mut svg),
        };
        drawn.map_err(|error| format!("the figure `{}` cannot be drawn: {error}", self.title))?;
        Ok(lean(&svg))
    }

    /// The label of the rows, and their names: those of a map's vertical axis, or those of the
    /// curves.
    fn row_names(&self) -> (&str, Vec<&str>) {
        match &self.rows {
            Some(rows) => (&rows.label, rows.names.iter().map(String::as_str).collect()),
            None => (
                "series",
                self.series.iter().map(|c| c.name.as_str()).collect(),
            ),
        }
    }

    /// The name of an x value, if it has one.
    pub fn name(&self, place: f64) -> Option<&str> {
        let named = self.names.iter().find(|(x, _)| *x == place);
        named.map(|(_, name)| name.as_str())
    }

    fn x_range(&self) -> (f64, f64) {
        let xs = self.series.iter().flat_map(|c| &c.points).map(|(x, _)| *x);
        let (low, high) = xs.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        if low < high {
            (low, high)
        } else {
            (low.min(0.0), low.max(0.0) + 1.0)
        }
    }

    fn y_top(&self) -> f64 {
        if let Some(top) = self.top {
            return top;
        }
        // Intervals that are not drawn need no room.
        let end = |curve: &Curve, y: &Estimate| match curve.has_symbols() {
            true => y.high(),
            false => y.mean,
        };
        let tops = self
            .series
            .iter()
            .flat_map(|c| c.points.iter().map(move |(_, y)| end(c, y)));
        let top = tops.fold(0.0, f64::max);
        if top > 0.0 { top * 1.05 } else { 1.0 }
    }
}

/// The font size with which a title fits into a drawing 800 pixels wide.
fn caption_size(title: &str) -> f64 {
    fitting(title, 776).clamp(11.0, 20.0).round()
}

/// The font size with which a text takes about so many pixels.
fn fitting(text: &str, width: u32) -> f64 {
    // A letter is slightly wider than half its height.
    f64::from(width) / (0.56 * text.chars().count().max(1) as f64)
}

/// A number with seven significant digits, without zeros at the end of its decimals.
fn digits(x: f64) -> String {
    let exponent = format!("{:.6e}", x.abs());
    let exponent = exponent.rsplit_once('e').and_then(|(_, e)| e.parse().ok());
    let decimals = (6 - exponent.unwrap_or(0i32)).clamp(0, 12) as usize;
    let text = format!("{x:.decimals$}");
    if decimals == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number on an axis, without trailing zeros.
fn short(x: f64) -> String {
    if x != 0.0 && x.abs() < 0.001 {
        return format!("{x:e}");
    }
    let text = format!("{x:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(log_x: bool) -> Figure {
        let point = |x, mean, half_width| {
            (
                x,
                Estimate {
                    mean,
                    half_width: Some(half_width),
                },
            )
        };
        Figure {
            kind: Kind::Curves,
            title: "Throughput".into(),
            x_label: "loss, as a part".into(),
            y_label: "kb/s".into(),
            log_x,
            names: Vec::new(),
            lanes: Vec::new(),
            rows: None,
            top: None,
            series: vec![
                Curve {
                    name: "Veno".into(),
                    points: vec![point(1e-4, 1900.0, 12.5), point(1e-1, 432.0, 3.0)],
                },
                Curve {
                    name: "Reno, plain".into(),
                    points: vec![point(1e-4, 1850.0, 10.0), point(1e-1, 202.0, 2.0)],
                },
            ],
        }
    }

    #[test]
    fn an_axis_has_room_for_the_intervals_that_are_drawn() {
        let mut figure = figure(false);
        assert_eq!(figure.y_top(), 1.05 * 1912.5);
        // Too many points for symbols and intervals.
        let point = figure.series[0].points[0];
        figure.series[0].points = vec![point; 61];
        assert_eq!(figure.y_top(), 1.05 * 1900.0);
    }

    #[test]
    fn csv_has_one_line_per_point() {
        assert_eq!(
            figure(true).csv(),
            "series,\"loss, as a part\",mean,low,high\n\
             Veno,0.0001,1900,1887.5,1912.5\n\
             Veno,0.1,432,429,435\n\
             \"Reno, plain\",0.0001,1850,1840,1860\n\
             \"Reno, plain\",0.1,202,200,204\n"
        );
    }

    #[test]
    fn numbers_of_files_have_seven_digits_and_no_zeros_at_the_end() {
        let shown = [
            1.0 / 3.0,
            1500.0,
            12_345_678.9,
            0.5,
            0.0,
            -20.0,
            1e-9,
            120.0,
        ]
        .map(digits);
        let expected = [
            "0.3333333",
            "1500",
            "12345679",
            "0.5",
            "0",
            "-20",
            "0.000000001",
            "120",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn svg_names_every_series_and_axis() {
        for log_x in [true, false] {
            let svg = figure(log_x).svg().expect("it can be drawn");
            for word in [
                "<svg",
                "Throughput",
                "Veno",
                "Reno, plain",
                "kb/s",
                "loss, as a part",
                "</svg>",
            ] {
                assert!(svg.contains(word), "{word} is missing");
            }
        }
    }

    #[test]
    fn an_empty_figure_can_be_drawn() {
        let empty = Figure {
            series: Vec::new(),
            ..figure(false)
        };
        assert!(empty.svg().is_ok());
    }

    #[test]
    fn a_long_title_has_a_smaller_font() {
        assert_eq!(caption_size("VenoDB"), 20.0);
        let ninety = caption_size(&"x".repeat(90));
        assert!((14.0..17.0).contains(&ninety), "{ninety}");
        assert_eq!(caption_size(&"x".repeat(900)), 11.0);
    }

    #[test]
    fn numbers_on_axes_are_short() {
        assert_eq!(
            [short(0.0001), short(0.1), short(1500.0), short(0.0)],
            ["1e-4", "0.1", "1500", "0"]
        );
    }
}
