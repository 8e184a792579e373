"""One measure against another, a point for each control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from . import _axes, _matrix, _means
from ._choice import TABLES, LeftOver, dimension, left_over, paths_of, table_of
from ._columns import Columns, is_table, nearest, read
from ._size import Size
from ._style import looks, style
from ._words import plain, scale, words


def scatter(
    source: Any,
    x: str | None = None,
    y: str = "goodput",
    *,
    by: str | None = None,
    where: Mapping[str, Any] | None = None,
    table: str | None = None,
    names: bool = True,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes:
    """Two measures against each other: a point for each control, with 95 % intervals both ways.

    Args:
        source: A result of `dumbbell.sweep`, `dumbbell.run` or `dumbbell.matrix`, or a table.
        x: The measure of the horizontal axis; without it, the friendliness, otherwise the queueing
            delay.
        y: The measure of the vertical axis.
        by: The column of the points; without it, controls, otherwise groups.
        where: Values of columns, to choose rows: `{"path": "friendly"}`.
        table: The table that has the measures; without it, the first that has them.
        names: Whether each point has its name beside it; otherwise, there is a legend.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    matrix = _matrix_of(source)
    columns = _table(source, x, y, table) if matrix is None else Columns(matrix)
    columns.check(y)
    x = x or next((name for name in _USUAL_X if name in columns and name != y), None)
    if x is None:
        raise ValueError(f"name a measure as x: there are {', '.join(columns.names)}")
    columns.check(x)
    paths = paths_of(source, columns)
    if by is not None:
        columns.check(by)
    columns = columns.only(where or {})
    by = by or _usual_by(columns, paths)
    rest = left_over(columns, [*paths, "path", "group"], [by])
    if rest:
        raise LeftOver(rest[0], columns.values(rest[0]))
    if matrix is not None and by == "control":
        at, up = (_matrix.means(matrix, columns, name) for name in (x, y))
    else:
        at, up = (_means.by(columns, [by], name) for name in (x, y))
    points = {key[0]: (at[key], up[key]) for key in at if key in up and key[0] is not None}
    if not points:
        raise ValueError(f"no row has numbers in `{x}` and `{y}`")
    curves = dimension(columns, by)
    given = looks([curves.title(value) for value in points])
    sides = [
        scale(columns.unit(name), [each[side].mean for each in points.values()], words(name))
        for side, name in enumerate((x, y))
    ]
    with style():
        ours = ax is None
        ax = _axes.one(ax, size, 0.75)
        for one, (value, (across, high)) in zip(given, points.items(), strict=True):
            ax.errorbar(
                [across.mean * sides[0].factor],
                [high.mean * sides[1].factor],
                xerr=_half(across, sides[0].factor),
                yerr=_half(high, sides[1].factor),
                color=one.colour,
                marker=one.marker,
                markersize=4.5,
                linestyle="none",
                elinewidth=0.7,
                label=plain(curves.title(value)),
            )
        _axes.labels(ax, sides[0].label(words(x)), sides[1].label(words(y)))
        ax.margins(0.12)
        if names:
            label(
                ax,
                [
                    _Name(
                        curves.title(value),
                        look.colour,
                        *_ends(one, sides[0].factor),
                        *_ends(other, sides[1].factor),
                    )
                    for look, (value, (one, other)) in zip(given, points.items(), strict=True)
                ],
            )
        else:
            _axes.legend(ax, own=ours)
    return ax


def _matrix_of(source: Any) -> _matrix.Wide | None:
    """The matrix of a result of `dumbbell.matrix`."""
    found = None if is_table(source) else getattr(source, "matrix", None)
    return _matrix.wide(found) if found is not None and is_table(found) else None


_USUAL_X = ("friendliness", "queueing", "rtt")


