"""Axes: figures of their own, labels, legends, and panels."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from ._decimate import COLUMNS_PER_INCH
from ._size import GOLDEN, WIDE, Size, inches
from ._style import style
from ._words import number, plain

LINE = 0.14
"""The height of a line of a legend or a title, in inches."""

LETTER = 0.056
"""The mean width of a letter, in inches."""

MOST_PANELS = 100
"""More panels than this are refused."""

Panels = NDArray[Any]
"""An array of Axes."""


class Paper(Figure):
    """A figure that is saved in the style in which it was drawn, with its fonts embedded."""

    per_inch = COLUMNS_PER_INCH
    """The columns of a curve over time, per inch of its width."""

    grows = False
    """Whether a long legend makes it higher: not if its height was asked for."""

    def savefig(self, fname: Any, **options: Any) -> Any:  # type: ignore[override]
        """Saves the figure as `matplotlib.figure.Figure.savefig` does."""
        with style():
            return super().savefig(fname, **options)


def panels(
    count: int,
    size: Size,
    *,
    columns: int | None = None,
    height: float | None = None,
    share_x: bool = True,
    share_y: bool = True,
) -> Panels:
    """A new figure with so many panels, in an array of one row and column or more.

    `height` is that of a panel as a part of its width; places that are left over are empty.
    """
    if count > MOST_PANELS:
        raise ValueError(
            f"{count} panels cannot be read: choose at most {MOST_PANELS} values with where={{...}}"
        )
    wide = inches(size, 1.0)[0]
    if columns is None:
        columns = _columns(count, max(1, round(wide / 1.75)))
    rows = math.ceil(count / columns)
    # Narrow panels are higher, and those of a whole page lower.
    part = height or (0.8 if wide / columns < 2.5 else GOLDEN if wide / columns < 5 else WIDE)
    grows = not isinstance(size, tuple)
    size = size if isinstance(size, tuple) else (wide, wide / columns * part * rows + 0.35)
    figure = _figure(inches(size, part), grows)
    axes = figure.subplots(rows, columns, sharex=share_x, sharey=share_y, squeeze=False)
    for ax in axes.flat[count:]:
        ax.set_visible(False)
    # The panels above an empty place have the labels of the axis.
    for ax in axes.flat[max(count - columns, 0) : count]:
        ax.tick_params(labelbottom=True)
    return axes


def _columns(count: int, most: int) -> int:
    """At most so many columns, with few empty places."""
    if count <= most:
        return count
    # Among equally full arrangements, the one with more columns.
    return min(range(max(2, most - 1), most + 1), key=lambda n: (-count % n, -n))


def one(ax: Axes | None, size: Size, height: float = GOLDEN) -> Axes:
    """The given Axes, or those of a new figure."""
    if ax is not None:
        if not isinstance(ax, Axes):
            raise TypeError(f"ax is a {type(ax).__name__}: pass matplotlib Axes, or nothing")
        return ax
    high = height if inches(size, 1.0)[0] < 5 else height * WIDE / GOLDEN
    return _figure(inches(size, high), not isinstance(size, tuple)).subplots()


def _figure(size: tuple[float, float], grows: bool) -> Paper:
    figure = plt.figure(figsize=size, FigureClass=Paper)
    assert isinstance(figure, Paper)
    figure.grows = grows
    return figure


def has_own_x(ax: Axes) -> bool:
    """Whether its horizontal axis has labels: not if it is that of the Axes below."""
    grid = ax.get_subplotspec()
    shared = len(ax.get_shared_x_axes().get_siblings(ax)) > 1
    return grid is None or not shared or grid.is_last_row()


def wrapped(text: str, wide: float) -> str:
    """A text in lines that fit into a width in inches."""
    lines = textwrap.wrap(text, max(int(wide / LETTER), 8))
    return "\n".join(lines) if lines else text


def labels(ax: Axes, x: str, y: str) -> None:
    """The labels of the axes, in lines that fit."""
    figure = ax.get_figure(root=True)
    high = float(figure.get_size_inches()[1]) if figure is not None else 4.0
    grid = ax.get_subplotspec()
    rows = grid.get_gridspec().nrows if grid is not None else 1
    ax.set_xlabel(wrapped(plain(x), 0.85 * inches_of(ax)))
    ax.set_ylabel(wrapped(plain(y), 0.85 * high / rows))


def title(ax: Axes, text: str) -> None:
    """The title of a panel, in lines that fit."""
    ax.set_title(wrapped(plain(text), 0.85 * inches_of(ax)))


def columns_of(ax: Axes) -> int:
    """The number of columns that a curve over time keeps."""
    figure = ax.get_figure(root=True)
    wide = figure.get_size_inches()[0] if figure is not None else 7.0
    return max(int(wide * getattr(figure, "per_inch", COLUMNS_PER_INCH)), 100)


def legend(
    axes: Axes | Panels,
    handles: Sequence[Any] | None = None,
    *,
    own: bool,
    title: str | None = None,
) -> None:
    """A legend above the axes if the figure is our own, else inside them.

    A curve alone needs none.
    """
    first = axes if isinstance(axes, Axes) else axes.flat[0]
    found, names = first.get_legend_handles_labels()
    if handles is not None:
        found, names = list(handles), [str(handle.get_label()) for handle in handles]
    if not found or (len(found) == 1 and not title):
        return
    if not own:
        first.legend(found, names, title=title)
        return
    figure = first.get_figure(root=True)
    assert figure is not None
    wide, high = figure.get_size_inches()
    texts = [*names, *([title] if title else [])]
    names = [wrapped(name, wide - 0.6) for name in names]
    columns = fitting([name.partition("\n")[0] for name in texts], wide, len(names))
    if getattr(figure, "grows", False):
        # The legend's rows come on top, so that the panels stay as high as they are.
        rows = math.ceil(len(names) / columns) + bool(title) + sum(n.count("\n") for n in names)
        figure.set_size_inches(wide, high + LINE * (rows - 1))
    figure.legend(found, names, loc="outside upper left", title=title, alignment="left", ncols=columns)


def fitting(names: Sequence[str], wide: float, most: int) -> int:
    """The columns of a legend that fit into a width in inches, in rows of equal length."""
    # A letter of 7 points is about 3.7 points wide; its line, the space around it and the space
    # between columns take about 34.
    entry = (max(len(name) for name in names) * 3.7 + 34) / 72
    columns = max(1, min(most, int((wide - 0.1) / entry)))
    return math.ceil(most / math.ceil(most / columns))


def logarithmic(ax: Axes, which: str, values: Sequence[float]) -> None:
    """A logarithmic axis, with as many numbers as there is room for."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    (ax.set_xscale if which == "x" else ax.set_yscale)("log")
    places = sorted({float(value) for value in values})
    decades = math.log10(places[-1] / places[0]) if places and places[0] > 0 else 0.0
    # Where there is room, 2 and 5 or 3 of each power of ten are labelled, too.
    room = inches_of(ax) if which == "x" else 2.0
    if decades < 1.6 * min(room / 2.0, 1.0):
        axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    elif decades < 3 * min(room / 2.5, 1.0):
        axis.set_major_locator(LogLocator(base=10, subs=(1.0, 3.0)))
    else:
        axis.set_major_locator(LogLocator(base=10, numticks=max(round(room * 3), 3)))
    axis.set_minor_locator(LogLocator(base=10, subs=tuple(map(float, range(2, 10))), numticks=60))
    axis.set_major_formatter(FuncFormatter(lambda value, _place: _power(value)))
    axis.set_minor_formatter(NullFormatter())


