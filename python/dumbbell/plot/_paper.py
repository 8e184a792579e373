"""The papers' figures, from a reproduction."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from . import _axes
from ._axes import Panels
from ._columns import Columns, Numbers, nearest
from ._decimate import decimated, in_order
from ._map import cells_with_numbers
from ._size import Size, inches
from ._style import INK, MAP_COLOURS, Look, looks, style
from ._words import plain


def figure(
    reproduction: Any,
    name: str | None = None,
    *,
    printed: bool = True,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes | Panels:
    """A figure of a paper as it was reproduced, with 95 % intervals.

    Where a claim has a printed number for a point, a hollow marker shows it. A printed gain is
    drawn over the other curve as measured here, in the colour of that curve.

    Args:
        reproduction: A result of `dumbbell.reproduce`.
        name: A figure, or one of its drawings, such as `"venodb-fig2"`; without it, the first. A
            figure of several drawings has a panel for each, and an array of Axes is returned.
        printed: Whether printed numbers are drawn.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    drawings = _chosen(reproduction, name)
    if ax is not None and len(drawings) > 1:
        names = ", ".join(drawing.name for drawing in drawings)
        raise ValueError(f"several drawings cannot be drawn into one ax: name one of {names}")
    with style():
        if len(drawings) == 1:
            axes: Axes | Panels = _axes.one(ax, size)
            grid = [axes]
        else:
            columns = min(len(drawings), max(1, round(inches(size, 1.0)[0] / 3.5)))
            axes = _axes.panels(len(drawings), size, columns=columns, share_x=False, share_y=False)
            grid = list(axes.flat)
        handles: dict[str, Line2D] = {}
        for own, drawing in zip(grid, drawings, strict=False):
            drawing.draw(own)
            if printed:
                drawing.print(own, reproduction)
            drawing.limit(own)
            handles |= drawing.handles
            if len(drawings) > 1:
                _axes.title(own, drawing.title)
        _axes.legend(axes, list(handles.values()), own=ax is None)
    return axes


def _chosen(reproduction: Any, name: str | None) -> list[_Drawn]:
    """The drawings of this name, or of the figure of this name."""
    drawings = getattr(reproduction, "drawings", None)
    if not isinstance(drawings, Mapping):
        raise TypeError(
            f"a {type(reproduction).__name__} has no drawings: pass a result of dumbbell.reproduce"
        )
    known = {key: each for key, each in drawings.items() if each.kind != "table"}
    if not known:
        raise ValueError("this reproduction has no drawings" + (", only tables" if drawings else ""))
    if name is None:
        name = next(iter(known.values())).figure
    if name in known and sum(each.figure == name for each in known.values()) <= 1:
        found = [known[name]]
    else:
        found = [each for each in known.values() if each.figure == name]
    if not found:
        names = [*dict.fromkeys(each.figure for each in known.values()), *known]
        if any(each.figure == name for each in drawings.values()):
            raise ValueError(f"`{name}` has only tables: reproduction.drawings has their numbers")
        near = nearest(str(name), names) or ": there are " + ", ".join(dict.fromkeys(names))
        raise ValueError(f"no figure `{name}`{near}")
    return [_Drawn(each, reproduction) for each in found]


@dataclass(frozen=True)
class _Curve:
    """A curve of a drawing."""

    x: Numbers
    mean: Numbers
    low: Numbers
    high: Numbers