def _table(source: Any, x: str | None, y: str, table: str | None) -> Columns:
    if is_table(source) or table is not None:
        return table_of(source, y, table)
    for name in ("cells", *TABLES):
        try:
            columns = read(source, name)
        except TypeError:
            continue
        if y in columns and (x is None or x in columns):
            return columns
    if x is not None:
        columns = table_of(source, y)
        near = nearest(x, columns.names)
        raise ValueError(f"no table of this result has `{x}` and `{y}`{near}")
    return table_of(source, y)


def _usual_by(columns: Columns, paths: list[str]) -> str:
    controls = [name for name in paths if name.rpartition(".")[2] in ("control", "rate_control")]
    for name in (*controls, "control", "group", "flow", *paths):
        if name in columns and len(columns.values(name)) > 1:
            return name
    raise ValueError("there is only one point: name a column with several values as by")


def _ends(mean: _means.Mean, factor: float) -> tuple[float, float, float]:
    """The mean and the ends of its interval."""
    half = 0.0 if np.isnan(mean.half) else mean.half
    return mean.mean * factor, (mean.mean - half) * factor, (mean.mean + half) * factor


def _half(mean: _means.Mean, factor: float) -> list[float] | None:
    return None if np.isnan(mean.half) else [mean.half * factor]


_DIRECTIONS = ((1, 0), (-1, 0), (0.7, 0.7), (0.7, -0.7), (-0.7, 0.7), (-0.7, -0.7), (0, 1), (0, -1))
_DISTANCES = (6.0, 12.0, 20.0, 32.0)


class _Name(NamedTuple):
    """A point with a name."""

    name: str
    colour: str
    x: float
    left: float
    right: float
    y: float
    low: float
    high: float


def label(ax: Axes, points: list[_Name]) -> None:
    """Writes the name of each point beside it, where it covers the least of names, points and bars.

    Names that are far from their points have a line to them.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    dot = figure.dpi / 72
    frame = ax.get_window_extent()
    spots = ax.transData.transform([(point.x, point.y) for point in points])
    taken = [(px - 3 * dot, py - 3 * dot, px + 3 * dot, py + 3 * dot) for px, py in spots]
    for point, (px, py) in zip(points, spots, strict=True):
        corners = [(point.left, point.low), (point.right, point.high)]
        (left, low), (right, high) = ax.transData.transform(corners)
        taken += [(left, py - dot, right, py + dot), (px - dot, low, px + dot, high)]
    crowd = [sum(1 / (np.hypot(*(one - other)) + 10) for other in spots) for one in spots]
    for place in np.argsort(crowd)[::-1]:
        name, colour = points[place].name, points[place].colour
        px, py = spots[place]
        sized = figure.text(0, 0, plain(name), fontsize=7)
        box = sized.get_window_extent()
        sized.remove()
        wide, high = box.width + dot, box.height
        best: tuple[float, Any] | None = None
        for far in _DISTANCES:
            for rank, (right, up) in enumerate(_DIRECTIONS):
                cx = px + right * (far * dot + wide / 2)
                cy = py + up * (far * dot + high / 2)
                box = (cx - wide / 2, cy - high / 2, cx + wide / 2, cy + high / 2)
                cost = sum(_common(box, other) for other in taken) / dot**2 * 4
                inside = _common(box, (frame.x0, frame.y0, frame.x1, frame.y1))
                cost += (wide * high - inside) / dot**2 * 20 + far + rank * 0.5
                if best is None or cost < best[0]:
                    best = (cost, (box, far, (cx, cy)))
        assert best is not None
        box, far, middle = best[1]
        taken.append(box)
        line = {"arrowstyle": "-", "linewidth": 0.4, "color": colour, "shrinkA": 0, "shrinkB": 2}
        ax.annotate(
            plain(name),
            (points[place].x, points[place].y),
            ((middle[0] - px) / dot, (middle[1] - py) / dot),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=7,
            color=colour,
            arrowprops=line if far > 12 else None,
        )


def _common(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0.0) * max(high, 0.0)