def inches_of(ax: Axes) -> float:
    """The width of a panel."""
    figure = ax.get_figure(root=True)
    wide = float(figure.get_size_inches()[0]) if figure is not None else 7.0
    grid = ax.get_subplotspec()
    return wide / (grid.get_gridspec().ncols if grid is not None else 1)


def _power(value: float) -> str:
    if value <= 0 or 1e-4 <= value < 1e5:
        return f"{value:g}"
    power = math.floor(math.log10(value) + 1e-9)
    digit = round(value / 10**power)
    ten = "10" + str(power).translate(_RAISED)
    return ten if digit == 1 else f"{digit}\N{MIDDLE DOT}{ten}"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def categories(ax: Axes, names: Sequence[str], which: str = "x") -> None:
    """An axis of names, at 0, 1, 2 and so on."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(FixedLocator(list(range(len(names)))))
    axis.set_major_formatter(
        FuncFormatter(
            lambda value, _place: plain(names[round(value)]) if 0 <= round(value) < len(names) else ""
        )
    )
    axis.grid(False)
    if which == "x":
        ax.set_xlim(-0.5, len(names) - 0.5)
        if sum(len(name) for name in names) * 0.062 > 0.8 * inches_of(ax):
            ax.tick_params(axis="x", labelrotation=40)
            for label in ax.get_xticklabels():
                label.set_horizontalalignment("right")
                label.set_rotation_mode("anchor")


def from_zero(ax: Axes) -> None:
    """Lets a linear vertical axis begin at 0 if nothing lies below."""
    if ax.get_yscale() == "linear" and ax.dataLim.y0 >= 0:
        # Panels with a common axis: it is as high as the highest needs.
        before = ax.get_ylim()[1] if not ax.get_autoscaley_on() else 0.0
        ax.set_ylim(0.0, max(before, ax.dataLim.y1 * 1.05) or 1.0)


def shown(value: Any, factor: float = 1.0) -> str:
    """A value as the name of a curve or a panel."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else number(value * factor)
