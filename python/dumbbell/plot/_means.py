"""Means over runs with their 95 % intervals, as in the command's tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ._columns import Codes, Columns, Numbers


@dataclass(frozen=True)
class Mean:
    """The mean of some runs."""

    mean: float
    half: float
    """Half the width of the 95 % interval; NaN for a single run."""
    runs: int
    """The runs that have a value."""


def of(values: Sequence[float]) -> Mean | None:
    """The mean of these values, with its interval; None without values. NaN is no value."""
    there = [value for value in values if not math.isnan(value)]
    if not there:
        return None
    mean = math.fsum(there) / len(there)
    squares = math.fsum((value - mean) ** 2 for value in there)
    return Mean(mean, _half(squares, len(there)), len(there))


def by(columns: Columns, keys: Sequence[str], measure: str) -> dict[tuple[Any, ...], Mean]:
    """The mean of `measure` over the rows that agree in `keys`, under the values of the keys.

    A row without a value in a key has None there; keys without a value of the measure are left out.
    """
    values = columns.numbers(measure)
    cells, places = cells_of(columns, keys)
    there = ~np.isnan(values)
    values, places = values[there], places[there]
    counts = np.bincount(places, minlength=len(cells))
    sums = np.bincount(places, values, minlength=len(cells))
    with np.errstate(invalid="ignore"):
        means = sums / counts
    squares = np.bincount(places, (values - means[places]) ** 2, minlength=len(cells))
    return {
        cell: Mean(float(means[at]), _half(float(squares[at]), int(counts[at])), int(counts[at]))
        for at, cell in enumerate(cells)
        if counts[at] > 0
    }


def cells_of(columns: Columns, keys: Sequence[str]) -> tuple[list[tuple[Any, ...]], Codes]:
    """The distinct combinations of the keys' values, and the combination of each row.

    They are in the order of the keys' values: numbers in their own, words in that of their first
    rows.
    """
    whole = np.zeros(len(columns), dtype=np.int64)
    values: list[list[Any]] = []
    for key in keys:
        codes, distinct = columns.codes(key)
        # A row without a value comes last.
        codes = np.where(codes < 0, len(distinct), codes)
        values.append([*distinct, None])
        whole = whole * (len(distinct) + 1) + codes
        # Only combinations that exist are numbered, so that their number cannot overflow.
        seen, whole = np.unique(whole, return_inverse=True)
        if len(values) == 1:
            cells = [(values[0][at],) for at in seen]
        else:
            width = len(distinct) + 1
            cells = [(*cells[at // width], values[-1][at % width]) for at in seen]
    return (cells, whole) if keys else ([()], whole)


def halves(values: Numbers, axis: int = 0) -> Numbers:
    """Half the width of the 95 % interval of the mean along an axis; NaN is no value."""
    counts = np.sum(~np.isnan(values), axis=axis)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.nansum(values, axis=axis, keepdims=True) / np.expand_dims(counts, axis)
        squares = np.nansum((values - means) ** 2, axis=axis)
    flat = [_half(float(s), int(n)) for s, n in zip(squares.ravel(), counts.ravel(), strict=True)]
    return np.array(flat).reshape(counts.shape)


def _half(squares: float, count: int) -> float:
    if count < 2:
        return math.nan
    return student_t(count - 1) * math.sqrt(squares / (count - 1) / count)


@lru_cache(maxsize=1024)
def student_t(degrees: int) -> float:
    """The quantile of Student's distribution beyond which, on both sides together, are 5 %."""
    if degrees > 2000:
        # The first terms of its expansion around the normal distribution's quantile.
        z = 1.959963984540054
        return z + (z**3 + z) / (4 * degrees)
    low, high = 1.9, 12.8
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, degrees) < 0.95 else (low, middle)
    return (low + high) / 2


def _inside(t: float, degrees: int) -> float:
    """The probability of a value between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan2(t, math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    if degrees % 2 == 1:
        term, total = cosine, 0.0
        for k in range(1, degrees - 1, 2):
            total += term
            term *= cosine * cosine * (k + 1) / (k + 2)
        return 2 / math.pi * (angle + sine * total)
    term, total = 1.0, 0.0
    for k in range(0, degrees - 1, 2):
        total += term
        term *= cosine * cosine * (k + 1) / (k + 2)
    return sine * total
