"""Distributions of delays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from . import _axes
from ._columns import Columns, Numbers, read
from ._size import Size
from ._style import looks, style
from ._time import controls_of, samples
from ._words import QUANTITIES, plain, scale, words

MOST_POINTS = 1000
"""A distribution is drawn by at most so many of its quantiles."""


def delay(
    runs: Any,
    flows: str | Sequence[str] | None = None,
    *,
    value: str = "rtt",
    tail: bool = False,
    seed: int | None = None,
    between: tuple[float, float] | None = None,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes:
    """The distribution of round-trip times: for each, the fraction of samples that were not longer.

    The samples of a run are taken at the probe's interval, so they count moments and not packets;
    the percentiles in `runs.flows` count packets.

    Args:
        runs: A result of `dumbbell.run` with samples, a table of samples, or any table with a
            column `value`, such as that of packets; its column `flow`, if it has one, makes the
            curves.
        flows: Names of flows; without them, all.
        value: The sampled quantity, or the column.
        tail: Whether the fraction that was longer is drawn instead, on a logarithmic axis.
        seed: Which of several runs; without it, the first.
        between: A part of the time, in seconds; of samples only.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    series = _series(runs, flows, value, seed, between)
    text, unit = QUANTITIES.get(value, (words(value), "s"))
    shown = scale(unit, [float(y[-1]) for y in series.values()])
    with style():
        ours = ax is None
        ax = _axes.one(ax, size)
        for one, (name, y) in zip(
            looks(list(series), controls_of(runs, list(series))), series.items(), strict=True
        ):
            delays, fraction = quantiles(y, tail)
            ax.plot(
                delays * shown.factor,
                fraction,
                color=one.colour,
                linestyle=one.dash,
                label=plain(name),
                drawstyle="steps-post",
            )
        ax.set_xlabel(plain(shown.label(text)))
        ax.set_ylabel("fraction that is longer" if tail else "fraction of samples")
        if tail:
            longest = max(len(y) for y in series.values())
            _axes.logarithmic(ax, "y", [1 / longest, 1.0])
        else:
            ax.set_ylim(0.0, 1.0)
        _axes.legend(ax, own=ours)
    return ax


def quantiles(y: Numbers, tail: bool = False) -> tuple[Numbers, Numbers]:
    """The distribution of sorted numbers, as the corners of its steps.

    Each number has the fraction of numbers that are not greater, or with `tail` of those that are.
    Of more than `MOST_POINTS` numbers there are evenly spaced quantiles and the ends; a tail has
    more of the greatest.
    """
    count = len(y)
    places = np.arange(count)
    if count > MOST_POINTS:
        if tail:
            # Evenly spaced in the logarithm of the fraction, as its axis is.
            ranks = np.geomspace(1, count, MOST_POINTS)
            places = np.unique(count - np.round(ranks).astype(np.int64))
        else:
            places = np.unique(np.linspace(0, count - 1, MOST_POINTS).round().astype(np.int64))
    upto = (places + 1) / count
    delays, fraction = y[places], (1.0 - upto if tail else upto)
    if tail:
        # Nothing is longer than the longest, and the axis has no 0.
        return delays[fraction > 0], fraction[fraction > 0]
    return np.concatenate([[delays[0]], delays]), np.concatenate([[0.0], fraction])


def _series(
    runs: Any,
    flows: str | Sequence[str] | None,
    value: str,
    seed: int | None,
    between: tuple[float, float] | None,
) -> dict[str, Numbers]:
    columns = read(runs, "samples")
    if "quantity" in columns:
        found = samples(runs, value, flows, seed, between).series
        return {name: np.sort(y) for name, (_, y) in found.items()}
    columns.check(value)
    if "flow" not in columns:
        return {words(value): _sorted(columns, value)}
    wanted = [flows] if isinstance(flows, str) else list(flows or columns.values("flow"))
    return {str(name): _sorted(columns.only({"flow": name}), value) for name in wanted}


def _sorted(columns: Columns, value: str) -> Numbers:
    numbers = columns.numbers(value)
    numbers = np.sort(numbers[np.isfinite(numbers)])
    if not len(numbers):
        raise ValueError(f"the column `{value}` has no numbers")
    return numbers
