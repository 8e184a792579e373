"""Tables as columns: those of the library, of pandas, polars and pyarrow, and mappings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._words import UNITS

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]


def read(source: Any, table: str | Sequence[str]) -> Columns:
    """The columns of `source`, if it is a table, or else of its table of this name.

    Of several names, it is the first that it has.
    """
    if is_table(source):
        return Columns(source)
    names = [table] if isinstance(table, str) else list(table)
    for name in names:
        found = _table(source, name)
        if found is not None:
            return Columns(found)
    words = " or ".join(f"`{name}`" for name in names)
    if names == ["samples"] and hasattr(source, "samples"):
        raise ValueError('these runs have no samples: run them with samples="first", the default, or "all"')
    raise TypeError(
        f"a {type(source).__name__} has no table {words}: pass a result of dumbbell.run or "
        "dumbbell.sweep, one of its tables, a frame of pandas or polars, or a mapping of columns"
    )


def _table(source: Any, name: str) -> Any:
    """The table of a result, if it has been made: a sweep may have none of flows."""
    try:
        found = getattr(source, name, None)
    except RuntimeError:
        return None
    return found if found is not None and is_table(found) else None


def is_table(source: Any) -> bool:
    """Whether it has named columns."""
    if isinstance(source, Mapping | Columns):
        return True
    has_names = hasattr(source, "columns") or hasattr(source, "column_names")
    return has_names and hasattr(source, "__getitem__") and not isinstance(source, type)


def nearest(name: str, names: Iterable[str]) -> str:
    """`: did you mean ...?`, if one of the names is near, or nothing."""
    names = [str(each) for each in names]
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    # A part of a path is near, too: `loss` for `bottleneck.loss.bernoulli`.
    near = near or [each for each in names if name and name.lower() in each.lower()][:1]
    return f": did you mean `{near[0]}`?" if near else ""


class Columns:
    """A table as columns that are converted when they are used, and then kept."""

    def __init__(self, source: Any, rows: Codes | None = None) -> None:
        if isinstance(source, Columns):
            base, before = source._base, source._rows
            rows = before if rows is None else rows if before is None else before[rows]
        else:
            base = _Base(source)
        self._base = base
        self._rows = rows

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self._base.names

    def __len__(self) -> int:
        return self._base.length() if self._rows is None else len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._base.names

    def unit(self, name: str) -> str | None:
        """The unit of a column, if it has one."""
        self.check(name)
        return self._base.units.get(name) or UNITS.get(name)

    def check(self, name: str) -> None:
        """Raises a ValueError that names the nearest column if there is none of this name."""
        if not isinstance(name, str):
            raise TypeError(f"a column is named by a text, not by {name!r}")
        if name not in self._base.names:
            near = nearest(name, self.names)
            known = "" if near else ": there are " + ", ".join(f"`{n}`" for n in self.names)
            raise ValueError(f"there is no column `{name}`{near or known}")

    def numbers(self, name: str) -> Numbers:
        """The numbers of a column, NaN where a row has none."""
        self.check(name)
        return _taken(self._base.numbers(name), self._rows)

    def is_text(self, name: str) -> bool:
        """Whether a column has words."""
        self.check(name)
        return self._base.is_text(name)

    def codes(self, name: str) -> tuple[Codes, list[Any]]:
        """The values of a column as positions in a list of its distinct values.

        Words are in the order of their first rows, numbers in their own. A row without a value has
        -1.
        """
        self.check(name)
        codes, values = self._base.codes(name)
        if self._rows is None:
            return codes, values
        codes = codes[self._rows]
        present = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
        if present.all():
            return codes, values
        new = np.concatenate([[-1], np.where(present, np.cumsum(present) - 1, -1)])
        return new[codes + 1], [each for each, there in zip(values, present, strict=True) if there]

    def values(self, name: str) -> list[Any]:
        """The distinct values of a column."""
        return self.codes(name)[1]

    def where(self, **equal: Any) -> Columns:
        """The rows with these values in these columns."""
        return self.only(equal)

    def only(self, equal: Mapping[str, Any]) -> Columns:
        """The rows with these values; several values are a list."""
        kept = np.ones(len(self), dtype=bool)
        for name, wanted in equal.items():
            codes, values = self.codes(name)
            several = isinstance(wanted, list | tuple | set | frozenset | range | np.ndarray)
            places = [_position(name, values, each) for each in (wanted if several else [wanted])]
            kept &= np.isin(codes, places)
        return Columns(self, np.flatnonzero(kept))


def _position(name: str, values: list[Any], wanted: Any) -> int:
    if isinstance(wanted, str) or not values or isinstance(values[0], str):
        if wanted in values:
            return values.index(wanted)
    elif isinstance(wanted, int | float | np.number):
        # Swept numbers are quotients and roots: what is printed is rarely all digits.
        near = np.isclose(np.asarray(values, float), float(wanted), rtol=1e-6, atol=0.0)
        if near.any():
            return int(np.flatnonzero(near)[0])
    shown = ", ".join(_shown(each) for each in values[:12]) + (", ..." if len(values) > 12 else "")
    near = nearest(wanted, map(str, values)) if isinstance(wanted, str) else ""
    raise ValueError(
        f"no row has {_shown(wanted)} in `{name}`{near or f': there are {shown}' if shown else ''}"
    )


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def _taken(values: Any, rows: Codes | None) -> Any:
    return values if rows is None else values[rows]


class _Base:
    """The table itself."""

    def __init__(self, source: Any) -> None:
        self.source = source
        if isinstance(source, Mapping):
            names = source.keys()
        elif hasattr(source, "column_names"):
            names = source.column_names
        else:
            names = source.columns
        self.names = [str(name) for name in names]
        self.units = _units(source)
        self._length: int | None = None
        self._numbers: dict[str, Numbers] = {}
        self._codes: dict[str, tuple[Codes, list[Any]]] = {}

    def length(self) -> int:
        if self._length is None:
            self._length = len(self.column(self.names[0])) if self.names else 0
        return self._length

    def column(self, name: str) -> Any:
        column = self.source[name]
        if isinstance(column, str) or not hasattr(column, "__len__"):
            raise TypeError(f"the column `{name}` is a {type(column).__name__}, not a list of values")
        if self._length is None:
            self._length = len(column)
        elif len(column) != self._length:
            raise ValueError(
                f"the columns have different lengths: `{name}` has {len(column)} values, and "
                f"`{self.names[0]}` {self._length}"
            )
        return column

    def is_text(self, name: str) -> bool:
        if name in self._numbers:
            return False
        if name in self._codes:
            values = self._codes[name][1]
            return bool(values) and isinstance(values[0], str)
        column = self.column(name)
        first = next((each for each in _pieces(column) if not _missing(each)), None)
        return isinstance(getattr(first, "as_py", lambda: first)(), str)

    def numbers(self, name: str) -> Numbers:
        if name not in self._numbers:
            column = self.column(name)
            if self.is_text(name):
                raise ValueError(f"the column `{name}` has words, and numbers are needed here")
            self._numbers[name] = _floats(name, column)
        return self._numbers[name]

    def codes(self, name: str) -> tuple[Codes, list[Any]]:
        if name not in self._codes:
            column = self.column(name)
            if self.is_text(name):
                self._codes[name] = _words(column)
            else:
                numbers = self.numbers(name)
                there = ~np.isnan(numbers)
                values, found = np.unique(numbers[there], return_inverse=True)
                codes = np.full(len(numbers), -1, dtype=np.int64)
                codes[there] = found
                self._codes[name] = codes, [_plain(value) for value in values]
        return self._codes[name]


def _units(source: Any) -> dict[str, str]:
    units = getattr(source, "units", None)
    if isinstance(units, Mapping):
        return {str(name): unit for name, unit in units.items() if unit}
    attributes = getattr(source, "attrs", None)
    if isinstance(attributes, Mapping) and isinstance(attributes.get("units"), Mapping):
        return dict(attributes["units"])
    found = {}
    schema = getattr(source, "schema", None)
    for field in schema if hasattr(source, "column_names") and schema is not None else ():
        unit = (getattr(field, "metadata", None) or {}).get(b"unit")
        if unit:
            found[field.name] = unit.decode()
    return found


def _pieces(column: Any) -> Iterable[Any]:
    """The values of a column, one by one, as long as they are asked for."""
    return (column[place] for place in range(len(column))) if not hasattr(column, "iloc") else iter(column)


def _missing(value: Any) -> bool:
    if value is None:
        return True
    if hasattr(value, "as_py"):
        return value.as_py() is None
    return bool(value != value)


def _floats(name: str, column: Any) -> Numbers:
    try:
        if hasattr(column, "iloc"):
            return column.to_numpy(dtype=float, na_value=np.nan)
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the column `{name}` has values that are no numbers: {error}") from None


def _words(column: Any) -> tuple[Codes, list[Any]]:
    if hasattr(column, "combine_chunks"):
        column = column.to_pylist()
    elif hasattr(column, "to_list"):
        column = column.to_list()
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(numbers.__getitem__, column), dtype=np.int64, count=len(column))
    values = list(numbers)
    gaps = [place for place, value in enumerate(values) if _missing(value)]
    if gaps:
        kept = np.ones(len(values), dtype=bool)
        kept[gaps] = False
        codes = np.where(kept, np.cumsum(kept) - 1, -1)[codes]
        values = [value for value, keep in zip(values, kept, strict=True) if keep]
    return codes, [str(value) for value in values]


def _plain(value: Any) -> Any:
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
