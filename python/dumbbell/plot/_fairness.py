"""Fairness: Jain's index over time, and what each flow got."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from . import _axes, _means
from ._columns import Numbers, read
from ._size import Size
from ._style import INK, looks, style
from ._time import samples
from ._words import plain, scale, words


def fairness(
    runs: Any,
    flows: str | Sequence[str] | None = None,
    *,
    every: float | None = None,
    seed: int | None = None,
    between: tuple[float, float] | None = None,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes:
    """Jain's index of the flows' rates over time: 1 if all are equal, 1/n if one of n has all.

    A flow counts while it has samples of its rate. Over a short time, rates are less equal than
    over a long one, so say how long `every` is.

    Args:
        runs: A result of `dumbbell.run` with samples, or a table of samples.
        flows: Names of flows; without them, all.
        every: The length of a step in seconds; without it, a hundredth of the time, but at least
            one interval of the samples.
        seed: Which of several runs; without it, the first.
        between: A part of the time, in seconds.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    if every is not None and not 0 < every < float("inf"):
        raise ValueError(f"every = {every!r}: write a time in seconds, above 0")
    series = samples(runs, "rate", flows, seed, between).series
    if len(series) < 2:
        raise ValueError("Jain's index compares flows: there is only one with samples of its rate")
    edges, index = over_time(list(series.values()), every or 0.0)
    with style():
        ax = _axes.one(ax, size, 0.5)
        ax.plot(
            edges,
            np.append(index, index[-1:]),
            color=INK,
            linewidth=1.0,
            drawstyle="steps-post",
            label="Jain's index",
        )
        ax.axhline(1 / len(series), color=INK, linewidth=0.6, linestyle=":")
        ax.annotate(
            f"1/{len(series)}: one flow has all",
            (1, 1 / len(series)),
            (-2, 2),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            fontsize=6.5,
        )
        ax.set_ylim(0.0, 1.02)
        ax.margins(x=0)
        ax.set_xlabel("time (s)")
        ax.set_ylabel(f"Jain's index of {len(series)} flows")
    return ax


def over_time(series: list[tuple[Numbers, Numbers]], every: float) -> tuple[Numbers, Numbers]:
    """The edges of steps of `every` seconds, and Jain's index in each of them.

    It is of the mean rates of the flows that have samples there, and NaN where none has a rate.
    """
    gap = min(float(np.median(np.diff(x))) if len(x) > 1 else np.inf for x, _ in series)
    start, end = min(x[0] for x, _ in series) - gap, max(x[-1] for x, _ in series)
    if not np.isfinite(start):
        raise ValueError("there are too few samples of the rate")
    each = max(every or (end - start) / 100, gap)
    steps = max(int(np.ceil((end - start) / each - 1e-9)), 1)
    edges = start + each * np.arange(steps + 1)
    edges[-1] = end
    sums, squares, count = np.zeros(steps), np.zeros(steps), np.zeros(steps)
    for x, y in series:
        # A sample is of the time before it, so one at an edge belongs to the step that ends there.
        places = np.clip(np.searchsorted(edges, x - 1e-9 * each, side="right") - 1, 0, steps - 1)
        number = np.bincount(places, minlength=steps)
        with np.errstate(invalid="ignore"):
            mean = np.where(number > 0, np.bincount(places, y, minlength=steps) / number, 0.0)
        sums += mean
        squares += mean**2
        count += number > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return edges, np.where(squares > 0, sums**2 / (count * squares), np.nan)


def shares(
    runs: Any,
    *,
    y: str = "goodput",
    where: dict[str, Any] | None = None,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes:
    """What each flow got: means over the runs with 95 % intervals, and the mean of all flows.

    The mean of all flows, a line, is the fair share.

    Args:
        runs: A result of `dumbbell.run`, or its table of flows.
        y: The measure, a column of the table.
        where: Values of columns, to choose rows.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    columns = read(runs, "flows")
    columns = columns.only(where or {})
    columns.check("flow")
    found = _means.by(columns, ["flow"], y)
    if not found:
        raise ValueError(f"no flow has a number in `{y}`")
    names = [str(name) for (name,) in found]
    controls = None
    if "control" in columns:
        pairs = dict(_means.cells_of(columns, ["flow", "control"])[0])
        controls = [str(pairs.get(name, name)) for name in names]
    shown = scale(columns.unit(y), [each.mean for each in found.values()], words(y))
    with style():
        ax = _axes.one(ax, size)
        for place, (one, each) in enumerate(zip(looks(names, controls), found.values(), strict=True)):
            ax.errorbar(
                [place],
                [each.mean * shown.factor],
                yerr=None if np.isnan(each.half) else [each.half * shown.factor],
                color=one.colour,
                marker=one.marker,
                capsize=2,
                linestyle="none",
                label=plain(names[place]),
            )
        fair = float(np.mean([each.mean for each in found.values()])) * shown.factor
        ax.axhline(fair, color=INK, linewidth=0.6, linestyle="--")
        ax.annotate(
            "fair share",
            (1, fair),
            (-2, 2),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            fontsize=6.5,
        )
        _axes.categories(ax, names)
        ax.set_ylabel(plain(shown.label(words(y))))
        _axes.from_zero(ax)
    return ax