class _Drawn:
    """A drawing of a paper's figure."""

    def __init__(self, drawing: Any, reproduction: Any) -> None:
        self.name = str(drawing.name)
        self.figure = str(drawing.figure)
        self.title = re.sub(r"^.*?\bfigure [^:]*: ", "", str(drawing.title))
        self.kind = str(drawing.kind)
        self.x_label = with_unit(drawing.x_label)
        self.y_label = with_unit(drawing.y_label)
        self.raw_y_label = str(drawing.y_label)
        columns = Columns(drawing.table)
        self.log = bool(drawing.log_x)
        self.curves = _curves(columns)
        self.places = _places(columns)
        self.row_label = _row_label(reproduction, self.figure)
        self.looks = dict(zip(self.curves, looks(list(self.curves)), strict=True))
        self.handles: dict[str, Line2D] = {}

    def draw(self, ax: Axes) -> None:
        """Draws it as the report does: curves, bars, or a map."""
        if not self.curves:
            raise ValueError(f"`{self.name}` has no numbers")
        _axes.labels(ax, self.x_label, self.y_label)
        if self.kind == "map":
            self._map(ax)
            return
        if self.kind == "bars":
            self._rows(ax)
            return
        if self.places:
            self._points(ax)
        elif self.kind == "samples":
            self._samples(ax)
        else:
            self._lines(ax)

    def limit(self, ax: Axes) -> None:
        """Lets the vertical axis begin at 0 if nothing lies below."""
        lowest = min(float(np.nanmin(curve.low)) for curve in self.curves.values())
        if self.kind not in ("map", "bars") and lowest >= 0:
            _axes.from_zero(ax)

    def _lines(self, ax: Axes) -> None:
        for name, curve in self.curves.items():
            one = self.looks[name]
            ax.plot(
                curve.x,
                curve.mean,
                color=one.colour,
                linestyle=one.dash,
                marker=one.marker,
                markeredgecolor="white",
                label=plain(name),
            )
            _bars(ax, curve.x, curve, one)
            self._handle(name, linestyle=one.dash)
        xs = np.concatenate([curve.x for curve in self.curves.values()])
        if self.log:
            _axes.logarithmic(ax, "x", list(xs))

    def _samples(self, ax: Axes) -> None:
        for name, curve in self.curves.items():
            one = self.looks[name]
            x, y = in_order(curve.x, curve.mean)
            x, y = decimated(x, y, _axes.columns_of(ax))
            ax.plot(x, y, color=one.colour, linestyle=one.dash, linewidth=1.0, label=plain(name))
            if not np.allclose(curve.low, curve.high, equal_nan=True):
                ax.fill_between(curve.x, curve.low, curve.high, color=one.colour, alpha=0.18, linewidth=0)
            self._handle(name, linestyle=one.dash, marker="")
        ax.margins(x=0)

    def _points(self, ax: Axes) -> None:
        """Means at named places, beside each other."""
        xs = sorted({float(x) for curve in self.curves.values() for x in curve.x})
        names = [self.places.get(x, f"{x:g}") for x in xs]
        count = len(self.curves)
        for number, (name, curve) in enumerate(self.curves.items()):
            one = self.looks[name]
            at = np.searchsorted(xs, curve.x) + (number - (count - 1) / 2) * min(0.14, 0.7 / count)
            ax.plot(
                at,
                curve.mean,
                color=one.colour,
                linestyle="none",
                marker=one.marker,
                markeredgecolor="white",
                label=plain(name),
            )
            _bars(ax, at, curve, one)
            self._handle(name, linestyle="none")
        _axes.categories(ax, names)

    def _rows(self, ax: Axes) -> None:
        """A row for each curve, with a point for each x value: names need the room."""
        xs = sorted({float(x) for curve in self.curves.values() for x in curve.x})
        places = [self.places.get(x, f"{x:g}") for x in xs]
        several = dict(zip(xs, looks(places), strict=True)) if len(xs) > 1 else {}
        for row, (name, curve) in enumerate(self.curves.items()):
            for x, mean, low, high in zip(curve.x, curve.mean, curve.low, curve.high, strict=True):
                one = several.get(float(x), self.looks[name])
                aside = (xs.index(float(x)) - (len(xs) - 1) / 2) * min(0.2, 0.7 / len(xs))
                ax.errorbar(
                    [mean],
                    [row + aside],
                    xerr=[[mean - low], [high - mean]] if high > low else None,
                    color=one.colour,
                    marker=one.marker,
                    linestyle="none",
                    elinewidth=0.8,
                    capsize=1.8,
                    label=f"_{name}",
                )
        for x, one in several.items():
            name = f"{self.x_label}: {places[xs.index(x)]}"
            self.handles[name] = Line2D(
                [], [], color=one.colour, marker=one.marker, linestyle="none", label=plain(name)
            )
        wide = 0.35 * _axes.inches_of(ax)
        names = [_axes.wrapped(name, wide) for name in self.curves]
        _axes.categories(ax, names, "y")
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.grid(True, axis="x")
        figure = ax.get_figure(root=True)
        lines = sum(name.count("\n") + 1.3 for name in names)
        if isinstance(figure, _axes.Paper) and figure.grows:
            grown = max(figure.get_size_inches()[1], _axes.LINE * lines + 0.6)
            figure.set_size_inches(figure.get_size_inches()[0], grown)
        ax.set_xlabel(_axes.wrapped(plain(self.y_label), _axes.inches_of(ax) * 0.85))
        ax.set_ylabel("")
        if min(float(np.nanmin(curve.low)) for curve in self.curves.values()) >= 0:
            ax.set_xlim(left=0)
        else:
            ax.axvline(0, color=INK, linewidth=0.6)

    def _map(self, ax: Axes) -> None:
        xs = sorted({float(x) for curve in self.curves.values() for x in curve.x})
        cells = np.full((len(self.curves), len(xs)), np.nan)
        for row, curve in enumerate(self.curves.values()):
            cells[row, np.searchsorted(xs, curve.x)] = curve.mean
        ax.grid(False)
        mesh = ax.pcolormesh(
            np.arange(len(xs) + 1) - 0.5,
            np.arange(len(cells) + 1) - 0.5,
            np.ma.masked_invalid(cells),
            cmap=MAP_COLOURS,
            rasterized=True,
        )
        _axes.categories(ax, [self.places.get(x, f"{x:g}") for x in xs])
        _axes.categories(ax, list(self.curves), "y")
        ax.set_ylabel(plain(self.row_label))
        cells_with_numbers(
            ax, np.arange(len(xs), dtype=float), np.arange(len(cells), dtype=float), cells, mesh
        )
        figure = ax.get_figure(root=True)
        assert figure is not None
        figure.colorbar(mesh, ax=ax, label=plain(self.y_label), pad=0.02, aspect=25).outline.set_visible(
            False
        )

    def _handle(self, name: str, linestyle: Any, marker: str | None = None) -> None:
        one = self.looks[name]
        self.handles[name] = Line2D(
            [],
            [],
            color=one.colour,
            linestyle=linestyle,
            label=plain(name),
            markeredgecolor="white",
            marker=one.marker if marker is None else marker,
        )

    def print(self, ax: Axes, reproduction: Any) -> None:
        """Draws what the paper prints."""
        if self.kind != "curves":
            return
        for curve, over, x, y in self._printed(reproduction):
            colour = self.looks[over or curve].colour
            ax.plot(
                [x],
                [y],
                marker=self.looks[curve].marker,
                markersize=6.5,
                markerfacecolor="none",
                markeredgecolor=colour,
                markeredgewidth=0.9,
                linestyle="none",
                zorder=4,
                label=f"_{curve} printed",
            )
            name = f"{curve} by the printed gains" if over else f"{curve} as printed"
            self.handles[name] = Line2D(
                [],
                [],
                marker=self.looks[curve].marker,
                markersize=6,
                markerfacecolor="none",
                markeredgecolor=INK,
                linestyle="none",
                label=plain(name),
            )

    def _printed(self, reproduction: Any) -> list[tuple[str, str | None, float, float]]:
        """The points that the paper prints: curve, the curve that it is compared with, x and y."""
        claims = Columns(reproduction.claims)
        needed = ("figure", "kind", "curve", "over", "x", "printed", "measure")
        if len(claims) == 0 or not all(name in claims for name in needed):
            return []
        words = {name: _texts(claims, name) for name in needed if name not in ("x", "printed")}
        readings = _texts(claims, "reading") if "reading" in claims else [None] * len(claims)
        found = []
        for row, (at, number) in enumerate(zip(claims.numbers("x"), claims.numbers("printed"), strict=True)):
            curve, over = words["curve"][row], words["over"][row]
            here = words["figure"][row] == self.figure and words["measure"][row] == self.raw_y_label
            ours = words["kind"][row] == "ours"
            if not here or ours or readings[row] or curve is None or curve not in self.curves:
                continue
            # Without an x axis, there is one place.
            at = self.curves[curve].x[0] if np.isnan(at) else at
            if over is not None:
                other = self._mean(over, at)
                number = np.nan if other is None else other * (1 + number / 100)
            if np.isfinite(number):
                found.append((curve, over, float(at), float(number)))
        return found

    def _mean(self, curve: str, at: float) -> float | None:
        if curve not in self.curves:
            return None
        here = np.flatnonzero(np.isclose(self.curves[curve].x, at))
        return float(self.curves[curve].mean[here[0]]) if len(here) else None


