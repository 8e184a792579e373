"""Tables for people: as text, and as HTML in a notebook."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import Any

from ._native import Table

_ROWS = 10
"""The number of rows that are shown."""
_COLUMNS = 9
"""The number of columns that are shown."""


def text(table: Table) -> str:
    """The first rows and columns as a table of text."""
    names = table.columns[:_COLUMNS]
    cells = [names, [_unit(table, name) for name in names]]
    cells += [[_short(row[name]) for name in names] for row in islice(table.rows(), _ROWS)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    lines = ["  ".join(it.rjust(w) for it, w in zip(row, widths, strict=True)) for row in cells]
    return "\n".join(line.rstrip() for line in [*lines, *_rest(table)])


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
    rest = "".join(f"<p><small>{escape(line)}</small></p>" for line in _rest(table))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def _unit(table: Table, name: str) -> str:
    return table.units[name] or ""


def _rest(table: Table) -> list[str]:
    rows, columns = len(table), len(table.columns)
    more = []
    if rows > _ROWS:
        more.append(f"{rows - _ROWS} more rows")
    if columns > _COLUMNS:
        more.append(f"{columns - _COLUMNS} more columns")
    return [f"... and {' and '.join(more)}"] if more else []


def _short(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 or abs(value) >= 1e15 else f"{value:.0f}"
    return str(value)
