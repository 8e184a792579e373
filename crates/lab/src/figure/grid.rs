//! The axes of curves.

use plotters::chart::MeshStyle;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::line::Plane;
use super::short;

/// The lines at the numbers of the axes, without those between them.
pub(super) fn grid<'c, 'a, 'b, X>(
    chart: &'c mut Plane<'a, 'b, X>,
) -> MeshStyle<'a, 'c, X, RangedCoordf64, SVGBackend<'b>>
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
