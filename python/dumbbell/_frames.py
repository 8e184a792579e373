"""Tables as those of other libraries, and as CSV."""

from __future__ import annotations

import csv
import io
from os import PathLike
from typing import Any

from ._extras import needed
from ._native import Table


def to_pandas(table: Table) -> Any:
    """A `pandas.DataFrame`; the units are in its `attrs`."""
    arrow = to_arrow(table)
    frame = arrow.to_pandas()
    frame.attrs["units"] = table.units
    return frame


def to_polars(table: Table) -> Any:
    """A `polars.DataFrame`, which reads the table's memory without a copy."""
    return needed("polars", "frames", "to_polars").DataFrame(table)


def to_arrow(table: Table) -> Any:
    """A `pyarrow.Table`, which reads the table's memory without a copy."""
    return needed("pyarrow", "frames", "a pandas or Arrow table").table(table)


def to_csv(table: Table, path: str | PathLike[str] | None = None) -> str | None:
    """Writes a table as CSV: to a file, or as the string that is returned."""
    if path is None:
        text = io.StringIO(newline="")
        _write(table, text)
        return text.getvalue()
    with open(path, "w", encoding="utf-8", newline="") as file:
        _write(table, file)
    return None


def _write(table: Table, out: Any) -> None:
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(table.columns)
    columns = [table[name].to_list() for name in table.columns]
    for row in zip(*columns, strict=True):
        lines.writerow(["" if it is None else _plain(it) for it in row])


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
