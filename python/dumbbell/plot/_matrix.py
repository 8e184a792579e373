"""The matrix of controls and paths as a table with a column for each measure."""

from __future__ import annotations

import math
from typing import Any

from . import _means
from ._columns import Columns

_NAMES = {"delay": "queueing"}


class Wide(dict[str, list[Any]]):
    """A row for each path and control, a column for each measure."""

    units: dict[str, str]
    halves: dict[tuple[str, str, str], float]
    """Half the width of the 95 % interval, by measure, path and control."""


def wide(matrix: Any) -> Wide:
    """The table that `dumbbell.matrix` has a row of for each measure, path and control."""
    columns = Columns(matrix)
    names = ("measure", "path", "control")
    for name in (*names, "mean", "low", "high"):
        columns.check(name)
    words = [[values[code] for code in codes] for codes, values in map(columns.codes, names)]
    numbers = [columns.numbers(name) for name in ("mean", "low", "high")]
    units = _units(columns)
    table = Wide(path=[], control=[])
    table.units, table.halves = {}, {}
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for measure, path, control, mean, low, high in zip(*words, *numbers, strict=True):
        name = _NAMES.get(str(measure), str(measure))
        if measure in units and path != "overall":
            table.units[name] = units[measure]
        rows.setdefault((path, control), {})[name] = float(mean)
        # Without an interval, both of its ends are the mean.
        half = float(high - low) / 2
        table.halves[name, path, control] = half if half > 0 else math.nan
    measures = list(dict.fromkeys(name for row in rows.values() for name in row))
    for (path, control), row in rows.items():
        table["path"].append(path)
        table["control"].append(control)
        for name in measures:
            table.setdefault(name, []).append(row.get(name, math.nan))
    return table


def means(table: Wide, columns: Columns, measure: str) -> dict[tuple[Any, ...], _means.Mean]:
    """The means of the controls on one path, with the intervals that the matrix has."""
    path = columns.values("path")[0]
    found = _means.by(columns, ["control"], measure)
    return {
        key: _means.Mean(one.mean, table.halves[measure, path, key[0]], one.runs)
        for key, one in found.items()
    }


def _units(columns: Columns) -> dict[str, str]:
    """The unit of each measure on a path."""
    if "unit" not in columns:
        return {}
    measures, names = columns.codes("measure")
    units, words = columns.codes("unit")
    pairs = {(names[one], words[other]) for one, other in zip(measures, units, strict=True) if other >= 0}
    return {name: unit for name, unit in pairs if unit != "of newreno"}
