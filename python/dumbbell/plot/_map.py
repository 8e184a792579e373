"""Sweeps of two paths as maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.ticker import PercentFormatter

from . import _axes, _means
from ._axes import Panels
from ._choice import Dimension, choose, dimension, table_of
from ._columns import Columns, Numbers
from ._size import Size
from ._style import MAP_COLOURS, style
from ._sweep import _panels, _title
from ._words import Scale, plain, scale, words

MOST_ROWS = 12
"""A panel with more rows has no numbers in its cells unless they are asked for."""


def map(
    source: Any,
    x: str | None = None,
    y: str | None = None,
    value: str = "goodput",
    *,
    gain: tuple[str, str] | None = None,
    facet: str | Sequence[str] | None = None,
    where: Mapping[str, Any] | None = None,
    table: str | None = None,
    numbers: bool | None = None,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes | Panels:
    """A measure over two swept paths: a cell for each pair of values, coloured by the mean.

    Cells without runs are hatched.

    Args:
        source: A result of `dumbbell.sweep`, or one of its tables.
        x: The column of the horizontal axis; without it, the longest path of numbers.
        y: The column of the vertical axis; without it, the next path.
        value: The measure.
        gain: Two values of one column, such as `("venodb", "veno")`: draws the ratio of their means
            minus 1, in percent, with colours that meet at 0.
        facet: The column of the panels, or two for their columns and rows; without it, a path that
            is left over. With panels, an array of Axes is returned.
        where: Values of columns, to choose rows: `{"bottleneck.delay": 0.02, "group": "main"}`.
        table: The table that has the measure; without it, the first of groups, runs, flows, links.
        numbers: Whether each cell has its number; without it, where they fit.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    columns = table_of(source, value, table)
    where = dict(where or {})
    parts: list[Columns] = []
    if gain is not None:
        key = _key_of_gain(columns, gain)
        if key in where:
            raise ValueError(f"`gain` compares two values of `{key}`: leave it out of where")
        columns = columns.only({**where, key: list(gain)})
        parts = [columns.only({key: each}) for each in gain]
        where = {}
    y = y or _second(source, parts[0] if parts else columns.only(where), x)
    choice = choose(
        source,
        parts[0] if parts else columns,
        x=x,
        by=None,
        facet=facet,
        where=where,
        y_path=y,
        panels=ax is None,
    )
    assert choice.x is not None
    chosen = parts[0] if parts else choice.columns
    across, up = dimension(chosen, choice.x), dimension(chosen, y)
    facets = [dimension(chosen, name) for name in choice.facets]
    if facets and ax is not None:
        raise ValueError("panels make their own figure: leave ax or facet out")
    keys = [*choice.facets, choice.x, y]
    means = {key: mean.mean for key, mean in _means.by(choice.columns, keys, value).items()}
    if gain is not None:
        base = _means.by(parts[1], keys, value)
        means = {
            key: mean / base[key].mean - 1
            for key, mean in means.items()
            if key in base and base[key].mean != 0
        }
    if not means:
        raise ValueError(f"no row has a number in `{value}`")
    if gain is None:
        shown = scale(columns.unit(value), list(means.values()), words(value))
        label = shown.label(words(value))
    else:
        shown = Scale("%", 100.0)
        label = f"{words(value)}: {gain[0]} over {gain[1]} (%)"
    with style(axes_grid=False):
        axes, grid = _panels(facets, ax, size)
        cells = {place: _cells(means, place, across, up) * shown.factor for place in grid}
        norm = _norm(np.concatenate([each.ravel() for each in cells.values()]), gain is not None)
        mesh = None
        for place, own in grid.items():
            mesh = _draw(own, across, up, cells[place], norm, gain is not None, numbers)
            if facets:
                _axes.title(own, _title(facets, place))
            else:
                _axes.labels(own, across.label, up.label)
        first = next(iter(grid.values()))
        figure = first.get_figure(root=True)
        assert figure is not None and mesh is not None
        if facets:
            figure.supxlabel(plain(across.label))
            figure.supylabel(plain(up.label))
        bar = figure.colorbar(mesh, ax=list(grid.values()), label=plain(label), pad=0.02, aspect=25)
        bar.outline.set_visible(False)
        if gain is not None:
            bar.ax.yaxis.set_major_formatter(PercentFormatter(decimals=0, symbol=""))
    return axes


