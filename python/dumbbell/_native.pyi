"""The compiled module: the simulator and its tables."""

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any, SupportsIndex, final, overload, type_check_only

from typing_extensions import disjoint_base

from .cluster import Pool

__version__: str
_HOST: str
"""The sources of what stands between a control in Python and the simulator, for the control's identity."""

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
    @overload
    def __getitem__(self, place: SupportsIndex, /) -> Any: ...
    @overload
    def __getitem__(self, place: slice, /) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...
    def to_list(self) -> list[Any]:
        """The values as a list."""
    @staticmethod
    def _restore(parts: Any) -> Column: ...

@final
@type_check_only
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
    def __contains__(self, name: object, /) -> bool: ...
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

@disjoint_base
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
    @property
    def controls(self) -> list[type]:
        """The classes of the controls in Python that it names."""
    def to_toml(self) -> str:
        """The text of its file, with the values that were set."""
    def to_dict(self) -> dict[str, Any]:
        """Its file as a mapping, with the values that were set."""
    def _repr_html_(self) -> str: ...
    def canonical(self) -> str:
        """The scenario as TOML with every default spelled out: equal for equal scenarios."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @staticmethod
    def _restore(name: str, text: str, set: list[str], controls: list[type] = ...) -> Scenario: ...

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
def work(order: bytes, texts: list[str], controls: list[type]) -> bytes:
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
    quick: bool,
    seed: int,
    against: str | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Reproduced: ...
def matrix(
    controls: list[str | type] | None,
    paths: list[str] | None,
    means: dict[str, Any],
    quick: bool,
    seed: int,
    repeat: int | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Reproduced: ...
def equation(
    model: str,
    given: dict[str, Any],
    losses: list[float] | None,
    rates: list[float | str] | None,
    errata: bool,
) -> Table: ...
def catalogue() -> Table: ...
def parameters() -> Table: ...
def measures() -> Table: ...
def explain(
    scenario: Scenario,
    seed: int | None,
    flows: list[str],
    start: float | None,
    end: float | None,
    all: bool,
    progress: Callable[[float, int], None] | None = None,
) -> tuple[Table, str]: ...
def trace(
    scenario: Scenario,
    seed: int | None,
    flows: list[str],
    to: list[str],
    progress: Callable[[float, int], None] | None = None,
) -> Table | None: ...
def query(store: str, sql: str | None = None, all_builds: bool = False) -> tuple[Table, int]: ...

@final
class Ack:
    """New data was acknowledged outside recovery."""

    @property
    def now(self) -> float:
        """When the ACK arrived, in seconds since the start."""
    @property
    def acked(self) -> float:
        """Segments newly acknowledged."""
    @property
    def in_flight(self) -> float:
        """Segments outstanding after this ACK."""
    @property
    def app_limited(self) -> bool:
        """Whether the sender had less to send than its window allowed."""

@final
class Loss:
    """A loss episode begins; it is reported once, not once per segment."""

    @property
    def now(self) -> float:
        """When the loss was detected, in seconds since the start."""
    @property
    def in_flight(self) -> float:
        """Segments outstanding."""
    @property
    def lost_sent_at(self) -> float:
        """When the lost segment was last sent, in seconds since the start."""
    @property
    def transmissions(self) -> int:
        """How often the lost segment has been sent so far, at least 1."""
    @property
    def by(self) -> str:
        """How it was detected: `dup_acks`, `fine_timer` or `ecn`."""

@final
class Timeout:
    """The retransmission timer fired."""

    @property
    def now(self) -> float:
        """When it fired, in seconds since the start."""
    @property
    def in_flight(self) -> float:
        """Segments outstanding."""
    @property
    def consecutive(self) -> int:
        """1 for the first timeout of a segment, 2 for the next of the same, and so on."""

@final
class Sent:
    """Segments were sent, perhaps again."""

    @property
    def now(self) -> float:
        """When they were sent, in seconds since the start."""
    @property
    def segments(self) -> float:
        """Segments sent."""
    @property
    def in_flight(self) -> float:
        """Segments outstanding before these were sent."""
    @property
    def retransmission(self) -> bool:
        """Whether they were sent before."""
    @property
    def app_limited(self) -> bool:
        """Whether the sender has nothing more to send."""

@final
class Sample:
    """An ACK arrived, perhaps a duplicate, or one in recovery."""

    @property
    def now(self) -> float:
        """When it arrived, in seconds since the start."""
    @property
    def rtt(self) -> float | None:
        """The round-trip time in seconds, if one was taken."""
    @property
    def credited(self) -> float:
        """Segments that it reports as delivered, each counted once."""
    @property
    def lost(self) -> float:
        """Segments declared lost since the previous sample."""
    @property
    def duplicate(self) -> bool:
        """Whether it acknowledges no new data."""
    @property
    def marks(self) -> float:
        """Segments with ECN marks that it reports; an echo, which has no count, is 1."""
    @property
    def stamps(self) -> tuple[float, float] | None:
        """When the packet that triggered it was sent and when it arrived, in seconds, by the clocks there."""
    @property
    def queueing(self) -> tuple[float, float] | None:
        """How long the packet and its ACK waited in routers that report it, in seconds."""

@final
class Feedback:
    """A report of the receiver of media."""

    @property
    def now(self) -> float:
        """When it arrived, in seconds since the start."""
    @property
    def rtt(self) -> float:
        """The round-trip time of this report, in seconds."""
    @property
    def srtt(self) -> float:
        """The mean of the round-trip times, this one with a weight of 0.1 (RFC 5348, section 4.3)."""
    @property
    def receive_rate(self) -> float:
        """The rate of the last round-trip time in bytes per second; 0 in the first report."""
    @property
    def loss_event_rate(self) -> float:
        """The loss event rate, 0 to 1; 0 before the first loss event."""
    @property
    def wireless_loss_event_rate(self) -> float | None:
        """The part that an access point attributes to the wireless link."""
    @property
    def new_loss(self) -> bool:
        """Whether there is a new loss event, or a larger loss event rate."""
    @property
    def first(self) -> bool:
        """Whether this is the first report."""
    @property
    def sent(self) -> int:
        """Packets sent so far."""

@final
class Expiry:
    """No report of the receiver arrived until the nofeedback timer expired."""

    @property
    def now(self) -> float:
        """When it expired, in seconds since the start."""
    @property
    def srtt(self) -> float | None:
        """The mean round-trip time in seconds; None before the first report."""
    @property
    def consecutive(self) -> int:
        """Expiries since the last report, this one included."""

@final
class Signals:
    """What a control knows of its path without measuring it."""

    @property
    def now(self) -> float: ...
    @property
    def rtt(self) -> float | None: ...
    @property
    def srtt(self) -> float | None: ...
    @property
    def base_rtt(self) -> float | None: ...
    def backlog(self, cwnd: float) -> float: ...
    def forget_base_rtt(self) -> None: ...

def register(control: type, /) -> str: ...
def registered() -> list[type]: ...
def unregister(name: str) -> bool: ...

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
        """Sets window and rate, and goes on for some seconds or until some ACKs have arrived.

        The window is in segments, the rate in bits of payload per second, 0 for none.

        Returns the numbers of `dumbbell.gym.Signals`.
        """
    @property
    def groups(self) -> Table: ...
    @property
    def flows(self) -> Table: ...
    @property
    def links(self) -> Table: ...

def _panic(message: str) -> None:
    """Panics, for a test of what becomes of it."""
