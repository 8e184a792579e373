"""Curves over time: windows, rates, queues, round-trip times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from . import _axes
from ._axes import Panels
from ._columns import Columns, Numbers, is_table, nearest, read
from ._decimate import decimated, in_order
from ._size import Size
from ._style import SOLID, Look, looks, style
from ._words import QUANTITIES, plain, scale


def windows(
    runs: Any,
    flows: str | Sequence[str] | None = None,
    *,
    threshold: bool = False,
    seed: int | None = None,
    between: tuple[float, float] | None = None,
    facet: bool = False,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes | Panels:
    """Congestion windows over time, without the inflation of a recovery.

    At most four points per 1/300 inch of width are drawn: the first, the last, the least and the
    greatest, so no peak is lost. Cut out a part with `between` to see more of it.

    Args:
        runs: A result of `dumbbell.run` with samples, or a table of samples.
        flows: Names of flows; without them, all.
        threshold: Whether slow-start thresholds are drawn, too.
        seed: Which of several runs; without it, the first.
        between: A part of the time, in seconds.
        facet: Whether each has a panel of its own; an array of Axes is returned then.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    more = ["ssthresh"] if threshold else []
    return _over_time(runs, ["cwnd", *more], flows, seed, between, facet, ax, size)


def rtt(
    runs: Any,
    flows: str | Sequence[str] | None = None,
    *,
    seed: int | None = None,
    between: tuple[float, float] | None = None,
    facet: bool = False,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes | Panels:
    """The newest round-trip time of each flow over time.

    Args:
        runs: A result of `dumbbell.run` with samples, or a table of samples.
        flows: Names of flows; without them, all.
        seed: Which of several runs; without it, the first.
        between: A part of the time, in seconds.
        facet: Whether each has a panel of its own; an array of Axes is returned then.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    return _over_time(runs, ["rtt"], flows, seed, between, facet, ax, size)


def queue(
    runs: Any,
    links: str | Sequence[str] | None = None,
    *,
    seed: int | None = None,
    between: tuple[float, float] | None = None,
    facet: bool = False,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes | Panels:
    """The packets in each queue between routers over time.

    Args:
        runs: A result of `dumbbell.run` with samples, or a table of samples.
        links: Names of directions of links; without them, those in which a packet ever waited.
        seed: Which of several runs; without it, the first.
        between: A part of the time, in seconds.
        facet: Whether each has a panel of its own; an array of Axes is returned then.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    return _over_time(runs, ["queue"], links, seed, between, facet, ax, size, used=links is None)


def throughput(
    runs: Any,
    flows: str | Sequence[str] | None = None,
    *,
    every: float | None = None,
    seed: int | None = None,
    between: tuple[float, float] | None = None,
    facet: bool = False,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes | Panels:
    """The rate of each flow at its receiver over time, as means over steps.

    Args:
        runs: A result of `dumbbell.run` with samples, or a table of samples.
        flows: Names of flows; without them, all.
        every: The length of a step in seconds; without it, a hundredth of the time, but at least
            one interval of the samples.
        seed: Which of several runs; without it, the first.
        between: A part of the time, in seconds.
        facet: Whether each has a panel of its own; an array of Axes is returned then.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    if every is not None and not 0 < every < float("inf"):
        raise ValueError(f"every = {every!r}: write a time in seconds, above 0")
    return _over_time(runs, ["rate"], flows, seed, between, facet, ax, size, every=every or 0.0)


def _over_time(
    runs: Any,
    quantities: list[str],
    subjects: str | Sequence[str] | None,
    seed: int | None,
    between: tuple[float, float] | None,
    facet: bool,
    ax: Axes | None,
    size: Size,
    *,
    used: bool = False,
    every: float | None = None,
) -> Axes | Panels:
    found = samples(runs, quantities[0], subjects, seed, between)
    series = found.series
    if used and len(series) > 1:
        series = {name: xy for name, xy in series.items() if xy[1].max(initial=0.0) > 1} or series
    if every is not None:
        series = {name: means_over(*xy, every) for name, xy in series.items()}
    text, unit = QUANTITIES[quantities[0]]
    largest = [float(y.max(initial=0.0)) for _, y in series.values()]
    shown = scale(unit, largest, text)
    given = looks(list(series), controls_of(runs, list(series)))
    if facet:
        # A curve alone needs no dashes.
        given = [replace(one, dash=SOLID) for one in given]
    with style():
        if facet:
            if ax is not None:
                raise ValueError("facet=True makes its own figure: leave ax out")
            axes = _axes.panels(len(series), size, columns=1, height=0.3)
            list_of_axes: list[Axes] = list(axes.flat)
        else:
            axes = _axes.one(ax, size)
            list_of_axes = [axes] * len(series)
        for own, one, (name, (x, y)) in zip(list_of_axes, given, series.items(), strict=True):
            _curve(
                own,
                one,
                x,
                y * shown.factor,
                name,
                stepped=every is not None,
                faint=len(series) > 4,
            )
            for extra in quantities[1:]:
                more = samples(runs, extra, [name], seed, between, must=False).series
                for x, y in more.values():
                    x, y = decimated(x, y, _axes.columns_of(own))
                    own.plot(
                        x,
                        y * shown.factor,
                        color=one.colour,
                        linewidth=0.6,
                        alpha=0.8,
                        linestyle=":",
                        drawstyle="steps-post",
                        label=f"_{name} {extra}",
                    )
            if facet:
                _axes.title(own, name)
        if facet:
            assert not isinstance(axes, Axes)
            figure = axes.flat[0].get_figure(root=True)
            figure.supxlabel("time (s)")
            figure.supylabel(shown.label(text))
        else:
            assert isinstance(axes, Axes)
            if _axes.has_own_x(axes):
                axes.set_xlabel("time (s)")
            axes.set_ylabel(shown.label(text))
            _axes.legend(axes, own=ax is None)
        for own in list_of_axes:
            own.margins(x=0)
            _axes.from_zero(own)
            if quantities[0] in ("cwnd", "queue"):
                own.yaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    return axes


def _curve(ax: Axes, one: Look, x: Numbers, y: Numbers, name: str, *, stepped: bool, faint: bool) -> None:
    x, y = decimated(x, y, _axes.columns_of(ax))
    ax.plot(
        x,
        y,
        color=one.colour,
        linestyle=one.dash,
        linewidth=0.8 if faint else 1.0,
        label=plain(name),
        drawstyle="steps-post" if stepped else "default",
    )


class Samples:
    """The samples of one quantity in one run: times and numbers of each flow or link."""

    def __init__(self, series: dict[str, tuple[Numbers, Numbers]], seed: int | None) -> None:
        self.series = series
        self.seed = seed


def samples(
    runs: Any,
    quantity: str,
    subjects: str | Sequence[str] | None = None,
    seed: int | None = None,
    between: tuple[float, float] | None = None,
    must: bool = True,
) -> Samples:
    """The samples of a quantity. Without any, a ValueError says which quantities there are."""
    columns = _samples(runs)
    if "seed" in columns:
        seeds = columns.values("seed")
        if seed is None and seeds:
            seed = seeds[0]
        if seed is not None:
            columns = columns.only({"seed": seed})
    elif seed is not None and seed != getattr(runs, "seeds", [seed])[0]:
        raise ValueError(
            f'these samples are of the first seed only: run with samples="all" to draw seed {seed}'
        )
    codes, quantities = columns.codes("quantity")
    if quantity not in quantities:
        if not must:
            return Samples({}, seed)
        near = nearest(quantity, quantities)
        raise ValueError(
            f"there are no samples of `{quantity}`{near}; the scenario's [probe] samples "
            f"{', '.join(quantities) or 'nothing'}"
        )
    columns = Columns(columns, np.flatnonzero(codes == quantities.index(quantity)))
    codes, names = columns.codes("subject")
    wanted = [subjects] if isinstance(subjects, str) else list(subjects or names)
    unknown = [name for name in wanted if name not in names]
    if unknown and must:
        near = nearest(str(unknown[0]), names)
        raise ValueError(
            f"there is no `{unknown[0]}` with samples of `{quantity}`"
            f"{near or ': there are ' + ', '.join(names)}"
        )
    time, value = columns.numbers("time_s"), columns.numbers("value")
    series = {}
    for name in wanted:
        rows = np.flatnonzero(codes == names.index(name)) if name in names else []
        x, y = in_order(time[rows], value[rows])
        if between is not None:
            x, y = _part(x, y, between)
        if len(x):
            series[name] = (x, y)
    if not series and must:
        raise ValueError(f"there are no samples of `{quantity}` between {between} s")
    return Samples(series, seed)


def _samples(runs: Any) -> Columns:
    columns = read(runs, "samples")
    for name in ("time_s", "subject", "quantity", "value"):
        columns.check(name)
    if len(columns) == 0:
        raise ValueError("this table of samples is empty")
    return columns


def _part(x: Numbers, y: Numbers, between: tuple[float, float]) -> tuple[Numbers, Numbers]:
    try:
        start, end = (float(each) for each in between)
    except (TypeError, ValueError):
        raise ValueError(f"between = {between!r}: write two times in seconds, (10, 20)") from None
    if not start < end:
        raise ValueError(f"between = {between!r}: the first time must be before the second")
    kept = slice(int(np.searchsorted(x, start)), int(np.searchsorted(x, end, side="right")))
    return x[kept], y[kept]


def means_over(x: Numbers, y: Numbers, every: float) -> tuple[Numbers, Numbers]:
    """Means over steps of about `every` seconds (0: a hundredth of the time).

    Each sample is the mean since the sample before. The points are the beginnings of the steps.
    """
    if len(x) < 2:
        return x, y
    gap = float(np.median(np.diff(x)))
    each = every or (x[-1] - x[0] + gap) / 100
    count = max(round(each / gap), 1) if gap > 0 else 1
    starts = np.arange(0, len(x), count)
    sizes = np.diff(np.append(starts, len(x)))
    means = np.add.reduceat(y, starts) / sizes
    # A sample is of the time before it; the end of the last step closes the curve.
    return np.append(x[starts] - gap, x[-1]), np.append(means, means[-1])


def controls_of(runs: Any, names: Sequence[str]) -> list[str] | None:
    """The controls of flows, where the result tells them."""
    if is_table(runs) or not hasattr(runs, "flows"):
        return None
    columns = read(runs, "flows")
    if "flow" not in columns or "control" not in columns:
        return None
    flows, flow_names = columns.codes("flow")
    controls, control_names = columns.codes("control")
    found = {}
    for place, name in enumerate(flow_names):
        rows = np.flatnonzero(flows == place)[:1]
        if len(rows) and controls[rows[0]] >= 0:
            found[name] = control_names[controls[rows[0]]]
    if not any(name in found for name in names):
        return None
    return [found.get(name, name) for name in names]
