//! Scatter plots: named points with an interval in each direction.

use std::ops::Range;

use dumbbell_run::csv::quoted;
use dumbbell_run::statistics::Estimate;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::labels::{Box2, place};
use super::{COLOURS, digits, lean, short};

/// A drawing of named points with an interval in each direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// Its title.
    pub title: String,
    /// The quantity and unit of the horizontal axis.
    pub x_label: String,
    /// The quantity and unit of the vertical axis.
    pub y_label: String,
    /// The points. Lines through the first one, with which the others are compared, divide the
    /// drawing.
    pub spots: Vec<Spot>,
}

/// A named point.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Its name.
    pub name: String,
    /// Its position on the horizontal axis.
    pub x: Estimate,
    /// Its position on the vertical axis.
    pub y: Estimate,
}

/// The size of the drawing, the radius of a point, and the width and height of a letter, in pixels.
const SIZE: (u32, u32) = (800, 560);
const RADIUS: i32 = 5;
const LETTER: (f64, f64) = (7.0, 14.0);
const GREY: RGBColor = RGBColor(150, 150, 150);

impl Scatter {
    /// One line per point: name, and for each axis the mean and the ends of the 95 % interval.
    pub fn csv(&self) -> String {
        let mut text = "name".to_owned();
        for label in [&self.x_label, &self.y_label] {
            for part in ["", ", low", ", high"] {
                text += &format!(",{}", quoted(&format!("{label}{part}")));
            }
        }
        text.push('\n');
        for spot in &self.spots {
            text += &quoted(&spot.name);
            for e in [spot.x, spot.y] {
                for value in [e.mean, e.low(), e.high()] {
                    text += &format!(",{}", digits(value));
                }
            }
            text.push('\n');
        }
        text
    }

    /// Draws the points with their names beside them.
    ///
    /// # Errors
    /// The error message of the drawing library.
    pub fn svg(&self) -> Result<String, String> {
        let mut svg = String::new();
        self.draw(&mut svg)
            .map_err(|error| format!("the figure `{}` cannot be drawn: {error}", self.title))?;
        Ok(lean(&svg))
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (xs, ys) = (
            range(self.spots.iter().map(|s| s.x)),
            range(self.spots.iter().map(|s| s.y)),
        );
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(46)
            .y_label_area_size(64)
            .build_cartesian_2d(xs.clone(), ys.clone())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(235, 235, 235))
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .axis_desc_style(("sans-serif", 18))
            .label_style(("sans-serif", 15))
            .draw()?;
        if let Some(first) = self.spots.first() {
            let (x, y) = (first.x.mean, first.y.mean);
            for line in [
                vec![(xs.start, y), (xs.end, y)],
                vec![(x, ys.start), (x, ys.end)],
            ] {
                chart.draw_series(DashedLineSeries::new(line, 5, 4, GREY.into()))?;
            }
        }
        for (spot, colour) in self.spots.iter().zip(COLOURS.iter().cycle()) {
            let faint = colour.mix(0.6).stroke_width(2);
            let (x, y) = (spot.x, spot.y);
            for line in [
                [(x.low(), y.mean), (x.high(), y.mean)],
                [(x.mean, y.low()), (x.mean, y.high())],
            ] {
                chart.draw_series([PathElement::new(line, faint)])?;
            }
            chart.draw_series([Circle::new((x.mean, y.mean), RADIUS, colour.filled())])?;
        }
        let pixels = |x: f64, y: f64| {
            let (x, y) = chart.backend_coord(&(x, y));
            (f64::from(x), f64::from(y))
        };
        let crosses: Vec<[Box2; 2]> = self
            .spots
            .iter()
            .map(|spot| {
                let (left, y) = pixels(spot.x.low(), spot.y.mean);
                let (right, _) = pixels(spot.x.high(), spot.y.mean);
                let (x, top) = pixels(spot.x.mean, spot.y.high());
                let (_, bottom) = pixels(spot.x.mean, spot.y.low());
                let r = f64::from(RADIUS);
                [
                    Box2::new(left.min(x - r), y - r, right.max(x + r), y + r),
                    Box2::new(x - r, top.min(y - r), x + r, bottom.max(y + r)),
                ]
            })
            .collect();
        let points: Vec<(f64, f64)> = self
            .spots
            .iter()
            .map(|spot| pixels(spot.x.mean, spot.y.mean))
            .collect();
        let width = |spot: &Spot| (spot.name.chars().count() as f64 * LETTER.0, LETTER.1);
        let sizes: Vec<(f64, f64)> = self.spots.iter().map(width).collect();
        let (columns, rows) = chart.plotting_area().get_pixel_range();
        let frame = Box2::new(
            f64::from(columns.start),
            f64::from(rows.start),
            f64::from(columns.end),
            f64::from(rows.end),
        );
        let labels = place(&points, &crosses, &sizes, frame);
        let middle = Pos::new(HPos::Center, VPos::Center);
        let text = ("sans-serif", 15).into_font().color(&BLACK).pos(middle);
        for ((spot, label), point) in self.spots.iter().zip(&labels).zip(&points) {
            let at = label.middle();
            if let Some(end) = label.leader(*point) {
                let line = [round(*point), round(end)];
                area.draw(&PathElement::new(line, GREY.stroke_width(1)))?;
            }
            area.draw(&Text::new(spot.name.clone(), round(at), text.clone()))?;
        }
        area.present()?;
        drop(chart);
        Ok(())
    }
}

