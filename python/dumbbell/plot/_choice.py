"""What of a sweep's table is shown where: x, curves, panels, and what is left over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _means
from ._columns import Columns, is_table, nearest, read
from ._words import UNITS, is_spaced_by_ratios, path_unit, scale, words

TABLES = ("groups", "runs", "flows", "links")
_KEYS = ("group", "flow", "link", "control", "recovery")
# Columns that are neither swept nor a key, though they are not among the measures.
_NEITHER = {"seed", "flows", "completed", "packets"}


@dataclass(frozen=True)
class Dimension:
    """A column that distinguishes points."""

    name: str
    values: list[Any]
    unit: str | None
    is_text: bool

    @property
    def is_log(self) -> bool:
        """Whether it was swept in equal ratios."""
        return not self.is_text and is_spaced_by_ratios(self.values)

    @property
    def factor(self) -> float:
        """What its values are multiplied by to be shown."""
        return 1.0 if self.is_text else self._scale.factor

    @property
    def label(self) -> str:
        """Its label, with the unit."""
        return words(self.name) if self.is_text else self._scale.label(words(self.name))

    @property
    def _scale(self) -> Any:
        unit = None if self.unit == "fraction" else self.unit
        return scale(unit or path_unit(self.name), self.values, words(self.name))

    def title(self, value: Any) -> str:
        """One of its values, as the title of a panel or the name of a curve."""
        from ._axes import shown

        if self.is_text or value is None:
            return shown(value)
        unit = self._scale.unit
        return f"{shown(value, self.factor)} {unit}" if unit else shown(value, self.factor)


def table_of(source: Any, measure: str, table: str | None = None) -> Columns:
    """The table of a result that has this measure."""
    if is_table(source):
        columns = Columns(source)
        columns.check(measure)
        return columns
    if table is not None:
        if table not in TABLES:
            raise ValueError(f"table = {table!r}: write one of {', '.join(TABLES)}")
        columns = read(source, table)
        columns.check(measure)
        return columns
    known: list[str] = []
    for name in TABLES:
        try:
            columns = read(source, name)
        except TypeError:
            continue
        if measure in columns:
            return columns
        known += columns.names
    if not known:
        read(source, TABLES)
    near = nearest(measure, known)
    raise ValueError(f"no table of this result has a column `{measure}`{near}")


def paths_of(source: Any, columns: Columns) -> list[str]:
    """The swept paths: those that the result names, or else the columns that are no measure."""
    named = getattr(source, "paths", None)
    if not is_table(source) and named is not None:
        return [str(name) for name in named if str(name) in columns]
    if "seed" in columns:
        # The library's tables have the swept paths first.
        return columns.names[: columns.names.index("seed")]
    known = {*UNITS, *_KEYS, *_NEITHER}
    return [name for name in columns.names if name not in known and "." in name]


def dimension(columns: Columns, name: str) -> Dimension:
    """A column as a dimension."""
    return Dimension(name, columns.values(name), columns.unit(name), columns.is_text(name))


class LeftOver(ValueError):
    """A column varies and is shown nowhere."""

    def __init__(self, name: str, values: Sequence[Any]) -> None:
        self.name = name
        self.first = values[0]
        super().__init__(
            f"`{name}` has {len(values)} values that are not told apart here: draw a panel for "
            f"each with facet={name!r}, or choose one with where={{{name!r}: {values[0]!r}}}"
        )


@dataclass(frozen=True)
class Choice:
    """The columns that are shown, and the rows that they are of."""

    columns: Columns
    x: str | None
    by: str | None
    facets: list[str]

    @property
    def keys(self) -> list[str]:
        """All columns that are shown."""
        return [key for key in (*self.facets, self.by, self.x) if key is not None]


def choose(
    source: Any,
    columns: Columns,
    *,
    x: str | None,
    by: str | None,
    facet: str | Sequence[str] | None,
    where: Mapping[str, Any] | None,
    y_path: str | None = None,
    panels: bool = True,
) -> Choice:
    """Fills in what is not chosen.

    x is the longest path of numbers; the curves are controls, otherwise groups, otherwise the next
    path; and a single path that is left over makes panels. `y_path` is the other axis of a map,
    which has no curves; without `panels` there is one.
    """
    for name in (x, by, y_path):
        if name is not None:
            columns.check(name)
    facets = [facet] if isinstance(facet, str) else list(facet or [])
    if len(facets) > 2:
        raise ValueError("at most two paths make panels: facet=(columns, rows)")
    for name in facets:
        columns.check(name)
    columns = columns.only(where or {})
    if len(columns) == 0:
        raise ValueError("no row is left" if where else "this table is empty")
    paths = paths_of(source, columns)
    varied = [name for name in paths if len(columns.values(name)) > 1]
    taken = [name for name in (x, by, y_path, *facets) if name is not None]
    if x is None:
        numbers = [name for name in varied if name not in taken and not columns.is_text(name)]
        if y_path is None or numbers:
            x = max(numbers, key=lambda name: len(columns.values(name)), default=None)
        if x is None:
            rest = [
                name
                for name in (*varied, "group", "control", "flow")
                if name not in taken and name in columns and columns.values(name)
            ]
            if not rest:
                raise ValueError("nothing varies in this table: name a column as x")
            x = rest[0]
        taken.append(x)
    if by is None and y_path is None:
        by = _curves(columns, varied, taken)
        taken += [by] if by else []
    rest = left_over(columns, [*varied, "group", "flow", "link"], taken)
    if rest and panels and not facets and len(rest) == 1 and len(columns.values(rest[0])) <= 12:
        facets = rest
    elif rest:
        name = rest[0]
        values = columns.values(name)
        raise LeftOver(name, values)
    return Choice(columns, x, by, facets)


def _curves(columns: Columns, varied: Sequence[str], taken: Sequence[str]) -> str | None:
    free = [name for name in varied if name not in taken]
    rest = left_over(columns, [*free, "group"], taken)
    controls = [name for name in rest if name.rpartition(".")[2] in ("control", "rate_control")]
    for name in (*controls, *(["group"] if "group" in rest else []), *rest):
        return name
    if "control" in columns and "control" not in taken and len(columns.values("control")) > 1:
        # A single path of names is x already: its curves would repeat it.
        return "control" if left_over(columns, ["control"], taken) else None
    return None


def left_over(columns: Columns, names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """The columns that have several values in a point.

    Paths in step with one that is shown have not.
    """
    left: list[str] = []
    taken = list(taken)
    for name in names:
        if name in taken or name not in columns or len(columns.values(name)) < 2:
            continue
        points = len(_means.cells_of(columns, taken)[0])
        if len(_means.cells_of(columns, [*taken, name])[0]) > points:
            left.append(name)
            taken.append(name)
    return left
