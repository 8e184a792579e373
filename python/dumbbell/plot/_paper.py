"""The papers' figures, from a reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from . import _axes, _means
from ._axes import Panels
from ._columns import Columns, nearest, read
from ._decimate import decimated
from ._size import Size
from ._style import INK, MAP_COLOURS, Look, looks, style

MOST_INTERVALS = 100
"""A curve with more points is a curve over time, and is drawn without markers and bars."""


def figure(
    reproduction: Any, name: str | None = None, *, panel: str | None = None, printed: bool = True,
    ax: Axes | None = None, size: Size = "one",
) -> Axes | Panels:
    """A figure of a paper as it was reproduced: its curves with 95 % intervals.

    `reproduction` is a result of `dumbbell.reproduce`, or its table of figures; `name` is that of a
    figure, such as ``"venodb-fig2"`` (without it, the first), and `panel` one of its drawings. Where
    a claim has a printed number for a place, a hollow marker shows it: for a gain, the number is that
    of the other curve as measured here, times the printed gain. ``printed=False`` leaves them out.
    Returns the Axes, or an array of them if the figure has several drawings.
    """
    columns = read(reproduction, "figures")
    for needed in ("figure", "mean"):
        columns.check(needed)
    names = [str(each) for each in columns.values("figure")]
    if not names:
        raise ValueError("this reproduction has no figures")
    name = names[0] if name is None else name
    if name not in names:
        near = nearest(name, names)
        raise ValueError(f"no figure `{name}`{near or ': there are ' + ', '.join(names)}")
    drawings = _drawings(columns.only({"figure": name}), panel)
    if ax is not None and len(drawings) > 1:
        drawings = drawings[:1]
    known = _printed(reproduction, name) if printed else []
    with style():
        if len(drawings) == 1:
            axes: Axes | Panels = _axes.one(ax, size)
            grid = [axes]
        else:
            axes = _axes.panels(len(drawings), size, share_x=False, share_y=False)
            grid = list(axes.flat)
        for own, drawing in zip(grid, drawings, strict=False):
            handles = drawing.draw(own, known)
            if len(drawings) > 1:
                own.set_title(drawing.title)
                own.set_ylabel(drawing.y_label)
        _axes.legend(axes, handles, own=ax is None)
    return axes


_SERIES = ("series", "curve")