def with_unit(label: Any) -> str:
    """A paper's label ``throughput, kb/s`` with its unit in brackets, as in all figures."""
    text = str(label)
    words, comma, unit = text.rpartition(", ")
    is_unit = comma and len(unit) <= 12 and (" " not in unit or unit.startswith("packets"))
    return f"{words} ({unit})" if is_unit else text


def _curves(columns: Columns) -> dict[str, _Curve]:
    codes, names = columns.codes("curve")
    x, mean, low, high = (columns.numbers(name) for name in ("x", "mean", "low", "high"))
    found = {}
    for place, name in enumerate(names):
        rows = np.flatnonzero((codes == place) & ~np.isnan(mean))
        if len(rows):
            found[str(name)] = _Curve(x[rows], mean[rows], low[rows], high[rows])
    return found


def _places(columns: Columns) -> dict[float, str]:
    """The names of x values, where they have names."""
    if "place" not in columns:
        return {}
    names = _texts(columns, "place")
    pairs = zip(columns.numbers("x"), names, strict=True)
    return {float(x): name for x, name in pairs if name is not None}


def _row_label(reproduction: Any, figure: str) -> str:
    """The label of a map's rows, which the table of the figure has."""
    tables = getattr(reproduction, "figures", None)
    table = tables.get(figure) if isinstance(tables, Mapping) else None
    about = getattr(table, "about", None)
    return with_unit(about.get("y", "")) if isinstance(about, Mapping) else ""


def _texts(columns: Columns, name: str) -> list[str | None]:
    codes, values = columns.codes(name)
    return [None if code < 0 else str(values[code]) for code in codes]


def _bars(ax: Axes, at: Any, curve: _Curve, one: Look) -> None:
    known = curve.high > curve.low
    if known.any():
        below, above = (curve.mean - curve.low)[known], (curve.high - curve.mean)[known]
        ax.errorbar(
            np.asarray(at)[known],
            curve.mean[known],
            yerr=[below, above],
            color=one.colour,
            linestyle="none",
            elinewidth=0.8,
            capsize=1.8,
            capthick=0.8,
            zorder=1.9,
            label="_interval",
        )
