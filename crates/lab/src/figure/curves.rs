//! Curves over a common axis: all in one drawing, or each in a panel of its own if they are many.

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;

use super::line::{self, Area, Plane, Style};
use super::{Figure, MARGIN, caption_size, legend, marks, multiples, short};

/// The most curves that can be told from each other in one drawing.
const MOST_TOGETHER: usize = 8;

/// The width of a drawing, the height of its title, and that of title, axes and curves together, in
/// pixels.
const WIDTH: u32 = 800;
const TITLE: u32 = 44;
const HEIGHT: u32 = 500;
/// The space for the label below the horizontal axis, and for the numbers beside the vertical one.
const BELOW: u32 = 52;
const BESIDE: u32 = 72;
/// The names of lanes are wider than numbers.
const BESIDE_LANES: u32 = 96;

/// Draws the figure as an SVG.
pub(super) fn draw(figure: &Figure, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let (low, high) = figure.x_range();
    if figure.log_x {
        // A margin keeps the first and the last label inside the drawing.
        drawn(figure, svg, (low / 1.1..high * 1.1).log_scale())
    } else {
        drawn(figure, svg, low..high)
    }
}

fn drawn<X>(figure: &Figure, svg: &mut String, x: X) -> Result<(), Box<dyn std::error::Error>>
where
    X: AsRangedCoord<Value = f64> + Clone,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let many = figure.series.len() > MOST_TOGETHER;
    // Marks say when something happened to several curves, so they stand above all of them.
    let together = !many || !figure.lanes.is_empty();
    let upper = if together { HEIGHT } else { TITLE };
    let lower = match many {
        true => multiples::height(figure),
        false => legend::height(figure, WIDTH),
    };
    let area = SVGBackend::with_string(svg, (WIDTH, upper + lower)).into_drawing_area();
    area.fill(&WHITE)?;
    let (above, below) = area.split_vertically(upper);
    let (_, above) = above.split_vertically(MARGIN);
    let caption = ("sans-serif", caption_size(&figure.title));
    let rest = above.titled(&figure.title, caption)?;
    if together {
        all(figure, &rest, x.clone())?;
    }
    match many {
        true => multiples::draw(figure, &below, x)?,
        false => legend::draw(figure, &below)?,
    }
    area.present()?;
    Ok(())
}

/// All curves in one plot, with the marks above it.
fn all<X>(figure: &Figure, area: &Area<'_>, x: X) -> Result<(), Box<dyn std::error::Error>>
where
    X: AsRangedCoord<Value = f64> + Clone,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut plot = area.clone();
    let mut beside = BESIDE;
    if !figure.lanes.is_empty() {
        beside = BESIDE_LANES;
        let (strip, rest) = area.split_vertically(marks::height(&figure.lanes));
        marks::draw(&strip, &figure.lanes, x.clone(), (beside + MARGIN, MARGIN))?;
        plot = rest;
    }
    let mut chart = ChartBuilder::on(&plot)
        .margin(MARGIN)
        .x_label_area_size(BELOW)
        .y_label_area_size(beside)
        .build_cartesian_2d(x, 0.0..figure.y_top())?;
    grid(&mut chart)
        .x_desc(&figure.x_label)
        .y_desc(&figure.y_label)
        .axis_desc_style(("sans-serif", 18))
        .draw()?;
    for (place, curve) in figure.series.iter().enumerate() {
        line::draw(&plot, &chart, curve, Style::of(place))?;
    }
    Ok(())
}

/// The lines at the numbers of the axes, without those between them.
pub(super) fn grid<'c, 'a, 'b, X>(
    chart: &'c mut Plane<'a, 'b, X>,
) -> plotters::chart::MeshStyle<'a, 'c, X, plotters::coord::types::RangedCoordf64, SVGBackend<'b>>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(232, 232, 232))
        .axis_style(RGBColor(120, 120, 120))
        .label_style(("sans-serif", 15))
        .x_label_formatter(&|x| short(*x))
        .y_label_formatter(&|y| short(*y));
    mesh
}
