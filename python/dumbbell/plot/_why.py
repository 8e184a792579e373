"""Why windows were cut: the reductions of a run on its curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from . import _axes
from ._columns import Columns, nearest, read
from ._decimate import decimated
from ._size import Size
from ._style import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, style
from ._time import _part, samples
from ._words import QUANTITIES, plain

# The branches that controls have in common keep their marks in all figures.
_MARKS = {
    "random loss": (BLUE, "v"),
    "congestion": (VERMILION, "X"),
    "timeout": (INK, "s"),
    "loss": (ORANGE, "v"),
}
_MORE = ((GREEN, "D"), (PURPLE, "P"), (SKY, "<"), (GREEN, ">"), (PURPLE, "p"), (SKY, "h"))


def why(
    explanation: Any,
    runs: Any = None,
    flow: str | None = None,
    *,
    between: tuple[float, float] | None = None,
    ax: Axes | None = None,
    size: Size = "one",
) -> Axes:
    """Why a window was reduced: a mark at each reduction, by the rule that was taken.

    Args:
        explanation: A result of `dumbbell.explain`, or its table.
        runs: The result of the same scenario and seed, whose samples make the curve. Without it,
            lines join the windows after one reduction and before the next.
        flow: The flow; without it, the first.
        between: A part of the time, in seconds.
        ax: Axes to draw into; without it, a new figure.
        size: The width of a new figure: `"one"` or `"two"` columns (`SIZES`), inches, or a pair of
            width and height in inches.
    """
    columns = read(explanation, ("steps", "events"))
    # The command's lines of JSON call it `branch`.
    rule = "branch" if "branch" in columns else "rule"
    for name in ("time_s", rule, "cwnd_before", "cwnd_after"):
        columns.check(name)
    key = "name" if "name" in columns else "flow"
    flows = columns.values(key)
    if not flows:
        raise ValueError("nothing was reduced: this explanation is empty")
    flow = flow if flow is not None else str(flows[0])
    if flow not in [str(each) for each in flows]:
        near = nearest(flow, map(str, flows))
        raise ValueError(f"no flow `{flow}`{near or ': there are ' + ', '.join(map(str, flows))}")
    columns = columns.only({key: next(each for each in flows if str(each) == flow)})
    cuts = _reductions(columns)
    if between is not None:
        rows = _rows_between(cuts.numbers("time_s"), between)
        cuts = Columns(cuts, rows)
    time, before, after = (cuts.numbers(name) for name in ("time_s", "cwnd_before", "cwnd_after"))
    if runs is None:
        x, y = np.repeat(time, 2), np.column_stack([before, after]).ravel()
    else:
        x, y = samples(runs, "cwnd", [flow], between=between).series[flow]
    with style():
        ours = ax is None
        ax = _axes.one(ax, size)
        x, y = decimated(x, y, _axes.columns_of(ax))
        ax.plot(x, y, color="#8A8A8A", linewidth=0.8, label=f"_{flow}", zorder=2)
        codes, branches = cuts.codes(rule)
        spare = iter(_MORE * 3)
        for place, branch in enumerate(branches):
            colour, marker = _MARKS.get(branch) or next(spare, (INK, "o"))
            rows = codes == place
            ax.vlines(
                time[rows],
                after[rows],
                before[rows],
                color=colour,
                linewidth=0.7,
                zorder=2.5,
                label="_cut",
            )
            ax.plot(
                time[rows],
                before[rows],
                linestyle="none",
                marker=marker,
                markersize=4,
                color=colour,
                markeredgecolor="white",
                label=plain(f"{branch} ({rows.sum()})"),
                zorder=3,
            )
        _, unit = QUANTITIES["cwnd"]
        _axes.labels(ax, "time (s)", f"window of {flow} ({unit})")
        ax.margins(x=0.01)
        _axes.from_zero(ax)
        handles, _ = ax.get_legend_handles_labels()
        _axes.legend(ax, handles, own=ours, title="reductions by rule")
    return ax


def _reductions(columns: Columns) -> Columns:
    if "kind" in columns:
        kinds: Sequence[Any] = columns.values("kind")
        if "reduction" not in kinds:
            raise ValueError("no window was reduced here")
        return columns.only({"kind": "reduction"})
    lower = columns.numbers("cwnd_after") < columns.numbers("cwnd_before")
    return Columns(columns, np.flatnonzero(lower))


def _rows_between(time: Any, between: tuple[float, float]) -> Any:
    order = np.arange(len(time), dtype=float)
    _part(np.array([0.0, 1.0]), np.array([0.0, 1.0]), between)
    rows = order[(time >= between[0]) & (time <= between[1])].astype(np.int64)
    if not len(rows):
        raise ValueError(f"no window was reduced between {between[0]} and {between[1]} s")
    return rows
