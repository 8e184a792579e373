"""Tables for people: as text, and as HTML in a notebook."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import Any

from ._native import Column, Scenario, Table

_ROWS = 10
"""The number of rows that are shown."""
_COLUMNS = 9
"""The number of columns that are shown."""
_WIDTH = 120
"""The width of a table of text, in characters."""
_WORD = 40
"""The longest text in a cell, in characters."""


def text(table: Table) -> str:
    """The first rows and columns as a table of text."""
    columns = []
    width = 0
    for name in table.columns[:_COLUMNS]:
        # Iterating over a column would make a list of all its values.
        column = table[name]
        values = [_short(column[row]) for row in range(min(len(column), _ROWS))]
        cells = [name, _unit(table, name), *values]
        needs = max(len(cell) for cell in cells)
        width += needs + 2
        if width > _WIDTH and columns:
            break
        columns.append([cell.rjust(needs) for cell in cells])
    lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
    return "\n".join([*lines, *_rest(table, len(columns))])


def html(table: Table) -> str:
    """The first rows and columns as a table of HTML."""
    names = table.columns[:_COLUMNS]
    about = table.about
    heads = "".join(
        f'<th title="{escape(about[name])}">{escape(name)}<br><small>{escape(unit)}</small></th>'
        for name in names
        for unit in [_unit(table, name)]
    )
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(_short(row[name]))}</td>" for name in names) + "</tr>"
        for row in islice(table.rows(), _ROWS)
    )
    rest = "".join(f"<p><small>{escape(line)}</small></p>" for line in _rest(table, len(names)))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def column(values: Column) -> str:
    """The first values of a column."""
    first = ", ".join(_short(value) for value in islice(values, _ROWS))
    unit = f" in {values.unit}" if values.unit else ""
    rest = ", ..." if len(values) > _ROWS else ""
    return f"<{values.name}{unit}, {len(values)} value{'s' if len(values) != 1 else ''}: {first}{rest}>"


def scenario(shown: Scenario) -> str:
    """A scenario in a line."""
    flows = shown.flows
    names = ", ".join(flows[:_ROWS]) + (", ..." if len(flows) > _ROWS else "")
    what = f"{len(flows)} flow{'s' if len(flows) != 1 else ''}"
    return f"<scenario {shown.name}: {shown.duration:g} s, {what}: {names}>"


def scenario_html(shown: Scenario) -> str:
    """A scenario as its file."""
    return f"<p>{escape(scenario(shown)[1:-1])}</p><pre>{escape(shown.to_toml())}</pre>"


def _unit(table: Table, name: str) -> str:
    return table.units[name] or ""


def _rest(table: Table, shown: int) -> list[str]:
    rows, columns = len(table), len(table.columns)
    more = []
    if rows > _ROWS:
        more.append(f"{rows - _ROWS} more rows")
    if columns > shown:
        more.append(f"{columns - shown} more columns")
    return [f"... and {' and '.join(more)}"] if more else []


def _short(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 or abs(value) >= 1e15 else f"{value:.0f}"
    word = str(value)
    return word if len(word) <= _WORD else word[: _WORD - 3] + "..."
