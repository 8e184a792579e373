"""Fewer points for the same picture."""

from __future__ import annotations

import numpy as np

from ._columns import Numbers

COLUMNS_PER_INCH = 300
"""The columns of a curve over time per inch of its figure's width: the pixels of print."""


def decimated(x: Numbers, y: Numbers, columns: int) -> tuple[Numbers, Numbers]:
    """At most four points of each of so many columns of equal width.

    They are the first, the last, and those with the least and the greatest y. The line through them
    covers the same pixels as the line through all points, as far as columns are not wider than
    pixels. `x` must not decrease.
    """
    if len(x) <= 4 * columns:
        return x, y
    edges = np.linspace(x[0], x[-1], columns + 1)[1:-1]
    starts = np.unique(np.concatenate([[0], np.searchsorted(x, edges, side="left")]))
    starts = starts[starts < len(x)]
    ends = np.append(starts[1:], len(x))
    kept = np.empty((len(starts), 4), dtype=np.int64)
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        part = y[start:end]
        kept[row] = start, start + part.argmin(), start + part.argmax(), end - 1
    kept.sort(axis=1)
    places = np.unique(kept)
    return x[places], y[places]


def in_order(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """The points that have both numbers, by growing x."""
    there = np.isfinite(x) & np.isfinite(y)
    if not there.all():
        x, y = x[there], y[there]
    if len(x) > 1 and (x[1:] < x[:-1]).any():
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
    return x, y