def _second(source: Any, columns: Columns, x: str | None) -> str:
    """The shorter one of the two longest paths of numbers."""
    from ._choice import paths_of

    paths = [name for name in paths_of(source, columns) if len(columns.values(name)) > 1]
    free = [name for name in paths if name != x]
    free.sort(key=lambda name: (columns.is_text(name), -len(columns.values(name))))
    wanted = 0 if x is not None else 1
    if len(free) <= wanted:
        raise ValueError(
            "a map needs two swept paths: this table has "
            + (" and ".join(f"`{name}`" for name in paths) or "none")
        )
    return free[wanted]


def _key_of_gain(columns: Columns, gain: tuple[str, str]) -> str:
    """The column that has both values."""
    if not isinstance(gain, tuple | list) or len(gain) != 2:
        raise ValueError(f'gain = {gain!r}: write two values of one column, ("venodb", "veno")')
    names = [name for name in columns.names if columns.is_text(name)]
    # A swept path stands before the column `control` that it sets.
    for name in names:
        if all(each in columns.values(name) for each in gain):
            return name
    known = sorted({str(each) for name in names for each in columns.values(name)})
    raise ValueError(f"no column has both {gain[0]!r} and {gain[1]!r}: there are {', '.join(known)}")


def _cells(
    means: Mapping[tuple[Any, ...], float], place: tuple[Any, ...], across: Dimension, up: Dimension
) -> Numbers:
    cells = np.full((len(up.values), len(across.values)), np.nan)
    for key, mean in means.items():
        if key[: len(place)] == place and None not in key[-2:]:
            cells[up.values.index(key[-1]), across.values.index(key[-2])] = mean
    return cells


def _norm(values: Numbers, around_zero: bool) -> Normalize:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if around_zero:
        far = max(abs(low), abs(high), 1e-9)
        return TwoSlopeNorm(0.0, -far, far)
    return Normalize(low, high if high > low else low + 1.0)


def _draw(
    ax: Axes,
    across: Dimension,
    up: Dimension,
    cells: Numbers,
    norm: Normalize,
    is_gain: bool,
    numbers: bool | None,
) -> Any:
    x, y = _edges(across), _edges(up)
    ax.patch.set(hatch="////", edgecolor="#C8C8C8", facecolor="white")
    colours = "PuOr_r" if is_gain else MAP_COLOURS
    mesh = ax.pcolormesh(x, y, np.ma.masked_invalid(cells), cmap=colours, norm=norm, rasterized=True)
    for which, one in (("x", across), ("y", up)):
        if one.is_text:
            _axes.categories(ax, [str(each) for each in one.values], which)
        elif one.is_log:
            _axes.logarithmic(ax, which, [each * one.factor for each in one.values])
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(y[0], y[-1])
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    cells_with_numbers(ax, _middles(x, across.is_log), _middles(y, up.is_log), cells, mesh, numbers)
    return mesh


def _edges(one: Dimension) -> Numbers:
    """The edges of the cells around the values, halfway between them."""
    if one.is_text:
        return np.arange(len(one.values) + 1, dtype=float) - 0.5
    values = np.array(one.values, dtype=float) * one.factor
    if one.is_log:
        return np.asarray(np.exp(_between(np.log(values))), dtype=float)
    return _between(values)


def _between(values: Numbers) -> Numbers:
    if len(values) == 1:
        half = abs(float(values[0])) * 0.05 or 0.5
        return np.array([values[0] - half, values[0] + half])
    middle = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]])


def _middles(edges: Numbers, log: bool) -> Numbers:
    inner = np.sqrt(edges[1:] * edges[:-1]) if log else (edges[1:] + edges[:-1]) / 2
    return np.asarray(inner, dtype=float)


def cells_with_numbers(
    ax: Axes, across: Numbers, up: Numbers, cells: Numbers, mesh: Any, wanted: bool | None = None
) -> None:
    """Writes each number into its cell, in the ink that can be read on its colour.

    If `wanted` is None, only where they fit.
    """
    # A number of four digits takes a quarter of an inch.
    fits = _axes.inches_of(ax) * 0.75 / cells.shape[1] >= 0.27 and cells.shape[0] <= MOST_ROWS
    if not (fits if wanted is None else wanted):
        return
    top = float(np.nanmax(np.abs(cells)))
    digits = 0 if top >= 20 else 1 if top >= 10 else 2
    for (row, column), value in np.ndenumerate(cells):
        if np.isnan(value):
            continue
        red, green, blue, _ = mesh.to_rgba(value)
        light = 0.299 * red + 0.587 * green + 0.114 * blue
        ax.text(
            float(across[column]),
            float(up[row]),
            f"{value + 0.0:.{digits}f}",
            ha="center",
            va="center",
            fontsize=5.5,
            color="black" if light > 0.5 else "white",
        )
