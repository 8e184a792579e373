"""The compiled module: the simulator and its tables."""

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any, final, overload

from .cluster import Pool

__version__: str

_Value = float | int | bool | str | None

@final
class Column:
    """A column of a table: a sequence of values, `None` where one is missing.

    `numpy.asarray(column)` reads numbers without a copy; missing ones are NaN.
    """

    @property
    def name(self) -> str:
        """Its name."""
    @property
    def unit(self) -> str | None:
        """The unit of its values; None for text and flags."""
    @property
    def about(self) -> str:
        """What its values mean."""
    @property
    def missing(self) -> int:
        """The number of values that are missing."""
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Any: ...
    def to_list(self) -> list[Any]:
        """The values as a list."""

@final
class Rows(Iterator[dict[str, Any]]):
    """The rows of a table, one after the other."""

    def __iter__(self) -> Rows: ...
    def __next__(self) -> dict[str, Any]: ...

@final
class Table:
    """A table of results.

    Whatever reads Arrow takes it without a copy: `polars.DataFrame(table)`, `pyarrow.table(table)`,
    a query of DuckDB.
    """

    @property
    def name(self) -> str:
        """Its name, for example `groups`."""
    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
    @property
    def units(self) -> dict[str, str | None]:
        """The unit of each column; None for text and flags."""
    @property
    def about(self) -> dict[str, str]:
        """What the values of each column mean."""
    def __len__(self) -> int: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __getitem__(self, name: str, /) -> Column: ...
    def __eq__(self, other: object, /) -> bool: ...
    def rows(self) -> Rows:
        """The rows as dictionaries."""
    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`, with the units in its `attrs` (needs the extra `frames`)."""
    def to_polars(self) -> Any:
        """A `polars.DataFrame`, without a copy (needs the extra `frames`)."""
    def to_arrow(self) -> Any:
        """A `pyarrow.Table`, without a copy (needs the extra `frames`)."""
    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: str | PathLike[str]) -> None: ...
    def _repr_html_(self) -> str: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    @staticmethod
    def _restore(name: str, parts: list[Any]) -> Table: ...

class Scenario:
    """A network, its flows and how long they run: what a scenario file says (docs/scenario.md).

    It does not change; `set` makes another one.
    """

    def __new__(cls, mapping: Mapping[str, Any]) -> Scenario: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Scenario:
        """Reads a scenario file.

        Raises:
            ScenarioError: If it is wrong; the message shows every mistake with its place.
            OSError: If it cannot be read.
        """
    @staticmethod
    def parse(text: str, name: str = "scenario") -> Scenario:
        """Reads the text of a scenario file; `name` is shown in mistakes."""
    @overload
    def set(self, path: str, value: Any, /) -> Scenario: ...
    @overload
    def set(self, path: Mapping[str, Any], /) -> Scenario:
        """Makes the scenario with other values, each named by its path (docs/sweep.md).

        Raises:
            ScenarioError: If there is no such value, or a value is wrong.
        """
    @property
    def name(self) -> str:
        """Its name, or that of its file."""
    @property
    def duration(self) -> float:
        """How long it runs, in seconds of simulated time."""
    @property
    def warmup(self) -> float:
        """How long it goes on before it is measured, in seconds of simulated time."""
    @property
    def seed(self) -> int:
        """The seed of all random numbers, unless a run gives another one."""
    @property
    def flows(self) -> list[str]:
        """The names of its flows."""
    def to_toml(self) -> str:
        """The text of its file, with the values that were set."""
    def to_dict(self) -> dict[str, Any]:
        """Its file as a mapping, with the values that were set."""
    def canonical(self) -> str:
        """The scenario as TOML with every default spelled out: equal for equal scenarios."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @staticmethod
    def _restore(name: str, text: str, set: list[str]) -> Scenario: ...

@final
class Outcomes:
    """The outcomes of the runs of one scenario."""

    @property
    def taken(self) -> int: ...
    @property
    def computed(self) -> int: ...
    @property
    def trouble(self) -> str | None: ...
    @property
    def groups(self) -> Table: ...
    @property
    def flows(self) -> Table: ...
    @property
    def links(self) -> Table: ...
    @property
    def samples(self) -> Table: ...
    def summary(self) -> Table: ...

def run(
    scenario: Scenario,
    seeds: list[int],
    samples: str,
    jobs: int | None = None,
    store: str | None = None,
    progress: Callable[[float, int], None] | None = None,
    pool: Pool | None = None,
) -> Outcomes: ...
def work(order: bytes, texts: list[str]) -> bytes:
    """Computes a batch of runs.

    Raises:
        Error: If it was made by another build.
    """

@final
class Plan:
    """A sweep before it runs."""

    def __new__(cls, scenario: Scenario, settings: list[tuple[str, Any]]) -> Plan: ...
    @property
    def name(self) -> str: ...
    @property
    def paths(self) -> list[str]: ...
    @property
    def points(self) -> int: ...
    @property
    def runs(self) -> tuple[int, int]:
        """The least and the largest number of runs."""
    def run(
        self,
        flows: bool | None = None,
        jobs: int | None = None,
        store: str | None = None,
        progress: Callable[[float, int], None] | None = None,
        pool: Pool | None = None,
    ) -> Swept: ...

@final
class Swept:
    """The results of a sweep."""

    @property
    def taken(self) -> int: ...
    @property
    def computed(self) -> int: ...
    @property
    def trouble(self) -> str | None: ...
    @property
    def wide(self) -> list[int]: ...
    @property
    def groups(self) -> Table: ...
    @property
    def flows(self) -> Table | None: ...
    @property
    def links(self) -> Table: ...
    @property
    def runs(self) -> Table: ...
    def summary(self) -> Table: ...

@final
class Reproduced:
    """Figures, claims and a matrix, after all runs."""

    @property
    def claims(self) -> Table: ...
    @property
    def sentences(self) -> Table: ...
    @property
    def changes(self) -> Table: ...
    @property
    def figures(self) -> list[tuple[str, Table]]: ...
    @property
    def drawings(self) -> list[tuple[Any, ...]]: ...
    @property
    def matrix(self) -> Table | None: ...
    @property
    def command(self) -> str: ...
    @property
    def taken(self) -> int: ...
    @property
    def computed(self) -> int: ...
    @property
    def trouble(self) -> str | None: ...
    def report(self) -> str: ...
    def write(self, folder: str) -> str: ...

def reproduce(
    names: list[str],
    means: dict[str, Any],
    quick: bool = False,
    seed: int = 1,
    against: str | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Reproduced: ...
def matrix(
    controls: list[str] | None,
    paths: list[str] | None,
    means: dict[str, Any],
    quick: bool = False,
    seed: int = 1,
    repeat: int | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Reproduced: ...

@final
class Running:
    """A run that is advanced step by step, and one of whose flows the caller controls."""

    def __new__(cls, scenario: Scenario, seed: int, flow: str | None = None) -> Running: ...
    @property
    def now(self) -> float:
        """The simulated time, in seconds."""
    @property
    def over(self) -> bool: ...
    @property
    def seed(self) -> int: ...
    @property
    def cwnd(self) -> float:
        """The flow's window, in segments."""
    def step(
        self,
        cwnd: float | None = None,
        pacing: float | None = None,
        *,
        seconds: float | None = None,
        acks: int | None = None,
    ) -> tuple[
        tuple[float, float, float, float, float, float, float],
        tuple[int, int, int, float, float, float, float],
    ]:
        """Sets the window (segments) and the rate (bits of payload per second; 0 for none), and goes on
        for so many seconds of simulated time, or until so many ACKs have arrived.

        Returns the numbers of `dumbbell.gym.Signals`.
        """
    @property
    def groups(self) -> Table: ...
    @property
    def flows(self) -> Table: ...
    @property
    def links(self) -> Table: ...