fn round((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

/// The range of all intervals, with a margin.
fn range(values: impl Iterator<Item = Estimate>) -> Range<f64> {
    let ends = values.fold((f64::MAX, f64::MIN), |(low, high), e| {
        (low.min(e.low()), high.max(e.high()))
    });
    match ends {
        (low, high) if low < high => {
            let room = (high - low) * 0.08;
            low - room..high + room
        }
        (low, high) if low == high => low - 0.5..high + 0.5,
        _ => 0.0..1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter(spots: &[(&str, f64, f64)]) -> Scatter {
        let estimate = |mean| Estimate {
            mean,
            half_width: Some(0.25),
        };
        Scatter {
            title: "Goodput against friendliness".into(),
            x_label: "goodput, %".into(),
            y_label: "friendliness".into(),
            spots: spots
                .iter()
                .map(|(name, x, y)| Spot {
                    name: (*name).to_owned(),
                    x: estimate(*x),
                    y: estimate(*y),
                })
                .collect(),
        }
    }

    #[test]
    fn csv_has_one_line_per_point() {
        let csv = scatter(&[("a", 1.0, 2.0), ("b", 3.0, 4.5)]).csv();
        assert_eq!(
            csv,
            "name,\"goodput, %\",\"goodput, %, low\",\"goodput, %, high\",friendliness,\
             \"friendliness, low\",\"friendliness, high\"\n\
             a,1,0.75,1.25,2,1.75,2.25\n\
             b,3,2.75,3.25,4.5,4.25,4.75\n"
        );
    }

    #[test]
    fn svg_names_every_point_once() {
        let svg = scatter(&[("alpha", 1.0, 2.0), ("beta", 3.0, 4.5), ("gamma", 3.0, 4.5)])
            .svg()
            .expect("it can be drawn");
        for word in ["alpha", "beta", "gamma", "goodput, %", "friendliness"] {
            let times = svg.lines().filter(|line| line.trim() == word).count();
            assert_eq!(times, 1, "{word}");
        }
        assert_eq!(svg.matches("<circle").count(), 3);
    }

    #[test]
    fn an_empty_plot_can_be_drawn() {
        assert!(scatter(&[]).svg().is_ok());
        let mut one = scatter(&[("a", 1.0, 1.0)]);
        one.spots[0].x.half_width = None;
        one.spots[0].y.half_width = None;
        assert!(one.svg().is_ok());
    }
}
