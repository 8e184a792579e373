"""Sweeps as lines with 95 % intervals, in one panel or in small multiples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from . import _axes, _means
from ._axes import Panels
from ._choice import Dimension, choose, dimension, table_of
from ._columns import Columns
from ._size import Size
from ._style import Look, looks, ramp, style
from ._words import Scale, plain, scale, words

Intervals = Literal["bars", "band"] | None
"""How 95 % intervals are drawn."""


def sweep(
    source: Any,
    x: str | None = None,
    y: str = "goodput",
    *,
    by: str | None = None,
    facet: str | Sequence[str] | None = None,
    where: Mapping[str, Any] | None = None,
    table: str | None = None,
    intervals: Intervals = "bars",
    log: bool | None = None,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes | Panels:
    """A measure along a swept path: means over the runs, with 95 % intervals (Student's t).

    A path that varies and is shown nowhere is an error, because a mean over it would mix scenarios.
    Values that are words are categories, drawn as points.

    Args:
        source: A result of `dumbbell.sweep` or `dumbbell.run`, or one of its tables.
        x: The column of the horizontal axis; without it, the longest path of numbers.
        y: The measure.
        by: The column of the curves; without it, controls, otherwise groups, otherwise the next
            path.
        facet: The column of the panels, or two for their columns and rows; without it, a path that
            is left over. With panels, an array of Axes is returned.
        where: Values of columns, to choose rows: `{"bottleneck.delay": 0.02, "group": "main"}`.
        table: The table that has the measure; without it, the first of groups, runs, flows, links.
        intervals: How 95 % intervals are drawn: `"bars"`, `"band"`, or None.
        log: Whether the horizontal axis is logarithmic; without it, if its values are spaced by
            ratios.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    if intervals not in ("bars", "band", None):
        raise ValueError(f'intervals = {intervals!r}: write "bars", "band" or None')
    choice = choose(
        source, table_of(source, y, table), x=x, by=by, facet=facet, where=where, panels=ax is None
    )
    columns = choice.columns
    assert choice.x is not None
    along = dimension(columns, choice.x)
    curves = dimension(columns, choice.by) if choice.by else None
    facets = [dimension(columns, name) for name in choice.facets]
    if facets and ax is not None:
        raise ValueError("panels make their own figure: leave ax or facet out")
    means = _means.by(columns, choice.keys, y)
    if not means:
        raise ValueError(f"no row has a number in `{y}`")
    shown = scale(columns.unit(y), [each.mean for each in means.values()], words(y))
    given = _looks(curves, columns)
    drawing = _Drawing(along, intervals, along.is_log if log is None else log)
    with style():
        axes, grid = _panels(facets, ax, size)
        for place, own in grid.items():
            drawing.draw(own, _of_panel(means, place, curves, along), curves, given, shown)
            if facets:
                _axes.title(own, _title(facets, place))
        _labels(axes, grid, along, shown.label(words(y)), bool(facets))
        title = plain(words(curves.name)) if curves and not _are_names(curves) else None
        handles = drawing.handles(curves, given) if curves else []
        _axes.legend(axes, handles, own=ax is None, title=title)
    return axes


class _Drawing:
    def __init__(self, along: Dimension, intervals: Intervals, log: bool) -> None:
        self.along = along
        self.intervals = intervals
        self.log = log
        if log and (along.is_text or min(along.values) <= 0):
            raise ValueError(f"`{along.name}` cannot have a logarithmic axis: it needs numbers above 0")

    def draw(
        self,
        ax: Axes,
        series: dict[Any, list[tuple[Any, _means.Mean]]],
        curves: Dimension | None,
        given: dict[Any, Look],
        shown: Scale,
    ) -> None:
        """Draws the curves of one panel."""
        count = max(len(given), 1)
        for number, (value, one) in enumerate(given.items()):
            points = series.get(value, [])
            if not points:
                continue
            if self.along.is_text:
                # Points of one category stand beside each other.
                aside = (number - (count - 1) / 2) * min(0.14, 0.7 / count)
                at = [self.along.values.index(x) + aside for x, _ in points]
            else:
                at = [x * self.along.factor for x, _ in points]
            mean = np.array([each.mean for _, each in points]) * shown.factor
            half = np.array([each.half for _, each in points]) * shown.factor
            self._curve(ax, one, np.array(at), mean, half, self._name(value, curves))
        if self.along.is_text:
            _axes.categories(ax, [str(each) for each in self.along.values])
        elif self.log:
            _axes.logarithmic(ax, "x", [x * self.along.factor for x in self.along.values])
        _axes.from_zero(ax)

    def _curve(self, ax: Axes, one: Look, at: Any, mean: Any, half: Any, name: str) -> None:
        known = ~np.isnan(half)
        dash = "none" if self.along.is_text else one.dash
        ax.plot(
            at,
            mean,
            color=one.colour,
            linestyle=dash,
            marker=one.marker,
            label=name,
            markeredgecolor="white",
        )
        if self.intervals == "band" and not self.along.is_text:
            ax.fill_between(
                at,
                mean - np.where(known, half, 0),
                mean + np.where(known, half, 0),
                color=one.colour,
                alpha=0.18,
                linewidth=0,
                zorder=1,
            )
        elif self.intervals is not None and known.any():
            ax.errorbar(
                at[known],
                mean[known],
                yerr=half[known],
                color=one.colour,
                linestyle="none",
                elinewidth=0.8,
                capsize=1.8,
                capthick=0.8,
                zorder=1.9,
                label="_interval",
            )

    def handles(self, curves: Dimension, given: dict[Any, Look]) -> list[Line2D]:
        """The entries of the legend."""
        return [
            Line2D(
                [],
                [],
                color=one.colour,
                marker=one.marker,
                label=self._name(value, curves),
                linestyle="none" if self.along.is_text else one.dash,
                markeredgecolor="white",
            )
            for value, one in given.items()
        ]

    @staticmethod
    def _name(value: Any, curves: Dimension | None) -> str:
        return plain(curves.title(value)) if curves else "_mean"


def _are_names(curves: Dimension) -> bool:
    """Whether the curves' names speak for themselves."""
    return curves.is_text and curves.name.rpartition(".")[2] in (
        "control",
        "rate_control",
        "group",
        "flow",
        "link",
        "recovery",
    )


def _looks(curves: Dimension | None, columns: Columns) -> dict[Any, Look]:
    if curves is None:
        # A single curve of a single control has its look.
        controls = columns.values("control") if "control" in columns else []
        return {None: looks([str(controls[0])])[0] if len(controls) == 1 else looks(["mean"])[0]}
    if not curves.is_text:
        return dict(zip(curves.values, ramp(len(curves.values)), strict=True))
    names = [str(value) for value in curves.values]
    like = None
    if curves.name in ("group", "flow") and "control" in columns:
        pairs, _ = _means.cells_of(columns, [curves.name, "control"])
        found = {name: [control for other, control in pairs if other == name] for name in names}
        if all(len(controls) == 1 and controls[0] for controls in found.values()):
            like = [str(found[name][0]) for name in names]
    return dict(zip(curves.values, looks(names, like), strict=True))


def _panels(
    facets: list[Dimension], ax: Axes | None, size: Size
) -> tuple[Axes | Panels, dict[tuple[Any, ...], Axes]]:
    """The axes, and those of each combination of the facets' values."""
    if not facets:
        own = _axes.one(ax, size)
        return own, {(): own}
    if len(facets) == 1:
        axes = _axes.panels(len(facets[0].values), size)
        return axes, {(value,): axes.flat[n] for n, value in enumerate(facets[0].values)}
    across, down = facets
    axes = _axes.panels(len(across.values) * len(down.values), size, columns=len(across.values))
    return axes, {
        (one, other): axes[row, column]
        for column, one in enumerate(across.values)
        for row, other in enumerate(down.values)
    }


def _of_panel(
    means: dict[tuple[Any, ...], _means.Mean],
    place: tuple[Any, ...],
    curves: Dimension | None,
    along: Dimension,
) -> dict[Any, list[tuple[Any, _means.Mean]]]:
    """The points of each curve of a panel, by growing x."""
    series: dict[Any, list[tuple[Any, _means.Mean]]] = {}
    for key, mean in means.items():
        if key[: len(place)] != place or key[-1] is None:
            continue
        series.setdefault(key[len(place)] if curves else None, []).append((key[-1], mean))
    for points in series.values():
        points.sort(key=lambda point: along.values.index(point[0]))
    return series


def _title(facets: list[Dimension], place: tuple[Any, ...]) -> str:
    named = [
        one.title(value) if one.is_text else f"{words(one.name)} {one.title(value)}"
        for one, value in zip(facets, place, strict=True)
    ]
    return ", ".join(named)


def _labels(
    axes: Axes | Panels,
    grid: dict[tuple[Any, ...], Axes],
    along: Dimension,
    y_label: str,
    in_panels: bool,
) -> None:
    if in_panels and not isinstance(axes, Axes):
        figure = axes.flat[0].get_figure(root=True)
        figure.supxlabel(plain(along.label))
        figure.supylabel(plain(y_label))
        return
    for own in grid.values():
        _axes.labels(own, along.label, y_label)
